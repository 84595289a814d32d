package review

import (
	"context"
	"math"
	"runtime"

	"tengen/ai"
	"tengen/ai/engine"
	"tengen/ai/reversi"
	"tengen/game"
)

// found is what is known of a position, for the side to move or, where view gives it, for the
// side that moved.
type found struct {
	value  Expectation
	proof  engine.Proof
	in     int
	discs  int          // Reversi, where proof is Exact
	line   []game.Point // the expected play
	others []game.Point // further moves worth a look, best first
	only   bool         // five in a row: every other move loses at once
}

// reviewer is one review under way.
type reviewer struct {
	ctx    context.Context
	means  Means
	curve  Curve
	opts   Options
	moves  []game.Point
	games  []game.Game // after so many moves
	at     []found     // and what is known of it
	memo   map[asked]found
	ends   reversi.Engine // its table serves the endgame from the last move back
	left   float64        // what may still be spent, in means of one position
	deep   bool           // searches with ten times the means are allowed
	sure   bool           // and, for missed wins, with a hundred times the means
	learnt bool           // a proof was found that at did not have when it was last read
}

// asked is a question that was searched: a position, and how many times the means.
type asked struct {
	b     game.Position
	times int64
}

const (
	deepTimes = 10  // a note rests on a search with so many times the means
	sureTimes = 100 // and that of a missed win on so many, as far as the review may spend them
	// What a review may spend, in means of one position: by CPU time as much as for a game of
	// usualPlies, or of its own length if that is more, and extraCPU beyond it; by nodes
	// extraNodes for each ply in addition, so that nothing is left out.
	usualPlies = 60
	extraCPU   = 11
	extraNodes = 2 * deepTimes
	// aPart of the means, instead of once or ten times as much, looks for a shorter win where
	// one is known.
	aPart = 0
	// endsFrom is the number of empty squares from which the searches of Reversi share a table.
	endsFrom   = 24
	endsMemory = 64 << 20
)

func newReviewer(ctx context.Context, g game.Game, o Options) (*reviewer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n := g.Len()
	r := &reviewer{ctx: ctx, means: o.Means.orDefault(), opts: o, moves: g.Moves(), at: make([]found, n+1),
		memo: map[asked]found{}}
	r.curve = curveFor(g.Rules(), r.means)
	r.left = float64(max(n, usualPlies) + extraCPU)
	if r.means.Nodes > 0 {
		r.left += float64(n * extraNodes)
	}
	at := g.Until(0)
	r.games = append(r.games, at)
	for _, p := range r.moves {
		next, err := at.Play(p)
		if err != nil {
			return nil, err
		}
		at = next
		r.games = append(r.games, at)
	}
	runtime.LockOSThread() // CPU time is counted by thread
	return r, nil
}

func (r *reviewer) close() { runtime.UnlockOSThread() }

// backwards looks at all positions, the last first.
func (r *reviewer) backwards() error {
	for i := len(r.games) - 1; i >= 0; i-- {
		if err := r.lookBack(i); err != nil {
			return err
		}
		if r.opts.Progress != nil {
			r.opts.Progress(len(r.games)-i, len(r.games))
		}
	}
	r.infer()
	return nil
}

// lookBack looks at the position before move i, once those after it are known.
func (r *reviewer) lookBack(i int) error {
	times := int64(1)
	if i < len(r.moves) {
		r.inherit(i)
		if r.at[i].proof == engine.Win {
			times = aPart
		}
	}
	f, err := r.look(r.games[i], times)
	if err != nil {
		return err
	}
	switch won := r.at[i].proof == engine.Win; {
	case won && (f.proof != engine.Win || f.in > r.at[i].in):
	case f.only && f.proof == engine.Unproven && i < len(r.moves) && f.line[0] == r.moves[i]:
		r.at[i] = through(r.moves[i], r.after(i)) // the search ends early where there is no choice
	default:
		r.at[i] = f
	}
	return nil
}

// inherit lets the position before move i profit from the one after it: where that is won,
// this is.
func (r *reviewer) inherit(i int) {
	after := r.after(i)
	if after.proof == engine.Win && !(r.at[i].proof == engine.Win && r.at[i].in <= after.in+1) {
		r.at[i] = through(r.moves[i], after)
	}
}

// through is a position from which move leads to after.
func through(move game.Point, after found) found {
	return found{value: after.value, proof: after.proof, in: after.in + 1, discs: after.discs,
		line: append([]game.Point{move}, after.line...)}
}

// infer carries proofs from each position to its neighbours: back along a winning move, on along
// a proven line that the game followed, and back from what lasted longer than such a line. After
// that the plies to the end fall with each reply of the side that is lost, and with each move of
// the winner's line.
func (r *reviewer) infer() {
	for i := len(r.moves) - 1; i >= 0; i-- {
		r.inherit(i)
	}
	for i := range r.moves {
		r.handOn(i)
	}
	for i := len(r.moves) - 1; i >= 0; i-- {
		r.lengthen(i)
	}
}

// follows reports whether move i is the first of a whole line by which the position before it is
// proven.
func (r *reviewer) follows(i int) bool {
	f := r.at[i]
	return (f.proof == engine.Win || f.proof == engine.Loss) && len(f.line) == f.in && f.in > 1 && f.line[0] == r.moves[i]
}

// handOn gives the position after move i the rest of the line that the move follows, where that
// proves more than a search of the position alone, or a sooner end.
func (r *reviewer) handOn(i int) {
	f, next := r.at[i], &r.at[i+1]
	if r.follows(i) && (next.proof == engine.Unproven || next.in >= f.in) {
		*next = found{value: 1000 - f.value, proof: opposite(f.proof), in: f.in - 1, line: f.line[1:], others: next.others}
	}
}

// lengthen gives the position before move i the line that begins with the move, where the side
// that is lost holds out longer by it than was known.
func (r *reviewer) lengthen(i int) {
	f, after := r.at[i], r.after(i)
	if (f.proof == engine.Loss || r.follows(i)) && after.proof == f.proof && after.in >= f.in {
		r.at[i] = through(r.moves[i], after)
		r.at[i].others = f.others
	}
}

// after is what is known of the position after move i, for its mover.
func (r *reviewer) after(i int) found {
	return view(r.games[i+1], r.at[i+1], r.games[i].Turn())
}

// view is what f says of the position at the end of g to mover.
func view(g game.Game, f found, mover game.Color) found {
	if g.Turn() == game.Empty {
		return ended(g, mover)
	}
	if g.Turn() == mover {
		return f
	}
	f.value, f.proof, f.discs = 1000-f.value, opposite(f.proof), -f.discs
	return f
}

func opposite(p engine.Proof) engine.Proof {
	switch p {
	case engine.Win:
		return engine.Loss
	case engine.Loss:
		return engine.Win
	}
	return p
}

// ended is the end of a game as mover sees it.
func ended(g game.Game, mover game.Color) found {
	if g.Rules() == game.Reversi {
		black, white := game.Score(g.Position())
		d := black - white
		if mover == game.White {
			d = -d
		}
		return found{value: outcome(d), proof: engine.Exact, discs: d}
	}
	switch g.Result().Winner {
	case game.Empty:
		return found{value: 500, proof: engine.Draw}
	case mover:
		return found{value: 1000, proof: engine.Win}
	}
	return found{value: 0, proof: engine.Loss}
}

// outcome is the expectation of an exact score in discs.
func outcome(discs int) Expectation {
	switch {
	case discs > 0:
		return 1000
	case discs < 0:
		return 0
	}
	return 500
}

// look searches the position at the end of g with so many times the means.
func (r *reviewer) look(g game.Game, times int64) (found, error) {
	b := g.Position()
	switch {
	case b.Turn == game.Empty:
		return found{}, nil // view asks the rules
	case g.Dead():
		return found{value: 500, proof: engine.Draw}, nil
	}
	key := asked{b, times}
	if f, ok := r.memo[key]; ok {
		return f, nil
	}
	from := engine.CPUTime()
	rep, err := r.search(g, r.means.limits(g.Rules(), times))
	if r.ctx.Err() != nil {
		err = r.ctx.Err()
	}
	if err != nil {
		return found{}, err
	}
	switch {
	case Solved(g): // it had to be done whatever the means
	case r.means.Nodes > 0:
		r.left -= float64(rep.Nodes) / float64(r.means.Nodes)
	default:
		r.left -= float64(engine.CPUTime()-from) / float64(r.means.CPU)
	}
	f := r.read(b, rep)
	r.memo[key] = f
	return f, nil
}

// giveWay is how often a search is made again because others needed the core. Then it runs to
// its end: otherwise a review would never end while others are busy.
const giveWay = 5

// search asks the engine, as often as others need the core.
func (r *reviewer) search(g game.Game, l engine.Limits) (engine.Report, error) {
	for again := 0; r.opts.Begin != nil && r.ctx.Err() == nil && again < giveWay; again++ {
		ctx, cancel := r.opts.Begin(r.ctx)
		rep, err := r.ask(ctx, g, l)
		ended := ctx.Err() != nil
		cancel()
		if !ended {
			return rep, err
		}
	}
	return r.ask(r.ctx, g, l)
}

// ask asks the engine once. Endings of Reversi are solved whatever it takes.
func (r *reviewer) ask(ctx context.Context, g game.Game, l engine.Limits) (engine.Report, error) {
	if g.Rules() != game.Reversi || 64-stones(g) > endsFrom {
		return ai.Search(ctx, g, l)
	}
	if Solved(g) {
		l = engine.Limits{Depth: 64}
	}
	l.Memory = endsMemory
	return r.ends.Search(ctx, g, l)
}

func stones(g game.Game) int {
	return g.Position().Count(game.Black) + g.Position().Count(game.White)
}

// read turns a report into what is known.
func (r *reviewer) read(b game.Position, rep engine.Report) found {
	f := found{proof: rep.Proof, line: rep.Line, only: len(rep.Candidates) == 1 && rep.Depth > 0 &&
		b.Size != game.Reversi.Size()}
	for _, c := range rep.Candidates {
		if c.Move != rep.Move {
			f.others = append(f.others, c.Move)
		}
	}
	switch rep.Proof {
	case engine.Win:
		f.value, f.in = 1000, rep.In
	case engine.Loss:
		f.value, f.in = 0, rep.In
	case engine.Draw:
		f.value = 500
	case engine.Exact:
		f.value, f.discs = outcome(rep.Score), rep.Score
	default:
		p := r.curve.At(Score(rep), Part(b))
		f.value = min(max(Expectation(math.Round(1000*p)), 1), 999)
	}
	return f
}
