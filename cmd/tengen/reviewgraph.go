package main

import (
	"context"
	"fmt"
	"strings"

	"tengen/game"
	"tengen/render"
)

// checkGraph says what is impossible about the graph that was asked for, before a review
// that takes its time.
func (c reviewCmd) checkGraph() error {
	return checkPNG("-o GRAPH.png", c.Out, "review: ", render.Options{Theme: c.Theme, Size: c.Size})
}

// draw writes the graph.
func (c reviewCmd) draw(ctx context.Context, chart render.Chart) error {
	picture, err := chart.PNG(render.ChartOptions{Theme: c.Theme, Width: c.Size})
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return writeFile(c.Out, picture)
}

// graphText tells in two sentences what a graph shows.
func graphText(f render.ChartFacts) string {
	const most = 5 // stretches that are told one by one
	var told []string
	for i, s := range f.Stretches {
		if i == most-1 && len(f.Stretches) > most {
			told = append(told, plural(len(f.Stretches)-most, "more change"))
		}
		if i < most-1 || i == len(f.Stretches)-1 {
			told = append(told, stretchText(s, i == 0))
		}
	}
	text := fmt.Sprintf("Graph of black's expectation over %s: %s.", plural(f.Moves, "move"), strings.Join(told, ", "))
	var sides []string
	for i, n := range f.Faults {
		sides = append(sides, fmt.Sprintf("%s has %s, %s and %s", game.Color(i+1),
			plural(n[0], "inaccuracy"), plural(n[1], "mistake"), plural(n[2], "blunder")))
	}
	second := strings.Join(sides, ", ")
	if len(f.Numbered) > 0 {
		var moves []string
		for _, x := range f.Numbered {
			moves = append(moves, fmt.Sprint(x.Move))
		}
		second += "; numbered are " + strings.Join(moves, ", ")
	}
	return text + " " + strings.ToUpper(second[:1]) + second[1:] + "."
}

// stretchText tells who is ahead and from when on.
func stretchText(s render.Stretch, first bool) string {
	what := map[game.Color]string{game.Empty: "even", game.Black: "black ahead", game.White: "white ahead"}[s.Ahead]
	if s.Proven {
		what = map[game.Color]string{game.Empty: "a proven draw", game.Black: "a proven win for black",
			game.White: "a proven win for white"}[s.Ahead]
	}
	if first {
		return what + " at first"
	}
	return fmt.Sprintf("%s from move %d on", what, s.From)
}
