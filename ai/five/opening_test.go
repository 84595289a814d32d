package five

import (
	"context"
	"math"
	"testing"

	"tengen/ai/engine"
	"tengen/game"
	"tengen/internal/testkit"
)

func TestStarts26(t *testing.T) {
	testkit.Want(t, "standard openings", len(starts26()), 26)
}

func TestBalanced(t *testing.T) {
	for _, r := range game.AllRules {
		for seed := range uint64(300) {
			if _, err := game.New(r).PlayAll(Balanced(r, seed)...); err != nil {
				t.Errorf("%s, seed %d: %v", r.Name(), seed, err)
			}
		}
	}
}

// The stored openings are near equal still, by the last searches of those that found them; a shorter
// search may be farther off. TENGEN_FULL=1 looks at all of them.
func TestBalancedHolds(t *testing.T) {
	t.Parallel()
	nodes, off := int64(dose(300_000, 2_000_000, 2_000_000)), 0.08
	if nodes < 2_000_000 {
		off = 0.1
	}
	e := New()
	for _, r := range game.AllRules {
		list := openings()[r.Name()]
		for i := range min(dose(2, 2, len(list)), len(list)) {
			g := testkit.Got(game.New(r).PlayAll(list[i*7%len(list)]...))
			e.Clear()
			rep, err := e.Search(context.Background(), g, engine.Limits{Nodes: nodes, Brief: true})
			if err != nil || math.Abs(rep.Win-0.5) > off {
				t.Errorf("%s %s: %.2f, %v", r.Name(), game.MoveList(g.Moves()), rep.Win, err)
			}
		}
	}
}
