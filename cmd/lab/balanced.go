package main

import (
	"bytes"
	"context"
	"fmt"

	"tengen/ai/reversi"
)

type balancedReversiCmd struct {
	Count int    `default:"500" help:"How many openings."`
	Depth int    `default:"10" help:"Depth of the search that judges them."`
	Bound int    `default:"100" help:"Hundredths of a disc by which one side may be ahead."`
	Seed  uint64 `default:"3" help:"Seed of the random lines."`
	Out   string `default:"ai/reversi/balanced.txt" help:"File to write."`
}

// Run makes the balanced openings of Reversi.
func (c *balancedReversiCmd) Run(ctx context.Context) error {
	var out bytes.Buffer
	if err := reversi.MakeBalanced(ctx, c.Count, c.Depth, c.Bound, c.Seed, &out); err != nil {
		return err
	}
	fmt.Println(bytes.Count(out.Bytes(), []byte("\n")), "openings")
	return replace(c.Out, out.Bytes())
}
