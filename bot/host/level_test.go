package host

import (
	"testing"

	"tengen/game"
	"tengen/internal/testkit"
)

// TestChanged holds which match the buttons of a finished one lead to.
func TestChanged(t *testing.T) {
	now := testkit.At("2026-03-01 12:00")
	made := func(second game.Seat, opening game.Opening) game.Match {
		terms := game.Terms{Rules: game.Gomoku15, First: game.Black, Opening: opening}
		return testkit.Got(game.NewMatch(7, terms, 1, game.SeatFor(1), second, now, now))
	}
	for _, c := range []struct {
		m       game.Match
		arg     string
		level   uint8
		opening game.Opening
	}{
		{made(game.SeatEngine(3), game.FreeOpening), "", 3, game.FreeOpening},
		{made(game.SeatEngine(3), game.FreeOpening), "1", 4, game.FreeOpening},
		{made(game.SeatEngine(3), game.FreeOpening), "-1", 2, game.FreeOpening},
		{made(game.SeatEngine(1), game.FreeOpening), "-1", 1, game.FreeOpening},
		{made(game.SeatEngine(8), game.FreeOpening), "1", 8, game.FreeOpening},
		{made(game.SeatEngine(3), game.FreeOpening), "999999999999999999999", 4, game.FreeOpening},
		{made(game.SeatEngine(3), game.FreeOpening), "no number", 3, game.FreeOpening},
	} {
		m := Changed(c.m, c.arg)
		if m.Seats[1].Level != c.level || m.Opening != c.opening {
			t.Errorf("%q: level %d and opening %d, want %d and %d", c.arg, m.Seats[1].Level, m.Opening, c.level, c.opening)
		}
		m.Next = 8
		if _, err := m.Successor([]game.Point{game.At(7, 7)}, 1, now); err != nil {
			t.Errorf("%q: %v", c.arg, err)
		}
	}
}
