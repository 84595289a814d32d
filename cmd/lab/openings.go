package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"

	"tengen/ai/five"
	"tengen/game"
)

type openingsCmd struct {
	Count int    `default:"100" help:"Openings a game."`
	Seed  uint64 `default:"1" help:"Seed of the search for them."`
	Out   string `default:"ai/five/tables/openings.txt" help:"File to write."`
}

// Run looks for near-equal openings of every five-in-a-row game, all games at once.
func (c *openingsCmd) Run(ctx context.Context) error {
	games := make([]bytes.Buffer, len(game.AllRules))
	var all sync.WaitGroup
	for i, r := range game.AllRules {
		if r != game.Reversi {
			all.Go(func() { c.find(ctx, r, &games[i]) })
		}
	}
	all.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	out := []byte("# Openings that the engine calls near equal, made by `go run ./cmd/lab openings`.\n")
	for i := range games {
		out = append(out, games[i].Bytes()...)
	}
	return replace(c.Out, out)
}

// find looks for the openings of one game.
func (c *openingsCmd) find(ctx context.Context, r game.Rules, out *bytes.Buffer) {
	e := five.New()
	rnd := rand.New(rand.NewPCG(c.Seed, uint64(r.Size())))
	seen := map[string]bool{}
	for n, tries := 0, 1; n < c.Count && tries <= 400*c.Count && ctx.Err() == nil; tries++ {
		if moves, ok := e.FindOpening(ctx, r, rnd, seen); ok {
			n++
			fmt.Fprintln(out, r.Name(), game.MoveList(moves))
			fmt.Fprintf(os.Stderr, "%s: %d of %d, %d tried\n", r.Name(), n, c.Count, tries)
		}
	}
}
