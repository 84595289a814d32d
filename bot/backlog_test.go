package bot

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/chat"
	"tengen/bot/upkeep"
	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/storagetest"
)

// crowded is a slow chat.Chat in memory that counts the calls under way. One channel is slower
// than all others.
type crowded struct {
	*paper
	mu       sync.Mutex
	out      int
	most     int
	order    []uint64
	slowest  uint64
	finished map[uint64]time.Time // by channel: when its last board came
}

func (c *crowded) Send(ctx context.Context, to chat.To, m chat.Message) (uint64, error) {
	c.mu.Lock()
	c.out++
	c.most = max(c.most, c.out)
	c.mu.Unlock()
	if to.Channel == c.slowest {
		time.Sleep(time.Second)
	} else {
		time.Sleep(50 * time.Millisecond)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out--
	c.order = append(c.order, to.Channel)
	c.finished[to.Channel] = time.Now()
	return c.paper.Send(ctx, to, m)
}

// After a start with thousands of boards that are behind, only a few are sent at once. A
// channel with many boards, or a slow one, does not hold up the others.
func TestThousandsOfBoardsBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := storagetest.Memory(t)
		const channels, many = 100, 250
		begin := func(i int, channel uint64) {
			cause := storage.Cause{Interaction: uint64(i + 1), At: time.Now()}
			testkit.Got(store.Create(t.Context(), cause, venue.Place{Server: club, Channel: channel},
				func(id game.MatchID) (game.Match, error) {
					return game.NewMatch(id, game.Terms{Rules: game.Gomoku9, First: game.Black}, game.MemberID(i+1),
						game.SeatFor(game.MemberID(i+1)), game.SeatEngine(1), cause.At, time.Time{})
				}))
		}
		for i := range many { // one busy channel first, then one board in each of the others
			begin(i, 1)
		}
		for i := range channels {
			begin(many+i, uint64(i+2))
		}
		chat := &crowded{paper: newPaper(), slowest: 1, finished: map[uint64]time.Time{}}
		b := botOf(Config{Store: store, Chat: chat, Think: simple, Draw: drawn})
		defer b.close()
		began := time.Now()
		testkit.Must(t, b.start(t.Context()))
		if took := time.Since(began); took > upkeep.CatchUpTime+time.Second {
			t.Errorf("the start took %v", took)
		}
		for range 2 * many {
			time.Sleep(time.Second)
			if late, err := store.Late(t.Context(), time.Time{}); err != nil {
				t.Fatal(err)
			} else if len(late) == 0 {
				break
			}
		}
		late, err := store.Late(t.Context(), time.Time{})
		if err != nil || len(late) > 0 {
			t.Errorf("%d boards are behind (%v)", len(late), err)
		}
		chat.mu.Lock()
		defer chat.mu.Unlock()
		if chat.most > 16+2 { // the sweeper's and the engine's own
			t.Errorf("%d boards were sent at once", chat.most)
		}
		for channel, at := range chat.finished {
			if took := at.Sub(began); channel != 1 && took > 5*time.Second {
				t.Fatalf("channel %d waited %v for its one board", channel, took)
			}
		}
		t.Log(fmt.Sprint("the busy channel took ", chat.finished[1].Sub(began)))
	})
}
