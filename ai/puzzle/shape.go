package puzzle

import "tengen/game"

// What a stone makes in the rows through it, found by trying: these few functions look at the
// board of package game alone, and so differ from the engine, whose proofs they describe.

var ways = [4][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}}

// run is the number of stones in the run that a stone of c on p would belong to.
func run(b game.Position, c game.Color, p game.Point, d [2]int) int {
	own, n := b.Of(c), 1
	for _, way := range []int{1, -1} {
		for k := way; ; k += way {
			q, ok := step(b, p, d, k)
			if !ok || !own.Has(q) {
				break
			}
			n++
		}
	}
	return n
}

// step is the point k steps from p.
func step(b game.Position, p game.Point, d [2]int, k int) (game.Point, bool) {
	col, row := p.Col()+k*d[0], p.Row()+k*d[1]
	if col < 0 || row < 0 || col >= b.Size || row >= b.Size {
		return game.NoPoint, false
	}
	return game.At(col, row), true
}

// exactly reports whether c wins with just five.
func exactly(r game.Rules, c game.Color) bool {
	return r == game.Standard15 || r == game.Standard9 || r == game.Renju && c == game.Black
}

func makesFive(r game.Rules, b game.Position, c game.Color, p game.Point, d [2]int) bool {
	n := run(b, c, p, d)
	return n == 5 || n > 5 && !exactly(r, c)
}

// fives are the points of the row through p where c would make five.
func fives(r game.Rules, b game.Position, c game.Color, p game.Point, d [2]int) (s game.Set) {
	for k := -5; k <= 5; k++ {
		if q, ok := step(b, p, d, k); ok && b.At(q) == game.Empty && makesFive(r, b, c, q, d) {
			s = s.With(q)
		}
	}
	return s
}

// shape is what the stones of c make in one row through p, where one of them stands.
type shape uint8

const (
	nothing  shape = iota
	three          // one more stone makes a straight four
	four           // one more makes five
	straight       // one more makes five, in two ways
	fiveRow
)

func shapeAt(r game.Rules, b game.Position, c game.Color, p game.Point, d [2]int) shape {
	if makesFive(r, b, c, p, d) {
		return fiveRow
	}
	switch fives(r, b, c, p, d).Len() {
	case 0:
	case 1:
		return four
	default:
		return straight
	}
	for k := -4; k <= 4; k++ {
		if q, ok := step(b, p, d, k); ok && b.At(q) == game.Empty && fives(r, b.Put(q, c), c, q, d).Len() > 1 {
			return three
		}
	}
	return nothing
}

// shapes are what a stone of c on p makes in the four directions.
func shapes(r game.Rules, b game.Position, c game.Color, p game.Point) (s [4]shape) {
	b = b.Put(p, c)
	for i, d := range ways {
		s[i] = shapeAt(r, b, c, p, d)
	}
	return s
}

func count(s [4]shape, least, most shape) (n int) {
	for _, k := range s {
		if k >= least && k <= most {
			n++
		}
	}
	return n
}

// allFives are all points where c would make five.
func allFives(r game.Rules, b game.Position, c game.Color) (s game.Set) {
	for _, p := range b.Points() {
		if b.At(p) != game.Empty {
			continue
		}
		for _, d := range ways {
			if makesFive(r, b, c, p, d) {
				s = s.With(p)
			}
		}
	}
	return s
}

// sameFour reports whether p and q complete the same four or five: stones of c that stand in
// one row, with room, make it with either.
func sameFour(b game.Position, c game.Color, p, q game.Point) bool {
	for _, d := range ways {
		for least := 3; least <= 4; least++ {
			for stones := range windows(b, c, p, d, least) {
				if windows(b, c, q, d, least)[stones] {
					return true
				}
			}
		}
	}
	return false
}

// windows are the stones of c in each run of five points through p that holds so many of them
// and nothing else.
func windows(b game.Position, c game.Color, p game.Point, d [2]int, n int) map[game.Set]bool {
	found := map[game.Set]bool{}
	for from := -4; from <= 0; from++ {
		var s game.Set
		free := true
		for k := from; k < from+5; k++ {
			q, ok := step(b, p, d, k)
			switch {
			case !ok || b.At(q) == c.Other():
				free = false
			case b.At(q) == c:
				s = s.With(q)
			}
		}
		if free && s.Len() == n {
			found[s] = true
		}
	}
	return found
}
