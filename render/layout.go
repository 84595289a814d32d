package render

import (
	"math"

	"tengen/game"
)

// layout is where things lie. Lengths are in pixels; places are in half pixels, so that
// the middle of a line of odd width and the middle of a cell of odd width are both whole.
type layout struct {
	size    int // width and height of the picture
	n       int // points per side
	cell    int // from one point to the next
	first   int // the middle of the first point, in half pixels
	line    float64
	cells   bool // pieces stand in cells, not on crossings
	topDown bool
	turned  bool
}

// layoutOf fits the board of r into a square picture. At 1050 pixels every length is a
// multiple of three, so that Discord's reduction to a third keeps lines sharp.
func layoutOf(t *theme, r game.Rules, size int, turned bool) layout {
	l := layout{size: size, n: r.Size(), topDown: r.TopDown(), turned: turned}
	l.cells = t.cells || r == game.Reversi
	l.line = float64(size) / 350 * t.thick
	odd := 1 // the middle of a line lies in the middle of a pixel
	if l.line >= 1.75 {
		l.line = math.Round(l.line)
		odd = int(l.line) % 2
	}
	l.line = max(l.line, 1)
	share := .82 / float64(l.n-1)
	switch l.n {
	case 15:
		share = .06
	case 9:
		share = .1
	case 8:
		share = .10857
	}
	l.cell = int(float64(size)*share + 1e-6)
	l.first = size - (l.n-1)*l.cell
	if l.cells {
		edge := size - l.n*l.cell
		edge += (edge + odd) & 1
		l.first = edge + l.cell
	} else {
		l.first += (l.first + odd) & 1
	}
	return l
}

// xy is the middle of p in half pixels.
func (l layout) xy(p game.Point) (x, y int) {
	col, row := p.Col(), p.Row()
	if !l.topDown {
		row = l.n - 1 - row
	}
	if l.turned {
		col, row = l.n-1-col, l.n-1-row
	}
	return l.first + 2*l.cell*col, l.first + 2*l.cell*row
}

// mid is the middle of the i-th column or row from the left or the top, in pixels.
func (l layout) mid(i int) float64 { return float64(l.first)/2 + float64(l.cell*i) }

// grid is the i-th line of the grid from the left or the top, in pixels.
func (l layout) grid(i int) float64 {
	if l.cells {
		return l.mid(i) - float64(l.cell)/2
	}
	return l.mid(i)
}

// lines is the number of lines of the grid in one direction.
func (l layout) lines() int {
	if l.cells {
		return l.n + 1
	}
	return l.n
}

// field is from where to where the playing field reaches, in pixels: the outer edge of
// the cells, or room for a stone round the outer crossings.
func (l layout) field() (from, to float64) {
	if l.cells {
		return l.grid(0) - l.line/2, l.grid(l.n) + l.line/2
	}
	reach := math.Round(.56 * float64(l.cell))
	return math.Floor(l.mid(0) - reach), math.Ceil(l.mid(l.n-1) + reach)
}

// box is the least width of a picture of at least d pixels that can be centred on a
// point without falling between pixels.
func (l layout) box(d float64) int {
	w := int(math.Ceil(d))
	return w + (w+l.first)&1
}

func (l layout) radius() float64 {
	if l.cells {
		return .405 * float64(l.cell)
	}
	return .47 * float64(l.cell)
}

// stars are the points (or, in Reversi, the crossings right and below of them) that
// carry a dot, as columns and rows from the left and the top.
func (l layout) stars() [][2]float64 {
	switch l.n {
	case 15:
		return [][2]float64{{3, 3}, {11, 3}, {7, 7}, {3, 11}, {11, 11}}
	case 9:
		return [][2]float64{{2, 2}, {6, 2}, {4, 4}, {2, 6}, {6, 6}}
	case 8:
		return [][2]float64{{1.5, 1.5}, {5.5, 1.5}, {1.5, 5.5}, {5.5, 5.5}}
	}
	return nil
}
