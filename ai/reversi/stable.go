package reversi

import "math/bits"

// Discs that no play can turn any more. Only a part of them is counted: on the edges those
// that exhaustion finds, inside those whose four lines are full or guarded by stable discs
// of the same side.

// edgeStable[own<<8|opp] are the discs of own on an edge that stay whatever is played
// along the edge, by either side, in any order.
var edgeStable = makeEdges()

func makeEdges() *[1 << 16]uint8 {
	t := new([1 << 16]uint8)
	var known [1 << 16]bool
	var find func(own, opp uint8) uint8
	find = func(own, opp uint8) uint8 {
		i := int(own)<<8 | int(opp)
		if known[i] {
			return t[i]
		}
		stay := own
		for free := ^(own | opp); free != 0 && stay != 0; free &= free - 1 {
			x := bits.TrailingZeros8(free)
			f := edgeFlips(own, opp, x)
			stay &= find(own|f|1<<x, opp&^f)
			f = edgeFlips(opp, own, x)
			stay &= find(own&^f, opp|f|1<<x)
		}
		t[i], known[i] = stay, true
		return stay
	}
	for own := range 256 {
		for opp := range 256 {
			if own&opp == 0 {
				find(uint8(own), uint8(opp))
			}
		}
	}
	return t
}

// edgeFlips are the discs of o on one edge that p turns by playing x.
func edgeFlips(p, o uint8, x int) (f uint8) {
	var run uint8
	for i := x + 1; i < 8; i++ {
		if o>>i&1 == 0 {
			if p>>i&1 != 0 {
				f |= run
			}
			break
		}
		run |= 1 << i
	}
	run = 0
	for i := x - 1; i >= 0; i-- {
		if o>>i&1 == 0 {
			if p>>i&1 != 0 {
				f |= run
			}
			break
		}
		run |= 1 << i
	}
	return f
}

// stable are discs of p that o can never turn.
func stable(p, o uint64) uint64 {
	const inner = 0x007E7E7E7E7E7E00
	s := uint64(edgeStable[p&0xFF<<8|o&0xFF])
	s |= uint64(edgeStable[p>>56<<8|o>>56]) << 56
	s |= column(edgeStable[fileA(p)<<8|fileA(o)])
	s |= column(edgeStable[fileA(p>>7)<<8|fileA(o>>7)]) << 7

	h, v, d, e := fullLines(p | o)
	s |= h & v & d & e & p & inner
	if s == 0 {
		return 0
	}
	p &= inner
	for {
		more := (s<<1 | s>>1 | h) & (s<<8 | s>>8 | v) & (s<<9 | s>>9 | d) & (s<<7 | s>>7 | e) & p &^ s
		if more == 0 {
			return s
		}
		s |= more
	}
}

// fileA is column a with row 1 as bit 0.
func fileA(v uint64) uint64 {
	return (v & 0x0101010101010101) * 0x0102040810204080 >> 56
}

// column spreads eight bits over column a: one bit each is kept of eight copies, and the
// addition carries it to the top of its byte.
func column(v uint8) uint64 {
	kept := uint64(v) * 0x0101010101010101 & 0x8040201008040201
	return (kept + 0x007F7F7F7F7F7F7F | kept) >> 7 & 0x0101010101010101
}

// fullLines are the squares whose row, column, falling or rising diagonal has no empty
// square.
func fullLines(all uint64) (h, v, d, e uint64) {
	h = all & (all >> 4) & 0x0F0F0F0F0F0F0F0F
	h &= h >> 2
	h &= h >> 1
	h = h & 0x0101010101010101 * 0xFF

	v = all & bits.RotateLeft64(all, 32)
	v &= bits.RotateLeft64(v, 16)
	v &= bits.RotateLeft64(v, 8)

	return h, v, diagonals(all, 9), diagonals(all, 7)
}

// diagonals are the squares inside the edges whose diagonal in steps of n is full. Its
// bits on the edges mean nothing.
func diagonals(all uint64, n uint) uint64 {
	edge := all & 0xFF818181818181FF
	up, down := all&(edge|all>>n), all&(edge|all<<n)
	for range 5 {
		up &= edge | up>>n
		down &= edge | down<<n
	}
	return up & down
}
