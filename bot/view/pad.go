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
func PadFor(m game.Match) Pad { return eyeOf(m).pad() }

// PadAsking is the pad under which a member is asked whether they meant a point.
func PadAsking(m game.Match, p game.Point) Pad {
	e := eyeOf(m)
	pad := e.pad()
	if !pad.covers(p) {
		pad = Pad{col: p.Col() - padCols/2, row: p.Row() - padRows/2}.within(e.area)
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

// overlap is how many points of an area the pad covers.
func (pad Pad) overlap(a area) int {
	cols := min(pad.col+padCols-1, a.to.Col()) - max(pad.col, a.from.Col()) + 1
	rows := min(pad.row+padRows-1, a.to.Row()) - max(pad.row, a.from.Row()) + 1
	return max(cols, 0) * max(rows, 0)
}

func (pad Pad) within(a area) Pad {
	pad.col = min(max(pad.col, a.from.Col()), a.lastCol())
	pad.row = min(max(pad.row, a.from.Row()), a.lastRow())
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
	return pad.within(wholeBoard(size)), nil
}

// parts are the pads that together cover the whole board or the area of an opening, as they lie on
// it. On 9x9 they share a row and a column. The area is larger than one pad.
func parts(a area) (rows [][]Pad) {
	cols, n := (a.cols()+padCols-1)/padCols, (a.rows()+padRows-1)/padRows
	for row := n - 1; row >= 0; row-- {
		var line []Pad
		for col := range cols {
			line = append(line, Pad{
				col:  a.from.Col() + col*(a.lastCol()-a.from.Col())/max(1, cols-1),
				row:  a.from.Row() + row*(a.lastRow()-a.from.Row())/max(1, n-1),
				Sure: game.NoPoint,
			})
		}
		rows = append(rows, line)
	}
	return rows
}

// frames mark the pad, or the parts to choose from, on the picture of the board.
func (pad Pad) frames(on ground) (frames []render.Frame) {
	a := on.eye.area
	switch {
	case on.game.Rules() == game.Reversi || a.onePad():
		return nil
	case !pad.parts:
		pad = pad.within(a)
		return []render.Frame{{From: pad.from(), To: pad.to()}}
	}
	for _, line := range parts(a) {
		for _, p := range line {
			frames = append(frames, render.Frame{From: p.from(), To: p.to()})
		}
	}
	return frames
}

// marks show the point that is yet to be confirmed as a stone that is only half there. One that is to
// be offered has its number; one that is selected has it already.
func (pad Pad) marks(m game.Match) []render.Mark {
	switch q := m.Question(); {
	case pad.Sure == game.NoPoint || q.Kind == game.AskSelect:
		return nil
	case q.Kind == game.AskOffer:
		return []render.Mark{offerMark(len(q.Offered), pad.Sure)}
	}
	return []render.Mark{{At: pad.Sure, Ghost: true}}
}

// ground is what a pad lies on, and what its buttons do.
type ground struct {
	game  game.Game
	eye   eye                       // knows the area to which the pad is confined
	open  func(p game.Point) bool   // a stone may go there
	jumps int                       // buttons that move the pad, at most
	play  func(p game.Point) string // the custom id of a point's button
	move  func(arg string) string   // that of a button that moves the pad, by the argument that ParsePad reads
}

// groundOf is the ground of a match.
func groundOf(m game.Match) ground {
	g, q := m.Game(), m.Question()
	on := ground{
		game: g, eye: eyeOf(m), jumps: jumps,
		open: func(p game.Point) bool { return g.Check(p) == nil && (!m.Deciding() || q.Points.Has(p)) },
		play: func(p game.Point) string { return On(m, "play", p.String()) },
		move: func(arg string) string { return On(m, "pad", arg) },
	}
	if len(q.Offered) > 0 {
		on.jumps-- // room for the button that takes an offer back
	}
	return on
}

// rows are the buttons of the pad: in Reversi the legal moves, else the points that it covers or the
// parts of the board, as they lie on the board.
func (pad Pad) rows(on ground) [][]chat.Button {
	a := on.eye.area
	switch {
	case on.game.Rules() == game.Reversi:
		return pad.legalRows(on)
	case pad.parts && !a.onePad():
		return partRows(on)
	}
	pad = pad.within(a)
	var rows [][]chat.Button
	for row := min(pad.row+padRows-1, a.to.Row()); row >= pad.row; row-- {
		var line []chat.Button
		for col := pad.col; col <= min(pad.col+padCols-1, a.to.Col()); col++ {
			p := game.At(col, row)
			b := chat.Button{ID: on.play(p), Label: p.String()}
			if c := on.game.Position().At(p); c != game.Empty {
				b.Label, b.Emoji, b.Disabled = "", disc(c), true
			} else if !on.open(p) {
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
func partRows(on ground) (rows [][]chat.Button) {
	for _, line := range parts(on.eye.area) {
		var row []chat.Button
		for _, p := range line {
			row = append(row, chat.Button{ID: on.move(p.arg("part")), Label: span(p.from(), p.to())})
		}
		rows = append(rows, row)
	}
	return rows
}

func (pad Pad) legalRows(on ground) [][]chat.Button {
	legal := on.game.Legal().Points()
	legal = legal[min(pad.page*padSize, len(legal)):]
	legal = legal[:min(padSize, len(legal))]
	var rows [][]chat.Button
	for line := range slices.Chunk(legal, padCols) {
		var row []chat.Button
		for _, p := range line {
			b := chat.Button{ID: on.play(p), Label: p.String()}
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
func (pad Pad) moves(t Tongue, on ground) (row []chat.Button) {
	switch {
	case on.game.Rules() == game.Reversi:
		return pad.pages(on)
	case on.eye.area.onePad():
		return nil
	case pad.parts:
		back := pad
		back.parts = false
		return []chat.Button{{ID: on.move(back.arg("back")), Label: t.Say("button.back")}}
	}
	from := on.eye.jumpsFrom(pad)
	for _, j := range from[:min(len(from), on.jumps)] {
		row = append(row, chat.Button{ID: on.move(j.pad.arg(j.dir.arrow())), Label: j.dir.arrow()})
	}
	return append(row, chat.Button{ID: on.move(pad.arg(showParts)), Label: elsewhere})
}

func (pad Pad) pages(on ground) []chat.Button {
	n := on.game.Legal().Len()
	if n <= padSize {
		return nil
	}
	next := pad
	next.page = (pad.page + 1) % ((n + padSize - 1) / padSize)
	return []chat.Button{{ID: on.move(next.arg("▶")), Label: "▶"}}
}
