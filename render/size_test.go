package render

import (
	"testing"

	"tengen/game"
)

// A picture of every theme stays small: Discord has to carry it.
func TestBytes(t *testing.T) {
	t.Parallel()
	slow(t)
	g := line(game.Gomoku15, sample)
	for _, name := range Themes() {
		n := len(must(PNG(g, Options{Theme: name})))
		e := len(must(PNG(game.New(game.Gomoku15), Options{Theme: name})))
		f := len(must(GIF(longGame(), Options{Theme: name})))
		t.Logf("%-9s %6d bytes, empty %6d, GIF %6d", name, n, e, f)
		most, film := 65_000, 195_000
		if name == "kaya" { // what its wandering grain costs
			most, film = 80_000, 230_000
		}
		if n > most {
			t.Errorf("%s: %d bytes, want %d at most", name, n, most)
		}
		if f > film {
			t.Errorf("%s: a GIF of %d bytes, want %d at most", name, f, film)
		}
	}
}

// A picture takes little from the collector.
func TestAllocs(t *testing.T) {
	slow(t)
	g := line(game.Gomoku15, sample)
	for _, o := range []Options{{}, {Numbers: All}} {
		n := testing.AllocsPerRun(20, func() { must(PNG(g, o)) })
		if n > 20 {
			t.Errorf("%v allocations with %+v, want 20 at most", n, o)
		}
	}
}
