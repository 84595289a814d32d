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
	switch {
	case w < MinSize || w > MaxSize:
		return nil, fmt.Errorf("width %d is not between %d and %d pixels", w, MinSize, MaxSize)
	case len(values) == 0 || len(values) > maxValues:
		return nil, fmt.Errorf("a graph of %d values; it takes 1 to %d", len(values), maxValues)
	}
	for i, v := range values {
		if v < 0 || v > 1 || math.IsInf(v, 0) {
			return nil, fmt.Errorf("value %d is %v, not a chance between 0 and 1", i, v)
		}
	}
	for _, m := range append([]int{o.Now}, o.Marks...) {
		if m < 0 || m >= len(values) {
			return nil, fmt.Errorf("move %d is not on a graph of %d moves", m, len(values)-1)
		}
	}
	return flatten(drawGraph(values, o, w)), nil
}

// flatten encodes a picture in few colours.
func flatten(im *image.RGBA) []byte {
	t := newTally()
	t.add(im.Pix)
	pal := palette(nil, t)
	var plte []byte
	for _, c := range pal {
		plte = append(plte, c.r, c.g, c.b)
	}
	m := newMatcher(pal)
	s := sheets.Get().(*sheet)
	defer sheets.Put(s)
	s.resize(im.Rect.Dx(), im.Rect.Dy())
	for y := range s.h {
		s.pix[y*(s.w+1)] = 0
		row := s.row(y)
		for x := range row {
			p := im.Pix[im.PixOffset(x, y):]
			row[x] = m.index(rgb{p[0], p[1], p[2]})
		}
	}
	return s.png(plte)
}

var (
	graphGround = hex(0x2B2D31)
	graphBlack  = hex(0x17181B)
	graphWhite  = hex(0xE9E7E1)
	graphLine   = hex(0xF5A300)
	graphText   = hex(0xDBDEE1)
	graphRule   = hex(0x6D7178)
)

func drawGraph(values []float64, o GraphOptions, w int) *image.RGBA {
	h := w * 11 / 35
	im := image.NewRGBA(image.Rect(0, 0, w, h))
	dc := gg.NewContextForRGBA(im)
	u := float64(w) / 350 // a pixel of the picture as Discord shows it
	dc.SetColor(graphGround.rgba())
	dc.Clear()

	left, right := math.Round(28*u), float64(w)-math.Round(12*u)
	top, bottom := math.Round(10*u), float64(h)-math.Round(20*u)
	last := max(len(values)-1, 1)
	px := func(i int) float64 { return left + (right-left)*float64(i)/float64(last) }
	py := func(v float64) float64 { return bottom - (bottom-top)*v }

	// Black's half is above, white's below; the line lies in the half of who is ahead.
	dc.SetColor(graphBlack.rgba())
	dc.DrawRectangle(left, top, right-left, bottom-top)
	dc.Fill()
	dc.SetColor(graphWhite.rgba())
	dc.DrawRectangle(left, math.Round(py(.5)), right-left, bottom-math.Round(py(.5)))
	dc.Fill()
	runs(values, func(from, to int) {
		dc.MoveTo(px(from), py(.5))
		for i := from; i <= to; i++ {
			dc.LineTo(px(i), py(values[i]))
		}
		dc.LineTo(px(to), py(.5))
		dc.ClosePath()
		c := graphLine.rgba()
		dc.SetRGBA255(int(c.R), int(c.G), int(c.B), 110)
		dc.Fill()
	})
	dc.SetColor(graphRule.rgba())
	for _, v := range []float64{.25, .5, .75} {
		thick := math.Max(1, math.Round(u/3))
		if v == .5 {
			thick = math.Max(1, math.Round(2*u/3))
		}
		dc.DrawRectangle(left, math.Round(py(v)-thick/2), right-left, thick)
		dc.Fill()
	}
	if o.Now > 0 {
		dc.SetColor(graphLine.rgba())
		dc.DrawRectangle(math.Round(px(o.Now)-u/2), top, math.Round(u), bottom-top)
		dc.Fill()
	}
	dc.SetLineJoinRound()
	dc.SetLineCapRound()
	for _, pass := range []struct {
		c     rgb
		width float64
	}{{graphBlack, 3.4}, {graphLine, 2}} {
		runs(values, func(from, to int) {
			for i := from; i <= to; i++ {
				dc.LineTo(px(i), py(values[i]))
			}
			if from == to {
				dc.LineTo(px(to)+.01, py(values[to]))
			}
			dc.SetColor(pass.c.rgba())
			dc.SetLineWidth(pass.width * u)
			dc.Stroke()
		})
	}
	for _, i := range o.Marks {
		if math.IsNaN(values[i]) {
			continue
		}
		dc.DrawCircle(px(i), py(values[i]), 4*u)
		dc.SetColor(white.rgba())
		dc.Fill()
		dc.DrawCircle(px(i), py(values[i]), 2.8*u)
		dc.SetColor(hex(0xC4161C).rgba())
		dc.Fill()
	}

	// A black stone above and a white one below say whose each half is.
	for _, s := range []struct {
		y    float64
		c, k rgb
	}{{py(.75), graphBlack, graphWhite}, {py(.25), graphWhite, graphWhite}} {
		dc.DrawCircle(left/2, s.y, 6*u)
		dc.SetColor(s.k.rgba())
		dc.Fill()
		dc.DrawCircle(left/2, s.y, 5*u)
		dc.SetColor(s.c.rgba())
		dc.Fill()
	}
	f := newFace(10.5 * u)
	step := 1
	for _, s := range []int{5, 10, 20, 50, 100, 200} {
		if float64(step)*(right-left)/float64(last) < 28*u {
			step = s
		}
	}
	for i := 0; i <= last; i += step {
		f.draw(im, graphText, strconv.Itoa(i), px(i), (bottom+float64(h))/2)
	}
	return im
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
