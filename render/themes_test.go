package render

import (
	"bytes"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"tengen/game"
	"tengen/internal/testkit"
)

// The contact sheet of the README, docs/themes.png, shows every theme as it is drawn
// now. `go test ./render -run ContactSheet -update` makes it anew.
func TestContactSheet(t *testing.T) {
	slow(t)
	file := filepath.Join("..", "docs", "themes.png")
	sheet := contactSheet()
	if *update {
		testkit.Must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		save(t, file, sheet)
		return
	}
	data := testkit.Read(t, file)
	if _, n := differ(sheet, must(png.Decode(bytes.NewReader(data)))); n > sheet.Rect.Dx()*sheet.Rect.Dy()/1000 {
		t.Errorf("%d pixels differ from %s; make it anew with -update", n, file)
	}
}

func contactSheet() *image.RGBA {
	const size, gap, cols = 525, 30, 4
	many, win := line(game.Gomoku15, sample).Undo(1), line(game.Gomoku15, sample)
	rev := line(game.Reversi, "d3c5f6f5e6e3c3f3c4b4")
	show := map[string]scene{
		"felt":    {"felt", rev, Options{Legal: true}},
		"paper":   {"paper", win, Options{Numbers: All}},
		"clear":   {"clear", line(game.Renju, "h8g9i8h9i9j10g7f6j7k6"), Options{Forbidden: true}},
		"night":   {"night", win, Options{}},
		"blossom": {"blossom", line(game.Gomoku9, "e5d6d5f5e4e6f6f4e7g3d7c5d4"), Options{Numbers: 3}},
	}
	var all []scene
	for _, name := range Themes() {
		s, ok := show[name]
		if !ok {
			s = scene{name, many, Options{}}
		}
		s.o.Theme = name
		all = append(all, s)
	}
	all = append(all, scene{"candidates", many.Undo(11), Options{Marks: []Mark{
		{At: game.At(4, 8), Text: "63%", Best: true}, {At: game.At(4, 5), Text: "58%"}, {At: game.At(9, 5), Text: "41%"}}}})

	rows := (len(all) + cols - 1) / cols
	out := image.NewRGBA(image.Rect(0, 0, cols*(size+gap)+gap, rows*(size+2*gap)+gap))
	draw.Draw(out, out.Rect, image.NewUniform(graphGround.rgba()), image.Point{}, draw.Src)
	f := newFace(26)
	for i, s := range all {
		s.o.Size = size
		im := must(png.Decode(bytes.NewReader(must(PNG(s.g, s.o)))))
		x, y := gap+i%cols*(size+gap), gap+i/cols*(size+2*gap)
		draw.Draw(out, im.Bounds().Add(image.Pt(x, y)), im, image.Point{}, draw.Src)
		f.draw(out, graphText, s.name, float64(x+size/2), float64(y+size+gap))
	}
	return out
}
