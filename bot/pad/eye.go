package pad

import (
	"slices"

	"tengen/game"
)

// eye tells where on a board members are likely to look next. It knows where stones lie and how long
// ago they were played, and nothing else: neither their colors nor the rules. So it is the same
// for both sides, and it cannot tell which moves are good.
type eye struct {
	size         int
	area         Area       // within which the pads lie
	shut         *Area      // a square to which no stone may go; nil: none
	last, before game.Point // the last two moves; NoPoint: there is none
	weight       [15][15]int
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
	e := eye{size: g.Rules().Size(), area: wholeBoard(g.Rules().Size()), last: game.NoPoint, before: game.NoPoint}
	moves := g.Moves()
	if n := len(moves); n > 0 {
		e.last = moves[n-1]
	}
	if n := len(moves); n > 1 {
		e.before = moves[n-2]
	}
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
		e.last, e.before = offered[len(offered)-1], game.NoPoint
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

// without is the eye with no weight on what a pad covers.
func (e eye) without(pad Pad) eye {
	for col := pad.col; col < min(pad.col+Cols, e.size); col++ {
		for row := pad.row; row < min(pad.row+deep, e.size); row++ {
			e.weight[col][row] = 0
		}
	}
	return e
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

// pad is the pad with which a board is first shown. It covers the last move, and the move before it
// where both fit. Before the first move it lies where the stones of the position draw the eye most,
// and on an empty board in the middle.
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
	both := e.before != game.NoPoint && Fit(e.last, e.before)
	pad, _ := e.best(func(p Pad) bool { return p.Covers(e.last) && (!both || p.Covers(e.before)) },
		func(p Pad) int { // how far the last move is from the pad's middle
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

// jumps is how many buttons move the pad, at most.
const jumps = 3

// jump is a pad elsewhere, with the direction in which it lies.
type jump struct {
	pad Pad
	dir direction
}

// jumpsFrom are so many pads to which one press leads from a pad: those with the greatest weight outside
// it, each in a direction of its own, from left to right.
func (e eye) jumpsFrom(pad Pad, most int) []jump {
	var all []jump
	rest := e.without(pad)
	for len(all) < most {
		to, ok := rest.best(func(p Pad) bool {
			return (p.col != pad.col || p.row != pad.row) &&
				!slices.ContainsFunc(all, func(j jump) bool { return j.dir == directionOf(pad, p) })
		}, func(p Pad) int { // the usual step is a whole pad, along a row or a column
			dc, dr := abs(p.col-pad.col), abs(p.row-pad.row)
			return 2*abs(max(dc, dr)-Cols+1) + min(dc, dr)
		})
		if !ok {
			break
		}
		all = append(all, jump{pad: to, dir: directionOf(pad, to)})
		rest = rest.without(to)
	}
	slices.SortFunc(all, func(a, b jump) int { return a.dir.order() - b.dir.order() })
	return all
}

// direction is one of the eight directions on a board: columns to the right, rows up.
type direction struct{ col, row int }

func directionOf(from, to Pad) direction {
	return direction{sign(to.col - from.col), sign(to.row - from.row)}
}

func sign(n int) int { return max(min(n, 1), -1) }

// order sorts directions from left to right, and then from the top down.
func (d direction) order() int { return 3*d.col - d.row }

// arrow is the character of a direction.
func (d direction) arrow() string {
	return [3][3]string{{"◣", "◀", "◤"}, {"▼", "", "▲"}, {"◢", "▶", "◥"}}[d.col+1][d.row+1]
}
