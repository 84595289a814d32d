package render

import (
	"testing"

	"tengen/game"
)

// Pieces and marks have a contrast of 3:1 or more (WCAG's figure for what is not text) to
// what lies under them, or to a casing that itself has this contrast; numbers and
// coordinates, which are text, have 4.5:1. This holds for full colour vision, for both
// kinds of colour blindness and in grey.
func TestContrast(t *testing.T) {
	slow(t)
	for i := range themes {
		th := &themes[i]
		t.Run(th.name, func(t *testing.T) {
			grounds := map[string]rgb{"dark ground": th.ground.low, "light ground": th.ground.high}
			field := layoutOf(th, game.Gomoku15, DefaultSize, false)
			discs := layoutOf(th, game.Reversi, DefaultSize, false)
			type piece struct {
				name     string
				face     rgb // its colour on the average
				rim      rgb
				numbered rgb
			}
			var ps []piece
			for j, l := range []layout{field, discs} {
				plain, numbered := pieces(th, l)
				for c, k := range []coat{th.black, th.white} {
					ps = append(ps, piece{[]string{"black", "white"}[c] + []string{" stone", " disc"}[j], plain[c].mean(),
						k.rim, numbered[c].mean()})
				}
			}
			for _, see := range sights {
				want := func(what string, least float64, a, b rgb) {
					t.Helper()
					if got := contrast(see.see(a), see.see(b)); got < least {
						t.Errorf("%s: %s has a contrast of %.2f, want %.1f", see.name, what, got, least)
					}
				}
				stands := func(what string, m cased, on rgb) {
					t.Helper()
					ink, casing, under := see.see(m.ink), see.see(m.casing), see.see(on)
					bare, edge, inner := contrast(ink, under), contrast(casing, under), contrast(ink, casing)
					if bare < 3 && (edge < 3 || inner < 3) {
						t.Errorf("%s: %s has %.2f, its casing %.2f and it from its casing %.2f; want 3", see.name, what,
							bare, edge, inner)
					}
				}
				for i, p := range ps {
					c := i % 2
					for name, ground := range grounds {
						if bare, rim := contrast(see.see(p.face), see.see(ground)),
							contrast(see.see(p.rim), see.see(ground)); bare < 3 && rim < 3 {
							t.Errorf("%s: %s on %s has %.2f and its rim %.2f; want 3", see.name, p.name, name, bare, rim)
						}
					}
					want("number on "+p.name, 4.5, th.number[c], p.numbered)
					if th.piece == nought { // a box round the piece
						want("last", 3, th.last[c], th.ground.low)
					} else {
						want("last on "+p.name, 3, th.last[c], p.face)
					}
					stands("win on "+p.name, th.win, p.face)
					stands("hint on "+p.name, th.hint, p.face)
				}
				for name, ground := range grounds {
					stands("win on "+name, th.win, ground)
					stands("forbidden on "+name, th.forbid, ground)
					stands("hint on "+name, th.hint, ground)
					stands("frame on "+name, th.frame, ground)
					stands("black's legal move on "+name, th.legal[0], ground)
					stands("white's legal move on "+name, th.legal[1], ground)
				}
				want("text of a candidate", 4.5, th.hint.ink, th.hint.casing)
				behind := th.ground
				if th.margin.kind != none {
					behind = th.margin
				}
				want("coordinates", 4.5, th.label, behind.low)
				want("coordinates", 4.5, th.label, behind.high)
			}
			for _, ground := range grounds {
				if got := contrast(th.line, ground); got < 1.5 {
					t.Errorf("the grid has a contrast of %.2f, want 1.5", got)
				}
			}
		})
	}
}

// mean is the average colour of what a sprite covers fully, without its rim.
func (s *sprite) mean() rgb {
	var sum vec
	n := 0.
	for i, c := range s.cover {
		u, v := float64(i%s.w)+.5-float64(s.w)/2, float64(i/s.w)+.5-float64(s.h)/2
		if c == levels-1 && u*u+v*v < .18*float64(s.w*s.w) {
			sum, n = sum.plus(s.art[i].vec()), n+1
		}
	}
	return sum.times(1 / n).rgb()
}
