package review

import (
	"context"
	"fmt"
	"testing"

	"tengen/ai/engine"
	"tengen/game"
	"tengen/internal/testkit"
)

func TestTurning(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		winner     game.Color
		want       string
	}{
		{"an open three that is not blocked", "gomoku9 e5d4f5e4g5f4h5g4i5", game.Black, "6. F4 let-through, better D5"},
		{"a four that is not completed", "gomoku9 a1a3b1b3c1c3d1d3h9e3", game.White, "9. H9 missed-win, better E1"},
		{"the winner's own chances count for nothing", "gomoku9 a1e5b1d5c1e4d1g7i9a9e1", game.Black, "10. A9 let-through, better E1"},
		{"given up while all is open", "gomoku h8i9g7", game.Black, ""},
		{"given up after the winner blundered", "gomoku9 e5a1f5a2g5a3h5i1a9", game.Black, ""},
		{"nobody has won", "gomoku9 e5d4f5e4g5f4h5g4i5", game.Empty, ""},
	} {
		g := line(c.text)
		p, ok := Turning(t.Context(), g, c.winner, Options{Means: Means{Nodes: 20_000}})
		got := ""
		if ok {
			got = fmt.Sprintf("%d. %v %v, better %v", p.N, p.Move, p.Note, p.Best)
		}
		testkit.Want(t, c.name, got, c.want)
	}
}

// The turning point of a game of weak players is a move of the loser after which the game is proven lost,
// and before which it is not. Nothing is said once the time is over.
func TestTurningIsProven(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	found := 0
	for n := range testkit.Dose("TENGEN_REVIEWS", 1) + 1 {
		g := weak(t, []game.Rules{game.Reversi, game.Gomoku9, game.Renju}[n%3], uint64(n))
		winner := g.Result().Winner
		if winner == game.Empty {
			continue
		}
		if _, ok := Turning(over, g, winner, Options{}); ok {
			t.Errorf("game %d: found without time", n)
		}
		means := Means{Nodes: 20_000}
		p, ok := Turning(t.Context(), g, winner, Options{Means: means})
		if !ok {
			continue
		}
		found++
		lost := func(r engine.Report) bool { return r.Proof == engine.Loss || r.Proof == engine.Exact && r.Score < 0 }
		won := func(r engine.Report) bool { return r.Proof == engine.Win || r.Proof == engine.Exact && r.Score > 0 }
		before, after := audited(t, g.Until(p.N-1), means, 1), audited(t, g.Until(p.N), means, 10)
		if p.By == winner || lost(before) || !won(after) && g.Until(p.N).Turn() == winner {
			t.Errorf("game %d: %+v, before %v, after %v", n, p, before.Proof, after.Proof)
		}
	}
	t.Logf("%d turning points", found)
}
