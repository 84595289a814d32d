package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"tengen/bot/pad"
	"tengen/game"
)

type padCmd struct {
	Rules    string `default:"gomoku" help:"The game, by its name in position lines."`
	Games    int    `default:"200" help:"How many games."`
	Levels   int    `default:"6" help:"The highest level: each plays the next one, all equally often."`
	Openings string `default:"none" help:"A file of openings, balanced, or none."`
	Seed     uint64 `default:"1" help:"Seed of the openings and of the levels' choices."`
}

// reach counts by how many presses the pad reaches moves.
type reach struct {
	moves   int
	presses [4]int // by their number; the last entry is more than three
	listed  bool   // the pad lists all legal moves
	holding int    // moves that a pad could show which knew them, and has to hold the last move
}

// Run plays the games and prints how the pad serves their moves.
func (c *padCmd) Run(ctx context.Context) error {
	r, err := rulesNamed(c.Rules)
	if err != nil {
		return err
	}
	arena := arenaCmd{Games: c.Games, Openings: c.Openings, Seed: c.Seed, Max: 225}
	openings := [][]game.Point{nil}
	if c.Openings != "none" {
		if openings, err = arena.openings(r); err != nil {
			return err
		}
	}
	all := reach{listed: r == game.Reversi}
	for n := range c.Games {
		level := 1 + n/2%max(c.Levels-1, 1) // two games of each pair follow one another, with colours turned
		var players [2]player
		for i := range players {
			if players[i], err = newPlayer(fmt.Sprintf("tengen,level=%d", level+i), c.Seed<<40+uint64(2*n+i)); err != nil {
				return err
			}
		}
		opening := openings[n/2%len(openings)]
		o := arena.play(ctx, r, opening, n, players)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if o.why != nil {
			return fmt.Errorf("game %d: %w", n+1, o.why)
		}
		all.add(o.game, len(opening))
	}
	all.print(os.Stdout, fmt.Sprintf("%s, opening %s, levels 1 to %d, %d games", c.Rules, c.Openings, c.Levels, c.Games))
	return nil
}

// add counts the moves of a game that follow its opening.
func (c *reach) add(g game.Game, opening int) {
	for i := opening; i < g.Len(); i++ {
		before, p := g.Undo(g.Len()-i), g.Moves()[i]
		c.moves++
		c.presses[min(pad.Presses(before, p), 4)-1]++
		if last := before.Last(); last == game.NoPoint || pad.Fit(p, last) {
			c.holding++
		}
	}
}

func (c *reach) print(w io.Writer, title string) {
	share := func(n int) float64 { return 100 * float64(n) / float64(max(c.moves, 1)) }
	p := c.presses
	fmt.Fprintf(w, "%s, %d moves\n", title, c.moves)
	fmt.Fprintf(w, "  one press    %5.1f %%\n", share(p[0]))
	fmt.Fprintf(w, "  up to two    %5.1f %%\n", share(p[0]+p[1]))
	fmt.Fprintf(w, "  up to three  %5.1f %%\n", share(p[0]+p[1]+p[2]))
	if c.listed {
		return
	}
	fmt.Fprintf(w, "  one press of a pad that knew the next move and had to hold the last: %.1f %%\n", share(c.holding))
}
