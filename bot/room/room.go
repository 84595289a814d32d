// Package room is what every room of the bot needs: the store, the chat, and the bot itself by a few
// methods. A room embeds Base in its Config.
package room

import (
	"context"
	"log/slog"
	"time"

	"tengen/bot/chat"
	"tengen/bot/metrics"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/tasks"
	"tengen/storage"
)

// Base is what the rooms have in common. Only Metrics may be left out.
type Base struct {
	House   House
	Store   *storage.Store
	Chat    chat.Chat
	Paint   view.Painter
	Tasks   *tasks.Group
	Log     *slog.Logger
	Metrics *metrics.Figures
	Now     func() time.Time
}

// House is what the rooms need of the bot.
type House interface {
	// Tongue is the language of the asking member.
	Tongue(r chat.Request) view.Tongue
	// Owns reports whether this process does the unasked work in a place.
	Owns(p venue.Place) bool
	// Under gives a context under which the store takes changes only while this process owns the
	// place. It is false where another process owns it.
	Under(ctx context.Context, p venue.Place) (context.Context, bool)
	// Update changes a match. A clock that the change starts is on time.
	Update(ctx context.Context, id game.MatchID, c storage.Cause,
		f func(game.Match) (game.Match, error)) (storage.Record, error)
	// Refresh brings a match's board up to date soon; with anew as a new message.
	Refresh(id game.MatchID, anew bool)
}
