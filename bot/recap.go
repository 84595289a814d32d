package bot

import (
	"context"

	"tengen/bot/chat"
	"tengen/bot/view"
)

// pressRecap shows the member what they have played in the last days, the best win with its picture, and a win that
// they missed as a puzzle.
func (b *Bot) pressRecap(ctx context.Context, r chat.Request, _ view.Press) error {
	recs, err := b.store.History(ctx, r.By, 0, profileGames)
	if err != nil {
		return err
	}
	t, c := b.tongue(r), view.RecapOf(r.By, recs, b.now())
	var picture chat.Block
	var end view.Ruling
	if best, ok := c.Best(); ok {
		end = b.screens.Ruling(ctx, t, best)
		if picture, err = pictureOf(t, best, end, "png"); err != nil {
			return err
		}
	}
	missed, _, err := b.puzzles.Missed(ctx, t, r.By, c.Games)
	if err != nil {
		return err
	}
	return b.reply(ctx, r, t.Recap(c, picture, end, missed))
}
