package bot

import (
	"testing"
	"testing/synctest"

	"tengen/bot/standin"
	"tengen/internal/testkit"
	"tengen/storage"
)

// At the next connection the bot learns of the servers that came and went while it was down.
// The games of a server that removed it end, and those of a server with an outage go on.
func TestRemovedWhileDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		standin.EnterBubble()
		h := open(t, standin.Options{})
		h.AddGuild("Tavern", true, "hall")
		h.AddGuild("Elsewhere", false, "lobby")
		ann := h.Member("ann")
		ann.Installs()
		for _, place := range []string{"#gomoku", "Tavern#hall", "Elsewhere#lobby"} {
			ann.Slash(place, "/play with:bot game:gomoku9 level:1 color:black")
		}
		h.settle()
		h.stop()
		h.KickBot("Tavern")
		h.Outage("Club", true)
		h.start()
		h.settle()
		live := 0
		if err := h.store.Live(t.Context(), func(storage.Record) bool { live++; return true }); err != nil || live != 2 {
			t.Errorf("%d games go on, want 2 of 3 (%v)", live, err)
		}
		left := func() (n int) {
			testkit.Must(t, h.store.Servers(t.Context(), func(s storage.Server) bool {
				if !s.Left.IsZero() {
					n++
				}
				return true
			}))
			return n
		}
		testkit.Want(t, "servers are left", left(), 1)
		h.stop()
		h.InviteBot("Tavern") // again while it was down
		h.start()
		h.settle()
		if left() != 0 {
			t.Error("a server that came back while the bot was down is still to be deleted")
		}
	})
}
