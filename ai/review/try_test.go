package review

import (
	"context"
	"errors"
	"testing"

	"tengen/ai"
	"tengen/ai/engine"
	"tengen/game"
	"tengen/internal/testkit"
)

// fault is ply n of a review of g, and the game before it.
func fault(g game.Game, n int, m Means) (game.Game, Ply) {
	return g.Until(n - 1), reviewedOnce(g, m.Nodes).Plies[n-1]
}

func try(t *testing.T, g game.Game, p Ply, move string, m Means) Verdict {
	list := testkit.Got(game.ParseMoves(move))
	return testkit.Got(Try(t.Context(), g, p, list[0], m))
}

// Where a win was to be found, every move that proves one is right, the played one is wrong,
// and the verdicts are proven.
func TestTryWin(t *testing.T) {
	t.Parallel()
	m := Means{Nodes: 20_000}
	at, p := fault(line("gomoku9 a1e5b1d5c1e4d1g7i9"), 9, m)
	right := 0
	for q := range at.Legal().All() {
		after, _ := at.Play(q)
		won := after.Turn() == game.Empty
		if !won {
			r := testkit.Got(ai.Search(t.Context(), after, engine.Limits{Nodes: 200_000, Brief: true}))
			won = r.Proof == engine.Loss
		}
		if q.Row() > 2 && !won {
			continue // enough of them
		}
		v := try(t, at, p, q.String(), m)
		if v.Right != won {
			t.Errorf("%v: right is %v, the win %v", q, v.Right, won)
		}
		if v.Right {
			right++
			if !v.Proven || v.Gave.Proof != engine.Win {
				t.Errorf("%v: %+v", q, v)
			}
		}
	}
	if right == 0 || try(t, at, p, "i9", m).Right {
		t.Errorf("%d right answers; the fault itself counts as %v", right, try(t, at, p, "i9", m).Right)
	}
}

// Another win than the engine's is right.
func TestTryOther(t *testing.T) {
	t.Parallel()
	m := Means{Nodes: 20_000}
	g := line("gomoku9 b1e5c1d5d1e4e1g7i9") // F1 and A1 both win
	at, p := fault(g, 9, m)
	p.Had, p.Best = Outcome{engine.Win, 1}, game.At(0, 0)
	if v := try(t, at, p, "f1", m); !v.Right || !v.Proven {
		t.Errorf("another win: %+v", v)
	}
}

// A right answer is looked for with ten times the means before it counts as wrong.
func TestTryDeep(t *testing.T) {
	t.Parallel()
	m, late := Means{Nodes: 1000}, 0
	for _, at := range wins(shortWin)[:12] {
		full := audited(t, at, m, 200)
		if full.Proof != engine.Win || full.In < 5 {
			continue
		}
		after := testkit.Got(at.Play(full.Move))
		if audited(t, after, m, deepTimes).Proof != engine.Loss {
			continue
		}
		if testkit.Got(ai.Search(t.Context(), after, m.limits(at.Rules(), 1))).Proof != engine.Loss {
			late++
		}
		best := at.Legal().Points()[0] // not the move that is tried
		v, err := Try(t.Context(), at, Ply{Had: Outcome{engine.Win, full.In}, Best: best}, full.Move, m)
		if err != nil || !v.Right || !v.Proven {
			t.Errorf("%v wins in %d: %+v, %v", full.Move, full.In, v, err)
		}
	}
	if late == 0 {
		t.Error("no win needed more than the means")
	}
}

// Where a win was let through, a move after which the other side still wins is wrong and is
// answered by that win.
func TestTryLetThrough(t *testing.T) {
	t.Parallel()
	m := Means{Nodes: 8000}
	at, p := fault(line("gomoku "+sampleMoves[:42]), 20, m)
	v := try(t, at, p, "a1", m)
	end, err := at.PlayAll(append([]game.Point{game.At(0, 0)}, v.Line...)...)
	if v.Right || !v.Proven || v.Gave.Proof != engine.Loss || err != nil || end.Result().Winner != game.Black {
		t.Errorf("A1: %+v, %v", v, err)
	}
	if v := try(t, at, p, "j9", m); !v.Right {
		t.Errorf("J9: %+v", v)
	}
}

// In Reversi any move that keeps the exact result is right.
func TestTryExact(t *testing.T) {
	t.Parallel()
	g := line("reversi X..XXO../.XOOOO.X/XXOOXXXX/XXOXOOXX/OXXXOOXX/OXX.OXXX/.X.OOXXX/X.OOOOO. O")
	for p := range g.Legal().All() {
		r := reviewed(t, testkit.Got(g.Play(p)), Options{Means: Means{Nodes: 1000}}).Plies[0]
		v := try(t, g, r, p.String(), Means{Nodes: 1000})
		if v.Right != (r.After == r.Before) || !v.Proven {
			t.Errorf("%v: %+v, the review has %+v", p, v, r)
		}
	}
}

func TestTryRefuses(t *testing.T) {
	g := line("gomoku h8")
	if _, err := Try(t.Context(), g, Ply{Best: game.At(1, 1)}, game.At(7, 7), Means{Nodes: 100}); err == nil {
		t.Error("a point that is taken is judged")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Try(ctx, g, Ply{Best: game.At(1, 1)}, game.At(2, 2), Means{Nodes: 100}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}
