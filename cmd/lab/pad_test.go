package main

import (
	"bytes"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/testkit"
)

// The table counts each move once, by the presses that it takes.
func TestReach(t *testing.T) {
	points := testkit.Got(game.ParseMoves("h8h9a1o15g7"))
	g := testkit.Got(game.New(game.Gomoku15).PlayAll(points...))
	var c reach
	c.add(g, 1)
	if c.moves != 4 || c.took != (tally{1, 0, 1, 1, 1}) || c.holding != 1 {
		t.Errorf("%+v", c)
	}
	var out bytes.Buffer
	c.print(&out, "four")
	if !strings.Contains(out.String(), "the pad              25.0 %   25.0 %   50.0 %   75.0 %") {
		t.Error(out.String())
	}
}

// A person takes the arrow that points to the point, and the one for the parts of the board where none does.
func TestPointing(t *testing.T) {
	left, up, right, leftup := lead{-1, 0, 1}, lead{0, 1, 2}, lead{1, 0, 3}, lead{-1, 1, 4}
	for _, c := range []struct {
		leads      []lead
		cols, rows int
		want       game.Point // 0: none
	}{
		{[]lead{left, up, right}, -6, 4, left.to},
		{[]lead{left, up, right}, -4, 6, up.to},
		{[]lead{left, up, right}, -6, 6, left.to}, // as good: sideways
		{[]lead{up, right}, -6, 6, up.to},
		{[]lead{up, right}, -6, 4, 0},
		{[]lead{left, leftup}, -6, 5, leftup.to},
		{[]lead{left, leftup}, -6, 1, left.to},
		{[]lead{leftup}, 0, 6, leftup.to},
		{[]lead{leftup}, 1, 6, 0},
		{nil, 1, 1, 0},
	} {
		if to, ok := pointing(c.leads, c.cols, c.rows); to != c.want || ok != (c.want != 0) {
			t.Errorf("%v, %d %d: %v %v, want %v", c.leads, c.cols, c.rows, to, ok, c.want)
		}
	}
}

// On a small board a person goes to the corner in which the point lies: any point takes two presses at most.
func TestPressesOnASmallBoard(t *testing.T) {
	points := testkit.Got(game.ParseMoves("e5e6d4a1i9i1"))
	for n := range len(points) + 1 {
		g := testkit.Got(game.New(game.Gomoku9).PlayAll(points[:n]...))
		for p := range g.Legal().All() {
			if n := presses(g, p); n > 2 {
				t.Errorf("%v after %v: %d presses", p, g.Moves(), n)
			}
		}
	}
}
