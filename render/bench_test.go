package render

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/png"
	"math"
	"testing"

	"github.com/fogleman/gg"
	"github.com/klauspost/compress/zlib"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/opentype"

	"tengen/game"
	"tengen/internal/testkit"
)

// floorLevel is the level of klauspost's zlib that gives about as few bytes as ours in wood.
const floorLevel = 4

// The benchmarks are read side by side, from one run: BenchmarkPNG against
// BenchmarkPlain (what a drawing library does without a cache) and against
// BenchmarkFloor (a copy of the same pixels and zlib at the same level, nothing else).

func BenchmarkPNG(b *testing.B) {
	for _, name := range Themes() {
		b.Run(name, func(b *testing.B) { benchPNG(b, Options{Theme: name}) })
	}
	b.Run("wood-numbers", func(b *testing.B) { benchPNG(b, Options{Numbers: All}) })
	b.Run("felt-reversi", func(b *testing.B) {
		benchGame(b, line(game.Reversi, "d3c5f6f5e6e3c3f3c4b4"), Options{Legal: true})
	})
	b.Run("wood-renju", func(b *testing.B) {
		benchGame(b, line(game.Renju, sample[:len(sample)-5]), Options{Forbidden: true})
	})
	b.Run("wood-700", func(b *testing.B) { benchPNG(b, Options{Size: 700}) })
	b.Run("wood-525", func(b *testing.B) { benchPNG(b, Options{Size: 525}) })
}

func benchPNG(b *testing.B, o Options) { benchGame(b, line(game.Gomoku15, sample), o) }

func benchGame(b *testing.B, g game.Game, o Options) {
	n := 0
	if _, err := PNG(g, o); err != nil { // builds what is built once
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		n = len(testkit.Got(PNG(g, o)))
	}
	b.ReportMetric(float64(n), "bytes")
}

// BenchmarkPaint is PNG without the encoding.
func BenchmarkPaint(b *testing.B) {
	g := line(game.Gomoku15, sample)
	k := testkit.Got(kitFor(g, Options{}, DefaultSize))
	s := new(raster)
	b.ReportAllocs()
	for b.Loop() {
		s.clear(k)
		paint(s, k, g, Options{})
	}
}

// BenchmarkFloor copies the finished indices and compresses them.
func BenchmarkFloor(b *testing.B) {
	g := line(game.Gomoku15, sample)
	k := testkit.Got(kitFor(g, Options{}, DefaultSize))
	s := new(raster)
	s.clear(k)
	paint(s, k, g, Options{})
	pix, zip := make([]byte, len(s.pix)), must(zlib.NewWriterLevel(nil, floorLevel))
	var out bytes.Buffer
	b.ReportAllocs()
	for b.Loop() {
		copy(pix, s.pix)
		out.Reset()
		zip.Reset(&out)
		zip.Write(pix)
		zip.Close()
	}
	b.ReportMetric(float64(out.Len()), "bytes")
}

// BenchmarkPlain draws the same board afresh each time, with gradients and text by gg
// and png.Encode: what one writes first.
func BenchmarkPlain(b *testing.B) {
	g := line(game.Gomoku15, sample)
	face := must(opentype.NewFace(must(opentype.Parse(gobold.TTF)), &opentype.FaceOptions{Size: 32, DPI: 72}))
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n = len(plain(b, g, face))
	}
	b.ReportMetric(float64(n), "bytes")
}

func plain(t testing.TB, g game.Game, face font.Face) []byte {
	const size, cell, first = 1050, 63, 84.5
	dc := gg.NewContext(size, size)
	dc.SetHexColor("#E8B966")
	dc.Clear()
	dc.SetHexColor("#5A3210")
	dc.SetLineWidth(3)
	for i := range 15 {
		at := first + float64(i*cell)
		dc.DrawLine(first, at, first+14*cell, at)
		dc.DrawLine(at, first, at, first+14*cell)
	}
	dc.Stroke()
	for _, s := range [][2]float64{{3, 3}, {11, 3}, {7, 7}, {3, 11}, {11, 11}} {
		dc.DrawCircle(first+s[0]*cell, first+s[1]*cell, 8)
		dc.Fill()
	}
	dc.SetFontFace(face)
	for i := range 15 {
		at := first + float64(i*cell)
		for _, edge := range []float64{29, size - 29} {
			dc.DrawStringAnchored(string(rune('A'+i)), at, edge, .5, .5)
			dc.DrawStringAnchored(fmt.Sprint(15-i), edge, at, .5, .5)
		}
	}
	r := .47 * cell
	now := g.Position()
	for _, p := range g.Moves() {
		x, y := first+float64(p.Col()*cell), first+float64((14-p.Row())*cell)
		dc.SetRGBA(0, 0, 0, .35)
		dc.DrawCircle(x+.07*r, y+.14*r, r)
		dc.Fill()
		grad := gg.NewRadialGradient(x-.3*r, y-.4*r, .1*r, x, y, r)
		if now.At(p) == game.Black {
			grad.AddColorStop(0, color.RGBA{100, 100, 105, 255})
			grad.AddColorStop(1, color.RGBA{8, 8, 10, 255})
		} else {
			grad.AddColorStop(0, color.White)
			grad.AddColorStop(1, color.RGBA{200, 196, 185, 255})
		}
		dc.SetFillStyle(grad)
		dc.DrawCircle(x, y, r)
		dc.Fill()
	}
	p := g.Last()
	dc.SetHexColor("#FFD640")
	dc.SetLineWidth(4)
	dc.DrawCircle(first+float64(p.Col()*cell), first+float64((14-p.Row())*cell), .5*r)
	dc.Stroke()
	var out bytes.Buffer
	testkit.Must(t, dc.EncodePNG(&out))
	return out.Bytes()
}

func BenchmarkGIF(b *testing.B) {
	g := longGame()
	if g.Len() != 40 {
		b.Fatalf("%d moves", g.Len())
	}
	n := 0
	testkit.Got(GIF(g, Options{}))
	b.ReportAllocs()
	for b.Loop() {
		n = len(testkit.Got(GIF(g, Options{})))
	}
	b.ReportMetric(float64(n), "bytes")
}

// longGame is the sample with one more move for each side in place of the last: 40 moves.
func longGame() game.Game {
	return line(game.Gomoku15, sample[:len(sample)-2]+"m12e9")
}

// BenchmarkPlainGIF encodes the last of the 41 frames whole, with the usual palette.
func BenchmarkPlainGIF(b *testing.B) {
	im := must(png.Decode(bytes.NewReader(must(PNG(longGame(), Options{Size: DefaultGIFSize})))))
	frame := image.NewRGBA(im.Bounds())
	draw.Draw(frame, frame.Rect, im, image.Point{}, draw.Src)
	var out bytes.Buffer
	for b.Loop() {
		out.Reset()
		testkit.Must(b, gif.Encode(&out, frame, nil))
	}
	b.ReportMetric(float64(out.Len()), "bytes")
}

func BenchmarkGraph(b *testing.B) {
	values := make([]float64, 41)
	for i := range values {
		values[i] = .5 + .4*math.Sin(float64(i)/5)
	}
	n := 0
	for b.Loop() {
		n = len(must(Graph(values, GraphOptions{})))
	}
	b.ReportMetric(float64(n), "bytes")
}

// BenchmarkKit is what the first picture of a theme, board and size costs once.
func BenchmarkKit(b *testing.B) {
	t := &themes[0]
	for b.Loop() {
		newKit(kitKey{t, layoutOf(t, game.Gomoku15, DefaultSize, false)})
	}
}
