package render

import (
	"bytes"
	"image/png"
	"math"
	"reflect"
	"strings"
	"testing"

	"tengen/game"
)

// testChart is a game with everything that a chart can show.
func testChart() Chart {
	v := graphValues()
	c := Chart{Values: v, Proven: make([]bool, len(v))}
	for i := 30; i < len(v); i++ {
		c.Values[i], c.Proven[i] = 1, true
	}
	c.Values[24], c.Values[25], c.Proven[24], c.Proven[25] = 0, 0, true, true
	c.Values[27], c.Proven[27] = .5, true
	c.Faults = []Fault{
		{7, game.Black, Inaccuracy, false}, {10, game.White, Mistake, true}, {19, game.White, Blunder, true},
		{20, game.Black, Inaccuracy, true}, {24, game.Black, Blunder, true}, {26, game.White, Blunder, true},
		{30, game.White, Mistake, true},
	}
	return c
}

// Every theme draws a chart; the pictures were looked at, phone width too.
func TestChart(t *testing.T) {
	t.Parallel()
	for _, name := range Themes() {
		golden(t, "course-"+name, must(testChart().PNG(ChartOptions{Theme: name, Width: 525})))
	}
	golden(t, "course", must(testChart().PNG(ChartOptions{})))
	golden(t, "course-350", must(testChart().PNG(ChartOptions{Width: 350})))
	golden(t, "course-start", must(Chart{Values: []float64{.5}}.PNG(ChartOptions{Width: 350})))
}

// Sizes at the limits, and faults at the edges, give a picture of that size.
func TestChartSizes(t *testing.T) {
	t.Parallel()
	c := Chart{Values: make([]float64, 226), Proven: make([]bool, 226)}
	for i := range c.Values {
		c.Values[i], c.Proven[i] = float64(i%2), i%3 == 0
		if i > 0 {
			c.Faults = append(c.Faults, Fault{i, game.Black, FaultKind(i % 3), i < 4 || i > 222})
		}
	}
	c.Values[9] = math.NaN()
	for _, w := range []int{MinSize, 333, MaxSize} {
		im, err := png.Decode(bytes.NewReader(must(c.PNG(ChartOptions{Width: w}))))
		if err != nil || im.Bounds().Dx() != w || im.Bounds().Dy() != w*12/35 {
			t.Errorf("%d: %v, %v", w, im.Bounds(), err)
		}
	}
}

// The numbers of neighbouring faults do not touch, and stay in the picture.
func TestChartLabels(t *testing.T) {
	for _, moves := range [][]int{{1, 2, 3, 4, 5, 6}, {55, 56, 57, 58, 59, 60}, {1, 2, 30, 31, 59, 60}} {
		c := Chart{Values: make([]float64, 61)}
		for _, m := range moves {
			c.Faults = append(c.Faults, Fault{Move: m, By: game.Black, Numbered: true})
		}
		g := &chart{Chart: c, graph: graph{values: c.Values, u: 1, left: 26, right: 338}}
		at := g.apart(c.Faults)
		for i, x := range at {
			if x < 10 || x > 340 || i > 0 && x-at[i-1] < 17.9 {
				t.Errorf("%v: labels at %v", moves, at)
			}
		}
	}
}

func TestChartErrors(t *testing.T) {
	for _, c := range []struct {
		c    Chart
		o    ChartOptions
		want string
	}{
		{Chart{}, ChartOptions{}, "0 values"},
		{Chart{Values: []float64{2}}, ChartOptions{}, "value 0 is 2"},
		{Chart{Values: []float64{.5}, Proven: make([]bool, 2)}, ChartOptions{}, "1 values and 2 proofs"},
		{Chart{Values: []float64{.5, .5}, Faults: []Fault{{Move: 2}}}, ChartOptions{}, "at move 2 of 1"},
		{Chart{Values: []float64{.5, .5}, Faults: []Fault{{Move: 1, Kind: 3}}}, ChartOptions{}, "kind 3"},
		{Chart{Values: []float64{.5}}, ChartOptions{Theme: "plaid"}, `no theme "plaid"`},
		{Chart{Values: []float64{.5}}, ChartOptions{Width: 10}, "size 10"},
	} {
		if _, err := c.c.PNG(c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: want %q", err, c.want)
		}
	}
}

// The facts tell who was ahead when, and which moves were faults.
func TestChartFacts(t *testing.T) {
	c := Chart{
		Values: []float64{.5, .55, .7, .65, math.NaN(), .7, 1, 1, 0, .5},
		Proven: []bool{6: true, 7: true, 8: true, 9: true},
		Faults: []Fault{{8, game.Black, Blunder, true}, {2, game.White, Mistake, false}, {6, game.White, Inaccuracy, true}},
	}
	want := ChartFacts{
		Moves: 9,
		Stretches: []Stretch{
			{0, 1, game.Empty, false}, {2, 5, game.Black, false}, {6, 7, game.Black, true}, {8, 8, game.White, true},
			{9, 9, game.Empty, true},
		},
		Faults:   [2][3]int{{0, 0, 1}, {1, 1, 0}},
		Numbered: []Fault{{6, game.White, Inaccuracy, true}, {8, game.Black, Blunder, true}},
	}
	if got := c.Facts(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

// What a chart shows stands out in every theme, for the colour-blind and in grey too: the
// curve from its casing or its ground, the shapes from their outlines, text from its ground.
func TestChartContrast(t *testing.T) {
	for i := range themes {
		th := &themes[i]
		ground, text := th.behind()
		for _, see := range sights {
			want := func(what string, least float64, a, b rgb) {
				if got := contrast(see.see(a), see.see(b)); got < least {
					t.Errorf("%s, %s: %s has a contrast of %.2f, want %.1f", th.name, see.name, what, got, least)
				}
			}
			want("text", 4.5, text, ground)
			for _, c := range []game.Color{game.Black, game.White} {
				half := th.half(c)
				bare := contrast(see.see(th.win.ink), see.see(half))
				if cased := contrast(see.see(th.win.casing), see.see(th.win.ink)); bare < 3 && cased < 3 {
					t.Errorf("%s, %s: the curve has %.2f and from its casing %.2f", th.name, see.name, bare, cased)
				}
			}
			if th.piece != nought {
				want("black's half beside white's", 3, th.half(game.Black), th.half(game.White))
			}
			want("an inaccuracy in its outline", 3, faultColors[Inaccuracy], ink)
			want("a mistake in its outline", 3, faultColors[Mistake], ink)
			want("an outline in its casing", 3, ink, white)
		}
	}
}
