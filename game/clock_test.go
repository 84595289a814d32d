package game_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"tengen/game"
	"tengen/internal/testkit"
)

var someClocks = []string{"1m", "5m", "3d", "1+2", "5+10", "10+5", "60+30", "1d+5d", "3d+14d"}

func clockOf(t testing.TB, text string) game.Clock {
	t.Helper()
	c, ok := game.ParseClock(text)
	if !ok || c.String() != text {
		t.Fatalf("%q is read as %v, %t", text, c, ok)
	}
	return c
}

func TestParseClock(t *testing.T) {
	for _, text := range append(someClocks, "none", "1h", "1d", "14d") {
		clockOf(t, text)
	}
	for text, want := range map[string]string{" 10 + 5 ": "10+5", "1D＋5D": "1d+5d", "60m": "1h", "24h": "1d",
		"05+010": "5+10"} {
		if c, ok := game.ParseClock(text); !ok || c.String() != want {
			t.Errorf("%q is read as %v, %t", text, c, ok)
		}
	}
	for _, text := range []string{"", "5", "10+", "+5", "0m", "0+5", "10+0", "61+5", "10+31", "15d", "1d+15d",
		"1h+1d", "1d+1h",
		"5m+5m", "-5m", "1e2m", "1000m", "10+5+5", "5s", "１０+5"} {
		if c, ok := game.ParseClock(text); ok {
			t.Errorf("%q is read as %v", text, c)
		}
	}
	for text, fast := range map[string]bool{"1+2": true, "5+5": true, "4+30": true, "30+4": true, "5+10": false,
		"10+5":  false,
		"60+30": false, "1m": false} {
		if got := clockOf(t, text).Fast(); got != fast {
			t.Errorf("%s is fast: %t", text, got)
		}
	}
}

func FuzzClock(f *testing.F) {
	for _, text := range someClocks {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, ok := game.ParseClock(text)
		if !ok {
			return
		}
		if again, ok := game.ParseClock(c.String()); !ok || again != c {
			t.Fatalf("%q is %v, which is read as %v, %t", text, c, again, ok)
		}
		if c.Each < 0 || c.Bank < 0 || c.Each > game.MostEach || c.Bank > game.MostReserve ||
			(c.Bank == 0 && c.Gain > 0) {
			t.Fatalf("%q is %#v", text, c)
		}
	})
}

// ticker is the slow model of a clock: it counts each second of a turn down: what was given, then the time of the
// move, then the bank. It knows nothing of deadlines.
type ticker struct {
	clock [2]game.Clock
	bank  [2]time.Duration
	acted [2]bool
	move  time.Duration // left of the time of the move
	gift  time.Duration
	began time.Duration // the bank of the side to move when its turn began
	away  [2]time.Time  // until when a seat is on vacation: no second of its turns counts
}

func (k *ticker) turn(seat int) {
	k.gift, k.move, k.began = 0, k.clock[seat].Each, k.bank[seat]
	if !k.acted[seat] {
		k.move = k.clock[seat].First()
	}
}

func (k *ticker) left(seat int) time.Duration {
	if !k.acted[seat] {
		return k.gift + k.move
	}
	return k.gift + k.move + k.bank[seat]
}

func (k *ticker) second(seat int) {
	switch {
	case k.gift > 0:
		k.gift -= time.Second
	case k.move > 0:
		k.move -= time.Second
	case k.acted[seat] && k.bank[seat] > 0:
		k.bank[seat] -= time.Second
	}
}

// standing is how long no second of a turn counts from now on.
func (k *ticker) standing(seat int, now time.Time) time.Duration {
	return max(0, k.away[seat].Sub(now))
}

// give gives the side to move time: what the turn took from the bank comes back first.
func (k *ticker) give(seat int, gap time.Duration) {
	back := min(gap, k.began-k.bank[seat])
	if !k.acted[seat] {
		back = 0
	}
	k.bank[seat] += back
	k.gift += gap - back
}

// Games of all clocks in a time of their own, with pauses, rests, vacations, offers and undo, against the slow model.
func TestClocksCount(t *testing.T) {
	ended, vacations := map[game.Termination]int{}, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 60))
		terms := game.Terms{Rules: game.Gomoku15, First: game.Black,
			Clock: clockOf(t, someClocks[seed%uint64(len(someClocks))])}
		if rng.IntN(4) == 0 {
			terms.Odds = clockOf(t, someClocks[rng.IntN(len(someClocks))])
		}
		m := testkit.Got(game.NewMatch(1, terms, ann, game.SeatFor(ann), game.SeatFor(bob), noon, noon.Add(time.Hour)))
		now := noon.Add(time.Minute)
		m = testkit.Got(m.Accept(bob, now))
		k := &ticker{clock: [2]game.Clock{terms.ClockOf(0), terms.ClockOf(1)}}
		k.bank = [2]time.Duration{k.clock[0].Bank, k.clock[1].Bank}
		k.turn(0)
		for step := 0; m.Phase == game.Playing && step < 400; step++ {
			seat := m.ToMove()
			by := m.Seats[seat].Member
			if got, ok := m.TimeLeft(seat, now); !ok || got != k.left(seat) ||
				m.Deadline.Sub(now) != k.left(seat)+k.standing(seat, now) {
				t.Fatalf("seed %d, step %d: %v left, %v by the model (%+v)", seed, step, got, k.left(seat), k)
			}
			if k.acted[1-seat] {
				if got, ok := m.TimeLeft(1-seat, now); !ok || got != k.clock[1-seat].Each+k.bank[1-seat] {
					t.Fatalf("seed %d, step %d: the other has %v, %v by the model", seed, step, got, k.bank[1-seat])
				}
			}
			spend := func(d time.Duration) {
				stands := k.standing(seat, now)
				d = max(0, min(d.Truncate(time.Second), stands+k.left(seat)-time.Second))
				for range max(0, d-stands) / time.Second {
					k.second(seat)
				}
				now = now.Add(d)
			}
			switch op := rng.IntN(20); op {
			case 0: // the host was down: that is given back
				gap := time.Duration(rng.IntN(600)) * time.Second
				k.give(seat, min(gap, k.standing(seat, now)))
				now = now.Add(gap)
				m = testkit.Got(m.Postpone(gap, time.Time{}, now))
			case 1: // a gift
				gap := time.Duration(rng.IntN(60)) * time.Second
				m = testkit.Got(m.Postpone(gap, time.Time{}, now))
				k.give(seat, gap)
			case 2:
				m = testkit.Got(m.Rest(now))
				now = now.Add(time.Duration(rng.IntN(100)) * time.Hour)
				m = testkit.Got(m.Wake(now))
			case 3: // an offer stops no clock
				spend(time.Duration(rng.IntN(5)) * time.Second)
				if next, err := m.Draw(m.Seats[rng.IntN(2)].Member, now); err == nil && next.Phase == game.Playing {
					m = next
				}
			case 4, 5: // an undo: what was used is used
				asks := rng.IntN(2)
				next, err := m.Undo(m.Seats[asks].Member, now)
				if err != nil {
					continue
				}
				m = next
				spend(time.Duration(rng.IntN(8)) * time.Second)
				m = testkit.Got(m.AnswerUndo(m.Seats[1-asks].Member, true, now))
				k.acted = [2]bool{true, true}
				k.turn(m.ToMove())
			case 7: // a vacation begins or ends, or some of it passes
				who := rng.IntN(2)
				until := now.Add(time.Duration(1+rng.IntN(3)) * 24 * time.Hour)
				if k.standing(who, now) > 0 && rng.IntN(2) == 0 {
					until = time.Time{}
				}
				next, err := m.OnVacation(m.Seats[who].Member, until, now)
				if slow := k.clock[who].Slow(); slow != (err == nil) {
					t.Fatalf("seed %d: a vacation with %v: %v", seed, k.clock[who], err)
				}
				if err == nil {
					m, k.away[who] = next, until
					vacations++
					spend(time.Duration(rng.IntN(40)) * time.Hour)
				}
				if next, event, err := m.Tick(now); err == nil && event == game.ReturnEvent {
					m = next
				}
			case 6: // as long as there is time, and a little longer
				if rng.IntN(3) > 0 {
					continue
				}
				left := k.left(seat)
				if _, err := m.Play(by, free(m), now.Add(k.standing(seat, now)+left)); err == nil {
					t.Fatalf("seed %d: a move after the deadline counted", seed)
				}
				for event := game.NoEvent; event != game.TimeoutEvent; {
					var err error
					var at time.Time
					event, at = m.Due()
					if event == game.TimeoutEvent && !at.Equal(now.Add(k.standing(seat, now)+left).Add(game.Grace)) {
						t.Fatalf("seed %d: due %v, %v left by the model", seed, at, left)
					}
					m, event, err = m.Tick(at)
					testkit.Must(t, err)
				}
			default:
				share := k.left(seat) / time.Duration(4+rng.IntN(200))
				spend(min(share, time.Hour))
				m = testkit.Got(m.Play(by, free(m), now))
				if k.acted[seat] {
					k.bank[seat] += k.clock[seat].Gain
				}
				k.acted[seat] = true
				if m.Phase == game.Playing {
					k.turn(m.ToMove())
				}
			}
		}
		ended[m.Result().Termination]++
	}
	if ended[game.ByTimeout] < 50 || vacations < 100 {
		t.Errorf("the games ended %v, with %d vacations", ended, vacations)
	}
}

// free is a legal point.
func free(m game.Match) game.Point {
	for i := range 225 { // scattered, so that games are long
		if q := game.At(i*7%15, (i*7/15+i)%15); m.Game().Check(q) == nil {
			return q
		}
	}
	for p := range m.Game().Legal().All() {
		return p
	}
	return game.NoPoint
}
