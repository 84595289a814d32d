package five

import (
	"math/bits"

	"tengen/game"
)

// Colours are 0 and 1 in the engine.
const (
	black = 0
	white = 1
)

// pointSet is a set of points as game.Set has them.
type pointSet = game.Set

// cell is what an empty point is worth to either side.
type cell struct {
	line [2]uint16 // the four patterns, four bits each
	code [2]uint16 // of these, with the class
}

// state is what a move changes besides cells and lines; undo puts the old one back.
type state struct {
	hash  uint64
	sum   [2]sums      // by colour, of what its codes are worth
	count [2][16]uint8 // empty points by class
	five  [2]pointSet  // points that make five
	four  [2]pointSet  // points that make a four of any sort
	near  pointSet     // points near a stone
	empty pointSet
}

// place is where a point lies in its line of one direction.
type place struct {
	line      uint8
	shift     uint8 // of the lowest cell of its key
	bit       uint8 // of its own cell
	back, fwd uint8 // cells of the board within reach to either side
}

// shape is what does not change in a game: the geometry of a board and the tables.
type shape struct {
	variant variant
	size    int
	reach   int
	lines   *lineTable
	codes   [2]*codeTable     // by colour
	worth   [2]*[4096]lanesOf // by colour and code: what a point adds to the sums
	urge    [2]*[4096]urge
	net     [2]*network               // by colour to move
	policy  [2]*policyTables          // by colour to move; nil where there is none
	both    [2][16][16]int16          // how much both classes of its point draw a move, by colour to move
	mood    [2]*[1 << threatBits]mood // the same, by the threats on the board
	far     [recent][1024]int16       // how much the last moves draw a move, by the difference of spread points
	at      [256][4]place
	around  [256]pointSet
	board   pointSet
	zobrist [2][256]uint64
}

// saved is a cell before a move.
type saved struct {
	at   uint8
	cell cell
}

// board is a position with all that the search asks of it kept up to date.
type board struct {
	state
	*shape
	turn   int
	ply    int // stones played on this board, setup included
	stones [256]uint8
	cells  [256]cell
	rows   [4][32]uint64
	veiled [4][32]uint64 // what a level does not see of rows
	moves  [256]uint8
	marks  [256]int32 // of undo, by ply
	old    [256]state
	undone int32
	undo   [1 << 14]saved // no stone changes more than 40 cells
}

// spread is p with its rows so far apart that the difference of two points tells how they
// lie.
func spread(p uint8) int { return int(p) + int(p&0xF0) }

// delta is the step from a point to the next in each direction. The shift of a place grows
// with the column, in the second direction with the row.
var delta = [4]int{1, 16, 17, -15}

// place finds where p lies in its line of direction d.
func (s *shape) place(p, d int) place {
	x, y := p&15, p>>4
	pl := place{}
	pos := x
	switch d {
	case 0:
		pl.line = uint8(y)
	case 1:
		pl.line, pos = uint8(x), y
	case 2:
		pl.line = uint8(x - y + 15)
	case 3:
		pl.line = uint8(x + y)
	}
	pl.bit = uint8(2 * (pos + half))
	pl.shift = uint8(2 * (pos + half - s.reach))
	for k := 1; k <= s.reach && s.inside(p, -k, d); k++ {
		pl.back++
	}
	for k := 1; k <= s.reach && s.inside(p, k, d); k++ {
		pl.fwd++
	}
	return pl
}

// inside reports whether k steps from p in direction d lie on the board.
func (s *shape) inside(p, k, d int) bool {
	dx, dy := [4]int{1, 0, 1, 1}[d], [4]int{0, 1, 1, -1}[d]
	x, y := p&15+k*dx, p>>4+k*dy
	return x >= 0 && y >= 0 && x < s.size && y < s.size
}

func newShape(v variant, size int, w *weights) *shape {
	s := &shape{variant: v, size: size, reach: v.reach(), lines: linesOf(v)}
	w.fill(s)
	for c := range s.codes {
		s.codes[c] = codesOf[v.kind(c)]()
	}
	if size == 15 {
		s.policy = policyOf[v]()
	}
	seed := uint64(0x9E3779B97F4A7C15)
	for p := range 256 {
		for c := range 2 {
			seed += 0x9E3779B97F4A7C15
			s.zobrist[c][p] = mix(seed)
		}
		if x, y := p&15, p>>4; x < size && y < size {
			s.board = s.board.With(game.Point(p))
		}
	}
	for p := range s.board.All() {
		for d := range 4 {
			s.at[p][d] = s.place(int(p), d)
		}
		for q := range s.board.All() {
			dx, dy := q.Col()-p.Col(), q.Row()-p.Row()
			m := max(abs(dx), abs(dy))
			if q != p && (m <= 2 || m <= 3 && (dx == 0 || dy == 0 || abs(dx) == abs(dy))) {
				s.around[p] = s.around[p].With(q)
			}
		}
	}
	return s
}

func abs(n int) int { return max(n, -n) }

// mix scatters the bits of n.
func mix(n uint64) uint64 {
	n = (n ^ n>>30) * 0xBF58476D1CE4E5B9
	n = (n ^ n>>27) * 0x94D049BB133111EB
	return n ^ n>>31
}

// reset makes b the empty board of s.
func (b *board) reset(s *shape) {
	b.shape, b.state = s, state{empty: s.board}
	b.turn, b.ply, b.undone = black, 0, 0
	b.veiled = [4][32]uint64{}
	for i := range b.stones {
		b.stones[i] = 2
	}
	for d := range 4 {
		for i := range b.rows[d] {
			b.rows[d][i] = ^uint64(0)
		}
	}
	for p := range s.board.All() {
		b.stones[p] = 3
		for d := range 4 {
			pl := &s.at[p][d]
			b.rows[d][pl.line&31] &^= 3 << pl.bit
		}
	}
	b.refresh()
	b.old[255].sum = b.sum // the first move has no state before it
}

// refresh computes the cells, and what is summed over them, anew from the lines.
func (b *board) refresh() {
	b.sum, b.count = [2]sums{}, [2][16]uint8{}
	b.five, b.four = [2]pointSet{}, [2]pointSet{}
	for p := range b.empty.All() {
		var c cell
		for d := range 4 {
			t := b.lines[b.key(uint8(p), d)]
			c.line[0] |= uint16(t&15) << (4 * d)
			c.line[1] |= uint16(t>>4) << (4 * d)
		}
		for side := range 2 {
			c.code[side] = b.codes[side][c.line[side]]
			b.sum[side].swap(&nothing, &b.worth[side][c.code[side]&4095])
			b.count[side][none]++
			b.reclass(uint8(p), side, none, c.code[side]>>12)
		}
		b.cells[p] = c
	}
}

// key is the surroundings of p in direction d.
func (b *board) key(p uint8, d int) uint32 {
	pl := &b.at[p][d]
	low := uint32(1)<<(2*b.reach) - 1
	k := uint32(b.rows[d][pl.line&31] >> (pl.shift & 63))
	return (k&low | k>>2&(low<<(2*b.reach))) & (1<<(4*half) - 1)
}

// setup puts all of g's stones on b, in any order but for the last.
func (b *board) setup(g game.Position, last game.Point) {
	for c := range 2 {
		b.turn = c
		for p := range g.Stones[c].All() {
			if p != last {
				b.play(uint8(p))
				b.turn = c
			}
		}
	}
	if last != game.NoPoint {
		b.turn = int(g.At(last) - game.Black)
		b.play(uint8(last))
	}
	b.turn = int(g.Turn - game.Black)
	if g.Turn == game.Empty {
		b.turn = black
	}
}

// follow puts all of g on b, and its last moves in the order in which they were played.
func (b *board) follow(g game.Game) {
	b.setup(g.Position(), g.Last())
	moves := g.Moves()
	for k := range min(recent, b.ply) {
		b.moves[b.ply-1-k] = 0xFF
		if k < len(moves) {
			b.moves[b.ply-1-k] = uint8(moves[len(moves)-1-k])
		}
	}
}

// class is what the empty point p is worth to c.
func (b *board) class(p uint8, c int) uint8 {
	return uint8(b.cells[p].code[c&1] >> 12)
}

// play puts a stone of the side to move on the empty point p.
func (b *board) play(p uint8) {
	ply := b.ply & 255
	b.old[ply] = b.state
	b.marks[ply] = b.undone
	b.moves[ply] = p
	me := b.turn
	b.stones[p] = uint8(me)
	b.hash ^= b.zobrist[me&1][p]
	b.empty[p>>6] &^= uint64(1) << (p & 63)
	near := &b.around[p]
	b.near[0] |= near[0]
	b.near[1] |= near[1]
	b.near[2] |= near[2]
	b.near[3] |= near[3]
	b.fill(p)
	b.reline(p, uint64(me+1))
	b.turn = me ^ 1
	b.ply++
}

// fill takes away what p was worth: an occupied point is worth nothing.
func (b *board) fill(p uint8) {
	for c := range 2 {
		code := b.cells[p].code[c]
		b.sum[c].swap(&b.worth[c][code&4095], &nothing)
		b.reclass(p, c, code>>12, none)
		b.count[c][none]--
	}
}

// reline puts a stone on p into its four lines and computes anew what the empty points
// within reach are worth.
func (b *board) reline(p uint8, stone uint64) {
	if !vectors {
		b.relinePlain(p, stone)
		return
	}
	var moved [40]uint8
	from := b.undone
	for _, k := range moved[:relineVector(b, uint64(p), stone, &moved)] {
		u := &b.undo[(from+int32(k))&(1<<14-1)]
		for c, code := range &b.cells[u.at].code {
			b.reclass(u.at, c, u.cell.code[c]>>12, code>>12)
		}
	}
}

// reclass moves p from one class of c to another. It does not branch: no processor could guess how.
func (b *board) reclass(p uint8, c int, old, new uint16) {
	b.count[c][old&15]--
	b.count[c][new&15]++
	b.four[c][p>>6] ^= (someFour>>(old&15) ^ someFour>>(new&15)) & 1 << (p & 63)
	b.five[c][p>>6] ^= (winsFive>>(old&15) ^ winsFive>>(new&15)) & 1 << (p & 63)
}

// relinePlain is reline in one loop.
func (b *board) relinePlain(p uint8, stone uint64) {
	n := b.undone
	reach2 := uint(2 * b.reach)
	low := uint32(1)<<reach2 - 1
	high := low << reach2
	lines := b.lines
	for d := range 4 {
		pl := &b.at[p][d]
		row := &b.rows[d][pl.line&31]
		w := *row | stone<<(pl.bit&63)
		*row = w
		back := int(pl.back)
		q := uint8(int(p) - back*delta[d])
		shift := uint(pl.shift) - uint(2*back)
		dd := uint(4 * d)
		step := uint8(delta[d])
		for k := back + int(pl.fwd); k >= 0; k, q, shift = k-1, q+step, shift+2 {
			if b.stones[q] != 3 {
				continue
			}
			key := uint32(w >> (shift & 63))
			t := lines[(key&low|key>>2&high)&(1<<(4*half)-1)]
			c := &b.cells[q]
			differ := [2]uint16{(c.line[0]>>(dd&15) ^ uint16(t&15)) & 15, (c.line[1]>>(dd&15) ^ uint16(t>>4)) & 15}
			if differ[0]|differ[1] == 0 {
				continue
			}
			u := &b.undo[n&(1<<14-1)]
			n++
			u.at = q
			u.cell = *c
			for side, bits := range differ {
				if bits == 0 {
					continue
				}
				c.line[side] ^= bits << (dd & 15)
				old, code := c.code[side], b.codes[side][c.line[side]]
				c.code[side] = code
				worth := b.worth[side]
				b.sum[side].swap(&worth[old&4095], &worth[code&4095])
				if old>>12 != code>>12 {
					b.reclass(q, side, old>>12, code>>12)
				}
			}
		}
	}
	b.undone = n
}

// back takes the last stone off.
func (b *board) back() {
	b.ply--
	ply := b.ply & 255
	p := b.moves[ply]
	b.turn ^= 1
	b.state = b.old[ply]
	b.stones[p] = 3
	stone := uint64(3)
	for d := range 4 {
		pl := &b.at[p][d]
		b.rows[d][pl.line&31] = b.rows[d][pl.line&31]&^(stone<<(pl.bit&63)) | b.veiled[d][pl.line&31]
	}
	mark := b.marks[ply]
	for n := b.undone - 1; n >= mark; n-- {
		u := &b.undo[n&(1<<14-1)]
		b.cells[u.at] = u.cell
	}
	b.undone = mark
}

// fours counts the points where c can make a four of any sort, those that only look
// forbidden included.
func (b *board) fours(c int) int {
	n := &b.count[c&1]
	return int(n[fourMove]) + int(n[fourPlus]) + int(n[fourThree]) + int(n[openFour]) + int(n[foul])
}

// first is the lowest point of a set that is not empty.
func first(s *pointSet) uint8 {
	for i, w := range s {
		if w != 0 {
			return uint8(i<<6 + bits.TrailingZeros64(w))
		}
	}
	return 0xFF
}
