package bot

import (
	"context"

	"tengen/bot/act"
	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/view"
	"tengen/game"
)

func (b *Bot) undoCommand() command.Command {
	return command.Command{
		Command: chat.Command{Name: "undo", Alone: true,
			Options: []chat.OptionSpec{command.Which()}},
		Run: b.undo,
		Presses: map[string]command.Pressed{
			"undo":    b.press,
			"unoffer": b.press,
			"undoyes": b.press,
			"undono":  b.press,
		},
		Which:  command.In(b.undoIn),
		Offers: map[string]command.Offer{"game": b.completeGame},
	}
}

func (b *Bot) undo(ctx context.Context, r chat.Request) error {
	rec, found, err := b.finder.Find(ctx, r, "undo", "", view.Playing)
	if err != nil || !found {
		return err
	}
	return b.undoIn(ctx, r, rec.ID)
}

func (b *Bot) undoIn(ctx context.Context, r chat.Request, id game.MatchID) error {
	return b.act(ctx, r, act.Asked(r, id, "undo", ""))
}
