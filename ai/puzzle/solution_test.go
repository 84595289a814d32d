package puzzle

import (
	"slices"
	"testing"

	"tengen/game"
	"tengen/internal/testkit"
)

// A solution goes on to the end of the game and begins with the line. A win ends with the solver's five,
// Reversi with the score that the line is worth. TENGEN_PUZZLES=100000 plays out all.
func TestSolution(t *testing.T) {
	t.Parallel()
	played := 0
	for _, kind := range []Kind{Win, Defend, Best} {
		list := some(kind, testkit.Dose("TENGEN_PUZZLES", 15))
		if hard, ok := Named(Collection(), "r00675"); ok && kind == Win {
			list = append(list, hard) // the search for threats loses its win after the line
		}
		for _, p := range list {
			line, over := p.solution(t.Context())
			g, err := p.Game.PlayAll(line...)
			if err != nil || len(line) < len(p.Line) || !slices.Equal(line[:len(p.Line)], p.Line) {
				t.Fatalf("%s: %v, the line is %v, %v", p.ID(), line, p.Line, err)
			}
			played++
			switch {
			case kind == Defend:
				if over || len(line) > 1 {
					t.Errorf("%s: a defence goes on: %v", p.ID(), line)
				}
			case !over || g.Turn() != game.Empty:
				t.Errorf("%s: %v is not the end", p.ID(), line)
			case kind == Win && g.Result().Winner != p.Turn():
				t.Errorf("%s: %v does not win", p.ID(), line)
			}
		}
	}
	t.Logf("%d puzzles", played)
}

// A reply that refutes a move, or holds out longest against a win, lies beside stones: it is not the
// first point of the board because any reply will do. TENGEN_PUZZLES=100000 looks at all.
func TestRepliesNearby(t *testing.T) {
	t.Parallel()
	pr := newProver()
	defer pr.done()
	looked := 0
	near := func(p Puzzle, g game.Game, r game.Point) {
		looked++
		b := g.Position()
		for q := range b.Of(game.Black).Or(b.Of(game.White)).All() {
			if max(q.Col()-r.Col(), r.Col()-q.Col(), q.Row()-r.Row(), r.Row()-q.Row()) <= 4 {
				return
			}
		}
		t.Errorf("%s: the reply %v lies beside no stone", p.ID(), r)
	}
	for _, p := range some(Win, testkit.Dose("TENGEN_PUZZLES", 15)) {
		for n, m := range p.Game.Legal().Points() {
			if n%40 != 3 || m == p.Line[0] {
				continue
			}
			h, err := p.Game.Play(m)
			if err != nil || h.Turn() == game.Empty {
				continue
			}
			pr.killers = nil
			if r := pr.eye(h); r != game.NoPoint {
				near(p, h, r)
			}
			if n > 43 {
				continue
			}
			if _, r := pr.fateOf(t.Context(), h, p.Turn()); r != game.NoPoint {
				near(p, h, r)
			}
		}
		h, err := p.Game.PlayAll(p.Line...)
		for err == nil && h.Turn() != game.Empty {
			m := pr.outcome(t.Context(), h, p.Turn())
			if m == game.NoPoint {
				break
			}
			near(p, h, m)
			h, err = h.Play(m)
		}
	}
	t.Logf("%d replies", looked)
}
