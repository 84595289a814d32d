package reversi

import (
	"bytes"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/opening"
	"tengen/internal/testkit"
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

// The XOT openings are still even in the eyes of the search. One line in a hundred is looked
// at, less deeply than when the list was made, and so with half as much room again.
func TestXOTEven(t *testing.T) {
	s := newSearcher(loadWeights(), newTable(16<<20))
	for i, line := range opening.XOTLines() {
		if i%100 != 0 {
			continue
		}
		if !s.nearEven(boardOf(testkit.Got(game.New(game.Reversi).PlayAll(line...)).Position()), 12, 300) {
			t.Errorf("%s is not even", game.MoveList(line))
		}
	}
}

// A list that is made in two goes is the list that is made in one, and holds what it should.
func TestMakeXOT(t *testing.T) {
	made := func(count int, before []string) []string {
		lines := slices.Clone(before)
		err := MakeXOT(t.Context(), count, 6, 200, 5, before, func(line string) error {
			lines = append(lines, line)
			return nil
		})
		if err != nil || len(lines) != count {
			t.Fatalf("%d lines of %d: %v", len(lines), count, err)
		}
		return lines
	}
	whole := made(40, nil)
	if parts := made(40, made(17, nil)); !slices.Equal(whole, parts) {
		t.Errorf("made in two goes:\n%v\nin one:\n%v", parts, whole)
	}
	var b bytes.Buffer
	if err := MakeBalanced(t.Context(), 10, 6, 100, 5, &b); err != nil || bytes.Count(b.Bytes(), []byte("\n")) != 10 {
		t.Errorf("balanced: %v:\n%s", err, &b)
	}
}
