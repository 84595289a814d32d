package puzzle

import (
	"context"

	"tengen/game"
)

// solved is a legal move of Reversi with its exact score for the side that makes it, in discs,
// empties to the winner.
type solved struct {
	at    game.Point
	score int
}

// solve gives every legal move of g with its exact score.
func solve(ctx context.Context, g game.Game) (list []solved, err error) {
	s := newExact(g)
	for p := range g.Legal().All() {
		v, err := s.after(ctx, g, p)
		if err != nil {
			return nil, err
		}
		list = append(list, solved{p, v})
	}
	return list, nil
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
