package bot

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/chat"
	"tengen/bot/clock"
	"tengen/bot/discord"
	"tengen/bot/upkeep"
	"tengen/bot/view"
	"tengen/game"
	"tengen/internal/pulse"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
	"tengen/storage/lease"
	"tengen/storage/storagetest"
)

// nap is a simulated machine that can be stopped: all clocks go on, and no goroutine runs.
type nap struct {
	*desktop
	slept atomic.Int64 // in all
	set   atomic.Int64 // by how much the wall clock is wrong
}

func (n *nap) ran() time.Duration { return time.Duration(n.slept.Load()) }

// now is the true time, as Discord has it.
func (n *nap) now() time.Time { return time.Now().Add(n.ran()) }

// stop lets time pass in which the process does not run.
func (n *nap) stop(d time.Duration) { n.slept.Add(int64(d)) }

func napping(t *testing.T, engine kv.Engine, change ...func(*Config)) *nap {
	t.Helper()
	n := &nap{}
	began := time.Now()
	n.desktop = onPaperOver(t, engine, append(change, func(c *Config) {
		c.Pulse = pulse.New(pulse.Options{
			Wall: func() time.Time { return n.now().Add(time.Duration(n.set.Load())) },
			Ran:  func() time.Duration { return time.Since(began) + n.ran() },
		})
	})...)
	return n
}

// act is an act that a member did at a time, and of which the bot hears now.
func (n *nap) act(by game.MemberID, at time.Time, name, point string) {
	r := n.request(by, chat.Slash)
	r.ID = uint64(at.UnixMilli()-discord.Epoch)<<22 | r.ID&0x3fffff
	r.Name, r.At = name, at
	r.Options["at"] = chat.Option{Text: point}
	n.handle(r)
}

// begin begins a rated game with a minute for each move, in which member 1 is to move.
func (n *nap) begin() storage.Record {
	n.t.Helper()
	n.betweenMembers("clock", "1m", "rated", "yes")
	for i, p := range []string{"H8", "I9"} {
		n.act(game.MemberID(1+i), n.now(), "move", p)
	}
	rec := n.only(1)
	if len(rec.Log) != 2 || rec.Deadline.IsZero() {
		n.t.Fatalf("%d moves, deadline %v", len(rec.Log), rec.Deadline)
	}
	return rec
}

func (n *nap) match(id game.MatchID) storage.Record {
	return testkit.Got(n.store.Match(n.t.Context(), id))
}

// lostByPause reports what a member lost by a stop of the process, after half of the time for
// the move: the game, or time for the next move.
func lostByPause(n *nap, id game.MatchID, acted time.Duration, sweptFirst bool, pause time.Duration) error {
	calmAfter(30 * time.Second)
	stopped := n.now()
	n.stop(pause)
	if sweptFirst {
		calmAfter(upkeep.SweepEvery)
	}
	if acted > 0 {
		n.act(1, stopped.Add(acted), "move", "H9")
	}
	woke := n.now()
	calmAfter(25 * time.Second)
	rec := n.match(id)
	switch {
	case rec.Phase != game.Playing:
		return fmt.Errorf("the game is over: %v", rec.Result())
	case acted == 0:
		return nil
	case len(rec.Log) != 3:
		return errors.New("the move does not count")
	case rec.Deadline.Before(woke.Add(rec.Clock.Each - clock.LateBy)):
		return fmt.Errorf("the other side has %v left for its move", rec.Deadline.Sub(woke))
	}
	return nil
}

// Whatever runs first after a stop of the process, nobody loses time: neither the member to
// move, nor the member to move after an act that waited in the socket.
func TestStoppedProcess(t *testing.T) {
	for _, test := range []struct {
		name  string
		pause time.Duration
		acted time.Duration // after the stop; 0: not at all
		swept bool          // the sweeper runs before the act is heard of
	}{
		{"sweeper", 80 * time.Second, 0, true},
		{"act in time, sweeper first", 80 * time.Second, 5 * time.Second, true},
		{"act in time, act first", 80 * time.Second, 5 * time.Second, false},
		{"act too late but for the stop, sweeper first", 80 * time.Second, 70 * time.Second, true},
		{"act too late but for the stop, act first", 80 * time.Second, 70 * time.Second, false},
		{"a night", 8 * time.Hour, 0, true},
		{"a night, then a move", 8 * time.Hour, 8*time.Hour - time.Second, false},
	} {
		testkit.Bubble(t, test.name, func(t *testing.T) {
			n := napping(t, kv.NewMemory())
			if err := lostByPause(n, n.begin().ID, test.acted, test.swept, test.pause); err != nil {
				t.Errorf("lost: %v", err)
			}
		})
	}
}

// An act that came in time, and waits in the socket while the sweeper runs, counts even after
// a stop that is too short for time to be given back.
func TestShortStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := napping(t, kv.NewMemory())
		rec := n.begin()
		calmAfter(rec.Deadline.Sub(n.now()) - time.Second)
		acted := n.now()
		n.stop(8 * time.Second)
		time.Sleep(2 * upkeep.SweepEvery)
		n.act(1, acted, "move", "H9")
		if rec = n.match(rec.ID); len(rec.Log) != 3 {
			t.Errorf("%d moves, %v", len(rec.Log), rec.Result())
		}
	})
}

// A rematch whose press was long on its way has its full time for the first move.
func TestRematchThatComesLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := napping(t, kv.NewMemory())
		rec := n.begin()
		resign := func(m game.Match) (game.Match, error) { return m.Resign(1, n.now()) }
		testkit.Got(n.bot.clocks.Update(t.Context(), rec.ID, storage.Cause{At: n.now()}, resign))
		n.press(1, rec, "rematch", "")
		r := n.request(2, chat.Press)
		r.Custom, r.At = view.On(rec.Match, "rematch", ""), n.now()
		time.Sleep(40 * time.Second)
		n.said(r)
		next := n.match(n.match(rec.ID).Next)
		if left := next.Deadline.Sub(n.now()).Round(time.Second); left != next.Clock.Each {
			t.Errorf("%v are left of %v", left, next.Clock.Each)
		}
	})
}

// The wall clock is set by an hour, either way, and back: no clock is lost, and none is given.
func TestWallClockSet(t *testing.T) {
	for _, step := range []time.Duration{time.Hour, -time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			n := napping(t, kv.NewMemory())
			rec := n.begin()
			n.set.Store(int64(step))
			calmAfter(20 * time.Second)
			if now := n.match(rec.ID); now.Phase != game.Playing || !now.Deadline.Equal(rec.Deadline) {
				t.Errorf("set by %v: phase %v, deadline %v, was %v", step, now.Phase, now.Deadline, rec.Deadline)
			}
			n.act(1, n.now(), "move", "H9")
			rec = n.match(rec.ID)
			if left := rec.Deadline.Sub(n.now()); len(rec.Log) != 3 || left.Round(time.Second) != time.Minute {
				t.Errorf("set by %v: %d moves, %v for the next", step, len(rec.Log), left)
			}
			n.set.Store(0)
			calmAfter(time.Minute + game.Grace + 2*time.Second)
			if now := n.match(rec.ID); now.Result().Termination != game.ByTimeout {
				t.Errorf("set by %v and back: %v", step, now.Result())
			}
		})
	}
}

// slowCommit stops the process once, between a transaction and its commit.
type slowCommit struct {
	kv.Engine
	stop func() // nil: commits go through
}

func (s *slowCommit) Update(ctx context.Context, fn func(kv.Tx) error) error {
	stop := s.stop
	if stop == nil {
		return s.Engine.Update(ctx, fn)
	}
	s.stop = nil
	var o *kv.Overlay
	if err := s.View(ctx, func(r kv.Reader) error { o = kv.NewOverlay(r); return fn(o) }); err != nil {
		return err
	}
	stop()
	return s.Engine.Update(ctx, func(tx kv.Tx) error {
		for k, v := range o.Writes() {
			if v == nil {
				if err := tx.Delete(k); err != nil {
					return err
				}
			} else if err := tx.Put(k, v); err != nil {
				return err
			}
		}
		return nil
	})
}

// A clock gets its time back even when the process was stopped in the transaction that started
// it, and the other clocks got theirs before the commit.
func TestStoppedBeforeCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := &slowCommit{Engine: kv.NewMemory()}
		n := napping(t, engine)
		rec := n.begin()
		calmAfter(10 * time.Second)
		engine.stop = func() {
			n.stop(80 * time.Second)
			testkit.Check(t, n.bot.clocks.Settle(t.Context()))
		}
		n.act(1, n.now(), "move", "H9")
		if left := n.match(rec.ID).Deadline.Sub(n.now()); left < time.Minute {
			t.Errorf("%v left", left)
		}
	})
}

// faultyReads is a store in which reading a single row fails, while it is down.
type faultyReads struct {
	kv.Engine
	down atomic.Bool
}

func (f *faultyReads) View(ctx context.Context, fn func(kv.Reader) error) error {
	return f.Engine.View(ctx, func(r kv.Reader) error {
		if f.down.Load() {
			r = noRows{r}
		}
		return fn(r)
	})
}

type noRows struct{ kv.Reader }

func (noRows) Get([]byte) ([]byte, error) { return nil, errors.New("no rows") }

// While matches cannot be read, no time is given back and no clock runs out. Later each clock
// gets its time once. A match that cannot be read does not hinder the others.
func TestGivingBackFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := &faultyReads{Engine: kv.NewMemory()}
		n := napping(t, engine)
		rec := n.begin()
		n.slash(3, "play member", "opponent", "4", "game", "gomoku", "color", "black", "clock", "1m")
		bad := n.only(3).ID
		n.press(4, n.only(3), "accept", "")
		storagetest.Put(t, engine, binary.BigEndian.AppendUint64([]byte("g"), uint64(bad)), "no record")
		engine.down.Store(true)
		n.stop(80 * time.Second)
		calmAfter(pulse.Extra + 10*time.Second)
		engine.down.Store(false)
		calmAfter(5 * time.Second)
		now := n.match(rec.ID)
		if got := now.Deadline.Sub(rec.Deadline).Round(10 * time.Second); now.Phase != game.Playing ||
			got != 110*time.Second {
			t.Errorf("%v is given back; %v", got, now.Result())
		}
		calmAfter(2 * time.Minute)
		if now := n.match(rec.ID); now.Result().Termination != game.ByTimeout {
			t.Errorf("the clock does not run out any more: %v", now.Result())
		}
	})
}

// One of several processes was stopped. When it runs again it gives back at most the time that
// the others needed to take over, and all the time where there were no others.
func TestStoppedAmongOthers(t *testing.T) {
	for _, test := range []struct {
		name            string
		others          bool
		pause, min, max time.Duration
	}{
		{"a short stop", true, 20 * time.Second, 50 * time.Second, 55 * time.Second},
		{"a long stop", true, time.Hour, clock.AloneFor, clock.AloneFor + time.Second},
		{"all were stopped", false, time.Hour, time.Hour, 3 * time.Hour},
	} {
		testkit.Bubble(t, test.name, func(t *testing.T) {
			engine, table := kv.NewMemory(), lease.NewTable()
			mine, _ := table.Process()
			n := napping(t, engine, func(c *Config) { c.Leases = mine })
			rec := n.begin()
			calmAfter(10 * time.Second)
			n.stop(test.pause)
			if test.others { // somebody has tidied meanwhile
				testkit.Must(t, n.store.Sweep(t.Context(), n.now().Add(-30*time.Second)))
			}
			calmAfter(2 * time.Second)
			now := n.match(rec.ID)
			if got := now.Deadline.Sub(rec.Deadline); now.Phase != game.Playing || got < test.min || got > test.max {
				t.Errorf("%v is given back, phase %v", got, now.Phase)
			}
		})
	}
}

// Among several processes a clock runs out half a minute late: one of them may have stopped,
// and a member's act may come by another. A clock in a slot that was just taken over runs out
// late too.
func TestTakingOverTakesTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine, table := kv.NewMemory(), lease.NewTable()
		mine, _ := table.Process()
		n := napping(t, engine, func(c *Config) { c.Leases = mine })
		rec := n.begin()
		calmAfter(rec.Deadline.Sub(n.now()) + clock.Takeover - time.Second)
		if now := n.match(rec.ID); now.Phase != game.Playing {
			t.Errorf("over too early: %v", now.Result())
		}
		n.bot.upkeep.Gained(shared{}, []int{1})
		calmAfter(clock.Takeover - time.Second)
		if now := n.match(rec.ID); now.Phase != game.Playing {
			t.Errorf("over just after slots were taken over: %v", now.Result())
		}
		calmAfter(3 * time.Second)
		if now := n.match(rec.ID); now.Result().Termination != game.ByTimeout {
			t.Errorf("not over: %v", now.Result())
		}
	})
}

// shared is the share of a process that has others beside it.
type shared struct{ lease.Share }

func (shared) Shared() bool { return true }
