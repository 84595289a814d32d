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
	points, err := game.ParseMoves("h8h9a1o15g7")
	testkit.Must(t, err)
	g, err := game.New(game.Gomoku15).PlayAll(points...)
	testkit.Must(t, err)
	var c reach
	c.add(g, 1)
	if c.moves != 4 || c.presses != [4]int{1, 1, 2, 0} || c.holding != 1 {
		t.Errorf("%+v", c)
	}
	var out bytes.Buffer
	c.print(&out, "four")
	if !strings.Contains(out.String(), "up to two     50.0 %") {
		t.Error(out.String())
	}
}
