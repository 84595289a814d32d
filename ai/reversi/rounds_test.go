package reversi

import (
	"testing"

	"tengen/ai/engine"
)

// TestRoundsBeginSoon holds that the first round of the endgame comes to its end in little time:
// before it has, a move rests on a search of the middle game that does not see the last discs.
func TestRoundsBeginSoon(t *testing.T) {
	seen := 0
	list := middles(24, 23)
	for _, b := range list {
		th := newThinker(t.Context(), new(Engine), b, engine.Limits{Nodes: 300_000}, 1)
		th.think()
		th.watch.Close()
		if th.depth == th.n {
			seen++
		}
	}
	t.Logf("%d of %d positions seen to the end in 300,000 nodes", seen, len(list))
	if seen < 17 {
		t.Errorf("%d of %d positions were seen to the end in 300,000 nodes", seen, len(list))
	}
}
