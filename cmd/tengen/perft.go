package main

import (
	"context"
	"fmt"
	"strings"

	"tengen/ai/reversi"
	"tengen/game"
	"tengen/game/record"
)

type perftCmd struct {
	Plies int      `arg:"" help:"How many plies."`
	Line  []string `arg:"" optional:"" name:"position" help:"A position line of Reversi; the start without it."`
}

// Run counts the lines of play of a number of plies. A pass counts as a ply and a
// finished game as one leaf.
func (c perftCmd) Run(ctx context.Context, s streams) error {
	if c.Plies < 0 || c.Plies > 60 {
		return exit{2, "perft wants 0 to 60 plies"}
	}
	g := game.New(game.Reversi)
	if len(c.Line) > 0 {
		var err error
		if g, err = record.ParseLine(strings.Join(c.Line, " ")); err != nil {
			return err
		}
	}
	if g.Rules() != game.Reversi {
		return exit{2, "perft is for Reversi"}
	}
	n, err := reversi.Perft(ctx, g, c.Plies)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.out, n)
	return err
}
