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

// crowdOf is the crowd of the only place of a world.
func crowdOf(t *testing.T, s *standin.World, store *storage.Store) storage.Crowd {
	t.Helper()
	server, _ := strconv.ParseUint(s.ServerID("Club"), 10, 64)
	channel, _ := strconv.ParseUint(s.Messages(callPlace)[0].ChannelID, 10, 64)
	c, err := store.Crowd(t.Context(), chat.Place{Server: server, Channel: channel})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// crowdDies has three members vote, and the bot die at its fuse-th transaction or call from their votes
// on. It gives what went wrong; lived reports that the move was over before.
func crowdDies(t *testing.T, fuse int64, down time.Duration, weak sabotages) (bad wrongs, lived bool) {
	synctest.Test(t, func(t *testing.T) {
		s, end := callWorld(t, weak, nil)
		defer end()
		ann, bob, cyd := s.Member("ann").Try(), s.Member("bob").Try(), s.Member("cyd").Try()
		ann.Slash(callPlace, "/together game:gomoku9 color:black level:1 every:30s")
		time.Sleep(5 * time.Second)
		s.calm()
		heard := map[string]bool{}
		vote := func() {
			for who, m := range map[string]*standin.Member{"D5": ann, "E5": bob, "F5": cyd} {
				if a := m.Press(callPlace, who); strings.Contains(a.String(), "You vote for") {
					heard[who] = true
				}
			}
		}
		s.mortal.fuse.Store(fuse)
		vote()
		select {
		case <-s.mortal.died:
		case <-time.After(50 * time.Second):
		}
		if lived = !s.mortal.dead.Load(); !lived {
			s.fall()
			if c := crowdOf(t, &s.Server.World, s.openStore()); len(c.Moves) == 0 && len(heard) > len(c.Votes) {
				bad.add("%d votes were taken, and %d are stored", len(heard), len(c.Votes))
			}
			time.Sleep(down)
			s.rise()
			s.calm()
			if c := crowdOf(t, &s.Server.World, s.store); len(c.Moves) == 0 {
				vote() // again, where it was lost; else it changes nothing
			}
		}
		s.mortal.fuse.Store(-1)
		time.Sleep(90 * time.Second)
		s.calm()
		c := crowdOf(t, &s.Server.World, s.store)
		if len(c.Moves) != 2 || len(c.Votes) != 0 || c.Shown != c.Version || c.Retired != 0 {
			bad.add("the crowd is at %v with %d votes, its message shows %d of %d", c.Moves, len(c.Votes), c.Shown, c.Version)
		}
		boards := 0
		for _, m := range messagesIn(ann.Sees(callPlace)) {
			if strings.Contains(m, "### Together") {
				boards++
			}
		}
		if boards != 1 {
			bad.add("%d boards:\n%s", boards, ann.Sees(callPlace))
		}
		if _, err := storage.Verify(t.Context(), s.engine); err != nil {
			bad.add("%v", err)
		}
	})
	return bad, lived
}

// openStore reads what a process has left that died.
func (s *simulation) openStore() *storage.Store {
	store, err := storage.Open(s.t.Context(), s.engine, storage.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	return store
}

// No vote that was answered is lost, no move is played twice, and the board stands in one message,
// whatever step the bot dies at. TENGEN_CROWD_STEPS=1 tries every step, 4 every fourth.
func TestKilledBetweenStepsOfACrowd(t *testing.T) {
	t.Parallel()
	every := testkit.Dose("TENGEN_CROWD_STEPS", 4)
	for fuse, lived := int64(2), false; !lived; fuse += int64(every) {
		if fuse > 90 {
			t.Fatal("the move does not end")
		}
		t.Run(fmt.Sprint("step=", fuse), func(t *testing.T) {
			var bad wrongs
			if bad, lived = crowdDies(t, fuse, time.Duration(fuse%3)*3*time.Minute, sabotages{}); len(bad) > 0 {
				t.Error(strings.Join(bad, "\n"))
			}
		})
	}
}

// Two processes on one store keep one message of a ladder, and play each move of a crowd once. One of
// them ends on the way.
func TestCrowdOfTwoProcesses(t *testing.T) {
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
		_, err := both[0].store.BeginCrowd(t.Context(), storage.Crowd{Gathering: storage.Gathering{Place: place, ID: 5}, Owner: 1, Rules: game.Gomoku9, Level: 1, Color: game.Black, Every: 20 * time.Second, Updated: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		for round := range 4 {
			for i := range 3 {
				store := both[1].store
				if _, err := store.UpdateCrowd(t.Context(), place, time.Now(), func(c storage.Crowd) (storage.Crowd, error) {
					g, _ := c.Game()
					return c.Vote(game.MemberID(i+1), len(c.Moves), g.Legal().Points()[i/2], time.Now())
				}); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(time.Minute)
			c, err := both[1].store.Crowd(t.Context(), place)
			if err != nil || len(c.Moves) != 2*round+2 || len(c.Votes) != 0 || c.Shown != c.Version {
				t.Fatalf("after round %d: %+v, %v", round, c, err)
			}
			if round == 1 {
				both[0].bot.Close()
			}
		}
		paper.mu.Lock()
		defer paper.mu.Unlock()
		if n := len(paper.messages); n != 1 {
			t.Errorf("%d messages", n)
		}
	})
}
