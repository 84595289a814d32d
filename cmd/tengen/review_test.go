package main

import (
	"bytes"
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tengen/game"
	"tengen/render"
)

// A signal in the middle of a review ends it at once, and no file is left.
func TestReviewInterrupted(t *testing.T) {
	for sig, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		dir := t.TempDir()
		ctx, stop := signal.NotifyContext(context.Background(), sig)
		time.AfterFunc(300*time.Millisecond, func() { _ = syscall.Kill(os.Getpid(), sig) })
		var out, errs bytes.Buffer
		in := strings.NewReader("gomoku h8i9g7i7i8g8h9f7h7h10h6h5g6i6")
		code := run(ctx, []string{"review", "-", "--time", "20s", "-o", filepath.Join(dir, "graph.png")},
			streams{in, &out, &errs})
		stop()
		if code != want || out.Len() > 0 {
			t.Errorf("%v: code %d, want %d; %s%s", sig, code, want, out.String(), errs.String())
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%v: left behind: %v, %v", sig, left, err)
		}
	}
}

// The text of a graph is two sentences, however the game went.
func TestGraphText(t *testing.T) {
	stretch := func(from int, c game.Color, proven bool) render.Stretch {
		return render.Stretch{From: from, Ahead: c, Proven: proven}
	}
	for _, c := range []struct {
		f    render.ChartFacts
		want string
	}{
		{render.ChartFacts{Stretches: []render.Stretch{stretch(0, game.Empty, false)}},
			"Graph of black's expectation over 0 moves: even at first. Black has 0 inaccuracies, " +
				"0 mistakes and 0 blunders, white has 0 inaccuracies, 0 mistakes and 0 blunders."},
		{render.ChartFacts{
			Moves:     30,
			Stretches: []render.Stretch{stretch(0, game.Black, false), stretch(9, game.White, true)},
			Faults:    [2][3]int{{1, 0, 1}, {0, 2, 0}},
			Numbered:  []render.Fault{{Move: 9}, {Move: 12}},
		}, "Graph of black's expectation over 30 moves: black ahead at first, a proven win for white from move 9 on. " +
			"Black has 1 inaccuracy, 0 mistakes and 1 blunder, white has 0 inaccuracies, 2 mistakes and 0 blunders; " +
			"numbered are 9, 12."},
		{render.ChartFacts{
			Moves: 30,
			Stretches: []render.Stretch{stretch(0, game.Empty, false), stretch(1, game.Black, false),
				stretch(2, game.White, false), stretch(3, game.Black, false), stretch(4, game.White, false),
				stretch(5, game.Black, false), stretch(6, game.Empty, true)},
		}, "Graph of black's expectation over 30 moves: even at first, black ahead from move 1 on, " +
			"white ahead from move 2 on, black ahead from move 3 on, 2 more changes, a proven draw from move 6 on. " +
			"Black has 0 inaccuracies, 0 mistakes and 0 blunders, white has 0 inaccuracies, 0 mistakes and 0 blunders."},
	} {
		if got := graphText(c.f); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
