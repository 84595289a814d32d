package upkeep

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
	"tengen/storage/kv"
)

// SweepEvery is how often the bot checks whether anything is due.
const SweepEvery = time.Second

// CatchUpTime is how long the start waits for boards that are behind.
const CatchUpTime = 3 * time.Second

// keepEvery is how often the store is tidied, and notes that the bot is running.
const keepEvery = time.Minute

// Resume does what a former process left undone.
func (u *Upkeep) Resume(ctx context.Context) error {
	now := u.Now()
	u.takeBack(ctx, now)
	down, err := u.Store.Down(ctx, now)
	if err != nil {
		return err
	}
	if down > 0 {
		if err := u.Clocks.Postpone(ctx, down, now.Add(u.ClockAfterRestart)); err != nil {
			return err
		}
	}
	owed, err := u.Store.Owed(ctx)
	if err != nil {
		return err
	}
	for _, w := range owed {
		rec, err := u.Store.Match(ctx, w.Match)
		if err != nil {
			u.Log.Error("owed turn", "match", view.Name(w.Match), "err", err)
			continue
		}
		u.Desk.Owed(rec, now)
	}
	if err := u.reviews(ctx); err != nil {
		return err
	}
	late, err := u.Store.Late(ctx, now)
	if err != nil {
		return err
	}
	// Before they are up to date, a press on a board that a crash made the store forget looks like
	// a press on an old board. But members must not wait for ever.
	patience := time.NewTimer(CatchUpTime)
	defer patience.Stop()
	select {
	case <-u.Screens.CatchUp(late):
	case <-patience.C:
	case <-ctx.Done():
	}
	u.Log.Info("resumed", "down", down.Round(time.Second), "owed", len(owed), "late", len(late))
	return nil
}

// takeBack takes back what a clock that was ahead has left.
func (u *Upkeep) takeBack(ctx context.Context, now time.Time) {
	if err := u.Store.TakeBack(ctx, now); err != nil {
		u.Troubled("taking back what lies ahead", err)
	}
}

// Sweep does what is due, until the bot ends.
func (u *Upkeep) Sweep() {
	u.Tasks.Go(u.Clocks.Beat)
	for more := true; more; more = u.Tasks.Sleep(SweepEvery) {
		u.Tasks.Try(u.turn) // a panic ends one turn, and not the loop of all rooms
	}
}

// turn is one turn of Sweep.
func (u *Upkeep) turn() error {
	now := u.Now() // read before Settle, so that no clock runs out by a stop after it
	if err := u.Clocks.Settle(u.Tasks.Life); err != nil {
		u.Troubled("giving time back", err)
	}
	if u.givingBack(now) {
		return nil
	}
	if err := u.BringDue(u.Tasks.Life, now); err != nil {
		u.Troubled("sweep", err)
	}
	u.sweepRooms(now)
	u.Metrics.Queue(u.Desk.Size())
	if now.Sub(u.kept).Abs() >= keepEvery {
		u.kept = now
		u.Screens.RetryLate(now)
		if err := u.Servers.AskAgain(now); err != nil {
			u.Troubled("missed servers", err)
		}
		if tidy, ok := u.share.Under(u.Tasks.Life, 0); ok {
			if err := u.Store.Sweep(tidy, now); err != nil && !errors.Is(err, kv.ErrFenced) {
				u.Troubled("tidy", err)
			}
		}
	}
	if !u.Alone() && now.Sub(u.owed).Abs() >= owedEvery {
		u.owed = now
		u.takeUp(false)
	}
	return nil
}

// BringDue sends calls and reminders, and ends games whose clock ran out, expired challenges and
// forgotten games.
func (u *Upkeep) BringDue(ctx context.Context, now time.Time) error {
	u.Screens.CallDue(now)
	if !u.mayBeDue(storage.MatchAgenda, now) {
		return nil
	}
	due, err := u.Store.Due(ctx, now, 500, u.waits.Over)
	if err != nil {
		return err
	}
	failed := 0
	for _, id := range due {
		e := u.Tasks.Try(func() error { return u.bringOne(ctx, id, now) })
		if e == nil {
			u.waits.Did(id)
			continue
		}
		// A match that cannot be read must not stop the clocks of the others.
		u.waits.Failed(id)
		if failed++; err == nil {
			err = fmt.Errorf("match %s: %w", view.Name(id), e)
		}
		if failed == fewFail || ctx.Err() != nil {
			break
		}
	}
	return err
}

// sweepRooms has each room with something due do it, on a goroutine of its own.
func (u *Upkeep) sweepRooms(now time.Time) {
	for agenda, sweep := range u.Sweeps {
		if !u.mayBeDue(agenda, now) {
			continue
		}
		if _, busy := u.busy.LoadOrStore(agenda, true); !busy {
			u.Tasks.Go(func() {
				defer u.busy.Delete(agenda)
				sweep()
			})
		}
	}
}

// mayBeDue reports whether an agenda is to be looked at now. Where other processes share the store it
// always is: this process does not hear of what they write there.
func (u *Upkeep) mayBeDue(a storage.Agenda, now time.Time) bool {
	if !u.Alone() {
		return true
	}
	next, err := u.Store.Next(u.Tasks.Life, a)
	return err != nil || !next.IsZero() && !now.Before(next)
}

// fewFail is how many matches may fail before the store must be at fault.
const fewFail = 10

// callsABoard is how many calls a board takes that comes anew: it is sent, and the old one is deleted.
const callsABoard = 2

// bringOne does what is due in a match.
func (u *Upkeep) bringOne(ctx context.Context, id game.MatchID, now time.Time) error {
	if !u.Clocks.Settled(id) {
		return nil
	}
	owner, rec, err := u.asOwner(ctx, id)
	if err != nil || rec.ID == 0 {
		return err
	}
	inTurn := func(f func()) { f() }
	if rec.Link.Event != 0 {
		var ok bool
		if inTurn, ok = u.House.Pace(callsABoard); !ok {
			return nil // a later sweep does it: a move that comes after the deadline is refused anyway
		}
	}
	var event game.Event
	_, err = u.House.Update(owner, id, storage.Cause{At: now}, func(m game.Match) (game.Match, error) {
		next, e, err := m.Tick(now)
		if e == game.TimeoutEvent && u.Clocks.Forbears(m, now) {
			return m, &game.Refusal{Code: game.NoOffer}
		}
		event = e
		return next, err
	})
	var r *game.Refusal
	switch {
	case errors.As(err, &r), errors.Is(err, storage.ErrNotFound), errors.Is(err, kv.ErrFenced):
		return nil
	case err != nil:
		return err
	}
	inTurn(func() { u.Screens.Refresh(id, event == game.RemindEvent) })
	return nil
}
