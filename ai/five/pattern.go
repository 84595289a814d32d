package five

import "sync"

// A line pattern says what a stone of one colour on an empty cell would make in one of
// the four lines through it, from the cells around it alone. The patterns are found by
// playing the line out (a three is what one more stone makes a straight four), so there
// is no list of shapes anywhere.
const (
	dead      = iota
	over      // more than five where just five is wanted; two fours in one line where black may not
	blocked1  // becomes blocked2
	open1     // becomes open2
	blocked2  // becomes blocked3
	blocked2s // in four ways or more
	open2     // becomes an open three in one way
	open2a    // in two
	open2b    // in three or more
	blocked3  // becomes a four
	blocked3s // in three ways or more
	open3     // becomes a straight four in one way
	open3s    // in two or more
	four      // becomes five in one way
	four2     // becomes five in two ways: nobody can stop it
	fiveRow
	patterns
)

// sort of line: what wins and what is forbidden.
const (
	anyFive   = iota // five or more wins
	justFive         // five wins, more is nothing
	blackFive        // just five wins, two fours in one line are forbidden
)

const (
	half  = 5 // cells of a line to either side that matter
	width = 2*half + 1
)

// shaper finds the patterns of one sort of line; memo is indexed by the line in base 3.
type shaper struct {
	kind int
	memo []uint8 // pattern+1
}

// base3 is a mask of cells as digits of base 3.
var base3 = func() (t [1 << width]int32) {
	for m := range t {
		for i, n := 0, int32(1); i < width; i, n = i+1, n*3 {
			if m>>i&1 != 0 {
				t[m] += n
			}
		}
	}
	return t
}()

func newShaper(kind int) *shaper { return &shaper{kind, make([]uint8, 177147)} }

// pattern is what the stone in the middle makes, own and block being the cells that hold
// own stones (the middle included) and those that can never hold one.
func (s *shaper) pattern(own, block int) uint8 {
	at := base3[own] + 2*base3[block]
	if s.memo[at] == 0 {
		s.memo[at] = s.find(own, block) + 1
	}
	return s.memo[at] - 1
}

func (s *shaper) find(own, block int) uint8 {
	lo, hi := half, half
	for lo > 0 && own>>(lo-1)&1 != 0 {
		lo--
	}
	for hi < width-1 && own>>(hi+1)&1 != 0 {
		hi++
	}
	switch n := hi - lo + 1; {
	case n == 5, n > 5 && s.kind == anyFive:
		return fiveRow
	case n > 5:
		return over
	}
	var n [patterns]int
	first, last := -1, -1 // cells that make five
	for e := 1; e < width-1; e++ {
		if (own|block)>>e&1 != 0 {
			continue
		}
		p := s.pattern(own|1<<e, block)
		n[p]++
		if p == fiveRow {
			if first < 0 {
				first = e
			}
			last = e
		}
	}
	some := func(n int, patterns ...uint8) uint8 { return patterns[min(n, len(patterns))-1] }
	switch {
	case n[fiveRow] >= 2 && s.kind == blackFive && last-first < 5:
		return over
	case n[fiveRow] >= 2:
		return four2
	case n[fiveRow] == 1:
		return four
	case n[four2] > 0:
		return some(n[four2], open3, open3s)
	case n[four] > 0:
		return some(n[four], blocked3, blocked3, blocked3s)
	case n[open3]+n[open3s] > 0:
		return some(n[open3]+n[open3s], open2, open2a, open2b)
	case n[blocked3]+n[blocked3s] > 0:
		return some(n[blocked3]+n[blocked3s], blocked2, blocked2, blocked2, blocked2s)
	case n[open2]+n[open2a]+n[open2b] > 0:
		return open1
	case n[blocked2]+n[blocked2s] > 0:
		return blocked1
	}
	return dead
}

// A key is the cells round the middle of a line, two bits each: 0 empty, 1 black, 2
// white, 3 beyond the edge; four cells to either side, or five where a sixth stone
// matters. lineTable gives for each key black's pattern in the low half of a byte and
// white's in the high half.
type lineTable [1 << (4 * half)]uint8

func newLineTable(v variant) *lineTable {
	shapes := [2]*shaper{newShaper(v.kind(black)), newShaper(v.kind(white))}
	reach := v.reach()
	var own, block [2][1 << (2 * half)]int // masks of the cells on one side, by colour
	for k := range 1 << (2 * reach) {
		for i := range reach {
			for c := range 2 {
				switch k >> (2 * i) & 3 {
				case 0:
				case c + 1:
					own[c][k] |= 1 << i
				default:
					block[c][k] |= 1 << i
				}
			}
		}
	}
	t := new(lineTable)
	beyond := 0 // cells that are out of reach never matter; let them be blocked
	if reach < half {
		beyond = 1 | 1<<(width-1)
	}
	for k := range 1 << (4 * reach) {
		lo, hi := k&(1<<(2*reach)-1), k>>(2*reach)
		for c := range 2 {
			left := half - reach
			p := shapes[c].pattern(own[c][lo]<<left|1<<half|own[c][hi]<<(half+1),
				block[c][lo]<<left|block[c][hi]<<(half+1)|beyond)
			t[k] |= p << (4 * c)
		}
	}
	return t
}

// The classes of an empty cell for one colour: the best that a stone there makes in its
// four lines together.
const (
	none        = iota
	twos        // two open twos or more
	three       // an open three
	threePlus   // with something beside it
	doubleThree // two open threes
	fourMove    // a four: the other side has one reply
	fourPlus    // with something beside it
	fourThree   // a four and an open three
	openFour    // a straight four or two fours: wins unless the other side makes five first
	winFive
	foul // black in Renju: forbidden by shape; two threes need a closer look
	classes
)

// A code stands for the four patterns of a cell, whatever their order.
const codes = 3876

// codeOf gives the code of four patterns, patternsOf the patterns of a code.
var codeOf, patternsOf = func() (of [1 << 16]uint16, back [codes][4]uint8) {
	n := 0
	for a := range 16 {
		for b := range a + 1 {
			for c := range b + 1 {
				for d := range c + 1 {
					back[n] = [4]uint8{uint8(a), uint8(b), uint8(c), uint8(d)}
					n++
				}
			}
		}
	}
	for i := range back {
		p := back[i]
		var permute func(k int)
		permute = func(k int) {
			if k == 4 {
				of[int(p[0])|int(p[1])<<4|int(p[2])<<8|int(p[3])<<12] = uint16(i)
				return
			}
			for j := k; j < 4; j++ {
				p[k], p[j] = p[j], p[k]
				permute(k + 1)
				p[k], p[j] = p[j], p[k]
			}
		}
		permute(0)
	}
	return of, back
}()

// Classes, a bit each.
const (
	someThree uint64 = 1<<three | 1<<threePlus | 1<<doubleThree
	someFour  uint64 = 1<<fourMove | 1<<fourPlus | 1<<fourThree | 1<<openFour
	winsFive  uint64 = 1 << winFive
)

// codeTable gives for four patterns their code, and above its 12 bits their class.
type codeTable [1 << 16]uint16

// codesOf are the codes with the classes of each kind of line.
var codesOf = func() (of [3]func() *codeTable) {
	for kind := range of {
		of[kind] = sync.OnceValue(func() *codeTable {
			t := new(codeTable)
			for line, code := range codeOf {
				t[line] = code | uint16(classOf(patternsOf[code], kind))<<12
			}
			return t
		})
	}
	return of
}()

// classOf is the class of a code for a colour with the given sort of line.
func classOf(p [4]uint8, kind int) uint8 {
	var n [patterns]int
	for _, x := range p {
		n[x]++
	}
	threes := n[open3] + n[open3s]
	twosN := n[open2] + n[open2a] + n[open2b]
	beside := n[blocked3] + n[blocked3s] + twosN
	switch {
	case n[fiveRow] > 0:
		return winFive
	case kind == blackFive && (n[over] > 0 || n[four]+n[four2] > 1 || threes > 1):
		return foul
	case n[four2] > 0 || n[four] > 1:
		return openFour
	case n[four] > 0 && threes > 0:
		return fourThree
	case n[four] > 0 && beside > 0:
		return fourPlus
	case n[four] > 0:
		return fourMove
	case threes > 1:
		return doubleThree
	case threes > 0 && beside > 0:
		return threePlus
	case threes > 0:
		return three
	case twosN > 1:
		return twos
	}
	return none
}

var (
	lineTables [3]struct {
		once sync.Once
		t    *lineTable
	}
)

// linesOf is the line table of a variant, made when it is first asked for.
func linesOf(v variant) *lineTable {
	l := &lineTables[v]
	l.once.Do(func() { l.t = newLineTable(v) })
	return l.t
}
