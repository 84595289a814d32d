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

// policyTables are the weights prepared: the vectors of stones, own ones and the other's, by which of
// the last moves they were, counted from one, or none of them; and of what lies beyond the edge.
type policyTables struct {
	*policyWeights
	stone  [2][1 + recent][pc]int16
	beyond [pc]int16
}

// The grid is the board with room round it for what lies beyond the edge.
const (
	gridWidth = 15 + 2*spokes + 1
	gridCells = (15 + 2*spokes) * gridWidth
)

func gridAt(p uint8) int { return (int(p>>4)+spokes)*gridWidth + int(p&15) + spokes }

// gridStep is delta on the grid.
var gridStep = [4]int{1, gridWidth, gridWidth + 1, 1 - gridWidth}

// policy is the policy at work on one position at a time.
type policy struct {
	cells  [gridCells][pc]int16
	edged  *policyTables           // whose vector lies beyond the edge
	weight [2 + 2*spokes][pc]int16 // the candidate's, by distance, and the output
	sums   [256]int32              // of the candidates
}

// policyNames are the tables of a variant, by the colour to move. `lab tune-policy` makes them.
var policyNames = [...][2]string{
	freestyle: {"policy.z", "policy.z"},
	exact:     {"policy-exact.z", "policy-exact.z"},
	renju:     {"policy-black.z", "policy-white.z"},
}

// policyOf gives the policy of a variant for either colour to move. A variant of which no table is
// embedded borrows freestyle's.
var policyOf = [...]func() [2]*policyTables{freestyle: policyFrom(freestyle), exact: policyFrom(exact),
	renju: policyFrom(renju)}

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
	for c := range pc {
		for side := range 2 {
			for k := range 1 + recent {
				x := w.Stone[side][c]
				if k > 0 {
					x += w.Stone[1+k][c]
				}
				t.stone[side][k][c] = max(0, x)
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
	if vectors {
		spokesVector(&n.cells, moves, &b.cells, me, &n.weight, &w.Line, &n.sums)
	} else {
		n.spokesPlain(b, w, moves)
	}
	for i := range moves {
		m := &moves[i]
		c := &b.cells[m.p].code
		m.score = m.score*int32(w.Scale)>>8 + n.sums[i]/(spokeUnit*outUnit/orderUnit) + int32(w.Mine[c[me]&4095]) +
			int32(w.Theirs[c[me^1]&4095])
	}
}

// look fills the grid and the weights from the board.
func (n *policy) look(b *board, w *policyTables) {
	if n.edged != w {
		for i := range n.cells {
			n.cells[i] = w.beyond
		}
		n.edged = w
	}
	if vectors {
		gridVector(&n.cells[gridAt(0)], &b.cells, b.turn&1, &w.Own, &w.Other)
	} else {
		n.gridPlain(b, w)
	}
	stone := func(p uint8, last int) {
		n.cells[gridAt(p)] = w.stone[(int(b.stones[p])^b.turn)&1][last]
	}
	for i, word := range b.board {
		for word &^= b.empty[i]; word != 0; word &= word - 1 {
			stone(uint8(i<<6+bits.TrailingZeros64(word)), 0)
		}
	}
	for k := range min(recent, b.ply) {
		p := b.moves[(b.ply-1-k)&255]
		if p == 0xFF {
			break
		}
		stone(p, k+1)
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
}

// gridPlain fills the cells by the codes of the points. gridVector does the same with vector
// instructions.
func (n *policy) gridPlain(b *board, w *policyTables) {
	me := b.turn & 1
	for i := range 15 * 15 {
		p := uint8(i/15<<4 | i%15)
		own, other := &w.Own[b.cells[p].code[me]&4095], &w.Other[b.cells[p].code[me^1]&4095]
		for c := range pc {
			n.cells[gridAt(p)][c] = max(own[c]+other[c], 0)
		}
	}
}

// spokesPlain makes the sums of candidates. spokesVector does the same with vector instructions.
func (n *policy) spokesPlain(b *board, w *policyTables, moves []scored) {
	me := b.turn & 1
	for i, m := range moves {
		at, line := gridAt(m.p), &b.cells[m.p].line
		var a [pc]int16
		for c, x := range &n.cells[at] {
			a[c] = rounds(x, n.weight[0][c])
		}
		for d := range 4 {
			for c, x := range &w.Line[line[me]>>(4*d)&15<<4|line[me^1]>>(4*d)&15] {
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
		n.sums[i] = 0
		for c, x := range &a {
			n.sums[i] += int32(max(x, 0)) * int32(n.weight[1+2*spokes][c])
		}
	}
}

// rounds is the upper part of a product, rounded, as VPMULHRSW has it.
func rounds(x, y int16) int16 { return int16((int32(x)*int32(y) + 1<<14) >> 15) }
