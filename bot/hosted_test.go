package bot

import (
	"log/slog"
	"testing"

	"tengen/bot/discord"
	"tengen/bot/standin"
	"tengen/internal/testkit"
	"tengen/storage"
)

// hosted puts a whole bot over a store on a stand-in and waits until it takes commands. It
// gives the adapter's log.
func hosted(t *testing.T, s *standin.Server, store *storage.Store) (*testkit.Log, *Bot) {
	t.Helper()
	var log testkit.Log
	d := testkit.Got(discord.New(discord.Options{Token: s.Token(), Transport: s.Transport(), Dialer: s.Dialer(),
		Log: slog.New(slog.NewTextHandler(&log, nil))}))
	service := serve(d, d, Config{Store: store, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { service.Close() })
	s.Ready(1)
	return &log, service.Bot
}
