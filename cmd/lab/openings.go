package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"

	"tengen/ai/five"
	"tengen/game"
)

type openingsCmd struct {
	Count int    `default:"60" help:"Openings a game."`
	Seed  uint64 `default:"1" help:"Seed of the search for them."`
	Out   string `default:"ai/five/tables/openings.txt" help:"File to write."`
}

// Run looks for near-equal openings of every five-in-a-row game.
func (c *openingsCmd) Run(ctx context.Context) error {
	var out bytes.Buffer
	fmt.Fprintln(&out, "# Openings that the engine calls near equal, made by `go run ./cmd/lab openings`.")
	e := five.New()
	for _, r := range game.AllRules {
		if r == game.Reversi {
			continue
		}
		rnd := rand.New(rand.NewPCG(c.Seed, uint64(r.Size())))
		seen := map[string]bool{}
		n, tries := 0, 0
		for ; n < c.Count && tries < 200*c.Count; tries++ {
			moves, ok := e.FindOpening(ctx, r, rnd, seen)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if ok {
				n++
				fmt.Fprintln(&out, r.Name(), game.MoveList(moves))
				fmt.Fprintf(os.Stderr, "\r%s: %d of %d, %d tried   ", r.Name(), n, c.Count, tries+1)
			}
		}
		fmt.Fprintln(os.Stderr)
	}
	return replace(c.Out, out.Bytes())
}
