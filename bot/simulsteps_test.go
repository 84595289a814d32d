package bot

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/game"
	"tengen/game/simul"
	"tengen/game/venue"
	"tengen/storage"
)

// simul is the simul in the place of the stories.
func (s *simulation) simul() storage.Simul {
	s.t.Helper()
	x, err := storage.Simuls.In(s.t.Context(), s.store, s.club())
	if err != nil {
		s.t.Fatal(err)
	}
	return x
}

// simulDies has the bot die at its fuse-th transaction or call from the start of a simul on. It gives
// what went wrong; lived reports that the boards and the message were there before.
func simulDies(t *testing.T, fuse int64, down time.Duration) (bad wrongs, lived bool) {
	synctest.Test(t, func(t *testing.T) {
		s, end := callWorld(t, nil)
		defer end()
		ann, bob, cyd := s.Member("ann").Try(), s.Member("bob").Try(), s.Member("cyd").Try()
		ann.Slash(callPlace, "/simul game:gomoku9 color:black thread:false")
		time.Sleep(5 * time.Second)
		s.calm()
		bob.Press(callPlace, "Join")
		begin := func() {
			cyd.Press(callPlace, "Join")
			ann.Press(callPlace, "Start")
		}
		lived = s.dies(death{fuse: fuse, within: 50 * time.Second, down: down}, begin, func() {
			if s.simul().Started.IsZero() { // the press was lost
				begin()
			}
		})
		time.Sleep(90 * time.Second)
		s.calm()
		x := s.simul()
		for _, o := range x.Opponents {
			if o.Match == 0 || o.Result != simul.Open {
				bad.add("an opponent has no game: %+v", o)
			}
		}
		if len(x.Opponents) == 0 || x.Linked != len(x.Opponents) {
			bad.add("the message has %d links: %+v", x.Linked, x)
		}
		s.judgeNotice(ann, "### Simul", x.Notice, x.Version, &bad)
		if boards := strings.Count(ann.Sees(callPlace), "· move 1"); boards != len(x.Opponents) {
			bad.add("%d boards:\n%s", boards, ann.Sees(callPlace))
		}
	})
	return bad, lived
}

// Each opponent gets one game and one board, and the simul has one message, whatever step the bot dies
// at. TENGEN_SIMUL_STEPS=1 tries every step, 9 every ninth.
func TestKilledBetweenStepsOfASimul(t *testing.T) {
	t.Parallel()
	atEachStep(t, "TENGEN_SIMUL_STEPS", 9, 1, func(t *testing.T, fuse int64) (wrongs, bool) {
		return simulDies(t, fuse, time.Duration(fuse%3)*3*time.Minute)
	})
}

// Two processes on one store make each match of a simul once, and keep one message. One of them ends on
// the way.
func TestSimulOfTwoProcesses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		both, paper := twoOnPaper(t)
		place := venue.Place{Server: club, Channel: lounge}
		store := both[1].store
		if _, err := storage.Simuls.Begin(t.Context(), both[0].store, time.Now(), storage.Simul{
			Gathering: storage.Gathering{Place: place, ID: 5},
			Simul:     simul.New(1, game.Terms{Rules: game.Gomoku9, First: game.Black}, time.Now())}); err != nil {
			t.Fatal(err)
		}
		change := func(f func(simul.Simul) (simul.Simul, error)) {
			if _, err := storage.Simuls.Update(t.Context(), store, place, storage.Cause{At: time.Now()},
				func(x storage.Simul) (_ storage.Simul, err error) {
					x.Simul, err = f(x.Simul)
					return x, err
				}); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 4 {
			change(func(x simul.Simul) (simul.Simul, error) { return x.Join(game.MemberID(i+2), time.Now()) })
		}
		change(func(x simul.Simul) (simul.Simul, error) { return x.Start(1, time.Now()) })
		time.Sleep(2 * time.Second)
		both[0].bot.close()
		time.Sleep(2 * time.Minute)
		x, err := storage.Simuls.In(t.Context(), store, place)
		if err != nil || x.Shown != x.Version || x.Linked != 4 {
			t.Fatalf("%+v, %v", x, err)
		}
		if pings := paper.pinged(); !slices.Equal(pings, []game.MemberID{1}) {
			t.Errorf("the giver, who waits at no board, is called once: %v", pings)
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
			if _, err := store.Update(t.Context(), o.Match, storage.Cause{At: time.Now()},
				func(m game.Match) (game.Match, error) { return m.Resign(o.Member, time.Now()) }); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Minute)
		if x, err = storage.Simuls.In(t.Context(), store, place); err != nil || !x.Over() || x.Shown != x.Version {
			t.Errorf("after the last game: %+v, %v", x, err)
		}
	})
}
