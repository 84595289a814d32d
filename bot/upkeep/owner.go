package upkeep

import (
	"context"
	"errors"
	"slices"
	"time"

	"tengen/bot/clock"
	"tengen/game"
	"tengen/game/venue"
	"tengen/storage"
	"tengen/storage/kv"
	"tengen/storage/lease"
)

// Several processes may share one store. Any of them may answer any member, since the store's
// transaction decides. Some work nobody asks for: the engine's turns, deadlines and reminders, and
// boards that no answer shows. Each channel belongs to one of Slots slots, and the process that
// holds the slot does this unasked work: it owns the channel. The store checks the fence of the
// slot on everything that an owner writes, so that a process which was paused and wakes up late
// changes nothing. Owners hear of screens as they are written, and also search for owed work now
// and then. Package screen decides which process sends a board that a member's act changed.

// Slots is into how many slots the channels are divided.
const Slots = 64

const (
	shareGroup = "channels"
	owedEvery  = 2 * time.Second // how often an owner searches for work that it did not hear of
)

// Owns reports whether this process does the unasked work in a place.
func (u *Upkeep) Owns(p venue.Place) bool { return u.share.Holds(lease.SlotOf(p.Channel, Slots)) }

// Under gives a context under which the store takes changes only while this process owns the
// place. It is false where another process owns it.
func (u *Upkeep) Under(ctx context.Context, p venue.Place) (context.Context, bool) {
	return u.share.Under(ctx, lease.SlotOf(p.Channel, Slots))
}

// Alone reports that no other process can share the store.
func (u *Upkeep) Alone() bool { return !u.share.Shared() }

// join begins to share the work with the other processes.
func (u *Upkeep) join(ctx context.Context) error {
	share, err := u.Leases.Join(ctx, lease.Group{Name: shareGroup, Slots: Slots, Gained: u.Gained, Lost: u.lost})
	if err != nil {
		return err
	}
	u.share = share
	close(u.joined)
	return nil
}

// Gained does what is owed in slots that this process now holds.
func (u *Upkeep) Gained(s lease.Share, slots []int) {
	if !s.Shared() {
		return // Start does all of it
	}
	u.Log.Info("slots", "gained", len(slots))
	u.Pulse.Rest(clock.Takeover)
	first := slices.Contains(slots, 0)
	if first {
		u.silent.Store(true)
	}
	u.Tasks.Go(func() {
		<-u.joined
		if first {
			u.afterSilence()
			u.silent.Store(false)
		}
		u.takeUp(true)
	})
}

// givingBack reports whether time in which no process ran is still to be given back, by this process or by
// the one that holds slot 0. Until then nothing runs out by itself.
func (u *Upkeep) givingBack(now time.Time) bool {
	if u.Alone() || !u.silent.Load() && !u.Pulse.Resting() {
		return false
	}
	down, err := u.Store.Down(u.Tasks.Life, now)
	return u.silent.Load() || err != nil || down > clock.AloneFor
}

// lost ends the searches in places that this process owns no more.
func (u *Upkeep) lost(_ lease.Share, slots []int) {
	u.Log.Info("slots", "lost", len(slots))
	u.Desk.GiveUp(func(p venue.Place) bool { return slices.Contains(slots, lease.SlotOf(p.Channel, Slots)) })
}

// afterSilence gives clocks the time back in which no process ran.
func (u *Upkeep) afterSilence() {
	now := u.Now()
	ctx, ok := u.share.Under(u.Tasks.Life, 0)
	if !ok {
		return
	}
	u.takeBack(ctx, now)
	down, err := u.Store.Down(ctx, now)
	if err == nil && down > clock.AloneFor {
		err = u.Clocks.Postpone(ctx, down, now.Add(u.ClockAfterRestart))
	}
	if err != nil && u.Tasks.Life.Err() == nil {
		u.Log.Error("after silence", "err", err)
	}
}

// takeUp searches for turns that the engine owes in this process's places and, with late, for
// boards that are behind.
func (u *Upkeep) takeUp(late bool) {
	owed, err := u.Store.Owed(u.Tasks.Life)
	if err != nil {
		u.Troubled("owed turns", err)
		return
	}
	for _, w := range owed {
		if u.Desk.Knows(w.Match) {
			continue
		}
		if rec, err := u.Store.Match(u.Tasks.Life, w.Match); err == nil && u.Owns(rec.Place) {
			u.Desk.Changed(rec)
		}
	}
	if err := u.reviews(u.Tasks.Life); err != nil {
		u.Troubled("owed reviews", err)
	}
	if late {
		u.Screens.RetryLate(u.Now())
	}
}

// reviews gives the desk the reviews that are owed in this process's places.
func (u *Upkeep) reviews(ctx context.Context) error {
	owed, err := u.Store.OwedReviews(ctx)
	for _, w := range owed {
		if rec, err := u.Store.Match(ctx, w.Match); err == nil {
			u.Desk.Review(rec)
		}
	}
	return err
}

// Troubled logs an error of work that nobody asked for.
func (u *Upkeep) Troubled(what string, err error) {
	if u.Tasks.Life.Err() == nil {
		u.Metrics.Error("sweep")
		u.Log.Error(what, "err", err)
	}
}

// hearScreens hears of screens that other processes write. Each time that it begins to listen, it searches
// for what was written before.
func (u *Upkeep) hearScreens(ctx context.Context) error {
	u.Tasks.Go(func() {
		if u.Tasks.Sleep(time.Second) {
			u.takeUp(true)
		}
	})
	return u.Store.Watch(ctx, u.Screens.Heard)
}

// hearMatches tells of each match that any process saves.
func (u *Upkeep) hearMatches(ctx context.Context) error { return u.Store.WatchMatches(ctx, u.Told) }

// listen hears of what is written, until the bot ends.
func (u *Upkeep) listen(hear func(context.Context) error) {
	for {
		err := hear(u.Tasks.Life)
		if u.Tasks.Life.Err() != nil || errors.Is(err, kv.ErrNoWatch) {
			return
		}
		u.Log.Info("listening again", "err", err)
		if !u.Tasks.Sleep(time.Second) {
			return
		}
	}
}

// asOwner reads a match and gives a context for the unasked work on it. The match has no id
// where there is nothing to do, because it is gone or another process owns it.
func (u *Upkeep) asOwner(ctx context.Context, id game.MatchID) (context.Context, storage.Record, error) {
	rec, err := u.Store.Match(ctx, id)
	if errors.Is(err, storage.ErrNotFound) {
		return ctx, storage.Record{}, nil
	}
	if err != nil {
		return ctx, rec, err
	}
	owner, ok := u.Under(ctx, rec.Place)
	if !ok {
		return ctx, storage.Record{}, nil
	}
	return owner, rec, nil
}

// Due is asOwner, without reading the match where this process is alone.
func (u *Upkeep) Due(ctx context.Context, id game.MatchID) (context.Context, storage.Record, error) {
	if u.Alone() {
		return ctx, storage.Record{Match: game.Match{ID: id}}, nil
	}
	return u.asOwner(ctx, id)
}
