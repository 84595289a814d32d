package render

import (
	"fmt"
	"image"
	"math"
	"strconv"
	"time"

	"golang.org/x/image/font"
)

// Ratings is how a rating went, by time.
type Ratings []Rated

// Rated is a rating from a moment on.
type Rated struct {
	At     time.Time
	Rating float64
}

// maxRatings bounds what is drawn.
const maxRatings = 10_000

// PNG draws the ratings as a line over time, with round numbers beside it and the first and the last day below. The
// caller owns the bytes.
func (r Ratings) PNG(o ChartOptions) ([]byte, error) {
	t, width, err := themeFor(o.Theme, o.Width)
	if err != nil {
		return nil, err
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	return flatten(r.draw(t, width)), nil
}

// check says what is impossible about the ratings.
func (r Ratings) check() error {
	if len(r) < 2 || len(r) > maxRatings {
		return fmt.Errorf("a graph of %d ratings; it takes 2 to %d", len(r), maxRatings)
	}
	for i, one := range r {
		switch {
		case math.IsNaN(one.Rating) || math.Abs(one.Rating) > 1e5:
			return fmt.Errorf("rating %d is %v", i, one.Rating)
		case i > 0 && one.At.Before(r[i-1].At):
			return fmt.Errorf("rating %d is older than the one before it", i)
		}
	}
	return nil
}

// Bounds are the lowest and the highest rating.
func (r Ratings) Bounds() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, one := range r {
		low, high = min(low, one.Rating), max(high, one.Rating)
	}
	return low, high
}

// mostRules is how many lines there are at most between the lowest and the highest.
const mostRules = 4

// scale is the numbers that stand beside the graph: round ones, with all ratings between the first and the last.
func (r Ratings) scale() (from, to, step float64) {
	low, high := r.Bounds()
	for _, step = range []float64{10, 20, 50, 100, 200, 500, 1000, 1e4, 1e5} {
		from, to = math.Floor(low/step)*step, math.Ceil(high/step)*step
		if from == to {
			from, to = from-step, to+step
		}
		if (to-from)/step <= mostRules {
			break
		}
	}
	return from, to, step
}

// draw draws from top to bottom: ground, lines with numbers, the rating, its last point, the days.
func (r Ratings) draw(t *theme, w int) *image.RGBA {
	ground, text := t.behind()
	g := newGraph(nil, w, w*14/35, ground, 36, 12, 22)
	f := newFace(11 * g.u)
	from, to, step := r.scale()
	y := func(rating float64) float64 { return g.y((rating - from) / (to - from)) }
	g.bar(text.over(ground, .07), g.left, g.top, g.right-g.left, g.bottom-g.top)
	for v := from; v <= to; v += step {
		thick := math.Max(1, math.Round(g.u/3))
		g.bar(text.over(ground, .35), g.left, math.Round(y(v)-thick/2), g.right-g.left, thick)
		f.draw(g.im, text, strconv.FormatFloat(v, 'f', 0, 64), g.left/2, y(v))
	}
	x := r.across(g)
	for _, pass := range []pass{{ground, 4.6}, {text, 2.4}} {
		r.line(g, x, y, pass)
	}
	last := r[len(r)-1]
	g.disc(t.win.casing, x(last.At), y(last.Rating), 5*g.u)
	g.disc(t.win.ink, x(last.At), y(last.Rating), 3.6*g.u)
	r.days(g, f, text)
	return g.im
}

// across is where a time stands. Where all games were played at one moment, they stand at the right.
func (r Ratings) across(g graph) func(time.Time) float64 {
	first, span := r[0].At, r[len(r)-1].At.Sub(r[0].At)
	return func(at time.Time) float64 {
		if span <= 0 {
			return g.right
		}
		return g.left + (g.right-g.left)*float64(at.Sub(first))/float64(span)
	}
}

// line draws the rating, straight from one game to the next.
func (r Ratings) line(g graph, x func(time.Time) float64, y func(float64) float64, p pass) {
	g.SetLineJoinRound()
	g.SetLineCapRound()
	for _, one := range r {
		g.LineTo(x(one.At), y(one.Rating))
	}
	g.SetColor(p.c.rgba())
	g.SetLineWidth(p.width * g.u)
	g.Stroke()
}

// days writes the first and the last day below the field; one alone where they are the same.
func (r Ratings) days(g graph, f face, text rgb) {
	first, last := r[0].At.Format(time.DateOnly), r[len(r)-1].At.Format(time.DateOnly)
	half := float64(font.MeasureString(f, last)) / 128
	y := (g.bottom + float64(g.Height())) / 2
	if first != last {
		f.draw(g.im, text, first, g.left+half, y)
	}
	f.draw(g.im, text, last, g.right-half, y)
}
