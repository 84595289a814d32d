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

// plain searches few empties, at least five, by parity alone. m are the moves of p.
func (s *searcher) plain(p, o, m uint64, alpha, n int, parity uint8) int {
	s.nodes++
	if alpha >= stableFrom[n] {
		if v := 64 - 2*bits.OnesCount64(stable(o, p)); v <= alpha {
			return v
		}
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
	if alpha >= stableFrom[n] {
		if v := 64 - 2*bits.OnesCount64(stable(o, p)); v <= alpha {
			return v
		}
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
		switch n {
		case 4:
			free := ^(b.own | b.opp)
			return s.last4(b.own, b.opp, alpha, free, parityOf(free), false)
		case 0:
			s.nodes++
			return b.final()
		case 1:
			return s.last1(b.own, square(bits.TrailingZeros64(^(b.own | b.opp))))
		case 2:
			free := ^(b.own | b.opp)
			return s.last2(b.own, b.opp, alpha, square(bits.TrailingZeros64(free)), square(63-bits.LeadingZeros64(free)))
		case 3:
			free := ^(b.own | b.opp)
			rest := free & (free - 1)
			return s.last3(b.own, b.opp, alpha, square(bits.TrailingZeros64(free)), square(bits.TrailingZeros64(rest)), square(63-bits.LeadingZeros64(free)), false)
		}
		return s.small(b.own, b.opp, m, alpha, n, parityOf(^(b.own | b.opp)))
	}
	s.nodes++
	if s.nodes >= s.nextLook {
		s.look()
	}
	if s.stopped {
		return alpha
	}
	if alpha >= stableFrom[n] {
		if v := 64 - 2*bits.OnesCount64(stable(b.opp, b.own)); v <= alpha {
			return v
		}
	}
	sel := s.sel
	if n < probEmpties {
		sel = exactSel // no selective cut happens below here
	}
	hash, tt := b.mix(saltEnd), s.tableFor(n)
	e, known := tt.find(hash)
	hint := noSquare
	if known {
		if e.sel >= sel {
			if int(e.lower) > alpha {
				return int(e.lower)
			}
			if int(e.upper) <= alpha {
				return int(e.upper)
			}
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
		next := s.tableFor(n - 1)
		for i := range list {
			mv := &list[i]
			e, ok := next.find(mv.b.mix(saltEnd))
			childSel := sel
			if n-1 < probEmpties {
				childSel = exactSel
			}
			if ok && e.sel >= childSel && -int(e.upper) > alpha {
				return -int(e.upper)
			}
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
	e = entry{lower: -64, upper: 64, depth: uint8(n), sel: sel, move: bestMove}
	if best > alpha {
		e.lower = int16(best)
	} else {
		e.upper = int16(best)
	}
	tt.store(hash, e)
	return best
}

// etcEmpties is from where all children are looked up in the table before any is searched.
const etcEmpties = 12

// endMoves lists the moves in m with what orders them: few replies first, stable
// corners, odd regions, and with many empties what the evaluation says.
func (s *searcher) endMoves(b board, f *features, m uint64, hint square, n, ply int) []move {
	list := s.stack[ply].moves[:0]
	parity := parityOf(^(b.own | b.opp))
	for ; m != 0; m &= m - 1 {
		x := square(bits.TrailingZeros64(m))
		fl := flips(b.own, b.opp, x)
		list = list[:len(list)+1]
		mv := &list[len(list)-1]
		mv.x = x
		mv.b = board{b.opp &^ fl, b.own | fl | 1<<x}
		mv.moves = mv.b.moves()
		if n >= evalEmpties {
			mv.after.play(f, x, fl)
		}
		score := 0
		switch {
		case mv.b.own == 0:
			score = 1 << 24 // nothing left to the opponent
		case x == hint:
			score = 1 << 22
		default:
			score = s.endScore(mv, n, ply)
			if quadrant[x]&parity != 0 {
				score += 1 << 3
				if n < 12 {
					score += 1 << 5
				}
			}
		}
		s.stack[ply].order(len(list)-1, score)
	}
	return list
}

// endScore orders one move: the higher, the sooner.
func (s *searcher) endScore(mv *move, n, ply int) int {
	mobility := bits.OnesCount64(mv.moves) + bits.OnesCount64(mv.moves&corners)
	if n < evalEmpties {
		// A corner's worth of stable discs against replies.
		score := -mobility * 64
		score += bits.OnesCount64(mv.b.opp&corners) * 64
		return score
	}
	v := -s.weights.stage[stageOf(n-1)].eval(&mv.after, n-1)
	if n >= deepOrderEmpties {
		v = -s.mid(mv.b, &mv.after, 1, -20000, 20000, n-1, ply+1)
	}
	return v - mobility*mobilityWeight
}

const (
	deepOrderEmpties = 17
	mobilityWeight   = 500
)
