package render

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"strings"
	"sync"
	"testing"

	"tengen/game"
	"tengen/internal/testkit"
)

// sample is a game of 39 moves that black wins.
const sample = "h8i9g7i7i8g8h9f7h7h10h6h5g6i6g9f10f5e4k8j8j7l9i5j4g4k10f6e6g5g3e7d8d6c5f8j10k9l11e9"

func line(r game.Rules, moves string) game.Game {
	points := testkit.Got(game.ParseMoves(moves))
	return testkit.Got(game.New(r).PlayAll(points...))
}

// playout plays the first lawful move until the end.
func playout(r game.Rules) game.Game {
	g := game.New(r)
	for g.Turn() != game.Empty {
		g = must(g.Play(g.Legal().Points()[0]))
	}
	return g
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Every size, theme, board and side gives a picture of that size, with marks at the
// very edge.
func TestSizes(t *testing.T) {
	t.Parallel()
	slow(t)
	sizes := []int{200, 201, 217, 333, 349, 701}
	if !testing.Short() {
		sizes = append(sizes, 1049, 2100)
	}
	for i, size := range sizes {
		for j, r := range []game.Rules{game.Gomoku15, game.Gomoku9, game.Reversi} {
			name := Themes()[(3*i+j)%len(themes)]
			last := game.At(r.Size()-1, r.Size()-1)
			o := Options{Size: size, Theme: name, Turned: i%2 == 1, Legal: true, Frames: []Frame{{From: 0, To: last}}}
			for n := range r.Size() {
				o.Marks = append(o.Marks,
					Mark{At: game.At(n, 0), Text: "-0.5"}, Mark{At: game.At(n, r.Size()-1), Text: "100%", Best: true},
					Mark{At: game.At(0, n)})
			}
			im, err := png.Decode(bytes.NewReader(must(PNG(game.New(r), o))))
			if err != nil {
				t.Fatalf("%s at %d: %v", name, size, err)
			}
			if b := im.Bounds(); b.Dx() != size || b.Dy() != size {
				t.Errorf("%s at %d is %v", name, size, b)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	g, nine := game.New(game.Gomoku15), game.New(game.Gomoku9)
	for _, c := range []struct {
		g    game.Game
		o    Options
		want string
	}{
		{g, Options{Theme: "plaid"}, `there is no theme "plaid"; the themes are wood,`},
		{g, Options{Size: -1}, "size -1 is not between 200 and 2100 pixels"},
		{g, Options{Size: 199}, "size 199 is not between"},
		{g, Options{Size: 100_000}, "size 100000 is not between"},
		{g, Options{Numbers: -1}, "-1 numbers"},
		{g, Options{Delay: -1}, "less than no time"},
		{nine, Options{Marks: []Mark{{At: game.At(9, 0)}}}, "mark at column 10, row 1 lies off the 9x9 board"},
		{nine, Options{Marks: []Mark{{At: game.NoPoint}}}, "lies off the 9x9 board"},
		{nine, Options{Marks: []Mark{{Text: "12345"}}}, `mark "12345" is not up to 4 of`},
		{nine, Options{Marks: []Mark{{Text: "é"}}}, "is not up to 4 of"},
		{nine, Options{Marks: []Mark{{Text: "1é1"}}}, "is not up to 4 of"},
		{nine, Options{Frames: []Frame{{From: 0, To: game.At(9, 9)}}}, "a frame reaches off the 9x9 board"},
		{game.Game{}, Options{}, "no game to draw"},
	} {
		for what, draw := range map[string]func(game.Game, Options) ([]byte, error){"PNG": PNG, "GIF": GIF} {
			b, err := draw(c.g, c.o)
			if err == nil || b != nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s with %+v: %v, want %q", what, c.o, err, c.want)
			}
		}
	}
	nan := math.NaN()
	for _, c := range []struct {
		v    []float64
		o    GraphOptions
		want string
	}{
		{nil, GraphOptions{}, "0 values"},
		{make([]float64, 2000), GraphOptions{}, "2000 values"},
		{[]float64{1.1}, GraphOptions{}, "value 0 is 1.1"},
		{[]float64{0, math.Inf(-1)}, GraphOptions{}, "value 1 is -Inf"},
		{[]float64{.5}, GraphOptions{Width: 10}, "width 10"},
		{[]float64{.5, nan}, GraphOptions{Marks: []int{2}}, "move 2 is not on a graph of 1 moves"},
		{[]float64{.5}, GraphOptions{Now: -1}, "move -1"},
	} {
		if _, err := Graph(c.v, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("graph of %d values: %v, want %q", len(c.v), err, c.want)
		}
	}
	_, err := Graph([]float64{nan, .5, nan, nan, .2, .3}, GraphOptions{})
	testkit.Check(t, err)
}

// 64 goroutines draw different games at once, each game twice, and get what one alone gets.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	all := scenes(t)
	const jobs = 32
	job := func(i int) ([]byte, error) {
		s := all[i%len(all)]
		s.o.Theme, s.o.Size = Themes()[i%len(themes)], 210+8*(i%3)
		if i%5 == 0 {
			return GIF(s.g.Until(12), s.o)
		}
		return PNG(s.g, s.o)
	}
	kits.built.Store(nil) // so that building happens at once too
	got := make([][]byte, 2*jobs)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = must(job(i % jobs)) })
	}
	wg.Wait()
	kits.built.Store(nil)
	for i := range jobs {
		if want := must(job(i)); !bytes.Equal(got[i], want) || !bytes.Equal(got[i+jobs], want) {
			t.Errorf("picture %d differs from the same picture drawn alone", i)
		}
	}
}

// The shelf of kits does not grow without end, and a kit that was dropped comes back
// the same.
func TestShelf(t *testing.T) {
	var s shelf
	var first *kit
	th := &themes[0]
	key := func(size int) kitKey { return kitKey{th, layout{size: size}} }
	build := func(k kitKey) *kit { return &kit{lay: k.lay} }
	for size := range 3 * maxKits {
		k := s.get(key(size), build)
		if size == 0 {
			first = k
		}
		if n := len(*s.built.Load()); n > maxKits {
			t.Fatalf("%d kits", n)
		}
		if k != s.get(key(size), build) {
			t.Fatal("the same key gave another kit")
		}
	}
	if again := s.get(key(0), build); again == first || again.lay != first.lay {
		t.Error("a dropped kit was not built again")
	}
}

// A raster shows what a canvas of true colours shows, but for the loss by 127 colours.
func TestQuality(t *testing.T) {
	t.Parallel()
	slow(t)
	for i := range themes {
		th := &themes[i]
		for _, s := range scenes(t) {
			if s.name != "numbers" && s.name != "candidates" && s.name != "reversi" {
				continue
			}
			k := kits.get(kitKey{th, layoutOf(th, s.g.Rules(), 525, false)}, newKit)
			sh := new(raster)
			sh.clear(k)
			paint(sh, k, s.g, s.o)
			truth := canvas{drawBoard(th, k.lay), k.colours}
			paint(truth, k, s.g, s.o)
			var sum float64
			for y := range sh.h {
				for x, c := range sh.row(y) {
					p := truth.Pix[truth.PixOffset(x, y):]
					q := k.pal[c]
					for _, d := range []int{int(p[0]) - int(q.r()), int(p[1]) - int(q.g()), int(p[2]) - int(q.b())} {
						sum += float64(d * d)
					}
				}
			}
			psnr := 10 * math.Log10(255*255/(sum/float64(3*sh.w*sh.h)+1e-9))
			t.Logf("%-9s %-14s %.1f dB", th.name, s.name, psnr)
			if psnr < 43 {
				t.Errorf("%s, %s: %.1f dB from true colours, want 43", th.name, s.name, psnr)
			}
		}
	}
}

func TestThemes(t *testing.T) {
	if len(Themes()) < 9 || Themes()[0] != "wood" || DefaultTheme(game.Reversi) != "felt" ||
		DefaultTheme(game.Renju) != "wood" {
		t.Errorf("themes %v", Themes())
	}
	for _, name := range Themes() {
		if About(name) == "" {
			t.Errorf("nothing is said about %s", name)
		}
	}
	if About("plaid") != "" {
		t.Error("something is said about a theme that does not exist")
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		g    game.Game
		o    Options
		want string
	}{
		{line(game.Reversi, "d3c3"), Options{Legal: true}, `
   A B C D E F G H
 1 . . . . . . . . 1
 2 . . . . . . . . 2
 3 . *(O)X . . . . 3
 4 . . * O X . . . 4
 5 . . . X O * . . 5
 6 . . . . * . . . 6
 7 . . . . . . . . 7
 8 . . . . . . . . 8
   A B C D E F G H
`},
		{line(game.Gomoku9, "a1i9b1"), Options{Turned: true, Marks: []Mark{{At: game.At(4, 4)}}}, `
   I H G F E D C B A
 1 . . . . . . .(X)X 1
 2 . . . . . . . . . 2
 3 . . . . . . . . . 3
 4 . . . . . . . . . 4
 5 . . . . ? . . . . 5
 6 . . . . . . . . . 6
 7 . . . . . . . . . 7
 8 . . . . . . . . . 8
 9 O . . . . . . . . 9
   I H G F E D C B A
`},
	} {
		if got := "\n" + Text(c.g, c.o); got != c.want {
			t.Errorf("got %s\nwant %s", got, c.want)
		}
	}
	renju := Text(line(game.Renju, "h8g9i8h9i9j10g7f6j7k6"), Options{Forbidden: true})
	if n := strings.Count(renju, "!"); n != 1 {
		t.Errorf("%d forbidden points on\n%s", n, renju)
	}
}

func TestFacts(t *testing.T) {
	f := FactsOf(line(game.Gomoku15, sample))
	if f.Rules != game.Gomoku15 || f.Moves != 39 || f.Turn != game.Empty || f.Last.String() != "E9" ||
		len(f.Black) != 20 || len(f.White) != 19 || f.Result.Winner != game.Black {
		t.Errorf("%+v", f)
	}
	f = FactsOf(line(game.Reversi, "d3c3"))
	if f.Turn != game.Black || fmt.Sprint(f.Black, f.White) != "[D3 E4 D5] [C3 D4 E5]" {
		t.Errorf("%+v", f)
	}
	if f := FactsOf(game.New(game.Renju)); f.Moves != 0 || f.Last != game.NoPoint || len(f.Black) != 0 {
		t.Errorf("%+v", f)
	}
}

func ExamplePNG() {
	g, _ := game.New(game.Gomoku15).PlayAll(game.At(7, 7), game.At(8, 8))
	picture, err := PNG(g, Options{Numbers: All})
	fmt.Println(string(picture[1:4]), err)
	// Output: PNG <nil>
}

func ExampleText() {
	g, _ := game.New(game.Gomoku9).PlayAll(game.At(4, 4), game.At(5, 5))
	fmt.Print(Text(g, Options{}))
	// Output:
	//    A B C D E F G H I
	//  9 . . . . . . . . . 9
	//  8 . . . . . . . . . 8
	//  7 . . . . . . . . . 7
	//  6 . . . . .(O). . . 6
	//  5 . . . . X . . . . 5
	//  4 . . . . . . . . . 4
	//  3 . . . . . . . . . 3
	//  2 . . . . . . . . . 2
	//  1 . . . . . . . . . 1
	//    A B C D E F G H I
}
