package bot

import (
	"context"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/view"
	"tengen/game"
)

func (b *Bot) resignWay() command.Command {
	return command.Command{
		Command: chat.Command{Name: "resign"}, As: "resign",
		Run: b.resign,
		Presses: map[string]command.Pressed{
			"resign":     b.pressResign,
			"resignsure": b.press,
		},
		Which:  command.In(b.resignIn),
		Offers: map[string]command.Offer{"game": b.completeGame},
	}
}

func (b *Bot) resign(ctx context.Context, r chat.Request) error {
	rec, found, err := b.finder.Find(ctx, r, "resign", "", view.Playing)
	if err != nil || !found {
		return err
	}
	return b.resignIn(ctx, r, rec.ID)
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

func (b *Bot) pressResign(ctx context.Context, r chat.Request, p view.Press) error {
	return b.resignIn(ctx, r, p.Match)
}
