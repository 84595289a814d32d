package bot

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/chat"
	"tengen/bot/standin"
	"tengen/game"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
	"tengen/storage/lease"
)

// simulOf is the simul of the only place of a world.
func simulOf(t *testing.T, s *standin.World, store *storage.Store) storage.Simul {
	t.Helper()
	server, _ := strconv.ParseUint(s.ServerID("Club"), 10, 64)
	channel, _ := strconv.ParseUint(s.Messages(callPlace)[0].ChannelID, 10, 64)
	x, err := store.Simul(t.Context(), chat.Place{Server: server, Channel: channel})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// simulDies has the bot die at its fuse-th transaction or call from the start of a simul on. It gives
// what went wrong; lived reports that the boards and the message were there before.
func simulDies(t *testing.T, fuse int64, down time.Duration, weak sabotages) (bad wrongs, lived bool) {
	synctest.Test(t, func(t *testing.T) {
		s, end := callWorld(t, weak, nil)
		defer end()
		ann, bob, cyd := s.Member("ann").Try(), s.Member("bob").Try(), s.Member("cyd").Try()
		ann.Slash(callPlace, "/simul game:gomoku9 color:black thread:false")
		time.Sleep(5 * time.Second)
		s.calm()
		bob.Press(callPlace, "Join")
		s.mortal.fuse.Store(fuse)
		cyd.Press(callPlace, "Join")
		ann.Press(callPlace, "Start")
		select {
		case <-s.mortal.died:
		case <-time.After(50 * time.Second):
		}
		if lived = !s.mortal.dead.Load(); !lived {
			s.fall()
			time.Sleep(down)
			s.rise()
			s.calm()
			if simulOf(t, &s.Server.World, s.store).Started.IsZero() { // the press was lost
				cyd.Press(callPlace, "Join")
				ann.Press(callPlace, "Start")
			}
		}
		s.mortal.fuse.Store(-1)
		time.Sleep(90 * time.Second)
		s.calm()
		x := simulOf(t, &s.Server.World, s.store)
		for _, o := range x.Opponents {
			if o.Match == 0 || o.Result != storage.SimulOpen {
				bad.add("an opponent has no game: %+v", o)
			}
		}
		if len(x.Opponents) == 0 || x.Shown != x.Version || x.Retired != 0 || x.Linked != len(x.Opponents) {
			bad.add("the message shows %d of %d with %d links: %+v", x.Shown, x.Version, x.Linked, x)
		}
		simuls, boards := 0, 0
		for _, m := range messagesIn(ann.Sees(callPlace)) {
			if strings.Contains(m, "### Simul") {
				simuls++
			}
			if strings.Contains(m, "move 1") {
				boards++
			}
		}
		if simuls != 1 || boards != len(x.Opponents) {
			bad.add("%d messages and %d boards:\n%s", simuls, boards, ann.Sees(callPlace))
		}
		if _, err := storage.Verify(t.Context(), s.engine); err != nil {
			bad.add("%v", err)
		}
	})
	return bad, lived
}

// Each opponent gets one game and one board, and the simul has one message, whatever step the bot dies
// at. TENGEN_SIMUL_STEPS=1 tries every step, 9 every ninth.
func TestKilledBetweenStepsOfASimul(t *testing.T) {
	t.Parallel()
	every := testkit.Dose("TENGEN_SIMUL_STEPS", 9)
	for fuse, lived := int64(2), false; !lived; fuse += int64(every) {
		if fuse > 200 {
			t.Fatal("the boards do not come")
		}
		t.Run(fmt.Sprint("step=", fuse), func(t *testing.T) {
			var bad wrongs
			if bad, lived = simulDies(t, fuse, time.Duration(fuse%3)*3*time.Minute, sabotages{}); len(bad) > 0 {
				t.Error(strings.Join(bad, "\n"))
			}
		})
	}
}

// Two processes on one store make each match of a simul once, and keep one message. One of them ends on
// the way.
func TestSimulOfTwoProcesses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		standin.EnterBubble()
		engine, table := kv.NewMemory(), lease.NewTable()
		paper := newPaper()
		var both []*desktop
		for range 2 {
			mine, _ := table.Process()
			d := onPaperOver(t, engine, func(c *Config) { c.Leases, c.Chat = mine, paper })
			both = append(both, d)
			defer d.bot.Close()
		}
		place := chat.Place{Server: club, Channel: lounge}
		time.Sleep(5 * time.Second)
		store := both[1].store
		if _, err := both[0].store.BeginSimul(t.Context(), storage.Simul{Gathering: storage.Gathering{Place: place, ID: 5}, Giver: 1, Game: game.Terms{Rules: game.Gomoku9, First: game.Black}, Updated: time.Now()}); err != nil {
			t.Fatal(err)
		}
		change := func(f func(storage.Simul) (storage.Simul, error)) {
			if _, err := store.UpdateSimul(t.Context(), place, storage.Cause{At: time.Now()}, f); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 4 {
			change(func(x storage.Simul) (storage.Simul, error) { return x.Join(game.MemberID(i+2), time.Now()) })
		}
		change(func(x storage.Simul) (storage.Simul, error) { return x.Start(1, time.Now()) })
		time.Sleep(2 * time.Second)
		both[0].bot.Close()
		time.Sleep(2 * time.Minute)
		x, err := store.Simul(t.Context(), place)
		if err != nil || x.Shown != x.Version || x.Linked != 4 {
			t.Fatalf("%+v, %v", x, err)
		}
		paper.mu.Lock()
		shown := 0
		for _, m := range paper.messages {
			if strings.HasPrefix(m.Blocks[0].Text, "### ") { // others call the giver to a board
				shown++
			}
		}
		if shown != 5 {
			t.Errorf("%d messages for a simul and four boards", shown)
		}
		paper.mu.Unlock()
		for _, o := range x.Opponents {
			if _, err := store.Update(t.Context(), o.Match, storage.Cause{At: time.Now()}, func(m game.Match) (game.Match, error) { return m.Resign(o.Member, time.Now()) }); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Minute)
		if x, err = store.Simul(t.Context(), place); err != nil || !x.Over() || x.Shown != x.Version {
			t.Errorf("after the last game: %+v, %v", x, err)
		}
	})
}
