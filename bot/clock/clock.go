// Package clock gives the clocks of running games the time back in which this process did
// not run, or in which another process had to take over: docs/decisions/041-pauses.md says
// how much and why. Whoever judges a deadline calls Clocks.Settle first. What runs out, and
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
	beatEvery = 2 * time.Second // how often the process notices that it runs
	fewFail   = 10              // matches that may fail before it is not they that are at fault
)

// LateBy is how late an act may come without giving time to the other side.
const LateBy = 5 * time.Second

// Takeover is for how long the clocks wait where one of several processes has stopped, and
// the others take over.
const Takeover = 30 * time.Second

// AloneFor is after how long without a sign of life nobody was there.
const AloneFor = 90 * time.Second

// Config is what Clocks are made of. All of it is needed.
type Config struct {
	Store *storage.Store
	Pulse *pulse.Pulse
	Tasks *tasks.Group
	Log   *slog.Logger
	Alone func() bool // no other process can be there
	Woke  func()      // told after a pause: boards may be behind

	Off bool // nothing is given back; for tests
}

// Clocks gives time back. Its methods may be called from any number of goroutines.
type Clocks struct {
	Config
	settling chan struct{}         // holds one while time is given back
	given    map[game.MatchID]bool // the matches that have got it; guarded by settling
}

// New makes clocks. The process notices that it runs from Beat on.
func New(c Config) *Clocks {
	return &Clocks{Config: c, settling: make(chan struct{}, 1), given: map[game.MatchID]bool{}}
}

// Beat notices that the process runs, until the tasks end.
func (c *Clocks) Beat() {
	for c.Tasks.Sleep(beatEvery) {
		c.Pulse.Now()
	}
}

// Settle gives every running clock the time back in which this process did not run.
func (c *Clocks) Settle(ctx context.Context) error {
	if c.Pulse.Owed() == 0 || c.Off {
		return nil
	}
	select {
	case c.settling <- struct{}{}: // the others wait until all is given
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

func (c *Clocks) giveBack(ctx context.Context, owed time.Duration) error {
	if !c.Alone() { // the others took over, and members could reach them from then on
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
	c.Tasks.Go(c.Woke)
	return nil
}

// Postpone gives every running clock the time that the bot was away, and leaves it until
// soonest at least.
func (c *Clocks) Postpone(ctx context.Context, down time.Duration, soonest time.Time) error {
	return c.addTime(ctx, down, soonest, map[game.MatchID]bool{})
}

// addTime adds to every running clock that is not among given, and leaves it until soonest
// at least. Those that have got it are among given then.
func (c *Clocks) addTime(ctx context.Context, d time.Duration, soonest time.Time, given map[game.MatchID]bool) error {
	now := c.Pulse.Now()
	ids, err := c.Store.Due(ctx, now.AddDate(100, 0, 0), math.MaxInt) // all that wait for anything
	if err != nil {
		return err
	}
	failed := 0
	for _, id := range ids {
		if given[id] {
			continue
		}
		rec, e := c.Store.Match(ctx, id)
		if e == nil && rec.Match.Phase == game.Playing && !rec.Match.Deadline.IsZero() {
			_, e = c.Store.Update(ctx, id, storage.Cause{At: now}, func(m game.Match) (game.Match, error) {
				return m.Postpone(d, soonest, now)
			})
		}
		var r *game.Refusal
		if e == nil || errors.As(e, &r) || errors.Is(e, storage.ErrNotFound) {
			given[id] = true
			continue
		}
		// One match that cannot be read must not keep the others from their time.
		if failed++; err == nil {
			err = fmt.Errorf("match %s: %w", view.Name(id), e)
		}
		if failed == fewFail || ctx.Err() != nil {
			break
		}
	}
	return err
}

// Forbears reports that a clock that ran out by now is left alone for the moment: what its
// member did in time may still be on its way.
func (c *Clocks) Forbears(m game.Match, now time.Time) bool {
	if c.Off {
		return false
	}
	return c.Pulse.Resting() || !c.Alone() && now.Before(m.Deadline.Add(Takeover))
}

// Settled reports that nothing is owed to a match. It must not be called in a transaction,
// which the giving may wait for.
func (c *Clocks) Settled(id game.MatchID) bool {
	if c.Pulse.Owed() == 0 || c.Off {
		return true
	}
	c.settling <- struct{}{}
	defer func() { <-c.settling }()
	return c.given[id]
}

// Starts reports whether a change starts a clock.
func Starts(was, is game.Match) bool {
	return !is.Deadline.IsZero() && (is.Stamp() != was.Stamp() || is.Phase != was.Phase)
}

// OnTime is m, whose clock was just started by an act, with the time that the act was late
// in coming: while it was on its way, the side to move could not see it.
func (c *Clocks) OnTime(m game.Match) game.Match {
	now := c.Pulse.Now()
	if late := now.Sub(m.Turned); late > LateBy && !c.Off {
		if later, err := m.Postpone(late, time.Time{}, now); err == nil {
			return later
		}
	}
	return m
}

// Resumed is a match as its clock was started when the pulse's clock showed ran, with the
// time given back for which the process stopped between then and the commit: settle may
// have been there before the match was.
func (c *Clocks) Resumed(ctx context.Context, rec storage.Record, ran time.Duration) storage.Record {
	gap := c.Pulse.StoppedFor(ran)
	if gap == 0 || c.Off {
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
