package bot

import (
	"context"

	"tengen/bot/chat"
	"tengen/game"
	"tengen/storage"
)

// rooms is what the desk and the screens ask of the bot.
type rooms struct{ b *Bot }

func (h rooms) Owns(p chat.Place) bool { return h.b.owns(p) }

func (h rooms) Under(ctx context.Context, p chat.Place) (context.Context, bool) {
	return h.b.under(ctx, p)
}

func (h rooms) Update(ctx context.Context, id game.MatchID, c storage.Cause, f func(game.Match) (game.Match, error)) (storage.Record, error) {
	return h.b.update(ctx, id, c, f)
}

func (h rooms) Claiming(c storage.Cause) storage.Cause { return h.b.claiming(c) }

func (h rooms) Refresh(id game.MatchID, anew bool) { h.b.refresh(id, anew) }
