package view

import (
	"cmp"
	"fmt"
	"slices"

	"tengen/ai/engine"
	"tengen/ai/review"
	"tengen/bot/chat"
	"tengen/game"
	"tengen/render"
	"tengen/storage"
)

// Chart is a review of at least one move as a graph has it.
func Chart(r review.Review) render.Chart {
	c := render.Chart{Values: []float64{.5}, Proven: []bool{false}}
	for i, v := range review.BlackView(r.Plies) {
		if i == 0 {
			p := r.Plies[0]
			c.Values[0], c.Proven[0] = v/100, p.Had.Proof != engine.Unproven
			continue
		}
		c.Values = append(c.Values, v/100)
		c.Proven = append(c.Proven, r.Plies[i-1].Gave.Proof != engine.Unproven)
	}
	for _, p := range r.Plies {
		if p.Fault() {
			kind := render.Inaccuracy + render.FaultKind(p.Class-review.Inaccuracy)
			c.Faults = append(c.Faults, render.Fault{Move: p.N, By: p.By, Kind: kind, Numbered: slices.Contains(r.Faults, p.N)})
		}
	}
	return c
}

// chartWidth is the width of a review's graph, in pixels.
const chartWidth = 1050

// graph is the graph of a review, told in two sentences for those who cannot see it.
func (t Tongue) graph(rec storage.Record, r review.Review) (chat.Block, error) {
	c := Chart(r)
	theme := cmp.Or(rec.Look.Theme, render.DefaultTheme(rec.Rules))
	png, err := Draw(func(game.Game, render.Options) ([]byte, error) {
		return c.PNG(render.ChartOptions{Theme: theme, Width: chartWidth})
	}, rec.Game(), render.Options{})
	if err != nil {
		return chat.Block{}, fmt.Errorf("drawing: %w", err)
	}
	return chat.Block{Picture: &chat.Picture{Name: "review.png", Data: png,
		Alt: Clip(t.chartAlt(c.Facts(), judged(r) != [2]int{}), 1000)}}, nil
}

// mostStretches is how many stretches of a chart are told.
const mostStretches = 6

// chartAlt tells in two sentences what a graph shows; in one where no move was judged.
func (t Tongue) chartAlt(f render.ChartFacts, judged bool) string {
	var told []string
	for i, s := range f.Stretches {
		if i >= mostStretches-1 && i < len(f.Stretches)-1 {
			continue // the last one is how it ended
		}
		told = append(told, t.stretch(s))
	}
	alt := t.Say("review.alt.graph", "Count", f.Moves, "Told", told)
	switch {
	case !judged:
		return alt
	case len(f.Numbered) == 0:
		return t.Sentences(alt, t.Say("review.alt.none"))
	}
	var moves []string
	for _, x := range f.Numbered {
		moves = append(moves, fmt.Sprint(x.Move))
	}
	return t.Sentences(alt, t.Say("review.alt.faults", "Moves", moves, "Count", len(moves)))
}

// stretch tells who is ahead from when on.
func (t Tongue) stretch(s render.Stretch) string {
	key := "review.alt.ahead." + s.Ahead.String()
	switch {
	case s.Ahead == game.Empty && s.Proven:
		key = "review.alt.drawn"
	case s.Ahead == game.Empty:
		key = "review.alt.even"
	case s.Proven:
		key = "review.alt.won." + s.Ahead.String()
	}
	return t.Say(key, "From", max(s.From, 1))
}
