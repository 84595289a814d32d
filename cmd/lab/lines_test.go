package main

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"tengen/ai/five"
	"tengen/game"
	"tengen/internal/testkit"
)

// All lines have a shape of their own, but for their mirror images.
func TestLineShape(t *testing.T) {
	if lineShapes != 3*364*364 {
		t.Errorf("%d line shapes", lineShapes)
	}
	names := map[int32]string{}
	for before := range 3 { // enough of them
		for after := range 3 {
			n := before + 1 + after
			for k := range int(math.Pow(3, float64(n))) {
				line := make([]uint8, n)
				for i := range line {
					line[i], k = uint8(k%3), k/3
				}
				mirror := slices.Clone(line)
				slices.Reverse(mirror)
				shape, other := lineShape(line, before), lineShape(mirror, after)
				text := string(line) + "|" + string(rune(before))
				if before > after || before == after && string(mirror) < string(line) {
					text = string(mirror) + "|" + string(rune(after))
				}
				if old, ok := names[shape]; shape != other || shape < 0 || shape >= lineShapes || ok && old != text {
					t.Fatalf("%v at %d: %d and %d, the shape of %q", line, before, shape, other, names[shape])
				}
				names[shape] = text
			}
		}
	}
	long := []uint8{1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}
	if lineShape(long, 8) != lineShape(make([]uint8, 15), 8) || lineShape(long, 7) == lineShape(long, 8) {
		t.Error("a shape is not the eleven points")
	}
}

// A position has four shapes for each point, the same however the board is turned, and others for the
// other side.
func TestShapesOf(t *testing.T) {
	moves, _ := game.ParseMoves("h8i9j10a1o15c7")
	sorted := func(moves []game.Point) []int32 {
		shapes := shapesOf(nil, moves, 15)
		slices.Sort(shapes)
		return shapes
	}
	want := sorted(moves)
	if len(want) != 4*225 {
		t.Fatalf("%d shapes", len(want))
	}
	for way := range uint64(8) {
		turned := slices.Clone(moves)
		for i := range turned {
			turned[i] = turned[i].Turned(15, way)
		}
		if !slices.Equal(sorted(turned), want) {
			t.Errorf("way %d has other shapes", way)
		}
	}
	swapped := []game.Point{moves[1], moves[0], moves[3], moves[2], moves[5], moves[4]}
	if slices.Equal(sorted(swapped), want) {
		t.Error("colors are the same")
	}
}

// The side to move wins where it has a stone on the first row: the model finds out.
func TestLineSum(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	var examples []example
	for i := range 200 {
		e := example{moves: []game.Point{game.At(rnd.IntN(15), 4+rnd.IntN(10)), game.At(3, 3)}}
		if i%2 == 0 {
			e.moves[0], e.win = game.At(rnd.IntN(15), 0), 1
		}
		examples = append(examples, e)
	}
	m := newLineSum(game.Gomoku15)
	first := m.learn(examples, 0.02, rnd)
	for range 5 {
		m.learn(examples, 0.02, rnd)
	}
	if last := m.learn(examples, 0.02, rnd); last > first/4 {
		t.Errorf("loss %.3f, then %.3f", first, last)
	}
}

// Every tenth game is held out, and positions with a proof are not learned from.
func TestTaught(t *testing.T) {
	c := quick(t.TempDir(), 4)
	testkit.Must(t, c.Run(t.Context()))
	file := filepath.Join(c.Folder, "renju.games")
	known, held, _, err := taught(testkit.Read(t, file))
	testkit.Must(t, err)
	tally := testkit.Got(tallySparrings(testkit.Read(t, file)))
	if n := len(known) + len(held); n != tally.kinds[five.Starts].open || len(held) == 0 {
		t.Errorf("%d and %d positions of %+v", len(known), len(held), tally)
	}
	first := kept(t, c.Folder)[1][0]
	want := 0.5
	if first.Winner != game.Empty {
		want = 0
		if first.Winner == game.Black == (first.Book%2 == 0) {
			want = 1
		}
	}
	if e := held[0]; len(e.moves) != first.Book || math.Abs(2*e.win-e.search-want) > 1e-9 {
		t.Errorf("the first position held out is %+v, of %+v", e, first)
	}
	fit := selfplayFitCmd{File: file, Epochs: 1, Rate: 0.02}
	testkit.Must(t, fit.Run())
	if _, _, _, err := taught([]byte("gomoku h8i9 1 1 500\n")); err == nil {
		t.Error("another file is taken for games")
	}
}
