package reversi

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tengen/ai/engine"
	"tengen/internal/testkit"
)

// TestVectors holds the vector instructions to the same numbers as the plain way.
func TestVectors(t *testing.T) {
	if !vectors {
		t.Skip("no vector instructions here")
	}
	var w stage
	rng := rand.New(rand.NewPCG(8, 0))
	for i := range w.of {
		for j := range w.of[i] {
			w.of[i][j] = int16(rng.Uint32())
		}
	}
	randomBoards(9, 60, func(b board, _ square) {
		from := featuresOf(b)
		if got, want := sumVector(&w, &from), w.sum(&from); got != want {
			t.Fatalf("%x: sum %d, want %d", b, got, want)
		}
		for x := range square(64) { // moves that turn nothing, too
			if (b.own|b.opp)>>x&1 != 0 {
				continue // indexes that overflow mean nothing
			}
			var got, want features
			turned := turnVector(&got, &from, &indexTable, &rayTable[x], uint64(x), b.own, b.opp)
			if fl := flips(b.own, b.opp, x); turned != fl {
				t.Fatalf("%x, move %d: turned %x, want %x", b, x, turned, fl)
			}
			want.play(&from, x, turned)
			if got != want {
				t.Fatalf("%x, move %d: features %x, want %x", b, x, got, want)
			}
			again, sum := leafVector(&w, &from, &indexTable, &rayTable[x], uint64(x), b.own, b.opp)
			if again != turned || sum != w.sum(&want) {
				t.Fatalf("%x, move %d: turned %x and sum %d, want %x and %d", b, x, again, sum, turned, w.sum(&want))
			}
		}
	})
}

// TestVectorsSame plays the same search with and without the vector instructions.
func TestVectorsSame(t *testing.T) {
	if !vectors {
		t.Skip("no vector instructions here")
	}
	defer func() { vectors = true }()
	rng := rand.New(rand.NewPCG(10, 0))
	randomBoards(11, 4, func(b board, _ square) {
		if rng.IntN(12) != 0 {
			return
		}
		var reports [2]engine.Report
		for i := range reports {
			vectors = i == 0
			r := testkit.Got(new(Engine).think(t.Context(), b, engine.Limits{Nodes: 20_000}, 1))
			r.Elapsed = 0
			reports[i] = r
		}
		if d := cmp.Diff(reports[1], reports[0]); d != "" {
			t.Errorf("%x: with vectors (+) and without: %s", b, d)
		}
	})
}

// BenchmarkVectors searches the same positions with the vector instructions and without, by
// turns, and gives the median of the ratios of CPU time.
func BenchmarkVectors(b *testing.B) {
	if !vectors {
		b.Skip("no vector instructions here")
	}
	defer func() { vectors = true }()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	took := func(at board, with bool) float64 {
		vectors = with
		from := engine.CPUTime()
		testkit.Got(new(Engine).think(b.Context(), at, engine.Limits{Nodes: 200_000}, 1))
		return float64(engine.CPUTime() - from)
	}
	var ratios []float64
	for b.Loop() {
		for _, n := range []int{46, 38, 30, 24} {
			for _, at := range middles(4, n) {
				ratios = append(ratios, took(at, false)/took(at, true))
			}
		}
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "plain/vector")
}
