package five

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tengen/ai/engine"
	"tengen/game"
	"tengen/internal/testkit"
)

// whole finds fault with the report on a proven position: its line is to be lawful and to
// end the game as proven, neither sooner nor later than the report says, and every move of
// the side that loses is to meet what threatens it, if any move does.
func whole(g game.Game, r engine.Report) error {
	winner := g.Turn()
	score := mate - r.In
	if r.Proof == engine.Loss {
		winner, score = winner.Other(), -score
	}
	switch {
	case len(r.Line) == 0 || r.Line[0] != r.Move || r.Candidates[0].Move != r.Move:
		return fmt.Errorf("plays %v, first of %v", r.Move, r.Candidates)
	case r.In != len(r.Line) || r.Score != score || r.Candidates[0].Score != score:
		return fmt.Errorf("%v in %d, score %d", r.Proof, r.In, r.Score)
	}
	for n, p := range r.Line {
		if g.Turn() == game.Empty {
			return fmt.Errorf("the game ends after %d moves", n)
		}
		if g.Turn() != winner {
			if err := defends(g, p); err != nil {
				return fmt.Errorf("move %d: %w", n+1, err)
			}
		}
		next, err := g.Play(p)
		if err != nil {
			return fmt.Errorf("move %d: %w", n+1, err)
		}
		g = next
	}
	if end := g.Result(); end.Winner != winner || end.Termination != game.ByRow {
		return fmt.Errorf("the line ends in %v", end)
	}
	return nil
}

// defends finds fault with p, a move of the side that loses.
func defends(g game.Game, p game.Point) error {
	you := g.Turn().Other()
	if hasFive(g, g.Turn()) {
		return fmt.Errorf("%v where there is a five", p)
	}
	fives := slices.DeleteFunc(fivesOf(g, you), func(q game.Point) bool { return g.Check(q) != nil })
	if len(fives) > 0 && !slices.Contains(fives, p) {
		return fmt.Errorf("%v against a five at %v", p, fives)
	}
	if hasFive(g, you) || holdsFours(g, p) {
		return nil
	}
	for q := range g.Legal().All() {
		if holdsFours(g, q) && holdsForbidden(g, q) {
			return fmt.Errorf("%v against a straight four; %v holds", p, q)
		}
	}
	return nil
}

// holdsFours reports whether p makes a four, or leaves the other side no straight four.
func holdsFours(g game.Game, p game.Point) bool {
	next, err := g.Play(p)
	if err != nil {
		return false
	}
	return hasFive(next, g.Turn()) || len(straightFours(next, next.Turn())) == 0
}

// holdsForbidden reports whether p leaves the other side no four that can be met on
// forbidden points alone.
func holdsForbidden(g game.Game, p game.Point) bool {
	next, _ := g.Play(p)
	for q := range next.Legal().All() {
		after, _ := next.Play(q)
		fives := fivesOf(after, next.Turn())
		if len(fives) > 0 && !slices.ContainsFunc(fives, func(p game.Point) bool { return after.Check(p) == nil }) {
			return false
		}
	}
	return true
}

// Every win and every loss that the engine proves in games against itself has a whole line.
// TENGEN_FULL=1 plays 2000 games instead of a few, a larger number that many.
func TestLines(t *testing.T) {
	t.Parallel()
	e, rnd := New(), rand.New(rand.NewPCG(23, 1))
	var wins, losses, most int
	for n := range games(6, 15) {
		g := scatter(game.AllRules[n%5], rnd, 4+rnd.IntN(5))
		for e.Clear(); g.Turn() != game.Empty; {
			nodes := int64(100) << rnd.IntN(7)
			r := testkit.Got(e.Search(context.Background(), g, engine.Limits{Nodes: nodes}))
			switch r.Proof {
			case engine.Win:
				wins++
			case engine.Loss:
				losses++
			}
			if r.Proof != engine.Unproven {
				most = max(most, r.In)
				if err := whole(g, r); err != nil {
					t.Errorf("%s %s, %d nodes: %v in %d by %v: %v", g.Rules().Name(), game.MoveList(g.Moves()), nodes,
						r.Proof, r.In, r.Line, err)
				}
			}
			g = testkit.Got(g.Play(r.Move))
		}
	}
	t.Logf("%d wins, %d losses, the longest of %d plies", wins, losses, most)
	if wins < 10 || losses < 10 {
		t.Errorf("only %d wins and %d losses", wins, losses)
	}
}

// The line of a win is as long as the win is known to be, and stops at the five.
func TestLineOfWin(t *testing.T) {
	for _, tt := range []struct {
		rules game.Rules
		moves string
		want  int
	}{
		{game.Gomoku15, "f8e7g9c7e9d9g7d10", 25}, // a win by threats of which the tables hold no line
		{game.Gomoku15, "i8g9j6g10i6g11g8f9h6g6", 13},
		{game.Standard15, "g6e4j12j11f2l12d3k10k11l9m8l10l11i10j10k8i9h8l7k6j8j7i6h9g8", 3}, // a four is played first that takes longer
		{game.Renju, "g7e9c11j9f6h8g6g8f7h7h6i6f9f8e8h5g4j8i8j7j6k8l9l7i10", 11},            // in this order the fours win, in others later
		{game.Renju, "h8g6f6g5f7g4h7g3g2a1", 2},                                             // the only block is forbidden
	} {
		g := play(tt.rules, tt.moves)
		r := search(t, g, engine.Limits{Nodes: 50_000})
		if err := whole(g, r); err != nil || r.In > tt.want {
			t.Errorf("%s %s: %v in %d by %v, want at most %d: %v", tt.rules.Name(), tt.moves, r.Proof, r.In,
				r.Line, tt.want, err)
		}
	}
}

// A win by fours on the line is the shortest, where vcf stops at the first.
func TestShortestFours(t *testing.T) {
	for _, tt := range []struct {
		rules game.Rules
		moves string
		want  int
	}{
		{game.Gomoku9, "b6d4d8f5c6e2f2f8b8a9g4e7f6a7c5d6e6h6b4g2c9e3", 9},
		{game.Standard9, "f7h7e7a6f1c5e3g8d5f6a4i6e4d8g6b8b4f9g5b2", 5},
	} {
		s := newSearcher()
		threats(s, play(tt.rules, tt.moves), 1) // sets up the board
		s.stopped = false
		l := liner{searcher: s, decided: map[uint64]ending{}, failed: map[uint64]int{}}
		l.watch = engine.NewWatch(context.Background(), engine.Limits{Nodes: 100_000})
		defer l.watch.Close()
		if e := l.byFours(10_000); e.plies != tt.want {
			t.Errorf("%s %s: in %d, want %d", tt.rules.Name(), tt.moves, e.plies, tt.want)
		}
	}
}

// No reply to the first move of a win lasts longer than the line, those far from all stones
// included. A fresh search of each finds the win within what is left, but for a few where
// it stops at another win that takes longer.
func TestLineIsBound(t *testing.T) {
	t.Parallel()
	text := testkit.Read(t, "testdata/wins.txt")
	e := New()
	replies, longer := 0, 0
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) != 4 || f[0] == "#" {
			continue
		}
		rules, _ := game.RulesNamed(f[2])
		g := play(rules, f[3])
		r := search(t, g, engine.Limits{Nodes: 100_000})
		if r.In < 5 {
			continue
		}
		g, _ = g.Play(r.Move)
		for p := range g.Legal().All() {
			next, _ := g.Play(p)
			e.Clear()
			a := searchWith(e, next, 20_000)
			replies++
			if a.Proof != engine.Win || a.In > r.In-2 {
				longer++
				t.Logf("%s %v %v: %v in %d of %d", strings.TrimSpace(line), r.Move, p, a.Proof, a.In, r.In)
			}
		}
	}
	if replies < 5000 || longer > 10 {
		t.Errorf("%d of %d replies last longer", longer, replies)
	}
}

// The liner makes no line where there is no win, and its work has an end.
func TestLineIsTrue(t *testing.T) {
	e := New()
	g := play(game.Gomoku15, "h8h9")
	r := searchWith(e, g, 1000)
	r.Proof, r.In = engine.Win, 9
	s := e.main
	was, nodes := fmt.Sprint(r), s.nodes
	if s.complete(context.Background(), &r, engine.Limits{Nodes: 1000}, true) || fmt.Sprint(r) != was {
		t.Errorf("makes a line of no win: %v", r)
	}
	testkit.Want(t, "nodes", s.nodes, nodes)
	s.watch, s.stopped = engine.NewWatch(context.Background(), engine.Limits{Nodes: nodes + 10_000}), false
	defer s.watch.Close()
	l := liner{searcher: s, decided: map[uint64]ending{}, failed: map[uint64]int{}}
	if e := l.try(ending{9, uint8(r.Move)}); e.plies > 0 || s.nodes-nodes > 12_000 {
		t.Errorf("%d plies, %d nodes", e.plies, s.nodes-nodes)
	}
	// When its time is over it looks at what the tables hold, but not for ever.
	threats(s, play(game.Gomoku15, "h8a1h9a2h10a3h11a4"), 1)
	for late, want := range map[int]int{0: 1, lineLate: 0} {
		s.stopped = true
		l := liner{searcher: s, decided: map[uint64]ending{}, failed: map[uint64]int{}, late: late}
		if e := l.win(9); e.plies != want {
			t.Errorf("after %d positions: a win in %d, want %d", late, e.plies, want)
		}
	}
}
