package bot

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/chat"
	"tengen/bot/pad"
	"tengen/bot/view"
	"tengen/game"
	"tengen/internal/testkit"
	"tengen/storage/kv"
)

// A member and a server that are banned are refused everything but what members ask of their own data, by every
// process within a minute, whatever they have deleted.
func TestBanned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		both, p := twoOnPaper(t)
		both[0].paper, both[1].paper = p, p
		en := view.In("en")
		ask := func(d *desktop, by game.MemberID, name string) string {
			r := d.request(by, chat.Slash)
			r.Name = name
			return d.said(r)
		}
		order := func(err error) {
			t.Helper()
			testkit.Must(t, err)
			time.Sleep(ordersEvery + time.Second)
		}
		ctx := context.Background()
		order(both[0].bot.BanMember(ctx, 1, true))
		testkit.Must(t, both[0].bot.Erase(ctx, 1, time.Now()))
		banned, server := en.Say("refused.banned"), en.Say("refused.bannedServer")
		for i, d := range both {
			if said := ask(d, 1, "help"); !strings.Contains(said, banned) {
				t.Errorf("process %d answers %q", i, said)
			}
			for by, name := range map[game.MemberID]string{1: "settings", 2: "help"} {
				if said := ask(d, by, name); strings.Contains(said, banned) {
					t.Errorf("process %d: member %d, /%s: %q", i, by, name, said)
				}
			}
			r := d.request(1, chat.Said)
			r.Said, r.Called = "H8", true
			if remark := d.bot.Handle(ctx, r); remark != "refused" {
				t.Errorf("a typed point: %q", remark)
			}
			if _, err := d.bot.Tap(ctx, 1, time.Now(), view.Press{Verb: "play"}, 1); !view.IsRefused(err, "refused.banned") {
				t.Errorf("a tap: %v", err)
			}
		}
		if all := testkit.Got(both[0].store.Everything(ctx, 1)); len(all.Others["banned"]) != 1 {
			t.Errorf("the member's file says of a ban: %v", all.Others)
		}
		order(both[1].bot.BanMember(ctx, 1, false))
		order(both[1].bot.BanServer(ctx, club, true))
		for _, d := range both {
			if said := ask(d, 1, "help"); !strings.Contains(said, server) {
				t.Errorf("in a banned server: %q", said)
			}
		}
		order(both[0].bot.BanServer(ctx, club, false))
		if said := ask(both[1], 1, "help"); strings.Contains(said, server) {
			t.Errorf("served again: %q", said)
		}
		if o := testkit.Got(both[0].store.Orders(ctx)); o.Bulletin != "" || len(o.Members)+len(o.Servers) > 0 {
			t.Errorf("orders are left: %+v", o)
		}
	})
}

// What the operator says stands under boards until its time, as words and not as markup.
func TestBulletin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		testkit.Must(t, d.bot.Announce(t.Context(), "Away at **noon**", time.Now().Add(time.Hour)))
		d.slash(1, "play bot", "game", "gomoku9")
		calmAfter(time.Second)
		rec := d.only(1)
		board := func() string { return d.bot.paint.Match(rec, pad.For(rec.Match), view.Card{}).Blocks[0].Text }
		if said := board(); !strings.Contains(said, `-# From the bot's operator: Away at \*\*noon\*\*`) {
			t.Errorf("under the board:\n%s", said)
		}
		time.Sleep(time.Hour)
		if said := board(); strings.Contains(said, "operator") {
			t.Errorf("an hour later:\n%s", said)
		}
	})
}

// Only managers hear of the version.
func TestVersionOfServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaperOver(t, kv.NewMemory(), func(c *Config) { c.Version = "v1.2.3" })
		r := d.request(1, chat.Slash)
		r.Name, r.Governs = "server", true
		if said := d.said(r); !strings.Contains(said, "Version v1.2.3") {
			t.Errorf("/server says %s", said)
		}
	})
}
