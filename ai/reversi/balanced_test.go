package reversi

import (
	"testing"

	"tengen/game"
)

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
