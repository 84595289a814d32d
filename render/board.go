package render

import (
	"image"
	"math"
	"strconv"

	"github.com/fogleman/gg"

	"tengen/game"
)

// drawBoard draws all that does not change during a game: ground, margin, grid, dots
// and coordinates.
func drawBoard(t *theme, l layout) *image.RGBA {
	im := image.NewRGBA(image.Rect(0, 0, l.size, l.size))
	t.ground.fill(im, im.Rect)
	dc := gg.NewContextForRGBA(im)
	if t.ground.kind == petals {
		drawPetals(dc, t, l)
	}
	if t.margin.kind != none {
		drawMargin(dc, im, t, l)
	}
	bevel := drawBevel(dc, t, l)
	drawGrid(dc, t, l)
	drawStars(dc, t, l)
	drawLabels(im, t, l, bevel)
	return im
}

// drawMargin draws the frame round the field, and the line between.
func drawMargin(dc *gg.Context, im *image.RGBA, t *theme, l layout) {
	from, to := l.field()
	field := image.Rect(int(from), int(from), int(to), int(to))
	for _, r := range around(im.Rect, field) {
		t.margin.fill(im, r)
	}
	dc.SetColor(t.inset.rgba())
	dc.SetLineWidth(l.line)
	half := l.line / 2
	dc.DrawRectangle(from-half, from-half, to-from+l.line, to-from+l.line)
	dc.Stroke()
}

// drawBevel draws the edge of the board; it gives its width.
func drawBevel(dc *gg.Context, t *theme, l layout) float64 {
	w := math.Max(1, math.Round(float64(l.size)/400))
	for i, c := range t.bevel {
		d, s := float64(i)*w, float64(l.size)
		dc.SetColor(c.rgba())
		for _, r := range [][4]float64{{d, d, s - 2*d, w}, {d, s - d - w, s - 2*d, w}, {d, d, w, s - 2*d},
			{s - d - w, d, w, s - 2*d}} {
			dc.DrawRectangle(r[0], r[1], r[2], r[3])
			dc.Fill()
		}
	}
	return w * float64(len(t.bevel))
}

// drawGrid draws the lines as filled rectangles, so that they are as crisp as the pixels
// allow.
func drawGrid(dc *gg.Context, t *theme, l layout) {
	dc.SetColor(t.line.rgba())
	a, b := l.grid(0), l.grid(l.lines()-1)
	for i := range l.lines() {
		w := l.line
		if i == 0 || i == l.lines()-1 {
			w *= 5. / 3 // the outer lines
			if w >= 2 {
				w = l.line + 2*math.Round((w-l.line)/2)
			}
		}
		p, h := l.grid(i), w/2
		dc.DrawRectangle(p-h, a-h, w, b-a+2*h)
		dc.Fill()
		dc.DrawRectangle(a-h, p-h, b-a+2*h, w)
		dc.Fill()
	}
}

func drawStars(dc *gg.Context, t *theme, l layout) {
	if l.cells && l.n != 8 {
		return // there is no crossing in the middle of a cell
	}
	r := math.Max(1.5, .125*float64(l.cell))
	if l.n != 15 {
		r = math.Max(1.5, .085*float64(l.cell))
	}
	dc.SetColor(t.star.rgba())
	for _, s := range l.stars() {
		dc.DrawCircle(l.mid(0)+s[0]*float64(l.cell), l.mid(0)+s[1]*float64(l.cell), r)
		dc.Fill()
	}
}

// drawLabels writes the coordinates in the middle between the edge and the outermost
// stones.
func drawLabels(im *image.RGBA, t *theme, l layout, bevel float64) {
	from, _ := l.field()
	face := newFace(math.Min(float64(l.size)*.0315, .95*from))
	middle := math.Round((bevel + from) / 2)
	if t.margin.kind == none && !l.cells {
		middle = math.Round((bevel + l.mid(0) - l.radius()) / 2)
	}
	for col := range l.n {
		x, _ := l.xy(game.At(col, 0))
		for _, y := range []float64{middle, float64(l.size) - middle} {
			face.draw(im, t.label, string(rune('A'+col)), float64(x)/2, y)
		}
	}
	for row := range l.n {
		_, y := l.xy(game.At(0, row))
		for _, x := range []float64{middle, float64(l.size) - middle} {
			face.draw(im, t.label, strconv.Itoa(row+1), x, float64(y)/2)
		}
	}
}

// drawPetals strews blossoms over a board, thickest towards two of its corners. Each lies
// between four crossings and within the lines round it, so that none is taken for a stone and
// no line cuts one up. A board of cells has no such room, and gets one in each corner.
func drawPetals(dc *gg.Context, t *theme, l layout) {
	if l.cells {
		edge := l.grid(0) / 2
		for i, x := range []float64{edge, float64(l.size) - edge} {
			drawBlossom(dc, t, x, edge, .5*edge, float64(i))
			drawBlossom(dc, t, x, float64(l.size)-edge, .5*edge, float64(i+2))
		}
		return
	}
	between, taken := l.n-1, map[[2]int]bool{}
	for i := range 2 * l.n {
		near := func(salt int) int { return int(math.Pow(random(t.ground.seed, i, salt), 1.7) * float64(between)) }
		col, row := near(1), near(2)
		if i%2 == 1 {
			col, row = between-1-col, between-1-row
		}
		if taken[[2]int{col, row}] {
			continue
		}
		for _, d := range [][2]int{{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}} { // no two side by side
			taken[[2]int{col + d[0], row + d[1]}] = true
		}
		cell := float64(l.cell)
		drawBlossom(dc, t, l.mid(col)+cell/2, l.mid(row)+cell/2, cell*(.27+.1*random(t.ground.seed, i, 3)),
			7*random(t.ground.seed, i, 4))
	}
}

// drawBlossom draws five petals of a length round x, y.
func drawBlossom(dc *gg.Context, t *theme, x, y, r, turn float64) {
	dc.SetColor(t.ground.high.rgba())
	for p := range 5 {
		dc.Push()
		dc.Translate(x, y)
		dc.Rotate(turn + float64(p)*2*math.Pi/5)
		dc.MoveTo(0, 0)
		dc.CubicTo(-.55*r, -.3*r, -.56*r, -1.05*r, -.17*r, -1.2*r)
		dc.LineTo(0, -1.06*r) // the notch
		dc.LineTo(.17*r, -1.2*r)
		dc.CubicTo(.56*r, -1.05*r, .55*r, -.3*r, 0, 0)
		dc.Fill()
		dc.Pop()
	}
	dc.SetColor(t.bevel[1].rgba())
	dc.DrawCircle(x, y, .18*r)
	dc.Fill()
}

// around cuts what is left of outer without inner into four rectangles.
func around(outer, inner image.Rectangle) []image.Rectangle {
	return []image.Rectangle{
		{outer.Min, image.Pt(outer.Max.X, inner.Min.Y)},
		{image.Pt(outer.Min.X, inner.Max.Y), outer.Max},
		{image.Pt(outer.Min.X, inner.Min.Y), image.Pt(inner.Min.X, inner.Max.Y)},
		{image.Pt(inner.Max.X, inner.Min.Y), image.Pt(outer.Max.X, inner.Max.Y)},
	}
}

// fill covers r, a part of im, with the surface. Surfaces look alike at all sizes.
func (s surface) fill(im *image.RGBA, r image.Rectangle) {
	unit := 1050 / float64(im.Rect.Dx())
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := im.Pix[im.PixOffset(r.Min.X, y):im.PixOffset(r.Max.X, y)]
		if y > r.Min.Y && (s.kind == flat || s.kind == grain || s.kind == laid) {
			copy(row, im.Pix[im.PixOffset(r.Min.X, y-1):])
			continue
		}
		for x := r.Min.X; x < r.Max.X; x++ {
			c := s.high.over(s.low, s.tone((float64(x)+.5)*unit, (float64(y)+.5)*unit))
			i := 4 * (x - r.Min.X)
			row[i], row[i+1], row[i+2], row[i+3] = c.r(), c.g(), c.b(), 255
		}
	}
}

// tones is how many steps lie between the two colours of a surface: few enough for a
// small palette, more than an eye tells apart.
const tones = 18

// tone is where between low (0) and high (1) a surface is at x, y, on a picture of 1050.
func (s surface) tone(x, y float64) float64 {
	v := 1.0
	if s.kind == petals {
		v = 0
	}
	switch s.kind {
	case grain:
		v = wood(s.seed, x)
	case figure:
		// By pairs of pixels and in steps of six rows: the eye does not see it, and
		// compression finds each row in the one above.
		y = 6 * math.Floor(y/6)
		bend := 56*noise2(s.seed+50, x/420, y/560) + 9*noise2(s.seed+51, x/110, y/300)
		v = wood(s.seed, 2*math.Round((x+bend)/2))
	case laid:
		v = .25 + .9*noise(s.seed, x/5) + .3*(noise(s.seed+1, x/160)-.5)
		if math.Mod(x, 147) < 2 {
			v -= .6
		}
	}
	return math.Round(math.Max(0, math.Min(1, v))*tones) / tones
}

// wood is the tone across the grain: broad bands, year rings and fine dark pores.
func wood(seed uint32, x float64) float64 {
	v := .38*noise(seed, x/230) + .26*noise(seed+1, x/71) + .2*noise(seed+2, x/23) + .1*noise(seed+3, x/6) +
		.06*noise(seed+4, x/2.2)
	v = (v-.5)*1.75 + .62
	if pore := noise(seed+5, x/3.1); pore > .83 {
		v -= (pore - .83) * 1.6
	}
	return v
}
