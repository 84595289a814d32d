package puzzle

import (
	"context"
	"slices"

	"tengen/ai/engine"
	"tengen/ai/five"
	"tengen/game"
)

// mostPlies bounds a solution that is played out.
const mostPlies = 60

// Solution is the line of p, played out: a win to the five, the other side holding out as long as it
// can, and an endgame of Reversi to its last disc, both sides playing their best moves. A defence ends
// with its line. over reports whether the game ends there; where two seconds or ctx do not suffice, the
// line ends before, but has the moves of that of p.
func (p Puzzle) Solution(ctx context.Context) (line []game.Point, over bool) {
	ctx, stop := context.WithTimeout(ctx, judgeTime)
	defer stop()
	return p.solution(ctx)
}

// solution is Solution without its bound on the time.
func (p Puzzle) solution(ctx context.Context) (line []game.Point, over bool) {
	g, err := p.Game.PlayAll(p.Line...)
	if err != nil || p.Kind == Defend {
		return p.Line, false
	}
	line = slices.Clone(p.Line)
	pr, s := newProver(), newExact(g)
	defer pr.done()
	for g.Turn() != game.Empty && len(line) < mostPlies && ctx.Err() == nil {
		var m game.Point
		if p.Kind == Best {
			rep, err := s.search(ctx, g)
			if err != nil {
				break
			}
			m = rep.Move
		} else if m = pr.outcome(ctx, g, p.Turn()); m == game.NoPoint {
			break
		}
		if g, err = g.Play(m); err != nil {
			break
		}
		line = append(line, m)
	}
	return line, g.Turn() == game.Empty
}

// outcome is the next move of a win of c; NoPoint where none is found. Where the search for threats does
// not see it with the nodes of a proof, more nodes do, or a full search.
func (pr *prover) outcome(ctx context.Context, g game.Game, c game.Color) game.Point {
	var m game.Point
	if g.Turn() == c {
		if m, _, _ = pr.wins(g); m == game.NoPoint {
			m = pr.five.Threats(g, c, winNodes).Move
		}
	} else {
		m = pr.longest(g, c)
	}
	if m != game.NoPoint {
		return m
	}
	rep, err := five.Search(ctx, g, engine.Limits{Nodes: searchNodes, Brief: true})
	if err != nil || g.Turn() == c && rep.Proof != engine.Win {
		return game.NoPoint
	}
	return rep.Move
}
