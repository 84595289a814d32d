package bot

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/standin"
	"tengen/internal/testkit"
	"tengen/storage/kv"
)

// story is what members do while the bot dies between two of its steps: at a transaction or a call to Discord,
// before or after its effect. It is told again and again, and the bot dies one step later each time, until it
// lives through the act. The members act again once the bot is up, since the act may be lost.
type story struct {
	name  string       // a kind of things, and what happens to one of them
	scene func(*world) // what there is before
	act   func(*world) // what goes on while the bot dies
	holds func(*world) // judges the end

	done   func(*world) bool // says that the act need not be repeated; nil: it is repeated once, if the bot died
	left   func(*world)      // looks at what a dead process has left in the store
	down   []time.Duration   // how long no process comes up, by turns of the step; none: not at all
	within time.Duration     // how long the act may take; 0: ten seconds
	rounds int               // how often there is an act, in each of which the bot dies; 0: once
	most   int64             // the last step that is tried; 0: the last one of the act
}

func minutes(all ...time.Duration) []time.Duration {
	for i := range all {
		all[i] *= time.Minute
	}
	return all
}

var stories = slices.Concat([]story{
	// A call is never left standing and never sent twice.
	{name: "call/a move calls", scene: midGame(3 * time.Minute), act: pressesD4, holds: called("bob", 1)},
	{name: "call/a typed move calls", scene: midGame(3 * time.Minute), act: typesD4, holds: called("bob", 1)},
	{name: "call/time calls", scene: midGame(115 * time.Second), act: passes(25 * time.Second), holds: called("ann", 1)},
	{name: "call/a new board calls", scene: after(midGame(3*time.Minute), cydTalks), act: pressesD4, holds: called("bob", either)},
	{name: "call/an old board is replaced", scene: midGame(55 * time.Minute), act: typesD4, holds: called("bob", 0)},
	{name: "call/who is called moves", scene: bobCalled, act: press("bob", "E6"), holds: called("", 0)},
	{name: "call/a challenge is accepted", scene: after(annChallenges, passes(5*time.Minute)), act: press("bob", "Accept"), holds: called("ann", 1)},
	{name: "call/a move calls and the bot stays down", scene: midGame(3 * time.Minute), act: pressesD4, down: minutes(5), holds: called("bob", 1)},
	{name: "call/a move calls where nothing can be read", scene: after(denied(standin.PermReadHistory), midGame(3*time.Minute)), act: pressesD4, holds: called("bob", 1)},
	{name: "call/a new board by time and the bot stays down", scene: buried, act: passes(25 * time.Second), down: minutes(5), holds: called("ann", either)},
	{name: "call/a new board of a mute bot", scene: after(denied(standin.PermSendMessages), buried), act: passes(25 * time.Second), holds: called("ann", either)},
	{name: "call/a new board of a mute bot that stays down", scene: after(denied(standin.PermSendMessages), buried), act: passes(25 * time.Second), down: minutes(5), holds: called("ann", either)},
	{name: "call/a call by the bot and the bot stays down", scene: midGame(20 * time.Minute), act: typesD4, down: minutes(5), holds: called("bob", 1)},
	{name: "call/the board comes down", scene: bobCalled, act: slash("ann", "/game do:board"), holds: called("", 1)},

	// The engine owes one move for each of a member's, whoever dies meanwhile.
	{name: "turn/a move against the bot", scene: annPlaysTheBot, act: pressesD4, holds: theBotHasAnswered},

	// Where the bot was only brought along, a death may leave a second board. It goes away as soon as somebody
	// presses it.
	{name: "brought along/a move calls", scene: broughtAlong, act: pressesD4InTheTavern, holds: oneBoardOnceTheyArePressed},
	{name: "brought along/a move calls and the bot stays down", scene: broughtAlong, act: pressesD4InTheTavern, down: minutes(20), holds: oneBoardOnceTheyArePressed},

	// A tournament has one message, and stands in the server's list of events once, as it is.
	{name: "cup/made", scene: danManages, act: makesCup, done: cupIsThere, holds: listed("Cup 1")},
	{name: "cup/renamed", scene: cupOfTwo, act: setsCup("Spring Cup", "yes"), holds: listed("Spring Cup 1")},
	{name: "cup/begun", scene: cupOfTwo, act: managesCup("start"), holds: listed("Cup 2")},
	{name: "cup/over", scene: after(cupOfTwo, managesCup("start"), passes(13*time.Second)), act: endsCup, holds: listed("Cup 3")},
	{name: "cup/called off", scene: cupOfTwo, act: endsCup, holds: listed("Cup 4")},
	{name: "cup/switched off", scene: cupOfTwo, act: setsCup("Cup", "no"), holds: listed("")},
	{name: "cup/a new message", scene: after(cupOfTwo, passes(time.Hour)), act: press("dan", "Join"), down: minutes(6), holds: listed("Cup 1")},

	// A weekly cup is repeated once, and who is removed from it is told once.
	{name: "weekly cup/repeated", scene: aboutToBegin, act: passes(40 * time.Second), holds: cupsAre(2, "")},
	{name: "weekly cup/repeated late", scene: aboutToBegin, act: passes(40 * time.Second), down: minutes(180), holds: cupsAre(2, "")},
	{name: "weekly cup/told", scene: weeklyCup, act: removesCyd, holds: cupsAre(1, "was removed from the tournament")},
	{name: "weekly cup/told late", scene: weeklyCup, act: removesCyd, down: minutes(6), holds: cupsAre(1, "was removed from the tournament")},

	// A member is reminded once of a quarter of a round, and once of its half.
	{name: "round/a quarter", scene: round(6 * time.Hour), act: passes(140 * time.Second), most: 16, holds: remindedOnce},
	{name: "round/its half", scene: round(12 * time.Hour), act: passes(140 * time.Second), most: 16, holds: remindedOnce},

	// At its half the one who has come has the point, once, and a board is replayed whole or not at all.
	{name: "round/its half with one there", scene: after(round(12*time.Hour), whiteIsHere), act: passes(140 * time.Second), most: 16, holds: whiteHasThePoint},
	{name: "round/a board is replayed", scene: round(time.Hour), act: replaysTheBoard, done: boardIsReplayed, holds: oneFreshBoard},

	// The standings stand in one message, and a challenge is settled once.
	{name: "ladder/joining", scene: ladderOfTwo, act: press("cyd", "Join"), holds: ladderIs("ann bob cyd, 0")},
	{name: "ladder/a challenge", scene: ladderOfTwo, act: bobChallenges, holds: ladderIs("ann bob, 1")},
	{name: "ladder/declining", scene: after(ladderOfTwo, bobChallenges), act: press("ann", "Decline"), holds: ladderIs("bob ann, 0")},
	{name: "ladder/a new message", scene: after(ladderOfTwo, passes(time.Hour)), act: press("cyd", "Join"), holds: ladderIs("ann bob cyd, 0")},
	{name: "ladder/a new message and the bot stays down", scene: after(ladderOfTwo, passes(time.Hour)), act: press("cyd", "Join"), down: minutes(6), holds: ladderIs("ann bob cyd, 0")},

	// No vote that was answered is lost, no move is played twice, and the board stands in one message.
	{name: "vote/a move", scene: voting, act: threeVote, done: votesAreIn, left: noVoteIsLost, within: 50 * time.Second, down: minutes(0, 3, 6), holds: twoMovesOnOneBoard},

	// Each opponent gets one game and one board, and the simul has one message.
	{name: "simul/begun", scene: simulOfTwo, act: cydJoinsAndAnnStarts, done: simulHasBegun, within: 50 * time.Second, down: minutes(0, 3, 6), holds: eachOpponentHasABoard},
}, openingStories, welcomeStories, ifThenStories)

// Whatever step the bot dies at, what a story says holds. TENGEN_EVERY_STEP=1 tries every step, 3 every third.
// Stories beside one another begin at other steps. A step that -run, -skip or -failfast leaves out tells nothing.
func TestKilledAtEachStep(t *testing.T) {
	t.Parallel()
	every := testkit.Dose("TENGEN_EVERY_STEP", 5)
	for i, c := range stories {
		t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			first, lived := int64(1+i%every), false
			for fuse := first; !lived && fuse <= cmp.Or(c.most, 200); fuse += int64(every) {
				told := false
				if !t.Run(fmt.Sprint("step=", fuse), func(t *testing.T) {
					told = true
					lived = c.tell(t, fuse)
				}) {
					return
				}
				switch {
				case lived && fuse == first:
					t.Error("the bot does not die")
				case told && !lived && c.most == 0 && fuse+int64(every) > 200:
					t.Error("the act does not end")
				}
			}
		})
	}
}

// A test whose steps or conversations were left out has found nothing, and does not fail for it. Of two patterns that
// match, -skip takes the first.
func TestStepsLeftOut(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0], "-test.v", "-test.timeout", "1m",
		"-test.run", "^TestKilledAtEachStep$|^TestChannelsAreKept$",
		"-test.skip", "^TestChannelsAreKept$/talks|///step=")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "--- PASS") < len(stories) {
		t.Errorf("%v\n%s", err, out)
	}
}

// world is where a story happens: a bot that can die, in a bubble.
type world struct {
	*simulation
	round   int
	down    time.Duration   // how long no process came up
	posted  int             // messages before the act
	version uint32          // of the match before the act
	heard   map[string]bool // members whose votes the bot has answered
}

// newWorld starts a world, which ends with the test. called hears of the calls to Discord.
func newWorld(t *testing.T, called func(standin.Call)) *world {
	today()
	s := &simulation{rng: rand.New(rand.NewPCG(1, 7)), logs: &testkit.Log{}, story: &testkit.Log{}, ledger: newLedger(),
		slips: &dice{rng: rand.New(rand.NewPCG(1, 8))}, misses: true}
	s.found = s.ledger.thoughtOf
	server := standin.Start(standin.Options{Lenient: true, Heartbeat: 10 * time.Hour, Sent: s.ledger.note,
		Posted: s.ledger.call, Called: called, Outdated: outdated(t)})
	s.house = &house{Server: server, t: t, engine: kv.NewMemory()}
	s.rise()
	t.Cleanup(func() { s.still(); s.stop(); server.Close() })
	for _, name := range []string{"ann", "bob", "cyd", "dan"} {
		s.Member(name)
	}
	return &world{simulation: s, heard: map[string]bool{}}
}

// tell tells a story in which the bot dies at its fuse-th transaction or call of each act. lived reports that all
// acts were over before.
func (c story) tell(t *testing.T, fuse int64) (lived bool) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.ledger.actedBy("ann")
		w.ledger.actedBy("bob")
		c.scene(w)
		w.ledger.actedBy("ann")
		w.ledger.actedBy("bob")
		w.calm()
		w.posted = len(w.ledger.posted)
		if len(c.down) > 0 {
			w.down = c.down[fuse%int64(len(c.down))]
		}
		lived = true
		for w.round = range max(c.rounds, 1) {
			died := c.dies(w, fuse)
			for try := 0; try < 3 && c.done != nil && !c.done(w); try++ {
				c.act(w)
				w.calm()
			}
			if died && c.done == nil {
				c.act(w)
			}
			lived = lived && !died
		}
		if c.holds(w); len(w.bad) > 0 {
			t.Error(strings.Join(w.bad, "\n"))
		}
	})
	return lived
}

// dies has the bot die in an act, and starts another one. It is false where the act was over before.
func (c story) dies(w *world, fuse int64) bool {
	w.mortal.fuse.Store(fuse)
	c.act(w)
	select {
	case <-w.mortal.died:
	case <-time.After(cmp.Or(c.within, 10*time.Second)):
	}
	died := w.mortal.dead.Load()
	if died {
		w.fall()
		if c.left != nil {
			c.left(w)
		}
		time.Sleep(w.down)
		w.rise()
		w.calm()
	}
	w.mortal.fuse.Store(-1)
	return died
}
