package five

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"tengen/game"
	"tengen/internal/testkit"
)

// The policy learns from what failed high in searches: each is a game of which the last move alone is
// to be learned. A fit to it likes the moves chosen better than one that has learned nothing, and is
// read as it was written.
func TestFitPolicy(t *testing.T) {
	moves, _ := game.ParseMoves("h8i7j6i9i8j7k8h7g7j8j9k10h10i6")
	p := Played{Rules: game.Gomoku15, Moves: moves, Book: 13}
	rnd := rand.New(rand.NewPCG(1, 1))
	var cuts []Played
	for range 4 {
		cuts = append(cuts, New().Cuts(t.Context(), p, rnd, 3000)...)
	}
	if len(cuts) < 10 {
		t.Fatalf("%d cuts", len(cuts))
	}
	for _, c := range cuts {
		if _, err := game.New(c.Rules).PlayAll(c.Moves...); err != nil || c.Book != len(c.Moves)-1 ||
			!slices.Equal(c.Moves[:13], moves[:13]) ||
			len(c.Scores) != len(c.Moves) || len(c.Proven) != len(c.Moves) {
			t.Fatalf("%+v: %v", c, err)
		}
	}
	list := outlooks(cuts, freestyle)
	n := newSeer(list, freestyle, black, nil, rnd)
	before, _, _ := loss(list, n.chance)
	for range 30 {
		for i := range list {
			n.learn(&list[i], len(list))
		}
		n.step(0.01)
	}
	if after, _, _ := loss(list, n.chance); after > before-0.3 {
		t.Errorf("loss %.3f before and %.3f after", before, after)
	}
	w := FitPolicy(game.Gomoku15, [][]Played{cuts}, nil, 1, nil)["policy.z"]
	var out bytes.Buffer
	testkit.Must(t, WritePolicy(&out, w))
	if got, err := ReadPolicy(&out); err != nil || !reflect.DeepEqual(got, w) {
		t.Errorf("read otherwise than written: %v", err)
	}
}

// What the policy learns is what plays: both put the moves into the same order, but for rounding.
func TestPolicyRounded(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 2))
	for _, r := range []game.Rules{game.Gomoku15, game.Standard15, game.Renju, game.Renju} {
		v, _ := variantOf(r)
		g := randomGame(rnd, r, 30+rnd.IntN(2))
		var b board
		b.reset(shapeOf(v, 15))
		b.follow(g)
		var o outlook
		for p := range b.near.All() {
			if b.stones[p] == 3 && !(b.turn == black && b.forbidden(uint8(p))) {
				o, _ = b.outlook(uint8(p))
				break
			}
		}
		n := newSeer([]outlook{o}, v, b.turn, nil, rnd)
		n.chance(&o)
		moves := make([]scored, len(o.cand))
		for i, p := range o.cand {
			moves[i] = scored{p: p, score: b.drawn(p)}
		}
		new(policy).order(&b, n.round().tables(), moves)
		for i, p := range o.cand {
			if want := n.score(&o, i, p) * orderUnit; abs32(float32(moves[i].score)-want) > 6 {
				t.Errorf("%s, %d: %d, want %.1f", r.Name(), p, moves[i].score, want)
			}
		}
	}
}

// Exact five borrows freestyle's policy: all is as in freestyle, and an overline counts as a dead line.
func TestPolicyBorrowed(t *testing.T) {
	from, got := policyOf[freestyle]()[black], policyOf[exact]()[black]
	for line, i := range codeOf {
		for d := 0; d < 16; d += 4 {
			if line>>d&15 == over {
				line += (dead - over) << d
			}
		}
		k := codeOf[line]
		if got.Own[i] != from.Own[k] || got.Other[i] != from.Other[k] || got.Mine[i] != from.Mine[k] ||
			got.Theirs[i] != from.Theirs[k] {
			t.Fatalf("code %d is not that of freestyle's %d", i, k)
		}
	}
	if got.Line[four<<4|open3] != from.Line[four<<4|open3] || got.Line[over<<4|open3] != from.Line[open3] ||
		got.Line[four<<4|over] != from.Line[four<<4] {
		t.Error("lines are not those of freestyle")
	}
	if got.Stone != from.Stone || got.Tap != from.Tap || got.Out != from.Out || got.Scale != from.Scale {
		t.Error("the rest is not freestyle's")
	}
}

// A fit that begins with a policy begins as that policy, borrowed, whatever the game.
func TestPolicyBegins(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 4))
	from := randomPolicy(rnd, 300)
	if got := newSeer(nil, renju, white, from, rnd).round(); *got != *from.borrowed() {
		t.Error("begins otherwise")
	}
}

// The policy is at work in every game on the full board, for either colour to move.
func TestPolicyAtWork(t *testing.T) {
	for _, r := range []game.Rules{game.Gomoku15, game.Standard15, game.Renju} {
		g := play(r, "h8i7j6i9")
		for range 2 {
			s := New().main
			v, _ := variantOf(r)
			s.b.reset(shapeOf(v, r.Size()))
			s.b.follow(g)
			n := node{depth: policyDepth, table: found{move: 0xFF}, me: s.b.turn, you: s.b.turn ^ 1}
			if s.list(&n); !n.ordered {
				t.Errorf("%s, move %d: no policy", r.Name(), g.Len()+1)
			}
			g, _ = g.PlayAll(game.At(4, 4))
		}
	}
}

// The two sides of Renju get policies of their own, each from its own moves, and what Black may not
// play is no candidate.
func TestPolicyOfRenju(t *testing.T) {
	g := play(game.Renju, "h8a1j8a3i9o15i10o13") // i8 makes two open threes
	var b board
	b.reset(shapeOf(renju, 15))
	b.follow(g)
	if !b.forbidden(uint8(game.At(8, 7))) {
		t.Fatal("i8 is lawful")
	}
	o, ok := b.outlook(uint8(game.At(6, 7)))
	if !ok || slices.Contains(o.cand, uint8(game.At(8, 7))) {
		t.Errorf("candidates %v: i8 is forbidden", o.cand)
	}
	p := Played{Rules: game.Renju, Moves: g.Moves(), Book: 4}
	fits := FitPolicy(game.Renju, [][]Played{{p}}, nil, 1, nil)
	if len(fits) != 2 || reflect.DeepEqual(fits["policy-black.z"], fits["policy-white.z"]) {
		t.Errorf("%d policies, or two alike", len(fits))
	}
}

// However much the policy likes a point that Black may not play, no move is left out for being less
// likely than that.
func TestPolicyTop(t *testing.T) {
	s, sh, w := New().main, *shapeOf(renju, 15), new(policyWeights)
	s.b.reset(&sh)
	s.b.follow(play(game.Renju, "h8a1j8a3i9o15i10o13"))
	w.Mine[s.b.cells[game.At(8, 7)].code[black]&4095] = 30000 // i8 makes two open threes
	sh.policy[black] = w.tables()
	n := node{depth: policyDepth, table: found{move: 0xFF}, me: black, you: white}
	s.list(&n)
	if !n.ordered || n.top >= 30000 {
		t.Errorf("ordered %v, the best score is %d", n.ordered, n.top)
	}
}

// Where the policy is asked about some moves only, these come first, and none of the others is gone: a
// loss is proven by all of them.
func TestPolicyAsked(t *testing.T) {
	s, by := New().main, *tuned
	by.asked, by.askedPly = 4, 1
	s.by = &by
	s.b.reset(shapeOf(freestyle, 15))
	s.b.follow(play(game.Gomoku15, "h8i7j6i9i8j7k8h7"))
	for _, pv := range []bool{false, true} {
		n := node{depth: policyDepth, pv: pv, table: found{move: 0xFF}, me: black, you: white}
		s.list(&n)
		f := &s.stack[0]
		asked, seen := 0, map[uint8]bool{}
		for _, m := range f.moves[:f.n] {
			seen[m.p] = true
			if m.score > n.top-unasked/2 {
				asked++
			}
		}
		near := 0
		for p := range s.b.near.All() {
			if s.b.stones[p] == 3 {
				near++
			}
		}
		if want := map[bool]int{false: 7, true: near}[pv]; asked != want || len(seen) != near {
			t.Errorf("principal line %v: asked about %d of %d, want %d of %d", pv, asked, len(seen), want, near)
		}
	}
}

// randomPolicy are weights of at most size.
func randomPolicy(rnd *rand.Rand, size int) *policyWeights {
	w := new(policyWeights)
	fill := func(w []int16) {
		for i := range w {
			w[i] = int16(rnd.IntN(2*size+1) - size)
		}
	}
	for i := range w.Own {
		fill(w.Own[i][:])
		fill(w.Other[i][:])
	}
	for i := range w.Stone {
		fill(w.Stone[i][:])
	}
	for i := range w.Line {
		fill(w.Line[i][:])
	}
	for i := range w.Tap {
		for k := range w.Tap[i] {
			fill(w.Tap[i][k][:])
		}
	}
	for i := range w.Out {
		fill(w.Out[i][:])
	}
	fill(w.Mine[:])
	fill(w.Theirs[:])
	w.Scale = int16(rnd.IntN(256))
	return w
}
