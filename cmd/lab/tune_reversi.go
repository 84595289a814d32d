package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"tengen/ai/engine"
	"tengen/ai/reversi"
)

type tuneReversiCmd struct {
	Rounds    int    `default:"${rounds}" help:"Games are made again with each round's weights."`
	Positions int    `default:"${positions}" help:"Positions per stage in the last round, a fifteenth of it before."`
	Depth     int    `default:"${depth}" help:"Depth of the search that labels a position."`
	Exact     int    `default:"${exact}" help:"Positions with so few empty squares are solved instead."`
	Seed      uint64 `default:"1" help:"Seed of the games."`
	From      string `type:"existingfile" help:"Weights to go on from; from nothing without it."`
	Out       string `default:"ai/reversi/weights.bin" help:"File of weights, written anew after each stage."`
	Cuts      int    `default:"${cuts}" help:"Positions per number of empty squares that measure the curves of Multi-ProbCut."`
}

// Run trains the evaluation of Reversi and measures what its cuts rest on.
func (c *tuneReversiCmd) Run(ctx context.Context) error {
	t := reversi.DefaultTraining()
	t.Rounds, t.Positions, t.Depth, t.Exact, t.Cuts, t.Seed = c.Rounds, c.Positions, c.Depth, c.Exact, c.Cuts, c.Seed
	if c.From != "" {
		var err error
		if t.Start, err = os.ReadFile(c.From); err != nil {
			return err
		}
	}
	t.Progress = progress()
	t.Keep = func(file []byte) error { return replace(c.Out, file) }
	file, err := reversi.Train(ctx, t)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d bytes, %v CPU\n", len(file), engine.CPUTime().Round(time.Second))
	return replace(c.Out, file)
}

// progress tells how far a fit has come, with the time that it has taken.
func progress() engine.Progress {
	start := time.Now()
	return func(format string, args ...any) {
		fmt.Fprintln(os.Stderr, time.Since(start).Round(time.Second), fmt.Sprintf(format, args...))
	}
}

// replace writes a file whole or not at all.
func replace(name string, data []byte) error {
	if err := os.WriteFile(name+".new", data, 0o666); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}
