package view

import "tengen/game"

// area is the part of a board to which the pad is confined: where an opening leaves only a square to
// a stone, that square, else the whole board.
type area struct{ from, to game.Point }

func wholeBoard(size int) area { return area{game.At(0, 0), game.At(size-1, size-1)} }

func areaOf(m game.Match) area {
	if q := m.Question(); q.Kind == game.AskPlace {
		return around(q.Points)
	}
	return wholeBoard(m.Rules.Size())
}

// around is the least area that holds all points of a set, which is not empty.
func around(s game.Set) area {
	points := s.Points()
	a := area{points[0], points[0]}
	for _, p := range points {
		a.from = game.At(min(a.from.Col(), p.Col()), min(a.from.Row(), p.Row()))
		a.to = game.At(max(a.to.Col(), p.Col()), max(a.to.Row(), p.Row()))
	}
	return a
}

func (a area) cols() int { return a.to.Col() - a.from.Col() + 1 }
func (a area) rows() int { return a.to.Row() - a.from.Row() + 1 }

func (a area) has(p game.Point) bool {
	return a.from.Col() <= p.Col() && p.Col() <= a.to.Col() && a.from.Row() <= p.Row() && p.Row() <= a.to.Row()
}

// onePad reports whether a pad covers the whole area.
func (a area) onePad() bool { return a.cols() <= padCols && a.rows() <= padRows }

// lastCol and lastRow are the highest place of a pad's corner within the area.
func (a area) lastCol() int { return max(a.from.Col(), a.to.Col()-padCols+1) }
func (a area) lastRow() int { return max(a.from.Row(), a.to.Row()-padRows+1) }

// marked is the square that an opening draws on the board: the one in which the next stone goes, or,
// with outside, the one in which it may not go. ok is false where the whole board is open.
func marked(m game.Match) (square area, outside, ok bool) {
	q, whole := m.Question(), wholeBoard(m.Rules.Size())
	if q.Kind != game.AskPlace {
		return whole, false, false
	}
	if in := around(q.Points); in != whole {
		return in, false, true
	}
	var shut game.Set
	b := m.Game().Position()
	for _, p := range b.Points() {
		if b.At(p) == game.Empty && !q.Points.Has(p) {
			shut = shut.With(p)
		}
	}
	if shut.Empty() {
		return whole, false, false
	}
	return around(shut), true, true
}
