package pad

import (
	"slices"

	"tengen/game"
)

// eye tells where on a board members are likely to look next. It knows where stones lie and how long
// ago they were played, and nothing else: neither their colors nor the rules. So it is the same
// for both sides, and it cannot tell which moves are good.
type eye struct {
	size   int
	area   Area       // within which the pads lie
	shut   *Area      // a square to which no stone may go; nil: none
	last   game.Point // the last move; NoPoint: there is none
	weight [15][15]int
}

// A stone draws the eye to the empty points on its lines, the nearer the more, and a little to those
// a knight's move away. Later stones draw it more.
var (
	nearWeight = [...]int{4, 2, 1} // by steps along a row, a column or a diagonal
	ageWeight  = [...]int{4, 3, 3, 3, 2, 2, 2, 2, 1}
)

// knightWeight is the weight of a point a knight's move away from a stone.
const knightWeight = 1

func eyeOn(g game.Game) eye {
	e := eye{size: g.Rules().Size(), area: wholeBoard(g.Rules().Size()), last: g.Last()}
	moves := g.Moves()
	for i := range moves {
		e.draw(moves[len(moves)-1-i], ageWeight[min(i, len(ageWeight)-1)])
	}
	for _, p := range stonesOf(g.Start()) { // nobody knows when they were played
		e.draw(p, ageWeight[len(ageWeight)-1])
	}
	for _, p := range stonesOf(g.Position()) {
		e.weight[p.Col()][p.Row()] = 0
	}
	return e
}

// stonesOf are the points of a position that have a stone.
func stonesOf(b game.Position) []game.Point {
	return slices.Concat(b.Stones[0].Points(), b.Stones[1].Points())
}

// eyeOf is the eye on a match. In an opening it keeps to the area of the next stone, and stays at the
// last point that was offered.
func eyeOf(m game.Match) eye {
	e := eyeOn(m.Game())
	e.area = areaOf(m)
	if offered := m.Question().Offered; len(offered) > 0 {
		e.last = offered[len(offered)-1]
	}
	if square, outside, _ := Marked(m); outside {
		e.shut = &square
		for p := range m.Question().Points.All() {
			e.weight[p.Col()][p.Row()]++ // of two pads that are as far away, the one with more open points
		}
	}
	return e
}

// draw adds the weight of one stone to the points near it.
func (e *eye) draw(stone game.Point, age int) {
	reach := len(nearWeight)
	for col := max(stone.Col()-reach, 0); col <= min(stone.Col()+reach, e.size-1); col++ {
		for row := max(stone.Row()-reach, 0); row <= min(stone.Row()+reach, e.size-1); row++ {
			far, near := abs(col-stone.Col()), abs(row-stone.Row())
			if far < near {
				far, near = near, far
			}
			switch {
			case far == 0:
			case near == 0 || near == far:
				e.weight[col][row] += age * nearWeight[far-1]
			case far == 2:
				e.weight[col][row] += age * knightWeight
			}
		}
	}
}

func abs(n int) int { return max(n, -n) }

// sum is the weight of all points that a pad covers.
func (e eye) sum(pad Pad) (sum int) {
	for col := pad.col; col < min(pad.col+Cols, e.size); col++ {
		for row := pad.row; row < min(pad.row+deep, e.size); row++ {
			sum += e.weight[col][row]
		}
	}
	return sum
}

// best is the pad of the greatest weight among those that satisfy want, and of equals the one for
// which less is least. ok is false where none satisfies want.
func (e eye) best(want func(Pad) bool, less func(Pad) int) (best Pad, ok bool) {
	sum, rest := 0, 0
	for col := e.area.From.Col(); col <= e.area.lastCol(); col++ {
		for row := e.area.From.Row(); row <= e.area.lastRow(); row++ {
			pad := Pad{col: col, row: row, Sure: game.NoPoint}
			if !want(pad) {
				continue
			}
			s, r := e.sum(pad), less(pad)
			if !ok || s > sum || s == sum && r < rest {
				best, sum, rest, ok = pad, s, r, true
			}
		}
	}
	return best, ok
}

// pad is the pad with which a board is first shown. It covers the last move. Before the first move it
// lies where the stones of the position draw the eye most, and on an empty board in the middle.
func (e eye) pad() Pad {
	if e.shut != nil {
		return e.outside()
	}
	if e.last == game.NoPoint || !e.area.has(e.last) {
		pad, _ := e.best(func(Pad) bool { return true }, func(p Pad) int {
			return abs(2*p.col+Cols-e.size) + abs(2*p.row+deep-e.size)
		})
		return pad
	}
	pad, _ := e.best(func(p Pad) bool { return p.Covers(e.last) }, func(p Pad) int { // how far it is from the pad's middle
		return abs(2*p.col+Cols-1-2*e.last.Col()) + abs(2*p.row+deep-1-2*e.last.Row())
	})
	return pad
}

// outside is the pad with which a board is first shown where a square is shut: beside the square, or over
// a row or a column of it where there is no room beside it.
func (e eye) outside() Pad {
	near := func(p Pad) int { return abs(2*p.col+Cols-e.size) + abs(2*p.row+deep-e.size) }
	for _, shut := range []int{0, Cols, size} {
		if pad, ok := e.best(func(p Pad) bool { return p.overlap(*e.shut) <= shut }, near); ok {
			return pad
		}
	}
	return Pad{Sure: game.NoPoint}
}

// way is one of the eight ways on a board: columns to the right, rows up.
type way struct{ col, row int }

// The ways of the arrows and of the corners, as their buttons stand beside one another. Their places never change, so
// that hands learn them.
var (
	arrows  = [...]way{{-1, 0}, {0, 1}, {0, -1}, {1, 0}}
	corners = [...]way{{-1, 1}, {1, 1}, {-1, -1}, {1, -1}}
)

// sign is the character on the button of a way.
func (w way) sign() string {
	return [3][3]string{{"◣", "◀", "◤"}, {"▼", "", "▲"}, {"◢", "▶", "◥"}}[w.col+1][w.row+1]
}

// of is how far a step in columns and rows goes the way, and how far it goes aside. The way is an arrow's.
func (w way) of(cols, rows int) (on, aside int) {
	return cols*w.col + rows*w.row, abs(cols*w.row) + abs(rows*w.col)
}

// mostAside is how far aside an arrow leads, at most.
const mostAside = 2

// to is the pad to which an arrow leads: a whole pad on, or less at the edge. From the pad with which the board is
// first shown it leads to where the eye looks most, among the points to which a member goes by this arrow.
func (e eye) to(from Pad, w way) Pad {
	to := Pad{col: from.col + Cols*w.col, row: from.row + deep*w.row, Sure: game.NoPoint}.within(e.area)
	step := func(p Pad) (on, aside int) { return w.of(p.col-from.col, p.row-from.row) }
	if room, _ := step(to); room > 0 && from.sameAs(e.pad()) {
		to, _ = e.beyond(from, w).best(func(p Pad) bool {
			on, aside := step(p)
			return 0 < on && on <= room && aside <= mostAside
		}, func(p Pad) int { // of equals a whole pad on, and straight
			on, aside := step(p)
			return 4*(room-on) + aside
		})
	}
	return to
}

// beyond is the eye on the points to which a member goes by an arrow first: those that lie at least as far off the pad
// its way as aside.
func (e eye) beyond(from Pad, w way) eye {
	for col := range e.size {
		for row := range e.size {
			on, aside := w.of(from.off(game.At(col, row)))
			if on <= 0 || aside > on {
				e.weight[col][row] = 0
			}
		}
	}
	return e
}
