package puzzle

import (
	"cmp"
	"context"
	"errors"

	"tengen/ai/engine"
	"tengen/ai/reversi"
	"tengen/game"
)

// mostEmpties is from how many empty points on a position of Reversi is solved.
const mostEmpties = 20

// errCut says that the time was too short to solve a position.
var errCut = errors.New("not solved in time")

// exact solves positions of Reversi to the last disc. It remembers what it found, since the moves of one
// position lead to many of the same positions.
type exact struct {
	engine reversi.Engine
	memory int64
}

// newExact solves g and the positions that follow it.
func newExact(g game.Game) *exact { return &exact{memory: tableFor(g)} }

// after is the exact score of a move in g for the side that makes it.
func (s *exact) after(ctx context.Context, g game.Game, p game.Point) (int, error) {
	h, err := g.Play(p)
	if err != nil {
		return 0, err
	}
	return s.value(ctx, h, g.Turn())
}

// value is the exact score of g for c.
func (s *exact) value(ctx context.Context, g game.Game, c game.Color) (int, error) {
	if g.Turn() == game.Empty {
		black, white := game.Score(g.Position())
		if c == game.White {
			return white - black, nil
		}
		return black - white, nil
	}
	rep, err := s.search(ctx, g)
	if g.Turn() != c {
		return -rep.Score, err
	}
	return rep.Score, err
}

// search is a best move of g with its exact score.
func (s *exact) search(ctx context.Context, g game.Game) (engine.Report, error) {
	rep, err := s.engine.Search(ctx, g, engine.Limits{Nodes: 1 << 40, Memory: s.memory})
	if err == nil && rep.Proof != engine.Exact {
		err = cmp.Or(ctx.Err(), errCut)
	}
	return rep, err
}

// ahead is by how much the move of rep is better than every other move of g; 99 where there is
// no other. It ends with less as soon as enough says no to what is left.
func (s *exact) ahead(ctx context.Context, g game.Game, rep engine.Report, enough func(gap int) bool) (int, error) {
	queue, tried, gap := []game.Point{}, game.Set{}.With(rep.Move), 99
	for _, m := range rep.Candidates {
		queue = append(queue, m.Move)
	}
	for _, p := range append(queue, g.Legal().Points()...) {
		if tried.Has(p) {
			continue
		}
		tried = tried.With(p)
		v, err := s.after(ctx, g, p)
		if err != nil {
			return 0, err
		}
		if gap = min(gap, rep.Score-v); !enough(gap) {
			break
		}
	}
	return gap, nil
}

// tableFor is the memory of a search, by what it has to solve.
func tableFor(g game.Game) int64 {
	return min(int64(1)<<20<<max(empties(g.Position())-12, 0), 32<<20)
}

// best makes a puzzle of g: at each turn of the solver one move is better than all others. The
// line ends where two moves are best, and on a move that has an alternative.
func best(ctx context.Context, g game.Game) (p Puzzle, err error) {
	p = Puzzle{Kind: Best, Game: g}
	if g.Legal().Len() < leastMoves {
		return p, errPlain
	}
	c, s := g.Turn(), newExact(g)
	keep := 0
	for g.Turn() != game.Empty {
		rep, err := s.search(ctx, g)
		if err != nil {
			return p, err
		}
		if g.Turn() == c {
			enough := func(gap int) bool { return gap > 0 }
			if len(p.Line) == 0 {
				enough = func(gap int) bool { return costs(rep.Score, gap) }
			}
			gap, err := s.ahead(ctx, g, rep, enough)
			switch {
			case err != nil:
				return p, err
			case gap > 0 && len(p.Line) == 0 && !worth(rep.Score, gap):
				return p, errPlain
			}
			if gap == 0 {
				break
			}
		}
		p.Line = append(p.Line, rep.Move)
		if g.Turn() == c && g.Legal().Len() > 1 {
			keep = len(p.Line)
		}
		if g, err = g.Play(rep.Move); err != nil {
			return p, err
		}
	}
	p.Line = p.Line[:keep]
	if keep == 0 {
		return p, errTwo
	}
	return p, nil
}

// What a first move has to be to be worth a puzzle: three moves to choose from, and the second
// best changes the result or costs much.
const (
	leastMoves = 3
	leastGap   = 6  // discs, where the second best leads to the same result
	mostGap    = 40 // there: more is plain to see
)

// costs reports whether it costs the result, or much, to play a move that is worse by gap than
// the best, with its score.
func costs(score, gap int) bool { return decides(score, gap) || gap >= leastGap }

// worth reports whether a first move of this score is worth a puzzle, the second best being
// worse by gap.
func worth(score, gap int) bool { return decides(score, gap) || gap >= leastGap && gap <= mostGap }

func decides(score, gap int) bool { return score >= 0 && sign(score) != sign(score-gap) }

func sign(n int) int {
	switch {
	case n > 0:
		return 1
	case n < 0:
		return -1
	}
	return 0
}
