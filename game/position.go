package game

import "strings"

// Position is stones and whose turn it is. It is small and comparable; a result
// is judged from it alone. Turn is Empty once the game is over.
type Position struct {
	Size   int
	Turn   Color
	Stones [2]Set // black's, white's
}

// At is what stands on p.
func (b Position) At(p Point) Color {
	switch {
	case b.Stones[0].Has(p):
		return Black
	case b.Stones[1].Has(p):
		return White
	}
	return Empty
}

// Of is the set of the stones of c, which is Black or White.
func (b Position) Of(c Color) Set { return b.Stones[c-Black] }

// Count is the number of stones of c.
func (b Position) Count(c Color) int { return b.Of(c).Len() }

// Put is b with c on p, whatever stood there. The turn stays.
func (b Position) Put(p Point, c Color) Position {
	b.Stones[0] = b.Stones[0].Without(p)
	b.Stones[1] = b.Stones[1].Without(p)
	if c != Empty {
		b.Stones[c-Black] = b.Stones[c-Black].With(p)
	}
	return b
}

// full reports whether no point is empty.
func (b Position) full() bool { return b.Count(Black)+b.Count(White) == b.Size*b.Size }

// Points gives all points of the board by row from 1, then by column.
func (b Position) Points() []Point {
	ps := make([]Point, 0, b.Size*b.Size)
	for row := range b.Size {
		for col := range b.Size {
			ps = append(ps, At(col, row))
		}
	}
	return ps
}

// Rows is the board as the ROWS of a position line: X black, O white, . empty,
// joined by slashes, the row that the picture shows at the top first.
func (b Position) Rows(topDown bool) string {
	var s strings.Builder
	for i := range b.Size {
		if i > 0 {
			s.WriteByte('/')
		}
		row := b.Size - 1 - i
		if topDown {
			row = i
		}
		for col := range b.Size {
			s.WriteByte(".XO"[b.At(At(col, row))])
		}
	}
	return s.String()
}
