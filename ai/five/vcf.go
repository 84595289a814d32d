package five

import "tengen/game"

// A VCF is a win by fours alone: each has one reply, so the search is narrow and its
// answer is a proof. solved tells of positions that were searched before: 48 bits of the
// key, then how deep the search went and in how many plies it won (0: not at all).
type solved []uint64

func (t solved) get(key uint64) (left, win int, ok bool) {
	e := t[key&uint64(len(t)-1)]
	return int(e >> 8 & 0xFF), int(e & 0xFF), e>>16 == key>>16 && e != 0
}

func (t solved) put(key uint64, left, win int) {
	t[key&uint64(len(t)-1)] = key>>16<<16 | uint64(left&0xFF)<<8 | uint64(win&0xFF)
}

// vcf is the number of plies in which the side to move wins by at most left fours, 0 if
// it was not found to.
func (s *searcher) vcf(left int) int {
	b := &s.b
	s.budget--
	if s.step() {
		return 0
	}
	moves, lean, win := s.vcfFours()
	if win > 0 || left <= 0 || moves == (pointSet{}) || lean && !b.rich(b.turn) {
		return win
	}
	key := b.hash ^ turnKey[b.turn&1]
	if s.lean {
		key ^= leanKey
	}
	if l, win, ok := s.solved.get(key); ok && (win > 0 || l >= left) {
		return win
	}
	var list [64]scored
	n := b.listFours(&list, moves, lean)
	for i := 0; i < n && win == 0; i++ {
		best := i + topPlain(list[i:n])
		list[i], list[best] = list[best], list[i]
		win = s.vcfMove(list[i].p, left)
	}
	if !s.stopped && (win > 0 || s.budget > 0) {
		s.solved.put(key, left, win)
	}
	return win
}

// vcfFours are the fours that a VCF can begin with, and whether plain ones are left out. Where
// the board shows a win, they are none, and win is the number of its plies.
func (s *searcher) vcfFours() (moves pointSet, lean bool, win int) {
	b := &s.b
	me := b.turn & 1
	you := me ^ 1
	if b.count[me][winFive] > 0 {
		return moves, false, 1
	}
	switch n := b.count[you][winFive]; {
	case n > 1:
		return moves, false, 0
	case n == 1: // the reply must be a four itself
		moves = b.four[me]
		for i := range moves {
			moves[i] &= b.five[you][i]
		}
		return moves, false, 0
	case b.count[me][openFour] > 0:
		return moves, false, 3
	case b.quickFourThree(me):
		return moves, false, 5
	}
	return b.four[me], s.lean, 0
}

func (b *board) listFours(list *[64]scored, moves pointSet, lean bool) (n int) {
	me := b.turn & 1
	for p := range moves.All() {
		if n < len(list) {
			c := &b.cells[p]
			if lean && b.class(uint8(p), me) == fourMove && !(b.unmet(me) && b.snares(uint8(p))) {
				continue
			}
			list[n] = scored{p: uint8(p), score: int32(b.urge[me][c.code[me]&4095].attack) + int32(b.class(uint8(p), me))<<12}
			n++
		}
	}
	return n
}

// vcfMove is vcf after the four on p and its only reply.
func (s *searcher) vcfMove(p uint8, left int) int {
	b := &s.b
	me := b.turn & 1
	you := me ^ 1
	b.play(p)
	win := 0
	switch n := b.count[me][winFive]; {
	case b.count[you][winFive] > 0 || n == 0:
	case n > 1:
		win = 3
	default:
		q := first(&b.five[me])
		if you == black && b.forbidden(q) {
			win = 3
			break
		}
		if s.lean && !b.rich(me) { // nor is there a four to go on with after the reply
			s.budget--
			break
		}
		if s.budget <= 0 || s.step() {
			break
		}
		b.play(q)
		if w := s.vcf(left - 1); w > 0 {
			win = w + 2
		}
		b.back()
	}
	b.back()
	return win
}

// quickFourThree reports whether c, to move with no five on the board for either side,
// wins by a four that makes an open three and that the other side cannot answer with a
// four. Black's threes in Renju may be false; the search has to look.
func (b *board) quickFourThree(c int) bool {
	return b.count[c&1][fourThree] > 0 && !(b.variant == renju && c == black) && b.fours(c^1) == 0
}

// defence are the points that can meet the straight fours (or two fours) that the other
// side threatens to make: no other move but a four of one's own holds.
func (b *board) defence() pointSet {
	me := b.turn & 1
	you := me ^ 1
	all := pointSet{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}
	for f := range b.four[you].All() {
		if b.class(uint8(f), you) != openFour {
			continue
		}
		c := &b.cells[f]
		set := pointSet{}.With(f)
		for d := range 4 {
			if k := c.line[you] >> (4 * d) & 15; k != four && k != four2 {
				continue
			}
			pl := &b.at[f][d]
			for i := -int(pl.back); i <= int(pl.fwd); i++ {
				q := uint8(int(f) + i*delta[d])
				if b.stones[q] != 3 {
					continue
				}
				if k := b.cells[q].line[you] >> (4 * d) & 15; k == over || k >= four {
					set = set.With(game.Point(q))
				}
			}
		}
		for i := range all {
			all[i] &= set[i]
		}
	}
	return all.Or(b.four[me])
}

// leanKey keeps the failures of lean VCFs apart in the table.
const leanKey = 0xC2B2AE3D27D4EB4F

// rich reports whether c has a four that makes something beside it, without which a lean
// VCF has nothing to try.
func (b *board) rich(c int) bool {
	n := &b.count[c&1]
	return n[fourPlus]|n[fourThree]|n[openFour] != 0 || n[fourMove] != 0 && b.snared(c)
}

// unmet reports whether a plain four of c may win at once: in Renju where black's only answer
// may be forbidden.
func (b *board) unmet(c int) bool {
	return b.variant == renju && c&1 == white && b.count[black][foul] > 0
}

// snares reports whether black's only answer to a plain four of white on p lies where black's
// shape is forbidden.
func (b *board) snares(p uint8) bool {
	for d := range 4 {
		if b.cells[p].line[white]>>(4*d)&15 != four {
			continue
		}
		pl := &b.at[p][d]
		row := &b.rows[d][pl.line&31]
		was := *row
		*row |= (white + 1) << (pl.bit & 63)
		for k := -min(4, int(pl.back)); k <= min(4, int(pl.fwd)); k++ {
			q := uint8(int(p) + k*delta[d])
			if k != 0 && b.stones[q] == 3 && b.class(q, black) == foul && b.lines[b.key(q, d)]>>4 == fiveRow {
				*row = was
				return true
			}
		}
		*row = was
	}
	return false
}

// snared reports whether c has such a four.
func (b *board) snared(c int) bool {
	if !b.unmet(c) {
		return false
	}
	for p := range b.four[white].All() {
		if b.class(uint8(p), white) == fourMove && b.snares(uint8(p)) {
			return true
		}
	}
	return false
}
