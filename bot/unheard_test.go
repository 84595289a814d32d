package bot

import (
	"slices"
	"testing"
	"time"

	"tengen/bot/standin"
	"tengen/internal/testkit"
	"tengen/storage"
)

// A board that its place refused comes by itself once the place takes it again: within a
// minute of news of the place, and within some minutes where there was none.
func TestBoardAfterRefusal(t *testing.T) {
	const soon, unheard = time.Minute + 10*time.Second, 6*time.Minute + 10*time.Second
	kick := func(h *house) { h.KickBot("") }
	invite := func(h *house) { h.InviteBot("") }
	hide := func(h *house) { h.Deny("#gomoku", "bot", standin.PermViewChannel) }
	permit := func(h *house) { h.Permit("#gomoku", "bot") }
	missed := standin.Plan{Events: standin.EventFaults{Miss: 1}}
	for _, test := range []struct {
		name       string
		away, back func(*house)
		leaving    standin.Plan // while it is away
		returning  standin.Plan
		thread     bool
		within     time.Duration
	}{
		{"a channel hidden and shown", hide, permit, standin.Plan{}, standin.Plan{}, false, soon},
		{"hidden unheard", hide, permit, missed, standin.Plan{}, false, soon},
		{"shown unheard", hide, permit, standin.Plan{}, missed, false, unheard},
		{"away unheard", kick, invite, missed, standin.Plan{}, false, soon},
		{"away and back unheard", kick, invite, missed, missed, false, unheard},
		{"a thread away unheard", kick, invite, missed, standin.Plan{}, true, soon},
		{"a thread hidden with its channel", hide, permit, standin.Plan{}, standin.Plan{}, true, unheard},
	} {
		testkit.Bubble(t, test.name, func(t *testing.T) {
			h := watchedIn(t, test.thread)
			h.SetPlan(test.leaving)
			test.away(h)
			time.Sleep(20 * time.Second)
			if !h.behind() {
				t.Fatal("the place refuses nothing")
			}
			h.SetPlan(test.returning)
			test.back(h)
			time.Sleep(test.within)
			if h.behind() {
				t.Errorf("the board is behind after %v", test.within)
			}
		})
	}
}

// watchedIn opens a bot with a game between engines in a channel, or in a thread of it, whose
// token has expired.
func watchedIn(t *testing.T, thread bool) *house {
	t.Helper()
	if !thread {
		return watched(t, 1)
	}
	h, in := inThread(t, "/play opponent:@bob game:gomoku9")
	h.Member("ann").Slash(in.ID, "/play with:engines game:gomoku")
	h.later(20 * time.Minute)
	time.Sleep(10 * time.Second)
	return h
}

// behind reports whether a board does not show what it should.
func (h *house) behind() bool {
	return slices.ContainsFunc(testkit.Got(h.store.Late(h.t.Context(), time.Time{})), storage.Screen.Late)
}
