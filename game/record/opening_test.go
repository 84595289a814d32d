package record

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/opening"
	"tengen/internal/testkit"
)

// opened is a game that a random opening begins. It may end within the opening.
func opened(p opening.Protocol, rng *rand.Rand) Record {
	r := Record{Game: game.New(game.Renju), Opening: opening.Line{Protocol: p, State: p.Begin()}}
	for n := rng.IntN(40); n >= 0 && !r.Opening.State.Over(); n-- {
		q := r.Opening.State.Question()
		ds := q.Options
		for at := range q.Points.All() {
			ds = append(ds, q.At(at))
		}
		d := ds[rng.IntN(len(ds))]
		r.Opening.State, _ = r.Opening.State.Decide(d)
		r.Opening.Decisions = append(r.Opening.Decisions, d)
		if at, ok := d.Stone(); ok {
			r.Game, _ = r.Game.Play(at)
		}
	}
	for n := rng.IntN(4); n > 0 && r.Opening.State.Over(); n-- {
		legal := r.Game.Legal().Points()
		r.Game, _ = r.Game.Play(legal[rng.IntN(len(legal))])
	}
	return r
}

// The decisions of an opening go through the formats that have comments, and the others say
// that they leave them out.
func TestOpenings(t *testing.T) {
	for _, p := range opening.All {
		rng := rand.New(rand.NewPCG(3, uint64(p)))
		for range 60 {
			r := opened(p, rng)
			if rng.IntN(2) == 0 {
				r.Comments = []Comment{{0, "a comment"}, {r.Game.Len(), "Opening: " + r.Opening.String()}}
			}
			comments := tidy(r).Comments
			for _, f := range convert(t, r) {
				data := testkit.Got(Write(f, r))
				back := testkit.Got(Read(data, Hints{}))
				kept := f == SGF || f == Lib
				if got := back.Opening.Protocol.Valid(); got != kept || kept && back.Opening.String() != r.Opening.String() {
					t.Fatalf("%s: opening %v of %s\n%q", f, got, r.Opening, data)
				}
				if kept && r.Game.Len() > 0 && !slices.Equal(back.Comments, comments) {
					t.Fatalf("%s: comments %+v, want %+v", f, back.Comments, comments)
				}
				if said := LeavesOut(f, r); (said == "") != kept || !kept && !strings.Contains(said, p.Name()) {
					t.Errorf("%s: left out %q", f, said)
				}
			}
		}
	}
}

// A line that is not the opening of the game is a comment like others.
func TestNoOpening(t *testing.T) {
	for _, text := range []string{
		"Opening: swap2 h8 h9 i8",                // and the game goes on
		"Opening: swap2 h8 h9 j8 white",          // other stones
		"Opening: swap2 h8 h9 i8 white i9 h10",   // more than an opening
		"Opening: swap2 h8 h9 i8 two j7 j8 swap", // more stones than the game has
		"Opening: nothing h8", "Opening: ", "opening: swap2 h8 h9 i8 white", "x\nOpening: swap2 h8 h9 i8 white",
	} {
		r, err := Read([]byte("(;GM[4]SZ[15]C["+text+"];B[hh];W[hg];B[ih];W[ii])"), Hints{})
		if err != nil || r.Opening.Protocol.Valid() || len(r.Comments) != 1 || r.Comments[0].Text != strings.TrimSpace(text) {
			t.Errorf("%q: opening %v, comments %+v, %v", text, r.Opening.Protocol, r.Comments, err)
		}
	}
	for _, text := range []string{
		"(;GM[4]SZ[9]C[Opening: swap2 e5 e6 f5 white];B[ee];W[ed];B[fe])",
		"(;GM[4]SZ[15]PL[W]C[Opening: swap];W[ee])",
	} {
		if r, err := Read([]byte(text), Hints{}); err != nil || r.Opening.Protocol.Valid() {
			t.Errorf("%q: %+v, %v", text, r, err)
		}
	}
}
