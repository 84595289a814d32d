package reversi

import (
	"math/bits"
	"testing"

	"tengen/ai/engine"
	"tengen/internal/testkit"
)

// chosen is the square on which a level moves in the game of a seed.
func chosen(t *testing.T, b board, level int, seed uint64) square {
	th := newThinker(t.Context(), new(Engine), b, engine.Limits{Level: level, Seed: seed}, 1)
	defer th.watch.Close()
	th.think()
	th.report()
	return th.list[0].x
}

// manner is how a level plays in the middle game.
type manner struct {
	corners float64 // share of the moves that let the other side take a corner, where another move would not
	luck    float64 // the same of moves by lot
	replies float64 // the moves that are left to the other side, in parts of what the average move leaves
}

// mannerOf is the manner of a level in positions that are the same for all levels.
func mannerOf(t *testing.T, level int, positions []board) manner {
	given, chances, luck, left := 0, 0, 0.0, 0.0
	for i, b := range positions {
		opens := func(x square) bool { return b.play(x).moves()&corners != 0 }
		sum, open, moves := 0, 0, 0
		for m := b.moves(); m != 0; m &= m - 1 {
			x := square(bits.TrailingZeros64(m))
			sum += bits.OnesCount64(b.play(x).moves())
			moves++
			if opens(x) {
				open++
			}
		}
		x := chosen(t, b, level, uint64(i+1)<<8)
		left += float64(bits.OnesCount64(b.play(x).moves())) * float64(moves) / float64(sum)
		if open > 0 && open < moves {
			chances++
			luck += float64(open) / float64(moves)
			if opens(x) {
				given++
			}
		}
	}
	return manner{float64(given) / float64(chances), luck / float64(chances), left / float64(len(positions))}
}

// TestManner holds that the levels are weak as people are: up to level 4 each gives away at
// most seven corners where the one below gives away ten, and each leaves the other side fewer
// moves. TENGEN_MANNER=200 measures all levels.
func TestManner(t *testing.T) {
	dose := testkit.Dose("TENGEN_MANNER", 60)
	var positions []board
	for n := 24; n <= 44; n += 4 {
		for _, b := range middles(dose, n) {
			if bits.OnesCount64(b.moves()) > 1 && b.swap().moves()&corners == 0 {
				positions = append(positions, b)
			}
		}
	}
	top := 5
	if dose > 60 {
		top = len(levels)
	}
	before := manner{1, 1, 2}
	for level := 1; level <= top; level++ {
		m := mannerOf(t, level, positions)
		t.Logf("level %d, %d positions: gives away %.1f %% of the corners that it could keep (by lot: %.0f %%), "+
			"leaves %.0f %% of the average replies", level, len(positions), 100*m.corners, 100*m.luck, 100*m.replies)
		if 1 < level && level <= 4 && m.corners > 0.7*before.corners || m.corners > before.corners+0.02 {
			t.Errorf("level %d gives away %.3f of the corners, the level below %.3f", level, m.corners, before.corners)
		}
		if m.replies > before.replies+0.01 {
			t.Errorf("level %d leaves %.3f of the average replies, the level below %.3f", level, m.replies, before.replies)
		}
		before = m
	}
}

// TestForm holds that a level plays like its neighbours in two games of five, that the form
// lasts a whole game, and that the first and the last level, and a search without a seed, are
// always themselves.
func TestForm(t *testing.T) {
	for level := 1; level <= len(levels); level++ {
		var forms [3]int
		const games = 5000
		for g := range uint64(games) {
			seed := g*0x9E3779B97F4A7C15 | 1<<40
			d := form(seed, level)
			forms[d+1]++
			if form(seed&^255+(seed+7)&255, level) != d {
				t.Errorf("level %d: the form changes with a move that is taken back", level)
			}
		}
		if form(0, level) != 0 {
			t.Errorf("level %d is not itself without a seed", level)
		}
		if level == 1 || level == len(levels) {
			if forms != [3]int{0, games, 0} {
				t.Errorf("level %d: %v", level, forms)
			}
			continue
		}
		for i, want := range [3]int{games / 5, games * 3 / 5, games / 5} {
			if forms[i] < want*9/10 || forms[i] > want*11/10 {
				t.Errorf("level %d: %v forms worse, as usual and better", level, forms)
			}
		}
	}
}
