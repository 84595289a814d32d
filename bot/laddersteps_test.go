package bot

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/standin"
	"tengen/game"
	"tengen/storage"
)

// ladderStory is what stands on a ladder of Ann and Bob, and the act during which the bot dies.
type ladderStory struct {
	name   string
	before func(ann, bob *standin.Member)
	act    func(ann, bob, cyd *standin.Member)
	want   string        // the order of the ladder afterwards, and how many games are under way
	down   time.Duration // how long no process comes up after the death
}

func bobChallenges(_, bob *standin.Member) {
	bob.Slash(callPlace, "/ladder show")
	bob.Choose(callPlace, "Whom do you challenge?", option(bob, "Place 1"))
}

// option is the value of the newest entry of a menu whose label begins so.
func option(m *standin.Member, label string) (value string) {
	var walk func([]standin.Component)
	walk = func(cs []standin.Component) {
		for _, c := range cs {
			for _, o := range c.Options {
				if strings.HasPrefix(o.Label, label) {
					value = o.Value
				}
			}
			walk(c.Components)
		}
	}
	for _, msg := range m.Messages(callPlace) {
		walk(msg.Components)
	}
	return value
}

var ladderStories = []ladderStory{
	{"joining", func(_, _ *standin.Member) {}, func(_, _, cyd *standin.Member) { cyd.Press(callPlace, "Join") }, "ann bob cyd, 0", 0},
	{"a challenge", func(_, _ *standin.Member) {}, func(ann, bob, _ *standin.Member) { bobChallenges(ann, bob) }, "ann bob, 1", 0},
	{"declining", bobChallenges, func(ann, _, _ *standin.Member) { ann.Press(callPlace, "Decline") }, "bob ann, 0", 0},
	{"a new message", func(_, _ *standin.Member) { time.Sleep(time.Hour) }, func(_, _, cyd *standin.Member) { cyd.Press(callPlace, "Join") }, "ann bob cyd, 0", 0},
	{"a new message and the bot stays down", func(_, _ *standin.Member) { time.Sleep(time.Hour) },
		func(_, _, cyd *standin.Member) { cyd.Press(callPlace, "Join") }, "ann bob cyd, 0", 6 * time.Minute},
}

// tell runs a story in which the bot dies at its fuse-th transaction or call from the act on, and
// gives what went wrong. lived reports that the act was over before.
func (c ladderStory) tell(t *testing.T, fuse int64) (bad wrongs, lived bool) {
	synctest.Test(t, func(t *testing.T) {
		s, end := callWorld(t, nil)
		defer end()
		ann, bob, cyd, dan := s.Member("ann").Try(), s.Member("bob").Try(), s.Member("cyd").Try(), s.Member("dan").Try()
		dan.Moderates("", standin.PermManageGuild)
		dan.Slash(callPlace, "/ladder setup game:gomoku")
		time.Sleep(3 * time.Second)
		ann.Press(callPlace, "Join")
		bob.Press(callPlace, "Join")
		c.before(ann, bob)
		time.Sleep(10 * time.Second)
		s.calm()

		act := func() { c.act(ann, bob, cyd) }
		lived = s.dies(death{fuse: fuse, within: 10 * time.Second, down: c.down}, act, act)
		time.Sleep(15 * time.Second)
		s.calm()
		l, err := s.store.Ladder(t.Context(), s.club().Server, game.Gomoku15)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%s, %d", s.names(l), len(l.Active)); got != c.want {
			bad.add("the ladder is %s, want %s", got, c.want)
		}
		standings := s.judgeNotice(ann, "### Ladder", l.Notice, l.Version, &bad)
		if strings.Count(standings, "**1500**") != len(l.Rungs) {
			bad.add("these are not %d members:\n%s", len(l.Rungs), standings)
		}
	})
	return bad, lived
}

// names are the members of a ladder, first place first.
func (s *simulation) names(l storage.Ladder) string {
	people := map[string]string{}
	for _, p := range s.People() {
		people[p.ID] = p.Username
	}
	var names []string
	for _, r := range l.Rungs {
		names = append(names, people[fmt.Sprint(uint64(r.ID))])
	}
	return strings.Join(names, " ")
}

// The standings stand in one message, and a challenge is settled once, whatever step the bot dies
// at: a transaction or a call to Discord, before or after its effect. TENGEN_LADDER_STEPS=1 tries
// every step, 4 every fourth.
func TestKilledBetweenStepsOfALadder(t *testing.T) {
	t.Parallel()
	for i, c := range ladderStories {
		storyAtEachStep(t, "TENGEN_LADDER_STEPS", 6, i, c.name, c.tell)
	}
}
