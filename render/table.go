package render

import (
	"fmt"
	"image"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/unicode/norm"

	"github.com/fogleman/gg"
)

// Table is the standings of an event: who is where, and what each round or each opponent brought.
type Table struct {
	Heads []string // above the cells
	Rows  []Row    // first place first
}

// Row is an entrant in a table.
type Row struct {
	Place  int    // several rows may share it
	Number int    // of the entrant, by which cells name opponents
	Name   string // as it is shown elsewhere; it is shortened here, and may be empty
	Cells  []Cell // as many as heads, or fewer
	Points string
}

// Cell is what a round, an opponent or a tie-break brought.
type Cell struct {
	Text    string
	Outcome Outcome
}

// Outcome is how a cell is drawn: each has a shape of its own.
type Outcome uint8

// The outcomes: bare text, a filled chip, a bar above and below, a frame. What was not played, as by
// forfeit or a bye, is bare: a line under a sign would make another sign of it.
const (
	Plain Outcome = iota
	Won
	Drawn
	Lost
)

// EventOptions say how a table or a bracket is drawn. The zero value is the usual one.
type EventOptions struct {
	Theme string // one of Themes; "" is the first
	Width int    // in pixels; 0 is 1050
	Page  int    // from 0
}

const (
	pageRows  = 16 // of a table: more are no longer legible on a telephone
	maxEvent  = 1000
	maxCell   = 6 // characters
	rowHeight = 20
)

// Pages is how many pictures the table takes.
func (t Table) Pages() int { return max(1, (len(t.Rows)+pageRows-1)/pageRows) }

// PNG draws a page of the table. Columns for which there is no room are left out, the first ones
// first. The caller owns the bytes.
func (t Table) PNG(o EventOptions) ([]byte, error) {
	th, err := o.theme(t.Pages())
	if err != nil {
		return nil, err
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	return flatten(t.draw(th, o)), nil
}

// theme checks the options, fills in the width, and gives the theme.
func (o *EventOptions) theme(pages int) (th *theme, err error) {
	if th, o.Width, err = themeFor(o.Theme, o.Width); err != nil {
		return nil, err
	}
	if o.Page < 0 || o.Page >= pages {
		return nil, fmt.Errorf("no page %d of %d", o.Page+1, pages)
	}
	return th, nil
}

func (t Table) check() error {
	if len(t.Rows) > maxEvent || len(t.Heads) > maxEvent {
		return fmt.Errorf("a table of %d rows and %d columns; it takes at most %d", len(t.Rows), len(t.Heads), maxEvent)
	}
	long := func(s string) bool { return len([]rune(s)) > maxCell }
	for _, r := range t.Rows {
		if len(r.Cells) > len(t.Heads) || long(r.Points) ||
			slices.ContainsFunc(r.Cells, func(c Cell) bool { return long(c.Text) || c.Outcome > Lost }) {
			return fmt.Errorf("row %d does not fit the table", r.Place)
		}
	}
	if slices.ContainsFunc(t.Heads, long) {
		return fmt.Errorf("a head of the table has more than %d characters", maxCell)
	}
	return nil
}

// TableFacts are what a description of a picture in words is made of. They hold no sentences.
type TableFacts struct {
	Rows []Row // those on the page
	Of   int   // rows in all
	From int   // the first column that is drawn, from 0
}

// Facts gathers what is to be said about a page of the table.
func (t Table) Facts(page int) TableFacts {
	from := min(max(page, 0)*pageRows, len(t.Rows))
	return TableFacts{t.Rows[from:min(from+pageRows, len(t.Rows))], len(t.Rows), t.columns(newType(1)).from}
}

// columns are where the parts of a row stand, in pixels of a picture that is 350 wide.
type columns struct {
	number, name, cells, cell, points float64 // left edges; the width of a cell
	from                              int     // the first column that has room
}

const (
	tableWidth = 350
	edge       = 7  // round the table
	rankWidth  = 24 // of three digits
	wideCell   = 28 // at most, where there are no names
	nameWidth  = 76 // at least, where there are names
)

// columns shares out the width: cells are as wide as the longest, and names have the rest. Without names
// the cells are wider.
func (t Table) columns(y *typeset) columns {
	widest, points, number, name := 11.0, 16.0, 0.0, 0.0
	for _, h := range t.Heads {
		widest = math.Max(widest, y.small.width(h))
	}
	for _, r := range t.Rows {
		points = math.Max(points, y.bold.width(r.Points))
		number = math.Max(number, y.bold.width(numbered(r.Number)))
		if r.Name != "" {
			name = nameWidth
		}
		for _, c := range r.Cells {
			widest = math.Max(widest, y.small.width(c.Text))
		}
	}
	c := columns{number: edge + rankWidth, cell: math.Ceil(widest + 6), points: tableWidth - edge - math.Ceil(points)}
	c.name = c.number + math.Ceil(number) + 6
	room := int((c.points - 6 - c.name - name) / c.cell)
	c.from = max(0, len(t.Heads)-max(room, 0))
	if shown := len(t.Heads) - c.from; shown > 0 && name == 0 {
		c.cell = math.Max(c.cell, math.Min(wideCell, math.Floor((c.points-6-c.name)/float64(shown))))
	}
	c.cells = c.points - 6 - float64(len(t.Heads)-c.from)*c.cell
	return c
}

func (t Table) draw(th *theme, o EventOptions) *image.RGBA {
	f := t.Facts(o.Page)
	d := newSheetOf(th, o.Width, float64(rowHeight*(len(f.Rows)+1)+2*edge))
	c := t.columns(newType(1))
	y := float64(edge)
	for i := c.from; i < len(t.Heads); i++ {
		d.text(d.small, d.ink, t.Heads[i], c.cells+(float64(i-c.from)+.5)*c.cell, y+rowHeight/2, .5)
	}
	if c.from > 0 {
		d.text(d.small, d.ink, "…", c.cells-4, y+rowHeight/2, 1)
	}
	for i, r := range f.Rows {
		y += rowHeight
		under := d.ground
		if i%2 == 0 {
			under = d.stripe
			d.box(under, edge-4, y, tableWidth-2*edge+8, rowHeight)
		}
		middle := y + rowHeight/2
		d.text(d.small, d.ink, strconv.Itoa(r.Place), c.number-6, middle, 1)
		d.text(d.bold, d.ink, numbered(r.Number), c.number, middle, 0)
		d.text(d.bold, d.ink, d.cut(d.writable(r.Name), c.cells-c.name-6), c.name, middle, 0)
		for k := c.from; k < len(r.Cells); k++ {
			d.cell(r.Cells[k], under, c.cells+float64(k-c.from)*c.cell, y, c.cell)
		}
		d.text(d.bold, d.ink, r.Points, tableWidth-edge, middle, 1)
	}
	return d.im
}

// cell draws what a round brought; under is the colour of its row.
func (d *drawing) cell(c Cell, under rgb, x, y, w float64) {
	ink := d.ink
	box := func(fill rgb, inset float64) { d.box(fill, x+1+inset, y+2+inset, w-2-2*inset, rowHeight-4-2*inset) }
	switch c.Outcome {
	case Won:
		box(d.ink, 0)
		ink = d.ground
	case Drawn:
		d.box(d.ink, x+1, y+2, w-2, 2)
		d.box(d.ink, x+1, y+rowHeight-4, w-2, 2)
	case Lost:
		box(d.ink, 0)
		box(under, 1)
	}
	d.text(d.small, ink, c.Text, x+w/2, y+rowHeight/2, .5)
}

// typeset is the sizes of letters in which tables and brackets are written.
type typeset struct{ bold, small face }

// newType makes the sizes for pictures in which a pixel of 350 is u pixels.
func newType(u float64) *typeset { return &typeset{newFace(12.5 * u), newFace(11 * u)} }

// width is how wide s is.
func (f face) width(s string) float64 { return float64(font.MeasureString(f, s)) / 64 }

// drawing is a table or a bracket being drawn, in units of a picture that is 350 wide.
type drawing struct {
	*gg.Context
	*typeset
	im                  *image.RGBA
	u                   float64
	ground, ink, stripe rgb
	names               *sfnt.Font
}

func newSheetOf(th *theme, width int, height float64) *drawing {
	u := float64(width) / tableWidth
	im := image.NewRGBA(image.Rect(0, 0, width, int(math.Round(height*u))))
	d := &drawing{Context: gg.NewContextForRGBA(im), typeset: newType(u), im: im, u: u}
	d.ground, d.ink = th.behind()
	away := white // from the ink, so that it stands out from a stripe as it does from the ground
	if brightness(d.ink) > brightness(d.ground) {
		away = ink
	}
	d.stripe = away.over(d.ground, .18)
	parsed, err := sfnt.Parse(gobold.TTF)
	if err != nil {
		panic(err) // the font is compiled in
	}
	d.names = parsed
	d.SetColor(d.ground.rgba())
	d.Clear()
	return d
}

// box fills a part of the picture.
func (d *drawing) box(c rgb, x, y, w, h float64) {
	left, top := math.Round(x*d.u), math.Round(y*d.u)
	d.SetColor(c.rgba())
	d.DrawRectangle(left, top, math.Max(1, math.Round((x+w)*d.u)-left), math.Max(1, math.Round((y+h)*d.u)-top))
	d.Fill()
}

// text writes s so that x is at its left edge, its middle or its right edge: 0, .5 or 1. y is the
// middle of a capital.
func (d *drawing) text(f face, c rgb, s string, x, y, align float64) {
	w := font.Drawer{Dst: d.im, Src: image.NewUniform(c.rgba()), Face: f}
	left := x*d.u - align*f.width(s)
	w.Dot = fixed.Point26_6{X: fixed.Int26_6(math.Round(left * 64)), Y: fixed.Int26_6(math.Round(y*d.u+f.height/2) * 64)}
	w.DrawString(s)
}

// fit gives a name as the font can write it, in so much room. A name of which half or more cannot
// be written is the entrant's number: whoever shows the picture names the numbers beside it.
func (d *drawing) fit(name string, number int, room float64) string {
	s := d.writable(name)
	if s == "" {
		s = numbered(number)
	}
	return d.cut(s, room)
}

// numbered is an entrant's number as pictures and the text beside them have it.
func numbered(number int) string { return "#" + strconv.Itoa(number) }

// cut shortens s to so much room.
func (d *drawing) cut(s string, room float64) string {
	if d.bold.width(s) <= room*d.u {
		return s
	}
	runes := []rune(s)
	for len(runes) > 1 && d.bold.width(string(runes)+"…") > room*d.u {
		runes = runes[:len(runes)-1]
	}
	return strings.TrimSpace(string(runes)) + "…"
}

// writable is what the font has of a name, without the blanks around it; empty where that is less
// than the half.
func (d *drawing) writable(name string) string {
	const longest = 100 // letters that are looked at
	var kept []rune
	all, letters := 0, 0
	var buf sfnt.Buffer
	for _, r := range name {
		if all == longest {
			break
		}
		all++
		switch {
		case unicode.IsSpace(r):
			r = ' '
		case unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me):
			continue
		}
		at, err := d.names.GlyphIndex(&buf, r)
		if err == nil && at == 0 { // a letter without the accent that the font lacks
			r = []rune(norm.NFD.String(string(r)))[0]
			at, err = d.names.GlyphIndex(&buf, r)
		}
		if err == nil && at != 0 {
			kept = append(kept, r)
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				letters++
			}
		}
	}
	s := strings.Join(strings.Fields(string(kept)), " ")
	if letters == 0 || 2*len([]rune(s)) < all {
		return ""
	}
	return s
}
