package bot

import (
	"context"
	"log/slog"
	"testing"

	"tengen/bot/discord"
	"tengen/bot/standin"
	"tengen/bot/texts"
	"tengen/internal/testkit"
	"tengen/storage"
)

// hosted puts a whole bot over a store on a stand-in and waits until it takes commands. It
// gives the adapter's log.
func hosted(t *testing.T, s *standin.Server, store *storage.Store) (*testkit.Log, *Bot) {
	t.Helper()
	var log testkit.Log
	d, err := discord.New(discord.Options{Token: s.Token(), Transport: s.Transport(), Dialer: s.Dialer(),
		Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	b, err := New(Config{Store: store, Chat: d, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- d.Run(ctx, b) }()
	t.Cleanup(func() { stop(); <-ran; b.Close() })
	if _, err := d.Register(t.Context(), Commands(), texts.Local, texts.Locales, 0); err != nil {
		t.Fatal(err)
	}
	s.Ready(1)
	return &log, b
}
