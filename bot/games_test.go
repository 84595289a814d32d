package bot

import (
	"strings"
	"testing"
	"testing/synctest"

	"tengen/bot/chat"
	"tengen/bot/discord/body"
	"tengen/bot/view"
	"tengen/game"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

// The fullest pages of /games are within Discord's limits, and their buttons reach every game.
func TestFullGames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaperOver(t, kv.NewMemory(), func(c *Config) {
			store := storagetest.Memory(t)
			c.Store = store
		})
		d.store = d.bot.store
		begin := func(n int) {
			for range n {
				d.slash(1, "play bot", "game", "reversi", "color", "black")
			}
		}
		begin(view.ListedUnseen + 2)
		for _, rec := range testkit.Got(d.store.Of(t.Context(), 1)) { // they end, and nobody can see it
			legal := rec.Match.Game().Legal().Points()
			d.press(1, rec, "play", legal[0].String())
			d.press(1, rec, "resignsure", "")
			testkit.Got(d.store.SetScreen(t.Context(), rec.ID, func(sc storage.Screen) (storage.Screen, error) {
				sc.Shown = sc.Wanted - 1
				return sc, nil
			}))
		}
		begin(2*view.Listed + 1)
		d.slash(1, "games")
		beside := map[string]int{}
		for page := 1; ; page++ {
			m := d.paper.answer.Message
			if err := body.Check(m); err != nil {
				t.Fatalf("page %d: %v", page, err)
			}
			next := ""
			for _, b := range m.Blocks {
				if b.Section != nil {
					beside[b.Section.Button.Label]++
				}
				for _, button := range b.Row {
					if button.Label == "▶" && !button.Disabled {
						next = button.ID
					}
				}
			}
			if next == "" {
				break
			}
			r := d.request(1, chat.Press)
			r.Custom, r.Private = next, true
			d.bot.Handle(t.Context(), r)
			synctest.Wait()
		}
		if beside["Go to the board"] != 2*view.Listed+1 || beside["Replay"] != view.ListedUnseen {
			t.Errorf("beside the games: %v", beside)
		}
	})
}

// What stands beside a game depends on how it stands, and on where its member asks.
func TestGameButtons(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		d.slash(1, "play bot", "game", "gomoku", "color", "black")
		rec := d.only(1)
		here := d.request(1, chat.Slash)
		away := here
		away.Place.Server++
		nowhere := func(rec storage.Record) storage.Record {
			testkit.Got(d.store.SetScreen(t.Context(), rec.ID, func(sc storage.Screen) (storage.Screen, error) {
				sc.Message = 0
				return sc, nil
			}))
			return rec
		}
		stranger := away
		stranger.By = 2
		check := func(what string, r chat.Request, rec storage.Record, giving bool, want string) {
			t.Helper()
			got := ""
			if b, ok := d.bot.gameButton(t.Context(), r, rec, giving); ok {
				got = b.Label
			}
			testkit.Want(t, what, got, want)
		}
		check("a board that hangs", here, rec, false, "Go to the board")
		check("to be given up", here, rec, true, "Abort")
		rested := rec
		rested.Match.Rested = here.At
		check("resting", here, rested, false, "Open here")
		check("resting, from another server", away, rested, false, "Abort")
		check("resting, for somebody else", stranger, rested, false, "Go to the board")
		rec = nowhere(rec)
		check("a board that hangs nowhere", here, rec, false, "Open here")
		check("that, from another server", away, rec, false, "Abort")
		check("that, for somebody else", stranger, rec, false, "")
		over, err := rec.Match.Resign(1, here.At)
		testkit.Must(t, err)
		rec.Match = over
		check("over without a move", here, rec, false, "")
		if over, err = d.only(1).Match.Play(1, game.At(7, 7), here.At); err == nil {
			over, err = over.Resign(1, here.At)
		}
		testkit.Must(t, err)
		rec.Match = over
		check("over", here, rec, false, "Replay")
	})
}

// A custom id that somebody else made up leads to a page, or to a refusal.
func TestForgedGames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		for arg, want := range map[string]string{"999.mine": "", "-5.finished": "", "0.theirs": "", "x": "unknown.button",
			"": "unknown.button"} {
			r := d.request(1, chat.Press)
			r.Custom, r.Private = view.Do("games", arg), true
			err := d.bot.dispatch(t.Context(), r)
			if want == "" && err != nil || want != "" && !view.IsRefused(err, want) {
				t.Errorf("%q: %v", arg, err)
			}
			if want == "" && !strings.Contains(d.paper.answer.Message.Blocks[0].Text, "No games") {
				t.Errorf("%q: %q", arg, d.paper.answer.Message.Blocks[0].Text)
			}
		}
		for name, server := range map[string]uint64{"move": club, "play bot": club, "none": club, "": club, "top": 0} {
			r := d.request(1, chat.Press)
			r.Place.Server = server
			r.Custom = view.Do("open", name)
			if err := d.bot.dispatch(t.Context(), r); !view.IsRefused(err, "unknown.button") {
				t.Errorf("a button ran /%s: %v", name, err)
			}
		}
	})
}
