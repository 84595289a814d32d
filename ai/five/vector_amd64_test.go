package five

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"tengen/ai/engine"
	"tengen/game"
)

// vectorGames are positions of all variants.
func vectorGames(t testing.TB) []game.Game {
	return []game.Game{
		play(t, game.Gomoku15, "h8i7j6i9i8j7k8h7g7j8j9k10h10i6"),
		play(t, game.Standard15, "h8h9i7g7i9i8"),
		play(t, game.Renju, "h8i9j10i8i7g9"),
	}
}

// A search with the vector instructions is the one without them: the same nodes, values, lines.
func TestVectorsSame(t *testing.T) {
	if !vectors {
		t.Skip("no vector instructions here")
	}
	defer func() { vectors = true }()
	for _, g := range vectorGames(t) {
		var got [2]engine.Report
		for i := range got {
			vectors = i == 0
			got[i] = search(t, g, engine.Limits{Nodes: 5000})
			got[i].Elapsed = 0
		}
		if !reflect.DeepEqual(got[0], got[1]) {
			t.Errorf("%s %s: %+v, without vectors %+v", g.Rules().Name(), game.MoveList(g.Moves()), got[0], got[1])
		}
	}
}

// BenchmarkVectors searches the same positions with the vector instructions and without,
// by turns, and gives the median of the ratios of CPU time.
func BenchmarkVectors(b *testing.B) {
	if !vectors {
		b.Skip("no vector instructions here")
	}
	defer func() { vectors = true }()
	games := vectorGames(b)
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

// FuzzPolicy holds the vector instructions of the policy to the plain loops, number by number, on
// any weights, in every game.
func FuzzPolicy(f *testing.F) {
	if !vectors {
		f.Skip("no vector instructions here")
	}
	f.Add(uint64(1), uint8(40), uint16(300))
	f.Add(uint64(2), uint8(3), uint16(20000))
	f.Add(uint64(3), uint8(120), uint16(32767))
	for seed := range uint64(6) {
		f.Add(seed, uint8(40+seed/3), uint16(0))
	}
	f.Fuzz(func(t *testing.T, seed uint64, stones uint8, size uint16) {
		defer func() { vectors = true }()
		rnd := rand.New(rand.NewPCG(seed, 20))
		r := []game.Rules{game.Gomoku15, game.Standard15, game.Renju}[seed%3]
		v, _ := variantOf(r)
		var b board
		b.reset(shapeOf(v, 15))
		b.follow(randomGame(rnd, r, int(stones)%150))
		w := b.policy[b.turn&1]
		if size > 0 {
			w = randomPolicy(rnd, int(min(size, 32767))).tables()
		}
		var moves [2][]scored
		for i := range moves {
			for p := range b.empty.All() {
				moves[i] = append(moves[i], scored{p: uint8(p), score: int32(p)})
			}
			vectors = i == 0
			new(policy).order(&b, w, moves[i])
		}
		for i, m := range moves[0] {
			if m != moves[1][i] {
				t.Fatalf("%v, without vectors %v", m, moves[1][i])
			}
		}
	})
}
