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

// solved is a legal move of Reversi with its exact score for the side that makes it, in discs,
// empties to the winner.
type solved struct {
	at    game.Point
	score int
}

// solve gives every legal move of g with its exact score.
func solve(ctx context.Context, g game.Game) (list []solved, err error) {
	for p := range g.Legal().All() {
		h, err := g.Play(p)
		if err != nil {
			return nil, err
		}
		v, err := value(ctx, h, g.Turn())
		if err != nil {
			return nil, err
		}
		list = append(list, solved{p, v})
	}
	return list, nil
}

// value is the exact score of g for c.
func value(ctx context.Context, g game.Game, c game.Color) (int, error) {
	if g.Turn() == game.Empty {
		black, white := game.Score(g.Position())
		if c == game.White {
			return white - black, nil
		}
		return black - white, nil
	}
	rep, err := reversi.Search(ctx, g, engine.Limits{Nodes: 1 << 40, Memory: tableFor(g)})
	switch {
	case err != nil:
		return 0, err
	case rep.Proof != engine.Exact:
		return 0, cmp.Or(ctx.Err(), errCut)
	case g.Turn() != c:
		return -rep.Score, nil
	}
	return rep.Score, nil
}

// tableFor is the memory of a search, by what it has to solve.
func tableFor(g game.Game) int64 {
	return min(int64(1)<<20<<max(empties(g.Position())-12, 0), 32<<20)
}

// bestOf is the best of list, and how far the second lies behind; 99 without a second.
func bestOf(list []solved) (best solved, gap int) {
	best, second := solved{score: -99}, -99
	for _, m := range list {
		switch {
		case m.score > best.score:
			best, second = m, best.score
		case m.score > second:
			second = m.score
		}
	}
	if second == -99 {
		return best, 99
	}
	return best, best.score - second
}

// leastGap is by how many discs the best move is ahead where the second best leads to the same
// result.
const leastGap = 6

// best makes a puzzle of g: at each turn of the solver one move is better than all others. The
// line ends where two moves are best, and on a move that has an alternative.
func best(ctx context.Context, g game.Game) (p Puzzle, err error) {
	p = Puzzle{Kind: Best, Game: g}
	c := g.Turn()
	keep := 0
	for g.Turn() != game.Empty {
		list, err := solve(ctx, g)
		if err != nil {
			return p, err
		}
		b, gap := bestOf(list)
		if g.Turn() == c {
			if gap == 0 {
				break
			}
			if len(p.Line) == 0 && !worth(list, b.score, gap) {
				return p, errPlain
			}
		}
		p.Line = append(p.Line, b.at)
		if g.Turn() == c && len(list) > 1 {
			keep = len(p.Line)
		}
		if g, err = g.Play(b.at); err != nil {
			return p, err
		}
	}
	p.Line = p.Line[:keep]
	if keep == 0 {
		return p, errTwo
	}
	return p, nil
}

// worth reports whether a first move is worth a puzzle: three moves to choose from, and the
// second best changes the result or costs much.
func worth(list []solved, score, gap int) bool {
	second := score - gap
	return len(list) >= 3 && (sign(score) != sign(second) && score >= 0 || gap >= leastGap && gap <= 40)
}

func sign(n int) int {
	switch {
	case n > 0:
		return 1
	case n < 0:
		return -1
	}
	return 0
}
