package learn

import (
	"slices"
	"strings"
	"testing"

	"tengen/bot/texts"
	"tengen/bot/view"
	"tengen/game"
	"tengen/internal/testkit"
)

// What is said of a wrong answer is true: one stone is enough to stop a four only where there is a four
// and that stone stops it.
func TestOneStoneIsEnough(t *testing.T) {
	stopped, none := 0, 0
	for _, c := range courses {
		for n, st := range c.steps {
			for number, x := range st.exercises {
				if x.ask != askOpen {
					continue
				}
				g := testkit.Got(x.start())
				for m := range g.Legal().All() {
					if slices.Contains(x.points(), m) {
						continue
					}
					v := testkit.Got(x.judge(t.Context(), []game.Point{m}))
					said := attempt{place: place{c, n}, n: number, exercise: x}.wrong(view.In("en"), v, m.String())
					h, _ := g.Play(m)
					fives := moves(passed(h), func(k game.Game) bool { return k.Result().Winner == g.Turn() })
					switch {
					case strings.Contains(said, "enough"):
						stopped++
						if fives.Len() != 1 || v.game.Position().At(fives.Points()[0]) != g.Turn().Other() ||
							!strings.Contains(said, fives.Points()[0].String()) {
							t.Errorf("%s %d, %v: %s", st.name, number+1, m, said)
						}
					case strings.Contains(said, "no four"):
						none++
						if !fives.Empty() {
							t.Errorf("%s %d, %v: %s", st.name, number+1, m, said)
						}
					case !strings.Contains(said, "and that is five") || v.game.Result().Winner != g.Turn().Other():
						t.Errorf("%s %d, %v: %s", st.name, number+1, m, said)
					}
				}
			}
		}
	}
	if stopped < 5 || none < 5 {
		t.Errorf("%d answers make a four that is stopped, %d make none", stopped, none)
	}
}

// A hint speaks of forbidden points in Renju alone, in all languages.
func TestHintsOfGomoku(t *testing.T) {
	for _, lang := range texts.Tags() {
		for _, c := range []course{gomoku, renju} {
			spoken := false
			for n, st := range c.steps {
				for number, x := range st.exercises {
					hint := attempt{place: place{c, n}, n: number, exercise: x}.hint(view.In(lang))
					spoken = spoken || strings.Contains(hint, view.In(lang).Say("learn.hint.open.renju"))
				}
			}
			if spoken != (c.name == "renju") {
				t.Errorf("%s, %s: a hint speaks of forbidden points: %v", lang, c.name, spoken)
			}
		}
	}
}

// Whoever answers a question of Renju wrongly reads which rows the stone makes.
func TestRowsOfRenju(t *testing.T) {
	want := []string{
		"At H8 Black makes this: 6 in a row (H5‑H10). That is forbidden.",
		"At H8 Black makes this: a four (H8‑H12). That is allowed.",
		"At H8 Black makes this: 2 fours (E8‑H8 H7‑H10). That is forbidden.",
		"At I8 Black makes this: a four (F8‑I8) and an open three (I8‑I10). That is allowed.",
		"At H8 Black makes this: 2 open threes (G8‑I8 H8‑H10). That is forbidden.",
		"At H8 Black makes this: an open three (H8‑H10). That is allowed.",
		"At H8 Black makes this: 5 in a row (D8‑H8 H6‑H10). That is allowed.",
		"At H8 Black makes this: a four (E8‑H8) and an open three (H8‑H10). That is allowed.",
		"At H8 Black makes this: 2 open threes (F8‑H8 H8‑H10). That is forbidden.",
	}
	var got []string
	for n, st := range renju.steps {
		for number, x := range st.exercises {
			if x.ask != askAllowed {
				continue
			}
			e := attempt{place: place{renju, n}, n: number, exercise: x}
			g, _ := x.start()
			got = append(got, strings.TrimPrefix(e.wrong(view.In("en"), verdict{game: g}, "overline"), "No. "))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The solution of a forced win is shown to the five, and that of an endgame to its end.
func TestSolutionsEnd(t *testing.T) {
	shown := 0
	for _, c := range courses {
		for _, st := range c.steps {
			for number, x := range st.exercises {
				g, _ := x.start()
				p, line := x.puzzle(g)
				if !line {
					continue
				}
				moves, over := p.Solution(t.Context())
				end, err := g.PlayAll(moves...)
				if shown++; err != nil || !over || end.Turn() != game.Empty || x.ask == askWin && end.Result().Winner != g.Turn() {
					t.Errorf("%s %d: %v, %v", st.name, number+1, moves, err)
				}
			}
		}
	}
	if shown < 3 {
		t.Errorf("%d lines", shown)
	}
}
