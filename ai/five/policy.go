package five

import (
	"bytes"
	"fmt"
	"math/bits"
	"sync"
)

// The policy orders the moves of the deeper nodes. It sees what the plain ordering does not: what
// lies beside a point. Every cell of the board is a vector of pc numbers, from its two codes or
// its stone. A candidate adds the vectors of the 32 cells within four of it on its lines, each
// times the weights of their distance, and what its own lines are; of the sums above zero the
// output weights make a number. It is too dear for the nodes near the leaves, of which there are
// too many.
const (
	pc     = 16 // channels: a vector register of 16 numbers
	spokes = 4  // how far along the lines a candidate sees
)

// One, as the numbers have it. Each product loses 15 bits.
const (
	cellUnit  = 1024
	tapUnit   = 8192
	spokeUnit = cellUnit * tapUnit >> 15
	outUnit   = 1024
)

// policyWeights are the numbers of the policy, as the tables keep them.
type policyWeights struct {
	Own, Other   [codes][pc]int16          // of a code for the side to move, for the other
	Stone        [6][pc]int16              // own; the other's; what the last three add; beyond the edge
	Line         [256][pc]int16            // of both patterns of a line of the candidate
	Tap          [2][1 + spokes][pc]int16  // by straight or slanting lines, by distance
	Out          [threatBits + 1][pc]int16 // by threats; the last is always there
	Mine, Theirs [codes]int16              // of the candidate's codes
	Scale        int16                     // of the plain ordering, in 256ths
}

// policyTables are the weights prepared: stones stand behind the codes, four rows for each side,
// the first of which is no last move.
type policyTables struct {
	*policyWeights
	own, other [codes + 8][pc]int16
	beyond     [pc]int16
}

// The grid is the board with room round it for what lies beyond the edge.
const (
	gridWidth = 15 + 2*spokes + 1
	gridCells = (15 + 2*spokes) * gridWidth
)

func gridAt(p uint8) int { return (int(p>>4)+spokes)*gridWidth + int(p&15) + spokes }

// gridStep is delta on the grid.
var gridStep = [4]int{1, gridWidth, gridWidth + 1, 1 - gridWidth}

// rowBytes is what a vector takes.
const rowBytes = 2 * pc

type (
	// gridCell is where the two vectors of a cell are, in bytes.
	gridCell struct{ own, other uint32 }

	// lookout is a candidate: its place on the grid and the vectors of its lines, in bytes.
	lookout struct {
		at   int32 // later the sum
		line [4]uint16
	}
)

// policy is the policy at work on one position at a time.
type policy struct {
	cells  [gridCells][pc]int16
	edged  *policyTables // whose vector lies beyond the edge
	at     [15 * 15]gridCell
	list   [256]lookout
	weight [2 + 2*spokes][pc]int16 // the candidate's, by distance, and the output
}

// policyNames are the tables of a variant, by the colour to move. `lab tune-policy` makes them.
var policyNames = [...][2]string{
	freestyle: {"policy.z", "policy.z"},
	exact:     {"policy-exact.z", "policy-exact.z"},
	renju:     {"policy-black.z", "policy-white.z"},
}

// policyOf gives the policy of a variant for either colour to move. A variant of which no table is
// embedded borrows freestyle's.
var policyOf = [...]func() [2]*policyTables{freestyle: policyFrom(freestyle), exact: policyFrom(exact), renju: policyFrom(renju)}

func policyFrom(v variant) func() [2]*policyTables {
	return sync.OnceValue(func() (t [2]*policyTables) {
		for c, name := range policyNames[v] {
			if c > 0 && name == policyNames[v][0] {
				t[c] = t[0]
				break
			}
			data, err := embedded.ReadFile("tables/" + name)
			borrowed := err != nil
			if borrowed {
				name = policyNames[freestyle][c]
				data, _ = embedded.ReadFile("tables/" + name)
			}
			w, err := ReadPolicy(bytes.NewReader(data))
			if err != nil {
				panic(fmt.Sprintf("tables/%s: %v", name, err)) // a build that cannot work
			}
			if borrowed {
				w = w.borrowed()
			}
			t[c] = w.tables()
		}
		return t
	})
}

// borrowed is a policy of freestyle for a game in which an overline may be no five. Freestyle knows
// no such line: it counts as a dead one.
func (w *policyWeights) borrowed() *policyWeights {
	to := *w
	like := func(x uint8) int {
		if x == over {
			return dead
		}
		return int(x)
	}
	for i, p := range patternsOf {
		k := codeOf[like(p[0])|like(p[1])<<4|like(p[2])<<8|like(p[3])<<12]
		to.Own[i], to.Other[i], to.Mine[i], to.Theirs[i] = w.Own[k], w.Other[k], w.Mine[k], w.Theirs[k]
	}
	for i := range to.Line {
		to.Line[i] = w.Line[like(uint8(i>>4))<<4|like(uint8(i&15))]
	}
	return &to
}

func (w *policyWeights) tables() *policyTables {
	t := &policyTables{policyWeights: w}
	copy(t.own[:], w.Own[:])
	copy(t.other[:], w.Other[:])
	for c := range pc {
		for side := range 2 {
			for k := range 4 {
				x := w.Stone[side][c]
				if k > 0 {
					x += w.Stone[1+k][c]
				}
				t.own[codes+4*side+k][c] = x
			}
		}
		t.beyond[c] = max(0, w.Stone[5][c])
	}
	return t
}

// order adds to the scores of moves what the policy makes of them.
func (n *policy) order(b *board, w *policyTables, moves []scored) {
	if len(moves) == 0 {
		return
	}
	n.look(b, w)
	me := b.turn & 1
	list := n.list[:len(moves)]
	for i := range list {
		p := moves[i].p
		l := &b.cells[p].line
		x := quarters(l[me])<<9 | quarters(l[me^1])<<5 // rowBytes times 16, and times one
		list[i] = lookout{int32(gridAt(p) * rowBytes), [4]uint16{uint16(x), uint16(x >> 16), uint16(x >> 32), uint16(x >> 48)}}
	}
	if vectors {
		spokesVector(&n.cells[0], &list[0], len(list), &n.weight[0], &w.Line[0])
	} else {
		n.spokesPlain(w, list)
	}
	for i := range list {
		m := &moves[i]
		c := &b.cells[m.p].code
		m.score = m.score*int32(w.Scale)>>8 + list[i].at/(spokeUnit*outUnit/orderUnit) + int32(w.Mine[c[me]]) + int32(w.Theirs[c[me^1]])
	}
}

// quarters spreads the four patterns of a cell over a word.
func quarters(line uint16) uint64 {
	x := uint64(line)
	x = (x | x<<24) & 0x000000FF000000FF
	return (x | x<<12) & 0x000F000F000F000F
}

// look fills the grid and the weights from the board.
func (n *policy) look(b *board, w *policyTables) {
	if n.edged != w {
		for i := range n.cells {
			n.cells[i] = w.beyond
		}
		n.edged = w
	}
	me := b.turn & 1
	for y := range 15 {
		row := (*[15]gridCell)(n.at[15*y:])
		for x, c := range (*[15]cell)(b.cells[16*y:]) {
			row[x] = gridCell{uint32(c.code[me]) * rowBytes, uint32(c.code[me^1]) * rowBytes}
		}
	}
	for i, word := range b.board {
		for word &^= b.empty[i]; word != 0; word &= word - 1 { // the stones
			p := i<<6 + bits.TrailingZeros64(word)
			n.at[p>>4*15+p&15] = gridCell{uint32(codes+4*(int(b.stones[p])^me)) * rowBytes, codes * rowBytes}
		}
	}
	for k := range min(recent, b.ply) {
		p := b.moves[(b.ply-1-k)&255]
		if p == 0xFF {
			break
		}
		n.at[int(p>>4)*15+int(p&15)].own += uint32(k+1) * rowBytes
	}
	n.weight[0] = w.Tap[0][0]
	copy(n.weight[1:], w.Tap[0][1:])
	copy(n.weight[1+spokes:], w.Tap[1][1:])
	out := &n.weight[1+2*spokes]
	*out = w.Out[threatBits]
	for m := uint(b.threats()); m != 0; m &= m - 1 {
		for c, x := range &w.Out[bits.TrailingZeros(m)] {
			out[c] += x
		}
	}
	if vectors {
		gridVector(&n.cells[gridAt(0)], &n.at[0], &w.own[0], &w.other[0])
	} else {
		n.gridPlain(w)
	}
}

// gridPlain fills the cells from the places of their vectors. gridVector does the same with vector
// instructions.
func (n *policy) gridPlain(w *policyTables) {
	for i, at := range &n.at {
		to := &n.cells[gridAt(uint8(i/15<<4|i%15))]
		own, other := &w.own[at.own/rowBytes], &w.other[at.other/rowBytes]
		for c := range to {
			to[c] = max(own[c]+other[c], 0)
		}
	}
}

// spokesPlain puts the sums of candidates in their places. spokesVector does the same with vector
// instructions.
func (n *policy) spokesPlain(w *policyTables, list []lookout) {
	for i := range list {
		at := int(list[i].at) / rowBytes
		var a [pc]int16
		for c, x := range &n.cells[at] {
			a[c] = rounds(x, n.weight[0][c])
		}
		for d := range 4 {
			for c, x := range &w.Line[list[i].line[d]/rowBytes] {
				a[c] += x
			}
			for k := 1; k <= spokes; k++ {
				by, far := &n.weight[d>>1*spokes+k], k*gridStep[d]
				x, y := &n.cells[at+far], &n.cells[at-far]
				for c := range a {
					a[c] += rounds(x[c]+y[c], by[c])
				}
			}
		}
		sum := int32(0)
		for c, x := range &a {
			sum += int32(max(x, 0)) * int32(n.weight[1+2*spokes][c])
		}
		list[i].at = sum
	}
}

// rounds is the upper part of a product, rounded, as VPMULHRSW has it.
func rounds(x, y int16) int16 { return int16((int32(x)*int32(y) + 1<<14) >> 15) }
