package bot

import (
	"context"

	"tengen/bot/act"
	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/view"
	"tengen/game"
)

func (b *Bot) drawWay() command.Command {
	return command.Command{
		Command: chat.Command{Name: "draw"}, As: "draw",
		Run: b.draw,
		Presses: map[string]command.Pressed{
			"draw":    b.press,
			"drawyes": b.press,
			"drawno":  b.press,
		},
		Which:  command.In(b.drawIn),
		Offers: map[string]command.Offer{"game": b.completeGame},
	}
}

func (b *Bot) draw(ctx context.Context, r chat.Request) error {
	rec, found, err := b.finder.Find(ctx, r, "draw", "", view.Playing)
	if err != nil || !found {
		return err
	}
	return b.drawIn(ctx, r, rec.ID)
}

func (b *Bot) drawIn(ctx context.Context, r chat.Request, id game.MatchID) error {
	return b.act(ctx, r, act.Asked(r, id, "draw", ""))
}
