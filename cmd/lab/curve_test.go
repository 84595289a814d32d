package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"tengen/ai/review"
	"tengen/game"
	"tengen/internal/testkit"
)

// A curve is fitted to four fifths of the games and replaces an old one where it is better on
// the others; else the old one stays, and so does one of which nothing new is known.
func TestCurveIsTakenWhereItIsBetter(t *testing.T) {
	data := &curveData{games: map[string]int{}}
	data.samples, data.held = map[string][][]review.Sample{}, map[string][][]review.Sample{}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2000 { // games in which the side with a score of 1 wins three of four, which is a slope of 1.1
		result, score := 1, 1.0
		if rnd.IntN(4) == 0 {
			result = 0
		}
		data.add(fmt.Sprintf("gomoku %d 0:%.3f:%.4f", result, rnd.Float64(), score))
	}
	for old, changes := range map[string]bool{"": true, "gomoku 6000 0.3 0.3 9\n": true,
		"gomoku 6000 1.0986 1.0986 9\n": false} {
		got := string(curveLines(data, old+"renju 6000 1.5 1.5 77\n"))
		line, c, fitted := oldCurve(got, "gomoku 6000 ")
		if line == "" || (fitted == 1600) != changes || c.At(1, 0.5) < 0.7 || c.At(1, 0.5) > 0.8 {
			t.Errorf("after %q: %q", old, got)
		}
		if !strings.Contains(got, "renju 6000 1.5 1.5 77\n") {
			t.Errorf("after %q: the other curve is gone: %q", old, got)
		}
	}
}

// The games of lab tune are taken with the scores that they hold, without single positions.
func TestCurveOfTunedGames(t *testing.T) {
	name := filepath.Join(t.TempDir(), "games.txt")
	text := "gomoku h8i9g7i7i8 2 1 600 400! 700\ngomoku h8i9g7 2 0.5 600\nrenju h8h9j8j9 2 0 500 600\n"
	testkit.Must(t, replace(name, []byte(text)))
	c := &curveCmd{Positions: 40, Tuned: name}
	next := testkit.Got(c.source())
	line := testkit.Got(next(t.Context(), game.Gomoku15, 0, rand.New(rand.NewPCG(1, 1))))
	// Black's scores of move 3, by black, and of move 5, by black; that of move 4 is proven.
	for _, want := range []string{"gomoku 1 ", " 0:0.009:0.4055", " 0:0.018:0.8473"} {
		if !strings.Contains(line, want) {
			t.Errorf("%q lacks %q", line, want)
		}
	}
	if strings.Contains(line, " 0:0.013:") {
		t.Errorf("%q has what is proven", line)
	}
	for r, n := range map[game.Rules]int{game.Gomoku15: 1, game.Renju: 1, game.Reversi: 0} {
		if line, err := next(t.Context(), r, n, rand.New(rand.NewPCG(1, 1))); line != "" || err != nil {
			t.Errorf("%s: game %d is %q, %v", r.Name(), n, line, err)
		}
	}
}
