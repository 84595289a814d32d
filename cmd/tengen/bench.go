package main

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"tengen/ai"
	"tengen/ai/engine"
	"tengen/game/record"
)

type benchCmd struct {
	JSON bool `name:"json" help:"One JSON object."`
}

// benchLines are the positions of the bench with the depth each is searched to: node
// counts are the signature of the engine, the same on every machine.
var benchLines = []struct {
	line  string
	depth int
}{
	{"gomoku h8g7f6g8g9", 9},
	{"gomoku h2h5h4f6", 8},
	{"gomoku h8i7j6i9i8j7k8h7g7j8j9k10h10i6", 8},
	{"gomoku9 e5e6f5d5f7f6g6", 8},
	{"standard h8h9i7g7i9i8", 8},
	{"standard9 e5d4d5c5e4", 8},
	{"renju h8h9h6i10i6i9g9g8j11i7", 8},
	{"renju h8i9j10i8i7g9", 9},
	{"renju h8h9j9j8f8i7g7i9h6e9f6k7l6i10i6f9g9g11h10i11i8", 8},
	{"reversi f5d6c3d3c4f4f6f3", 12},
	{"reversi f5f6e6f4e3c5c4e7", 12},
	{"reversi f5d6c5f4e3c6d3f6e6d7g4c4g5c3f7d2", 12},
}

// Run searches the positions on one thread and prints the sum of nodes and the speed.
func (c benchCmd) Run(ctx context.Context, s streams) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var nodes int64
	var cpu time.Duration
	for _, b := range benchLines {
		g, err := record.ParseLine(b.line)
		if err != nil {
			return err
		}
		from := engine.CPUTime()
		r, err := ai.Search(ctx, g, ai.Limits{Depth: b.depth, Brief: true})
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		cpu += engine.CPUTime() - from
		nodes += r.Nodes
		if !c.JSON {
			fmt.Fprintf(s.out, "%-60s %10d nodes  %v\n", b.line, r.Nodes, r.Move)
		}
	}
	speed := float64(nodes) / cpu.Seconds()
	if c.JSON {
		_, err := fmt.Fprintln(s.out, toJSON(map[string]any{"nodes": nodes, "ms": cpu.Milliseconds(), "nps": int64(speed)}))
		return err
	}
	_, err := fmt.Fprintf(s.out, "Bench: %d\n%.0f nodes a CPU second\n", nodes, speed)
	return err
}
