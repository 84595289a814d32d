package reversi

import (
	"strings"
	"testing"

	"tengen/game"
)

func TestOpeningNames(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range openingNames {
		moves, err := game.ParseMoves(o.moves)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := game.New(game.Reversi).PlayAll(moves...); err != nil {
			t.Errorf("%s: %v", o.name, err)
		}
		if !strings.HasPrefix(o.moves, "f5") || seen[o.moves] {
			t.Errorf("%s: %s does not begin with f5, or is there twice", o.name, o.moves)
		}
		seen[o.moves] = true
		if got := OpeningName(moves); got != o.name {
			t.Errorf("%s is called %q, want %q", o.moves, got, o.name)
		}
	}
	for moves, want := range map[string]string{
		"":             "",
		"f5":           "",
		"d3c5":         "Perpendicular",
		"c4e3f6e6f5":   "Tiger",
		"f5d6c3d3c4b4": "Tiger",
	} {
		list, _ := game.ParseMoves(moves)
		if got := OpeningName(list); got != want {
			t.Errorf("%q is called %q, want %q", moves, got, want)
		}
	}
}

// TestBalanced plays all balanced openings in all their turns.
func TestBalanced(t *testing.T) {
	seen := map[board]bool{}
	for seed := range uint64(2000) {
		moves := Balanced(seed)
		g, err := game.New(game.Reversi).PlayAll(moves...)
		if err != nil || g.Len() != openingPlies || g.Turn() != game.Black {
			t.Fatalf("seed %d: %v: %v", seed, moves, err)
		}
		seen[boardOf(g.Position()).canonical()] = true
	}
	if len(seen) < 100 {
		t.Errorf("only %d different openings", len(seen))
	}
}
