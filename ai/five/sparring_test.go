package five

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"tengen/ai/engine"
	"tengen/game"
	"tengen/internal/testkit"
)

// A search of this position spends 20,000 nodes on fours before its first ply is done.
func TestStudy(t *testing.T) {
	moves, err := game.ParseMoves("j8h9h8j9i8k8i9i10h11h10g8f8g7j10k10g9i11f10g10f9f7e7d6j11g5")
	testkit.Must(t, err)
	g, err := game.New(game.Gomoku15).PlayAll(moves...)
	testkit.Must(t, err)
	rep, err := New().study(t.Context(), g, engine.Limits{Nodes: 20_000, Brief: true})
	if err != nil || rep.Depth < shallow {
		t.Errorf("depth %d, %v", rep.Depth, err)
	}
}

// The same seed and index give the same game, whatever the engine did before, and the label before
// a five is its proof.
func TestSparring(t *testing.T) {
	used := New()
	for _, r := range []game.Rules{game.Gomoku15, game.Renju} {
		for i := range uint32(3) {
			want, err := New().Sparring(t.Context(), r, 5, i, 100)
			testkit.Must(t, err)
			if got, err := used.Sparring(t.Context(), r, 5, i, 100); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s, game %d: %+v, %v; want %+v", r.Name(), i, got, err, want)
			}
			if n := len(want.Labels); n != len(want.Moves)-want.Book ||
				want.Winner != game.Empty && want.Labels[n-1].Proof() != 1 {
				t.Errorf("%s, game %d: labels %v", r.Name(), i, want.Labels)
			}
		}
	}
}

// What is stopped gives no sparring.
func TestSparringStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if l, err := New().Sparring(ctx, game.Gomoku15, 5, 1, 100); !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestStarts(t *testing.T) {
	var drawn [Starts]int
	rnd := rand.New(rand.NewPCG(1, 1))
	for range 10_000 {
		drawn[drawStart(rnd)]++
	}
	if odd := drawn[Late] + drawn[Lost]; odd < 900 || odd > 1100 || min(drawn[Late], drawn[Lost], drawn[Agreed]) < 400 {
		t.Errorf("starts drawn: %v", drawn)
	}
	e := New()
	for _, r := range []game.Rules{game.Gomoku15, game.Renju} {
		for kind := range Starts {
			g, err := e.begin(t.Context(), r, kind, rnd, 200)
			if err != nil || g.Turn() == game.Empty || g.Len() == 0 || kind == Late && g.Len() < 20 {
				t.Errorf("%s, %v: %v, %v", r.Name(), kind, g.Moves(), err)
			}
		}
	}
}
