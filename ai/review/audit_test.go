package review

import (
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/ai"
	"tengen/ai/engine"
	"tengen/game"
	"tengen/internal/testkit"
)

// auditor plays a claimed win out against every lawful reply. It knows package game, how to
// count stones in a row, and asks the engine for the winner's moves alone.
type auditor struct {
	t     *testing.T
	seen  map[game.Position]bool
	steps int
}

// most is how many positions an audit looks at; a claim that needs more is not refuted.
const most = 1000

// holds reports whether the side to move in g wins whatever the other side plays.
func (a *auditor) holds(g game.Game) bool {
	if won, ok := a.seen[g.Position()]; ok {
		return won
	}
	if a.steps++; a.steps > most {
		return true
	}
	won := a.attack(g)
	a.seen[g.Position()] = won
	return won
}

func (a *auditor) attack(g game.Game) bool {
	me := g.Turn()
	if len(fivesOf(g, me)) > 0 {
		return true
	}
	move := game.NoPoint
	for _, nodes := range []int64{3_000, 100_000, 3_000_000} {
		r, err := ai.Search(a.t.Context(), g, engine.Limits{Nodes: nodes, Memory: 4 << 20, Brief: true, Spend: true})
		testkit.Must(a.t, err)
		if r.Proof == engine.Win {
			move = r.Move
			break
		}
	}
	next, err := g.Play(move)
	if err != nil {
		return false
	}
	if next.Turn() == game.Empty {
		return next.Result().Winner == me
	}
	fives, fours := fivesOf(next, me), straightFours(next, me)
	for q := range next.Legal().All() {
		if len(fives) > 0 && (fives[0] != q || len(fives) > 1) {
			continue // the next stone makes five
		}
		after, err := next.Play(q)
		if err != nil || after.Turn() == game.Empty {
			return false
		}
		if len(fives) == 0 && !makesFour(after.Position(), after.Rules(), me.Other(), q) &&
			slices.ContainsFunc(fours, func(p game.Point) bool { return straightFour(after, p) }) {
			continue // the next stone makes a straight four, and the other side has no four to answer it with
		}
		if !a.holds(after) {
			return false
		}
	}
	return true
}

// fivesOf are the points where c makes five. In Renju a five of black is always lawful.
func fivesOf(g game.Game, c game.Color) (list []game.Point) {
	for _, q := range g.Position().Points() {
		if g.Position().At(q) == game.Empty && makesFive(g.Position(), g.Rules(), c, q) {
			list = append(list, q)
		}
	}
	return list
}

func makesFive(b game.Position, r game.Rules, c game.Color, q game.Point) bool {
	exactly := r == game.Standard15 || r == game.Standard9 || r == game.Renju && c == game.Black
	for _, d := range [4][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}} {
		n := 1
		for _, way := range []int{1, -1} {
			for k := way; ; k += way {
				col, row := q.Col()+k*d[0], q.Row()+k*d[1]
				if col < 0 || row < 0 || col >= b.Size || row >= b.Size || b.At(game.At(col, row)) != c {
					break
				}
				n++
			}
		}
		if n == 5 || n > 5 && !exactly {
			return true
		}
	}
	return false
}

// straightFours are the empty points of g where c, to move next, would make two points of five.
func straightFours(g game.Game, c game.Color) (list []game.Point) {
	for _, q := range g.Position().Points() {
		if g.Position().At(q) == game.Empty && len(fivesBeside(g.Position().Put(q, c), g.Rules(), c, q)) > 1 {
			list = append(list, q)
		}
	}
	return list
}

// straightFour reports whether the side to move in g may play p and makes two points of five.
func straightFour(g game.Game, p game.Point) bool {
	next, err := g.Play(p)
	return err == nil && len(fivesBeside(next.Position(), g.Rules(), g.Turn(), p)) > 1
}

// makesFour reports whether the stone of c on q is one of four to which a point makes five.
func makesFour(b game.Position, r game.Rules, c game.Color, q game.Point) bool {
	return len(fivesBeside(b, r, c, q)) > 0
}

// fivesBeside are the points on the lines through q, at most four away, where c makes five.
func fivesBeside(b game.Position, r game.Rules, c game.Color, q game.Point) (list []game.Point) {
	for _, d := range [4][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}} {
		for k := -4; k <= 4; k++ {
			col, row := q.Col()+k*d[0], q.Row()+k*d[1]
			if col < 0 || row < 0 || col >= b.Size || row >= b.Size {
				continue
			}
			if p := game.At(col, row); b.At(p) == game.Empty && makesFive(b, r, c, p) {
				list = append(list, p)
			}
		}
	}
	return list
}

// weak plays a game between two weak players, in which wins are missed.
func weak(t *testing.T, r game.Rules, seed uint64) game.Game {
	rnd := rand.New(rand.NewPCG(seed, 7))
	g := game.New(r)
	level := 1 + rnd.IntN(4)
	for g.Turn() != game.Empty && !g.Dead() && g.Len() < 70 {
		rep := testkit.Got(ai.Search(t.Context(), g, engine.Limits{Level: level, Seed: rnd.Uint64()}))
		g = testkit.Got(g.Play(rep.Move))
	}
	return g
}

// shortWin is the length of the wins that a review must know.
const shortWin = 13

// Missed wins in games of weak players. What the review claims is audited: the win was there,
// by play against every reply, and it is gone, by a hundred times the means. (Of a long win ten
// times the means, on which the note rests, may find nothing although it is still there; that is
// counted, and seldom.) What the review does not claim is looked for: no short win that a
// search with ten times the means finds was missed without being named. TENGEN_REVIEWS sets
// the number of games.
func TestMissedWins(t *testing.T) {
	t.Parallel()
	means := Means{Nodes: int64(testkit.Dose("TENGEN_REVIEW_NODES", 20_000))}
	claims, large, named, silent, late := 0, 0, 0, 0, 0
	from := testkit.Dose("TENGEN_REVIEW_FROM", 0)
	for n := from; n < from+testkit.Dose("TENGEN_REVIEWS", 1); n++ {
		g := weak(t, game.AllRules[n%5], uint64(n))
		r := reviewed(t, g, Options{Means: means})
		check(t, g, r)
		t.Logf("game %d, %s, %d plies; so far %d claims, %d too large, %d late, %d not named, %d not gone", n,
			g.Rules().Name(), g.Len(), claims, large, late, named, silent)
		for i, p := range r.Plies {
			before, after := g.Until(i), g.Until(i+1)
			if p.Note == MissedWin {
				claims++
				a := &auditor{t: t, seen: map[game.Position]bool{}}
				if !a.holds(before) {
					t.Errorf("game %d %s %s, ply %d: no win in %d", n, g.Rules().Name(), game.MoveList(g.Moves()), p.N, p.Had.In)
				}
				if a.steps > most {
					large++
				}
				still := audited(t, after, means, 100)
				t.Logf("ply %d of %s: a win in %d, %d left of the expectation, played out in %d positions, then %v", p.N,
					game.MoveList(g.Moves()), p.Had.In, p.After, a.steps, still.Proof)
				if still.Proof == engine.Loss {
					late++
					if p.Had.In <= shortWin {
						t.Errorf("game %d, ply %d: a short win", n, p.N)
					}
				}
				continue
			}
			if p.Gave.Proof == engine.Win {
				continue // nothing was missed
			}
			if was := audited(t, before, means, 10); was.Proof != engine.Win || was.In > shortWin {
				continue
			}
			if after.Turn() != game.Empty && audited(t, after, means, 100).Proof == engine.Loss {
				silent++ // not gone, so not missed
				continue
			}
			named++
			t.Errorf("game %d %s %s, ply %d: a short win was missed and is not named: %+v", n, g.Rules().Name(),
				game.MoveList(g.Moves()), p.N, p)
		}
	}
	t.Logf("%d missed wins claimed, %d of them too large to play out, %d still there for a hundred times the means; "+
		"%d short ones not named, %d not gone", claims, large, late, named, silent)
	if late > 1+claims/5 {
		t.Errorf("%d of %d wins that are called missed are still there", late, claims)
	}
}

// Every win of the engine's test data is named when it is missed.
func TestKnownWins(t *testing.T) {
	t.Parallel()
	list := wins(shortWin)
	if len(list) < 20 {
		t.Fatalf("%d wins", len(list))
	}
	times := int64(testkit.Dose("TENGEN_REVIEW_TIMES", 20)) // as many nodes decide beside
	means, rnd := Means{Nodes: 40_000}, rand.New(rand.NewPCG(3, 1))
	missed := 0
	for k, at := range list[:min(len(list), testkit.Dose("TENGEN_REVIEWS", 1))] {
		g, err := game.From(at.Rules(), at.Position(), at.Turn())
		testkit.Must(t, err)
		legal := g.Legal().Points()
		if g, err = g.Play(legal[rnd.IntN(len(legal))]); err != nil || g.Turn() == game.Empty {
			continue
		}
		r := reviewed(t, g, Options{Means: means})
		check(t, g, r)
		p := r.Plies[0]
		if p.Had.Proof != engine.Win {
			t.Errorf("win %d: had %v", k, p.Had)
		}
		gone := audited(t, g, means, times).Proof != engine.Loss
		if gone != (p.Note == MissedWin) {
			t.Errorf("win %d, %v: gone is %v, the note %v, gave %v", k, p.Move, gone, p.Note, p.Gave)
		}
		if gone {
			missed++
		}
	}
	t.Logf("%d of %d missed", missed, len(list))
}

// audited is a search with so many times the means of a review.
func audited(t *testing.T, g game.Game, m Means, times int64) engine.Report {
	t.Helper()
	if g.Turn() == game.Empty {
		return engine.Report{}
	}
	r, err := ai.Search(t.Context(), g, engine.Limits{Nodes: times * m.Nodes, Brief: true, Memory: 16 << 20, Spend: true})
	testkit.Must(t, err)
	return r
}
