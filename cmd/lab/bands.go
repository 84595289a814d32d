package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"tengen/ai"
	"tengen/ai/puzzle"
	"tengen/game"
)

type puzzlesBandsCmd struct {
	Sample int    `default:"100" help:"How many puzzles of each game and band are tried at most; 0: all."`
	Seed   uint64 `default:"1" help:"Seed of the players."`
}

// Run tells which part of the puzzles of each band of ratings is solved by players that rated
// none of them.
func (c *puzzlesBandsCmd) Run(ctx context.Context) error {
	return bands(ctx, os.Stdout, puzzle.Collection(), c.Sample, c.Seed)
}

// tryer is a player that tries puzzles.
type tryer struct {
	name string
	move func(ctx context.Context, g game.Game, seed uint64) (game.Point, error)
}

// tryers play in ways in which the levels of the bot, which rate, do not: the first two look at
// the board alone, without the engine; the others have fewer nodes than the level.
var tryers = []tryer{
	{"one ply", func(_ context.Context, g game.Game, _ uint64) (game.Point, error) { return likeliest(g, onePly), nil }},
	{"two plies", func(_ context.Context, g game.Game, _ uint64) (game.Point, error) {
		return likeliest(g, twoPlies), nil
	}},
	{"level 1, 100 nodes", searches(1, 100)},
	{"level 3, 450 nodes", searches(3, 450)},
	{"level 4, 1300 nodes", searches(4, 1300)},
	{"level 5, 3000 nodes", searches(5, 3000)},
}

func searches(level int, nodes int64) func(context.Context, game.Game, uint64) (game.Point, error) {
	return func(ctx context.Context, g game.Game, seed uint64) (game.Point, error) {
		rep, err := ai.Search(ctx, g, ai.Limits{Level: level, Nodes: nodes, Seed: seed, Brief: true})
		return rep.Move, err
	}
}

// bands writes a table for each game. Of a band, the puzzles that are tried are spread over it.
func bands(ctx context.Context, w io.Writer, list []puzzle.Puzzle, sample int, seed uint64) error {
	for _, r := range []game.Rules{game.Gomoku15, game.Renju, game.Reversi} {
		var names strings.Builder
		for _, t := range tryers {
			names.WriteString(" " + t.name + " |")
		}
		fmt.Fprintf(w, "\n| %s, rated | puzzles |%s\n|---|---|%s\n", r.Name(), names.String(),
			strings.Repeat("---|", len(tryers)))
		for band, low := range puzzle.Bands {
			of := slices.DeleteFunc(slices.Clone(list), func(p puzzle.Puzzle) bool {
				return p.Game.Rules() != r || puzzle.Band(p.Rating) != band
			})
			if len(of) == 0 {
				continue
			}
			line, err := row(ctx, spread(of, sample), seed)
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "| from %d | %d |%s\n", low, len(of), line)
		}
	}
	return nil
}

// spread are n puzzles of list, at even steps by their ratings.
func spread(list []puzzle.Puzzle, n int) (some []puzzle.Puzzle) {
	if n <= 0 || n >= len(list) {
		return list
	}
	slices.SortStableFunc(list, func(a, b puzzle.Puzzle) int { return cmp.Compare(a.Rating, b.Rating) })
	for i := range n {
		some = append(some, list[i*len(list)/n])
	}
	return some
}

// row is which part of some puzzles each player solves, in percent.
func row(ctx context.Context, of []puzzle.Puzzle, seed uint64) (string, error) {
	var s strings.Builder
	for _, t := range tryers {
		percent, err := part(ctx, t, of, seed)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&s, " %d |", percent)
	}
	return s.String(), nil
}

// part is which part of some puzzles a player solves, in percent.
func part(ctx context.Context, t tryer, of []puzzle.Puzzle, seed uint64) (percent int, err error) {
	right := 0
	for _, p := range of {
		ok, err := p.FoundBy(func(g game.Game) (game.Point, error) { return t.move(ctx, g, seed<<32+uint64(p.Number)<<8) })
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return 0, fmt.Errorf("%s: %w", p.ID(), err)
		}
		if ok {
			right++
		}
	}
	return (100*right + len(of)/2) / max(len(of), 1), nil
}

// likeliest is the legal move that value likes best.
func likeliest(g game.Game, value func(g game.Game, p game.Point) int) game.Point {
	best, most := game.NoPoint, 0
	for p := range g.Legal().All() {
		if v := value(g, p); best == game.NoPoint || v > most {
			best, most = p, v
		}
	}
	return best
}

// onePly is what a move is worth by itself.
func onePly(g game.Game, p game.Point) int {
	if g.Rules() == game.Reversi {
		return territory(g, p)
	}
	own, other := rows(g, p)
	return own + other*3/4
}

// attack is what a move does for the side that makes it, and nothing else.
func attack(g game.Game, p game.Point) int {
	if g.Rules() == game.Reversi {
		return territory(g, p)
	}
	own, _ := rows(g, p)
	return own
}

// twoPlies is what a move is worth less what the other side can do then.
func twoPlies(g game.Game, p game.Point) int {
	v := onePly(g, p)
	h, err := g.Play(p)
	if err != nil || h.Turn() != g.Turn().Other() {
		return v + 1_000_000 // the game is over, or the other side has to pass
	}
	return v - attack(h, likeliest(h, attack))
}

// territory is what a move of Reversi is worth: the discs it turns, corners, and the points
// beside them.
func territory(g game.Game, p game.Point) int {
	h, err := g.Play(p)
	if err != nil {
		return 0
	}
	v := h.Position().Count(g.Turn()) - g.Position().Count(g.Turn())
	edge := func(n int) int { return min(n, 7-n) }
	switch col, row := edge(p.Col()), edge(p.Row()); {
	case col+row == 0:
		v += 30
	case col == 1 && row == 1:
		v -= 15
	case col+row == 1:
		v -= 8
	}
	return v
}

// worth is that of a point in a row of five that has so many stones of one side alone.
var worth = [5]int{1, 8, 60, 500, 100_000}

// rows is what a point is worth to the side to move and to the other: the rows of five through
// it that are still open to them.
func rows(g game.Game, p game.Point) (own, other int) {
	b := g.Position()
	return rowsWorth(b, p, g.Turn(), worth), rowsWorth(b, p, g.Turn().Other(), worth)
}
