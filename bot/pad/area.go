package pad

import "tengen/game"

// Area is the part of a board to which the pad is confined: where an opening leaves only a square to
// a stone, that square, else the whole board.
type Area struct{ From, To game.Point }

func wholeBoard(size int) Area { return Area{game.At(0, 0), game.At(size-1, size-1)} }

func areaOf(m game.Match) Area {
	if q := m.Question(); q.Kind == game.AskPlace {
		return around(q.Points)
	}
	return wholeBoard(m.Rules.Size())
}

// around is the least area that holds all points of a set, which is not empty.
func around(s game.Set) Area {
	points := s.Points()
	a := Area{points[0], points[0]}
	for _, p := range points {
		a.From = game.At(min(a.From.Col(), p.Col()), min(a.From.Row(), p.Row()))
		a.To = game.At(max(a.To.Col(), p.Col()), max(a.To.Row(), p.Row()))
	}
	return a
}

// Cols is how many columns the area has.
func (a Area) Cols() int { return a.To.Col() - a.From.Col() + 1 }
func (a Area) rows() int { return a.To.Row() - a.From.Row() + 1 }

func (a Area) has(p game.Point) bool {
	return a.From.Col() <= p.Col() && p.Col() <= a.To.Col() && a.From.Row() <= p.Row() && p.Row() <= a.To.Row()
}

// onePad reports whether a pad covers the whole area.
func (a Area) onePad() bool { return a.Cols() <= Cols && a.rows() <= deep }

// quartered reports whether it takes four pads, one in each corner, to cover the area.
func (a Area) quartered() bool {
	return Cols < a.Cols() && a.Cols() <= 2*Cols && deep < a.rows() && a.rows() <= 2*deep
}

// lastCol and lastRow are the highest place of a pad's corner within the area.
func (a Area) lastCol() int { return max(a.From.Col(), a.To.Col()-Cols+1) }
func (a Area) lastRow() int { return max(a.From.Row(), a.To.Row()-deep+1) }

// Marked is the square that an opening draws on the board: the one in which the next stone goes, or,
// with outside, the one in which it may not go. ok is false where the whole board is open.
func Marked(m game.Match) (square Area, outside, ok bool) {
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
