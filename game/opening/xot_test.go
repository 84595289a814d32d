package opening_test

import (
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/opening"
	"tengen/internal/testkit"
)

// Every line of the list is eight legal moves, after which the game goes on, and no two
// lead to the same position, turned or mirrored, with the colors as they are.
func TestXOTLines(t *testing.T) {
	lines := opening.XOTLines()
	if len(lines) < 2000 {
		t.Fatalf("%d lines", len(lines))
	}
	seen := map[string]string{}
	for _, line := range lines {
		g, err := game.New(game.Reversi).PlayAll(line...)
		if err != nil || g.Len() != 8 || g.Turn() != game.Black {
			t.Fatalf("%s: %v, %v to move", game.MoveList(line), err, g.Turn())
		}
		p := turnedLeast(g.Position())
		if other, ok := seen[p]; ok {
			t.Errorf("%s and %s lead to the same position", game.MoveList(line), other)
		}
		seen[p] = game.MoveList(line)
	}
	back, err := opening.PackXOT(lines)
	if err != nil || len(back) > 4096 {
		t.Errorf("%d bytes: %v", len(back), err)
	}
}

// turnedLeast is the least of the eight ways to turn and mirror the board of b.
func turnedLeast(b game.Position) string {
	var least string
	for turn := range 8 {
		t := game.Position{Size: b.Size}
		for _, p := range b.Points() {
			x, y := p.Col(), p.Row()
			if turn&1 != 0 {
				x = b.Size - 1 - x
			}
			if turn&2 != 0 {
				y = b.Size - 1 - y
			}
			if turn&4 != 0 {
				x, y = y, x
			}
			t = t.Put(game.At(x, y), b.At(p))
		}
		if rows := t.Rows(true); least == "" || rows < least {
			least = rows
		}
	}
	return least
}

// A seed draws a line of the list in one of its four turns; different seeds draw widely.
func TestXOT(t *testing.T) {
	listed := map[string]bool{}
	for _, line := range opening.XOTLines() {
		listed[game.MoveList(line)] = true
	}
	drawn, first := map[string]bool{}, map[game.Point]int{}
	for seed := range uint64(500) {
		line := opening.XOT(seed)
		if !slices.Equal(line, opening.XOT(seed)) {
			t.Fatalf("seed %d draws two lines", seed)
		}
		if g, err := game.New(game.Reversi).PlayAll(line...); err != nil || g.Len() != 8 {
			t.Fatalf("seed %d: %s: %v", seed, game.MoveList(line), err)
		}
		first[line[0]]++
		drawn[string(testkit.Got(opening.PackXOT([][]game.Point{line})))] = true
		if line[0] == at("D3") && !listed[game.MoveList(line)] {
			t.Errorf("seed %d draws %s, which is not in the list", seed, game.MoveList(line))
		}
	}
	if len(drawn) < 400 || len(first) != 4 || first[at("D3")] < 80 {
		t.Errorf("500 seeds draw %d lines, with the first moves %v", len(drawn), first)
	}
}

func TestPackXOT(t *testing.T) {
	for _, line := range []string{"", "f5", "f5d6c3d3c4f4f6f3e6", "a1d6c3d3c4f4f6f3", "f5f5c3d3c4f4f6f3"} {
		if list, err := opening.PackXOT([][]game.Point{testkit.Got(game.ParseMoves(line))}); err == nil {
			t.Errorf("%q is packed as %x", line, list)
		}
	}
}
