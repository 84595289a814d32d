package screen

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"tengen/bot/chat"
	"tengen/game"
	"tengen/internal/tasks"
	"tengen/internal/testkit"
	"tengen/storage"
)

// fileless is a chat that refuses files and answers a message without any with an error.
type fileless struct {
	chat.Chat
	plain error
	calls int
}

func (c *fileless) Send(_ context.Context, _ chat.To, m chat.Message) (uint64, error) {
	c.calls++
	if _, files := m.Plain(); files {
		return 0, &chat.Error{Trouble: chat.Locked, Code: 400001}
	}
	return 9, c.plain
}

// Where a place takes no files, the outcome of the text decides: a failed call is made again,
// and a place that takes no text either is lost.
func TestTextDecides(t *testing.T) {
	for _, test := range []struct {
		plain error
		want  chat.Trouble // 0: the board is shown
		rests bool
	}{
		{nil, 0, false},
		{&chat.Error{Trouble: chat.Failed, Code: 500}, chat.Failed, false},
		{&chat.Error{Trouble: chat.Busy, Code: 429}, chat.Busy, false},
		{&chat.Error{Trouble: chat.NoPlace, Code: 50001}, 0, true},
	} {
		s, rec := between(t, time.Now())
		rec.Clock.Each = time.Hour
		c := &fileless{plain: test.plain}
		rests := false
		s.Chat, s.Log, s.Tasks = c, slog.New(slog.DiscardHandler), tasks.New(nil)
		s.House = resting{onUpdate: func() { rests = true }}
		sc, err := s.Store.Screen(t.Context(), rec.ID)
		testkit.Must(t, err)
		sc, err = s.sendBoard(t.Context(), rec, sc, false)
		if (err != nil) != (test.want != 0) || err != nil && chat.TroubleOf(err) != test.want {
			t.Errorf("%v: %v", test.plain, err)
		}
		if sc.Late() != (test.plain != nil) || rests != test.rests || c.calls != 2 {
			t.Errorf("%v: late %v, rests %v, %d calls", test.plain, sc.Late(), rests, c.calls)
		}
	}
}

// resting is a house that hears of changes.
type resting struct {
	house
	onUpdate func()
}

func (h resting) Update(context.Context, game.MatchID, storage.Cause,
	func(game.Match) (game.Match, error)) (storage.Record, error) {
	h.onUpdate()
	return storage.Record{}, nil
}
