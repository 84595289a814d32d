package learn

import (
	"math/rand/v2"
	"testing"

	"tengen/game"
)

// The moves that win at once are those that do so when every legal move is played, at edges and corners
// too.
func TestWins(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 60 {
		rules := []game.Rules{game.Gomoku9, game.Gomoku15, game.Renju}[rng.IntN(3)]
		g := game.New(rules)
		for size := g.Position().Size; g.Turn() != game.Empty && g.Len() < 4*size; {
			if p := game.At(rng.IntN(size/2), rng.IntN(size)); g.Check(p) == nil {
				g, _ = g.Play(p)
			}
			if g.Turn() == game.Empty || g.Len()%4 != 0 {
				continue
			}
			got, want := wins(g), moves(g, func(h game.Game) bool { return h.Result().Winner == g.Turn() })
			if got != want {
				t.Fatalf("%s wins %s, want %s:\n%v", g.Turn(), row(got.Points()), row(want.Points()), g.Position())
			}
			found += got.Len()
		}
	}
	if found < 50 {
		t.Errorf("only %d wins were looked at", found)
	}
}
