package view

import (
	"testing"
	"time"

	"tengen/game"
)

// The pad has the last two moves in its middle, and points on all sides of them.
func TestPadLooksAtTheLastMoves(t *testing.T) {
	for moves, want := range map[string]string{
		"":      "F6-J9",
		"h8":    "F6-J9",
		"h8g7":  "E6-I9", // one step apart: a line above and below both
		"g7h8":  "F6-J9",
		"i4j6":  "H4-L7", // two steps: the last move is nearer to the middle
		"j6i4":  "G3-K6",
		"a1h8":  "F6-J9", // too far apart
		"h8a1":  "A1-E4",
		"n14o1": "K1-O4",
	} {
		g := game.New(game.Gomoku15)
		points, err := game.ParseMoves(moves)
		if err == nil {
			g, err = g.PlayAll(points...)
		}
		if err != nil {
			t.Fatal(err)
		}
		m, err := game.NewMatch(1, game.Terms{Rules: game.Gomoku15, Given: g.Moves(), First: game.Black}, 1, game.SeatFor(1), game.SeatFor(2), time.Now(), time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		e := PadFor(m)
		if got := game.At(e.col, e.row).String() + "-" + game.At(e.col+padCols-1, e.row+padRows-1).String(); got != want {
			t.Errorf("%s: %s, want %s", moves, got, want)
		}
	}
}
