package reversi

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// randomBoards plays random games and calls f on each position and the move played.
func randomBoards(seed uint64, games int, f func(b board, x square)) {
	rng := rand.New(rand.NewPCG(seed, 0))
	for range games {
		b := startBoard
		for {
			m := b.moves()
			if m == 0 {
				if b = b.swap(); b.moves() == 0 {
					break
				}
				continue
			}
			for range rng.IntN(bits.OnesCount64(m)) {
				m &= m - 1
			}
			x := square(bits.TrailingZeros64(m))
			f(b, x)
			b = b.play(x)
		}
	}
}

func TestFeaturesFollowMoves(t *testing.T) {
	randomBoards(5, 20, func(b board, x square) {
		from := featuresOf(b)
		var got features
		got.play(&from, x, flips(b.own, b.opp, x))
		if want := featuresOf(b.play(x)); got != want {
			t.Fatalf("after %d: %x, want %x", x, got, want)
		}
		got.pass(&from)
		if want := featuresOf(b.swap()); got != want {
			t.Fatalf("after a pass: %x, want %x", got, want)
		}
	})
}

// TestSymmetry holds that a board turned in any way has the same shapes.
func TestSymmetry(t *testing.T) {
	var w stage
	rng := rand.New(rand.NewPCG(6, 0))
	for _, p := range patterns {
		first := p.base - len(p.mirror)/2
		for i, m := range p.mirror {
			if int(m) >= i {
				v := int16(rng.IntN(200) - 100)
				w.of[p.table][first+i], w.of[p.table][first+int(m)] = v, v
			}
		}
	}
	randomBoards(7, 10, func(b board, _ square) {
		f := featuresOf(b)
		want := w.eval(&f, 10)
		for sym := range 8 {
			turned := board{turnAll(b.own, sym), turnAll(b.opp, sym)}
			f := featuresOf(turned)
			if got := w.eval(&f, 10); got != want {
				t.Fatalf("symmetry %d: %d, want %d", sym, got, want)
			}
		}
	})
}

func BenchmarkEval(b *testing.B) {
	w := new(stage)
	f := featuresOf(startBoard)
	for b.Loop() {
		w.eval(&f, 10)
	}
}

func BenchmarkFeaturesPlay(b *testing.B) {
	f := featuresOf(startBoard)
	var g features
	for b.Loop() {
		g.play(&f, 19, 1<<27|1<<28)
	}
}
