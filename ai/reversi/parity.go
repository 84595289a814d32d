package reversi

import "math/bits"

// Parity: the side that plays first into a region with an odd number of empty squares
// tends to play last there too. Regions are the four quadrants, one bit each.

// quadrant[x] is the bit of the quadrant of x.
var quadrant = makeQuadrants()

func makeQuadrants() (t [64]uint8) {
	for x := range t {
		t[x] = 1 << (x%8/4 + x/32*2)
	}
	return t
}

var quadrantSquares = [4]uint64{0x0F0F0F0F, 0xF0F0F0F0, 0x0F0F0F0F << 32, 0xF0F0F0F0 << 32}

// oddSquares[parity] are the squares of the quadrants whose bits are set.
var oddSquares = makeOddSquares()

func makeOddSquares() (t [16]uint64) {
	for parity := range t {
		for q, squares := range quadrantSquares {
			if parity>>q&1 != 0 {
				t[parity] |= squares
			}
		}
	}
	return t
}

// parityOf are the quadrants with an odd number of the given squares.
func parityOf(free uint64) (parity uint8) {
	for q, squares := range quadrantSquares {
		parity |= uint8(bits.OnesCount64(free&squares)&1) << q
	}
	return parity
}
