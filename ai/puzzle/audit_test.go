package puzzle

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"tengen/ai/engine"
	"tengen/ai/five"
	"tengen/game"
	"tengen/internal/testkit"
)

// some are so many puzzles of the kind, spread over the collection; all of them with a dose of
// that size.
func some(kind Kind, n int) (list []Puzzle) {
	var of []Puzzle
	for _, p := range Collection() {
		if p.Kind == kind {
			of = append(of, p)
		}
	}
	rnd := rand.New(rand.NewPCG(7, uint64(kind)))
	rnd.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
	return of[:min(n, len(of))]
}

// The puzzles hold: they are proven again by the means that found them. TENGEN_PUZZLES=100000
// checks all.
func TestCheck(t *testing.T) {
	t.Parallel()
	for _, kind := range []Kind{Win, Defend, Best} {
		for _, p := range some(kind, testkit.Dose("TENGEN_PUZZLES", 3)) {
			if err := p.Check(t.Context()); err != nil {
				t.Errorf("%s: %v", p.ID(), err)
			}
		}
	}
}

// A puzzle whose answer is changed does not hold.
func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	for _, kind := range []Kind{Win, Defend, Best} {
		for _, p := range some(kind, 2) {
			for m := range p.Game.Legal().All() {
				if m == p.Line[0] || p.Kind != Best && sameFour(p.Game.Position(), p.Turn(), m, p.Line[0]) {
					continue
				}
				q := p
				q.Line = []game.Point{m}
				if q.Check(t.Context()) == nil {
					t.Errorf("%s holds with %v", p.ID(), m)
				}
				break
			}
		}
	}
}

// The answers of wins are played out against every reply, by the rules of package game alone;
// the engine only proposes the winner's moves.
func TestWinsPlayedOut(t *testing.T) {
	t.Parallel()
	cut := 0
	list := some(Win, testkit.Dose("TENGEN_PUZZLES", 4))
	for _, p := range list {
		pr := newProver()
		a := &playout{prover: pr, winner: p.Turn(), seen: map[game.Position]bool{}}
		g := testkit.Got(p.Game.Play(p.Line[0]))
		pr.five.Threats(g, p.Turn(), winNodes) // its proof is at hand for what follows
		if !a.loses(g) {
			t.Errorf("%s: %v is answered by %v", p.ID(), p.Line[0], a.reply)
		}
		if a.cut {
			cut++
		}
		pr.done()
	}
	t.Logf("%d wins, %d too large to play out to the end", len(list), cut)
}

// playout plays a win out against every reply.
type playout struct {
	*prover
	winner game.Color
	seen   map[game.Position]bool
	steps  int
	cut    bool
	reply  []game.Point
}

// loses reports whether the side to move loses whatever it plays.
func (a *playout) loses(g game.Game) bool {
	if g.Turn() == game.Empty {
		return g.Result().Winner == a.winner
	}
	if a.seen[g.Position()] {
		return true
	}
	a.seen[g.Position()] = true
	if a.steps++; a.steps > 3000 {
		a.cut = true
		return true
	}
	blocks := game.Set{}
	if threats := allFives(g.Rules(), g.Position(), a.winner); !threats.Empty() {
		blocks = threats // other replies are answered by the five, but for a five of their own
		blocks = blocks.Or(allFives(g.Rules(), g.Position(), g.Turn()))
	}
	for p := range g.Legal().All() {
		if !blocks.Empty() && !blocks.Has(p) {
			continue
		}
		h, err := g.Play(p)
		if err != nil {
			continue
		}
		if h.Turn() != game.Empty {
			m, _, _ := a.wins(h)
			if m == game.NoPoint { // the proof of the whole had more nodes for this part
				m = a.five.Threats(h, a.winner, 20*proofNodes).Move
			}
			if m == game.NoPoint {
				a.reply = []game.Point{p}
				return false
			}
			if h, err = h.Play(m); err != nil {
				return false
			}
		}
		if !a.loses(h) {
			a.reply = append([]game.Point{p}, a.reply...)
			return false
		}
	}
	return true
}

// Every other first move of a win is refuted by other means than those that found it: a full
// search, quiet moves and all, proves no win after it.
func TestOthersRefuted(t *testing.T) {
	t.Parallel()
	nodes := int64(testkit.Dose("TENGEN_PUZZLE_NODES", 300))
	moves := 0
	for _, p := range some(Win, testkit.Dose("TENGEN_PUZZLES", 3)) {
		for m := range p.Game.Legal().All() {
			if m == p.Line[0] || sameFour(p.Game.Position(), p.Turn(), m, p.Line[0]) {
				continue
			}
			h := testkit.Got(p.Game.Play(m))
			moves++
			rep, err := five.Search(t.Context(), h, engine.Limits{Nodes: nodes, Brief: true})
			if err != nil || rep.Proof == engine.Loss {
				t.Errorf("%s: %v wins too, %v", p.ID(), m, err)
			}
		}
	}
	t.Logf("%d moves, %d nodes each", moves, nodes)
}

// The scores of Reversi agree with a plain solver: alpha-beta by the rules of package game.
func TestPlainSolver(t *testing.T) {
	t.Parallel()
	most, n := testkit.Dose("TENGEN_PUZZLE_EMPTIES", 9), 0
	for _, p := range some(Best, 1<<20) {
		if empties(p.Game.Position()) > most || n >= testkit.Dose("TENGEN_PUZZLES", 4) {
			continue
		}
		n++
		list := testkit.Got(solve(context.Background(), p.Game))
		b, gap := bestOf(list)
		if b.at != p.Line[0] || gap == 0 {
			t.Errorf("%s: the best is %v, ahead by %d", p.ID(), b.at, gap)
		}
		for _, m := range list {
			if got := plain(testkit.Got(p.Game.Play(m.at)), -64, 64, p.Turn()); got != m.score {
				t.Errorf("%s: %v is worth %d, by the plain solver %d", p.ID(), m.at, m.score, got)
			}
		}
	}
	t.Logf("%d endings of up to %d empty points", n, most)
}

// plain is the score of g for c.
func plain(g game.Game, alpha, beta int, c game.Color) int {
	if g.Turn() == game.Empty {
		black, white := game.Score(g.Position())
		if c == game.White {
			return white - black
		}
		return black - white
	}
	if g.Turn() != c {
		return -plain(g, -beta, -alpha, g.Turn())
	}
	for p := range g.Legal().All() {
		h, err := g.Play(p)
		if err != nil {
			panic(fmt.Sprint(p, err))
		}
		alpha = max(alpha, plain(h, alpha, beta, c))
		if alpha >= beta {
			break
		}
	}
	return alpha
}

// A long win is proven again whatever the search has looked at before: this one took more nodes
// than the search for a second win has.
func TestCheckLongWin(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"r00023", "r00031"} {
		p, ok := Named(Collection(), id)
		if !ok {
			t.Fatalf("%s is gone", id)
		}
		if err := p.Check(t.Context()); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// A defence that loses by quiet moves, in 23 to 35 plies, does not hold: after it 100,000 to 220,000
// nodes prove the win.
func TestCheckRefusesLongLoss(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ line, answer string }{
		{"gomoku .............../.............../.............../..........X..../........O....../.........O.O.../........XXO..../.............../.............../.........X...../.............../.............../.............../.............../............... X", "l8"},
		{"gomoku .............../.............../.............../.............../.....X.XXO...../.......O......./........X....../.......XOX...../......OO......./......XO......./........O....../.............../.............../.............../............... X", "j4"},
		{"renju .............../.............../.............../.............../.............../.............../.....XOOOX...../....OX.XXO...../.....X.X......./.....O........./.............../.............../.............../.............../............... O", "g6"},
	} {
		p := read("defend", c.line, c.answer)
		if err := p.Check(t.Context()); err == nil || err.Error() != p.Line[0].String()+" loses" {
			t.Errorf("%s %s: %v", c.line, c.answer, err)
		}
	}
}
