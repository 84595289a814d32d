package event

import (
	"errors"
	"testing"

	"tengen/game"
	"tengen/internal/testkit"
)

// After as many rounds as a Swiss event has at most, everybody has met everybody; the fitting number is between that
// and the least that leaves one unbeaten.
func TestRoundsOfAField(t *testing.T) {
	for n, want := range map[int][3]int{2: {1, 1, 1}, 3: {2, 3, 3}, 4: {2, 3, 3}, 5: {3, 4, 5}, 6: {3, 4, 5},
		8: {3, 4, 7}, 9: {4, 5, 9}, 16: {4, 5, 15}, 17: {5, 6, 17}, 64: {6, 7, 63}} {
		if got := [3]int{LeastRounds(n), FitRounds(n), MostRounds(n)}; got != want {
			t.Errorf("%d entrants: %v, want %v", n, got, want)
		}
	}
}

// Five rounds for four entrants end after the third, in which everybody has met everybody. One who comes late makes
// room for more.
func TestSwissHasNoMoreRoundsThanItsField(t *testing.T) {
	now := testkit.At("2026-11-01 12:00")
	for late, want := range map[bool]int{false: 3, true: 4} {
		e := Event{Terms: Terms{Kind: KindSwiss, Rounds: map[bool]int{false: 5, true: 4}[late]}}
		enter := func(n int) {
			for range n {
				var err error
				e, _, err = e.Enter(game.SeatFor(game.MemberID(len(e.Entrants)+1)), 1500, now)
				testkit.Must(t, err)
			}
		}
		enter(4)
		for !e.Ended {
			var err error
			if e, err = e.Next(nil, now); err != nil {
				t.Fatalf("round %d: %v", len(e.Paired)+1, err)
			}
			if e.Ended {
				break
			}
			round := len(e.Paired) - 1
			for i, b := range e.Paired[round] {
				if !b.Open() {
					continue
				}
				e = testkit.Got(e.Record(Report{Round: round, Board: i, White: Win, Black: Loss}, now))
			}
			if late && round == 0 {
				enter(1)
			}
		}
		if len(e.Paired) != want || e.Total() != want {
			t.Errorf("late %v: %d rounds of %d, want %d", late, len(e.Paired), e.Total(), want)
		}
		if _, err := e.PairBy([][2]int{{1, 2}}, now); !errors.Is(err, EventOver) {
			t.Errorf("a round by hand after the last: %v", err)
		}
	}
}
