package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tengen/bot/chat"
	"tengen/game"
	"tengen/render"
)

// Pad is the part of a board whose points are buttons. Make it with PadFor or ParsePad.
type Pad struct {
	col, row int        // the pad's corner nearest to A1
	page     int        // in Reversi: which of the legal moves
	parts    bool       // in place of points, the parts of the board to choose from
	Sure     game.Point // a point that the member has yet to confirm; NoPoint: none
}

// A pad is as large as a message can hold: with the container, the text, the picture and the row of
// controls it takes 39 of Discord's 40 components.
const (
	padCols = 5
	padRows = 5
	padSize = padCols * padRows
)

// PadFor is the pad for the last moves: see eye.
func PadFor(m game.Match) Pad { return eyeOn(m.Game()).pad() }

// PadAsking is the pad under which a member is asked whether they meant a point.
func PadAsking(m game.Match, p game.Point) Pad {
	e := eyeOn(m.Game())
	pad := e.pad()
	if !pad.covers(p) {
		pad = Pad{col: p.Col() - padCols/2, row: p.Row() - padRows/2}.within(e.size)
	}
	pad.Sure = p
	return pad
}

// Presses is how many presses a member needs to play a point of a board that shows its pad for the last
// moves.
func Presses(g game.Game, p game.Point) int {
	if g.Rules() == game.Reversi {
		return 1 + slices.Index(g.Legal().Points(), p)/padSize
	}
	e := eyeOn(g)
	pad := e.pad()
	switch {
	case pad.covers(p):
		return 1
	case slices.ContainsFunc(e.jumpsFrom(pad), func(j jump) bool { return j.pad.covers(p) }):
		return 2
	}
	return 3 // by the parts of the board
}

// FitPad reports whether one pad can cover both points.
func FitPad(p, q game.Point) bool {
	return abs(p.Col()-q.Col()) < padCols && abs(p.Row()-q.Row()) < padRows
}

// covers reports whether a point is one of the pad's.
func (pad Pad) covers(p game.Point) bool {
	return pad.col <= p.Col() && p.Col() < pad.col+padCols && pad.row <= p.Row() && p.Row() < pad.row+padRows
}

func (pad Pad) within(size int) Pad {
	pad.col = min(max(pad.col, 0), size-padCols)
	pad.row = min(max(pad.row, 0), size-padRows)
	return pad
}

// from and to are the pad's corners.
func (pad Pad) from() game.Point { return game.At(pad.col, pad.row) }
func (pad Pad) to() game.Point   { return game.At(pad.col+padCols-1, pad.row+padRows-1) }

// span names what lies from one point to another. Its hyphen is one at which no line breaks.
func span(from, to game.Point) string { return from.String() + "\u2011" + to.String() }

// showParts is the last field of a button's argument that asks for the parts of the board.
const showParts = "parts"

// arg is the pad as the argument of a button. The last field keeps the ids of one message apart.
func (pad Pad) arg(last string) string {
	return fmt.Sprintf("%d.%d.%d.%s", pad.col, pad.row, pad.page, last)
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
	pad := Pad{col: n[0], row: n[1], page: min(max(n[2], 0), 3), Sure: game.NoPoint}
	pad.parts = len(f) == 4 && f[3] == showParts
	return pad.within(size), nil
}

// parts are the pads that together cover the whole board, as they lie on it. On 9x9 they share a row and
// a column.
func parts(size int) (rows [][]Pad) {
	n := (size + padCols - 1) / padCols
	at := func(i int) int { return i * (size - padCols) / (n - 1) }
	for row := n - 1; row >= 0; row-- {
		var line []Pad
		for col := range n {
			line = append(line, Pad{col: at(col), row: at(row), Sure: game.NoPoint})
		}
		rows = append(rows, line)
	}
	return rows
}

// frames mark the pad, or the parts to choose from, on the picture of the board.
func (pad Pad) frames(m game.Match) (frames []render.Frame) {
	switch {
	case m.Rules == game.Reversi || m.EngineToMove():
		return nil
	case !pad.parts:
		return []render.Frame{{From: pad.from(), To: pad.to()}}
	}
	for _, line := range parts(m.Rules.Size()) {
		for _, p := range line {
			frames = append(frames, render.Frame{From: p.from(), To: p.to()})
		}
	}
	return frames
}

// marks show the point that is yet to be confirmed as a stone that is only half there.
func (pad Pad) marks() []render.Mark {
	if pad.Sure == game.NoPoint {
		return nil
	}
	return []render.Mark{{At: pad.Sure, Ghost: true}}
}

// rows are the buttons of the pad: in Reversi the legal moves, else the points that it covers or the
// parts of the board, as they lie on the board.
func (pad Pad) rows(m game.Match) [][]chat.Button {
	switch {
	case m.Rules == game.Reversi:
		return pad.legalRows(m)
	case pad.parts:
		return partRows(m)
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

// partRows are the buttons for the parts of the board, each with the points at its corners.
func partRows(m game.Match) (rows [][]chat.Button) {
	for _, line := range parts(m.Rules.Size()) {
		var row []chat.Button
		for _, p := range line {
			name := span(p.from(), p.to())
			row = append(row, chat.Button{ID: On(m, "pad", p.arg("part")), Label: name})
		}
		rows = append(rows, row)
	}
	return rows
}

func (pad Pad) legalRows(m game.Match) [][]chat.Button {
	legal := m.Game().Legal().Points()
	legal = legal[min(pad.page*padSize, len(legal)):]
	legal = legal[:min(padSize, len(legal))]
	var rows [][]chat.Button
	for line := range slices.Chunk(legal, padCols) {
		var row []chat.Button
		for _, p := range line {
			b := chat.Button{ID: On(m, "play", p.String()), Label: p.String()}
			if p == pad.Sure {
				b.Style = chat.Success
			}
			row = append(row, b)
		}
		rows = append(rows, row)
	}
	return rows
}

// elsewhere is the character of the button that shows the parts of the board.
const elsewhere = "▦"

// moves are the buttons that move the pad: the jumps, and the one for any other part of the board. In
// Reversi they turn the pages, where there is more than one.
func (pad Pad) moves(t Tongue, m game.Match) (row []chat.Button) {
	switch {
	case m.Rules == game.Reversi:
		return pad.pages(m)
	case pad.parts:
		back := pad
		back.parts = false
		return []chat.Button{{ID: On(m, "pad", back.arg("back")), Label: t.Say("button.back")}}
	}
	for _, j := range eyeOn(m.Game()).jumpsFrom(pad) {
		row = append(row, chat.Button{ID: On(m, "pad", j.pad.arg(j.dir.arrow())), Label: j.dir.arrow()})
	}
	return append(row, chat.Button{ID: On(m, "pad", pad.arg(showParts)), Label: elsewhere})
}

func (pad Pad) pages(m game.Match) []chat.Button {
	n := m.Game().Legal().Len()
	if n <= padSize {
		return nil
	}
	next := pad
	next.page = (pad.page + 1) % ((n + padSize - 1) / padSize)
	return []chat.Button{{ID: On(m, "pad", next.arg("▶")), Label: "▶"}}
}
