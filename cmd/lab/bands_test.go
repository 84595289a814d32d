package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tengen/ai/puzzle"
	"tengen/game"
	"tengen/game/record"
	"tengen/internal/testkit"
)

// The plain players take what is plain to see.
func TestPlainPlayers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ line, one, two string }{
		"a five before all else":            {"gomoku h8a1i8a2j8a4k8a5", "G8L8", "G8L8"},
		"the other side's five":             {"gomoku a1h8a3i8a5j8a7k8", "G8L8", "G8L8"},
		"a corner rather than discs":        {"reversi .OX...../......../......../......../.OOOOX../......../......../........ X", "A1", "A1"},
		"a straight four, if nothing burns": {"gomoku h8a1i8a9j8a15", "G8K8", "G8K8"},
	} {
		g, err := record.ParseLine(c.line)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for want, value := range map[string]func(game.Game, game.Point) int{"one " + c.one: onePly,
			"two " + c.two: twoPlies} {
			if got := likeliest(g, value); !strings.Contains(want, got.String()) {
				t.Errorf("%s: %v, want %s", name, got, want)
			}
		}
	}
}

// The harder band is solved less often, by every player who solves anything.
func TestBands(t *testing.T) {
	t.Parallel()
	var easy, hard []puzzle.Puzzle
	for _, p := range puzzle.Collection() {
		switch {
		case p.Game.Rules() != game.Reversi:
		case p.Rating < 900 && len(easy) < 10:
			easy = append(easy, p)
		case p.Rating > 1500 && len(hard) < 10:
			hard = append(hard, p)
		}
	}
	var solved [2][]int
	for i, list := range [][]puzzle.Puzzle{easy, hard} {
		line := testkit.Got(row(t.Context(), list, 1))
		for _, s := range regexp.MustCompile(`\d+`).FindAllString(line, -1) {
			n, _ := strconv.Atoi(s)
			solved[i] = append(solved[i], n)
		}
	}
	for k := range tryers {
		if solved[0][k] < solved[1][k] || k > 2 && solved[0][k] < solved[1][k]+30 {
			t.Errorf("%s: %d%% of the easy ones, %d%% of the hard ones", tryers[k].name, solved[0][k], solved[1][k])
		}
	}
	var out strings.Builder
	if err := bands(t.Context(), &out, append(easy, hard...), 4, 1); err != nil ||
		strings.Count(out.String(), "| from ") < 2 {
		t.Errorf("%v, %s", err, out.String())
	}
}

// Of the puzzles that are rated like a level it solves about half. Solvers that did not rate them, the
// level with fewer nodes and other seeds, solve somewhat less.
func TestHalfSolved(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rules  game.Rules
		solver string
		rating int
	}{
		{game.Gomoku15, "level 3, 450 nodes", 1242},
		{game.Gomoku15, "level 4, 1300 nodes", 1500},
		{game.Reversi, "level 3, 450 nodes", 1190},
		{game.Reversi, "level 4, 1300 nodes", 1500},
	} {
		var near []puzzle.Puzzle
		for _, p := range puzzle.Collection() {
			if p.Game.Rules() == c.rules && p.Rating > c.rating-150 && p.Rating < c.rating+150 {
				near = append(near, p)
			}
		}
		n := slices.IndexFunc(tryers, func(y tryer) bool { return y.name == c.solver })
		got, err := part(t.Context(), tryers[n], spread(near, 400), 3)
		t.Logf("%s, %s: %d%%", c.rules.Name(), c.solver, got)
		if err != nil || got < 25 || got > 65 {
			t.Errorf("%s, %s: %d%% of %d puzzles rated about %d, %v", c.rules.Name(), c.solver, got, len(near), c.rating, err)
		}
	}
}
