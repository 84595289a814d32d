package five

import (
	"context"
	"slices"
	"testing"

	"tengen/ai/engine"
	"tengen/game"
)

// BenchmarkSearchLayers searches the same positions with the vector instructions and without,
// by turns, and gives the median of the ratios of CPU time.
func BenchmarkSearchLayers(b *testing.B) {
	if !vectors {
		b.Skip("no vector instructions here")
	}
	defer func() { vectors = true }()
	games := []game.Game{
		play(b, game.Gomoku15, "h8i7j6i9i8j7k8h7g7j8j9k10h10i6"),
		play(b, game.Standard15, "h8h9i7g7i9i8"),
		play(b, game.Renju, "h8i9j10i8i7g9"),
	}
	e := New()
	took := func(g game.Game, with bool) (cpu float64, nodes int64) {
		vectors = with
		e.Clear()
		from := engine.CPUTime()
		r, err := e.Search(context.Background(), g, engine.Limits{Nodes: 30_000, Brief: true})
		if err != nil {
			b.Fatal(err)
		}
		return float64(engine.CPUTime() - from), r.Nodes
	}
	var ratios []float64
	for b.Loop() {
		for _, g := range games {
			plain, n := took(g, false)
			vector, m := took(g, true)
			if n != m {
				b.Fatalf("%d nodes and %d", n, m)
			}
			ratios = append(ratios, plain/vector)
		}
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "plain/vector")
}
