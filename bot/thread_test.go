package bot

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/standin"
	"tengen/bot/standin/schema"
	"tengen/game"
	"tengen/internal/testkit"
	"tengen/storage"
)

// inThread opens a bot, and a game of ann's in a thread that stands in #gomoku.
func inThread(t *testing.T, line string, change ...func(*Config)) (h *house, thread standin.Place) {
	t.Helper()
	standin.EnterBubble()
	h = open(t, standin.Options{Checker: schema.Shared(t)}, change...)
	for _, name := range []string{"ann", "bob", "cyd"} {
		h.Member(name)
	}
	h.Member("ann").Slash("#gomoku", line+" thread:true")
	h.settle()
	for _, p := range h.Places() {
		if p.Parent != "" {
			thread = p
		}
	}
	if thread.ID == "" {
		t.Fatal("no thread")
	}
	return h, thread
}

// entered are the members who were added to a thread, by name.
func (h *house) entered(thread string) (names []string) {
	id := map[string]string{}
	for _, u := range h.People() {
		id[u.ID] = u.Username
	}
	for _, c := range h.Calls() {
		if who, ok := strings.CutPrefix(c.Path, "/channels/"+thread+"/thread-members/"); ok && c.Status == 204 {
			names = append(names, id[who])
		}
	}
	slices.Sort(names)
	return names
}

// The players are added to the thread of their game: those who are there at its beginning, and who
// accepts an open challenge later.
func TestPlayersEnterTheThread(t *testing.T) {
	for _, test := range []struct{ line, first, then string }{
		{"/play with:bot game:gomoku9 level:1", "[ann]", "[ann]"},
		{"/play opponent:@bob game:gomoku9", "[ann bob]", "[ann bob]"},
		{"/play with:anyone game:gomoku9", "[ann]", "[ann ann bob]"},
	} {
		testkit.Bubble(t, test.line, func(t *testing.T) {
			h, thread := inThread(t, test.line)
			testkit.Want(t, "at first", fmt.Sprint(h.entered(thread.ID)), test.first)
			if strings.HasPrefix(test.line, "/play with:anyone") {
				h.Member("bob").Press(thread.ID, "Play")
				h.settle()
			}
			testkit.Want(t, "then", fmt.Sprint(h.entered(thread.ID)), test.then)
		})
	}
}

// A thread without messages stays awake for a week: moves of three days each are made in it as
// commands, which an archived thread does not take.
func TestThreadStaysAwake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, thread := inThread(t, "/play opponent:@bob game:gomoku9 color:black")
		h.Member("bob").Press(thread.ID, "Accept")
		h.settle()
		h.later(3*24*time.Hour - time.Hour)
		if a := h.Member("ann").Try().Slash(thread.ID, "/move at:E5"); a.Failed != "" {
			t.Error(a.Failed)
		}
	})
}

// A press in an archived thread is answered by the board, and the thread is awake again. So it is
// after a move that nobody in the thread has made.
func TestPressWakesTheThread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, thread := inThread(t, "/play with:bot game:gomoku9 level:1 color:black")
		h.Archive(thread.ID)
		before := len(h.Messages(thread.ID))
		ann := h.Member("ann").Try()
		a := ann.Press(thread.ID, "E5")
		h.settle()
		inPlace := a.Type == 7 && len(h.Messages(thread.ID)) == before
		if a.Failed != "" || !inPlace || !strings.Contains(ann.Sees(thread.ID), "move 3") {
			t.Errorf("answered by type %d %s, %d messages after %d", a.Type, a.Failed, len(h.Messages(thread.ID)), before)
		}
		if a := ann.Slash(thread.ID, "/games"); a.Failed != "" {
			t.Error(a.Failed)
		}
	})
}

// A thread that was locked stays as it is, and its game rests. A board that cannot be shown
// there costs each call once, whether it was to be an edit or a new message.
func TestLockedThread(t *testing.T) {
	for _, anew := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			h, thread := inThread(t, "/play opponent:@bob game:gomoku9 color:black clock:1h")
			h.Member("bob").Press(thread.ID, "Accept")
			h.settle()
			h.Lock(thread.ID)
			rec := h.live()[0]
			now := h.bot.now()
			_, err := h.store.Update(t.Context(), rec.ID, storage.Cause{At: now}, func(m game.Match) (game.Match, error) {
				return m.Anew(now), nil
			})
			testkit.Must(t, err)
			before := len(h.Calls())
			h.bot.screens.Refresh(rec.ID, anew)
			h.settle()
			if h.live()[0].Rested.IsZero() {
				t.Error("the clock runs")
			}
			made := map[string]int{}
			for _, c := range h.Calls()[before:] {
				if made[c.Method+c.Path]++; made[c.Method+c.Path] > 1 {
					t.Errorf("anew %v: %s %s again", anew, c.Method, c.Path)
				}
			}
			if len(made) == 0 {
				t.Error("no calls")
			}
		})
	}
}
