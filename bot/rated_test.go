package bot

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/internal/testkit"
	"tengen/storage"
)

// rated plays a rated game of 1 and 2 to its end in ten moves.
func (d *desktop) rated() storage.Record {
	d.t.Helper()
	d.betweenMembers("game", "gomoku9", "rated", "yes")
	return d.tenMoves()
}

// tenMoves plays the one match of 1 and 2 to its end.
func (d *desktop) tenMoves() storage.Record {
	d.t.Helper()
	rec := d.only(1)
	d.plays(strings.Fields("A1 A3 B1 B3 C1 C3 D1 D3 H9 E3")...)
	rec, err := d.store.Match(d.t.Context(), rec.ID)
	if err != nil || rec.Phase != game.Over {
		d.t.Fatalf("it goes on: %v", err)
	}
	time.Sleep(time.Second)
	return rec
}

// Who accepts a challenge accepts the colors that they saw, and none that were chosen meanwhile.
func TestAcceptedColors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		d.slash(1, "play member", "opponent", "2", "game", "gomoku9")
		offer := d.only(1)
		d.press(1, offer, "color", "white")
		d.press(2, offer, "accept", "lot")
		if m := d.only(1); m.Phase != game.Offered || m.First != game.White {
			t.Fatalf("after an old button: phase %v, %v", m.Phase, m.First)
		}
		d.press(1, offer, "color", "green") // forged
		d.press(2, offer, "accept", "white")
		if m := d.only(1); m.Phase != game.Playing || m.ColorOf(0) != game.White {
			t.Fatalf("after the present one: phase %v, %v", m.Phase, m.First)
		}
	})
}

// Three games a day of the same two are rated. A fourth is refused before it begins. A rematch
// is then not rated, and neither is a game that ends after three others.
func TestRatedGamesOfADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		en := view.In("en")
		d.rated()
		d.slash(1, "play open", "game", "gomoku9", "color", "black", "rated", "yes")
		open := d.only(1)
		d.press(1, open, "cancel", "")
		d.rated()
		last := d.rated()
		if last.Changes[0].After == 0 || !strings.Contains(d.shows(last), en.Say("end.rating.new", "Who", view.Mention(1))) {
			t.Fatalf("the third game: %s", d.shows(last))
		}
		r := d.request(1, chat.Slash)
		r.Name = "play member"
		r.Options = map[string]chat.Option{"opponent": {Member: chat.MemberTarget{ID: 2}}, "game": {Text: "gomoku9"},
			"rated": {Yes: true}}
		if s := d.said(r); !strings.Contains(s, en.Say("limit.rated")) {
			t.Errorf("a fourth: %s", s)
		}
		d.slash(1, "play member", "opponent", "2", "game", "gomoku9")
		d.press(2, d.only(1), "rated", "")
		if rec := d.only(1); rec.Rated || rec.RatedBy != 0 {
			t.Errorf("a fourth: rated is %v, %d asks", rec.Rated, rec.RatedBy)
		}
		d.press(1, d.only(1), "cancel", "")
		d.slash(1, "play open", "game", "gomoku9", "color", "black", "rated", "yes")
		d.press(2, d.only(1), "accept", "")
		if rec := d.only(1); rec.Phase != game.Offered {
			t.Error("an open challenge to a fourth was accepted")
		}
		d.press(1, d.only(1), "cancel", "")
		d.press(1, last, "rematch", "")
		d.press(2, last, "rematch", "")
		rec := d.only(1)
		if rec.Rated || strings.Contains(d.shows(rec), en.Say("terms.rated")) {
			t.Errorf("the rematch is rated: %s", d.shows(rec))
		}
		rec.Rated = true
		if s := en.Ratings(d.tenOf(rec), [2]bool{}); !strings.Contains(s, en.Say("end.unrated.full")) {
			t.Errorf("one that was overtaken: %s", s)
		}
	})
}

// tenOf is a match played to its end outside the store, as if it was rated.
func (d *desktop) tenOf(rec storage.Record) storage.Record {
	over := d.tenMoves()
	over.Rated = rec.Rated
	return over
}

// settled plays rated games of 1 and 2, who win in turn, until their ratings have settled. after hears of each.
func (d *desktop) settled(after func(rec storage.Record, settled bool)) {
	d.t.Helper()
	for n := range 15 {
		d.betweenMembers("game", "gomoku9", "rated", "yes")
		rec := d.only(1)
		d.plays(strings.Fields([]string{"A1 A3 B1 B3 C1 C3 D1 D3 E1", "A1 A3 B1 B3 C1 C3 D1 D3 H9 E3"}[n%2])...)
		rec = testkit.Got(d.store.Match(d.t.Context(), rec.ID))
		time.Sleep(time.Second)
		st := testkit.Got(d.store.Standing(d.t.Context(), 1, game.Gomoku9))
		after(rec, !st.Provisional())
		if !st.Provisional() {
			return
		}
		time.Sleep(12 * time.Hour) // three a day count
	}
	d.t.Fatal("15 games settle no rating")
}

// A rating is a number once it is settled: then the end of a game tells what became of it, and the table has it.
func TestSettledRatings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		en := view.In("en")
		isNew := en.Say("end.rating.new", "Who", view.Mention(1))
		d.settled(func(rec storage.Record, settled bool) {
			said, top := d.shows(rec), d.asked(3, rec.Place, "top", "game", "gomoku9")
			if strings.Contains(said, "→") != settled || strings.Contains(said, isNew) == settled ||
				strings.Contains(top, en.Say("top.nobody")) == settled || strings.Contains(top, view.Mention(2)) != settled {
				t.Errorf("settled is %v: %s, the table says %s", settled, said, top)
			}
		})
	})
}
