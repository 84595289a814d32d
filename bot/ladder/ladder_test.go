package ladder

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/chat"
	"tengen/bot/pool"
	"tengen/bot/room"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/tasks"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/storagetest"
)

// slowly is a Discord that takes a second for each message, and counts those under way.
type slowly struct {
	chat.Chat
	mu             sync.Mutex
	now, most, all int
	broken         bool // making a call panics
}

func (s *slowly) Send(context.Context, chat.To, chat.Message) (uint64, error) {
	s.mu.Lock()
	s.now++
	s.all++
	s.most = max(s.most, s.now)
	s.mu.Unlock()
	time.Sleep(time.Second)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now--; s.broken {
		panic("broken")
	}
	return uint64(s.all), nil
}

type home struct{ room.House }

func (home) Under(ctx context.Context, _ venue.Place) (context.Context, bool) { return ctx, true }
func (home) Tongue(chat.Request) view.Tongue                                  { return view.In("en") }

// At the end of a month the messages of all ladders are behind. They are sent a few at a time, also
// after some that could not be made.
func TestMonthEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := storagetest.Memory(t)
		const servers = 100
		for i := range uint64(servers) {
			testkit.Got(store.UpdateLadder(t.Context(), 1+i, game.Renju, time.Now(),
				func(l storage.Ladder) (storage.Ladder, error) {
					l.Channel = 1000 + i
					return l, nil
				}))
		}
		discord := &slowly{broken: true}
		group := tasks.New(func(any, []byte) {})
		l := New(Config{Base: room.Base{House: home{}, Store: store, Chat: discord, Tasks: group,
			Log: slog.New(slog.DiscardHandler), Now: time.Now}})
		group.Go(func() {
			for group.Sleep(time.Second) {
				l.Sweep()
			}
		})
		time.Sleep(3 * time.Second)
		discord.mu.Lock()
		discord.broken = false
		discord.mu.Unlock()
		time.Sleep(pool.AskAgain + time.Minute)
		behind, err := store.LaddersBehind(t.Context(), servers, l.wants, l.owns)
		discord.mu.Lock()
		defer discord.mu.Unlock()
		if err != nil || len(behind) > 0 || discord.all < servers {
			t.Errorf("%d are behind, %d were sent: %v", len(behind), discord.all, err)
		}
		if discord.most > atOnce {
			t.Errorf("%d were sent at one time, want at most %d", discord.most, atOnce)
		}
		group.End()
	})
}

// mover is a Discord in which a manager moves the ladder while its message is sent.
type mover struct {
	chat.Chat
	move func()
}

func (m mover) Send(context.Context, chat.To, chat.Message) (uint64, error) {
	m.move()
	return 7, nil
}

// A message that was sent to the channel which the ladder has left meanwhile is not the one of the new channel.
func TestMovedWhileSent(t *testing.T) {
	store := storagetest.Memory(t)
	in := func(channel uint64) storage.Ladder {
		l, err := store.UpdateLadder(t.Context(), 1, game.Renju, time.Now(), func(l storage.Ladder) (storage.Ladder, error) {
			l.Channel, l.Notice = channel, storage.Notice{}
			return l, nil
		})
		testkit.Must(t, err)
		return l
	}
	l := New(Config{Base: room.Base{House: home{}, Store: store, Chat: mover{move: func() { in(9) }},
		Tasks: tasks.New(nil), Log: slog.New(slog.DiscardHandler), Now: time.Now}})
	testkit.Must(t, l.bring(t.Context(), in(8)))
	if now, err := store.Ladder(t.Context(), 1, game.Renju); err != nil || now.Channel != 9 || now.Message != 0 {
		t.Errorf("%+v, %v", now, err)
	}
}
