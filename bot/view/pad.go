package view

import (
	"fmt"
	"strconv"
	"strings"

	"tengen/bot/chat"
	"tengen/game"
	"tengen/render"
)

// Pad is the part of a board whose points are buttons. Make it with PadFor or ParsePad.
type Pad struct {
	col, row int        // the pad's corner nearest to A1
	page     int        // in Reversi: which twenty of the legal moves
	Sure     game.Point // a point that the member has yet to confirm; NoPoint: none
}

const (
	padCols = 5
	padRows = 4
)

// PadFor is the pad for the last moves: the last move and, where both fit, the one before lie as far
// as possible from the edges of the pad, the last move above all. It does not know which moves are
// good, and so gives no hint.
func PadFor(m game.Match) Pad {
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
	return Pad{col: between(last.Col(), before.Col(), padCols), row: between(last.Row(), before.Row(), padRows), Sure: game.NoPoint}.within(size)
}

// between is where a stretch of a given width begins, so that two lines lie in its middle. Where both
// cannot, the last one is nearer to it.
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

func (pad Pad) within(size int) Pad {
	pad.col = min(max(pad.col, 0), size-padCols)
	pad.row = min(max(pad.row, 0), size-padRows)
	return pad
}

// arg is the pad, moved by columns and rows, as the argument of a button.
func (pad Pad) arg(dc, dr int) string {
	return fmt.Sprintf("%d.%d.%d", pad.col+dc, pad.row+dr, pad.page)
}

// ParsePad reads the argument of a button that moves the pad.
func ParsePad(s string, size int) (Pad, error) {
	f := strings.SplitN(s, ".", 4)
	if len(f) < 3 {
		return Pad{}, fmt.Errorf("pad %q", s)
	}
	var n [3]int
	for i := range n {
		v, err := strconv.Atoi(f[i])
		if err != nil {
			return Pad{}, fmt.Errorf("pad %q: %w", s, err)
		}
		n[i] = v
	}
	return Pad{col: n[0], row: n[1], page: min(max(n[2], 0), 3), Sure: game.NoPoint}.within(size), nil
}

// frame marks the pad on the picture of the board.
func (pad Pad) frame(m game.Match) render.Frame {
	if m.Rules == game.Reversi || m.EngineToMove() {
		return render.Frame{}
	}
	return render.Frame{From: game.At(pad.col, pad.row), To: game.At(pad.col+padCols-1, pad.row+padRows-1)}
}

// rows are the buttons of the pad: in Reversi the legal moves, else the points that it covers,
// as they lie on the board.
func (pad Pad) rows(t Tongue, m game.Match) [][]chat.Button {
	if m.Rules == game.Reversi {
		return pad.legalRows(m)
	}
	g := m.Game()
	var rows [][]chat.Button
	for row := pad.row + padRows - 1; row >= pad.row; row-- {
		var line []chat.Button
		for col := pad.col; col < pad.col+padCols; col++ {
			p := game.At(col, row)
			b := chat.Button{ID: On(m, "play", p.String()), Label: p.String()}
			switch c := g.Position().At(p); {
			case c != game.Empty:
				b.Label, b.Emoji, b.Disabled = "", disc(c), true
			case g.Check(p) != nil:
				b.Disabled = true
			}
			if p == pad.Sure {
				b.Style = chat.Success
			}
			line = append(line, b)
		}
		rows = append(rows, line)
	}
	return rows
}

func (pad Pad) legalRows(m game.Match) [][]chat.Button {
	legal := m.Game().Legal().Points()
	perPage := padCols * padRows
	legal = legal[min(pad.page*perPage, len(legal)):]
	legal = legal[:min(perPage, len(legal))]
	var rows [][]chat.Button
	for len(legal) > 0 {
		var line []chat.Button
		for _, p := range legal[:min(padCols, len(legal))] {
			b := chat.Button{ID: On(m, "play", p.String()), Label: p.String()}
			if p == pad.Sure {
				b.Style = chat.Success
			}
			line = append(line, b)
		}
		rows = append(rows, line)
		legal = legal[len(line):]
	}
	return rows
}

// arrows are the buttons that move the pad. At the edge of the board an arrow is disabled.
func (pad Pad) arrows(m game.Match) []chat.Button {
	if m.Rules == game.Reversi {
		n := m.Game().Legal().Len()
		if n <= padCols*padRows {
			return nil
		}
		next := pad
		next.page = (pad.page + 1) % ((n + padCols*padRows - 1) / (padCols * padRows))
		return []chat.Button{{ID: On(m, "pad", next.arg(0, 0)), Label: "▶"}}
	}
	size := m.Rules.Size()
	arrow := func(label string, dc, dr int) chat.Button {
		to := pad
		to.col, to.row = pad.col+dc, pad.row+dr
		to = to.within(size)
		// The id holds the direction too, since two arrows may lead to the same place and must
		// not have the same id.
		return chat.Button{ID: On(m, "pad", to.arg(0, 0)+"."+label), Label: label, Disabled: to == pad}
	}
	return []chat.Button{arrow("◀", -padCols+1, 0), arrow("▲", 0, padRows-1), arrow("▼", 0, -padRows+1), arrow("▶", padCols-1, 0)}
}
