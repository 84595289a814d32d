package learn

import (
	"errors"
	"testing"

	"tengen/bot/chat"
	"tengen/bot/room"
	"tengen/bot/texts"
	"tengen/bot/view"
	"tengen/internal/testkit"
	"tengen/storage"
)

// The points that a question names are marked under a wrong answer and under the solution too, where
// the question stands again. Of the cells to choose from, the solution marks the right one.
func TestMarksStay(t *testing.T) {
	en, s := view.In("en"), &Lessons{}
	for _, c := range courses {
		for i, step := range c.steps {
			for n, x := range step.exercises {
				if x.onBoard() || x.about == "" {
					continue
				}
				e := attempt{place: place{c, i}, exercise: x, n: n}
				g := testkit.Got(e.start())
				e.game = g
				bare := e
				bare.about = ""
				want, err := s.Paint.TrialBoard(en, e.board(en))
				none, err2 := s.Paint.TrialBoard(en, bare.board(en))
				wrong, err3 := s.judged(en, e, verdict{game: g}, "")
				shown, err4 := s.solution(t.Context(), en, e)
				testkit.Must(t, errors.Join(err, err2, err3, err4))
				picture := func(m chat.Message) string { return string(m.Blocks[1].Picture.Data) }
				if picture(wrong) != picture(want) {
					t.Errorf("%s, exercise %d: a wrong answer takes the marks away", e.title(en), n+1)
				}
				if x.ask != askWhich && picture(shown) != picture(want) || picture(shown) == picture(none) {
					t.Errorf("%s, exercise %d: the solution takes the marks away", e.title(en), n+1)
				}
			}
		}
	}
}

// fits checks a message against Discord's limits: 40 components, 4,000 characters, five
// buttons in a row, ids of 100 characters of which no two are alike, and words for every
// picture.
func fits(t *testing.T, what string, msg chat.Message, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if !msg.Private {
		t.Errorf("%s is not private", what)
	}
	components, characters, ids := 0, 0, map[string]bool{}
	id := func(s string) {
		if ids[s] || s == "" || len(s) > 100 {
			t.Errorf("%s: the id %q", what, s)
		}
		ids[s] = true
	}
	for _, b := range msg.Blocks {
		components += 1 + len(b.Row)
		characters += len([]rune(b.Text))
		if len(b.Row) > 5 {
			t.Errorf("%s: a row of %d buttons", what, len(b.Row))
		}
		for _, button := range b.Row {
			id(button.ID)
			if button.Label == "" && button.Emoji == "" || len([]rune(button.Label)) > 80 {
				t.Errorf("%s: the label %q", what, button.Label)
			}
		}
		if b.Select != nil {
			id(b.Select.ID)
			components++
			if n := len(b.Select.Choice); n == 0 || n > 25 {
				t.Errorf("%s: a menu of %d", what, n)
			}
		}
		if p := b.Picture; p != nil && (p.Alt == "" || len([]rune(p.Alt)) > 1024 || p.Text == "" || len(p.Data) == 0) {
			t.Errorf("%s: a picture of %d bytes with the words %q", what, len(p.Data), p.Alt)
		}
	}
	if components > 40 || characters > 4000 {
		t.Errorf("%s has %d components and %d characters", what, components, characters)
	}
}

// Every page and every exercise fits into a message, in both languages: as it is asked, with
// its hint, with its answer, and with both verdicts.
func TestEverySheetFits(t *testing.T) {
	s := New(room.Base{})
	for i, lang := range texts.Tags() {
		tongue := view.In(lang)
		for _, c := range courses {
			fits(t, c.name, overview(tongue, c, storage.Progress{}), nil)
			for n, st := range c.steps {
				at := place{c, n}
				for p := range st.pages {
					msg, err := stepPage(tongue, at, p)
					fits(t, c.key(st), msg, err)
				}
				for number, x := range st.exercises {
					if testing.Short() && number%2 != i {
						continue
					}
					e := attempt{place: at, n: number, exercise: x, hinted: true}
					e.game, _ = x.start()
					e.pad = e.firstPad()
					msg, err := s.asked(tongue, e)
					fits(t, c.key(st), msg, err)
					msg, err = s.solution(t.Context(), tongue, e)
					fits(t, c.key(st), msg, err)
					for _, right := range []bool{true, false} {
						msg, err = s.judged(tongue, e, verdict{right: right, solved: right, game: e.game}, "H8")
						fits(t, c.key(st), msg, err)
					}
				}
			}
		}
	}
}

// The overview names the first step that is not done, and at the end a game.
func TestOverviewLeadsOn(t *testing.T) {
	en, p := view.In("en"), storage.Progress{}
	for n, st := range reversi.steps {
		if got := reversi.next(p); got != n {
			t.Errorf("before step %d the next one is %d", n, got)
		}
		if id := overview(en, reversi, p).Blocks[1].Row[0].ID; id != (place{reversi, n}).page(0, "on") {
			t.Errorf("step %d: the button leads to %s", n, id)
		}
		for i := range st.exercises {
			p = p.With(reversi.key(st), i)
		}
	}
	testkit.Want(t, "at the end the button leads to", overview(en, reversi, p).Blocks[1].Row[0].ID,
		view.Do("start", "reversi"))
}
