package puzzle

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tengen/ai/engine"
	"tengen/ai/five"
	"tengen/game"
	"tengen/internal/testkit"
)

// The line of every puzzle is right move by move, and solved at its end.
func TestLine(t *testing.T) {
	t.Parallel()
	for _, p := range Collection() {
		var own []game.Point
		for _, s := range p.Steps() {
			if s.By == p.Turn() {
				own = append(own, s.At)
			}
		}
		for n := 1; n <= len(own); n++ {
			a, err := p.try(t.Context(), own[:n])
			want := Right
			if n == len(own) {
				want = Solved
			}
			if err != nil || a.Verdict != want || a.Left != len(own)-n {
				t.Errorf("%s %v: %+v, %v", p.ID(), own[:n], a, err)
			}
		}
		if _, err := p.try(t.Context(), append(slices.Clone(own), own[0])); !errors.Is(err, errAfter) {
			t.Errorf("%s: a move after the end: %v", p.ID(), err)
		}
	}
}

// Illegal moves are errors, and so are moves after one that is wrong.
func TestTryErrors(t *testing.T) {
	t.Parallel()
	p := openThree()
	stone := game.At(6, 11)
	var refusal *game.Refusal
	if _, err := p.Try(t.Context(), []game.Point{stone}); !errors.As(err, &refusal) || refusal.Code != game.Occupied {
		t.Errorf("a stone on a stone: %v", err)
	}
	if _, err := p.Try(t.Context(), []game.Point{game.At(14, 14), game.At(13, 13)}); !errors.Is(err, errAfter) {
		t.Errorf("a move after a wrong one: %v", err)
	}
}

// openThree is a win in three: K3 makes the straight four, and so does G7.
func openThree() Puzzle {
	board := rows("... ... ... ......X ... ... ... ... ... ......XXO .......OX .........X .....O.OO")
	return read("win", "gomoku "+board+" X", "k3l2g7")
}

// The other point of the same four is right, and what lets the win go is wrong, with a reply
// that refutes it.
func TestTryUnforeseen(t *testing.T) {
	t.Parallel()
	p := openThree()
	a, err := p.try(t.Context(), points("g7"))
	if err != nil || a.Verdict != Right || a.Left != 1 || len(a.Reply) != 1 {
		t.Errorf("the other end of the three: %+v, %v", a, err)
	}
	a, err = p.try(t.Context(), points("a15"))
	if err != nil || a.Verdict != Wrong || len(a.Reply) != 1 || a.Why == "" {
		t.Errorf("the corner: %v %v %q, %v", a.Verdict, a.Reply, a.Why, err)
	}
	a, err = p.try(t.Context(), points("k3g7")[:1])
	if err != nil || a.Verdict != Right || len(a.Reply) != 1 || a.Reply[0] != p.Line[1] {
		t.Errorf("the line: %+v, %v", a, err)
	}
}

func points(text string) []game.Point {
	return testkit.Got(game.ParseMoves(text))
}

// After a pass in Reversi the other side plays several times or not at all.
func TestTryPass(t *testing.T) {
	t.Parallel()
	passes := 0
	for _, p := range some(Best, 1<<20) {
		own := []game.Point{}
		for i, s := range p.Steps() {
			if s.By != p.Turn() {
				continue
			}
			own = append(own, s.At)
			if i+1 < len(p.Line) && p.Steps()[i+1].By == p.Turn() {
				a, err := p.try(t.Context(), own)
				if err != nil || a.Verdict != Right || len(a.Reply) != 0 {
					t.Errorf("%s: after a pass %+v, %v", p.ID(), a, err)
				}
				passes++
			}
		}
	}
	if passes == 0 && len(some(Best, 100)) == 100 {
		t.Error("no puzzle has a pass")
	}
}

// No right answer is called wrong: answers that the lines do not have, each decided by a search
// beside. TENGEN_ANSWERS=300 and TENGEN_ANSWER_NODES=1000000, more than twice what the judge spends, are
// the full dose.
func TestUnforeseen(t *testing.T) {
	t.Parallel()
	dose := testkit.Dose("TENGEN_ANSWERS", 6)
	long := int64(testkit.Dose("TENGEN_ANSWER_NODES", 400_000))
	rnd := rand.New(rand.NewPCG(3, 3))
	list := some(Win, 1<<20)
	verdicts, proofs, slowest := map[Verdict]int{}, map[engine.Proof]int{}, time.Duration(0)
	for n := 0; n < dose && len(list) > 0; {
		p := list[rnd.IntN(len(list))]
		before, own := turnOf(p, rnd)
		m := natural(t, before, rnd)
		if slices.Contains(p.Line, m) || m == game.NoPoint {
			continue
		}
		start := time.Now()
		a := testkit.Got(p.try(t.Context(), append(own, m)))
		slowest = max(slowest, time.Since(start))
		verdicts[a.Verdict]++
		n++
		after := testkit.Got(before.Play(m))
		if after.Turn() == game.Empty {
			continue
		}
		rep := testkit.Got(five.Search(t.Context(), after, engine.Limits{Nodes: long, Brief: true}))
		proofs[rep.Proof]++
		if n%50 == 0 {
			t.Logf("%d: %v, the long search proves %v, the slowest in %v", n, verdicts, proofs, slowest)
		}
		if a.Verdict == Wrong && rep.Proof == engine.Loss {
			t.Errorf("%s %v %v is called wrong (%s), and wins", p.ID(), own, m, a.Why)
		}
		if (a.Verdict == Right || a.Verdict == Solved) && rep.Proof == engine.Win {
			t.Errorf("%s %v %v is called right, and loses", p.ID(), own, m)
		}
	}
	t.Logf("%v, the long search proves %v for the other side, the slowest in %v", verdicts, proofs, slowest)
}

// A move that wins by a longer way, with quiet moves, is right or undecided. The searches that prove
// such a win take up to 4 million nodes; of the first another engine has found it.
func TestTryLongerWin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ id, moves string }{
		{"g01631", "j8"}, {"g01631", "k6"}, {"r00795", "i9"}, {"r00766", "g11"}, {"r01375", "f8g8"},
	} {
		p, ok := Named(Collection(), c.id)
		if !ok {
			t.Errorf("%s is gone", c.id)
			continue
		}
		if a, err := p.try(t.Context(), points(c.moves)); err != nil || a.Verdict == Wrong {
			t.Errorf("%s %s: %v (%s), %v", c.id, c.moves, a.Verdict, a.Why, err)
		}
	}
}

// turnOf is a turn of the solver on the line of p, and the solver's moves until then.
func turnOf(p Puzzle, rnd *rand.Rand) (game.Game, []game.Point) {
	g, own := p.Game, []game.Point{}
	for range rnd.IntN(p.Solver()) {
		own = append(own, p.Line[2*len(own)])
		g, _ = p.Game.PlayAll(p.Line[:2*len(own)]...)
	}
	return g, own
}

// natural is a move that one may think of: one that draws the eye, or now and then any.
func natural(t *testing.T, g game.Game, rnd *rand.Rand) game.Point {
	rep := testkit.Got(five.Search(t.Context(), g, engine.Limits{Nodes: 200, Brief: true}))
	if len(rep.Candidates) > 1 && rnd.IntN(4) > 0 {
		return rep.Candidates[1+rnd.IntN(len(rep.Candidates)-1)].Move
	}
	legal := g.Legal().Points()
	return legal[rnd.IntN(len(legal))]
}

// The judge says the same each time.
func TestTryRepeats(t *testing.T) {
	t.Parallel()
	for _, p := range some(Win, 2) {
		m := p.Game.Legal().Points()[40]
		first := testkit.Got(p.try(t.Context(), []game.Point{m}))
		again, err := p.try(t.Context(), []game.Point{m})
		if err != nil || again.Verdict != first.Verdict || !slices.Equal(again.Refutation, first.Refutation) {
			t.Errorf("%s %v: %+v, then %+v, %v", p.ID(), m, first, again, err)
		}
	}
}

// Without time nothing is called wrong.
func TestTryWithoutTime(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(context.Background())
	stop()
	for _, p := range append(some(Win, 2), some(Best, 2)...) {
		for m := range p.Game.Legal().All() {
			if m == p.Line[0] {
				continue
			}
			if testkit.Got(p.try(ctx, []game.Point{m})).Verdict == Wrong && p.Kind == Best {
				t.Errorf("%s: %v is called wrong without a search", p.ID(), m)
			}
			break
		}
	}
}
