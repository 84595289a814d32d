package view

import (
	"testing"

	"tengen/game"
)

// A hint shows the beginning of a line, and that a longer one goes on.
func TestShortLine(t *testing.T) {
	for moves, want := range map[int]string{
		0: "",
		1: "A1",
		8: "A1 B1 C1 D1 E1 F1 G1 H1",
		9: "A1 B1 C1 D1 E1 F1 G1 H1 …",
	} {
		var line []game.Point
		for i := range moves {
			line = append(line, game.At(i, 0))
		}
		if got := shortLine(line); got != want {
			t.Errorf("%d moves: %q, want %q", moves, got, want)
		}
	}
}
