package bot

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"tengen/bot/view"
	"tengen/game"
	"tengen/internal/pulse"
	"tengen/storage"
)

// A member never loses on time because this process did not run, or because another one had to take over:
// docs/decisions/041-pauses.md. Code that judges a deadline calls settle first.

const (
	beatEvery = 2 * time.Second  // how often the process notes that it runs
	lateBy    = 5 * time.Second  // an act that arrives later than this costs the other side no time
	takeover  = 30 * time.Second // how soon other processes go on with the work of one that stopped
)

// beat notes that the process runs, until the bot ends.
func (b *Bot) beat() {
	for b.tasks.Sleep(beatEvery) {
		b.pulse.Now()
	}
}

// settle gives every running clock the time back in which this process did not run.
func (b *Bot) settle(ctx context.Context) error {
	if b.pulse.Owed() == 0 || b.sabotage.NoGiveBack {
		return nil
	}
	select {
	case b.settling <- struct{}{}: // other callers wait until all clocks have their time
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-b.settling }()
	for owed := b.pulse.Owed(); owed > 0; owed = b.pulse.Owed() {
		if err := b.giveBack(ctx, owed); err != nil {
			return err
		}
		b.pulse.Gave(owed)
		clear(b.given)
	}
	return nil
}

// giveBack adds the owed time to every running clock.
func (b *Bot) giveBack(ctx context.Context, owed time.Duration) error {
	if !b.alone() { // other processes took over, and answered members from then on
		down, err := b.store.Down(ctx, b.now())
		if err != nil {
			return err
		}
		owed = min(owed, max(down, aloneFor))
	}
	b.log.Warn("this process did not run for a while: every clock gets time back", "time", owed.Round(time.Second))
	if err := b.addTime(ctx, owed, time.Time{}, b.given); err != nil {
		return err
	}
	b.tasks.Go(func() { b.screens.RetryLate(b.now()) })
	return nil
}

// postpone gives every running clock the time back in which no process ran, and at least
// Options.ClockAfterRestart.
func (b *Bot) postpone(ctx context.Context, down time.Duration, now time.Time) error {
	return b.addTime(ctx, down, now.Add(b.opt.ClockAfterRestart), map[game.MatchID]bool{})
}

// addTime adds d to every running clock whose match is not in given, and lets none run out before soonest.
// It adds the matches to given.
func (b *Bot) addTime(ctx context.Context, d time.Duration, soonest time.Time, given map[game.MatchID]bool) error {
	now := b.now()
	ids, err := b.store.Due(ctx, now.AddDate(100, 0, 0), math.MaxInt) // every match with a deadline or a reminder
	if err != nil {
		return err
	}
	failed := 0
	for _, id := range ids {
		if given[id] {
			continue
		}
		rec, e := b.store.Match(ctx, id)
		if e == nil && rec.Match.Phase == game.Playing && !rec.Match.Deadline.IsZero() {
			_, e = b.store.Update(ctx, id, storage.Cause{At: now}, func(m game.Match) (game.Match, error) {
				return m.Postpone(d, soonest, now)
			})
		}
		var r *game.Refusal
		if e == nil || errors.As(e, &r) || errors.Is(e, storage.ErrNotFound) {
			given[id] = true
			continue
		}
		// A match that cannot be read must not keep the others from getting their time.
		if failed++; err == nil {
			err = fmt.Errorf("match %s: %w", view.Name(id), e)
		}
		if failed == fewFail || ctx.Err() != nil {
			break
		}
	}
	return err
}

// forbears reports whether a clock that has run out is to be left alone for now, because its member's act
// may still be on its way.
func (b *Bot) forbears(m game.Match, now time.Time) bool {
	if b.sabotage.NoGiveBack {
		return false
	}
	return b.pulse.Resting() || !b.alone() && now.Before(m.Deadline.Add(takeover))
}

// settled reports whether a match is owed no time. Do not call it in a transaction: it may wait for
// settle, which waits for transactions.
func (b *Bot) settled(id game.MatchID) bool {
	if b.pulse.Owed() == 0 || b.sabotage.NoGiveBack {
		return true
	}
	b.settling <- struct{}{}
	defer func() { <-b.settling }()
	return b.given[id]
}

// starts reports whether a change starts a clock.
func starts(was, is game.Match) bool {
	return !is.Deadline.IsZero() && (is.Stamp() != was.Stamp() || is.Phase != was.Phase)
}

// onTime adds to m, whose clock an act has just started, the time for which the act was on its way, if
// that was long: until now the side to move could not see the act.
func (b *Bot) onTime(m game.Match) game.Match {
	now := b.now()
	if late := now.Sub(m.Turned); late > lateBy && !b.sabotage.NoGiveBack {
		if later, err := m.Postpone(late, time.Time{}, now); err == nil {
			return later
		}
	}
	return m
}

// resumed gives a match, whose clock was started at ran, the time back for which the process stopped
// between then and the commit. settle may have missed the match, since it was not committed yet.
func (b *Bot) resumed(ctx context.Context, rec storage.Record, ran time.Duration) storage.Record {
	gap := b.pulse.StoppedFor(ran)
	if gap == 0 || b.sabotage.NoGiveBack {
		return rec
	}
	now := b.now()
	later, err := b.store.Update(ctx, rec.ID, storage.Cause{At: now}, func(m game.Match) (game.Match, error) {
		return m.Postpone(gap+pulse.Extra, time.Time{}, now)
	})
	if err != nil {
		return rec // the next move has come, or the match is over
	}
	return later
}
