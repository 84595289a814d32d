package five

import (
	"context"
	"math"
	"math/rand/v2"

	"tengen/ai/engine"
	"tengen/game"
)

// Played is a game of the engine against itself, with what a fit needs.
type Played struct {
	Rules  game.Rules
	Moves  []game.Point
	Book   int       // moves at the start that nobody thought about
	Result float64   // black's: 1, 0.5 or 0
	Scores []float64 // by move, what its search expected for the side to move; -1 in the book
	Proven []bool    // the search proved the result: nothing to learn for the evaluation
}

// pass notes the moves that nobody thought about.
func (p *Played) pass() {
	for range p.Book {
		p.found(-1, true)
	}
}

// found notes what the search of the next move expected.
func (p *Played) found(score float64, proven bool) {
	p.Scores, p.Proven = append(p.Scores, score), append(p.Proven, proven)
}

// SelfPlay plays one game of the engine against itself at nodes a move from a random
// opening that looks about equal. It ends as soon as the result is proven.
func (e *Engine) SelfPlay(ctx context.Context, r game.Rules, rnd *rand.Rand, nodes int64) (Played, bool) {
	g, ok := e.start(ctx, r, rnd, nodes)
	if !ok {
		return Played{}, false
	}
	e.Clear()
	p := Played{Rules: r, Book: g.Len(), Result: 0.5}
	p.pass()
	flat := 0
	for g.Turn() != game.Empty {
		rep, err := e.Search(ctx, g, engine.Limits{Nodes: nodes, Brief: true})
		if err != nil || ctx.Err() != nil {
			return Played{}, false
		}
		p.found(rep.Win, rep.Proof != engine.Unproven)
		black := g.Turn() == game.Black
		g, err = g.Play(rep.Move)
		if err != nil {
			return Played{}, false
		}
		if rep.Proof == engine.Win || rep.Proof == engine.Loss {
			p.Result = rep.Win
			if !black {
				p.Result = 1 - rep.Win
			}
			break
		}
		if flat++; math.Abs(rep.Win-0.5) >= 0.02 {
			flat = 0
		}
		if flat > 24 && g.Len() > r.Size()*r.Size()/2 {
			break // a dead board
		}
	}
	if w := g.Result().Winner; w != game.Empty {
		p.Result = float64(game.White - w)
	}
	p.Moves = g.Moves()
	return p, true
}

// Aside plays a few moves from a position of the game, likely ones rather than good ones,
// and searches the position after them: the evaluation has to judge positions that no good
// game reaches. It gives a game of its own, of which the last move alone is to be learned.
func (e *Engine) Aside(ctx context.Context, p Played, rnd *rand.Rand, nodes int64) (Played, bool) {
	if len(p.Moves) <= p.Book+1 {
		return Played{}, false
	}
	g, err := game.New(p.Rules).PlayAll(p.Moves[:p.Book+rnd.IntN(len(p.Moves)-p.Book)]...)
	if err != nil {
		return Played{}, false
	}
	for range 1 + rnd.IntN(4) {
		q, ok := e.likely(g, rnd)
		if !ok {
			return Played{}, false
		}
		if g, err = g.Play(q); err != nil || g.Turn() == game.Empty {
			return Played{}, false
		}
	}
	e.Clear()
	rep, err := e.Search(ctx, g, engine.Limits{Nodes: nodes, Brief: true})
	// a win that a leaf sees by itself
	if err != nil || ctx.Err() != nil || rep.Proof == engine.Win && rep.In <= 2*tuned.vcfDepth+1 {
		return Played{}, false
	}
	a := Played{Rules: p.Rules, Moves: append(g.Moves(), rep.Move), Book: g.Len(), Result: rep.Win}
	if g.Turn() == game.White {
		a.Result = 1 - rep.Win
	}
	a.pass()
	a.found(rep.Win, false)
	return a, true
}

// likely picks a move at random by the chances that the ordering of moves gives, a little
// flattened.
func (e *Engine) likely(g game.Game, rnd *rand.Rand) (game.Point, bool) {
	s := e.main
	v, _ := variantOf(g.Rules())
	s.b.reset(shapeOf(v, g.Rules().Size()))
	s.b.follow(g)
	s.listRoot()
	sum := 0.0
	weight := func(m rootMove) float64 { return math.Exp(float64(m.order-s.root[0].order) / (1.5 * orderUnit)) }
	for _, m := range s.root {
		sum += weight(m)
	}
	at := rnd.Float64() * sum
	for _, m := range s.root {
		if at -= weight(m); at < 0 {
			return game.Point(m.p), true
		}
	}
	return game.NoPoint, false
}

// start is where a game against itself begins: near the middle, anywhere on the board,
// or, in Renju, one of the standard openings. Stones are added at random until the
// search calls the position about equal.
func (e *Engine) start(ctx context.Context, r game.Rules, rnd *rand.Rand, nodes int64) (game.Game, bool) {
	var g game.Game
	kind := rnd.IntN(4)
	switch {
	case kind == 0:
		g = scatter(r, rnd, 2+rnd.IntN(6))
	case kind < 3 && r == game.Renju:
		g = drawn26(rnd)
		for range rnd.IntN(4) {
			ps := e.near(g)
			g, _ = g.Play(ps[rnd.IntN(len(ps))])
		}
	default:
		g = wide(r, rnd, 3+rnd.IntN(5))
	}
	for range 6 {
		if g.Turn() == game.Empty {
			return g, false
		}
		e.Clear()
		rep, err := e.Search(ctx, g, engine.Limits{Nodes: max(500, nodes/2), Brief: true})
		if err != nil {
			return g, false
		}
		if math.Abs(rep.Win-0.5) < 0.25 {
			return g, true
		}
		ps := e.near(g)
		if len(ps) == 0 {
			return g, false
		}
		if g, err = g.Play(ps[rnd.IntN(len(ps))]); err != nil {
			return g, false
		}
	}
	return g, false
}

// wide plays n moves round a point that may lie anywhere, the edges included.
func wide(r game.Rules, rnd *rand.Rand, n int) game.Game {
	g := game.New(r)
	size := r.Size()
	c := game.At(rnd.IntN(size), rnd.IntN(size))
	spread := 2 + rnd.IntN(4)
	for tries := 0; g.Len() < n && tries < 200; tries++ {
		q, reach := c, spread
		if ms := g.Moves(); len(ms) > 0 && rnd.IntN(2) == 0 {
			q, reach = ms[rnd.IntN(len(ms))], 2
		}
		col, row := q.Col()+rnd.IntN(2*reach+1)-reach, q.Row()+rnd.IntN(2*reach+1)-reach
		g = tried(g, col, row)
	}
	return g
}

// tried is the game with a move at col and row, where there is such a move.
func tried(g game.Game, col, row int) game.Game {
	if size := g.Rules().Size(); col < 0 || row < 0 || col >= size || row >= size {
		return g
	}
	if next, err := g.Play(game.At(col, row)); err == nil {
		return next
	}
	return g
}

// scatter plays n moves at random near the middle and near one another.
func scatter(r game.Rules, rnd *rand.Rand, n int) game.Game {
	g := game.New(r)
	c := r.Size() / 2
	spread := 2 + rnd.IntN(3)
	for tries := 0; g.Len() < n && tries < 200; tries++ {
		col, row := c+rnd.IntN(2*spread+1)-spread, c+rnd.IntN(2*spread+1)-spread
		if g.Len() > 0 && rnd.IntN(3) > 0 {
			ms := g.Moves()
			q := ms[rnd.IntN(len(ms))]
			col, row = q.Col()+rnd.IntN(5)-2, q.Row()+rnd.IntN(5)-2
		}
		g = tried(g, col, row)
	}
	return g
}

// sample is a position for the evaluation: how often each code stands on the board for
// the side to move and for its opponent, and what of that the last move has changed.
type sample struct {
	counts [inputs / lanes][]tally
	threat uint16
	turn   uint8
	want   float32
	score  float32 // what the search expected
}

type tally struct {
	code uint16
	n    int16
}

// Fit makes the weights for the games' rules, starting from nothing, and reports its
// progress to told.
func Fit(games []Played, told engine.Progress) *Weights {
	v, _ := variantOf(games[0].Rules)
	evals, choices := gather(games, v)
	told.Say("%d positions for the evaluation, %d for the ordering of moves", len(evals), len(choices))
	w := &Weights{}
	fitEval(evals, v, w, told)
	fitOrder(choices, v, w, told)
	return w
}

// epochs is how often a fit goes through its positions.
const epochs = 12

// Weights are the tables of one variant.
type Weights = weights

func gather(games []Played, v variant) (evals []sample, choices []choice) {
	rnd := rand.New(rand.NewPCG(7, 7))
	b := new(board)
	for _, g := range games {
		b.reset(shapeOf(v, g.Rules.Size()))
		for i, p := range g.Moves {
			if i >= g.Book {
				open := b.undecided()
				if open && !g.Proven[i] {
					evals = append(evals, b.sample(g, i))
				}
				if open && rnd.IntN(2) == 0 {
					if c, ok := b.choice(uint8(p)); ok {
						choices = append(choices, c)
					}
				}
			}
			b.play(uint8(p))
		}
	}
	return evals, choices
}

// undecided reports whether neither side has a win that a leaf sees.
func (b *board) undecided() bool {
	me := b.turn
	return b.count[me][winFive] == 0 && b.count[me^1][winFive] == 0 && b.count[me][openFour] == 0 &&
		!b.quickFourThree(me)
}

// candidates are the points among which the side to move chooses.
func (b *board) candidates() pointSet {
	if b.count[b.turn^1][openFour] > 0 {
		return b.defence()
	}
	return b.near
}

// mixed is the share of the game's result in a label; the rest is the result that the
// search expected, which is less noisy and less true.
const mixed = 0.5

func (b *board) sample(g Played, i int) sample {
	me := b.turn
	result := g.Result
	if me == white {
		result = 1 - result
	}
	s := sample{threat: uint16(b.threats()), turn: uint8(me), want: float32(mixed*result + (1-mixed)*g.Scores[i]),
		score: float32(g.Scores[i])}
	var n [inputs / lanes][codes]int16
	for p := range b.empty.All() {
		n[0][b.cells[p].code[me]&4095]++
		n[1][b.cells[p].code[me^1]&4095]++
	}
	if b.ply > 0 {
		n[2], n[3] = n[0], n[1]
		last := b.moves[b.ply-1]
		b.back()
		for p := range b.empty.All() {
			n[2][b.cells[p].code[me]&4095]--
			n[3][b.cells[p].code[me^1]&4095]--
		}
		b.play(last)
	}
	for side := range n {
		for code, k := range n[side] {
			if k != 0 {
				s.counts[side] = append(s.counts[side], tally{uint16(code), k})
			}
		}
	}
	return s
}
