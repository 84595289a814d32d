// Package pad is the pad: the buttons under a board by which a member presses a point. It knows which
// points a pad covers, where it lies, how its buttons move it, and what is framed on the picture.
// It is pure, and tells nobody which moves are good. Start from For, Of and Pad.Rows.
package pad

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tengen/bot/chat"
	"tengen/game"
	"tengen/render"
)

// Pad is the part of a board whose points are buttons. Make it with For or Parse.
type Pad struct {
	col, row int        // the pad's corner nearest to A1
	page     int        // in Reversi: which of the legal moves
	parts    bool       // in place of points, the parts of the board to choose from
	Sure     game.Point // a point that the member has yet to confirm; NoPoint: none
	Moved    time.Time  // when it was moved here; zero: it came with the board
}

// A pad is as large as a message can hold: with the container, the text, the picture and the row of
// controls it takes 39 of Discord's 40 components.
const (
	Cols = 5
	deep = 5
	size = Cols * deep
)

// For is the pad for the last moves of a match: see eye.
func For(m game.Match) Pad { return eyeOf(m).pad() }

// Last is the pad for the last moves of a game.
func Last(g game.Game) Pad { return eyeOn(g).pad() }

// Over is a pad that covers a point. It is not laid around the point, which would tell which
// point is meant.
func Over(g game.Game, p game.Point) Pad {
	pad := Last(g)
	if !pad.Covers(p) {
		pad = Pad{col: p.Col() / Cols * Cols, row: p.Row() / deep * deep,
			Sure: game.NoPoint}.within(wholeBoard(g.Rules().Size()))
	}
	return pad
}

// Reaching is the pad for the last moves, moved no further than it takes to cover a point.
func Reaching(g game.Game, p game.Point) Pad {
	pad := Last(g)
	pad.col = min(max(pad.col, p.Col()-Cols+1), p.Col())
	pad.row = min(max(pad.row, p.Row()-deep+1), p.Row())
	return pad
}

// Asking is the pad under which a member is asked whether they meant a point.
func Asking(m game.Match, p game.Point) Pad {
	e := eyeOf(m)
	pad := e.pad()
	if !pad.Covers(p) {
		pad = Pad{col: p.Col() - Cols/2, row: p.Row() - deep/2}.within(e.area)
	}
	pad.Sure = p
	return pad
}

// Covers reports whether a point is one of the pad's.
func (pad Pad) Covers(p game.Point) bool {
	return pad.col <= p.Col() && p.Col() < pad.col+Cols && pad.row <= p.Row() && p.Row() < pad.row+deep
}

// off is how many columns and rows a point lies off the pad: to the right and up, negative to the left and down.
func (pad Pad) off(p game.Point) (cols, rows int) {
	off := func(at, from, n int) int { return min(at-from, 0) + max(at-from-n+1, 0) }
	return off(p.Col(), pad.col, Cols), off(p.Row(), pad.row, deep)
}

func (pad Pad) sameAs(other Pad) bool { return pad.col == other.col && pad.row == other.row }

// overlap is how many points of an area the pad covers.
func (pad Pad) overlap(a Area) int {
	cols := min(pad.col+Cols-1, a.To.Col()) - max(pad.col, a.From.Col()) + 1
	rows := min(pad.row+deep-1, a.To.Row()) - max(pad.row, a.From.Row()) + 1
	return max(cols, 0) * max(rows, 0)
}

func (pad Pad) within(a Area) Pad {
	pad.col = min(max(pad.col, a.From.Col()), a.lastCol())
	pad.row = min(max(pad.row, a.From.Row()), a.lastRow())
	return pad
}

// Span names a row or a rectangle by two of its points. A phone does not break it.
func Span(from, to game.Point) string { return from.String() + "\u2011" + to.String() }

// From is the pad's corner nearest to A1, and to the one across.
func (pad Pad) From() game.Point { return game.At(pad.col, pad.row) }
func (pad Pad) to() game.Point   { return game.At(pad.col+Cols-1, pad.row+deep-1) }

// showParts is the last field of a button's argument that asks for the parts of the board.
const showParts = "parts"

// Arg is the pad as the argument of a button. The last field keeps the ids of one message apart.
func (pad Pad) Arg(last string) string {
	return fmt.Sprintf("%d.%d.%d.%s", pad.col, pad.row, pad.page, last)
}

// Parse reads the argument of a button that moves the pad.
func Parse(s string, size int) (Pad, error) {
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

// Point is a point as the argument of its button. On a pad that was moved it says when: see ParsePoint.
func (pad Pad) Point(p game.Point) string {
	if pad.Moved.IsZero() {
		return p.String()
	}
	return p.String() + "." + strconv.FormatInt(pad.Moved.UnixMilli(), 10)
}

// ParsePoint reads the argument of a point's button, and when the pad was moved on which it stood; zero where it
// was not.
func ParsePoint(s string, size int) (p game.Point, moved time.Time, err error) {
	name, at, found := strings.Cut(s, ".")
	if found {
		ms, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			return p, moved, fmt.Errorf("point %q: %w", s, err)
		}
		moved = time.UnixMilli(ms)
	}
	p, err = game.ParsePoint(name, size)
	return p, moved, err
}

// parts are the pads that together cover the whole board or the area of an opening, as they lie on
// it. On 9x9 they share a row and a column. The area is larger than one pad.
func parts(a Area) (rows [][]Pad) {
	cols, n := (a.Cols()+Cols-1)/Cols, (a.rows()+deep-1)/deep
	for row := n - 1; row >= 0; row-- {
		var line []Pad
		for col := range cols {
			line = append(line, Pad{
				col:  a.From.Col() + col*(a.lastCol()-a.From.Col())/max(1, cols-1),
				row:  a.From.Row() + row*(a.lastRow()-a.From.Row())/max(1, n-1),
				Sure: game.NoPoint,
			})
		}
		rows = append(rows, line)
	}
	return rows
}

// Frames mark the pad, or the parts to choose from, on the picture of the board.
func (pad Pad) Frames(on Ground) (frames []render.Frame) {
	a := on.eye.area
	switch {
	case on.game.Rules() == game.Reversi || a.onePad():
		return nil
	case !pad.parts:
		pad = pad.within(a)
		return []render.Frame{{From: pad.From(), To: pad.to()}}
	}
	for _, line := range parts(a) {
		for _, p := range line {
			frames = append(frames, render.Frame{From: p.From(), To: p.to()})
		}
	}
	return frames
}

// Buttons is what the buttons of a pad do, and what stands on those that bear no coordinate.
type Buttons struct {
	Play  func(p game.Point) string // the custom id of a point's button
	Move  func(arg string) string   // that of a button that moves the pad, by the argument that Parse reads
	Stone func(c game.Color) string // the sign of a stone
	Back  string                    // the label of the button that leads back from the parts of the board
}

// Ground is what a pad lies on: a game, the area that is open, and what its buttons do. Make it with Of or On.
type Ground struct {
	Buttons
	game game.Game
	eye  eye                     // knows the area to which the pad is confined
	open func(p game.Point) bool // a stone may go there
	room int                     // buttons that move the pad, at most
}

// Of is the ground of a match.
func Of(m game.Match, b Buttons) Ground {
	g, q := m.Game(), m.Question()
	open := func(p game.Point) bool { return g.Check(p) == nil && (!m.Deciding() || q.Points.Has(p)) }
	on := Ground{b, g, eyeOf(m), open, len(arrows)}
	if len(q.Offered) > 0 {
		on.room-- // for the button that takes an offer back
	}
	return on
}

// On is the ground of a game that no match is played on. Beside the pad there is room for so many
// buttons that move it.
func On(g game.Game, b Buttons, room int) Ground {
	return Ground{b, g, eyeOn(g), func(p game.Point) bool { return g.Check(p) == nil }, room}
}

// Rows are the buttons of the pad: in Reversi the legal moves, else the points that it covers or the
// parts of the board, as they lie on the board.
func (pad Pad) Rows(on Ground) [][]chat.Button {
	a := on.eye.area
	switch {
	case on.game.Rules() == game.Reversi:
		return pad.legalRows(on)
	case pad.parts && !a.onePad():
		return partRows(on)
	}
	pad = pad.within(a)
	var rows [][]chat.Button
	for row := min(pad.row+deep-1, a.To.Row()); row >= pad.row; row-- {
		var line []chat.Button
		for col := pad.col; col <= min(pad.col+Cols-1, a.To.Col()); col++ {
			p := game.At(col, row)
			b := chat.Button{ID: on.Play(p), Label: p.String()}
			if c := on.game.Position().At(p); c != game.Empty {
				b.Label, b.Emoji, b.Disabled = "", on.Stone(c), true
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
func partRows(on Ground) (rows [][]chat.Button) {
	for _, line := range parts(on.eye.area) {
		var row []chat.Button
		for _, p := range line {
			row = append(row, chat.Button{ID: on.Move(p.Arg("part")), Label: Span(p.From(), p.to())})
		}
		rows = append(rows, row)
	}
	return rows
}

func (pad Pad) legalRows(on Ground) [][]chat.Button {
	legal := on.game.Legal().Points()
	legal = legal[min(pad.page*size, len(legal)):]
	legal = legal[:min(size, len(legal))]
	var rows [][]chat.Button
	for line := range slices.Chunk(legal, Cols) {
		var row []chat.Button
		for _, p := range line {
			b := chat.Button{ID: on.Play(p), Label: p.String()}
			if p == pad.Sure {
				b.Style = chat.Success
			}
			row = append(row, b)
		}
		rows = append(rows, row)
	}
	return rows
}

// Elsewhere is the character of the button that shows the parts of the board.
const Elsewhere = "▦"

// Moves are the buttons that move the pad: the four arrows, or on a small board the four corners. Those that
// lead nowhere are off, and stay where they are. Where there is no room for four, one button shows the parts of
// the board. In Reversi a button turns the pages, where there is more than one.
func (pad Pad) Moves(on Ground) (row []chat.Button) {
	a := on.eye.area
	switch {
	case on.game.Rules() == game.Reversi:
		return pad.pages(on)
	case a.onePad():
		return nil
	case pad.parts:
		back := pad
		back.parts = false
		return []chat.Button{{ID: on.Move(back.Arg("back")), Label: on.Back}}
	case on.room < len(arrows):
		return []chat.Button{{ID: on.Move(pad.Arg(showParts)), Label: Elsewhere}}
	}
	lead := func(w way, to Pad) {
		row = append(row, chat.Button{ID: on.Move(to.Arg(w.sign())), Label: w.sign(), Disabled: to.sameAs(pad)})
	}
	if a.quartered() {
		for i, to := range slices.Concat(parts(a)...) {
			lead(corners[i], to)
		}
		return row
	}
	for _, w := range arrows {
		lead(w, on.eye.to(pad.within(a), w))
	}
	return row
}

func (pad Pad) pages(on Ground) []chat.Button {
	n := on.game.Legal().Len()
	if n <= size {
		return nil
	}
	next := pad
	next.page = (pad.page + 1) % ((n + size - 1) / size)
	return []chat.Button{{ID: on.Move(next.Arg("▶")), Label: "▶"}}
}
