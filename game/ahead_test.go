package game_test

import (
	"slices"
	"testing"
	"time"

	"tengen/game"
	"tengen/internal/testkit"
)

// A match that was played on by a clock which was ahead goes on by the right one: nothing has happened
// after now, and nobody has more time than for one move.
func TestTakenBack(t *testing.T) {
	now := testkit.At("2026-11-26 12:00")
	ahead := now.AddDate(73, 0, 0)
	center := testkit.Got(game.ParsePoint("E5", 9))
	begin := func(perMove time.Duration, at time.Time) game.Match {
		m := testkit.Got(game.NewMatch(1, game.Terms{Rules: game.Gomoku9, First: game.Black, Clock: game.PerMove(perMove)}, 1,
			game.SeatFor(1), game.SeatFor(2), at, at.Add(24*time.Hour)))
		return m
	}
	must := func(m game.Match, err error) game.Match {
		t.Helper()
		testkit.Must(t, err)
		return m
	}
	minute := must(must(begin(time.Minute, now).Accept(2, now)).Play(1, center, now))
	minuteAhead := must(must(begin(time.Minute, now).Accept(2, now)).Play(1, center, now.Add(10*time.Second)))
	later := must(minuteAhead.Postpone(ahead.Sub(now), time.Time{}, ahead))
	slow := must(begin(0, now).Accept(2, now))
	idle := must(slow.Outlast(ahead.Sub(now), ahead))
	played := must(idle.Play(1, center, ahead))
	rests := must(must(must(begin(time.Hour, ahead).Accept(2, ahead)).Play(1, center,
		ahead)).Rest(ahead.Add(20 * time.Minute)))
	tests := []struct {
		name  string
		m     game.Match
		ahead bool
		event game.Event
		due   time.Duration // from now
	}{
		{"a challenge of now", begin(0, now), false, game.ExpireEvent, 24 * time.Hour},
		{"a challenge that was made ahead", begin(0, ahead), true, game.ExpireEvent, 24 * time.Hour},
		{"a challenge that was kept for too long", must(begin(0, now).Outlast(ahead.Sub(now), ahead)), true, game.ExpireEvent, game.AbandonAfter},
		{"a minute that runs", minute, false, game.RemindEvent, 45 * time.Second},
		{"a minute that was given back ahead", later, true, game.RemindEvent, 45 * time.Second},
		{"no clock", slow, false, game.RemindEvent, game.RemindAfter},
		{"no clock, given back ahead", idle, true, game.RemindEvent, game.RemindAfter},
		{"no clock, played ahead", played, true, game.RemindEvent, game.RemindAfter},
		{"rests since ahead", rests, true, game.AbandonEvent, game.AbandonAfter},
	}
	for _, test := range tests {
		log := slices.Clone(test.m.Log)
		is, was := test.m.TakenBack(now)
		if !slices.Equal(test.m.Log, log) {
			t.Errorf("%s: the match before has changed", test.name)
		}
		event, due := is.Due()
		if was != test.ahead || event != test.event || due.Sub(now) != test.due {
			t.Errorf("%s: ahead %v, %v in %v, want %v, %v in %v", test.name, was, event, due.Sub(now), test.ahead,
				test.event, test.due)
		}
		if again, more := is.TakenBack(now); more || again.Version != is.Version {
			t.Errorf("%s: it is taken back twice", test.name)
		}
		for i, e := range is.Log {
			if e.At.After(now.Add(game.ClockError)) {
				t.Errorf("%s: move %d was made at %v", test.name, i+1, e.At)
			}
		}
	}
	// The clock goes on with what was left when the match came to rest.
	back, _ := rests.TakenBack(now)
	if woken := must(back.Wake(now.Add(time.Hour))); woken.Deadline.Sub(now.Add(time.Hour)) != 40*time.Minute {
		t.Errorf("after its rest the match has %v left", woken.Deadline.Sub(now.Add(time.Hour)))
	}
}

// The time that the host was down ends no match in which no clock runs.
func TestOutlast(t *testing.T) {
	now := testkit.At("2026-11-26 12:00")
	down := 40 * 24 * time.Hour
	m := testkit.Got(game.NewMatch(1, game.Terms{Rules: game.Gomoku9}, 1, game.SeatFor(1), game.SeatFor(2), now,
		now.Add(time.Hour)))
	play := testkit.Got(m.Accept(2, now))
	rest := testkit.Got(play.Rest(now.Add(time.Minute)))
	for name, m := range map[string]game.Match{"offered": m, "played": play, "resting": rest} {
		event, due := m.Due()
		later := testkit.Got(m.Outlast(down, now.Add(down)))
		if e, d := later.Due(); e != event || !d.Equal(due.Add(down)) || later.Version != m.Version+1 {
			t.Errorf("%s: %v at %v, was %v at %v", name, e, d, event, due)
		}
	}
	clocked, _ := game.NewMatch(1, game.Terms{Rules: game.Gomoku9, Clock: game.PerMove(time.Minute)}, 1, game.SeatFor(1),
		game.SeatFor(2), now, now.Add(time.Hour))
	clocked, _ = clocked.Accept(2, now)
	if _, err := clocked.Outlast(down, now); err == nil {
		t.Error("a match with a clock gets its time by Postpone")
	}
}
