package bot

import (
	"context"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/game"
)

func (b *Bot) resignWay() command.Command {
	return b.inMatch("resign", b.resignIn, command.Command{
		Command: chat.Command{Name: "resign"}, As: "resign",
		Presses: map[string]command.Pressed{
			"resign":     command.Press(b.resignIn),
			"resignsure": b.press,
		},
	})
}

// resignIn asks whether the member is sure.
func (b *Bot) resignIn(ctx context.Context, r chat.Request, id game.MatchID) error {
	rec, err := b.finder.Match(ctx, id)
	if err != nil {
		return err
	}
	if _, err := rec.Match.Resign(r.By, r.At); err != nil {
		return err
	}
	return b.reply(ctx, r, b.tongue(r).ResignSure(rec, r.By))
}
