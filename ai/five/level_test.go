package five

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"tengen/ai/engine"
	"tengen/game"
	"tengen/internal/testkit"
)

// drill makes a quiet position in which the side to move must see one thing: a row of n
// stones of the given color in direction d, split by a gap or not, that the other side has not met.
func drill(rnd *rand.Rand, n, d int, split, own bool) (game.Game, bool) {
	var pos game.Position
	pos.Size = 15
	dx, dy := [4]int{1, 0, 1, 1}[d], [4]int{0, 1, 1, -1}[d]
	x, y := 3+rnd.IntN(9), 3+rnd.IntN(9)
	gap := -1
	if split {
		gap = 1 + rnd.IntN(n-1)
	}
	row := game.White
	if own {
		row = game.Black
	}
	at := 0
	for i := range n {
		if i == gap {
			at++
		}
		p := game.At(x+at*dx, y+at*dy)
		if x+at*dx < 0 || x+at*dx > 14 || y+at*dy < 0 || y+at*dy > 14 {
			return game.Game{}, false
		}
		pos = pos.Put(p, row)
		at++
	}
	// the other stones, here and there
	for tries := 0; pos.Count(game.Black) < n+2 || pos.Count(game.White) < n+2; tries++ {
		c := game.Black
		if pos.Count(game.White) < pos.Count(game.Black) {
			c = game.White
		}
		p := game.At(2+rnd.IntN(11), 2+rnd.IntN(11))
		if pos.At(p) == game.Empty {
			pos = pos.Put(p, c)
		}
	}
	g, err := game.From(game.Gomoku15, pos, game.Black)
	if err != nil || g.Turn() != game.Black {
		return g, false
	}
	var b board
	b.reset(shapeOf(freestyle, 15))
	b.setup(g.Position(), game.NoPoint)
	if own {
		return g, b.count[white][winFive] == 0 && b.count[black][winFive] > 0
	}
	if b.four[black] != (pointSet{}) || b.count[black][three]+b.count[black][threePlus]+b.count[black][doubleThree] > 2 {
		return g, false
	}
	if n == 4 {
		return g, b.count[white][winFive] == 1
	}
	return g, b.count[white][winFive] == 0 && b.count[white][openFour] > 0
}

// answers reports whether p meets what white threatens in g.
func answers(g game.Game, p game.Point) bool {
	var b board
	b.reset(shapeOf(freestyle, 15))
	b.setup(g.Position(), game.NoPoint)
	b.play(uint8(p))
	return b.count[white][winFive] == 0 && (b.count[white][openFour] == 0 || b.count[black][winFive] > 0)
}

// Each level overlooks fewer threats than the level before, and split or diagonal threats more
// often than straight ones. Levels above 5 only tell what they overlook. TENGEN_FULL=1 takes
// 300 positions for each level and kind.
func TestLevelsSee(t *testing.T) {
	t.Parallel()
	count, highest := dose(24, 24, 300), dose(5, 8, 8)
	kinds := []struct {
		name        string
		n           int
		diag, split bool
	}{
		{"three, straight", 3, false, false}, {"three, split", 3, false, true},
		{"three, diagonal", 3, true, false}, {"three, split diagonal", 3, true, true},
		{"four, straight", 4, false, false}, {"four, split", 4, false, true},
	}
	var missed [9]float64
	var byKind [4]float64
	for l := 1; l <= highest; l++ {
		text := fmt.Sprintf("level %d misses", l)
		for k, kind := range kinds {
			if l > 5 && count > 24 && k > 1 {
				break
			}
			rnd := rand.New(rand.NewPCG(9, uint64(k)))
			miss := 0
			for n := 0; n < count; {
				d := rnd.IntN(2)
				if kind.diag {
					d += 2
				}
				g, ok := drill(rnd, kind.n, d, kind.split, false)
				if !ok {
					continue
				}
				n++
				rep := search(t, g, engine.Limits{Level: l, Seed: uint64(n), Nodes: 20_000})
				if !answers(g, rep.Move) {
					miss++
				}
			}
			part := float64(miss) / float64(count)
			missed[l] += part / float64(len(kinds))
			if l <= 3 && k < 4 {
				byKind[k] += part / 3
			}
			text += fmt.Sprintf(" %s %.0f %%,", kind.name, 100*part)
		}
		t.Log(text)
	}
	for l := 2; l <= 5; l++ {
		if missed[l] > missed[l-1]+0.04 {
			t.Errorf("level %d misses %.0f %%, level %d %.0f %%", l, 100*missed[l], l-1, 100*missed[l-1])
		}
	}
	if missed[1] < 0.15 {
		t.Errorf("level 1 misses %.0f %% only", 100*missed[1])
	}
	if byKind[0] > byKind[1]+0.05 || byKind[0] > byKind[2]+0.05 {
		t.Errorf("missed by kind: %v", byKind)
	}
}

// Every level takes a five of its own, and plays within two points of a stone.
func TestLevelsWin(t *testing.T) {
	count := 12
	if os.Getenv("TENGEN_FULL") != "" {
		count = 300
	}
	for l := 1; l <= 8; l++ {
		rnd := rand.New(rand.NewPCG(10, uint64(l)))
		taken, far := 0, 0
		for n := 0; n < count; {
			g, ok := drill(rnd, 4, rnd.IntN(4), rnd.IntN(2) == 0, true)
			if !ok {
				continue
			}
			n++
			rep := search(t, g, engine.Limits{Level: l, Seed: uint64(n), Nodes: 20_000})
			if next, err := g.Play(rep.Move); err == nil && next.Result().Winner == game.Black {
				taken++
			}
			quiet := randomGame(rnd, game.Gomoku15, 6)
			rep = search(t, quiet, engine.Limits{Level: l, Seed: uint64(n), Nodes: 2000})
			near := false
			for _, q := range quiet.Moves() {
				near = near || max(abs(q.Col()-rep.Move.Col()), abs(q.Row()-rep.Move.Row())) <= 2
			}
			if !near {
				far++
			}
		}
		if taken < count*99/100 || far > 0 {
			t.Errorf("level %d takes %d of %d fives and plays %d moves far off", l, taken, count, far)
		}
	}
}

// Games of a level vary with the seed.
func TestLevelVaries(t *testing.T) {
	seen := map[string]bool{}
	games, nodes := 12, int64(3000)
	if os.Getenv("TENGEN_FULL") != "" {
		games, nodes = 200, 20_000
	}
	for seed := range uint64(games) {
		g := game.New(game.Gomoku15)
		for g.Len() < 8 {
			rep := testkit.Got(Search(context.Background(), g, engine.Limits{Level: 8, Seed: seed + 1, Nodes: nodes}))
			g = testkit.Got(g.Play(rep.Move))
		}
		seen[canonical(g.Moves(), 15)] = true
	}
	t.Logf("%d games reach %d positions after 8 plies", games, len(seen))
	if len(seen) < games/2 {
		t.Error("too few")
	}
}
