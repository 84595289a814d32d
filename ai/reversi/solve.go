package reversi

import "math/bits"

// The exact endgame. Scores are whole discs, empties to the winner, for the side to move;
// every window here is null: is the score above alpha? The full window is searched by
// exactScore. Up to plainEmpties parity alone orders the moves, up to smallEmpties
// also the number of replies; then comes the table, and from evalEmpties on the pattern
// evaluation.
const (
	plainEmpties = 5
	smallEmpties = 7
	evalEmpties  = 13
)

// stableFrom[n] is the alpha from which stable discs are counted with n empties: below
// it they cut too seldom to pay.
var stableFrom = [64]int{
	99, 99, 99, 99, 30, 6, 8, 10, 12, 12, 14, 16, 18, 20, 22, 24,
	26, 28, 30, 32, 34, 36, 38, 40, 40, 42, 42, 44, 44, 46, 46, 48,
	48, 48, 50, 50, 50, 52, 52, 52, 54, 54, 54, 56, 56, 56, 58, 58,
	58, 60, 60, 60, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
}

// most is the highest score that p, to move, can reach beside the other side's stable
// discs; 100 if they are not worth counting.
func most(p, o uint64, alpha, n int) int {
	if alpha < stableFrom[n&63] {
		return 100
	}
	return 64 - 2*bits.OnesCount64(stable(o, p))
}

// plain searches few empties, at least five, by parity alone. m are the moves of p.
func (s *searcher) plain(p, o, m uint64, alpha, n int, parity uint8) int {
	s.nodes++
	if v := most(p, o, alpha, n); v <= alpha {
		return v
	}
	if m == 0 {
		if m = moves(o, p); m == 0 {
			return board{p, o}.final()
		}
		return -s.plain(o, p, m, -alpha-1, n, parity)
	}
	best := -100
	odd := m & oddSquares[parity]
	for _, set := range [4]uint64{odd & corners, odd &^ corners, m &^ odd & corners, m &^ odd &^ corners} {
		for ; set != 0; set &= set - 1 {
			x := square(bits.TrailingZeros64(set))
			f := flips(p, o, x)
			own, opp := o&^f, p|f|1<<(x&63)
			v := 0
			if n == 5 {
				v = -s.last4(own, opp, -alpha-1, ^(own | opp), parity^quadrant[x&63], false)
			} else {
				v = -s.plain(own, opp, moves(own, opp), -alpha-1, n-1, parity^quadrant[x&63])
			}
			if v > best {
				best = v
				if v > alpha {
					return v
				}
			}
		}
	}
	return best
}

// small searches somewhat more empties: few replies first, then parity, no table. m are
// the moves of p, which ordering has counted before.
func (s *searcher) small(p, o, m uint64, alpha, n int, parity uint8) int {
	if n <= plainEmpties {
		return s.plain(p, o, m, alpha, n, parity)
	}
	s.nodes++
	if v := most(p, o, alpha, n); v <= alpha {
		return v
	}
	if m == 0 {
		if m = moves(o, p); m == 0 {
			return board{p, o}.final()
		}
		return -s.small(o, p, m, -alpha-1, n, parity)
	}
	if m&(m-1) == 0 {
		x := square(bits.TrailingZeros64(m))
		f := flips(p, o, x)
		own, opp := o&^f, p|f|1<<(x&63)
		return -s.small(own, opp, moves(own, opp), -alpha-1, n-1, parity^quadrant[x&63])
	}
	list := s.few[n][:0]
	for ; m != 0; m &= m - 1 {
		x := square(bits.TrailingZeros64(m))
		f := flips(p, o, x)
		a := fewMove{own: o &^ f, opp: p | f | 1<<(x&63), x: x}
		a.moves = moves(a.own, a.opp)
		a.score = 4*int32(bits.OnesCount64(a.moves)) + 4*int32(bits.OnesCount64(a.moves&corners))
		if quadrant[x&63]&parity == 0 {
			a.score += 3
		}
		if uint64(1)<<(x&63)&corners != 0 {
			a.score -= 4
		}
		// Insertion keeps the few moves in order.
		i := len(list)
		list = list[:i+1]
		for ; i > 0 && list[i-1].score > a.score; i-- {
			list[i] = list[i-1]
		}
		list[i] = a
	}
	best := -100
	for i := range list {
		a := &list[i]
		v := -s.small(a.own, a.opp, a.moves, -alpha-1, n-1, parity^quadrant[a.x&63])
		if v > best {
			best = v
			if v > alpha {
				return v
			}
		}
	}
	return best
}

// fewMove is a move of a small endgame with the position after it, seen by the other side.
type fewMove struct {
	own, opp uint64
	moves    uint64
	score    int32 // the lower, the sooner
	x        square
}

const corners = 0x8100000000000081

// solve is the full null-window search: table, stability, selective cuts where sel is
// below exact, ordered moves.
func (s *searcher) solve(b board, f *features, alpha, n, ply int) int {
	return s.solveMoves(b, f, b.moves(), alpha, n, ply)
}

// solveMoves is solve with the moves m of b, which ordering has counted before.
func (s *searcher) solveMoves(b board, f *features, m uint64, alpha, n, ply int) int {
	if n <= smallEmpties {
		return s.solveSmall(b, m, alpha, n)
	}
	if s.step() {
		return alpha
	}
	if v := most(b.own, b.opp, alpha, n); v <= alpha {
		return v
	}
	sel := s.selAt(n)
	hash, tt := b.mix(saltEnd), s.tableFor(n)
	hint := noSquare
	if e, ok := tt.find(hash); ok {
		if v, cut := e.cut(alpha, alpha+1); cut && e.sel >= sel {
			return v
		}
		hint = e.move
	}
	if m == 0 {
		if m = moves(b.opp, b.own); m == 0 {
			return b.final()
		}
		g := &s.stack[ply].moves[0].after
		if n >= probEmpties {
			g.pass(f)
		}
		return -s.solveMoves(b.swap(), g, m, -alpha-1, n, ply+1)
	}
	if sel < exactSel && n >= probEmpties {
		if v, cut := s.probEnd(b, f, alpha, n, ply); cut {
			return v
		}
	}
	if hint == noSquare && n >= evalEmpties+2 {
		if e, ok := s.tt.find(b.mix(saltMid)); ok {
			hint = e.move
		}
	}
	list := s.endMoves(b, f, m, hint, n, ply)
	if n >= etcEmpties {
		if v, cut := s.childCut(list, alpha, n); cut {
			return v
		}
	}
	best, bestMove := -100, noSquare
	for i := range list {
		mv := s.stack[ply].pick(i, len(list))
		v := -s.solveMoves(mv.b, &mv.after, mv.moves, -alpha-1, n-1, ply+1)
		if s.stopped {
			return alpha
		}
		if v > best {
			best, bestMove = v, mv.x
			if v > alpha {
				break
			}
		}
	}
	e := told(best, alpha, alpha+1, 64)
	e.depth, e.sel, e.move = uint8(n), sel, bestMove
	tt.store(hash, e)
	return best
}

// solveSmall is solveMoves with up to smallEmpties empties.
func (s *searcher) solveSmall(b board, m uint64, alpha, n int) int {
	free := ^(b.own | b.opp)
	if n > 4 {
		return s.small(b.own, b.opp, m, alpha, n, parityOf(free))
	}
	low, high := square(bits.TrailingZeros64(free)), square(63-bits.LeadingZeros64(free))
	switch n {
	case 0:
		s.nodes++
		return b.final()
	case 1:
		return s.last1(b.own, low)
	case 2:
		return s.last2(b.own, b.opp, alpha, low, high)
	case 3:
		return s.last3(b.own, b.opp, alpha, low, square(bits.TrailingZeros64(free&(free-1))), high, false)
	}
	return s.last4(b.own, b.opp, alpha, free, parityOf(free), false)
}

// selAt is how selective the search is with n empties: below probEmpties there is no
// selective cut.
func (s *searcher) selAt(n int) uint8 {
	if n < probEmpties {
		return exactSel
	}
	return s.sel
}

// childCut looks all moves of list up in the table: one of them may be known to be good
// enough.
func (s *searcher) childCut(list []move, alpha, n int) (v int, cut bool) {
	next, sel := s.tableFor(n-1), s.selAt(n-1)
	for i := range list {
		e, ok := next.find(list[i].b.mix(saltEnd))
		if ok && e.sel >= sel && -int(e.upper) > alpha {
			return -int(e.upper), true
		}
	}
	return 0, false
}

// etcEmpties is the number of empty squares from which all children are looked up in the
// table before any is searched.
const etcEmpties = 12

// endMoves lists the moves in m with what orders them: few replies first, stable
// corners, odd regions, and with many empties the evaluation.
func (s *searcher) endMoves(b board, f *features, m uint64, hint square, n, ply int) []move {
	if n < evalEmpties {
		f = nil
	}
	list := s.list(b, f, m, ply)
	parity := parityOf(^(b.own | b.opp))
	for i := range list {
		mv := &list[i]
		score := mv.sure(hint)
		if score == 0 {
			score = s.endScore(mv, n)
			if quadrant[mv.x]&parity != 0 {
				score += 1 << 3
				if n < 12 {
					score += 1 << 5
				}
			}
		}
		s.stack[ply].order(i, score)
	}
	return list
}

// endScore orders one move: the higher, the sooner.
func (s *searcher) endScore(mv *move, n int) int {
	mobility := bits.OnesCount64(mv.moves) + bits.OnesCount64(mv.moves&corners)
	if n < evalEmpties {
		// A corner's worth of stable discs against replies.
		score := -mobility * 64
		score += bits.OnesCount64(mv.b.opp&corners) * 64
		return score
	}
	return -s.weights.stage[stageOf(n-1)].eval(&mv.after, n-1) - mobility*mobilityWeight
}

// mobilityWeight is what a reply counts in the order, in hundredths of a disc.
const mobilityWeight = 500
