package bot

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/standin"
	"tengen/game"
	"tengen/game/together"
	"tengen/game/venue"
	"tengen/storage"
)

// together is the game together in the place of the stories.
func (s *simulation) together(store *storage.Store) storage.Together {
	s.t.Helper()
	c, err := storage.Togethers.In(s.t.Context(), store, s.club())
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// togetherDies has three members vote, and the bot die at its fuse-th transaction or call from their votes
// on. It gives what went wrong; lived reports that the move was over before.
func togetherDies(t *testing.T, fuse int64, down time.Duration) (bad wrongs, lived bool) {
	synctest.Test(t, func(t *testing.T) {
		s, end := callWorld(t, nil)
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
		lost := func() {
			if c := s.together(s.left()); len(c.Moves) == 0 && len(heard) > len(c.Votes) {
				bad.add("%d votes were taken, and %d are stored", len(heard), len(c.Votes))
			}
		}
		lived = s.dies(death{fuse: fuse, within: 50 * time.Second, fallen: lost, down: down}, vote, func() {
			if c := s.together(s.store); len(c.Moves) == 0 {
				vote() // again, where it was lost; else it changes nothing
			}
		})
		time.Sleep(90 * time.Second)
		s.calm()
		c := s.together(s.store)
		if len(c.Moves) != 2 || len(c.Votes) != 0 {
			bad.add("the game is at %v with %d votes", c.Moves, len(c.Votes))
		}
		s.judgeNotice(ann, "### Together", c.Notice, c.Version, &bad)
	})
	return bad, lived
}

// No vote that was answered is lost, no move is played twice, and the board stands in one message,
// whatever step the bot dies at. TENGEN_TOGETHER_STEPS=1 tries every step, 4 every fourth.
func TestKilledBetweenStepsOfAGameTogether(t *testing.T) {
	t.Parallel()
	atEachStep(t, "TENGEN_TOGETHER_STEPS", 6, 1, func(t *testing.T, fuse int64) (wrongs, bool) {
		return togetherDies(t, fuse, time.Duration(fuse%3)*3*time.Minute)
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
		_, err := storage.Togethers.Begin(t.Context(), other.store, time.Now(), storage.Together{
			Gathering: storage.Gathering{Place: place, ID: 5},
			Game: together.Game{Owner: 1, Rules: game.Gomoku9, Level: 1, Color: game.Black, Every: 20 * time.Second,
				Updated: time.Now()}})
		if err != nil {
			t.Fatal(err)
		}
		for round := range 4 {
			for i := range 3 {
				if _, err := storage.Togethers.Update(t.Context(), other.store, place, storage.Cause{At: time.Now()},
					func(c storage.Together) (_ storage.Together, err error) {
						g, _ := c.Replay()
						c.Game, err = c.Vote(game.MemberID(i+1), len(c.Moves), g.Legal().Points()[i/2], time.Now())
						return c, err
					}); err != nil {
					t.Fatal(err)
				}
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
		if n := len(paper.messages); n != 1 {
			t.Errorf("%d messages", n)
		}
	})
}
