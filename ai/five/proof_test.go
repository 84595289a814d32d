package five

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"tengen/ai/engine"
	"tengen/game"
	"tengen/internal/testkit"
)

// auditor plays a claimed win out against every lawful reply. It knows only package game
// and how to count stones in a row.
type auditor struct {
	e     *Engine
	seen  map[game.Position]bool
	steps int
	cut   bool // the claim was too big to check to its end
}

// holds reports whether the side to move in g wins whatever the other side plays.
func (a *auditor) holds(g game.Game) bool {
	b := g.Position()
	if won, ok := a.seen[b]; ok {
		return won
	}
	a.steps++
	if a.steps > 20_000 {
		a.cut = true
		return true // beyond what an audit can pay for
	}
	won := a.attack(g)
	a.seen[b] = won
	return won
}

// prove searches for the win anew. The claim may rest on a table filled over many moves,
// so that a fresh search can need more nodes than the one that claimed it.
func (a *auditor) prove(g game.Game) (engine.Report, bool) {
	for _, nodes := range []int64{300_000, 5_000_000} {
		a.e.Clear()
		rep, err := a.e.Search(context.Background(), g, engine.Limits{Nodes: nodes, Memory: 10 << 20, Spend: true})
		if err == nil && rep.Proof == engine.Win {
			return rep, true
		}
	}
	return engine.Report{}, false
}

func (a *auditor) attack(g game.Game) bool {
	me := g.Turn()
	if hasFive(g, me) {
		return true
	}
	rep, ok := a.prove(g)
	if !ok {
		return false
	}
	g, err := g.Play(rep.Move)
	if err != nil {
		return false
	}
	if g.Turn() == game.Empty {
		return g.Result().Winner == me
	}
	fives, fours := fivesOf(g, me), straightFours(g, me)
	for p := range g.Legal().All() {
		next, err := g.Play(p)
		if err != nil || next.Turn() == game.Empty {
			return false
		}
		other := func(q game.Point) bool { return q != p }
		holds := func(q game.Point) bool {
			return q != p && next.Check(q) == nil && straightFour(next, me, q)
		}
		if slices.ContainsFunc(fives, other) || slices.ContainsFunc(fours, holds) {
			continue
		}
		if !a.holds(next) {
			return false
		}
	}
	return true
}

// straightFours are the points where c, if it were to move in g, would make a straight four.
func straightFours(g game.Game, c game.Color) (list []game.Point) {
	for p := range g.Legal().All() {
		if straightFour(g, c, p) {
			list = append(list, p)
		}
	}
	return list
}

// straightFour reports whether a stone of c on the empty point p leaves c two points that
// make five, while the other side has none: no single stone takes both.
func straightFour(g game.Game, c game.Color, p game.Point) bool {
	b := g.Position().Put(p, c)
	n := 0
	for _, d := range ways {
		for k := -4; k <= 4; k++ {
			col, row := p.Col()+k*d[0], p.Row()+k*d[1]
			if k == 0 || col < 0 || row < 0 || col >= b.Size || row >= b.Size {
				continue
			}
			if q := game.At(col, row); b.At(q) == game.Empty && makesFive(b, g.Rules(), c, q) {
				n++
			}
		}
	}
	return n > 1 && len(fivesOf(g, c.Other())) == 0
}

var ways = [4][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}}

// hasFive reports whether c has a point that wins.
func hasFive(g game.Game, c game.Color) bool { return len(fivesOf(g, c)) > 0 }

// fivesOf are the points where c makes five. In Renju a five of black is always lawful.
func fivesOf(g game.Game, c game.Color) (list []game.Point) {
	b := g.Position()
	for _, q := range b.Points() {
		if b.At(q) == game.Empty && makesFive(b, g.Rules(), c, q) {
			list = append(list, q)
		}
	}
	return list
}

func makesFive(b game.Position, r game.Rules, c game.Color, q game.Point) bool {
	own := b.Of(c)
	for _, d := range ways {
		n := 1
		for _, way := range []int{1, -1} {
			for k := way; ; k += way {
				col, row := q.Col()+k*d[0], q.Row()+k*d[1]
				if col < 0 || row < 0 || col >= b.Size || row >= b.Size || !own.Has(game.At(col, row)) {
					break
				}
				n++
			}
		}
		exactly := r == game.Standard15 || r == game.Standard9 || r == game.Renju && c == game.Black
		if n == 5 || n > 5 && !exactly {
			return true
		}
	}
	return false
}

// dose is how much a test that only computes does: little in `go test`, more with
// TENGEN_AUDIT=1, as in .ci/run, and all with TENGEN_FULL=1.
func dose(little, more, all int) int {
	switch {
	case os.Getenv("TENGEN_FULL") != "":
		return all
	case os.Getenv("TENGEN_AUDIT") != "":
		return more
	}
	return little
}

// games is the dose of a test that plays games: 3 with -short, and so many as TENGEN_FULL says where
// that is more than one.
func games(little, more int) int {
	if n, err := strconv.Atoi(os.Getenv("TENGEN_FULL")); err == nil && n > 1 {
		return n
	}
	if testing.Short() {
		little = 3
	}
	return dose(little, more, 2000)
}

// Every win that the engine claims in games against itself is audited. TENGEN_FULL=1 plays
// 2000 games instead of a few, a larger number that many.
func TestProofs(t *testing.T) {
	t.Parallel()
	played := games(3, 15)
	e, rnd := New(), rand.New(rand.NewPCG(17, 1))
	a := &auditor{e: New()}
	claims, most, big := 0, 0, 0
	for n := 0; n < played; {
		r := game.AllRules[n%5]
		g := scatter(r, rnd, 4+rnd.IntN(5))
		if g.Turn() == game.Empty {
			continue
		}
		n++
		for e.Clear(); g.Turn() != game.Empty; {
			rep := testkit.Got(e.Search(context.Background(), g, engine.Limits{Nodes: 3000}))
			if rep.Proof == engine.Win {
				claims++
				most = max(most, rep.In)
				a.seen, a.steps, a.cut = map[game.Position]bool{}, 0, false
				if !a.holds(g) {
					t.Errorf("%s %s: claims a win in %d by %v", r.Name(), game.MoveList(g.Moves()), rep.In, rep.Line)
				}
				if a.cut {
					big++
				}
				break
			}
			g = testkit.Got(g.Play(rep.Move))
		}
	}
	t.Logf("%d games, %d claims, the longest in %d plies, %d too big to check to the end", played, claims, most, big)
}
