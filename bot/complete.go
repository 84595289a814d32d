package bot

import (
	"context"

	"tengen/bot/chat"
)

// complete offers up to 25 choices that fit the text typed so far.
func (b *Bot) complete(ctx context.Context, r chat.Request) error {
	var choices []chat.Choice
	var err error
	if offered := b.commands.byName[r.Name].offers[r.Focused]; offered != nil {
		choices, err = offered(b, ctx, r)
	}
	if err != nil {
		return err
	}
	_, err = b.chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Offer, Choices: choices[:min(len(choices), 25)]})
	return err
}

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
