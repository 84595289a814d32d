package five

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"tengen/ai/engine"
	"tengen/game"
)

func randomGame(rnd *rand.Rand, r game.Rules, n int) game.Game {
	g := game.New(r)
	for range n {
		ps := g.Legal().Points()
		if len(ps) == 0 {
			break
		}
		// near the last stones, so that shapes arise
		p := ps[rnd.IntN(len(ps))]
		for range 20 {
			if g.Len() == 0 {
				break
			}
			ms := g.Moves()
			q := ms[rnd.IntN(len(ms))]
			if abs(p.Col()-q.Col()) <= 2 && abs(p.Row()-q.Row()) <= 2 {
				break
			}
			p = ps[rnd.IntN(len(ps))]
		}
		next, _ := g.Play(p)
		if next.Turn() == game.Empty {
			continue
		}
		g = next
	}
	return g
}

// The board of the engine agrees with package game on every empty point, and undo puts
// everything back.
func TestBoardAgainstRules(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, r := range game.AllRules {
		v, ok := variantOf(r)
		if !ok {
			continue
		}
		sh := shapeOf(v, r.Size())
		var b, fresh board
		for range 60 {
			g := randomGame(rnd, r, rnd.IntN(r.Size()*r.Size()))
			b.reset(sh)
			before := b
			for _, p := range g.Moves() {
				b.play(uint8(p))
			}
			fresh.reset(sh)
			fresh.setup(g.Position(), game.NoPoint)
			if fresh.state != b.state {
				t.Fatalf("%s %s: the order of moves matters", r.Name(), game.MoveList(g.Moves()))
			}
			for p := range b.empty.All() {
				if fresh.cells[p] != b.cells[p] {
					t.Fatalf("%s %s: the order of moves matters at %v", r.Name(), game.MoveList(g.Moves()), p)
				}
				for c := range 2 {
					pos := g.Position()
					pos.Turn = game.Black + game.Color(c)
					err := r.Check(pos, p)
					if c == black && b.forbidden(uint8(p)) != (err != nil) {
						t.Fatalf("%s %s at %v: forbidden %v, the rules say %v", r.Name(), game.MoveList(g.Moves()), p,
							b.forbidden(uint8(p)), err)
					}
					wins := r.Result(pos.Put(p, pos.Turn)).Termination == game.ByRow
					if b.five[c].Has(p) != wins {
						t.Fatalf("%s %s at %v: five %v, the rules say %v", r.Name(), game.MoveList(g.Moves()), p, !wins, wins)
					}
				}
			}
			for range g.Moves() {
				b.back()
			}
			if b.state != before.state || b.cells != before.cells || b.rows != before.rows || b.stones != before.stones {
				t.Fatalf("%s %s: undo left something", r.Name(), game.MoveList(g.Moves()))
			}
		}
	}
}

// A table is as large as the work asks for, stays from move to move of a clock that runs down, and
// keeps within the memory that a search may use.
func TestRoom(t *testing.T) {
	e := New()
	var last *table
	for _, c := range []struct {
		limits engine.Limits
		bytes  int
		kept   bool
	}{
		{engine.Limits{CPU: 250 * time.Millisecond}, 16 << 20, false},
		{engine.Limits{CPU: 40 * time.Millisecond}, 16 << 20, true},
		{engine.Limits{Time: time.Minute}, 64 << 20, false},
		{engine.Limits{Time: time.Second, Memory: 24 << 20}, 16 << 20, false},
		{engine.Limits{Nodes: 50_000}, 2 << 20, false},
		{engine.Limits{Nodes: 50_000}, 2 << 20, true},
		{engine.Limits{}, 64 << 20, false},
	} {
		e.room(c.limits)
		if got := len(e.tt.entries) * 16; got != c.bytes || (e.tt == last) != c.kept {
			t.Errorf("%+v: a table of %d bytes, kept: %v", c.limits, got, e.tt == last)
		}
		last = e.tt
	}
}

func BenchmarkKernel(b *testing.B) {
	for _, r := range []game.Rules{game.Gomoku15, game.Renju} {
		b.Run(r.Name(), func(b *testing.B) {
			rnd := rand.New(rand.NewPCG(1, 2))
			v, _ := variantOf(r)
			var bd board
			bd.reset(shapeOf(v, 15))
			bd.setup(randomGame(rnd, r, 30).Position(), game.NoPoint)
			ps := bd.empty.Points()
			b.ReportAllocs()
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			from := engine.CPUTime()
			for i := 0; b.Loop(); i++ {
				bd.play(uint8(ps[i%len(ps)]))
				bd.back()
			}
			b.ReportMetric(float64(engine.CPUTime()-from)/float64(b.N), "cpu-ns/op")
		})
	}
}
