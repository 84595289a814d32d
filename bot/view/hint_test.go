package view

import (
	"strings"
	"testing"

	"tengen/ai"
	"tengen/game"
	"tengen/internal/testkit"
	"tengen/storage"
)

// A hint tells what it expects after its move, where it looked so far.
func TestHintForesees(t *testing.T) {
	m := game.Match{}
	m, err := game.NewMatch(1, game.Terms{Rules: game.Gomoku9, First: game.Black}, 1, game.SeatFor(1), game.SeatEngine(1),
		m.Created, m.Expires)
	testkit.Must(t, err)
	at := game.At(4, 4)
	for want, line := range map[string][]game.Point{"": {at}, "I expect E5 F6": {at, game.At(5, 5)}} {
		msg, err := In("en").Hint(storage.Record{Match: m}, ai.Report{Move: at, Depth: 2, Line: line})
		if s := msg.Blocks[0].Text; err != nil || !strings.Contains(s, want) ||
			strings.Contains(s, "expect") != (want != "") {
			t.Errorf("%v: %q %v", line, s, err)
		}
	}
}

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
