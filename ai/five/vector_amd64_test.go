package five

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"tengen/ai/engine"
	"tengen/game"
	"tengen/internal/testkit"
)

// vectorGames are positions of all variants.
func vectorGames() []game.Game {
	return []game.Game{
		play(game.Gomoku15, "h8i7j6i9i8j7k8h7g7j8j9k10h10i6"),
		play(game.Standard15, "h8h9i7g7i9i8"),
		play(game.Renju, "h8i9j10i8i7g9"),
	}
}

// A search with the vector instructions is the one without them: the same nodes, values, lines.
func TestVectorsSame(t *testing.T) {
	if !vectors {
		t.Skip("no vector instructions here")
	}
	defer func() { vectors = true }()
	for _, g := range vectorGames() {
		var got [2]engine.Report
		for i := range got {
			vectors = i == 0
			got[i] = search(t, g, engine.Limits{Nodes: 5000})
			got[i].Elapsed = 0
		}
		if !reflect.DeepEqual(got[0], got[1]) {
			t.Errorf("%s %s: %+v, without vectors %+v", g.Rules().Name(), game.MoveList(g.Moves()), got[0], got[1])
		}
	}
}

// BenchmarkVectors searches the same positions with the vector instructions and without,
// by turns, and gives the median of the ratios of CPU time.
func BenchmarkVectors(b *testing.B) {
	if !vectors {
		b.Skip("no vector instructions here")
	}
	defer func() { vectors = true }()
	games := vectorGames()
	e := New()
	took := func(g game.Game, with bool) (cpu float64, nodes int64) {
		vectors = with
		e.Clear()
		from := engine.CPUTime()
		r := testkit.Got(e.Search(context.Background(), g, engine.Limits{Nodes: 30_000, Brief: true}))
		return float64(engine.CPUTime() - from), r.Nodes
	}
	var ratios []float64
	for b.Loop() {
		for _, g := range games {
			plain, n := took(g, false)
			vector, m := took(g, true)
			if n != m {
				b.Fatalf("%d nodes and %d", n, m)
			}
			ratios = append(ratios, plain/vector)
		}
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "plain/vector")
}

// FuzzPolicy holds the vector instructions of the policy to the plain loops, number by number, on
// any weights, in every game.
func FuzzPolicy(f *testing.F) {
	if !vectors {
		f.Skip("no vector instructions here")
	}
	f.Add(uint64(1), uint8(40), uint16(300))
	f.Add(uint64(2), uint8(3), uint16(20000))
	f.Add(uint64(3), uint8(120), uint16(32767))
	for seed := range uint64(6) {
		f.Add(seed, uint8(40+seed/3), uint16(0))
	}
	f.Fuzz(func(t *testing.T, seed uint64, stones uint8, size uint16) {
		defer func() { vectors = true }()
		rnd := rand.New(rand.NewPCG(seed, 20))
		r := []game.Rules{game.Gomoku15, game.Standard15, game.Renju}[seed%3]
		v, _ := variantOf(r)
		var b board
		b.reset(shapeOf(v, 15))
		b.follow(randomGame(rnd, r, int(stones)%150))
		w := b.policy[b.turn&1]
		if size > 0 {
			w = randomPolicy(rnd, int(min(size, 32767))).tables()
		}
		var moves [2][]scored
		for i := range moves {
			for p := range b.empty.All() {
				moves[i] = append(moves[i], scored{p: uint8(p), score: int32(p)})
			}
			vectors = i == 0
			new(policy).order(&b, w, moves[i])
		}
		for i, m := range moves[0] {
			if m != moves[1][i] {
				t.Fatalf("%v, without vectors %v", m, moves[1][i])
			}
		}
	})
}

// FuzzDraws holds the vector instructions that score moves to the plain loop, on any tables: those of
// a board, which have their bounds, and others of any size.
func FuzzDraws(f *testing.F) {
	if !vectors {
		f.Skip("no vector instructions here")
	}
	for seed := range uint64(8) {
		f.Add(seed, uint8(30*seed), seed > 3)
	}
	f.Fuzz(func(t *testing.T, seed uint64, stones uint8, any bool) {
		rnd := rand.New(rand.NewPCG(seed, 22))
		r := []game.Rules{game.Gomoku15, game.Standard15, game.Renju, game.Gomoku9, game.Standard9}[seed%5]
		v, _ := variantOf(r)
		var b board
		b.reset(shapeOf(v, r.Size()))
		b.follow(randomGame(rnd, r, int(stones)%150))
		var d draws
		d.look(&b)
		cont, plan, ever := new([256]int16), new([256]int16), new([256]int32)
		for p := range 256 {
			cont[p], plan[p], ever[p] = int16(rnd.IntN(1<<14)-1<<13), int16(rnd.IntN(1<<14)-1<<13), int32(rnd.IntN(1<<14)-1<<13)
		}
		d.cont, d.plan, d.ever, d.following, d.always = cont, plan, ever, int32(rnd.IntN(200)), int32(rnd.IntN(200))
		if any {
			mine, theirs, far := new([4096]urge), new([4096]urge), new([1024]int16)
			for i := range mine {
				mine[i] = urge{int16(rnd.Uint32()), int16(rnd.Uint32())}
				theirs[i] = urge{int16(rnd.Uint32()), int16(rnd.Uint32())}
			}
			for i := range far {
				far[i] = int16(rnd.Uint32())
			}
			d.mine, d.theirs, d.far[seed%recent] = mine, theirs, far
		}
		var got, want [256]scored
		n := 0
		for p := range b.empty.All() {
			if rnd.IntN(4) > 0 {
				got[n] = scored{p: uint8(p)}
				n++
			}
		}
		want = got
		if n > 0 {
			drawsVector(&d, &got, n)
		}
		d.plain(want[:n])
		if !slices.Equal(got[:n], want[:n]) {
			t.Fatalf("%v, plain %v", got[:n], want[:n])
		}
	})
}

// FuzzReline holds the vector instructions of a move to the plain loop: all of the board, and what
// undo keeps, after every move of a game and after taking it back.
func FuzzReline(f *testing.F) {
	if !vectors {
		f.Skip("no vector instructions here")
	}
	for seed := range uint64(10) {
		f.Add(seed, []byte("the stones lie where these letters say, and white may fill what black may not"))
	}
	f.Add(uint64(4), []byte{0, 14, 210, 224, 7, 105, 119, 217, 112, 1, 15, 16})
	f.Fuzz(func(t *testing.T, seed uint64, data []byte) {
		defer func() { vectors = true }()
		r := []game.Rules{game.Gomoku15, game.Standard15, game.Renju, game.Gomoku9, game.Standard9}[seed%5]
		v, _ := variantOf(r)
		rnd := rand.New(rand.NewPCG(seed, 21))
		var with, without board
		with.reset(shapeOf(v, r.Size()))
		without.reset(shapeOf(v, r.Size()))
		both := func(what string, do func(b *board)) {
			vectors = true
			do(&with)
			vectors = false
			do(&without)
			if with.state != without.state || with.cells != without.cells || with.rows != without.rows ||
				with.undone != without.undone || !slices.Equal(with.undo[:with.undone], without.undo[:with.undone]) {
				t.Fatalf("%s: the boards differ", what)
			}
		}
		for _, x := range data[:min(len(data), 224)] {
			ps := with.empty.Points()
			if len(ps) == 0 {
				break
			}
			p := uint8(ps[(int(x)+rnd.IntN(8))%len(ps)])
			both("move", func(b *board) { b.play(p) })
			if x&3 == 0 {
				both("taken back", func(b *board) { b.back() })
			}
		}
	})
}
