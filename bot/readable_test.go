package bot

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/chat"
	"tengen/bot/discord/body"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage"
)

// today moves fake time to the present, so that ids are as long as Discord's.
func today() { time.Sleep(time.Until(testkit.At("2026-01-01"))) }

// asked runs a command in a place and gives what was answered.
func (d *desktop) asked(by game.MemberID, place venue.Place, name string, options ...string) string {
	d.t.Helper()
	r := d.request(by, chat.Slash)
	r.Name, r.Place, r.Direct = name, place, place.Server == 0
	for i := 0; i+1 < len(options); i += 2 {
		r.Options[options[i]] = chat.Option{Text: options[i+1], Yes: options[i+1] == "yes"}
	}
	return d.said(r)
}

// said handles a request and gives the texts of the answer.
func (d *desktop) said(r chat.Request) string {
	d.t.Helper()
	d.handle(r)
	d.paper.mu.Lock()
	defer d.paper.mu.Unlock()
	if err := body.Check(d.paper.answer.Message); err != nil && d.paper.answer.Kind != chat.DeferPress {
		d.t.Errorf("/%s: %v", r.Name, err)
	}
	var out strings.Builder
	for _, b := range d.paper.answer.Message.Blocks {
		out.WriteString(b.Text + "\n")
		if b.Section != nil {
			out.WriteString(strings.Join(b.Section.Texts, "\n") + "\n")
		}
		if b.Select != nil {
			for _, c := range b.Select.Choice {
				if c.Chosen {
					out.WriteString(c.Label + "\n")
				}
			}
		}
	}
	return out.String()
}

// Nobody else may read a game in a conversation of two, even with its key.
func TestOthersConversations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		today()
		d := onPaper(t)
		here, there := venue.Place{Channel: 5}, venue.Place{Channel: 6}
		d.asked(1, here, "play bot", "game", "gomoku", "color", "black")
		key := view.Key(d.only(1).ID)
		nobody := view.In("en").Say("unknown.match")
		for _, options := range [][]string{{"board", "private", "yes"}, {"board", "text", "yes"}, {"history"},
			{"replay"}, {"export", "format", "txt"}} {
			options = append(options, "game", key)
			if s := d.asked(2, there, options[0], options[1:]...); !strings.Contains(s, nobody) {
				t.Errorf("/%v elsewhere: %s", options, s)
			}
			if s := d.asked(2, here, options[0], options[1:]...); strings.Contains(s, nobody) {
				t.Errorf("/%v in the same conversation: %s", options, s)
			}
		}
		for _, verb := range []string{"more", "new", "challenge", "whom"} {
			press := d.request(2, chat.Press)
			press.Place, press.Custom, press.Target.ID = there, view.On(d.only(1).Match, verb, ""), 3
			if s := d.said(press); !strings.Contains(s, nobody) {
				t.Errorf("%s elsewhere: %s", verb, s)
			}
		}
	})
}

// The permission to manage messages counts for one channel, when the question is asked and when
// it is answered. Who plays is told, and who ended the game is not.
func TestModeratorOfAnotherChannel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		today()
		d := onPaper(t)
		d.betweenMembers()
		d.plays("H8", "I9")
		there := venue.Place{Server: club, Channel: lounge + 1}
		abort := func(by game.MemberID, manages bool, at venue.Place) {
			rec := d.only(2)
			r := d.request(by, chat.Slash)
			r.Name, r.Manages, r.Place = "abort", manages, at
			r.Options["game"] = chat.Option{Text: view.Key(rec.ID)}
			d.said(r)
			if rec := d.only(2); rec.Phase != game.Playing {
				t.Fatal("a game was ended without a question")
			}
			r = d.request(by, chat.Press)
			r.Manages, r.Place, r.Private, r.Custom = manages, at, true, view.On(rec.Match, "abortsure", "")
			d.handle(r)
		}
		abort(3, true, there)
		abort(1, true, there)
		abort(1, false, d.only(1).Place)
		if rec := d.only(1); rec.Phase != game.Playing {
			t.Fatal("the game was ended by someone who may not")
		}
		before := len(d.paper.pinged())
		abort(1, true, d.only(1).Place)
		if recs, _ := d.store.Of(t.Context(), 1); len(recs) != 0 {
			t.Fatal("a moderator could not end the game")
		}
		if pings := d.paper.pinged()[before:]; len(pings) != 1 || pings[0] != 2 {
			t.Errorf("told: %v, want the other alone", pings)
		}
	})
}

// A form whose match is gone says so.
func TestFormOfNoMatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		today()
		d := onPaper(t)
		r := d.request(1, chat.Submit)
		r.Custom, r.Options = view.Press{Match: 1 << 40, Stamp: 0, Verb: "typed", Arg: ""}.ID(),
			map[string]chat.Option{"at": {Text: "h8"}}
		if s := d.said(r); !strings.Contains(s, view.In("en").Say("unknown.match")) {
			t.Error(s)
		}
	})
}

// A game between members stays in the conversation that both see.
func TestConversationsAreNotLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		today()
		d := onPaper(t)
		group, alone := venue.Place{Channel: 5}, venue.Place{Channel: 6}
		r := d.request(1, chat.Slash)
		r.Name, r.Place, r.Direct = "play member", group, true
		r.Options["opponent"], r.Options["game"] = chat.Option{Member: chat.MemberTarget{ID: 2}}, chat.Option{Text: "gomoku"}
		d.said(r)
		if s := d.asked(1, alone, "board"); !strings.Contains(s, "cannot see this conversation") || d.only(1).Place != group {
			t.Errorf("%v: %s", d.only(1).Place, s)
		}
	})
}

// When many games have ended unseen, Discord still takes the list.
func TestManyUnseen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		today()
		d := onPaper(t)
		for range 20 {
			d.slash(1<<60, "play bot", "game", "reversi", "color", "black")
			d.press(1<<60, d.only(1<<60), "play", "D3")
			rec := d.only(1 << 60)
			d.paper.mu.Lock()
			d.paper.lost = true
			clear(d.paper.born)
			d.paper.mu.Unlock()
			testkit.Got(d.store.Update(t.Context(), rec.ID, storage.Cause{At: time.Now()},
				func(m game.Match) (game.Match, error) {
					return m.Resign(1<<60, time.Now())
				}))
			d.paper.mu.Lock()
			d.paper.lost = false
			d.paper.mu.Unlock()
			time.Sleep(time.Second)
		}
		if s := d.asked(1<<60, venue.Place{Server: club, Channel: lounge + 1}, "games"); strings.Count(s,
			"no longer write") != view.ListedUnseen {
			t.Error(s)
		}
	})
}

// The file of a member's data can be read however much is stored: it leaves out the oldest games.
func TestDossierOfManyGames(t *testing.T) {
	all := storage.Dossier{}
	for i := range 200 {
		m := testkit.Got(game.NewMatch(game.MatchID(1199-i), game.Terms{Rules: game.Gomoku9}, 1, game.SeatFor(1),
			game.SeatEngine(1), time.Now(), time.Time{}))
		all.Games = append(all.Games, storage.Record{Match: m})
	}
	data, left, err := dossier(all, 20_000)
	var read struct {
		Games []struct{ ID string } `json:"games"`
	}
	if err != nil || json.Unmarshal(data, &read) != nil || len(data) > 20_000 {
		t.Fatalf("%d bytes: %v", len(data), err)
	}
	if n := len(read.Games); n == 0 || n+left != 200 || read.Games[0].ID != "1199" {
		t.Errorf("%d games, %d left out: %v", n, left, read.Games)
	}
	if _, left, _ := dossier(all, largestDossier); left != 0 {
		t.Errorf("%d left out without need", left)
	}
}
