package render

import (
	"fmt"
	"image"
	"math"
	"strconv"

	"github.com/fogleman/gg"
)

// GraphOptions say how a graph is drawn. The zero value is the usual one.
type GraphOptions struct {
	Width int   // in pixels; 0 is 1050. The height is a third of it, near enough
	Now   int   // the move that is shown beside the graph, marked by an upright line; 0 is none
	Marks []int // moves that are dotted, such as mistakes
}

// maxValues is far above the longest game.
const maxValues = 1000

// Graph draws how the game went as a PNG. The i-th value is black's chance to win after
// i moves, from 0 to 1; NaN is not known and leaves a gap. The caller owns the bytes.
func Graph(values []float64, o GraphOptions) ([]byte, error) {
	w := o.Width
	if w == 0 {
		w = DefaultSize
	}
	if w < MinSize || w > MaxSize {
		return nil, fmt.Errorf("width %d is not between %d and %d pixels", w, MinSize, MaxSize)
	}
	if err := checkValues(values); err != nil {
		return nil, err
	}
	for _, m := range append([]int{o.Now}, o.Marks...) {
		if m < 0 || m >= len(values) {
			return nil, fmt.Errorf("move %d is not on a graph of %d moves", m, len(values)-1)
		}
	}
	return flatten(drawGraph(values, o, w)), nil
}

// checkValues says what is impossible about the values of a graph.
func checkValues(values []float64) error {
	if len(values) == 0 || len(values) > maxValues {
		return fmt.Errorf("a graph of %d values; it takes 1 to %d", len(values), maxValues)
	}
	for i, v := range values {
		if v < 0 || v > 1 || math.IsInf(v, 0) {
			return fmt.Errorf("value %d is %v, not a chance between 0 and 1", i, v)
		}
	}
	return nil
}

// flatten encodes a picture in few colours.
func flatten(im *image.RGBA) []byte {
	t := newTally()
	t.add(im.Pix)
	pal := palette(nil, t)
	m := newMatcher(pal)
	s := rasters.Get().(*raster)
	defer rasters.Put(s)
	s.resize(im.Rect.Dx(), im.Rect.Dy())
	for y := range s.h {
		s.pix[y*(s.w+1)] = 0
		row := s.row(y)
		for x := range row {
			p := im.Pix[im.PixOffset(x, y):]
			row[x] = m.index(rgbAt(p))
		}
	}
	return s.png(bytesOf(pal))
}

const (
	graphGround rgb = 0x2B2D31
	graphBlack  rgb = 0x17181B
	graphWhite  rgb = 0xE9E7E1
	graphLine   rgb = 0xF5A300
	graphText   rgb = 0xDBDEE1
	graphRule   rgb = 0x6D7178
)

// graph is a graph being drawn.
type graph struct {
	*gg.Context
	im     *image.RGBA
	values []float64
	u      float64 // a pixel of the picture as Discord shows it

	left, right, top, bottom float64 // of the field
}

func drawGraph(values []float64, o GraphOptions, w int) *image.RGBA {
	g := newGraph(values, w, w*11/35, graphGround, 28, 10, 20)
	g.halves(graphBlack, graphWhite)
	g.area()
	g.rules()
	if o.Now > 0 {
		g.bar(graphLine, math.Round(g.x(o.Now)-g.u/2), g.top, math.Round(g.u), g.bottom-g.top)
	}
	// The line lies over a broader one, which sets it off.
	g.trace(pass{graphBlack, 3.4}, pass{graphLine, 2})
	g.marks(o.Marks)
	g.side(g.y(.75), graphWhite, graphBlack)
	g.side(g.y(.25), graphWhite, graphWhite)
	g.numbers(graphText)
	return g.im
}

// newGraph begins a graph with margins in pixels of Discord's.
func newGraph(values []float64, w, h int, ground rgb, left, top, bottom float64) graph {
	im := image.NewRGBA(image.Rect(0, 0, w, h))
	u := float64(w) / 350
	g := graph{
		Context: gg.NewContextForRGBA(im), im: im, values: values, u: u,
		left: math.Round(left * u), right: float64(w) - math.Round(12*u),
		top: math.Round(top * u), bottom: float64(h) - math.Round(bottom*u),
	}
	g.SetColor(ground.rgba())
	g.Clear()
	return g
}

// last is the number of the last move; the field is one wide at least.
func (g *graph) last() int { return max(len(g.values)-1, 1) }

func (g *graph) x(i int) float64 { return g.left + (g.right-g.left)*float64(i)/float64(g.last()) }

func (g *graph) y(v float64) float64 { return g.bottom - (g.bottom-g.top)*v }

// bar and disc fill a shape with a colour.
func (g *graph) bar(c rgb, x, y, w, h float64) {
	g.SetColor(c.rgba())
	g.DrawRectangle(x, y, w, h)
	g.Fill()
}

func (g *graph) disc(c rgb, x, y, r float64) {
	g.DrawCircle(x, y, r)
	g.SetColor(c.rgba())
	g.Fill()
}

// halves colours the field: black's half is above, white's below; the line lies in the
// half of the side that is ahead.
func (g *graph) halves(black, white rgb) {
	middle := math.Round(g.y(.5))
	g.bar(black, g.left, g.top, g.right-g.left, middle-g.top)
	g.bar(white, g.left, middle, g.right-g.left, g.bottom-middle)
}

// area tints what lies between the line and the middle.
func (g *graph) area() {
	runs(g.values, func(from, to int) {
		g.MoveTo(g.x(from), g.y(.5))
		for i := from; i <= to; i++ {
			g.LineTo(g.x(i), g.y(g.values[i]))
		}
		g.LineTo(g.x(to), g.y(.5))
		g.ClosePath()
		c := graphLine.rgba()
		g.SetRGBA255(int(c.R), int(c.G), int(c.B), 110)
		g.Fill()
	})
}

// rules draws the lines of a quarter, a half and three quarters.
func (g *graph) rules() {
	for _, v := range []float64{.25, .5, .75} {
		thick := math.Max(1, math.Round(g.u/3))
		if v == .5 {
			thick = math.Max(1, math.Round(2*g.u/3))
		}
		g.bar(graphRule, g.left, math.Round(g.y(v)-thick/2), g.right-g.left, thick)
	}
}

// pass is a way in which a line is drawn once.
type pass struct {
	c     rgb
	width float64
}

// trace draws a line through the values in several passes, each over the one before.
func (g *graph) trace(passes ...pass) {
	g.SetLineJoinRound()
	g.SetLineCapRound()
	for _, pass := range passes {
		runs(g.values, func(from, to int) {
			for i := from; i <= to; i++ {
				g.LineTo(g.x(i), g.y(g.values[i]))
			}
			if from == to {
				g.LineTo(g.x(to)+.01, g.y(g.values[to]))
			}
			g.SetColor(pass.c.rgba())
			g.SetLineWidth(pass.width * g.u)
			g.Stroke()
		})
	}
}

func (g *graph) marks(moves []int) {
	for _, i := range moves {
		if !math.IsNaN(g.values[i]) {
			g.disc(white, g.x(i), g.y(g.values[i]), 4*g.u)
			g.disc(0xC4161C, g.x(i), g.y(g.values[i]), 2.8*g.u)
		}
	}
}

// side shows which side a half belongs to by a stone in a rim.
func (g *graph) side(y float64, rim, stone rgb) {
	g.disc(rim, g.left/2, y, 6*g.u)
	g.disc(stone, g.left/2, y, 5*g.u)
}

// numbers writes the numbers of moves below the field, as close as there is room.
func (g *graph) numbers(c rgb) {
	f := newFace(10.5 * g.u)
	step := 1
	for _, s := range []int{5, 10, 20, 50, 100, 200} {
		if float64(step)*(g.right-g.left)/float64(g.last()) < 28*g.u {
			step = s
		}
	}
	for i := 0; i <= g.last(); i += step {
		f.draw(g.im, c, strconv.Itoa(i), g.x(i), (g.bottom+float64(g.Height()))/2)
	}
}

// runs calls f for each run of known values, first and last included.
func runs(values []float64, f func(from, to int)) {
	for i := 0; i < len(values); i++ {
		if math.IsNaN(values[i]) {
			continue
		}
		from := i
		for i+1 < len(values) && !math.IsNaN(values[i+1]) {
			i++
		}
		f(from, i)
	}
}
