package bot

import (
	"strings"
	"testing"
	"testing/synctest"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// A member who has as many games as may be reads which they are, and the other of the two that
// this is so, without a look into the games of another.
func TestOverLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		en := view.In("en")
		accept := func(rec storage.Record, by game.MemberID) string {
			r := d.request(by, chat.Press)
			r.Custom = view.On(rec.Match, "accept", "")
			return d.said(r)
		}
		d.slash(1, "play member", "opponent", "2", "game", "gomoku9")
		first := d.only(1)
		max := storage.DefaultLimits.Running
		for by := range game.MemberID(max + 1) {
			d.slash(by+3, "play member", "opponent", "1", "game", "gomoku9")
			said := accept(d.only(by+3), 1)
			if over := strings.Contains(said, en.Say("limit.games", "Count", max)); over != (int(by) == max) {
				t.Fatalf("after %d games: %s", by, said)
			}
			if n := strings.Count(said, "<@1>"); int(by) == max && n != view.Listed {
				t.Errorf("%d games are listed, want %d:\n%s", n, view.Listed, said)
			}
		}
		if said := accept(first, 2); !strings.Contains(said, en.Say("limit.theirs", "Who", "<@1>")) ||
			strings.Count(said, "<@") > 1 {
			t.Errorf("the other reads: %s", said)
		}
	})
}
