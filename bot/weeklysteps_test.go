package bot

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/standin"
	"tengen/storage"
)

// weeklyStory is a weekly cup that begins, or of which a member is removed, while the bot dies.
type weeklyStory struct {
	name string
	act  func(host *standin.Member)
	cups int    // how many there are afterwards
	told string // what members are told once
	down time.Duration
}

func begins(*standin.Member) { time.Sleep(40 * time.Second) }

func removesCyd(host *standin.Member) {
	host.Press(callPlace, "Manage")
	host.Choose(callPlace, manageMenu, "remove").Submit(standin.Opt{"number", "2"}, standin.Opt{"reason", "never there"})
}

var weeklyStories = []weeklyStory{
	{"repeated", begins, 2, "", 0},
	{"repeated late", begins, 2, "", 3 * time.Hour},
	{"told", removesCyd, 1, "from the tournament (reason: never there)", 0},
	{"told late", removesCyd, 1, "from the tournament (reason: never there)", 6 * time.Minute},
}

func (c weeklyStory) tell(t *testing.T, fuse int64) (bad wrongs, lived bool) {
	synctest.Test(t, func(t *testing.T) {
		s, end := callWorld(t, nil)
		defer end()
		host := s.Member("dan").Try()
		host.Moderates("", standin.PermManageGuild)
		makesCup(host)
		time.Sleep(3 * time.Second)
		for _, name := range []string{"ann", "bob", "cyd"} {
			s.Member(name).Try().Press(callPlace, "Join")
		}
		host.Press(callPlace, "Manage")
		host.Choose(callPlace, manageMenu, "when").Submit(standin.Opt{"name", "Cup"}, standin.Opt{"starts", "3h"},
			standin.Opt{"repeat", "weekly"}, standin.Opt{"listed", "no"})
		if c.told == "" {
			time.Sleep(3*time.Hour - 20*time.Second) // it begins in a moment
		}
		time.Sleep(10 * time.Second)
		s.calm()

		lived = s.dies(death{fuse: fuse, within: 10 * time.Second, down: c.down}, func() { c.act(host) }, func() {
			if c.told != "" {
				c.act(host)
			}
		})
		time.Sleep(time.Minute)
		s.calm()
		weekly := 0
		for _, e := range s.cups() {
			if e.Weekly {
				weekly++
			}
			if e.Untold > 0 || e.Late() {
				bad.add("%d lines are untold, late %v", e.Untold, e.Late())
			}
		}
		if n := len(s.cups()); n != c.cups || weekly != 1 {
			bad.add("%d cups, %d of them weekly, want %d", n, weekly, c.cups)
		}
		messages, told := 0, 0
		for _, text := range messagesIn(s.Member("ann").Sees(callPlace)) {
			if strings.Contains(text, "only you") {
				continue
			}
			messages += strings.Count(text, "### 🏆")
			told += strings.Count(text, c.told)
		}
		if messages != c.cups || c.told != "" && told != 1 {
			bad.add("%d messages, want %d; told %d times\n%s", messages, c.cups, told, s.Member("ann").Sees(callPlace))
		}
		if _, err := storage.Verify(t.Context(), s.engine); err != nil {
			bad.add("%v", err)
		}
	})
	return bad, lived
}

// A weekly cup is repeated once, and a member is told once, whatever step the bot dies at. TENGEN_CUP_STEPS=1 tries
// every step, 4 every fourth.
func TestKilledBetweenStepsOfAWeeklyCup(t *testing.T) {
	t.Parallel()
	for i, c := range weeklyStories {
		storyAtEachStep(t, "TENGEN_CUP_STEPS", 6, i, c.name, c.tell)
	}
}
