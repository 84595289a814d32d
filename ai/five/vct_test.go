package five

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"tengen/ai/engine"
	"tengen/game"
	"tengen/internal/testkit"
)

// threats is the search for a win by threats in g, with an empty table.
func threats(s *searcher, g game.Game, nodes int64) (game.Point, int) {
	v, _ := variantOf(g.Rules())
	w := engine.NewWatch(context.Background(), engine.Limits{})
	defer w.Close()
	s.prepare(shapeOf(v, g.Rules().Size()), newTable(1<<10), w, engine.Limits{})
	s.b.follow(g)
	clear(s.proofs)
	move, plies := s.vct(nodes)
	return game.Point(move), plies
}

// Threes are looked for near stones; there are none elsewhere.
func TestThrees(t *testing.T) {
	rnd := rand.New(rand.NewPCG(6, 7))
	found := 0
	for _, r := range []game.Rules{game.Gomoku15, game.Standard9, game.Renju} {
		v, _ := variantOf(r)
		var b board
		for range 300 {
			b.reset(shapeOf(v, r.Size()))
			b.follow(randomGame(rnd, r, 1+rnd.IntN(60)))
			for c := range 2 {
				n := 0
				for p := range b.empty.All() {
					if someThree>>b.class(uint8(p), c)&1 != 0 {
						n++
					}
				}
				if got := b.threes(c).Len(); got != n {
					t.Fatalf("%s, side %d: %d threes, want %d", r.Name(), c, got, n)
				}
				found += n
			}
		}
	}
	if found < 1000 {
		t.Errorf("%d threes in all positions", found)
	}
}

// All wins of the suite but one are wins by threats from the first move on, and proven by
// few nodes; in the other a threat has to be met first.
func TestVCT(t *testing.T) {
	text := testkit.Read(t, "testdata/wins.txt")
	s := newSearcher()
	missed := 0
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) != 4 || f[0] == "#" {
			continue
		}
		r, _ := game.RulesNamed(f[2])
		if _, plies := threats(s, play(r, f[3]), 200_000); plies == 0 {
			missed++
		}
	}
	if missed > 1 {
		t.Errorf("%d wins are not found", missed)
	}
}

// Undecided positions of a bucket stay beside one another, and one of them gives way before a
// proof does. Without that the position below takes 40 million nodes and more.
func TestProofsStay(t *testing.T) {
	table := make(proofs, 8)
	undecided := func(n uint64) proof { return proof{key: n<<62 | (n+1)<<3, pn: 2, dn: 3} }
	for n := range uint64(4) {
		table.put(undecided(n))
	}
	for n := range uint64(4) {
		if e := undecided(n); table.get(e.key) != e {
			t.Errorf("undecided entry %d was overwritten while its bucket had room", n)
		}
	}
	won := proof{key: 1 << 62, plies: 5, move: 7}
	table.put(won)
	for n := range uint64(40) {
		table.put(undecided(n))
	}
	if table.get(won.key) != won {
		t.Error("a proof gave way to undecided entries")
	}

	rules, _ := game.RulesNamed("gomoku")
	g := play(rules, "f11j10i9j9k9i8h8k8g7l8h7k7j7l7e5f6i7")
	if _, plies := threats(newSearcher(), g, 50_000); plies == 0 {
		t.Error("a win of few nodes is not found")
	}
}

// A claimed win is a win against every lawful reply, the foolish ones too. TENGEN_FULL=1
// takes twenty times as many claims.
func TestVCTHolds(t *testing.T) {
	t.Parallel()
	s, rnd := newSearcher(), rand.New(rand.NewPCG(5, 1))
	most := dose(3, 4, 60)
	claims, longest := 0, 0
	for n := 0; claims < most && n < 20_000; n++ {
		g := scatter(game.AllRules[n%5], rnd, 6+rnd.IntN(20))
		if g.Turn() == game.Empty {
			continue
		}
		_, plies := threats(s, g, 3000)
		if plies < 7 || plies > 11 {
			continue
		}
		claims++
		longest = max(longest, plies)
		if !holdsOut(t, s, g, g.Turn(), map[game.Position]bool{}) {
			t.Errorf("%s %s: no win in %d", g.Rules().Name(), game.MoveList(g.Moves()), plies)
		}
	}
	if claims < most || longest < 9 {
		t.Errorf("only %d claims, the longest of %d plies", claims, longest)
	}
}

// holdsOut reports whether c, who is to move in g, wins by what the search for threats says
// in each position.
func holdsOut(t *testing.T, s *searcher, g game.Game, c game.Color, seen map[game.Position]bool) bool {
	t.Helper()
	if held, ok := seen[g.Position()]; ok {
		return held
	}
	p, plies := threats(s, g, 200_000)
	held := plies > 0
	if held {
		after := testkit.Got(g.Play(p))
		if after.Turn() == game.Empty {
			held = after.Result().Winner == c
		} else {
			for q := range after.Legal().All() {
				next, err := after.Play(q)
				if err != nil || next.Turn() == game.Empty || !holdsOut(t, s, next, c, seen) {
					held = false
					break
				}
			}
		}
	}
	seen[g.Position()] = held
	return held
}

// A search that is cut off does not call a position lost because one move loses, and does
// not play that move while another may not lose.
func TestCutOffLosses(t *testing.T) {
	t.Parallel()
	e, more, rnd := New(), New(), rand.New(rand.NewPCG(9, 1))
	claims, positions := 0, dose(400, 3000, 30_000)
	for n := range positions {
		g := scatter(game.AllRules[n%5], rnd, 6+rnd.IntN(14))
		if g.Turn() == game.Empty {
			continue
		}
		e.Clear()
		r := searchWith(e, g, 400+rnd.Int64N(6000))
		lost, open := false, false
		for _, m := range e.main.root {
			lost = lost || game.Point(m.p) == r.Move && m.lost > 0
			open = open || m.lost == 0 && m.bound > -mateEdge
		}
		if lost && open {
			t.Errorf("%s %s: plays %v, which it knows to lose", g.Rules().Name(), game.MoveList(g.Moves()), r.Move)
		}
		if r.Proof != engine.Loss {
			continue
		}
		claims++
		more.Clear()
		if again := searchWith(more, g, 100_000); again.Proof != engine.Loss {
			t.Errorf("%s %s: called lost after %d nodes, not after %d", g.Rules().Name(), game.MoveList(g.Moves()),
				r.Nodes, again.Nodes)
		}
	}
	if claims < positions/30 {
		t.Errorf("only %d are called lost", claims)
	}
}

func searchWith(e *Engine, g game.Game, nodes int64) engine.Report {
	return testkit.Got(e.Search(context.Background(), g, engine.Limits{Nodes: nodes}))
}
