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

// Others see in a profile what is of the server in which they ask, and nothing of other servers. Its member sees all.
func TestProfileElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := onPaper(t)
		for server, rules := range map[uint64]game.Rules{club: game.Renju, 99: game.Reversi} {
			join := func(l storage.Ladder) (storage.Ladder, error) {
				next, err := l.Join(2, 1500)
				l.Ladder = next
				return l, err
			}
			testkit.Got(d.store.UpdateLadder(t.Context(), server, rules, time.Now(), join))
		}
		asked := func(by game.MemberID) string {
			r := d.request(by, chat.Press)
			r.Custom, r.Values = view.Do("profile", "2"), []string{"events"}
			return d.said(r)
		}
		for by, elsewhere := range map[game.MemberID]bool{1: false, 2: true} {
			said := asked(by)
			if !strings.Contains(said, "Renju") || strings.Contains(said, "Reversi") != elsewhere {
				t.Errorf("to member %d: %s", by, said)
			}
		}
	})
}
