package bot

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/standin"
	"tengen/storage"
)

// cupStory is a tournament with its message, in the server's list of events, and the act of its host
// during which the bot dies.
type cupStory struct {
	name   string
	before []func(host *standin.Member)
	act    func(host *standin.Member)
	want   string        // what the list has afterwards
	down   time.Duration // how long no process comes up after the death
}

const manageMenu = "What would you like to do?"

func makesCup(host *standin.Member) {
	host.Slash(callPlace, "/event create").Submit(standin.Opt{"name", "Cup"}, standin.Opt{"kind", "knockout"},
		standin.Opt{"game", "gomoku9"}, standin.Opt{"starts", "2h"})
}

func managesCup(act string) func(host *standin.Member) {
	return func(host *standin.Member) {
		host.Press(callPlace, "Manage")
		host.Choose(callPlace, manageMenu, act)
	}
}

func setsCup(name, listed string) func(host *standin.Member) {
	return func(host *standin.Member) {
		host.Press(callPlace, "Manage")
		host.Choose(callPlace, manageMenu, "when").Submit(standin.Opt{"name", name}, standin.Opt{"starts", "3h"},
			standin.Opt{"listed", listed})
	}
}

func endsCup(host *standin.Member) {
	managesCup("end")(host)
	host.Press(callPlace, "End the tournament…")
}

func joinsCup(host *standin.Member) { host.Press(callPlace, "Join") }

func waitsForCup(*standin.Member) { time.Sleep(time.Hour) }

var cupStories = []cupStory{
	{"made", nil, makesCup, "Cup 1", 0},
	{"renamed", []func(*standin.Member){makesCup}, setsCup("Spring Cup", "yes"), "Spring Cup 1", 0},
	{"begun", []func(*standin.Member){makesCup}, managesCup("start"), "Cup 2", 0},
	{"over", []func(*standin.Member){makesCup, managesCup("start")}, endsCup, "Cup 3", 0},
	{"called off", []func(*standin.Member){makesCup}, endsCup, "Cup 4", 0},
	{"switched off", []func(*standin.Member){makesCup}, setsCup("Cup", "no"), "", 0},
	{"a new message", []func(*standin.Member){makesCup, waitsForCup}, joinsCup, "Cup 1", 6 * time.Minute},
}

// tell runs a story in which the bot dies at its fuse-th transaction or call from the act on, and gives
// what went wrong. lived reports that the act was over before.
func (c cupStory) tell(t *testing.T, fuse int64) (bad wrongs, lived bool) {
	synctest.Test(t, func(t *testing.T) {
		s, end := callWorld(t, nil)
		defer end()
		host := s.Member("dan").Try()
		host.Moderates("", standin.PermManageGuild)
		s.Member("bot").Moderates("", standin.PermCreateEvents)
		for _, before := range c.before {
			before(host)
			time.Sleep(3 * time.Second)
			for _, name := range []string{"ann", "bob"} {
				s.Member(name).Try().Press(callPlace, "Join")
			}
			time.Sleep(10 * time.Second)
		}
		s.calm()

		lived = s.dies(death{fuse: fuse, within: 10 * time.Second, down: c.down}, func() { c.act(host) }, func() {
			if len(c.before) > 0 || len(s.cups()) == 0 { // lost, or it is refused
				c.act(host)
			}
		})
		time.Sleep(20 * time.Second)
		s.calm()
		cups := s.cups()
		if len(cups) != 1 {
			t.Fatalf("%d cups", len(cups))
		}
		if cups[0].ListingLate() {
			bad.add("its listing is behind: %+v", cups[0].Listing)
		}
		s.judgeNotice(host, "### 🏆", cups[0].Notice, cups[0].Version, &bad)
		var list []string
		for _, e := range s.Scheduled("") {
			list = append(list, fmt.Sprint(e.Name, " ", e.Status))
		}
		if got := strings.Join(list, ", "); got != c.want {
			bad.add("the list has %q, want %q", got, c.want)
		}
	})
	return bad, lived
}

// cups are the events that are stored.
func (s *simulation) cups() (all []storage.Event) {
	if err := s.store.Events(s.t.Context(), func(e storage.Event) bool { all = append(all, e); return true }); err != nil {
		s.t.Fatal(err)
	}
	return all
}

// A tournament has one message, and stands in the server's list of events once, as it is, whatever
// step the bot dies at. TENGEN_CUP_STEPS=1 tries every step, 4 every fourth.
func TestKilledBetweenStepsOfACup(t *testing.T) {
	t.Parallel()
	for i, c := range cupStories {
		storyAtEachStep(t, "TENGEN_CUP_STEPS", 6, i, c.name, c.tell)
	}
}
