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

// callStory is what leads to a call, the act during which the bot dies, and what then stands in
// the channel: a board, and a call or none. The member whom the act makes to be called is called
// once.
type callStory struct {
	name   string
	before func(ann, bob, cyd *standin.Member)
	act    func(ann, bob *standin.Member)
	calls  int
	pings  string // who is called by the act; "": nobody

	down time.Duration // how long no process comes up after the death
	deny uint64        // what the bot may not do there
}

// either is a call or none: a bot that came up again does not know who wrote below a board.
const either = -1

// midGame is a game in which Bob has moved last, and which Ann has then let wait for so long.
func midGame(wait time.Duration) func(ann, bob, cyd *standin.Member) {
	return func(ann, bob, cyd *standin.Member) {
		ann.Slash(callPlace, "/play member opponent:@bob game:gomoku9 color:black")
		bob.Press(callPlace, "Accept")
		ann.Press(callPlace, "E5")
		bob.Press(callPlace, "F6")
		time.Sleep(wait)
	}
}

// buried is a game below whose board others have written, soon before Ann is called.
func buried(ann, bob, cyd *standin.Member) {
	midGame(100*time.Second)(ann, bob, cyd)
	cyd.Says(callPlace, "Who is winning?")
	cyd.Slash(callPlace, "/ping")
}

func waits(_, _ *standin.Member) { time.Sleep(25 * time.Second) }

func pressD4(ann, _ *standin.Member) { ann.Press(callPlace, "D4") }

var callStories = []callStory{
	{"a move calls", midGame(3 * time.Minute), pressD4, 1, "bob", 0, 0},
	{"a typed move calls", midGame(3 * time.Minute), func(ann, _ *standin.Member) { ann.Slash(callPlace, "/move at:D4") }, 1, "bob", 0, 0},
	{"time calls", midGame(115 * time.Second), waits, 1, "ann", 0, 0},
	{"a new board calls", func(ann, bob, cyd *standin.Member) {
		midGame(3*time.Minute)(ann, bob, cyd)
		cyd.Says(callPlace, "Who is winning?")
	}, pressD4, either, "bob", 0, 0},
	{"an old board is replaced", midGame(55 * time.Minute), func(ann, _ *standin.Member) { ann.Slash(callPlace, "/move at:D4") }, 0, "bob", 0, 0},
	{"who is called moves", func(ann, bob, cyd *standin.Member) {
		midGame(3*time.Minute)(ann, bob, cyd)
		ann.Press(callPlace, "D4")
		time.Sleep(time.Second)
	}, func(_, bob *standin.Member) { bob.Press(callPlace, "E6") }, 0, "", 0, 0},
	{"a challenge is accepted", func(ann, _, _ *standin.Member) {
		ann.Slash(callPlace, "/play member opponent:@bob game:gomoku9 color:black")
		time.Sleep(5 * time.Minute)
	}, func(_, bob *standin.Member) { bob.Press(callPlace, "Accept") }, 1, "ann", 0, 0},
	{name: "a move calls and the bot stays down", before: midGame(3 * time.Minute), act: pressD4, calls: 1, pings: "bob", down: 5 * time.Minute},
	{name: "a move calls where nothing can be read", before: midGame(3 * time.Minute), act: pressD4, calls: 1, pings: "bob", deny: standin.PermReadHistory},
	{name: "a new board by time and the bot stays down", before: buried, act: waits, calls: either, pings: "ann", down: 5 * time.Minute},
	{name: "a new board of a mute bot", before: buried, act: waits, calls: either, pings: "ann", deny: standin.PermSendMessages},
	{name: "a new board of a mute bot that stays down", before: buried, act: waits, calls: either, pings: "ann", down: 5 * time.Minute, deny: standin.PermSendMessages},
	{name: "a call by the bot and the bot stays down", before: midGame(20 * time.Minute),
		act: func(ann, _ *standin.Member) { ann.Slash(callPlace, "/move at:D4") }, calls: 1, pings: "bob",
		down: 5 * time.Minute},
	{"the board comes down", func(ann, bob, cyd *standin.Member) {
		midGame(3*time.Minute)(ann, bob, cyd)
		ann.Press(callPlace, "D4")
		time.Sleep(time.Second)
	}, func(ann, _ *standin.Member) { ann.Slash(callPlace, "/board") }, 1, "", 0, 0},
}

// tell runs a story in which the bot dies at its fuse-th transaction or call from the act on, and
// gives what went wrong. lived reports that the act was over before.
func (c callStory) tell(t *testing.T, fuse int64) (bad wrongs, lived bool) {
	synctest.Test(t, func(t *testing.T) {
		s, end := callWorld(t, nil)
		defer end()
		s.Deny(callPlace, "tengen", c.deny)
		ann, bob, cyd := s.Member("ann").Try(), s.Member("bob").Try(), s.Member("cyd").Try()
		for _, name := range []string{"ann", "bob"} {
			s.ledger.acts[name] = []time.Time{time.Now()}
		}
		c.before(ann, bob, cyd)
		for _, name := range []string{"ann", "bob"} {
			s.ledger.actedBy(name)
		}
		s.calm()
		pinged := len(s.ledger.posted)

		act := func() { c.act(ann, bob) }
		lived = s.dies(death{fuse: fuse, within: 5 * time.Second, down: c.down}, act, act)
		for range 2 {
			s.calm()
			s.bot.screens.RetryLate(s.bot.now())
		}
		s.calm()
		var recs []storage.Record
		s.store.Live(t.Context(), func(rec storage.Record) bool { recs = append(recs, rec); return true })
		s.judgeCalls(recs, &bad)
		for _, rec := range recs {
			s.judgeScreen(t.Context(), rec, &bad)
			all := s.standing(recs)[rec.ID]
			if len(all.boards) != 1 || len(all.calls) != c.calls && c.calls != either {
				bad.add("%d boards and %d calls, want 1 and %d\n%s", len(all.boards), len(all.calls), c.calls, ann.Sees(callPlace))
			}
		}
		pings := ""
		for _, p := range s.ledger.posted[pinged:] {
			pings += strings.Join(p.whom, " ")
		}
		if pings != c.pings {
			bad.add("%q was called, want %q", pings, c.pings)
		}
		if len(recs) != 1 {
			bad.add("%d matches", len(recs))
		}
	})
	return bad, lived
}

// A call is never left standing and never sent twice, whatever step of it the bot dies at: a
// transaction or a call to Discord, before or after its effect. TENGEN_CALL_STEPS=1 tries every
// step, 3 every third.
func TestKilledBetweenStepsOfACall(t *testing.T) {
	t.Parallel()
	for i, c := range callStories {
		storyAtEachStep(t, "TENGEN_CALL_STEPS", 5, i, c.name, c.tell)
	}
}

// Where the bot was only brought along, and the board's token is over, a move that calls sends the
// board by a follow-up, which nobody can find whose reply was lost. A bot that dies there may so
// leave a second board. It goes away as soon as somebody presses it, whatever they press; or it is
// the live one from then on, where the other can be edited no more.
func TestKilledWhereBroughtAlong(t *testing.T) {
	t.Parallel()
	for _, down := range []time.Duration{0, 20 * time.Minute} {
		t.Run(fmt.Sprint("down=", down), func(t *testing.T) { killedWhereBroughtAlong(t, down) })
	}
}

func killedWhereBroughtAlong(t *testing.T, down time.Duration) {
	const hall = "Tavern#hall"
	twice := 0
	atEachStep(t, "TENGEN_CALL_STEPS", 2, 0, func(t *testing.T, fuse int64) (bad wrongs, lived bool) {
		synctest.Test(t, func(t *testing.T) {
			s, end := callWorld(t, nil)
			defer end()
			s.AddGuild("Tavern", false, "hall")
			ann, bob := s.Member("ann").Try(), s.Member("bob").Try()
			ann.Installs()
			bob.Installs()
			ann.Slash(hall, "/play open game:gomoku9 color:black")
			bob.Press(hall, "Play")
			ann.Press(hall, "E5")
			bob.Press(hall, "F6")
			time.Sleep(20 * time.Minute)
			s.calm()

			act := func() { ann.Press(hall, "D4") }
			lived = s.dies(death{fuse: fuse, within: 5 * time.Second, down: down}, act, act)
			s.calm()
			standing := func() (boards []standin.Message) {
				for _, m := range bob.Messages(hall) {
					if len(customIDs(m.Components, ":play:")) > 0 {
						boards = append(boards, m)
					}
				}
				return boards
			}
			boards := standing()
			if len(boards) == 0 && down > 0 { // a line of the old one stands, and its token is over
				ann.Slash(hall, "/board")
				boards = standing()
			}
			if len(boards) == 0 || len(boards) > 2 {
				t.Fatalf("%d boards\n%s", len(boards), bob.Sees(hall))
			}
			if len(boards) == 2 {
				twice++
			}
			for i, m := range boards {
				by := []*standin.Member{bob, ann}[i%2]
				by.PressStale(m.ID, customIDs(m.Components, ":play:")[i])
				s.calm()
			}
			boards = standing()
			if len(boards) != 1 || !strings.Contains(textOf(boards[0].Components), "move 5") &&
				!strings.Contains(textOf(boards[0].Components), "move 6") {
				t.Errorf("then\n%s", bob.Sees(hall))
			}
		})
		return bad, lived
	})
	t.Logf("%d of the deaths left a second board", twice)
}
