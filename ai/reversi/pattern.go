package reversi

import (
	"math/bits"
	"slices"
)

// A pattern is a group of squares whose contents together have a weight. Its eight
// images under the symmetries of the board share one table of weights.
type pattern struct {
	name  string
	table int // which of the tables of a stage holds it
	// base is where an image with all squares empty stands in the table.
	base   int
	images [][]square
	// mirror is the other index of the same shape, where an image may be read in two ways.
	mirror []uint16
}

// The tables of a stage have 1<<16 entries, so that sixteen bits can index them without a
// check: each but the last holds one pattern of ten squares, the last all the others.
const tables = 7

// lanes is the number of images; four of them share a word.
const lanes = words * 4

const words = 16

// features are the indexes of all images, 16 bits each, from the view of the side to
// move: an own disc counts +3^k, an opponent's -3^k, around the image's base. Changing
// sides is then one subtraction a word, and so is a disc.
type features [words]uint64

var patterns = makePatterns()

// shapes are the patterns in the corner a1. Those of one table follow one another.
var shapes = []struct {
	name    string
	table   int
	squares string
}{
	{"edge and X", 0, "b2a1b1c1d1e1f1g1h1g2"},
	{"corner 2x5", 1, "a1b1c1d1e1a2b2c2d2e2"},
	{"triangle", 2, "a1b1c1d1a2b2c2a3b3a4"},
	{"middle of an edge", 3, "c1d1e1f1c2d2e2f2d3e3"},
	{"inner 2x5", 4, "b2c2d2e2f2b3c3d3e3f3"},
	{"corner cross", 5, "a1b1a2b2c2b3c3d3c4d4"},
	{"corner 3x3", 6, "a1b1c1a2b2c2a3b3c3"},
	{"row 2", 6, "a2b2c2d2e2f2g2h2"},
	{"row 3", 6, "a3b3c3d3e3f3g3h3"},
	{"row 4", 6, "a4b4c4d4e4f4g4h4"},
	{"diagonal 8", 6, "a1b2c3d4e5f6g7h8"},
	{"diagonal 7", 6, "b1c2d3e4f5g6h7"},
	{"diagonal 6", 6, "c1d2e3f4g5h6"},
	{"diagonal 5", 6, "d1e2f3g4h5"},
	{"filler", 6, ""}, // two images of nothing, to fill the last word
}

func makePatterns() (list []pattern) {
	var next [tables]int
	for _, shape := range shapes {
		squares := make([]square, 0, 10)
		for i := 0; i < len(shape.squares); i += 2 {
			squares = append(squares, shape.squares[i]-'a'+8*(shape.squares[i+1]-'1'))
		}
		p := pattern{name: shape.name, table: shape.table}
		size := pow3(len(squares))
		p.base = next[p.table] + size/2
		next[p.table] += size
		p.mirror = make([]uint16, size)
		for i := range p.mirror {
			p.mirror[i] = uint16(i)
		}
		seen := map[uint64][]square{}
		for sym := range 8 {
			image := make([]square, len(squares))
			var set uint64
			for i, x := range squares {
				image[i] = turnSquare(x, sym)
				set |= 1 << image[i]
			}
			first, known := seen[set]
			if !known {
				seen[set] = image
				p.images = append(p.images, image)
				continue
			}
			p.mirrorBy(first, image)
		}
		list = append(list, p)
	}
	return list
}

// mirrorBy notes that the squares of one image may also be read in another order.
func (p *pattern) mirrorBy(first, second []square) {
	order := make([]int, len(first)) // order[k] is where second has the square of first[k]
	same := true
	for k, x := range first {
		order[k] = slices.Index(second, x)
		same = same && order[k] == k
	}
	if same {
		return
	}
	for k, n := 0, 1; k < len(first); k, n = k+1, 3*n {
		add := uint16(pow3(order[k]))
		for i := n; i < 3*n; i++ { // one more on digit k than i-n has
			p.mirror[i] = p.mirror[i-n] + add
		}
	}
}

func pow3(n int) int {
	v := 1
	for range n {
		v *= 3
	}
	return v
}

// turnSquare is where x goes under one of the eight symmetries.
func turnSquare(x square, sym int) square {
	c, r := x%8, x/8
	if sym&1 != 0 {
		c = 7 - c
	}
	if sym&2 != 0 {
		r = 7 - r
	}
	if sym&4 != 0 {
		c, r = r, c
	}
	return 8*r + c
}

// indexing is how discs move the features.
type indexing struct {
	disc  [64]features // what a disc on a square adds
	start features     // the empty board
	swap  features     // twice start: swap minus the features changes sides
}

var indexTable = makeIndexing()

func makeIndexing() (t indexing) {
	lane := 0
	for _, p := range patterns {
		images := p.images
		if len(images[0]) == 0 {
			images = make([][]square, lanes-lane) // the filler takes what is left
		}
		for _, image := range images {
			word, shift := lane/4, 16*(lane%4)
			t.start[word] += uint64(p.base) << shift
			for k, x := range image {
				t.disc[x][word] += uint64(pow3(k)) << shift
			}
			lane++
		}
	}
	if lane != lanes {
		panic("the patterns do not fill the words")
	}
	for i, w := range t.start {
		t.swap[i] = 2 * w
	}
	return t
}

// featuresOf counts the features of b from nothing.
func featuresOf(b board) features {
	f := indexTable.start
	for i := range f {
		for m := b.own; m != 0; m &= m - 1 {
			f[i] += indexTable.disc[bits.TrailingZeros64(m)][i]
		}
		for m := b.opp; m != 0; m &= m - 1 {
			f[i] -= indexTable.disc[bits.TrailingZeros64(m)][i]
		}
	}
	return f
}

// turn sets f to the features after the side of from, which owns p, played x, and gives the
// discs turned.
func (f *features) turn(from *features, p, o uint64, x square) (flipped uint64) {
	if vectors {
		return turnVector(f, from, &indexTable, &rayTable[x&63], uint64(x&63), p, o)
	}
	flipped = flips(p, o, x)
	f.play(from, x, flipped)
	return flipped
}

// play sets f to the features after the side of from played x and turned flipped.
func (f *features) play(from *features, x square, flipped uint64) {
	d, s := &indexTable.disc[x&63], &indexTable.swap
	for i := 0; i < words; i += 4 {
		a, b, c, g := turned(flipped, i)
		f[i], f[i+1], f[i+2], f[i+3] = s[i]-from[i]-d[i]-2*a, s[i+1]-from[i+1]-d[i+1]-2*b, s[i+2]-from[i+2]-d[i+2]-2*c,
			s[i+3]-from[i+3]-d[i+3]-2*g
	}
}

// turned is what a set of discs adds to four words of the features from word i on.
func turned(set uint64, i int) (a, b, c, d uint64) {
	for ; set != 0; set &= set - 1 {
		t := indexTable.disc[bits.TrailingZeros64(set)&63][i : i+4 : i+4]
		a += t[0]
		b += t[1]
		c += t[2]
		d += t[3]
	}
	return a, b, c, d
}

// pass sets f to from seen by the other side.
func (f *features) pass(from *features) {
	for i := range f {
		f[i] = indexTable.swap[i] - from[i]
	}
}

// wordTables[i] is the table of the images in word i.
var wordTables = func() (list [words]int) {
	lane := 0
	for _, p := range patterns {
		n := len(p.images)
		if len(p.images[0]) == 0 {
			n = lanes - lane
		}
		for range n {
			list[lane/4] = p.table
			lane++
		}
	}
	return list
}()

// stage is the weights for some numbers of empty squares, in hundredths of a disc.
type stage struct {
	of   [tables][1 << 16]int16
	bias [stageWidth]int // by the number of empty squares: who moves last matters
}

// stages is the number of stages; each spans stageWidth numbers of empty squares.
const (
	stages     = 15
	stageWidth = 4
)

// stageOf is the stage of a position with n empty squares.
func stageOf(n int) int { return min(n/stageWidth, stages-1) }

// eval is the expected final score in hundredths of a disc for the side to move with n
// empty squares.
func (w *stage) eval(f *features, n int) int {
	if vectors {
		return w.score(sumVector(w, f), n)
	}
	return w.score(w.sum(f), n)
}

// evalAfter is eval, for the side then to move with n empty squares, after p played x from a
// position with features from; and the discs turned.
func (w *stage) evalAfter(from *features, p, o uint64, x square, n int) (v int, flipped uint64) {
	if vectors {
		flipped, v = leafVector(w, from, &indexTable, &rayTable[x&63], uint64(x&63), p, o)
		return w.score(v, n), flipped
	}
	var f features
	flipped = f.turn(from, p, o, x)
	return w.score(w.sum(&f), n), flipped
}

func (w *stage) score(sum, n int) int { return min(max(sum+w.bias[n%stageWidth], -6300), 6300) }

// sum adds up the weights of f.
func (w *stage) sum(f *features) (v int) {
	for i, x := range f {
		v += four(&w.of[wordTables[i]], x)
	}
	return v
}

func four(t *[1 << 16]int16, w uint64) int {
	return int(t[uint16(w)]) + int(t[uint16(w>>16)]) + int(t[uint16(w>>32)]) + int(t[w>>48])
}

// turnAll turns a set of squares.
func turnAll(v uint64, sym int) (out uint64) {
	for ; v != 0; v &= v - 1 {
		out |= 1 << turnSquare(square(bits.TrailingZeros64(v)), sym)
	}
	return out
}
