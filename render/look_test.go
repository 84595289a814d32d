package render

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/fogleman/gg"
	"golang.org/x/image/draw"

	"tengen/game"
	"tengen/internal/testkit"
)

// TestLook writes pictures for the eye into the folder that TENGEN_LOOK names: every
// scene in every theme on Discord's dark and light backgrounds at the size that Discord
// shows, and as the colour-blind see it. It checks nothing; a person does.
func TestLook(t *testing.T) {
	dir := os.Getenv("TENGEN_LOOK")
	if dir == "" {
		t.Skip("TENGEN_LOOK names no folder for pictures")
	}
	all := scenes(t)
	for _, name := range Themes() {
		var row []image.Image
		for _, s := range all {
			o := s.o
			o.Theme = name
			im := testkit.Got(png.Decode(bytes.NewReader(testkit.Got(PNG(s.g, o)))))
			save(t, filepath.Join(dir, fmt.Sprintf("full-%s-%s.png", name, s.name)), im)
			row = append(row, shrink(im, 350))
		}
		save(t, filepath.Join(dir, "small-"+name+".png"), tile(row, 4))
		for i := range row {
			if i%2 == 1 {
				continue
			}
			row[i] = shrink(row[i], 350)
		}
		var sim []image.Image
		for _, i := range []int{1, 2, 3, 5} {
			for _, see := range sights {
				sim = append(sim, see.view(row[i]))
			}
		}
		save(t, filepath.Join(dir, "sight-"+name+".png"), tile(sim, len(sights)))
	}
}

type scene struct {
	name string
	g    game.Game
	o    Options
}

// scenes are boards that together carry everything.
func scenes(t testing.TB) []scene {
	five := line(game.Gomoku15, sample)
	renju := line(game.Renju, "h8g9i8h9i9j10g7f6j7k6")
	nine := line(game.Gomoku9, "e5d6d5f5e4e6f6f4e7g3d7c5d4")
	rev := line(game.Reversi, "d3c5f6f5e6e3c3f3c4b4")
	return []scene{
		{"few", line(game.Gomoku15, sample[:14]), Options{}},
		{"many", five.Undo(1), Options{}},
		{"win", five, Options{}},
		{"numbers", five, Options{Numbers: All}},
		{"forbidden", renju, Options{Forbidden: true}},
		{"candidates", five.Undo(12), Options{Marks: []Mark{{At: game.At(4, 8), Text: "63%", Best: true}, {At: game.At(10, 7), Text: "58%"}, {At: game.At(3, 4), Text: "+12"}, {At: game.At(12, 12), Text: "A"}, {At: game.At(11, 9), Text: "-0.5"}, {At: game.At(2, 2)}}, Frames: []Frame{{From: game.At(0, 10), To: game.At(4, 13)}}}},
		{"nine", nine, Options{Numbers: 3}},
		{"reversi", rev, Options{Legal: true}},
		{"reversi-white", rev.Undo(1), Options{Legal: true, Numbers: 3}},
		{"reversi-turned", rev.Undo(1), Options{Legal: true, Turned: true, Marks: []Mark{{At: game.At(5, 1), Text: "+4", Best: true}, {At: game.At(2, 1), Text: "-12"}}}},
		{"reversi-numbers", rev, Options{Numbers: All}},
		{"full", full(t), Options{Numbers: All}},
	}
}

// full is a full board of numbers: the moves follow no sense.
func full(t testing.TB) game.Game {
	g := game.New(game.Gomoku15)
	var order []game.Point
	for i := range 225 { // no five: rows shifted in pairs
		order = append(order, game.At(i%15, i/15))
	}
	black := func(p game.Point) bool { return (p.Col()/2+p.Row())%2 == 0 }
	var b, w []game.Point
	for i := range order {
		p := order[(i*101)%225]
		if black(p) {
			b = append(b, p)
		} else {
			w = append(w, p)
		}
	}
	for len(b) > 0 && len(w) > 0 {
		var err error
		g, err = g.PlayAll(b[0])
		testkit.Must(t, err)
		b = b[1:]
		if g.Turn() == game.Empty {
			break
		}
		g = testkit.Got(g.PlayAll(w[0]))
		w = w[1:]
	}
	return g
}

func shrink(im image.Image, w int) image.Image {
	out := image.NewRGBA(image.Rect(0, 0, w, w*im.Bounds().Dy()/im.Bounds().Dx()))
	draw.CatmullRom.Scale(out, out.Rect, im, im.Bounds(), draw.Src, nil)
	return out
}

// tile lays pictures side by side, the left half on dark and the right half on light.
func tile(ims []image.Image, cols int) image.Image {
	w, h := ims[0].Bounds().Dx()+24, ims[0].Bounds().Dy()+24
	rows := (len(ims) + cols - 1) / cols
	out := image.NewRGBA(image.Rect(0, 0, w*cols, h*rows))
	draw.Draw(out, out.Rect, image.NewUniform(color.RGBA{0x31, 0x33, 0x38, 255}), image.Point{}, draw.Src)
	light := image.Rect(w*cols/2, 0, w*cols, h*rows)
	draw.Draw(out, light, image.White, image.Point{}, draw.Src)
	for i, im := range ims {
		at := image.Pt(i%cols*w+12, i/cols*h+12)
		draw.Draw(out, im.Bounds().Add(at), im, image.Point{}, draw.Src)
	}
	return out
}

func save(t testing.TB, name string, im image.Image) {
	t.Helper()
	var b bytes.Buffer
	testkit.Must(t, png.Encode(&b, im))
	testkit.Must(t, os.WriteFile(name, b.Bytes(), 0o644))
}

// A blossom lies where no stone can lie and no line runs, and under no coordinate.
func TestPetals(t *testing.T) {
	th := themeNamed("blossom")
	ground := th.ground.low.rgba()
	for _, r := range []game.Rules{game.Gomoku15, game.Gomoku9, game.Reversi} {
		for _, size := range []int{DefaultSize, 350} {
			l := layoutOf(th, r, size, false)
			im := image.NewRGBA(image.Rect(0, 0, size, size))
			draw.Draw(im, im.Rect, image.NewUniform(ground), image.Point{}, draw.Src)
			drawPetals(gg.NewContextForRGBA(im), th, l)
			from, to := l.field()
			petals := 0
			for y := range size {
				for x := range size {
					if im.RGBAAt(x, y) == ground {
						continue
					}
					petals++
					inside := float64(min(x, y)) >= from && float64(max(x, y)) <= to
					near := l.cells // in cells a stone can lie anywhere in the field
					for i := range l.lines() {
						near = near || math.Abs(float64(x)+.5-l.grid(i)) <= l.line/2 || math.Abs(float64(y)+.5-l.grid(i)) <= l.line/2
					}
					if inside == near {
						t.Fatalf("%s at %d pixels: a petal at %d, %d", r.Name(), size, x, y)
					}
				}
			}
			if petals < size*size/500 {
				t.Errorf("%s at %d pixels: petals on %d points only", r.Name(), size, petals)
			}
		}
	}
}
