package render

import (
	"bytes"
	"fmt"
	"image"
	"image/gif"
	"image/png"
	"testing"
	"time"

	"golang.org/x/image/draw"

	"tengen/game"
	"tengen/internal/testkit"
)

// The film begins with the end, which a still preview shows. After that every frame, laid over
// those before it, is the picture of its move.
func TestGIF(t *testing.T) {
	slow(t)
	for _, c := range []struct {
		name string
		g    game.Game
		o    Options
	}{
		{"gomoku", longGame(), Options{}},
		{"win with numbers", line(game.Gomoku15, sample), Options{Numbers: All, Size: 525}},
		{"reversi", line(game.Reversi, "d3c5f6f5e6e3c3f3c4b4"), Options{Legal: true, Size: 300}},
		{"sheet", line(game.Gomoku9, "e5d6d5f5e4e6f6f4e7g3d7c5d4"), Options{Theme: "sheet", Size: 301, Turned: true}},
		{"no moves", game.New(game.Renju), Options{Size: 200}},
	} {
		t.Run(c.name, func(t *testing.T) {
			film := testkit.Got(gif.DecodeAll(bytes.NewReader(testkit.Got(GIF(c.g, c.o)))))
			moves := c.g.Len()
			if got := len(film.Image); got != moves+2 && (moves > 0 || got != 1) {
				t.Fatalf("%d frames for %d moves", got, moves)
			}
			shown := func(frame int) int { // the move that a frame shows
				if frame == 0 {
					return moves
				}
				return frame - 1
			}
			testkit.Want(t, "loop count", film.LoopCount, 0)
			if d := film.Delay[len(film.Delay)-1]; d != 400 {
				t.Errorf("the last frame stands for %d hundredths of a second", d)
			}
			screen := image.NewRGBA(image.Rect(0, 0, film.Config.Width, film.Config.Height))
			o := c.o
			if o.Size == 0 {
				o.Size = DefaultGIFSize
			}
			for i, frame := range film.Image {
				draw.Draw(screen, frame.Rect, frame, frame.Rect.Min, draw.Over)
				im := must(png.Decode(bytes.NewReader(must(PNG(c.g.Until(shown(i)), o)))))
				want := image.NewRGBA(screen.Rect)
				draw.Draw(want, want.Rect, im, image.Point{}, draw.Src)
				if !bytes.Equal(screen.Pix, want.Pix) {
					_, n := differ(screen, want)
					t.Fatalf("move %d: %d pixels differ from its picture", shown(i), n)
				}
			}
		})
	}
}

func TestGIFDelay(t *testing.T) {
	g := line(game.Gomoku9, "e5d6")
	film, err :=
		gif.DecodeAll(bytes.NewReader(must(GIF(g, Options{Size: 200, Delay: 250 * time.Millisecond, Hold: time.Hour}))))
	testkit.Must(t, err)
	testkit.Want(t, "delays", fmt.Sprint(film.Delay), "[50 25 25 65535]")
	if _, err := GIF(g, Options{Delay: -1}); err == nil {
		t.Error("a negative delay was taken")
	}
}
