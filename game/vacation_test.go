package game_test

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"tengen/game"
	"tengen/internal/testkit"
)

const aDay = 24 * time.Hour

// Whatever a member begins and ends, the days that they are away in a year are at most fourteen, and what has not begun
// comes back.
func TestVacationDays(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 64))
		now := testkit.At("2026-03-01 12:00")
		var vs game.Vacations
		away := map[int]time.Duration{}
		for range 200 {
			if rng.IntN(3) == 0 {
				vs = vs.End(now)
			} else if next, err := vs.Begin(1+rng.IntN(16), now); err == nil {
				vs = next
			} else if !errors.Is(err, game.NoVacation) {
				t.Fatal(err)
			}
			if left := vs.Left(now); left < 0 || left > game.VacationDays {
				t.Fatalf("seed %d: %d days left: %v", seed, left, vs)
			}
			for range rng.IntN(5 * 24) {
				if until := vs.Until(now); until.After(now) {
					away[now.Year()] += min(time.Hour, until.Sub(now))
				}
				now = now.Add(time.Hour)
			}
		}
		for year, d := range away {
			// The last day of a year that has begun ends in the next one.
			if d > (game.VacationDays+1)*aDay {
				t.Errorf("seed %d: away for %v in %d", seed, d, year)
			}
		}
		if len(away) < 2 || len(vs) > 2*game.VacationDays {
			t.Errorf("seed %d: %v, %d vacations are kept", seed, away, len(vs))
		}
	}
}

func TestVacationBudget(t *testing.T) {
	now := testkit.At("2026-12-28 12:00")
	whole := testkit.Got(game.Vacations{}.Begin(14, now))
	testkit.Want(t, "left of the year", whole.Left(now), 10)
	testkit.Want(t, "left of the next", whole.Left(now.AddDate(0, 0, 10)), 4)
	testkit.Want(t, "until", whole.Until(now), now.AddDate(0, 0, 14))
	back := whole.End(now.Add(30 * time.Hour))
	testkit.Want(t, "left after the second day", back.Left(now), 12)
	testkit.Want(t, "left of the next year then", back.Left(now.AddDate(0, 0, 10)), 14)
	testkit.Want(t, "over", back.Until(now.Add(30*time.Hour)), time.Time{})
	again := testkit.Got(back.Begin(4, now.Add(31*time.Hour)))
	testkit.Want(t, "kept", len(again), 2)
	testkit.Want(t, "kept in March", len(again.End(now.AddDate(0, 2, 5))), 1)
	if _, err := whole.End(now.AddDate(0, 0, 14)).Begin(5, now.AddDate(0, 0, 14)); !errors.Is(err, game.NoVacation) {
		t.Errorf("five days where four are left: %v", err)
	}
	anew := testkit.Got(whole.Begin(3, now)) // in its place
	testkit.Want(t, "left", anew.Left(now), 11)
}

// A vacation in each kind of match: who honours it, and what is due.
func TestVacationInMatch(t *testing.T) {
	start := testkit.At("2026-03-01 12:00")
	begin := func(clock string) game.Match {
		terms := game.Terms{Rules: game.Gomoku15, First: game.Black}
		if clock != "" {
			terms.Clock = clockOf(t, clock)
		}
		m := testkit.Got(game.NewMatch(1, terms, ann, game.SeatFor(ann), game.SeatFor(bob), start, start.Add(time.Hour)))
		m = testkit.Got(m.Accept(bob, start))
		m = testkit.Got(m.Play(ann, game.At(7, 7), start))
		return testkit.Got(m.Play(bob, game.At(7, 8), start))
	}
	for _, clock := range []string{"5m", "10+5", "1h"} {
		if _, err := begin(clock).OnVacation(ann, start.Add(aDay), start); !errors.Is(err, game.NotPlaying) {
			t.Errorf("%s: %v", clock, err)
		}
	}
	until := start.Add(5 * aDay)
	for _, c := range []struct {
		clock  string
		events []game.Event
		ends   time.Duration // from the end of the vacation on
	}{
		{"3d", []game.Event{game.ReturnEvent, game.RemindEvent, game.TimeoutEvent}, 3*aDay - time.Hour + game.Grace},
		{"1d+5d", []game.Event{game.ReturnEvent, game.RemindEvent, game.TimeoutEvent}, 6*aDay - time.Hour + game.Grace},
		{"", []game.Event{game.ReturnEvent, game.RemindEvent, game.AbandonEvent}, game.AbandonAfter},
	} {
		m := testkit.Got(begin(c.clock).OnVacation(ann, until, start.Add(time.Hour)))
		if _, waits := m.WaitsFor(); waits {
			t.Errorf("%q: who is away is waited for", c.clock)
		}
		other := testkit.Got(m.OnVacation(bob, until, start.Add(time.Hour)))
		testkit.Want(t, "the deadline, whoever else is away", other.Deadline, m.Deadline)
		early := testkit.Got(m.OnVacation(ann, time.Time{}, start.Add(2*aDay)))
		wantEnd := start.Add(2*aDay + c.ends)
		if event, at := late(early); at != wantEnd {
			t.Errorf("%q: back early: %v at %v, not %v", c.clock, event, at, wantEnd)
		}
		for _, want := range c.events {
			event, at := m.Due()
			testkit.Want(t, c.clock, event, want)
			m, _, _ = must3(m.Tick(at))
			if want == c.events[len(c.events)-1] {
				testkit.Want(t, c.clock, at, until.Add(c.ends))
			}
		}
	}
	m := begin("1d")
	if _, err := m.OnVacation(ann, until, start.Add(aDay)); !errors.Is(err, game.TooLate) {
		t.Errorf("a flag that has fallen: %v", err)
	}
	moved := testkit.Got(testkit.Got(m.OnVacation(ann, until, start)).Play(ann, game.At(5, 5), start.Add(2*aDay)))
	moved = testkit.Got(moved.Play(bob, game.At(4, 4), start.Add(2*aDay)))
	testkit.Want(t, "the deadline of the next turn", moved.Deadline, until.Add(aDay))
	gone, _ := testkit.Got(m.OnVacation(ann, start.AddDate(60, 0, 0), start)).TakenBack(start)
	testkit.Want(t, "what a clock that was ahead has left", gone.Vacation, [2]time.Time{})
	testkit.Want(t, "and its deadline", gone.Deadline, start.Add(aDay))
	over := testkit.Got(moved.Resign(ann, start.Add(3*aDay)))
	testkit.Want(t, "a vacation at the end", over.Vacation, [2]time.Time{})
}

// late is what ends a match where nobody moves.
func late(m game.Match) (event game.Event, at time.Time) {
	for m.Phase == game.Playing {
		event, at = m.Due()
		m, _, _ = must3(m.Tick(at))
	}
	return event, at
}

func must3(m game.Match, e game.Event, err error) (game.Match, game.Event, error) {
	if err != nil {
		panic(err)
	}
	return m, e, err
}
