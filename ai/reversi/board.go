package reversi

import (
	"math/bits"

	"tengen/game"
)

// board is a position from the view of the side to move. Square 0 is a1, 7 is h1, 63 is h8.
type board struct{ own, opp uint64 }

// square is 0-63; noSquare is none.
type square = uint8

const noSquare square = 64

// swap is b from the other side's view.
func (b board) swap() board { return board{b.opp, b.own} }

// empties is the number of empty squares.
func (b board) empties() int { return 64 - bits.OnesCount64(b.own|b.opp) }

// moves are the squares that own may play.
func (b board) moves() uint64 { return moves(b.own, b.opp) }

// play is b after own played x, seen by the other side.
func (b board) play(x square) board {
	f := flips(b.own, b.opp, x)
	return board{b.opp &^ f, b.own | f | 1<<(x&63)}
}

// moves is parallel prefix (Kogge-Stone) in eight directions at once for all discs of p.
func moves(p, o uint64) uint64 {
	const inner = 0x7E7E7E7E7E7E7E7E // no run goes round the edge
	m := o & inner

	a1 := m & (p << 1)
	b1 := m & (p >> 1)
	a2 := o & (p << 8)
	b2 := o & (p >> 8)
	a3 := m & (p << 7)
	b3 := m & (p >> 7)
	a4 := m & (p << 9)
	b4 := m & (p >> 9)

	a1 |= m & (a1 << 1)
	b1 |= m & (b1 >> 1)
	a2 |= o & (a2 << 8)
	b2 |= o & (b2 >> 8)
	a3 |= m & (a3 << 7)
	b3 |= m & (b3 >> 7)
	a4 |= m & (a4 << 9)
	b4 |= m & (b4 >> 9)

	u1 := m & (m << 1)
	u2 := o & (o << 8)
	u3 := m & (m << 7)
	u4 := m & (m << 9)
	d1, d2, d3, d4 := u1>>1, u2>>8, u3>>7, u4>>9

	a1 |= u1 & (a1 << 2)
	b1 |= d1 & (b1 >> 2)
	a2 |= u2 & (a2 << 16)
	b2 |= d2 & (b2 >> 16)
	a3 |= u3 & (a3 << 14)
	b3 |= d3 & (b3 >> 14)
	a4 |= u4 & (a4 << 18)
	b4 |= d4 & (b4 >> 18)

	a1 |= u1 & (a1 << 2)
	b1 |= d1 & (b1 >> 2)
	a2 |= u2 & (a2 << 16)
	b2 |= d2 & (b2 >> 16)
	a3 |= u3 & (a3 << 14)
	b3 |= d3 & (b3 >> 14)
	a4 |= u4 & (a4 << 18)
	b4 |= d4 & (b4 >> 18)

	return (a1<<1 | b1>>1 | a2<<8 | b2>>8 | a3<<7 | b3>>7 | a4<<9 | b4>>9) &^ (p | o)
}

// rays are the squares in the eight directions from a square: four towards higher
// squares and four towards lower ones.
type rays struct{ up, down [4]uint64 }

var rayTable = makeRays()

func makeRays() (t [64]rays) {
	steps := [4][2]int{{1, 0}, {0, 1}, {1, 1}, {-1, 1}} // columns, rows
	for x := range t {
		for d, s := range steps {
			for c, r := x%8+s[0], x/8+s[1]; c >= 0 && c < 8 && r >= 0 && r < 8; c, r = c+s[0], r+s[1] {
				t[x].up[d] |= 1 << (8*r + c)
			}
			for c, r := x%8-s[0], x/8-s[1]; c >= 0 && c < 8 && r >= 0 && r < 8; c, r = c-s[0], r-s[1] {
				t[x].down[d] |= 1 << (8*r + c)
			}
		}
	}
	return t
}

// flips are the discs of o that p turns by playing x. Without branches: upwards a carry
// runs through the ray's discs of o and stops on the first square that is not one;
// downwards the leading bit finds that square.
func flips(p, o uint64, x square) uint64 {
	t := &rayTable[x&63]

	m0, m1, m2, m3 := t.up[0], t.up[1], t.up[2], t.up[3]
	e0 := ((o | ^m0) + 1) & p & m0
	e1 := ((o | ^m1) + 1) & p & m1
	e2 := ((o | ^m2) + 1) & p & m2
	e3 := ((o | ^m3) + 1) & p & m3
	f := (e0-(e0|-e0)>>63)&m0 | (e1-(e1|-e1)>>63)&m1 | (e2-(e2|-e2)>>63)&m2 | (e3-(e3|-e3)>>63)&m3

	// Bit 63 lies on no downward ray, so that an all-opponent ray (64 leading zeros,
	// taken mod 64) finds nothing.
	const top = 1 << 63
	n0, n1, n2, n3 := t.down[0], t.down[1], t.down[2], t.down[3]
	g0 := top >> (uint(bits.LeadingZeros64(n0&^o)) & 63) & p & n0
	g1 := top >> (uint(bits.LeadingZeros64(n1&^o)) & 63) & p & n1
	g2 := top >> (uint(bits.LeadingZeros64(n2&^o)) & 63) & p & n2
	g3 := top >> (uint(bits.LeadingZeros64(n3&^o)) & 63) & p & n3
	return f | -g0<<1&n0 | -g1<<1&n1 | -g2<<1&n2 | -g3<<1&n3
}

// final is the score for own when nobody can move: empties go to the winner.
func (b board) final() int {
	own, opp := bits.OnesCount64(b.own), bits.OnesCount64(b.opp)
	switch {
	case own > opp:
		return 64 - 2*opp
	case opp > own:
		return 2*own - 64
	}
	return 0
}

// boardOf is the position of g for the side to move, black when nobody is.
func boardOf(b game.Position) board {
	out := board{fold(b.Of(game.Black)), fold(b.Of(game.White))}
	if b.Turn == game.White {
		out = out.swap()
	}
	return out
}

// fold packs the rows of eight out of a set with rows of sixteen.
func fold(s game.Set) (v uint64) {
	for row := range 8 {
		v |= s[row/4] >> (16 * (row % 4)) & 0xFF << (8 * row)
	}
	return v
}

// pointOf is the point of a square, NoPoint for noSquare.
func pointOf(x square) game.Point {
	if x >= 64 {
		return game.NoPoint
	}
	return game.At(int(x%8), int(x/8))
}

// startBoard is the start of the game, black to move.
var startBoard = boardOf(game.Reversi.Start())
