package render

import (
	"fmt"
	"image"
	"math"
	"slices"
	"strconv"

	"tengen/game"
)

// Chart is how a game went, as a review tells it.
type Chart struct {
	Values []float64 // black's expectation after i moves, from 0 to 1; NaN is not known
	Proven []bool    // whether the i-th value is certain; empty: none is
	Faults []Fault   // by move
}

// Fault is a move that was one.
type Fault struct {
	Move     int
	By       game.Color
	Kind     FaultKind
	Numbered bool // stands out by its number
}

// FaultKind is how bad a fault is. Each kind has a shape of its own.
type FaultKind uint8

// The kinds of faults: a circle, a triangle, a square on its corner.
const (
	Inaccuracy FaultKind = iota
	Mistake
	Blunder
)

// ChartOptions say how a chart is drawn. The zero value is the usual one.
type ChartOptions struct {
	Theme string // one of Themes; "" is the first
	Width int    // in pixels; 0 is 1050. The height is about a third of it
}

// PNG draws the chart: the expectation as a curve in black's half above and white's half
// below, proven stretches hatched in the half of the side that wins, faults by their shapes,
// the numbered ones with the numbers of their moves. The caller owns the bytes.
func (c Chart) PNG(o ChartOptions) ([]byte, error) {
	t, width, err := themeFor(o.Theme, o.Width)
	if err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	return flatten(c.draw(t, width)), nil
}

func (c Chart) check() error {
	if err := checkValues(c.Values); err != nil {
		return err
	}
	if len(c.Proven) != 0 && len(c.Proven) != len(c.Values) {
		return fmt.Errorf("%d values and %d proofs", len(c.Values), len(c.Proven))
	}
	for _, f := range c.Faults {
		if f.Move < 1 || f.Move >= len(c.Values) || f.Kind > Blunder {
			return fmt.Errorf("no fault of kind %d at move %d of %d", f.Kind, f.Move, len(c.Values)-1)
		}
	}
	return nil
}

// chart is a graph of a chart being drawn in the colours of a theme.
type chart struct {
	graph
	Chart
	t *theme
}

func (c Chart) draw(t *theme, w int) *image.RGBA {
	ground, text := t.behind()
	g := &chart{Chart: c, t: t, graph: newGraph(c.Values, w, w*12/35, ground, 26, 24, 19)}
	g.halves(t.half(game.Black), t.half(game.White))
	g.hatch()
	g.rules()
	g.curve()
	g.labels(text)
	g.shapes()
	g.sides()
	g.numbers(text)
	return g.im
}

// behind is what lies round the field of a theme, in one colour, and the colour of text on it.
func (t *theme) behind() (ground, text rgb) {
	s := t.ground
	if t.margin.kind != none {
		s = t.margin
	}
	return s.low.over(s.high, .5), t.label
}

// half is the colour of a side's half of the field.
func (t *theme) half(c game.Color) rgb {
	k := []coat{t.black, t.white}[c-game.Black]
	switch {
	case t.piece == nought: // ink is for lines
		return k.light.over(t.ground.high, .18)
	case t.piece == counter:
		return k.light
	}
	return k.dark.over(k.light, .5)
}

// hatch strokes the half of the side that is proven to win; of a proven draw both halves.
func (g *chart) hatch() {
	for i, ok := range g.Proven {
		if !ok || math.IsNaN(g.values[i]) {
			continue
		}
		from, to := math.Max(g.left, g.x(i)-g.step()/2), math.Min(g.right, g.x(i)+g.step()/2)
		if g.values[i] >= .5 {
			g.strokes(g.t.half(game.Black), from, g.top, to, g.y(.5))
		}
		if g.values[i] <= .5 {
			g.strokes(g.t.half(game.White), from, g.y(.5), to, g.bottom)
		}
	}
}

// step is the width of a move.
func (g *chart) step() float64 { return (g.right - g.left) / float64(g.last()) }

// strokes fills a part of the field with slanted lines that stand out from ground.
func (g *chart) strokes(ground rgb, x0, y0, x1, y1 float64) {
	pen := white
	if brightness(ground) > .18 {
		pen = ink
	}
	g.SetColor(pen.over(ground, .42).rgba())
	g.SetLineWidth(math.Max(1, .9*g.u))
	g.Push()
	g.DrawRectangle(x0, y0, x1-x0, y1-y0)
	g.Clip()
	gap := math.Round(6 * g.u)
	for x := math.Floor((x0-(y1-y0)-g.left)/gap)*gap + g.left; x < x1; x += gap {
		g.DrawLine(x, y1, x+y1-y0, y0)
	}
	g.Stroke()
	g.ResetClip()
	g.Pop()
}

// brightness is how bright a colour is, from 0 to 1.
func brightness(c rgb) float64 {
	return .2126*math.Pow(float64(c.r())/255, 2.2) + .7152*math.Pow(float64(c.g())/255, 2.2) +
		.0722*math.Pow(float64(c.b())/255, 2.2)
}

// curve draws the expectation over its casing.
func (g *chart) curve() { g.trace(pass{g.t.win.casing, 4}, pass{g.t.win.ink, 2.2}) }

// faultColors are the colours of the faults by kind: each is told from the others in grey too.
var faultColors = [...]rgb{0xFFE45C, 0xF08A1D, 0xC4161C}

// shapes draws the faults on the curve, the worst on top.
func (g *chart) shapes() {
	list := slices.Clone(g.Faults)
	slices.SortStableFunc(list, func(x, y Fault) int { return int(x.Kind) - int(y.Kind) })
	for _, f := range list {
		if v := g.values[f.Move]; !math.IsNaN(v) {
			g.shape(f.Kind, g.x(f.Move), g.y(v))
		}
	}
}

func (g *chart) shape(kind FaultKind, x, y float64) {
	for _, pass := range []pass{{white, 5.6}, {ink, 4.8}, {faultColors[kind], 3.6}} {
		r := pass.width * g.u
		switch kind {
		case Inaccuracy:
			g.DrawCircle(x, y, r*.8)
		case Mistake:
			g.DrawRegularPolygon(3, x, y+r*.12, r*1.2, 0)
		case Blunder:
			g.DrawRegularPolygon(4, x, y, r*1.12, math.Pi/4)
		}
		g.SetColor(pass.c.rgba())
		g.Fill()
	}
}

// labels writes the numbers of the numbered faults above the field, side by side, each with a
// line to its shape.
func (g *chart) labels(text rgb) {
	var list []Fault
	for _, f := range g.Faults {
		if f.Numbered && !math.IsNaN(g.values[f.Move]) {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(x, y Fault) int { return x.Move - y.Move })
	f := newFace(11 * g.u)
	at := g.apart(list)
	for i, fault := range list {
		for _, pass := range []pass{{g.t.frame.casing, 2.2}, {g.t.frame.ink, .9}} {
			g.DrawLine(at[i], g.top-5*g.u, g.x(fault.Move), g.y(g.values[fault.Move]))
			g.SetColor(pass.c.rgba())
			g.SetLineWidth(pass.width * g.u)
			g.Stroke()
		}
		f.draw(g.im, text, strconv.Itoa(fault.Move), at[i], 9.5*g.u)
	}
}

// apart is where the labels of faults stand, so that none touches another.
func (g *chart) apart(list []Fault) []float64 {
	gap := 18 * g.u
	at, edge := make([]float64, len(list)), g.left
	for i, f := range list {
		at[i] = g.x(f.Move)
		if i+1 < len(list) && g.x(list[i+1].Move)-at[i] < gap { // it makes way for the next
			at[i] -= gap / 4
		}
		at[i] = math.Max(at[i], edge)
		edge = at[i] + gap
	}
	edge = g.right
	for i := len(at) - 1; i >= 0; i-- {
		at[i] = math.Min(at[i], edge)
		edge = at[i] - gap
	}
	return at
}

// sides shows which half belongs to whom: a piece of black above, one of white below.
func (g *chart) sides() {
	for _, c := range []game.Color{game.Black, game.White} {
		k := []coat{g.t.black, g.t.white}[c-game.Black]
		y := g.y(.75 - .5*float64(c-game.Black))
		if g.t.piece == nought {
			g.nought(c, k.light, g.left/2, y)
			continue
		}
		rim := ink
		if brightness(g.t.half(c)) < .18 {
			rim = white
		}
		g.side(y, rim, g.t.half(c))
	}
}

// nought draws black's cross or white's ring.
func (g *chart) nought(c game.Color, pen rgb, x, y float64) {
	r := 4.5 * g.u
	if c == game.Black {
		g.DrawLine(x-r, y-r, x+r, y+r)
		g.DrawLine(x-r, y+r, x+r, y-r)
	} else {
		g.DrawCircle(x, y, r)
	}
	g.SetColor(pen.rgba())
	g.SetLineWidth(2 * g.u)
	g.Stroke()
}

// ChartFacts are what a description of a chart in words is made of. They hold no sentences.
type ChartFacts struct {
	Moves     int
	Stretches []Stretch
	Faults    [2][3]int // black's and white's, by kind
	Numbered  []Fault   // by move
}

// Stretch is a part of a chart in which the same side is ahead, from one number of moves
// played to another.
type Stretch struct {
	From, To int
	Ahead    game.Color // Empty: nobody
	Proven   bool       // it is a win, or where nobody is ahead a draw
}

// ahead is the expectation from which a side counts as ahead.
const ahead = .6

// Facts gathers what is to be said about c.
func (c Chart) Facts() ChartFacts {
	f := ChartFacts{Moves: max(0, len(c.Values)-1)}
	for i, v := range c.Values {
		if math.IsNaN(v) {
			continue
		}
		s := Stretch{From: i, To: i, Proven: len(c.Proven) > 0 && c.Proven[i]}
		switch {
		case v >= ahead:
			s.Ahead = game.Black
		case v <= 1-ahead:
			s.Ahead = game.White
		}
		if n := len(f.Stretches); n > 0 && f.Stretches[n-1].Ahead == s.Ahead && f.Stretches[n-1].Proven == s.Proven {
			f.Stretches[n-1].To = i
			continue
		}
		f.Stretches = append(f.Stretches, s)
	}
	for _, x := range c.Faults {
		f.Faults[x.By-game.Black][x.Kind]++
		if x.Numbered {
			f.Numbered = append(f.Numbered, x)
		}
	}
	slices.SortFunc(f.Numbered, func(x, y Fault) int { return x.Move - y.Move })
	return f
}
