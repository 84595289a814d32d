// Package clock gives the clocks of running games the time back in which this process did
// not run, or in which another process had to take over: docs/decisions/041-pauses.md says
// how much and why. Code that judges a deadline calls Clocks.Settle first. What runs out, and
// what follows from it, is for the caller.
package clock

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"tengen/bot/view"
	"tengen/game"
	"tengen/internal/pulse"
	"tengen/internal/tasks"
	"tengen/storage"
)

const (
	beatEvery = 2 * time.Second // how often the process notes that it runs
	fewFail   = 10              // matches that may fail before the store must be at fault
)

// LateBy is how late an act may arrive before the other side gets that time back.
const LateBy = 5 * time.Second

// Takeover is how soon other processes go on with the work of one that stopped.
const Takeover = 30 * time.Second

// LongAway is the time from which matches without a clock, challenges and the rounds of events notice
// that the bot was away: their times are days.
const LongAway = time.Hour

// AloneFor is the time without a sign of life after which no process was running.
const AloneFor = 90 * time.Second

// Config is what Clocks are made of. All of it is needed.
type Config struct {
	Store *storage.Store
	Pulse *pulse.Pulse
	Tasks *tasks.Group
	Log   *slog.Logger
	Alone func() bool // no other process can be there
	Woke  func()      // told after a pause: boards may be behind
}

// Clocks gives time back. Its methods may be called from any number of goroutines.
type Clocks struct {
	Config
	settling chan struct{}         // holds one while time is given back
	given    map[game.MatchID]bool // the matches that have got it; guarded by settling
}

// New makes clocks. Start Beat on a goroutine of the tasks.
func New(c Config) *Clocks {
	return &Clocks{Config: c, settling: make(chan struct{}, 1), given: map[game.MatchID]bool{}}
}

// Beat notes that the process runs, until the tasks end.
func (c *Clocks) Beat() {
	for c.Tasks.Sleep(beatEvery) {
		c.Pulse.Now()
	}
}

// Settle gives every running clock the time back in which this process did not run.
func (c *Clocks) Settle(ctx context.Context) error {
	if c.Pulse.Owed() == 0 {
		return nil
	}
	select {
	case c.settling <- struct{}{}: // other callers wait until all clocks have their time
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-c.settling }()
	for owed := c.Pulse.Owed(); owed > 0; owed = c.Pulse.Owed() {
		if err := c.giveBack(ctx, owed); err != nil {
			return err
		}
		c.Pulse.Gave(owed)
		clear(c.given)
	}
	return nil
}

// giveBack adds the owed time to every running clock.
func (c *Clocks) giveBack(ctx context.Context, owed time.Duration) error {
	if !c.Alone() { // other processes took over, and answered members from then on
		down, err := c.Store.Down(ctx, c.Pulse.Now())
		if err != nil {
			return err
		}
		owed = min(owed, max(down, AloneFor))
	}
	c.Log.Warn("this process did not run for a while: every clock gets time back", "time", owed.Round(time.Second))
	if err := c.addTime(ctx, owed, time.Time{}, c.given); err != nil {
		return err
	}
	if err := c.postponeEvents(ctx, owed); err != nil {
		return err
	}
	c.Tasks.Go(c.Woke)
	return nil
}

// Postpone gives every running clock back the time that the bot was away. No clock runs out
// before soonest then. A long time is given back to all that would end by itself without a clock, too.
func (c *Clocks) Postpone(ctx context.Context, down time.Duration, soonest time.Time) error {
	return errors.Join(c.addTime(ctx, down, soonest, map[game.MatchID]bool{}), c.postponeEvents(ctx, down))
}

// postponeEvents adds a long time to that of the games of events.
func (c *Clocks) postponeEvents(ctx context.Context, d time.Duration) error {
	if d < LongAway {
		return nil
	}
	return c.Store.PostponeEvents(ctx, d, c.Pulse.Now())
}

// addTime adds d to every running clock whose match is not in given, and lets none run out
// before soonest. Where d is long it also adds d to the time after which challenges, and matches in which
// nobody moves, end. It adds the matches to given.
func (c *Clocks) addTime(ctx context.Context, d time.Duration, soonest time.Time, given map[game.MatchID]bool) error {
	now := c.Pulse.Now()
	ids, err := c.Store.Due(ctx, now.AddDate(100, 0, 0), math.MaxInt, nil) // every match with a deadline or a reminder
	if err != nil {
		return err
	}
	failed := 0
	for _, id := range ids {
		if given[id] {
			continue
		}
		rec, e := c.Store.Match(ctx, id)
		if runs := rec.Match.Phase == game.Playing && !rec.Match.Deadline.IsZero(); e == nil && (runs || d >= LongAway) {
			_, e = c.Store.Update(ctx, id, storage.Cause{At: now}, func(m game.Match) (game.Match, error) {
				next, err := m.Postpone(d, soonest, now)
				if err != nil && d >= LongAway {
					next, err = m.Outlast(d, now)
				}
				return next, err
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

// Forbears reports whether a clock that has run out is to be left alone for now, because
// its member's act may still be on its way.
func (c *Clocks) Forbears(m game.Match, now time.Time) bool {
	return c.Pulse.Resting() || !c.Alone() && now.Before(m.Deadline.Add(Takeover))
}

// Settled reports whether a match is owed no time. Do not call it in a transaction: it may
// wait for Settle, which waits for transactions.
func (c *Clocks) Settled(id game.MatchID) bool {
	if c.Pulse.Owed() == 0 {
		return true
	}
	c.settling <- struct{}{}
	defer func() { <-c.settling }()
	return c.given[id]
}

// starts reports whether a change starts a clock.
func starts(was, is game.Match) bool {
	return !is.Deadline.IsZero() && (is.Stamp() != was.Stamp() || is.Phase != was.Phase)
}

// OnTime is for a match m whose clock an act has just started. It adds the time for which the
// act was on its way, if that was long: the side to move could not see the act before.
func (c *Clocks) OnTime(m game.Match) game.Match {
	now := c.Pulse.Now()
	if late := now.Sub(m.Turned); late > LateBy {
		if later, err := m.Postpone(late, time.Time{}, now); err == nil {
			return later
		}
	}
	return m
}

// Update changes a match as the store does. A clock that the change starts is on time.
func (c *Clocks) Update(ctx context.Context, id game.MatchID, cause storage.Cause,
	f func(game.Match) (game.Match, error)) (storage.Record, error) {
	var started time.Duration // when the change started a clock, by the pulse's own; 0: it did not
	rec, err := c.Store.Update(ctx, id, cause, func(m game.Match) (game.Match, error) {
		next, err := f(m)
		started = 0
		if err == nil && starts(m, next) {
			started = c.Pulse.Ran()
			next = c.OnTime(next)
		}
		return next, err
	})
	if err == nil && started != 0 {
		rec = c.resumed(ctx, rec, started)
	}
	return rec, err
}

// resumed gives time back to a match whose clock was started at ran: the time for which the
// process stood still between then and the commit. Settle may have missed the match, which was
// not committed yet.
func (c *Clocks) resumed(ctx context.Context, rec storage.Record, ran time.Duration) storage.Record {
	gap := c.Pulse.StoppedFor(ran)
	if gap == 0 {
		return rec
	}
	now := c.Pulse.Now()
	later, err := c.Store.Update(ctx, rec.ID, storage.Cause{At: now}, func(m game.Match) (game.Match, error) {
		return m.Postpone(gap+pulse.Extra, time.Time{}, now)
	})
	if err != nil {
		return rec // the next move has come, or the match is over
	}
	return later
}
