package review

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/ai/engine"
	"tengen/game"
	"tengen/internal/testkit"
)

// packGames are games whose reviews are packed.
var packGames = []string{
	sample, forbiddenBlock, "gomoku start", "gomoku9 a1e5b1d5c1e4d1g7i9",
	"reversi f5d6c3d3c4f4f6f3e6e7",
}

func stripped(r Review) Review {
	r.Plies = slices.Clone(r.Plies)
	for i := range r.Plies {
		p := &r.Plies[i]
		if !slices.Contains(r.Faults, p.N) {
			p.Line, p.Answer = nil, nil // kept for the faults that are worth trying again
		}
	}
	return r
}

// What is packed comes out again.
func TestPack(t *testing.T) {
	t.Parallel()
	for _, text := range packGames {
		g := line(text)
		r := reviewed(t, g, Options{Means: Means{Nodes: 3000}})
		data := Pack(r)
		again, err := Unpack(data, g)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if want := stripped(r); !reflect.DeepEqual(again, want) {
			t.Errorf("%s:\n%+v\nbecomes\n%+v", text, want, again)
		}
		t.Logf("%d plies, %d faults: %d bytes", g.Len(), len(r.Faults), len(data))
		for n := range data {
			if _, err := Unpack(data[:n], g); err == nil {
				t.Errorf("%s: %d bytes of %d are read", text, n, len(data))
			}
		}
		if _, err := Unpack(append(data, 0), g); err == nil {
			t.Errorf("%s: a byte too many is read", text)
		}
		if g.Len() > 0 {
			if _, err := Unpack(data, g.Undo(1)); err == nil {
				t.Errorf("%s: read for another game", text)
			}
		}
	}
}

// The largest review of 60 plies stays within its 600 bytes, and keeps a part of each line.
func TestPackBytes(t *testing.T) {
	t.Parallel()
	g := game.New(game.Gomoku15)
	for row := range 4 { // no five: colours alternate along rows, and columns are broken by empty rows
		for col := range 15 {
			var err error
			g, err = g.Play(game.At(col, 3*row))
			testkit.Must(t, err)
		}
	}
	var free []game.Point
	for p := range g.Legal().All() {
		free = append(free, p)
	}
	r := Review{Rules: g.Rules(), Means: Means{CPU: 250 * time.Millisecond}}
	for i, m := range g.Moves() {
		at := g.Until(i)
		r.Plies = append(r.Plies, Ply{
			N: i + 1, By: at.Turn(), Move: m, Before: 999, After: Expectation(i), Class: Blunder,
			Note: LetThrough, Best: free[i], Had: Outcome{engine.Loss, 225}, Gave: Outcome{engine.Loss, 224},
			Line: slices.Clone(free[i : i+1 : i+1]), Answer: free[:40],
		})
		p := &r.Plies[i]
		for _, q := range free {
			if q != free[i] && len(p.Line) < 40 {
				p.Line = append(p.Line, q)
			}
		}
	}
	r = finish(r)
	data := Pack(r)
	if len(data) > packBytes {
		t.Errorf("%d bytes, want %d at most", len(data), packBytes)
	}
	again := testkit.Got(Unpack(data, g))
	for _, n := range again.Faults {
		if p := again.Plies[n-1]; len(p.Line) < 8 || len(p.Answer) < 8 {
			t.Errorf("ply %d keeps %d and %d of its lines", n, len(p.Line), len(p.Answer))
		}
	}
	t.Logf("%d bytes", len(data))
}

// Bytes that hold what no review of the game holds are refused.
func TestUnpackRefuses(t *testing.T) {
	t.Parallel()
	g := line("gomoku9 a1e5b1d5c1e4d1g7i9")
	good := reviewed(t, g, Options{Means: Means{Nodes: 3000}})
	if good.Plies[8].Note != MissedWin || !slices.Contains(good.Faults, 9) {
		t.Fatalf("%+v", good.Plies[8])
	}
	for name, spoil := range map[string]func(p *Ply){
		"nothing":                func(*Ply) {},
		"too much expected":      func(p *Ply) { p.Before = 1001 },
		"a fall upwards":         func(p *Ply) { p.Before, p.After = 300, 400 },
		"an unknown class":       func(p *Ply) { p.Class = 7 },
		"an unknown note":        func(p *Ply) { p.Note = 6 },
		"an unknown proof":       func(p *Ply) { p.Gave.Proof = 7 },
		"best on a stone":        func(p *Ply) { p.Best, p.Line = game.At(0, 0), nil },
		"best off the board":     func(p *Ply) { p.Best, p.Line = game.At(12, 12), nil },
		"too many discs":         func(p *Ply) { p.Discs = 200 },
		"a line from elsewhere":  func(p *Ply) { p.Line = []game.Point{game.At(8, 7)} },
		"a line on a stone":      func(p *Ply) { p.Line = []game.Point{p.Best, game.At(0, 0)} },
		"a line off the board":   func(p *Ply) { p.Line = []game.Point{p.Best, game.At(14, 14)} },
		"an answer on the fault": func(p *Ply) { p.Answer = []game.Point{p.Move} },
	} {
		r := good
		r.Plies = slices.Clone(good.Plies)
		spoil(&r.Plies[8])
		if _, err := Unpack(Pack(r), g); (err == nil) != (name == "nothing") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A version that is not ours is refused by its number.
func TestPackVersion(t *testing.T) {
	_, err := Unpack([]byte{9, 0, 0}, game.New(game.Renju))
	if err == nil || !strings.Contains(err.Error(), "version 9") {
		t.Errorf("%v", err)
	}
}

// Whatever the bytes: an error, or a review that packs into the same bytes.
func FuzzUnpack(f *testing.F) {
	games := map[string]game.Game{}
	for i, text := range []string{sample, "gomoku9 a1e5b1d5c1e4d1g7i9", "reversi f5d6c3d3c4f4f6f3e6e7", forbiddenBlock} {
		g := line(text)
		games[string(rune('a'+i))] = g
		f.Add(string(rune('a'+i)), Pack(reviewed(f, g, Options{Means: Means{Nodes: 500}})))
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		g, ok := games[name]
		if !ok || len(data) > 2000 {
			return
		}
		r, err := Unpack(data, g)
		if err != nil {
			return
		}
		if again := Pack(r); string(again) != string(data) {
			t.Errorf("%x becomes %x", data, again)
		}
	})
}
