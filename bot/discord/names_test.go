package discord

import (
	"testing"

	"tengen/bot/chat"
	"tengen/bot/standin"
	"tengen/game"
	"tengen/internal/testkit"
)

// A member's name is that which the server shows, or, in direct messages, their own.
func TestName(t *testing.T) {
	t.Parallel()
	on, _ := launching(t, standin.Options{}, "")
	on.s.Member("ann")
	known, err := on.s.Act(t.Context(), standin.Action{Do: "member", As: "ann"})
	testkit.Must(t, err)
	ann := game.MemberID(parseID(known.IDs[0]))
	r, err := on.d.get(t.Context(), "GET servers", "", "users/@me/guilds")
	testkit.Must(t, err)
	guild := uint64(part[[]struct{ ID flake }](r.body)[0].ID)
	for _, server := range []uint64{guild, 0} {
		if name, err := on.d.Name(t.Context(), server, ann); name != "ann" || err != nil {
			t.Errorf("in %d: %q, %v", server, name, err)
		}
		if name, err := on.d.Name(t.Context(), server, 5); name != "" || err == nil ||
			chat.TroubleOf(err) == chat.NoPlace {
			t.Errorf("a stranger in %d: %q, %v", server, name, err)
		}
	}
}
