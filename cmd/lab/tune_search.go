package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"tengen/ai/five"
	"tengen/game"
)

type tuneSearchCmd struct {
	Rules   string `default:"gomoku" enum:"gomoku,standard,renju,gomoku9,standard9" help:"The game to play."`
	Pairs   int    `default:"10000" help:"Pairs of games of the whole fit."`
	Nodes   int64  `default:"10000" help:"Nodes of a move."`
	Threads int    `default:"1" help:"Pairs that are played at once."`
	Seed    uint64 `default:"1" help:"Seed of the openings and steps."`
	State   string `default:"search.json" help:"File of the fit, which goes on where it was stopped."`
	Still   bool   `help:"Leave the numbers where they stand, and tell what a step of each is worth."`
	Match   int    `help:"Play so many pairs of games of the numbers in the file against those of the engine instead."`
}

// Run fits the numbers of the search of ai/five, or plays a match of what was fitted.
func (c *tuneSearchCmd) Run(ctx context.Context) error {
	r, _ := game.RulesNamed(c.Rules)
	fit := five.NewSearchFit()
	switch text, err := os.ReadFile(c.State); {
	case err == nil:
		if err := fit.Read(text); err != nil {
			return fmt.Errorf("%s: %w", c.State, err)
		}
	case !errors.Is(err, os.ErrNotExist) || c.Match > 0:
		return err
	}
	if c.Match > 0 {
		won, n := &score{pairs: map[int]float64{}}, 0
		err := fit.Match(ctx, r, c.Match, c.Nodes, c.Seed, func(points float64) {
			won.add(n, outcome{points: points, fault: -1})
			n++
		})
		fmt.Printf("%s\n%s\n", fit, won)
		return err
	}
	if c.Still && !fit.Still && fit.Pairs > 0 {
		return fmt.Errorf("%s: is a fit of numbers that move", c.State)
	}
	fit.Still = fit.Still || c.Still
	var failed error
	fit.Run(ctx, r, c.Pairs, c.Nodes, c.Threads, c.Seed, func(f *five.SearchFit) {
		if f.Still {
			fmt.Println(f.Worth())
		} else {
			fmt.Println(f)
		}
		text, err := json.Marshal(f)
		if err == nil {
			err = replace(c.State, text)
		}
		failed = errors.Join(failed, err)
	})
	return errors.Join(failed, ctx.Err())
}
