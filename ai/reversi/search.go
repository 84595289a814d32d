package reversi

import (
	"math"
	"math/bits"

	"tengen/ai/engine"
)

// searcher is one thread's search: its boards, its counters, its way out. Nothing in it
// is allocated while it searches.
type searcher struct {
	weights *weights
	tt      *table
	near    *table // its own, for the endgame's many short searches; see nearEmpties
	// its own; kept from one search to the next, since clearing it takes time
	stack   *[maxPly]frame
	few     [smallEmpties + 1][smallEmpties + 1]fewMove // by empties
	killers [maxPly]square                              // by ply, the last move that made the last ply fail high
	nodes   int64
	sel     uint8 // how selective the endgame is now
	greed   int   // hundredths of the evaluation that are the count of discs: how novices see
	noCuts  bool  // search every move to its depth: for the measurements behind the cuts

	stopped  bool
	watch    *engine.Watch // nil: no bound
	helper   int           // number of a thread beside the main one, which alone reads the clock; 0: the main one
	nextLook int64         // the node count at which to look whether to stop
}

// newSearcher searches by w with no bound, to the last disc where it is asked to solve.
func newSearcher(w *weights, tt *table) *searcher {
	return &searcher{weights: w, tt: tt, near: nearTable(tt), stack: new([maxPly]frame), sel: exactSel,
		nextLook: math.MaxInt64}
}

// maxPly is more than a line of moves and passes, which are few, can have.
const maxPly = 80

// frame is what one ply of the search needs.
type frame struct {
	moves [34]move // no position has more legal moves
	keys  [34]int64
}

// move is a legal move with the position after it, seen by the other side.
type move struct {
	x     square
	b     board
	moves uint64 // the replies
	after features
}

// order notes what move i is worth trying: the higher, the sooner.
func (fr *frame) order(i, score int) { fr.keys[i] = int64(score)<<8 | int64(255-i) }

// pick is the best move of those from i to n that are not yet picked. The keys change
// places instead of the moves: they are small.
func (fr *frame) pick(i, n int) *move {
	best, at := fr.keys[i], i
	for j := i + 1; j < n; j++ {
		if fr.keys[j] > best {
			best, at = fr.keys[j], j
		}
	}
	fr.keys[at], fr.keys[i] = fr.keys[i], best
	return &fr.moves[255-best&255]
}

// list lists the moves in m with the positions after them and, where f is given, their
// features.
func (s *searcher) list(b board, f *features, m uint64, ply int) []move {
	list := s.stack[ply].moves[:0]
	for ; m != 0; m &= m - 1 {
		x := square(bits.TrailingZeros64(m))
		list = list[:len(list)+1]
		mv := &list[len(list)-1]
		mv.x = x
		var fl uint64
		if f != nil {
			fl = mv.after.turn(f, b.own, b.opp, x)
		} else {
			fl = flips(b.own, b.opp, x)
		}
		mv.b = board{b.opp &^ fl, b.own | fl | 1<<x}
		mv.moves = mv.b.moves()
	}
	return list
}

// sure is the order of a move that comes before all others: one that leaves the opponent
// nothing, then the table's. It is 0 for the rest.
func (mv *move) sure(hint square) int {
	switch {
	case mv.b.own == 0:
		return 1 << 24
	case mv.x == hint:
		return 1 << 22
	}
	return 0
}

// step counts a node and reports whether the search has to end.
func (s *searcher) step() bool {
	s.nodes++
	if s.nodes >= s.nextLook {
		s.look()
	}
	return s.stopped
}

// lookEvery is how many nodes pass between two looks at the clock: about half a
// millisecond.
const lookEvery = 2048

// look decides whether to stop.
func (s *searcher) look() {
	if s.over() {
		s.stopped, s.nextLook = true, 0
		return
	}
	s.lookLater()
}

func (s *searcher) lookLater() {
	s.nextLook = s.nodes + lookEvery
	if n := s.watch.Nodes(); n > 0 && s.helper == 0 {
		s.nextLook = min(s.nextLook, n)
	}
}

func (s *searcher) over() bool {
	if s.helper > 0 { // the main thread alone reads the clock
		return s.watch.Stopped()
	}
	return s.watch.Over(s.nodes)
}

// mid searches the middle game to a depth. Scores are in hundredths of a disc for the
// side to move; n is the number of empty squares.
func (s *searcher) mid(b board, f *features, depth, alpha, beta, n, ply int) int {
	if depth <= 0 || n == 0 {
		s.nodes++
		if n == 0 {
			return 100 * b.final()
		}
		return s.eval(b, f, n)
	}
	return s.midAt(b, f, b.moves(), depth, alpha, beta, n, ply)
}

// tableDepth is the least depth for which the middle game asks the table: to search shallower
// ones again takes less time than to wait for the memory.
const tableDepth = 3

// midAt is mid, at least one ply deep, with the moves m of b, which ordering has counted
// before.
func (s *searcher) midAt(b board, f *features, m uint64, depth, alpha, beta, n, ply int) int {
	if n <= depth && n <= smallEmpties {
		return s.midSolve(b, f, alpha, beta, n, ply)
	}
	if s.step() {
		return alpha
	}
	if m == 0 {
		if moves(b.opp, b.own) == 0 {
			return 100 * b.final()
		}
		g := &s.stack[ply].moves[0].after
		g.pass(f)
		return -s.mid(b.swap(), g, depth, -beta, -alpha, n, ply+1)
	}
	if depth == 1 {
		return s.mid1(b, f, m, beta, n, ply)
	}
	hash, hint, old := uint64(0), noSquare, alpha
	if depth >= tableDepth {
		hash = b.mix(saltMid)
		if e, ok := s.tt.find(hash); ok {
			// A measurement must not depend on what the table happens to hold.
			if (int(e.depth) == depth || int(e.depth) > depth && !s.noCuts) && beta-alpha == 1 {
				if v, cut := e.cut(alpha, beta); cut {
					return v
				}
			}
			hint = e.move
		}
	}
	if depth >= probDepth && beta-alpha == 1 && !s.noCuts {
		if v, cut := s.prob(b, f, depth, alpha, n, ply); cut {
			return v
		}
	}
	list := s.midMoves(b, f, m, hint, depth, n, ply)
	best, bestMove := -20000, noSquare
	for i := range list {
		mv := s.stack[ply].pick(i, len(list))
		var v int
		if i == 0 || beta-alpha == 1 {
			v = -s.midAt(mv.b, &mv.after, mv.moves, depth-1, -beta, -alpha, n-1, ply+1)
		} else {
			v = -s.midAt(mv.b, &mv.after, mv.moves, depth-1, -alpha-1, -alpha, n-1, ply+1)
			if v > alpha && v < beta {
				v = -s.midAt(mv.b, &mv.after, mv.moves, depth-1, -beta, -v, n-1, ply+1)
			}
		}
		if s.stopped {
			return alpha
		}
		if v > best {
			best, bestMove = v, mv.x
			if v > alpha {
				alpha = v
				if v >= beta {
					break
				}
			}
		}
	}
	e := told(best, old, beta, 6400)
	e.depth, e.move = uint8(depth), bestMove
	if depth >= tableDepth {
		s.tt.store(hash, e)
	}
	return best
}

// eval is the evaluation of a leaf.
func (s *searcher) eval(b board, f *features, n int) int {
	return s.blend(s.weights.stage[stageOf(n)].eval(f, n), b.own, b.opp)
}

// blend mixes the count of discs into v.
func (s *searcher) blend(v int, own, opp uint64) int {
	if s.greed != 0 {
		v += s.greed * (100*(bits.OnesCount64(own)-bits.OnesCount64(opp)) - v) / 100
	}
	return v
}

// mid1 is the last ply: the best evaluation after one move. The move that last refuted a
// position of this ply comes first, then corners, and squares beside corners last: a sixth
// of the time less than in the order of squares.
func (s *searcher) mid1(b board, f *features, m uint64, beta, n, ply int) int {
	const beside = 0x42C300000000C342
	w := &s.weights.stage[stageOf(n-1)]
	killer := m & (1 << (s.killers[ply] & 63))
	m &^= killer
	best := -20000
	for _, set := range [4]uint64{killer, m & corners, m &^ (corners | beside), m & beside} {
		for ; set != 0; set &= set - 1 {
			x := square(bits.TrailingZeros64(set))
			s.nodes++
			v, fl := w.evalAfter(f, b.own, b.opp, x, n-1)
			if fl == b.opp {
				return 6400
			}
			v = -s.blend(v, b.opp&^fl, b.own|fl|1<<x)
			if n == 1 {
				v = -100 * board{b.opp &^ fl, b.own | fl | 1<<x}.final()
			}
			if v > best {
				best = v
				if v >= beta {
					s.killers[ply] = x
					return best
				}
			}
		}
	}
	return best
}

// midSolve gives an exact score to a window of the middle game.
func (s *searcher) midSolve(b board, f *features, alpha, beta, n, ply int) int {
	lo, hi := -64, 64
	a := floorDiv(alpha, 100)
	c := -floorDiv(-beta, 100)
	lo, hi = max(lo, a), min(hi, c)
	for lo < hi {
		// Null windows from the bottom of the window up; most are one window wide.
		v := s.solve(b, f, lo, n, ply)
		if v <= lo {
			return 100 * v
		}
		lo = v
	}
	return 100 * lo
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b != 0 && a < 0 {
		q--
	}
	return q
}

// midMoves lists the moves in m with what orders them. The entries of the positions after them are
// asked for before they are needed.
func (s *searcher) midMoves(b board, f *features, m uint64, hint square, depth, n, ply int) []move {
	list := s.list(b, f, m, ply)
	w := &s.weights.stage[stageOf(n-1)]
	for i := range list {
		mv := &list[i]
		if depth > tableDepth {
			fetch(s.tt.bucketOf(mv.b.mix(saltMid)))
		}
		score := mv.sure(hint)
		if score == 0 {
			score = -w.eval(&mv.after, n-1) - 40*bits.OnesCount64(mv.moves)
		}
		s.stack[ply].order(i, score)
	}
	return list
}
