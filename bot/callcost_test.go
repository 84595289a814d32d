package bot

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tengen/bot/standin"
	"tengen/internal/testkit"
)

// TestCallsCost lets two members play who are away between their moves, and counts the calls with
// the bot's own token. A call goes, and goes away, by the token of the member who moved last, as
// long as that is good.
func TestCallsCost(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		pause  time.Duration
		unread bool
		most   int // for ten moves
	}{
		{"three minutes", 3 * time.Minute, false, 0},
		{"ten minutes", 10 * time.Minute, false, 0},
		{"longer than a token lives", 20 * time.Minute, false, 10}, // to delete the call
		{"nothing can be read", 3 * time.Minute, true, 20},
	} {
		testkit.Bubble(t, strings.ReplaceAll(test.name, " ", "-"), func(t *testing.T) {
			calls, counts := 0, false
			s := newWorld(t, func(c standin.Call) {
				if counts && c.Interaction == "" && strings.HasPrefix(c.Route, "/channels/") {
					calls++
					t.Log(time.Now().UTC().Format(clockFace), c.Method, c.Path)
				}
			})
			if test.unread {
				s.Deny(callPlace, "tengen", standin.PermReadHistory)
			}
			ann, bob := s.Member("ann").Try(), s.Member("bob").Try()
			midGame(test.pause)(s)
			ann.Press(callPlace, "D4")
			s.calm()
			counts = true
			for i := range 10 {
				time.Sleep(test.pause)
				board := latestBoard(ann.Messages(callPlace))
				all := customIDs(board.Components, ":play:")
				s.finger([]*standin.Member{bob, ann}[i%2], board.ID, all[s.rng.IntN(len(all))])
				s.calm()
				seen := ann.Sees(callPlace)
				fresh := latestBoard(ann.Messages(callPlace)).ID != board.ID // it calls
				if strings.Contains(seen, "it is your move") == fresh || !strings.Contains(seen, fmt.Sprint("move ", i+5)) {
					t.Errorf("after move %d:\n%s", i+4, seen)
				}
			}
			if calls > test.most {
				t.Errorf("%d calls for ten moves, want at most %d", calls, test.most)
			}
		})
	}
}

// latestBoard is the newest message with buttons to play.
func latestBoard(ms []standin.Message) (board standin.Message) {
	for _, m := range ms {
		if len(customIDs(m.Components, ":play:")) > 0 {
			board = m
		}
	}
	return board
}

// One answer shows a member's move and the engine's, where the engine's is there at once.
func TestOneAnswerForBothMoves(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		level  int
		thinks time.Duration
		shows  int // answers and edits
	}{
		{1, 0, 1}, {5, 100 * time.Millisecond, 1}, {5, time.Second, 2}, {6, 100 * time.Millisecond, 2},
	} {
		testkit.Bubble(t, fmt.Sprintf("level-%d-%v", test.level, test.thinks), func(t *testing.T) {
			standin.EnterBubble()
			var shows atomic.Int64
			h := open(t, standin.Options{Called: func(standin.Call) { shows.Add(1) }})
			ann := h.Member("ann")
			ann.Slash("#general", fmt.Sprint("/play with:bot game:gomoku9 color:black level:", test.level))
			h.settle()
			h.thinks.Store(int64(test.thinks))
			shows.Store(0)
			ann.Press("#general", "E5")
			time.Sleep(2 * time.Second)
			h.settle()
			testkit.Want(t, "calls to Discord for a move", int(shows.Load()), test.shows)
			if s := ann.Sees("#general"); !strings.Contains(s, "move 3") {
				t.Error(s)
			}
		})
	}
}
