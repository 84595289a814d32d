package bot

import (
	"context"

	"tengen/bot/chat"
)

// completeGuest offers the guests that play the game which is chosen already.
func (b *Bot) completeGuest(_ context.Context, r chat.Request) ([]chat.Choice, error) {
	return b.host.GuestChoices(r), nil
}

// completeGame offers the member's running games, first those of this channel and those in
// which it is their turn.
func (b *Bot) completeGame(ctx context.Context, r chat.Request) ([]chat.Choice, error) {
	all, err := b.store.Of(ctx, r.By)
	return b.finder.Choices(r, all), err
}

// completeAnyGame is completeGame with finished games too.
func (b *Bot) completeAnyGame(ctx context.Context, r chat.Request) ([]chat.Choice, error) {
	all, err := b.store.Of(ctx, r.By)
	if err != nil {
		return nil, err
	}
	past, err := b.store.History(ctx, r.By, 0, 25)
	return b.finder.Choices(r, append(all, past...)), err
}
