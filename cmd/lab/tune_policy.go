package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"

	"tengen/ai/five"
	"tengen/game"
)

type tunePolicyCmd struct {
	Data   []string `help:"Files of games that tune has played."`
	Cuts   string   `default:"cuts.txt" help:"File of the moves that failed high in searches of those games; made where it is missing."`
	Every  int      `default:"3" help:"One game in so many is searched for them."`
	Nodes  int64    `default:"8000" help:"Nodes of such a search."`
	Epochs int      `default:"4" help:"How often the fit goes through its positions."`
	Out    string   `default:"ai/five/tables/policy.z" help:"File that the tables go to."`
}

// Run collects moves that failed high, then fits the policy of freestyle to them and to the games.
func (c *tunePolicyCmd) Run(ctx context.Context) error {
	var lists [][]five.Played
	for _, file := range c.Data {
		games, err := readGames(file, game.Gomoku15)
		if err != nil {
			return err
		}
		lists = append(lists, games)
	}
	if _, err := os.Stat(c.Cuts); errors.Is(err, os.ErrNotExist) {
		if err := c.collect(ctx, lists); err != nil {
			return err
		}
	}
	cuts, err := readGames(c.Cuts, game.Gomoku15)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := five.WritePolicy(&out, five.FitPolicy(append(lists, cuts), c.Epochs, progress())); err != nil {
		return err
	}
	return replace(c.Out, out.Bytes())
}

// collect searches positions of the games and writes down what failed high.
func (c *tunePolicyCmd) collect(ctx context.Context, lists [][]five.Played) error {
	var out bytes.Buffer
	e, rnd, n := five.New(), rand.New(rand.NewPCG(5, 5)), 0
	for _, games := range lists {
		for _, g := range games {
			if n++; n%max(1, c.Every) != 0 || g.Rules != game.Gomoku15 {
				continue
			}
			for _, cut := range e.Cuts(ctx, g, rnd, c.Nodes) {
				fmt.Fprintln(&out, writeGame(cut))
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	return replace(c.Cuts, out.Bytes())
}
