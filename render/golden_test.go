package render

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/testkit"
)

var update = flag.Bool("update", false, "write the pictures in testdata, and docs/themes.png, anew")

// TestGolden compares every theme, with every game and mark, with the pictures that were
// looked at. A failure leaves got, want and diff in testdata/failed.
func TestGolden(t *testing.T) {
	t.Parallel()
	slow(t)
	for _, name := range Themes() {
		for _, s := range scenes(t) {
			o := s.o
			o.Theme, o.Size = name, 525
			golden(t, name+"-"+s.name, must(PNG(s.g, o)))
		}
	}
	for _, s := range scenes(t) { // the defaults: theme by game, full size
		golden(t, "default-"+s.name, must(PNG(s.g, s.o)))
	}
	many := line(game.Gomoku15, sample)
	for _, size := range []int{200, 350, 700, 2100} {
		if size == 2100 {
			golden(t, "size-2100", must(PNG(many.Undo(1), Options{Size: size, Theme: "contrast"})))
			continue
		}
		golden(t, fmt.Sprintf("size-%d", size), must(PNG(many.Undo(1), Options{Size: size, Numbers: 3})))
	}
	// a stone that is not played yet, and all parts of a board
	for _, theme := range []string{"wood", "sheet", "contrast"} {
		o := Options{Size: 525, Theme: theme, Marks: []Mark{{At: game.At(9, 10), Ghost: true}}, Frames: nineFrames()}
		golden(t, "ghost-"+theme, must(PNG(many.Undo(1), o)))
		golden(t, "ghost-white-"+theme, must(PNG(many.Undo(2), o)))
	}
	// offered fifths, and the part of the board that is open to a stone
	for _, theme := range []string{"wood", "sheet", "contrast"} {
		golden(t, "offers-"+theme, must(PNG(line(game.Renju, "h8i9j10k9"), offered(theme))))
	}
	golden(t, "graph", must(Graph(graphValues(), GraphOptions{Now: 30, Marks: []int{19}})))
	golden(t, "graph-small", must(Graph(graphValues()[:1], GraphOptions{Width: 350})))
}

// offered is a board on which ten fifth stones are offered.
func offered(theme string) Options {
	o := Options{Size: 525, Theme: theme, Frames: []Frame{
		{From: game.At(3, 3), To: game.At(11, 11), Closed: true}, {From: game.At(5, 5), To: game.At(9, 9)}}}
	for i, name := range strings.Fields("H9 H10 I8 J9 G8 F6 K11 H6 K8 E5") {
		at, _ := game.ParsePoint(name, 15)
		o.Marks = append(o.Marks, Mark{At: at, Ghost: true, Text: strconv.Itoa(i + 1)})
	}
	return o
}

// nineFrames are the parts of a board of fifteen lines.
func nineFrames() (frames []Frame) {
	for i := range 9 {
		col, row := i%3*5, i/3*5
		frames = append(frames, Frame{From: game.At(col, row), To: game.At(col+4, row+4)})
	}
	return frames
}

// golden compares by what is seen: a little rounding differs between processors.
func golden(t *testing.T, name string, data []byte) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Helper()
		file := filepath.Join("testdata", name+".png")
		if *update {
			testkit.Must(t, os.WriteFile(file, data, 0o644))
			return
		}
		wanted := testkit.Read(t, file)
		if bytes.Equal(data, wanted) {
			return
		}
		got, want := must(png.Decode(bytes.NewReader(data))), must(png.Decode(bytes.NewReader(wanted)))
		diff, n := differ(got, want)
		if n <= got.Bounds().Dx()*got.Bounds().Dy()/2000 {
			return
		}
		dir := filepath.Join("testdata", "failed")
		testkit.Must(t, os.MkdirAll(dir, 0o755))
		for suffix, im := range map[string]image.Image{"got": got, "want": want, "diff": diff} {
			save(t, filepath.Join(dir, name+"-"+suffix+".png"), im)
		}
		t.Errorf("%d pixels differ; see %s/%s-{got,want,diff}.png", n, dir, name)
	})
}

// differ paints pixels that differ by more than rounding red on black, and counts them.
func differ(a, b image.Image) (image.Image, int) {
	box := a.Bounds().Union(b.Bounds())
	out, n := image.NewRGBA(box), 0
	for y := range box.Dy() {
		for x := range box.Dx() {
			c, d := color.RGBAModel.Convert(a.At(x, y)).(color.RGBA), color.RGBAModel.Convert(b.At(x, y)).(color.RGBA)
			out.Set(x, y, color.Black)
			if distance(rgbOf(c.R, c.G, c.B).vec(), rgbOf(d.R, d.G, d.B).vec()) > 9*12*12 || c.A != d.A {
				out.Set(x, y, color.RGBA{255, 0, 0, 255})
				n++
			}
		}
	}
	return out, n
}

func graphValues() []float64 {
	v := []float64{.5, .51, .5, .53, .5, .52, .47, .5, .55, .58, .5, .45, .42, .38, .41, .36, .3, .34, .3, .61, .58, .62,
		.66, .6, .7, .68, .72, .69, .75, .7, .74, .8, .78, .85, .83, .9, .93, .97, .99, 1}
	return v
}
