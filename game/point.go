package game

import (
	"iter"
	"math/bits"
	"strconv"
)

// Color is what stands on a point, or the side that moves.
type Color uint8

// Empty is the zero Color: no stone, nobody to move, nobody won.
const (
	Empty Color = iota
	Black
	White
)

// Other is the opponent's color; Empty stays Empty.
func (c Color) Other() Color {
	if c == Empty {
		return Empty
	}
	return Black + White - c
}

func (c Color) String() string { return [...]string{"none", "black", "white"}[c] }

// Point is a crossing (or cell) of the board: the row in the high four bits and
// the column in the low four, both from 0, so that A1 is 0 and H8 is 0x77
// whatever the size of the board.
type Point uint8

// NoPoint is no point of any board.
const NoPoint Point = 0xFF

// At is the point in the given column and row, both from 0.
func At(col, row int) Point { return Point(row<<4 | col&15) }

// Col is the column from 0, A first.
func (p Point) Col() int { return int(p & 15) }

// Row is the row from 0, row 1 first. Which row is drawn on top is for the
// picture to decide (Rules.TopDown).
func (p Point) Row() int { return int(p >> 4) }

// On reports whether p lies on a board of the given size.
func (p Point) On(size int) bool { return p.Col() < size && p.Row() < size }

// Turned is p on a board of the given size after one of its eight turns and mirrorings; way 0
// leaves p where it is, and the lowest three bits of way count.
func (p Point) Turned(size int, way uint64) Point {
	col, row := p.Col(), p.Row()
	if way&1 != 0 {
		col = size - 1 - col
	}
	if way&2 != 0 {
		row = size - 1 - row
	}
	if way&4 != 0 {
		col, row = row, col
	}
	return At(col, row)
}

// String is the name of the point, such as H8.
func (p Point) String() string {
	if !p.On(15) {
		return "-"
	}
	return string(rune('A'+p.Col())) + strconv.Itoa(p.Row()+1)
}

// Set is a set of points. It is small and comparable; the zero Set is empty.
type Set [4]uint64

// Has reports whether p is in s.
func (s Set) Has(p Point) bool { return s[p>>6]>>(p&63)&1 != 0 }

// With is s and p.
func (s Set) With(p Point) Set { s[p>>6] |= 1 << (p & 63); return s }

// Without is s less p.
func (s Set) Without(p Point) Set { s[p>>6] &^= 1 << (p & 63); return s }

// Or is the union of s and t.
func (s Set) Or(t Set) Set {
	for i := range s {
		s[i] |= t[i]
	}
	return s
}

// Len is the number of points in s.
func (s Set) Len() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// Empty reports whether s has no points.
func (s Set) Empty() bool { return s == Set{} }

// All gives the points of s by row from 1, then by column.
func (s Set) All() iter.Seq[Point] {
	return func(yield func(Point) bool) {
		for i, w := range s {
			for ; w != 0; w &= w - 1 {
				if !yield(Point(i<<6 + bits.TrailingZeros64(w))) {
					return
				}
			}
		}
	}
}

// Points is All as a slice, never nil.
func (s Set) Points() []Point {
	ps := make([]Point, 0, s.Len())
	for p := range s.All() {
		ps = append(ps, p)
	}
	return ps
}
