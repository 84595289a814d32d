package five

import (
	"reflect"
	"testing"

	"tengen/ai/engine"
	"tengen/game"
	"tengen/internal/testkit"
)

// A search of this position spends 20,000 nodes on fours before its first ply is done.
func TestStudy(t *testing.T) {
	moves := testkit.Got(game.ParseMoves("j8h9h8j9i8k8i9i10h11h10g8f8g7j10k10g9i11f10g10f9f7e7d6j11g5"))
	g := testkit.Got(game.New(game.Gomoku15).PlayAll(moves...))
	rep, err := New().study(t.Context(), g, engine.Limits{Nodes: 20_000, Brief: true})
	if err != nil || rep.Depth < shallow {
		t.Errorf("depth %d, %v", rep.Depth, err)
	}
}

// The same seed and index give the same game, whatever the engine did before, and the label before
// a five is its proof.
func TestLesson(t *testing.T) {
	used := New()
	for _, r := range []game.Rules{game.Gomoku15, game.Renju} {
		for i := range uint32(4) {
			want := testkit.Got(New().Lesson(t.Context(), r, 5, i, 100))
			if got, err := used.Lesson(t.Context(), r, 5, i, 100); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s, game %d: %+v, %v; want %+v", r.Name(), i, got, err, want)
			}
			if n := len(want.Labels); n != len(want.Moves)-want.Book ||
				want.Winner != game.Empty && want.Labels[n-1].Proof() != 1 {
				t.Errorf("%s, game %d: labels %v", r.Name(), i, want.Labels)
			}
		}
	}
}
