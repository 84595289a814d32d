package bot

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"tengen/bot/discord"
	"tengen/bot/standin"
	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

// weighed counts the rows that are read.
type weighed struct {
	kv.Engine
	rows *int
}

func (w weighed) View(ctx context.Context, fn func(kv.Reader) error) error {
	return w.Engine.View(ctx, func(r kv.Reader) error { return fn(weighedReader{r, w.rows}) })
}

type weighedReader struct {
	kv.Reader
	rows *int
}

func (r weighedReader) Scan(from, to []byte, fn func(key, value []byte) bool) error {
	return r.Reader.Scan(from, to, func(k, v []byte) bool { *r.rows++; return fn(k, v) })
}

// A deleted channel does not make the bot read the games of all others. A large bot hears of
// such channels all the time.
func TestChannelGoneLooksThereAlone(t *testing.T) {
	rows := 0
	store := storagetest.Store(t, weighed{kv.NewMemory(), &rows})
	now := time.Now()
	for i := range 100 {
		testkit.Got(store.Create(t.Context(), storage.Cause{At: now},
			venue.Place{Server: uint64(1 + i%7), Channel: uint64(100 + i)}, func(id game.MatchID) (game.Match, error) {
				return game.NewMatch(id, game.Terms{Rules: game.Gomoku15, First: game.Black}, 5, game.SeatFor(5),
					game.SeatEngine(1), now, now.Add(time.Hour))
			}))
	}
	d := testkit.Got(discord.New(discord.Options{Token: "x", Transport: standin.New(t, standin.Options{}).Transport(),
		Log: slog.New(slog.DiscardHandler)}))
	b := botOf(Config{Store: store, Chat: d})
	defer b.close()
	rows = 0
	b.ChannelGone(t.Context(), venue.Place{Server: 3, Channel: 999})
	if rows > 0 {
		t.Errorf("%d rows read for a channel without games", rows)
	}
}
