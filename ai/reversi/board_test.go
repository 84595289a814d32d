package reversi

import (
	"math/rand/v2"
	"testing"

	"tengen/game"
	"tengen/internal/testkit"
)

func TestPerft(t *testing.T) {
	want := []int64{1, 4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288}
	for n, w := range want {
		got, err := Perft(t.Context(), game.New(game.Reversi), n)
		if got != w || err != nil {
			t.Errorf("perft %d: got %d (%v), want %d", n, got, err, w)
		}
	}
}

// BenchmarkPerft10 is the whole tree of ten plies without a hash table.
func BenchmarkPerft10(b *testing.B) {
	for b.Loop() {
		if n, _ := Perft(b.Context(), game.New(game.Reversi), 10); n != 24571284 {
			b.Fatal(n)
		}
	}
}

func squareOf(p game.Point) square { return square(8*p.Row() + p.Col()) }

// agree compares one position of the engine with package game.
func agree(t *testing.T, g game.Game) {
	t.Helper()
	b := boardOf(g.Position())
	var legal uint64
	for p := range g.Legal().All() {
		legal |= 1 << squareOf(p)
	}
	if g.Turn() == game.Empty {
		if b.moves()|b.swap().moves() != 0 {
			t.Fatalf("the game is over but the engine moves:\n%v", g.Position())
		}
		black, white := game.Score(g.Position())
		if b.final() != black-white {
			t.Fatalf("score %d, want %d-%d:\n%v", b.final(), black, white, g.Position())
		}
		return
	}
	if b.moves() != legal {
		t.Fatalf("moves %x, want %x:\n%v", b.moves(), legal, g.Position())
	}
	for p := range g.Legal().All() {
		next, _ := g.Play(p)
		after := b.play(squareOf(p))
		if next.Turn() == g.Turn() { // the other side passes
			after = after.swap()
		}
		if next.Turn() == game.Empty { // boardOf shows black's view then
			if g.Turn() == game.Black {
				after = after.swap()
			}
		}
		if after != boardOf(next.Position()) {
			t.Fatalf("%v gives %x, want %x:\n%v", p, after, boardOf(next.Position()), g.Position())
		}
	}
}

// FuzzRules plays the fuzzer's choices and compares moves, flips, passes and scores of
// every position with package game.
func FuzzRules(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 12 {
		choices := make([]byte, 60)
		for i := range choices {
			choices[i] = byte(rng.UintN(256))
		}
		f.Add(choices)
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		g := game.New(game.Reversi)
		agree(t, g)
		for _, c := range choices[:min(len(choices), 60)] {
			legal := g.Legal().Points()
			if len(legal) == 0 {
				break
			}
			g, _ = g.Play(legal[int(c)%len(legal)])
			agree(t, g)
		}
	})
}

// TestLongLines flips runs of every length in every direction, at the edges too, on
// random boards that no game would reach.
func TestLongLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		var b game.Position
		b.Size = 8
		for c := range 8 {
			for r := range 8 {
				switch rng.UintN(10) {
				case 0, 1:
					b = b.Put(game.At(c, r), game.Black)
				case 2, 3, 4, 5, 6, 7:
					b = b.Put(game.At(c, r), game.White)
				}
			}
		}
		agree(t, testkit.Got(game.From(game.Reversi, b, game.Black)))
	}
}
