package view

import (
	"math"
	"testing"
	"time"

	"tengen/game"
	"tengen/internal/testkit"
	"tengen/render"
)

// The course of a game is straight between the engine's own moves, and ends at the result.
// While the game runs there is none.
func TestChances(t *testing.T) {
	now := time.Now()
	m, err := game.NewMatch(1, game.Terms{Rules: game.Gomoku15, First: game.Black}, 1, game.SeatFor(1), game.SeatEngine(3),
		now, time.Time{})
	testkit.Must(t, err)
	for i, p := range []string{"H8", "A1", "I8", "A2", "J8", "A3", "K8"} {
		at, _ := game.ParsePoint(p, 15)
		if i%2 == 0 {
			m, err = m.Play(1, at, now)
		} else {
			m, err = m.Reply(m.Stamp(), at, game.Note{Win: uint16(500 - 100*i)}, now)
		}
		testkit.Must(t, err)
	}
	if chances(m) != nil {
		t.Error("the course of a game that goes on is a hint")
	}
	m = testkit.Got(m.Resign(1, now))
	nan := math.NaN()
	want := []float64{nan, nan, .6, .7, .8, .9, 1, 0}
	got := chances(m)
	if len(got) != len(want) {
		t.Fatalf("%v", got)
	}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-9 || math.IsNaN(got[i]) != math.IsNaN(want[i]) {
			t.Errorf("after %d moves %v, want %v", i, got[i], want[i])
		}
	}
	_, err = render.Graph(got, render.GraphOptions{Width: graphWidth, Now: 3})
	testkit.Check(t, err)
}
