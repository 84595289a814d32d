package review

import (
	"math/rand/v2"
	"os"
	"runtime"
	"testing"
	"time"

	"tengen/ai"
	"tengen/ai/engine"
	"tengen/game"
	"tengen/internal/testkit"
)

// What a review may spend on notes is bounded: where it is used up there is no search with ten
// times the means, and a fault keeps its class without a note.
func TestBudget(t *testing.T) {
	t.Parallel()
	g := line("gomoku9 a1e5b1d5c1e4d1g7i9")
	for _, left := range []float64{deepTimes - 1, deepTimes * 10} {
		r := testkit.Got(newReviewer(t.Context(), g, Options{Means: Means{Nodes: 20_000}}))
		testkit.Must(t, r.backwards())
		r.left = left
		plies, err := r.judgeAll()
		r.close()
		testkit.Must(t, err)
		want := NoNote
		if left > deepTimes {
			want = MissedWin
		}
		if p := plies[8]; p.Note != want || p.Class != Blunder {
			t.Errorf("with means for %v positions: %v, %v", left, p.Class, p.Note)
		}
		if r.left < -deepTimes*2 {
			t.Errorf("%v more than allowed", -r.left)
		}
	}
	r := testkit.Got(newReviewer(t.Context(), g, Options{}))
	defer r.close()
	if want := float64(usualPlies + extraCPU); r.left != want {
		t.Errorf("a review by CPU time has means for %v positions, want %v", r.left, want)
	}
}

// Solving the endings of Reversi takes nothing from what other positions may spend.
func TestSolvingIsFree(t *testing.T) {
	t.Parallel()
	g, ok := ending(t, rand.New(rand.NewPCG(8, 8)), 12)
	if !ok {
		t.Fatal("no ending")
	}
	r := testkit.Got(newReviewer(t.Context(), g, Options{Means: Means{Nodes: 10}}))
	defer r.close()
	before := r.left
	if err := r.backwards(); err != nil || r.left != before {
		t.Errorf("means for %v positions are left of %v, %v", r.left, before, err)
	}
}

// costOf is the CPU time of a review.
func costOf(t *testing.T, g game.Game, m Means) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	from := engine.CPUTime()
	check(t, g, reviewed(t, g, Options{Means: m}))
	return engine.CPUTime() - from
}

// At the default means a game of 60 plies takes at most 18 seconds of CPU in five in a row and
// 25 in Reversi. TENGEN_REVIEW_COST=1 measures it.
func TestCost(t *testing.T) {
	if os.Getenv("TENGEN_REVIEW_COST") == "" {
		t.Skip("TENGEN_REVIEW_COST is not set")
	}
	for name, text := range map[string]string{
		"a long game": "gomoku " + longMoves,
		"another":     "gomoku " + otherMoves,
		"Reversi":     "reversi start",
	} {
		g, most := line(text).Until(60), 18*time.Second
		if g.Rules() == game.Reversi {
			rnd := rand.New(rand.NewPCG(4, 4))
			for most = 25 * time.Second; g.Turn() != game.Empty; {
				r := testkit.Got(ai.Search(t.Context(), g, engine.Limits{Level: 5, Seed: rnd.Uint64()}))
				g, _ = g.Play(r.Move)
			}
		}
		cpu := costOf(t, g, DefaultMeans)
		t.Logf("%s, %d plies: %v of CPU", name, g.Len(), cpu.Round(10*time.Millisecond))
		if cpu > most {
			t.Errorf("%s: %v of CPU, want %v at most", name, cpu, most)
		}
	}
}

// Long games of the engine against itself.
const (
	longMoves = "i10i12k10h11j10h10h9g9g10i8j11k12j12j9l10m10k11m9i13h14l12m13h12l11j13j14k8k9l9m8m7i7h8i9g11g13f7g8" +
		"i6n9o8j7l7k7g6g7h7l6j8h5f6h6f8f9e9f10e6f5d6c6g5e7f11e12d12d11c10d9d10c11g2g3j6e10c12"
	otherMoves = "f11f9f13e8f12f14g11h10h11e11g12i10e10h13g9g10j11i11j10c8j12j13i13h12k11l10i9l12l9k9j8j9h8g7i8k8f8g8" +
		"d7i7h7k6k7c10g15h14m8m6l7n7l6m5l5l8g14g13e15d15k10i12g6e6e5f7h9d5c4e4c6l4h5h6k3c9"
)
