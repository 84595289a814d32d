package bot

import (
	"context"

	"tengen/bot/chat"
)

// completeOpening offers the openings that fit the game of the command, by the names that the member
// reads.
func (b *Bot) completeOpening(ctx context.Context, r chat.Request) ([]chat.Choice, error) {
	return b.host.OpeningChoices(ctx, r)
}
