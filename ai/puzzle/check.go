package puzzle

import (
	"context"
	"fmt"

	"tengen/ai/engine"
	"tengen/ai/five"
	"tengen/game"
)

// Check proves p again, from its position and its line alone. The error says what does not
// hold.
func (p Puzzle) Check(ctx context.Context) error {
	if err := p.check(); err != nil {
		return err
	}
	pr := newProver()
	defer pr.done()
	var err error
	switch p.Kind {
	case Win:
		err = p.checkWin(ctx, pr)
	case Defend:
		err = p.checkDefence(ctx, pr)
	default:
		err = p.checkBest(ctx)
	}
	if err == nil {
		err = ctx.Err()
	}
	return err
}

// checkWin proves that each move of the solver wins whatever the reply, and that at each turn
// of the line no second win is found.
func (p Puzzle) checkWin(ctx context.Context, pr *prover) error {
	g, c := p.Game, p.Turn()
	for i, at := range p.Line {
		if g.Turn() == c {
			pr.killers = pr.killers[:0]
			single := pr.alone
			if i > 0 {
				single = pr.later
			}
			if err := single(ctx, g, at); err != nil {
				return fmt.Errorf("before %v, move %d: %w", at, i+1, err)
			}
		}
		h, err := g.Play(at)
		if err != nil {
			return err
		}
		if g.Turn() == c && h.Turn() != game.Empty && pr.five.Threats(h, c, winNodes).Plies == 0 {
			return fmt.Errorf("after %v, move %d: %w", at, i+1, errNoWin)
		}
		g = h
	}
	return nil
}

func (p Puzzle) checkDefence(ctx context.Context, pr *prover) error {
	for m := range p.Game.Legal().All() {
		h, err := p.Game.Play(m)
		if err != nil {
			return err
		}
		if m != p.Line[0] {
			if !pr.loses(h) {
				return fmt.Errorf("%v is not proven to lose", m)
			}
			continue
		}
		if h.Turn() == game.Empty {
			continue
		}
		rep, err := five.Search(ctx, h, engine.Limits{Nodes: defendNodes, Brief: true, Spend: true})
		if err != nil {
			return err
		}
		if pr.loses(h) || rep.Proof == engine.Win {
			return fmt.Errorf("%v loses", m)
		}
	}
	return nil
}

// checkBest proves that each move of the line is a best one, and each of the solver's the only
// one.
func (p Puzzle) checkBest(ctx context.Context) error {
	g, s := p.Game, newExact(p.Game)
	for i, at := range p.Line {
		rep, err := s.search(ctx, g)
		if err != nil {
			return err
		}
		score, err := s.after(ctx, g, at)
		if err != nil {
			return err
		}
		gap := 1
		if g.Turn() == p.Turn() {
			rep.Move = at
			if gap, err = s.ahead(ctx, g, rep, func(gap int) bool { return gap > 0 }); err != nil {
				return err
			}
		}
		if score < rep.Score || gap <= 0 {
			return fmt.Errorf("%v, move %d, is not the best, or not alone", at, i+1)
		}
		if g, err = g.Play(at); err != nil {
			return err
		}
	}
	return nil
}
