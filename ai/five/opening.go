package five

import (
	"context"
	_ "embed" // the openings
	"math"
	"math/rand/v2"
	"strings"
	"sync"

	"tengen/ai/engine"
	"tengen/game"
)

//go:embed tables/openings.txt
var openingText string

// openings are the stored openings by the name of their rules.
var openings = sync.OnceValue(func() map[string][][]game.Point {
	m := map[string][][]game.Point{}
	for line := range strings.Lines(openingText) {
		name, moves, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || strings.HasPrefix(name, "#") {
			continue
		}
		if ps, err := game.ParseMoves(moves); err == nil {
			m[name] = append(m[name], ps)
		}
	}
	return m
})

// Balanced is an opening that leaves both sides about equal chances, black's move first.
// The seed chooses it and turns the board round; seeds that follow one another give
// different openings as long as there are any. It is nil where none are known.
func Balanced(r game.Rules, seed uint64) []game.Point {
	list := openings()[r.Name()]
	if len(list) == 0 {
		return nil
	}
	moves := list[seed%uint64(len(list))]
	turned := make([]game.Point, len(moves))
	way := mix(seed)
	for i, p := range moves {
		turned[i] = p.Turned(r.Size(), way)
	}
	return turned
}

// canonical names a list of stones up to the symmetries of the board and the order of
// the stones of one colour.
func canonical(moves []game.Point, size int) string {
	best := ""
	for way := range uint64(8) {
		var b game.Position
		b.Size = size
		for i, p := range moves {
			b = b.Put(p.Turned(size, way), []game.Color{game.Black, game.White}[i%2])
		}
		if s := b.Rows(false); best == "" || s < best {
			best = s
		}
	}
	return best
}

// starts26 are the 26 standard openings of Renju: black in the middle, white beside it or
// diagonally, black again within the middle 5x5.
func starts26() [][]game.Point {
	var list [][]game.Point
	seen := map[string]bool{}
	c := game.At(7, 7)
	for _, second := range []game.Point{game.At(7, 8), game.At(8, 8)} {
		for col := 5; col <= 9; col++ {
			for row := 5; row <= 9; row++ {
				third := game.At(col, row)
				if third == c || third == second {
					continue
				}
				moves := []game.Point{c, second, third}
				if name := canonical(moves, 15); !seen[name] {
					seen[name] = true
					list = append(list, moves)
				}
			}
		}
	}
	return list
}

// drawn26 is a game of Renju that begins with one of them, drawn by lot.
func drawn26(rnd *rand.Rand) game.Game {
	starts := starts26()
	g, _ := game.New(game.Renju).PlayAll(starts[rnd.IntN(len(starts))]...)
	return g
}

// FindOpening looks for an opening that its own searches call near equal, one that is
// not in seen (by its canonical name, which it adds). It tries once. The longest search is
// longer than those of the strongest level: 150,000 nodes found openings equal that are won.
func (e *Engine) FindOpening(ctx context.Context, r game.Rules, rnd *rand.Rand,
	seen map[string]bool) ([]game.Point, bool) {
	var g game.Game
	if r == game.Renju {
		g = drawn26(rnd)
		for range 1 + rnd.IntN(3) {
			ps := e.near(g)
			if next, err := g.Play(ps[rnd.IntN(len(ps))]); err == nil {
				g = next
			}
		}
	} else {
		g = scatter(r, rnd, 3+rnd.IntN(4))
	}
	name := canonical(g.Moves(), r.Size())
	if g.Turn() == game.Empty || seen[name] {
		return nil, false
	}
	for _, try := range []struct {
		nodes int64
		off   float64
	}{{3000, 0.15}, {30_000, 0.1}, {300_000, 0.08}, {2_000_000, 0.06}} {
		e.Clear()
		rep, err := e.Search(ctx, g, engine.Limits{Nodes: try.nodes, Brief: true})
		if err != nil || math.Abs(rep.Win-0.5) > try.off {
			return nil, false
		}
	}
	seen[name] = true
	return g.Moves(), true
}

// near are the empty points within two of a stone.
func (e *Engine) near(g game.Game) []game.Point {
	var ps []game.Point
	for p := range g.Legal().All() {
		for _, q := range g.Moves() {
			if max(abs(p.Col()-q.Col()), abs(p.Row()-q.Row())) <= 2 {
				ps = append(ps, p)
				break
			}
		}
	}
	return ps
}
