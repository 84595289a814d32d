package review

import (
	"context"

	"tengen/ai/engine"
	"tengen/game"
)

// Verdict says whether a second try is right.
type Verdict struct {
	Right  bool
	Proven bool         // and that is proven; else it is what the means of the review saw
	Gave   Outcome      // what is proven after the move, from the mover's view
	Before Expectation  // what the best move keeps
	After  Expectation  // what the move keeps
	Line   []game.Point // how it goes on after the move, best play by both sides; may be empty
}

// closeEnough is how much less than the best move a right answer may keep where nothing is
// proven.
const closeEnough = 40

// Try judges move as a second try at fault, a ply of a review made with means m; g is the
// game before that ply. A move is right when it keeps what the best move keeps: the proven
// win or the exact result where there is one, else the expectation, but for four hundredths,
// and no proven loss. The error is that of an impossible move, or of ctx.
func Try(ctx context.Context, g game.Game, fault Ply, move game.Point, m Means) (Verdict, error) {
	next, err := g.Play(move)
	if err != nil {
		return Verdict{}, err
	}
	r, err := newReviewer(ctx, next.Until(0), Options{Means: m})
	if err != nil {
		return Verdict{}, err
	}
	defer r.close()
	r.deep, r.left = true, 4*deepTimes
	f, err := r.look(next, 1)
	if err != nil {
		return Verdict{}, err
	}
	gave := view(next, f, g.Turn())
	switch {
	case move == fault.Best:
		return verdict(true, fault.Had.Proof != engine.Unproven, fault.Before, gave), nil
	case fault.Had.Proof == engine.Win:
		gave, err = r.deeper(next, g.Turn(), gave)
		return verdict(gave.proof == engine.Win, gave.proof != engine.Unproven, 1000, gave), err
	case fault.Had.Proof == engine.Exact:
		return verdict(gave.value >= fault.Before, gave.proof == engine.Exact, fault.Before, gave), nil
	}
	return r.near(g, fault, next, gave)
}

// near is the verdict where nothing was proven before the fault: the position after the move
// is compared with the one after the best move, by the same means.
func (r *reviewer) near(g game.Game, fault Ply, next game.Game, gave found) (Verdict, error) {
	best, err := g.Play(fault.Best)
	if err != nil {
		return Verdict{}, err
	}
	f, err := r.look(best, 1)
	if err != nil {
		return Verdict{}, err
	}
	keeps := view(best, f, g.Turn())
	if fault.Note == LetThrough || fault.Note == Forbidden {
		gave, err = r.deeper(next, g.Turn(), gave)
	}
	lost := gave.proof == engine.Loss && keeps.proof != engine.Loss
	right := !lost && gave.value >= keeps.value-closeEnough
	return verdict(right, lost || gave.proof == engine.Win, keeps.value, gave), err
}

// deeper is gave, or what ten times the means find where nothing is proven.
func (r *reviewer) deeper(g game.Game, mover game.Color, gave found) (found, error) {
	if gave.proof != engine.Unproven {
		return gave, nil
	}
	f, ok, err := r.deepLook(g)
	if err != nil || !ok || f.proof == engine.Unproven {
		return gave, err
	}
	return view(g, f, mover), nil
}

func verdict(right, proven bool, before Expectation, gave found) Verdict {
	return Verdict{
		Right: right, Proven: proven, Gave: Outcome{gave.proof, gave.in},
		Before: max(before, gave.value), After: gave.value, Line: gave.line,
	}
}
