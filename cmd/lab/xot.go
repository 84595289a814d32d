package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"tengen/ai/reversi"
	"tengen/game"
	book "tengen/game/opening"
)

type xotCmd struct {
	Count int    `default:"2500" help:"How many openings."`
	Depth int    `default:"22" help:"Depth of the search that judges them."`
	Bound int    `default:"200" help:"Hundredths of a disc by which one side may be ahead."`
	Seed  uint64 `default:"1" help:"Seed of the random lines."`
	Out   string `default:"game/opening/xot.bin" help:"File to write."`
}

// Run makes the list of XOT openings. What it has found stands in a file beside the one to
// write, so that a run that was cut short goes on where it stopped.
func (c *xotCmd) Run(ctx context.Context) error {
	part := c.Out + ".lines"
	text, err := os.ReadFile(part)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	lines := strings.Fields(string(text[:bytes.LastIndexByte(text, '\n')+1]))
	f, err := os.Create(part)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, line := range lines {
		fmt.Fprintln(f, line)
	}
	tell := progress()
	err = reversi.MakeXOT(ctx, c.Count, c.Depth, c.Bound, c.Seed, lines, func(line string) error {
		lines = append(lines, line)
		if len(lines)%100 == 0 {
			tell("%d of %d", len(lines), c.Count)
		}
		_, err := fmt.Fprintln(f, line)
		return err
	})
	if err != nil {
		return err
	}
	var openings [][]game.Point
	for _, line := range lines {
		moves, err := game.ParseMoves(line)
		if err != nil {
			return err
		}
		openings = append(openings, moves)
	}
	list, err := book.PackXOT(openings)
	if err != nil {
		return err
	}
	fmt.Println(len(lines), "openings,", len(list), "bytes")
	if err := replace(c.Out, list); err != nil {
		return err
	}
	return os.Remove(part)
}
