package event

import (
	"testing"

	"tengen/game"
	"tengen/internal/testkit"
)

// The bracket shows all rounds from the first on: who passed, by how much, and who is still to come.
func TestBracket(t *testing.T) {
	now := testkit.At("2026-03-01 12:00")
	e := Event{Terms: Terms{Kind: KindKnockout, Third: true}}
	for i := range 6 {
		e, _, _ = e.Enter(game.SeatFor(game.MemberID(i+1)), float64(100-i), now)
	}
	if e.Bracket() != nil {
		t.Error("a bracket before the seeds are settled")
	}
	e = testkit.Got(e.Next(nil, now))
	want := func(round, tie int, players [2]int, points [2]float64, played bool, winner int) {
		t.Helper()
		if got := e.Bracket()[round][tie]; got != (Tie{Players: players, Points: points, Played: played, Winner: winner}) {
			t.Errorf("round %d, tie %d: %+v", round+1, tie+1, got)
		}
	}
	b := e.Bracket()
	if len(b) != 3 || len(b[0]) != 4 || len(b[1]) != 2 || len(b[2]) != 2 {
		t.Fatalf("rounds %v", b)
	}
	want(0, 0, [2]int{1, 0}, [2]float64{}, false, 1)
	want(0, 1, [2]int{4, 5}, [2]float64{}, false, 0)
	want(1, 0, [2]int{1, 0}, [2]float64{}, false, 0)
	for e.running() {
		last := len(e.Paired) - 1
		for i, b := range e.Paired[last] {
			if b.Open() {
				r := Report{Round: last, Board: i, White: Win, Black: Loss}
				if b.White < b.Black { // the lower seed wins
					r.White, r.Black = Loss, Win
				}
				e = testkit.Got(e.Record(r, now))
			}
		}
		e = testkit.Got(e.Next(nil, now))
	}
	want(0, 1, [2]int{4, 5}, [2]float64{0, 1}, true, 5)
	want(1, 0, [2]int{1, 5}, [2]float64{0, 1}, true, 5)
	want(1, 1, [2]int{2, 6}, [2]float64{0, 1}, true, 6)
	want(2, 0, [2]int{5, 6}, [2]float64{0, 1}, true, 6)
	want(2, 1, [2]int{1, 2}, [2]float64{0, 1}, true, 2)
}
