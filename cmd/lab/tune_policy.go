package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"tengen/ai/five"
	"tengen/game"
)

type tunePolicyCmd struct {
	Rules  string   `default:"gomoku" enum:"gomoku,standard,renju" help:"The game to fit a policy for, on the full board."`
	Data   []string `help:"Files of games that tune has played."`
	Cuts   string   `default:"cuts.txt" help:"File of the moves that failed high in searches of those games; made where it is missing."`
	Every  int      `default:"3" help:"One game in so many is searched for them."`
	Nodes  int64    `default:"8000" help:"Nodes of such a search."`
	Epochs int      `default:"4" help:"How often the fit goes through its positions; without it there is none."`
	From   string   `help:"File of a policy, of any of the games, that the fit begins with."`
	Out    string   `default:"ai/five/tables" help:"Folder that the tables go to."`
}

// Run collects moves that failed high, then fits the policy of a game to them and to the games.
func (c *tunePolicyCmd) Run(ctx context.Context) error {
	r, _ := game.RulesNamed(c.Rules)
	var lists [][]five.Played
	for _, file := range c.Data {
		games, err := readGames(file, r)
		if err != nil {
			return err
		}
		lists = append(lists, games)
	}
	if _, err := os.Stat(c.Cuts); errors.Is(err, os.ErrNotExist) {
		if err := c.collect(ctx, r, lists); err != nil {
			return err
		}
	}
	if c.Epochs == 0 {
		return nil
	}
	cuts, err := readGames(c.Cuts, r)
	if err != nil {
		return err
	}
	from, err := c.from()
	if err != nil {
		return err
	}
	for name, w := range five.FitPolicy(r, append(lists, cuts), from, c.Epochs, progress()) {
		var out bytes.Buffer
		if err := five.WritePolicy(&out, w); err != nil {
			return err
		}
		if err := replace(filepath.Join(c.Out, name), out.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// from is the policy that the fit begins with, or nil.
func (c *tunePolicyCmd) from() (*five.PolicyWeights, error) {
	if c.From == "" {
		return nil, nil
	}
	file, err := os.Open(c.From)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return five.ReadPolicy(file)
}

// collect searches positions of the games and writes down what failed high.
func (c *tunePolicyCmd) collect(ctx context.Context, r game.Rules, lists [][]five.Played) error {
	var out bytes.Buffer
	e, rnd, n := five.New(), rand.New(rand.NewPCG(5, 5)), 0
	for _, games := range lists {
		for _, g := range games {
			if n++; n%max(1, c.Every) != 0 || g.Rules.Size() != r.Size() {
				continue
			}
			g.Rules = r // games of freestyle teach exact five too
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
