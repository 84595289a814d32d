package five

// forbidden reports whether black may not play the empty point p. It works on the lines
// alone; the cells keep what they are.
func (b *board) forbidden(p uint8) bool {
	if b.variant != renju {
		return false
	}
	if b.class(p, black) != foul {
		return false
	}
	return b.foul(p)
}

// look gives black's four patterns of p from the lines.
func (b *board) look(p uint8) (at [4]uint8) {
	for d := range 4 {
		at[d] = b.lines[b.key(p, d)] & 15
	}
	return at
}

// mark puts a black stone on the lines, or takes it off.
func (b *board) mark(p uint8) {
	for d := range 4 {
		pl := &b.at[p][d]
		b.rows[d][pl.line&31] ^= 1 << (pl.bit & 63)
	}
}

// foul is forbidden by the rule: a five beats everything, an overline and two fours are
// final, and a three counts only if a point makes a straight four of it, makes no five
// anywhere and is not forbidden itself.
func (b *board) foul(p uint8) bool {
	at := b.look(p)
	fours, threes := 0, 0
	long := false
	for _, k := range at {
		switch k {
		case fiveRow:
			return false
		case over:
			long = true
		case four, four2:
			fours++
		case open3, open3s:
			threes++
		}
	}
	if long || fours > 1 {
		return true
	}
	if threes < 2 {
		return false
	}
	b.mark(p)
	stone := b.stones[p]
	b.stones[p] = black
	real := 0
	for d, k := range at {
		if (k == open3 || k == open3s) && b.straight(p, d) {
			real++
		}
	}
	b.stones[p] = stone
	b.mark(p)
	return real > 1
}

// straight reports whether black, with a stone on p, has a lawful point that makes a
// straight four through p in direction d.
func (b *board) straight(p uint8, d int) bool {
	pl := &b.at[p][d]
	for k := -min(3, int(pl.back)); k <= min(3, int(pl.fwd)); k++ {
		q := uint8(int(p) + k*delta[d])
		if k == 0 || b.stones[q] != 3 {
			continue
		}
		at := b.look(q)
		if at[d] != four2 || at[0] == fiveRow || at[1] == fiveRow || at[2] == fiveRow || at[3] == fiveRow {
			continue
		}
		if !b.through(p, q, d) {
			continue
		}
		if !b.foul(q) {
			return true
		}
	}
	return false
}

// through reports whether the four stones with q in direction d hold p: the run between
// is unbroken.
func (b *board) through(p, q uint8, d int) bool {
	step := uint8(delta[d])
	if (int(q)-int(p))*delta[d] > 0 {
		step = -step
	}
	for q != p {
		q += step
		if b.stones[q] != black {
			return false
		}
	}
	return true
}
