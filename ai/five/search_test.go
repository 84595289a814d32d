package five

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"tengen/ai/engine"
	"tengen/game"
	"tengen/internal/testkit"
)

func play(r game.Rules, moves string) game.Game {
	ms := testkit.Got(game.ParseMoves(moves))
	return testkit.Got(game.New(r).PlayAll(ms...))
}

func search(t testing.TB, g game.Game, l engine.Limits) engine.Report {
	t.Helper()
	r := testkit.Got(Search(context.Background(), g, l))
	if err := g.Check(r.Move); err != nil {
		t.Fatalf("%s %s: plays %v: %v", g.Rules().Name(), game.MoveList(g.Moves()), r.Move, err)
	}
	return r
}

func TestMove(t *testing.T) {
	for _, tt := range []struct {
		name, rules, moves string
		want               string // moves that are right
		proof              engine.Proof
		in                 int
	}{
		{"the middle", "gomoku", "", "H8", engine.Unproven, 0},
		{"the middle of a small board", "gomoku9", "", "E5", engine.Unproven, 0},
		{"a five", "gomoku", "h8a1h9a2h10a3h11a4", "H7 H12 ", engine.Win, 1},
		{"a five before a block", "gomoku", "h8a1h9a2h10a3h11a4", "H7 H12 ", engine.Win, 1},
		{"a block", "gomoku", "h8h7h9a2h10a15h11", "H12 ", engine.Unproven, 0},
		{"a straight four", "gomoku", "h8a1h9a15h10o1", "H11 H7 H12 H6 ", engine.Win, 3},
		{"against an open three", "gomoku", "h8a1h9o15h10", "H11 H7 H12 H6 ", engine.Unproven, 0},
		{"the only block is forbidden", "renju", "h8g6f6g5f7g4h7g3g2a1", "", engine.Loss, 2},
		{"six are no five", "standard", "h8a1h9a3h10o1h12o3h13o5", "", engine.Unproven, 0},
	} {
		r, _ := game.RulesNamed(tt.rules)
		g := play(r, tt.moves)
		start := time.Now()
		rep := search(t, g, engine.Limits{Nodes: 50_000})
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s: took %v", tt.name, took)
		}
		if tt.want != "" && !contains(tt.want, rep.Move.String()) {
			t.Errorf("%s: %v, want one of %s", tt.name, rep.Move, tt.want)
		}
		if tt.proof != engine.Unproven && (rep.Proof != tt.proof || rep.In != tt.in) {
			t.Errorf("%s: %v in %d, want %v in %d", tt.name, rep.Proof, rep.In, tt.proof, tt.in)
		}
	}
}

func contains(list, name string) bool {
	for i := 0; i+len(name) <= len(list); i++ {
		if list[i:i+len(name)] == name && (i+len(name) == len(list) || list[i+len(name)] == ' ') {
			return true
		}
	}
	return false
}

// The engine gives a lawful move in every position, the nearly full board included.
func TestAlwaysLegal(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, r := range game.AllRules {
		if _, ok := variantOf(r); !ok {
			continue
		}
		full := r.Size() * r.Size()
		for i := range 40 {
			n := rnd.IntN(full)
			if i%4 == 0 {
				n = full
			}
			g := randomGame(rnd, r, n)
			search(t, g, engine.Limits{Nodes: 400})
			search(t, g, engine.Limits{Level: 1 + i%8, Nodes: 300, Seed: uint64(i)})
		}
	}
}

func TestSame(t *testing.T) {
	g := play(game.Renju, "h8i9j10i8i7g9")
	a, b := search(t, g, engine.Limits{Nodes: 20_000}), search(t, g, engine.Limits{Nodes: 20_000})
	if a.Move != b.Move || a.Score != b.Score || a.Nodes != b.Nodes || a.Depth != b.Depth {
		t.Errorf("fixed nodes do not repeat: %+v and %+v", a, b)
	}
	if a.Nodes > 20_600 {
		t.Errorf("%d nodes of 20,000", a.Nodes)
	}
}

func TestObeysContext(t *testing.T) {
	g := play(game.Gomoku15, "h8g7f6g8g9")
	search(t, g, engine.Limits{Nodes: 1000}) // makes the tables
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	r, err := Search(ctx, g, engine.Limits{Time: time.Minute})
	if err != nil || g.Check(r.Move) != nil {
		t.Fatalf("%+v, %v", r, err)
	}
	if r.Elapsed > 10*time.Second { // 20 ms on a machine that is not loaded
		t.Errorf("took %v", r.Elapsed)
	}
}

func TestAllocatesNothing(t *testing.T) {
	g := play(game.Renju, "h8i9j10i8i7g9")
	e := New()
	limits := engine.Limits{Nodes: 100_000}
	testkit.Got(e.Search(context.Background(), g, limits))
	s := e.main
	w := engine.NewWatch(context.Background(), limits)
	defer w.Close()
	if n := testing.AllocsPerRun(5, func() {
		e.Clear()
		s.prepare(shapeOf(renju, 15), e.tt, w, limits)
		s.b.setup(g.Position(), game.NoPoint)
		s.search(-infinite, infinite, 11, 1, false)
	}); n > 0 {
		t.Errorf("%v allocations in a search", n)
	}
	if s.nodes < 1000 {
		t.Errorf("only %d nodes", s.nodes)
	}
}

// Threads share the table and nothing else; -race watches.
func TestThreads(t *testing.T) {
	g := play(game.Gomoku15, "h8g7f6g8g9")
	r := search(t, g, engine.Limits{Time: 200 * time.Millisecond, Threads: 3})
	if r.Nodes < 1000 {
		t.Errorf("%d nodes", r.Nodes)
	}
	for range 3 {
		search(t, g, engine.Limits{Nodes: 5000, Threads: 2})
	}
}

// The suite of forced wins: each is proven within a second's worth of nodes, and its line
// ends in the win.
func TestForcedWins(t *testing.T) {
	text := testkit.Read(t, "testdata/wins.txt")
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) != 4 || f[0] == "#" {
			continue
		}
		r, _ := game.RulesNamed(f[2])
		g := play(r, f[3])
		rep := search(t, g, engine.Limits{Nodes: 1_000_000})
		if rep.Proof != engine.Win {
			t.Errorf("%s: no win after %d nodes", strings.TrimSpace(line), rep.Nodes)
			continue
		}
		if err := whole(g, rep); err != nil {
			t.Errorf("%s: in %d by %v: %v", strings.TrimSpace(line), rep.In, rep.Line, err)
		}
	}
}

// The expected play is lawful to its end, also where a search was stopped in the middle of a
// depth, and where the depth had found another line of the same first move.
func TestExpectedPlayIsLawful(t *testing.T) {
	g := play(game.Standard15, "h8j8f8")
	for _, nodes := range []int64{2000, 4000, 6000, 8000} {
		if _, err := g.PlayAll(search(t, g, engine.Limits{Nodes: nodes}).Line...); err != nil {
			t.Errorf("%d nodes: %v", nodes, err)
		}
	}
}
