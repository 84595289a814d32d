package main

import (
	"context"
	"fmt"

	"tengen/ai/five/gomocup"
	"tengen/ai/reversi/gtp"
)

type engineCmd struct {
	Protocol string `arg:"" enum:"gomocup,gtp" help:"The protocol to speak: gomocup for five in a row, gtp for Reversi."`
	CPU      bool   `help:"Read the given times as CPU time, for matches on a loaded machine."`
	Level    int    `help:"Play as level 1-8 of the bot; 0 is full strength." default:"0"`
}

// Run speaks the protocol on stdin and stdout until its end.
func (c engineCmd) Run(ctx context.Context, s streams) error {
	if c.Level < 0 || c.Level > 8 {
		return exit{2, fmt.Sprintf("level %d: there are levels 1 to 8", c.Level)}
	}
	if c.Protocol == "gtp" {
		return gtp.Serve(ctx, s.in, s.out, gtp.Options{Name: "tengen", Version: version(), Level: c.Level, CPU: c.CPU})
	}
	return gomocup.Serve(ctx, s.in, s.out, gomocup.Options{Level: c.Level, CPU: c.CPU})
}
