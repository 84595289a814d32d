package bot

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/game"
	"tengen/game/simul"
	"tengen/game/together"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage"
)

// Two processes on one store make each match of a simul once, and keep one message. One of them ends on
// the way.
func TestSimulOfTwoProcesses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		both, paper := twoOnPaper(t)
		place := venue.Place{Server: club, Channel: lounge}
		store := both[1].store
		testkit.Got(storage.Simuls.Begin(t.Context(), both[0].store, time.Now(), storage.Simul{
			Gathering: storage.Gathering{Place: place, ID: 5},
			Simul:     simul.New(1, game.Terms{Rules: game.Gomoku9, First: game.Black}, time.Now())}))
		change := func(f func(simul.Simul) (simul.Simul, error)) {
			testkit.Got(storage.Simuls.Update(t.Context(), store, place, storage.Cause{At: time.Now()},
				func(x storage.Simul) (_ storage.Simul, err error) {
					x.Simul, err = f(x.Simul)
					return x, err
				}))
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
		testkit.Want(t, "messages for a simul and four boards", shown, 5)
		paper.mu.Unlock()
		for _, o := range x.Opponents {
			testkit.Got(store.Update(t.Context(), o.Match, storage.Cause{At: time.Now()},
				func(m game.Match) (game.Match, error) { return m.Resign(o.Member, time.Now()) }))
		}
		time.Sleep(time.Minute)
		if x, err = storage.Simuls.In(t.Context(), store, place); err != nil || !x.Over() || x.Shown != x.Version {
			t.Errorf("after the last game: %+v, %v", x, err)
		}
	})
}

// Two processes on one store keep one message of a game together, and play each move once. One of them ends on
// the way. What the other has made due is not missed.
func TestTogetherOfTwoProcesses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		both, paper := twoOnPaper(t)
		place := venue.Place{Server: club, Channel: lounge}
		owner, other := both[0], both[1]
		if other.bot.upkeep.Owns(place) {
			owner, other = other, owner
		}
		testkit.Got(storage.Togethers.Begin(t.Context(), other.store, time.Now(), storage.Together{
			Gathering: storage.Gathering{Place: place, ID: 5},
			Game: together.Game{Owner: 1, Rules: game.Gomoku9, Level: 1, Color: game.Black, Every: 20 * time.Second,
				Updated: time.Now()}}))
		for round := range 4 {
			for i := range 3 {
				testkit.Got(storage.Togethers.Update(t.Context(), other.store, place, storage.Cause{At: time.Now()},
					func(c storage.Together) (_ storage.Together, err error) {
						g, _ := c.Replay()
						c.Game, err = c.Vote(game.MemberID(i+1), len(c.Moves), g.Legal().Points()[i/2], time.Now())
						return c, err
					}))
			}
			time.Sleep(time.Minute)
			c, err := storage.Togethers.In(t.Context(), other.store, place)
			if err != nil || len(c.Moves) != 2*round+2 || len(c.Votes) != 0 || c.Shown != c.Version {
				t.Fatalf("after round %d: %+v, %v", round, c, err)
			}
			if round == 1 {
				owner.bot.close()
			}
		}
		paper.mu.Lock()
		defer paper.mu.Unlock()
		testkit.Want(t, "messages", len(paper.messages), 1)
	})
}

// Two processes on one store bring each two members together once, and keep one message of their board. One of the
// processes ends while they wait.
func TestSeekOfTwoProcesses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		both, paper := twoOnPaper(t)
		owner, other := both[0], both[1]
		if other.bot.upkeep.Owns(venue.Place{Server: club, Channel: lounge}) {
			owner, other = other, owner
		}
		blocks := func(by, whom game.MemberID) {
			testkit.Got(other.store.SetMember(t.Context(), by, func(m storage.Member) (storage.Member, error) {
				m.Blocked = nil
				if whom != 0 {
					m.Blocked = []game.MemberID{whom}
				}
				return m, nil
			}))
		}
		blocks(1, 2)
		owner.slash(1, "play", "with", "strength", "game", "gomoku9")
		other.slash(2, "play", "with", "strength", "game", "gomoku9")
		time.Sleep(time.Minute)
		if recs := testkit.Got(other.store.Of(t.Context(), 1)); len(recs) != 0 {
			t.Fatalf("1 blocks 2: %+v", recs)
		}
		sent := paper.sent()
		blocks(1, 0)
		owner.bot.close()
		time.Sleep(5 * time.Minute)
		for member := range game.MemberID(2) {
			recs := testkit.Got(other.store.Of(t.Context(), member+1))
			if len(recs) != 1 || recs[0].Seats != [2]game.Seat{game.SeatFor(1), game.SeatFor(2)} {
				t.Fatalf("member %d: %+v", member+1, recs)
			}
		}
		testkit.Want(t, "messages", paper.sent()-sent, 1)
		if pings := paper.pinged(); len(pings) != 1 {
			t.Errorf("who is to move is called once: %v", pings)
		}
	})
}
