package reversi

import (
	"context"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"tengen/ai/engine"
	"tengen/game"
)

// Search finds a move for the side to move in g, which is a running game of Reversi. It
// keeps nothing afterwards: tables are fresh, so that fixed nodes repeat.
func Search(ctx context.Context, g game.Game, limits engine.Limits) (engine.Report, error) {
	return new(Engine).Search(ctx, g, limits)
}

// Engine keeps its table from one search to the next, as suits a player of one game.
// The zero Engine is ready. It is not for two searches at once.
type Engine struct {
	tt    *table
	near  *table
	stack *[maxPly]frame
}

// Prepare makes what the first search would have to make first, while its clock runs: a tenth of a
// second of work or two.
func Prepare() { loadWeights() }

// Search is the function of that name with the table of the searches before.
func (e *Engine) Search(ctx context.Context, g game.Game, limits engine.Limits) (engine.Report, error) {
	return e.think(ctx, boardOf(g.Position()), limits, 1)
}

// Play is Search with the time that is left for the rest of the game: wall time or, with
// cpu, CPU time of the searching thread. It decides itself how much of it the move gets.
func (e *Engine) Play(ctx context.Context, g game.Game, left time.Duration, cpu bool) (engine.Report, error) {
	b := boardOf(g.Position())
	soft, hard := share(left, b)
	limits := engine.Limits{Time: hard}
	if cpu {
		limits = engine.Limits{CPU: hard}
	}
	return e.think(ctx, b, limits, float64(soft)/float64(hard))
}

func (e *Engine) think(ctx context.Context, b board, limits engine.Limits, part float64) (engine.Report, error) {
	if err := ctx.Err(); err != nil {
		return engine.Report{}, err
	}
	if b.moves() == 0 {
		return engine.Report{}, engine.ErrOver
	}
	if limits.CPU > 0 {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
	}
	t := newThinker(ctx, e, b, limits, part)
	defer t.watch.Close()
	helpers := t.help()
	t.think()
	t.watch.Stop()
	helpers.Wait()
	return t.report(), nil
}

// thinker is one search from its root: what is found so far and when to stop.
type thinker struct {
	searcher
	limits engine.Limits
	level  *level
	part   float64 // of the time, after which no further round of deepening starts
	root   board
	rootF  features
	n      int        // empties at the root
	list   []rootMove // best first
	depth  int
	solved bool
	others atomic.Int64
	asked  int64 // the nodes of the level, or those asked for
}

type rootMove struct {
	x     square
	b     board
	f     features
	score int // hundredths of a disc, of the last search; a bound from above but for the best
	known int // the score by the last search that gave each move its own
}

func newThinker(ctx context.Context, e *Engine, b board, limits engine.Limits, part float64) *thinker {
	limits = limits.Bounded()
	t := &thinker{level: levelOf(limits), root: b, rootF: featuresOf(b), n: b.empties(), part: part}
	if l := t.level; l != nil {
		t.greed = l.greed
		if limits.Nodes == 0 || l.nodes < limits.Nodes {
			limits.Nodes = l.nodes
		}
		t.asked = l.nodes
	}
	t.limits = limits
	t.watch = engine.NewWatch(ctx, limits)
	if bytes := tableBytes(limits); e.tt == nil || bytes > 4*e.tt.bytes() {
		e.tt = newTable(bytes)
		e.near = nearTable(e.tt)
	}
	if e.stack == nil {
		e.stack = new([maxPly]frame)
	}
	t.stack = e.stack
	e.tt.age++
	e.near.age++
	e.tt.shared = limits.Threads > 1
	t.tt, t.near = e.tt, e.near
	t.weights = loadWeights()
	for m := b.moves(); m != 0; m &= m - 1 {
		x := square(bits.TrailingZeros64(m))
		r := rootMove{x: x, b: b.play(x)}
		r.f.turn(&t.rootF, b.own, b.opp, x)
		t.list = append(t.list, r)
	}
	return t
}

// tableBytes suits the table to the work: clearing a large one costs more than a short
// search.
func tableBytes(l engine.Limits) int64 {
	if l.Memory > 0 {
		return l.Memory
	}
	bytes := int64(64 << 20)
	if l.Nodes > 0 {
		bytes = min(bytes, max(l.Nodes*16, 1<<14))
	}
	if d := max(l.Time, l.CPU); d > 0 {
		bytes = min(bytes, max(int64(d/time.Millisecond)<<16, 1<<20))
	}
	return bytes
}

// help starts the other threads. They search the same moves into the same table, each in
// its own order; only what they leave in the table counts.
func (t *thinker) help() *sync.WaitGroup {
	var wg sync.WaitGroup
	for i := 1; i < t.limits.Threads && i < 64; i++ {
		h := &thinker{limits: t.limits, level: t.level, root: t.root, rootF: t.rootF, n: t.n, part: t.part}
		h.weights, h.tt, h.greed, h.watch = t.weights, t.tt, t.greed, t.watch
		h.stack, h.near = new([maxPly]frame), nearTable(t.tt)
		h.helper = i
		h.list = slices.Clone(t.list)
		wg.Go(func() {
			h.think()
			t.others.Add(h.nodes)
		})
	}
	return &wg
}

// endFrom is how many plies before the end of the game a search in the middle game hands
// over to the endgame.
const endFrom = 10

// think deepens until something stops it or the position is solved.
func (t *thinker) think() {
	t.lookLater()
	top, end := max(t.n-endFrom, min(t.n, 4)), true
	if l := t.level; l != nil {
		if l.depth > 0 {
			top = min(l.depth, t.n)
		}
		end = l.end == 0 || t.n <= l.end
		if end && l.end > 0 {
			top = min(top, 4) // something to fall back on where the nodes do not suffice
		}
	}
	if t.limits.Depth > 0 {
		end = end && t.limits.Depth >= top
		top = min(top, t.limits.Depth)
	}
	for depth := 1 + t.helper%2; depth <= top; depth++ {
		if !t.deepen(depth) || depth > 2 && t.late() {
			return
		}
	}
	if !end {
		return
	}
	for t.sel = t.firstSel(); ; t.sel++ {
		if !t.finish() || t.sel == exactSel || t.late() {
			return
		}
	}
}

// firstSel is how selective the endgame begins: at once exact where that takes no time.
func (t *thinker) firstSel() uint8 {
	if t.n <= 15 {
		return exactSel
	}
	return 0
}

// late reports whether the time for starting another round has passed: the next would
// hardly come to its end.
func (t *thinker) late() bool {
	return t.helper == 0 && t.part < 1 && t.watch.Spent() > t.part
}

// judged is whether each move needs a score of its own because the level adds its noise.
func (t *thinker) judged() bool { return t.level != nil && t.level.noiseAt(t.n) > 0 }

// knownDepth is the depth up to which every move gets a score of its own. These scores
// order the moves and tell how far candidates lie behind the best.
const knownDepth = 4

// deepen searches all moves to a depth. It reports whether it came to the end.
func (t *thinker) deepen(depth int) bool {
	best := -20000
	judged := t.judged() || depth <= knownDepth
	for i := range t.list {
		m := &t.list[(i+t.helper)%len(t.list)]
		var v int
		if best == -20000 || judged {
			v = -t.mid(m.b, &m.f, depth-1, -20000, 20000, t.n-1, 1)
		} else {
			v = -t.mid(m.b, &m.f, depth-1, -best-1, -best, t.n-1, 1)
			if v > best && !t.stopped {
				v = -t.mid(m.b, &m.f, depth-1, -20000, -best, t.n-1, 1)
			}
		}
		if t.stopped {
			if i > 0 && !judged && t.helper == 0 {
				bestFirst(t.list[:i])
			}
			return false
		}
		m.score = v
		if judged {
			m.known = v
		}
		best = max(best, v)
	}
	bestFirst(t.list)
	t.depth = depth
	return true
}

// bestFirst sorts by score and leaves equals in their order.
func bestFirst(list []rootMove) {
	slices.SortStableFunc(list, func(a, b rootMove) int { return b.score - a.score })
}

// finish searches all moves to the end of the game. It reports whether it came there.
func (t *thinker) finish() bool {
	best := -65
	for i := range t.list {
		m := &t.list[i]
		if i > 0 {
			v := -t.solve(m.b, &m.f, -best-1, t.n-1, 1)
			if t.stopped {
				return false
			}
			if v <= best {
				m.score = min(m.score, 100*v)
				continue
			}
		}
		v := t.exactScore(m, best)
		if t.stopped {
			return false
		}
		m.score = 100 * v
		best = v
		t.moveUp(i)
	}
	t.depth, t.solved = t.n, t.sel == exactSel
	return true
}

// moveUp brings move i to the front.
func (t *thinker) moveUp(i int) {
	m := t.list[i]
	copy(t.list[1:i+1], t.list[:i])
	t.list[0] = m
}

// exactScore is the score of m, known to be above lo, by null windows from where the
// evaluation expects it.
func (t *thinker) exactScore(m *rootMove, lo int) int {
	guess := int(math.Round(float64(m.score)/200)) * 2
	return t.narrow(lo, guess, func(alpha int) int { return -t.solve(m.b, &m.f, -alpha-1, t.n-1, 1) })
}

// narrow finds a score above lo by null windows from a guess. value solves with one.
func (s *searcher) narrow(lo, guess int, value func(alpha int) int) int {
	for hi := 64; lo < hi && !s.stopped; {
		alpha := min(max(guess-1, lo), hi-1)
		if guess = value(alpha); guess > alpha {
			lo, guess = guess, guess+2
		} else {
			hi = guess
		}
	}
	return lo
}

// report puts what was found into an engine.Report.
func (t *thinker) report() engine.Report {
	if t.judged() {
		t.waver()
	}
	m := t.list[0]
	r := engine.Report{
		Move:    pointOf(m.x),
		Score:   discs(m.score),
		Win:     t.win(m.score),
		Depth:   t.depth,
		Nodes:   t.nodes + t.others.Load(),
		Elapsed: t.watch.Elapsed(),
		Line:    t.line(),
		Cut:     t.stopped && t.asked > 0 && t.nodes < t.asked,
	}
	if t.solved {
		r.Proof = engine.Exact
	}
	r.Candidates = t.candidates()
	return r
}

// candidates are the best moves. The deep search leaves only bounds for moves other than
// the best; where a move has a lower score of its own from a shallower search, that one
// says more.
func (t *thinker) candidates() []engine.Candidate {
	rest := slices.Clone(t.list[1:])
	for i := range rest {
		rest[i].score = min(rest[i].score, rest[i].known, t.list[0].score)
	}
	bestFirst(rest)
	var list []engine.Candidate
	for _, m := range append(t.list[:1:1], rest...) {
		if len(list) < 8 {
			list = append(list, engine.Candidate{Move: pointOf(m.x), Score: discs(m.score), Win: t.win(m.score)})
		}
	}
	return list
}

// waver brings to the front the move that the level, judging with its noise, takes for the
// best.
func (t *thinker) waver() {
	noise := t.level.noiseAt(t.n)
	best, at := math.Inf(-1), 0
	for i, m := range t.list {
		if v := float64(m.score) + noise*bell(t.limits.Seed, t.root, m.x); v > best {
			best, at = v, i
		}
	}
	t.moveUp(at)
}

// discs rounds hundredths of a disc.
func discs(score int) int { return floorDiv(score+50, 100) }

// win is the expected result of a score: a logistic curve that grows steeper as the game
// goes on.
func (t *thinker) win(score int) float64 {
	if t.solved {
		switch {
		case score > 0:
			return 1
		case score < 0:
			return 0
		}
		return 0.5
	}
	scale := 2 + 6*float64(t.n)/60 // discs
	return 1 / (1 + math.Exp(-float64(score)/100/scale))
}

// line is the expected play, by the table from the best move on.
func (t *thinker) line() []game.Point {
	line := []game.Point{pointOf(t.list[0].x)}
	b := t.list[0].b
	for len(line) < 60 {
		m := b.moves()
		if m == 0 {
			if b = b.swap(); b.moves() == 0 {
				break
			}
			continue
		}
		e, ok := t.tableFor(b.empties()).find(b.mix(saltEnd))
		if !ok || e.move == noSquare {
			e, ok = t.tt.find(b.mix(saltMid))
		}
		if !ok || e.move == noSquare || m>>e.move&1 == 0 {
			break
		}
		line = append(line, pointOf(e.move))
		b = b.play(e.move)
	}
	return line
}
