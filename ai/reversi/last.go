package reversi

import "math/bits"

// The last four empty squares: a function for each number of them, without move lists,
// table or evaluation. Scores are discs with empties to the winner; alpha is the bound of
// a null window. Most nodes of an endgame are here.

// lineFlips[x][discs] is twice the number of discs turned by playing x of a full line of
// eight, where discs are those of the mover and all others are the opponent's.
var lineFlips = makeLineFlips()

func makeLineFlips() (t [8][256]uint8) {
	for x := range 8 {
		for own := range 256 {
			n := bits.OnesCount8(edgeFlips(uint8(own), ^uint8(own)&^(1<<x), x))
			t[x][own] = uint8(2 * n)
		}
	}
	return t
}

// diagonalTable[x] are the falling and the rising diagonal through x.
var diagonalTable = makeDiagonals()

func makeDiagonals() (t [64][2]uint64) {
	for x := range 64 {
		for y := range 64 {
			if x%8-y%8 == x/8-y/8 {
				t[x][0] |= 1 << y
			}
			if x%8-y%8 == y/8-x/8 {
				t[x][1] |= 1 << y
			}
		}
	}
	return t
}

// neighbours[x] are the squares beside x.
var neighbours = makeNeighbours()

func makeNeighbours() (t [64]uint64) {
	for x := range 64 {
		for y := range 64 {
			if x != y && max(abs(x%8-y%8), abs(x/8-y/8)) == 1 {
				t[x] |= 1 << y
			}
		}
	}
	return t
}

func abs(n int) int { return max(n, -n) }

// lastFlips is twice the number of discs that p turns by playing x, the only empty square.
func lastFlips(p uint64, x square) int {
	d := &diagonalTable[x&63]
	col, row := &lineFlips[x&7], &lineFlips[x>>3&7]
	return int(col[uint8(p>>(x&56))]) +
		int(row[(p>>(x&7)&0x0101010101010101)*0x0102040810204080>>56]) +
		int(col[(p&d[0])*0x0101010101010101>>56]) +
		int(col[(p&d[1])*0x0101010101010101>>56])
}

// last1 is the score of p to move with x the only empty square.
func (s *searcher) last1(p uint64, x square) int {
	s.nodes++
	score := 2*bits.OnesCount64(p) - 62 // as if the square were a disc of p
	if n := lastFlips(p, x); n != 0 {
		return score + n
	}
	o := ^p &^ (1 << (x & 63))
	if n := lastFlips(o, x); n != 0 {
		return score - 2 - n
	}
	if score > 0 {
		return score
	}
	return score - 2
}

// last2 is the score of p to move with two empty squares.
func (s *searcher) last2(p, o uint64, alpha int, x, y square) int {
	s.nodes++
	best := -100
	if neighbours[x&63]&o != 0 {
		if f := flips(p, o, x); f != 0 {
			best = -s.last1(o&^f, y)
			if best > alpha {
				return best
			}
		}
	}
	if neighbours[y&63]&o != 0 {
		if f := flips(p, o, y); f != 0 {
			best = max(best, -s.last1(o&^f, x))
		}
	}
	if best != -100 {
		return best
	}
	if neighbours[x&63]&p != 0 {
		if f := flips(o, p, x); f != 0 {
			best = -s.last1(p&^f, y)
		}
	}
	if neighbours[y&63]&p != 0 {
		if f := flips(o, p, y); f != 0 {
			best = max(best, -s.last1(p&^f, x))
		}
	}
	if best != -100 {
		return -best
	}
	return board{p, o}.final()
}

// last3 is the score of p to move with three empty squares. A region of one empty square
// is played first.
func (s *searcher) last3(p, o uint64, alpha int, x, y, z square, passed bool) int {
	s.nodes++
	switch q := quadrant[x&63]; {
	case q == quadrant[y&63]:
		x, z = z, x
	case q == quadrant[z&63]:
		x, y = y, x
	}
	best := -100
	if neighbours[x&63]&o != 0 {
		if f := flips(p, o, x); f != 0 {
			best = -s.last2(o&^f, p|f|1<<(x&63), -alpha-1, y, z)
			if best > alpha {
				return best
			}
		}
	}
	if neighbours[y&63]&o != 0 {
		if f := flips(p, o, y); f != 0 {
			best = max(best, -s.last2(o&^f, p|f|1<<(y&63), -alpha-1, x, z))
			if best > alpha {
				return best
			}
		}
	}
	if neighbours[z&63]&o != 0 {
		if f := flips(p, o, z); f != 0 {
			best = max(best, -s.last2(o&^f, p|f|1<<(z&63), -alpha-1, x, y))
		}
	}
	if best != -100 {
		return best
	}
	if passed {
		return -board{o, p}.final()
	}
	return -s.last3(o, p, -alpha-1, x, y, z, true)
}

// last4 is the score of p to move with the four empty squares in free.
func (s *searcher) last4(p, o uint64, alpha int, free uint64, parity uint8, passed bool) int {
	s.nodes++
	// Counting stable discs pays here only far from an even score.
	if alpha >= 30 {
		if v := 64 - 2*bits.OnesCount64(stable(o, p)); v <= alpha {
			return v
		}
	}
	// Single squares of a quadrant come first.
	first := free & oddSquares[parity]
	if first == free && parity != 15 {
		for _, q := range quadrantSquares {
			if m := free & q; m != 0 && m&(m-1) == 0 {
				first = m
			}
		}
	}
	best := -100
	for _, set := range [2]uint64{first, free &^ first} {
		for ; set != 0; set &= set - 1 {
			x := square(bits.TrailingZeros64(set))
			if neighbours[x&63]&o == 0 {
				continue
			}
			f := flips(p, o, x)
			if f == 0 {
				continue
			}
			rest := free &^ (1 << x)
			a := square(bits.TrailingZeros64(rest))
			rest &= rest - 1
			b := square(bits.TrailingZeros64(rest))
			rest &= rest - 1
			c := square(bits.TrailingZeros64(rest))
			best = max(best, -s.last3(o&^f, p|f|1<<(x&63), -alpha-1, a, b, c, false))
			if best > alpha {
				return best
			}
		}
	}
	if best != -100 {
		return best
	}
	if passed {
		return -board{o, p}.final()
	}
	return -s.last4(o, p, -alpha-1, free, parity, true)
}
