package storage

import (
	"cmp"
	"context"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"tengen/game"
	"tengen/game/event"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage/kv"
)

// Four hosts run an event each, in a channel of their own, and begin the next one when it is over.
// Each command has a number, which stands as the message of the event that it changed: so the
// newest event of a channel says how many commands were applied.
const hosts = 4

// newest is the newest event of a host and the number of the last command.
func newest(s *Store, host int) (e Event, n int, err error) {
	var ids []placedEvent
	err = s.kv.View(context.Background(), func(r kv.Reader) (err error) {
		ids, err = placed(r, under(tEventAt, 1, uint64(host)+1))
		return err
	})
	if err != nil || len(ids) == 0 {
		return Event{}, 0, err
	}
	// The hosts have clocks of their own, so ids do not follow their commands.
	last := slices.MaxFunc(ids, func(a, b placedEvent) int { return cmp.Compare(a.message, b.message) })
	e, err = s.Event(context.Background(), last.id)
	return e, int(e.Message), err
}

func eventHosts(path string) error {
	return untilKilled(path, hosts, func(ctx context.Context, s *Store, h int) (int, command, error) {
		e, done, err := newest(s, h)
		return done, func(n int) (_ bool, err error) {
			e, err = hostOn(ctx, s, h, n, e, n == done)
			return e.Repeated, err
		}, err
	})
}

// hostOn is command n of a host: a match ends, the event changes, and its matches are made and
// ended. One that comes again is the change alone: what came before it was done.
func hostOn(ctx context.Context, s *Store, host, n int, e Event, again bool) (Event, error) {
	now := noon.Add(time.Duration(n) * time.Minute)
	cause := Cause{Interaction: uint64(host+1)<<32 + uint64(n), At: now}
	if again {
		if _, _, err := s.SettleEvent(ctx, e.ID, now.Add(-time.Minute), 99, ownTerms); err != nil {
			return e, err
		}
	} else if err := endOne(ctx, s, n, e, now); err != nil {
		return e, err
	}
	var err error
	if e.ID == 0 || e.Ended && !again {
		return s.CreateEvent(ctx, cause, venue.Place{Server: 1, Channel: uint64(host) + 1}, func() (Event, error) {
			e := Event{Notice: Notice{Message: uint64(n)}, Setup: Setup{Game: game.Terms{Rules: game.Gomoku15, Rated: true}}}
			e.Rounds = 4
			return e, nil
		})
	}
	e, err = s.PairEvent(ctx, e.ID, cause, func(e Event) (Event, error) {
		next, err := hostWish(e, n, now)
		if err != nil { // a refusal is an answer too
			next = e
		}
		next.Message = uint64(n)
		return next, nil
	})
	if err != nil || e.ID == 0 {
		return e, err
	}
	repeated := e.Repeated
	e, _, err = s.SettleEvent(ctx, e.ID, now, 99, ownTerms)
	e.Repeated = repeated
	return e, err
}

// endOne has a match of the last round resigned, if it is still played.
func endOne(ctx context.Context, s *Store, n int, e Event, now time.Time) error {
	if len(e.Matches) == 0 {
		return nil
	}
	last := e.Matches[len(e.Matches)-1]
	g := last[n%len(last)]
	if g.Match == 0 || g.Over {
		return nil
	}
	_, err := s.Update(ctx, g.Match, Cause{At: now}, func(m game.Match) (game.Match, error) {
		if m.Phase != game.Playing {
			return m, nil
		}
		return m.Resign(m.Seats[n%2].Member, now)
	})
	return err
}

func hostWish(e Event, n int, now time.Time) (Event, error) {
	switch k := len(e.Entrants); {
	case k < 5:
		return e.Join(7, game.SeatFor(game.MemberID(1000+n)), float64(1500+n%7), now)
	case n%7 == 0:
		return e.Pause(7, 1+n%k, now)
	case n%7 == 1:
		return e.Resume(7, 1+(n-1)%k, now)
	case n%11 == 0 && k < 9:
		return e.Join(7, game.SeatFor(game.MemberID(1000+n)), 1500, now)
	case n%13 == 0:
		return e.Remove(7, 1+n%k, "because", now)
	case n%5 == 0 && len(e.Paired) > 0:
		last := len(e.Paired) - 1
		return e.Settle(7, event.Report{Round: last, Board: n % len(e.Paired[last]), White: event.Draw, Black: event.Draw},
			"by hand", now)
	case n%97 == 0:
		return e.Close(7, now)
	}
	return e.Begin(7, nil, now)
}

// killedHosts end as if nobody had been killed: the newest event of each is that of a run without kills.
var killedHosts = writers{"TENGEN_EVENT_KILL_CHILD", hosts, func(t *testing.T, s *Store, last bool) (applied []int) {
	for h := range hosts {
		e, n, err := newest(s, h)
		testkit.Must(t, err)
		if last && n > 0 {
			sameAsUnkilled(t, s, h, n, e)
		}
		applied = append(applied, n)
	}
	return applied
}}

// sameAsUnkilled holds a host's newest event against that of a host whom nobody kills.
func sameAsUnkilled(t *testing.T, s *Store, host, commands int, got Event) {
	t.Helper()
	ctx := t.Context()
	memory, err := Open(ctx, kv.NewMemory(), Options{})
	testkit.Must(t, err)
	var want Event
	for n := 1; n <= commands && err == nil; n++ {
		want, err = hostOn(ctx, memory, host, n, want, false)
	}
	testkit.Must(t, err)
	now := noon.Add(time.Duration(commands) * time.Minute)
	for _, side := range []struct {
		*Store
		e *Event
	}{{memory, &want}, {s, &got}} { // the match that ends before the next command may have ended
		if *side.e, _, err = side.SettleEvent(ctx, side.e.ID, now, 99, ownTerms); err == nil {
			err = endOne(ctx, side.Store, commands+1, *side.e, now.Add(time.Minute))
		}
		if err == nil {
			*side.e, err = side.Event(ctx, side.e.ID)
		}
		testkit.Must(t, err)
	}
	times := gocmp.Comparer(func(_, _ time.Time) bool { return true }) // a match that a kill delayed has others
	if d := gocmp.Diff(want.Event, got.Event, times); d != "" {
		t.Errorf("host %d after %d commands (-without kills +with):\n%s", host, commands, d)
	}
	if d := gocmp.Diff(want.Standings(), got.Standings()); d != "" {
		t.Errorf("host %d: the standings differ:\n%s", host, d)
	}
}

// Every acknowledged change of an event is there after a kill -9, once, and the events end as if
// nobody had been killed.
func TestKillEvents(t *testing.T) { killedHosts.holds(t) }
