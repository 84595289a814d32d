package bot

import (
	"context"
	"errors"

	"tengen/bot/chat"
	"tengen/game/venue"
)

// Joined implements chat.Handler.
func (b *Bot) Joined(ctx context.Context, server uint64) {
	b.servers.Joined(ctx, server)
	b.leaveBanned(server)
}

// Came implements chat.Handler.
func (b *Bot) Came(ctx context.Context, a chat.Arrival) {
	if !b.ordered().BansServer(a.Server) {
		b.welcome.Came(ctx, a)
	}
}

// Removed implements chat.Handler.
func (b *Bot) Removed(ctx context.Context, server uint64) { b.servers.Removed(ctx, server) }

// Present implements chat.Handler.
func (b *Bot) Present(ctx context.Context, servers []uint64, mine func(uint64) bool) {
	b.servers.Present(ctx, servers, mine)
	b.leaveBanned(servers...)
}

// Missed implements chat.Handler.
func (b *Bot) Missed(ctx context.Context, servers []uint64) { b.servers.Missed(ctx, servers) }

// ChannelGone implements chat.Handler: the games of the channel rest until /game brings them
// to another.
func (b *Bot) ChannelGone(ctx context.Context, p venue.Place) {
	recs, err := b.store.InChannel(ctx, p)
	if err != nil {
		b.log.Error("channel gone", "channel", p.Channel, "err", err)
	}
	for _, rec := range recs {
		b.tasks.Go(func() { b.screens.Lose(b.tasks.Life, rec, errors.New("channel deleted")) })
	}
}
