package five

import (
	"context"
	"math"
	"math/rand/v2"

	"tengen/ai/engine"
	"tengen/game"
	"tengen/game/opening"
)

// Sparring is a game of the engine against itself that a network can learn from: every position after
// the start was searched deeply. It lasts until a row, a full board, or a draw that nothing will
// change; from a proven win on the moves are those of the proof.
type Sparring struct {
	Index  uint32
	Engine uint32 // tells engines apart that search differently; whoever keeps the sparring sets it
	Start  Start
	Moves  []game.Point
	Book   int        // moves of the start, which have no labels
	Winner game.Color // Empty: drawn
	Labels []Label    // of the positions before Moves[Book:]
}

// Open is how many labels are values without a proof.
func (l Sparring) Open() (n int) {
	for _, x := range l.Labels {
		if x.Proof() == 0 {
			n++
		}
	}
	return n
}

// Start is where a sparring begins.
type Start uint8

// The starts. The first three look about equal; Near and Apart have 3 to 12 stones. The numbers are
// stored: add at the end only.
const (
	Near   Start = iota // in the middle of the board
	Apart               // anywhere, the edges included
	Agreed              // by an opening protocol, or from the list of balanced openings
	Late                // many stones, and still about equal
	Lost                // one side looks lost, without a proof
	Starts
)

func (s Start) String() string { return [...]string{"near", "apart", "agreed", "late", "lost"}[s] }

// drawStart draws a start: a tenth of the sparrings begin late or lost, three twentieths agreed.
func drawStart(rnd *rand.Rand) Start {
	switch n := rnd.IntN(20); n {
	case 0:
		return Late
	case 1:
		return Lost
	case 2, 3, 4:
		return Agreed
	default:
		return Start(n % 2)
	}
}

// Label is what a search said of a position.
type Label struct {
	Best  game.Point
	Value int16 // for the side to move: -sure a loss to sure a win, or proven with plies
}

const (
	sure   = 10_000
	proven = 2 * sure // with the plies to the five: a win, and negated a loss
)

// Win is the expected result of the side to move, from 0 to 1.
func (l Label) Win() float64 { return max(0, min(1, (1+float64(l.Value)/sure)/2)) }

// Proof is the plies to the winner's five: below zero where the side to move loses, 0 where nothing
// is proven.
func (l Label) Proof() int {
	switch {
	case l.Value >= proven:
		return int(l.Value) - proven
	case l.Value <= -proven:
		return int(l.Value) + proven
	}
	return 0
}

func labelOf(best game.Point, win float64, plies int) Label {
	switch {
	case plies == 0:
		return Label{best, int16(math.Round((2*win - 1) * sure))}
	case win > 0.5:
		return Label{best, int16(proven + plies)}
	}
	return Label{best, int16(-proven - plies)}
}

const (
	drawnAfter = 16   // moves in a row that an even game has: 57 of 57 that went on from there were drawn
	even       = 0.03 // what a search may expect more or less than half in an even game
	early      = 10   // moves after the start that may be others than the best
	worse      = 0.06 // what such a move may cost

	shallow        = 4 // plies that a search must have finished for its value to tell something
	sparringMemory = 12 << 20
)

// Sparring plays the game of that index: the same seed, index and nodes give the same game.
func (e *Engine) Sparring(ctx context.Context, r game.Rules, seed uint64, index uint32, nodes int64) (Sparring, error) {
	rnd := rand.New(rand.NewPCG(seed, uint64(index)))
	l := Sparring{Index: index, Start: drawStart(rnd)}
	g, err := e.begin(ctx, r, l.Start, rnd, nodes)
	l.Book = g.Len()
	for flat := 0; err == nil && g.Turn() != game.Empty && !g.Dead(); {
		if flat > drawnAfter && Quarter(g) {
			break
		}
		rep, err := e.study(ctx, g, engine.Limits{Nodes: nodes, Spend: true})
		if err != nil {
			return l, err
		}
		if end, ok := wonBy(g, rep); ok {
			for i, p := range rep.Line {
				l.Labels = append(l.Labels, labelOf(p, math.Abs(rep.Win-float64(i%2)), rep.In-i))
			}
			g = end
			break
		}
		l.Labels = append(l.Labels, labelOf(rep.Move, rep.Win, rep.In))
		if flat++; math.Abs(rep.Win-0.5) >= even {
			flat = 0
		}
		p := rep.Move
		if len(l.Labels) <= early && rep.Proof == engine.Unproven && rnd.IntN(3) == 0 {
			p = e.other(ctx, g, rep, rnd, nodes)
		}
		if g, err = g.Play(p); err != nil {
			return l, err
		}
	}
	l.Moves, l.Winner = g.Moves(), g.Result().Winner
	return l, err
}

// Quarter reports whether a quarter of the board is full, as it is in every game that is called a draw.
func Quarter(g game.Game) bool { return 4*g.Len() > g.Rules().Size()*g.Rules().Size() }

// study searches. Where the nodes went into fours before the first plies were done, which tells no
// value, it searches again with twice as many.
func (e *Engine) study(ctx context.Context, g game.Game, limits engine.Limits) (engine.Report, error) {
	limits.Memory = sparringMemory // the same for all searches of a game, since another table would be empty
	for most := 32 * limits.Nodes; ; limits.Nodes *= 2 {
		rep, err := e.Search(ctx, g, limits)
		if err == nil {
			err = ctx.Err() // a search that was cut short knows less
		}
		if rep.Depth >= shallow || rep.Proof != engine.Unproven || limits.Nodes >= most || err != nil {
			return rep, err
		}
	}
}

// wonBy is the end of the game by the line of a proven result, if the line reaches it.
func wonBy(g game.Game, rep engine.Report) (game.Game, bool) {
	if rep.Proof == engine.Unproven || len(rep.Line) != rep.In {
		return g, false
	}
	winner := g.Turn()
	if rep.Proof == engine.Loss {
		winner = winner.Other()
	}
	end, err := g.PlayAll(rep.Line...)
	return end, err == nil && end.Result().Winner == winner
}

// other is a likely move where a search says that it costs little, else the best.
func (e *Engine) other(ctx context.Context, g game.Game, best engine.Report, rnd *rand.Rand, nodes int64) game.Point {
	p, _ := e.likely(g, rnd)
	next, err := g.Play(p)
	if err != nil || p == best.Move {
		return best.Move
	}
	rep, err := e.study(ctx, next, engine.Limits{Nodes: nodes / 4, Brief: true})
	if err != nil || rep.Proof != engine.Unproven || 1-rep.Win < best.Win-worse {
		return best.Move
	}
	return p
}

// begin tries positions of a kind until searches call one what its kind says.
func (e *Engine) begin(ctx context.Context, r game.Rules, kind Start, rnd *rand.Rand, nodes int64) (game.Game, error) {
	g := game.New(r)
	stones := 3 + rnd.IntN(10)
	least, most := 0.0, 0.12
	if kind == Lost {
		least, most = 0.25, 0.47
	}
	for ctx.Err() == nil {
		e.Clear()
		if kind == Agreed {
			g = e.agree(ctx, r, rnd, nodes/4)
		} else {
			g = e.stones(r, kind, rnd, stones)
		}
		if kind == Late {
			g = e.dragOn(ctx, g, 50+rnd.IntN(70), nodes/40)
		}
		if e.off(ctx, g, nodes/20, least-0.1, most+0.1) && e.off(ctx, g, nodes, least, most) {
			return g, nil
		}
	}
	return g, ctx.Err()
}

// stones plays n moves: three or more at random, the others by chance as likely as they are good.
func (e *Engine) stones(r game.Rules, kind Start, rnd *rand.Rand, n int) game.Game {
	random := 3 + rnd.IntN(n-2)
	var g game.Game
	switch {
	case kind == Apart:
		g = wide(r, rnd, random)
	case r == game.Renju && rnd.IntN(2) == 0:
		g = drawn26(rnd)
	default:
		g = scatter(r, rnd, random)
	}
	for g.Len() < n && g.Turn() != game.Empty {
		p, ok := e.likely(g, rnd)
		next, err := g.Play(p)
		if !ok || err != nil {
			break
		}
		g = next
	}
	return g
}

// agree plays a protocol that fits the rules with so many nodes a decision, or takes one of the
// balanced openings.
func (e *Engine) agree(ctx context.Context, r game.Rules, rnd *rand.Rand, nodes int64) game.Game {
	ways := opening.For(r)
	n, seed := rnd.IntN(len(ways)+1), rnd.Uint64()
	if n == len(ways) {
		g, _ := game.New(r).PlayAll(Balanced(r, seed)...)
		return g
	}
	limits := engine.Limits{Level: len(levels), Nodes: nodes, Seed: seed, Memory: sparringMemory}
	g, s := game.New(r), ways[n].Begin()
	for !s.Over() {
		d, _, err := e.Decide(ctx, r, s, limits)
		if err != nil {
			break
		}
		s = after(s, d)
		if p, ok := d.Stone(); ok {
			if next, err := g.Play(p); err == nil {
				g = next
			}
		}
	}
	return g
}

// dragOn plays, so many nodes a move, until there are n stones or the game is decided.
func (e *Engine) dragOn(ctx context.Context, g game.Game, n int, nodes int64) game.Game {
	for g.Len() < n && g.Turn() != game.Empty && ctx.Err() == nil {
		rep, err := e.Search(ctx, g, engine.Limits{Nodes: nodes, Memory: sparringMemory, Brief: true})
		if err != nil || rep.Proof != engine.Unproven {
			break
		}
		if g, err = g.Play(rep.Move); err != nil {
			break
		}
	}
	return g
}

// off reports whether a search expects a result so far from an even one, and proves none.
func (e *Engine) off(ctx context.Context, g game.Game, nodes int64, least, most float64) bool {
	rep, err := e.study(ctx, g, engine.Limits{Nodes: nodes, Brief: true})
	off := math.Abs(rep.Win - 0.5)
	return err == nil && rep.Proof == engine.Unproven && least <= off && off <= most
}

// Judge is what the evaluation alone, without a search, expects for the side to move.
func (e *Engine) Judge(g game.Game) float64 {
	v, _ := variantOf(g.Rules())
	b := &e.main.b
	b.reset(shapeOf(v, g.Rules().Size()))
	b.follow(g)
	return win(b.evaluate())
}
