package bot

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/standin"
	"tengen/internal/testkit"
)

// watched opens a bot with games between engines in a channel, all begun so long ago that
// their tokens have expired.
func watched(t *testing.T, games int) *house {
	t.Helper()
	standin.EnterBubble()
	h := open(t, standin.Options{Lenient: true, Limits: standin.Limits{On: true}})
	for i := range games {
		h.Member(fmt.Sprint("member", i)).Slash("#gomoku", "/play with:engines game:gomoku")
	}
	h.later(20 * time.Minute)
	time.Sleep(10 * time.Second)
	return h
}

// Games between engines whose messages are gone, where the bot may not send, rest at once:
// they make a few calls all together, and none later. 10,000 refused calls within ten minutes
// would have the bot's address blocked.
func TestRefusedWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const games = 25
		h := watched(t, games)
		h.Deny("#gomoku", "bot", standin.PermSendMessages)
		for _, m := range h.Messages("#gomoku") {
			h.DeleteMessage(m.ID)
		}
		before := h.Stats()
		time.Sleep(10 * time.Minute)
		after := h.Stats()
		// One look for each message, and for all of them together a post with a picture and one
		// without, again after each five minutes of rest. Up to five calls are under way when
		// Discord refuses the first, and a token or two may have run out in that moment.
		if n := after.Invalid - before.Invalid; n > 20 {
			t.Errorf("%d invalid requests", n)
		}
		if n := after.Calls - before.Calls; n > 4*games {
			t.Errorf("%d calls for %d games", n, games)
		}
		if n := len(h.live()); n != games {
			t.Errorf("%d of %d games are left", n, games)
		}
		for _, rec := range h.live() {
			if rec.Rested.IsZero() {
				t.Errorf("a game goes on where nobody sees it: %d moves", rec.Played())
			}
		}
		later := h.Stats()
		time.Sleep(time.Hour)
		if n := h.Stats().Calls - later.Calls; n > 2*games {
			t.Errorf("%d calls in the hour after", n)
		}
		// Its owner takes a game up again where the bot may send.
		h.Permit("#gomoku", "bot")
		one := h.Member("member0").Try()
		if a := one.Slash("#gomoku", "/game"); a.Failed != "" || !strings.Contains(one.Sees("#gomoku"), "is thinking") {
			t.Errorf("%s\n%s", a.Failed, one.Sees("#gomoku"))
		}
		moves := h.Stats().Calls
		time.Sleep(30 * time.Second)
		if n := h.Stats().Calls - moves; n < 5 {
			t.Errorf("%d calls for a game that is played again", n)
		}
	})
}

// One send never makes the same refused call twice.
func TestRefusedOnceInASend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := watched(t, 1)
		h.Deny("#gomoku", "bot", standin.PermSendMessages)
		h.DeleteMessage(h.Messages("#gomoku")[0].ID)
		at := time.Now()
		time.Sleep(20 * time.Second)
		made := map[string]int{}
		for _, c := range h.Calls() {
			if c.Received.After(at) && c.Status >= 400 {
				made[c.Method+" "+c.Path]++
			}
		}
		for call, n := range made {
			most := 1
			if strings.HasPrefix(call, "POST") {
				most = 2 // with the picture, and without
			}
			if n > most {
				t.Errorf("%s was refused %d times", call, n)
			}
		}
		if len(made) != 2 {
			t.Errorf("refused: %v", made)
		}
	})
}

// A token that Discord takes no more, though by the bot's clock it should, is tried once in a send.
func TestLapsedTokenOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		standin.EnterBubble()
		h := open(t, standin.Options{Lenient: true})
		h.Member("ann").Slash("#gomoku", "/play with:engines game:gomoku")
		h.settle()
		h.Advance(16 * time.Minute) // Discord's clock alone
		h.Deny("#gomoku", "bot", standin.PermSendMessages)
		h.DeleteMessage(h.Messages("#gomoku")[0].ID)
		before := len(h.Calls())
		time.Sleep(20 * time.Second)
		n := 0
		for _, c := range h.Calls()[before:] {
			if strings.HasPrefix(c.Path, "/webhooks/") {
				n++
			}
		}
		testkit.Want(t, "calls with the token", n, 1)
	})
}
