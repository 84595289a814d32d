package view

import (
	"fmt"
	"strconv"
	"strings"

	"tengen/bot/chat"
	"tengen/game"
	"tengen/render"
)

// Eye is where the pad of a board looks. Make it with Look or ParseEye.
type Eye struct {
	col, row int        // the pad's corner nearest to A1
	page     int        // Reversi: which twenty of the legal moves
	Sure     game.Point // a point that waits to be confirmed; NoPoint: none
}

const (
	padCols = 5
	padRows = 4
)

// Look is the eye on the last moves: the last one and, where both fit, the one before lie as
// far from the edges of the pad as can be, the last before the other. It knows nothing of
// good moves, and so gives no hint.
func Look(m game.Match) Eye {
	size := m.Rules.Size()
	last := game.At(size/2, size/2)
	moves := m.Game().Moves()
	if n := len(moves); n > 0 {
		last = moves[n-1]
	}
	before := last
	if n := len(moves); n > 1 && near(last, moves[n-2]) {
		before = moves[n-2]
	}
	return Eye{col: between(last.Col(), before.Col(), padCols), row: between(last.Row(), before.Row(), padRows), Sure: game.NoPoint}.within(size)
}

// between is where a stretch of a width begins that has two lines in its middle; where they
// cannot both be, it leans to the last.
func between(last, before, width int) int {
	twice := last + before + 1 - width
	if last > before {
		twice++
	}
	return twice >> 1
}

func near(p, q game.Point) bool {
	dc, dr := p.Col()-q.Col(), p.Row()-q.Row()
	return dc > -padCols && dc < padCols && dr > -padRows && dr < padRows
}

func (e Eye) within(size int) Eye {
	e.col = min(max(e.col, 0), size-padCols)
	e.row = min(max(e.row, 0), size-padRows)
	return e
}

// arg is the eye moved by columns and rows, as the pad's buttons carry it.
func (e Eye) arg(dc, dr int) string { return fmt.Sprintf("%d.%d.%d", e.col+dc, e.row+dr, e.page) }

// ParseEye reads arg.
func ParseEye(s string, size int) (Eye, error) {
	f := strings.SplitN(s, ".", 4)
	if len(f) < 3 {
		return Eye{}, fmt.Errorf("pad %q", s)
	}
	var n [3]int
	for i := range n {
		v, err := strconv.Atoi(f[i])
		if err != nil {
			return Eye{}, fmt.Errorf("pad %q: %w", s, err)
		}
		n[i] = v
	}
	return Eye{col: n[0], row: n[1], page: min(max(n[2], 0), 3), Sure: game.NoPoint}.within(size), nil
}

// frame is the part of the board that the pad covers.
func (e Eye) frame(m game.Match) render.Frame {
	if m.Rules == game.Reversi || m.EngineToMove() {
		return render.Frame{}
	}
	return render.Frame{From: game.At(e.col, e.row), To: game.At(e.col+padCols-1, e.row+padRows-1)}
}

// rows are the buttons of points: in Reversi the legal moves, else the points that the
// eye looks at, as they lie on the board.
func (e Eye) rows(t Tongue, m game.Match) [][]chat.Button {
	if m.Rules == game.Reversi {
		return e.legalRows(m)
	}
	g := m.Game()
	var rows [][]chat.Button
	for row := e.row + padRows - 1; row >= e.row; row-- {
		var line []chat.Button
		for col := e.col; col < e.col+padCols; col++ {
			p := game.At(col, row)
			b := chat.Button{ID: On(m, "play", p.String()), Label: p.String()}
			switch c := g.Position().At(p); {
			case c != game.Empty:
				b.Label, b.Emoji, b.Disabled = "", Disc(c), true
			case g.Check(p) != nil:
				b.Disabled = true
			}
			if p == e.Sure {
				b.Style = chat.Success
			}
			line = append(line, b)
		}
		rows = append(rows, line)
	}
	return rows
}

func (e Eye) legalRows(m game.Match) [][]chat.Button {
	legal := m.Game().Legal().Points()
	perPage := padCols * padRows
	legal = legal[min(e.page*perPage, len(legal)):]
	legal = legal[:min(perPage, len(legal))]
	var rows [][]chat.Button
	for len(legal) > 0 {
		var line []chat.Button
		for _, p := range legal[:min(padCols, len(legal))] {
			b := chat.Button{ID: On(m, "play", p.String()), Label: p.String()}
			if p == e.Sure {
				b.Style = chat.Success
			}
			line = append(line, b)
		}
		rows = append(rows, line)
		legal = legal[len(line):]
	}
	return rows
}

// arrows move the eye. At the edge an arrow is dead.
func (e Eye) arrows(m game.Match) []chat.Button {
	if m.Rules == game.Reversi {
		n := m.Game().Legal().Len()
		if n <= padCols*padRows {
			return nil
		}
		next := e
		next.page = (e.page + 1) % ((n + padCols*padRows - 1) / (padCols * padRows))
		return []chat.Button{{ID: On(m, "pad", next.arg(0, 0)), Label: "▶"}}
	}
	size := m.Rules.Size()
	arrow := func(label string, dc, dr int) chat.Button {
		to := e
		to.col, to.row = e.col+dc, e.row+dr
		to = to.within(size)
		// The direction stands in the id too: two arrows that end at the same place must
		// not have the same id.
		return chat.Button{ID: On(m, "pad", to.arg(0, 0)+"."+label), Label: label, Disabled: to == e}
	}
	return []chat.Button{arrow("◀", -padCols+1, 0), arrow("▲", 0, padRows-1), arrow("▼", 0, -padRows+1), arrow("▶", padCols-1, 0)}
}
