package bot

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/servers"
	"tengen/bot/standin"
	"tengen/game"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
)

// transports are the two ways by which a bot in fake time hears of interactions.
var transports = map[string]func() *door{"gateway": func() *door { return nil },
	"http": func() *door { return &door{pipes: true} }}

// twoServers opens a bot in two servers, with a game of ann's in each: the first with a clock.
func twoServers(t *testing.T, d *door) *house {
	t.Helper()
	standin.EnterBubble()
	h := openBy(t, d, standin.Options{Lenient: true})
	h.AddGuild(elsewhere, true, "hall")
	time.Sleep(15 * time.Minute) // over HTTP the bot hears of it from the next list
	ann := h.Member("ann")
	h.Member("bob")
	ann.Slash("#gomoku", "/play opponent:@bob game:gomoku9 color:black clock:1h")
	h.Member("bob").Press("#gomoku", "Accept")
	ann.Press("#gomoku", "E5")
	h.Member("bob").Press("#gomoku", "E6")
	ann.Slash(elsewhere+"#hall", "/play with:bot game:gomoku9 level:1 color:black")
	ann.Press(elsewhere+"#hall", "E5")
	ann.Waits(elsewhere+"#hall", "move 3")
	h.settle()
	return h
}

// startAnew starts the bot after so long a pause that the gateway has forgotten its session.
// Discord has changed meanwhile.
func (h *house) startAnew(change func()) {
	h.t.Helper()
	h.stop()
	change()
	time.Sleep(30 * time.Minute)
	h.start()
	time.Sleep(10 * time.Second)
}

// ends tells of each match whether it runs, rests or is over; running ones come first.
func (h *house) ends() (out []string) {
	h.t.Helper()
	note := func(rec storage.Record) bool {
		switch {
		case rec.Phase == game.Over:
			out = append(out, "over")
		case !rec.Rested.IsZero():
			out = append(out, "rests")
		default:
			out = append(out, "runs")
		}
		return true
	}
	testkit.Must(h.t, h.store.Live(h.t.Context(), note))
	testkit.Must(h.t, h.store.Archive(h.t.Context(), note))
	return out
}

func (h *house) wantEnds(when, want string) {
	h.t.Helper()
	if got := strings.Join(h.ends(), " "); got != want {
		h.t.Errorf("%s: %s, want %s", when, got, want)
	}
}

// pass lets time pass, the last of it with the bot at work: it asks for servers every ten minutes.
func (h *house) pass(d time.Duration) {
	const atWork = 12 * time.Minute
	h.later(d - atWork)
	time.Sleep(atWork)
}

// lists are the ways in which a list of servers is wrong.
var lists = map[string]standin.Plan{
	"empty": {Calls: []standin.CallFault{{Kind: standin.ListEmpty, Route: "/users/@me/guilds"}},
		Events: standin.EventFaults{EmptyReady: 1}},
	"partial": {Calls: []standin.CallFault{{Kind: standin.ListPartial, Route: "/users/@me/guilds"}},
		Events: standin.EventFaults{PartialReady: 1}},
	"failing": {Calls: []standin.CallFault{{Kind: standin.ServerError, Route: "/users/@me/guilds", Times: 50}}},
	"empty, and nobody answers": {Calls: []standin.CallFault{{Kind: standin.ListEmpty, Route: "/users/@me/guilds"},
		{Kind: standin.ServerError, Route: "/guilds/{guild_id}", Times: 40}}, Events: standin.EventFaults{EmptyReady: 1}},
	"empty, and forbidden by something between": {
		Calls: []standin.CallFault{{Kind: standin.ListEmpty, Route: "/users/@me/guilds"},
			{Kind: standin.RateHTML, Route: "/guilds/{guild_id}", Times: 3}}, Events: standin.EventFaults{EmptyReady: 1}},
}

// However wrong a list of servers is, after a restart or later, no game ends and no clock stops.
func TestWrongListEndsNoGame(t *testing.T) {
	for by, door := range transports {
		for name, plan := range lists {
			t.Run(by+" "+name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					h := twoServers(t, door())
					h.startAnew(func() { h.SetPlan(plan) })
					h.wantEnds("after the start", "runs runs")
					h.Member("ann").Press("#gomoku", "D5")
					h.Member("ann").Press(elsewhere+"#hall", "F5")
					h.Member("ann").Waits(elsewhere+"#hall", "move 5")
					time.Sleep(30 * time.Minute) // lists come every ten minutes
					h.wantEnds("later", "runs runs")
					h.SetPlan(standin.Plan{})
					time.Sleep(30 * time.Minute)
					h.wantEnds("at last", "runs runs")
				})
			})
		}
	}
}

// Where Discord gives no answer about a server that a list lacks, it is asked again.
func TestRemovedWhileDiscordIsSilent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := twoServers(t, nil)
		h.startAnew(func() {
			h.KickBot("Club")
			h.SetPlan(standin.Plan{Calls: []standin.CallFault{{Kind: standin.ServerError, Route: "/guilds/{guild_id}"}}})
		})
		missed := func() (n int) {
			testkit.Must(t, h.store.Servers(t.Context(), func(s storage.Server) bool {
				if !s.Missed.IsZero() {
					n++
				}
				return true
			}))
			return n
		}
		if time.Sleep(5 * time.Minute); missed() != 0 {
			t.Error("a server is missed while Discord is silent")
		}
		h.SetPlan(standin.Plan{})
		if time.Sleep(2 * servers.AskEvery); missed() != 1 {
			t.Error("Discord is not asked again")
		}
	})
}

// A server from which the bot was removed while nobody was connected: its games rest for a
// day, and end then. The games of other servers go on.
func TestRemovedWhileAway(t *testing.T) {
	for by, door := range transports {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := twoServers(t, door())
				h.startAnew(func() { h.KickBot("Club") })
				h.wantEnds("at first", "rests runs")
				h.pass(22 * time.Hour)
				h.wantEnds("for a day", "rests runs")
				before := h.Stats()
				h.restart()
				h.pass(time.Hour)
				h.wantEnds("over a restart", "rests runs")
				h.pass(2 * time.Hour)
				h.wantEnds("after a day", "runs over")
				if n := h.Stats().Invalid - before.Invalid; n > 40 {
					t.Errorf("%d invalid requests", n)
				}
			})
		})
	}
}

// A server that returns within the day has its games again, with the time that they had left.
func TestReturnsWithinADay(t *testing.T) {
	for by, door := range transports {
		for _, restart := range []bool{false, true} {
			t.Run(by+map[bool]string{true: " over a restart"}[restart], func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					h := twoServers(t, door())
					h.startAnew(func() { h.KickBot("Club") })
					h.wantEnds("at first", "rests runs")
					h.pass(10 * time.Hour)
					h.InviteBot("Club")
					if restart {
						h.restart()
					}
					time.Sleep(15 * time.Minute)
					h.wantEnds("back", "runs runs")
					rec := h.live()[0]
					if left := rec.Deadline.Sub(h.bot.now()); left > time.Hour || left < 20*time.Minute {
						t.Errorf("%v are left of an hour", left)
					}
					h.Member("ann").Press("#gomoku", "D5")
					h.Member("ann").Waits("#gomoku", "move 4")
					h.pass(30 * time.Hour)
					h.wantEnds("a day later", "runs over") // the one without a clock runs, bob has lost on time
				})
			})
		}
	}
}

// What the gateway says of one server is believed at once.
func TestRemovedIsBelieved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := twoServers(t, nil)
		h.KickBot("Club")
		time.Sleep(time.Second)
		h.wantEnds("at once", "runs over")
	})
}

// The bot came back to a server while the store could not be written. It asks for the server later.
func TestReturnWhileTheStoreIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := &brimful{Engine: kv.NewMemory()}
		d := onPaperOver(t, full)
		d.bot.Joined(t.Context(), club)
		d.bot.Removed(t.Context(), club)
		left := func() bool {
			return !testkit.Got(d.store.Server(t.Context(), club)).Left.IsZero()
		}
		full.now.Store(true)
		d.bot.Joined(t.Context(), club)
		full.now.Store(false)
		if !left() {
			t.Fatal("the store was not full")
		}
		time.Sleep(2 * servers.AskEvery)
		if left() {
			t.Error("the bot still believes that it is not there")
		}
	})
}

// brimful is a store's engine that takes nothing while it is full, and counts what it is to take.
type brimful struct {
	kv.Engine
	now     atomic.Bool
	changes atomic.Int64
	refuses int64 // the change that it does not take, by their count; 0: none
}

func (b *brimful) Update(ctx context.Context, f func(kv.Tx) error) error {
	if n := b.changes.Add(1); b.now.Load() || n == b.refuses {
		return errors.New("full")
	}
	return b.Engine.Update(ctx, f)
}

// Servers that are new are noted many at a time, and known ones not again. Where the store does not take some of
// them, Discord is asked about those alone.
func TestManyNewServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const many, most = 1000, 15
		engine := &brimful{Engine: kv.NewMemory()}
		d := onPaperOver(t, engine)
		d.paper.outside = true // says Discord, where it is asked
		lists := func(from, to uint64) (changes int64) {
			var ids []uint64
			for id := from; id < to; id++ {
				ids = append(ids, id)
			}
			synctest.Wait() // the bot has begun, and is at rest
			before := engine.changes.Load()
			d.bot.Present(t.Context(), ids, func(id uint64) bool { return from <= id && id < to })
			return engine.changes.Load() - before
		}
		if n := lists(1, 1+many); n > most {
			t.Errorf("%d changes of the store for %d new servers", n, many)
		}
		testkit.Want(t, "changes of the store for servers that it knows", lists(1, 1+many), 0)
		engine.refuses = engine.changes.Load() + 3
		lists(1+many, 1+2*many)
		synctest.Wait()
		noted, missed := 0, 0
		testkit.Must(t, d.store.Servers(t.Context(), func(s storage.Server) bool {
			if noted++; !s.Missed.IsZero() {
				missed++
			}
			return true
		}))
		testkit.Want(t, "servers that the store has", noted, 2*many)
		testkit.Want(t, "servers that Discord was asked about", missed, storage.ServersAtOnce)
	})
}
