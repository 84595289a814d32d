package puzzle

import (
	"context"
	"errors"
	"slices"

	"tengen/game"
)

// Finder finds puzzles in games. The zero Finder finds all that it can.
type Finder struct {
	// Wants reports whether a puzzle with these properties is still wanted; nil wants all. It
	// is asked before the rating is known, with rating 0, and after.
	Wants func(p Puzzle) bool
	Seen  map[Key]bool // what is known already; Find adds to it where it is not nil
}

// Find gives the puzzles of one game, without numbers. Gomoku and Renju on 15x15 and Reversi
// have puzzles; in other games there are none to find.
func (f Finder) Find(ctx context.Context, g game.Game) ([]Puzzle, error) {
	switch g.Rules() {
	case game.Reversi:
		return f.endings(ctx, g)
	case game.Gomoku15, game.Renju:
		return f.fights(ctx, g)
	}
	return nil, nil
}

// fights looks for wins and for the one defence against them. Of a stretch of the game in
// which one side always has a win, it takes the first position that makes a puzzle: the later
// ones are alike. Of the defences it takes one a game, for the same reason.
func (f Finder) fights(ctx context.Context, g game.Game) (found []Puzzle, err error) {
	pr := newProver()
	defer pr.done()
	taken := map[game.Color]bool{}
	for n := 5; n < g.Len(); n++ {
		at, err := bare(g.Until(n))
		if err != nil {
			continue
		}
		p, err := f.fight(ctx, pr, at, taken)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err != nil || !f.good(p) {
			continue
		}
		was := len(found)
		if err := f.add(ctx, &found, p); err != nil {
			return nil, err
		}
		if p.Kind == Win {
			taken[at.Turn()] = true
		} else if len(found) > was {
			taken[game.Empty] = true
		}
	}
	return found, nil
}

// fight makes a puzzle of one position.
func (f Finder) fight(ctx context.Context, pr *prover, at game.Game, taken map[game.Color]bool) (Puzzle, error) {
	pr.killers = pr.killers[:0]
	_, plies, fours := pr.wins(at)
	switch c := at.Turn(); {
	case plies == 0:
		taken[c] = false
		if taken[game.Empty] || !f.wanted(Puzzle{Kind: Defend, Game: at}) {
			return Puzzle{}, errPlain
		}
		return pr.defend(ctx, at)
	case plies < 3 || taken[c] || !f.wanted(Puzzle{Kind: Win, Game: at, Moves: (plies + 1) / 2, Fours: fours}):
		return Puzzle{}, errPlain
	}
	return pr.win(ctx, at)
}

func (f Finder) wanted(p Puzzle) bool { return f.Wants == nil || f.Wants(p) }

// good reports whether a proven puzzle is worth solving: there are several sensible moves to
// try.
func (f Finder) good(p Puzzle) bool { return sensible(p) >= 3 && f.wanted(p) }

// sensible counts the moves that one would try: fours and threes of one's own and, in a
// defence, the points where the other side makes one.
func sensible(p Puzzle) (n int) {
	r, b := p.Game.Rules(), p.Game.Position()
	c := b.Turn
	if p.Kind == Defend {
		c = c.Other()
	}
	for q := range p.Game.Legal().All() {
		if s := shapes(r, b, c, q); count(s, three, straight) > 0 {
			n++
		}
	}
	return n
}

// add rates p and puts it on the list, if it is new and wanted. A win or a defence has to hold
// once more when it is proven from nothing: the prover that found it had the memory of a whole
// game. The scores of Reversi are exact, whatever was known before.
func (f Finder) add(ctx context.Context, found *[]Puzzle, p Puzzle) error {
	k := p.Key()
	if f.Seen[k] || slices.ContainsFunc(*found, p.Alike) {
		return nil
	}
	if p.Kind != Best {
		err := p.Check(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return nil
		}
	}
	var err error
	if p.Rating, err = Rate(ctx, p); err != nil {
		return err
	}
	if !f.wanted(p) {
		return nil
	}
	if f.Seen != nil {
		f.Seen[k] = true
	}
	*found = append(*found, p)
	return nil
}

// Endings of one game are taken so many plies apart: neighbours are too much alike.
const endingsApart = 4

// endings looks for positions of Reversi in which one move is better than all others.
func (f Finder) endings(ctx context.Context, g game.Game) (found []Puzzle, err error) {
	for n := g.Len(); n >= 0; n-- {
		at, err := bare(g.Until(n))
		if err != nil {
			continue
		}
		e := empties(at.Position())
		if e < 8 {
			continue
		}
		if e > mostEmpties {
			break
		}
		if !f.wanted(Puzzle{Kind: Best, Game: at}) {
			continue
		}
		p, err := best(ctx, at)
		switch {
		case errors.Is(err, errPlain), errors.Is(err, errTwo):
			continue
		case err != nil:
			return nil, err
		}
		was := len(found)
		if err := f.add(ctx, &found, p); err != nil {
			return nil, err
		}
		if len(found) > was {
			n -= endingsApart - 1
		}
	}
	return found, nil
}
