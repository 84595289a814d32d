package bot

import (
	"context"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/view"
	"tengen/game"
)

func (b *Bot) reviewWay() command.Command {
	return command.Command{
		Command: chat.Command{Name: "review"}, As: "review",
		Opens: true,
		Run:   b.review,
		Presses: map[string]command.Pressed{
			"review": command.Press(b.reviews.Open),
			"step":   func(ctx context.Context, r chat.Request, p view.Press) error { return b.reviews.Step(ctx, r, p) },
			"try":    func(ctx context.Context, r chat.Request, p view.Press) error { return b.reviews.Try(ctx, r, p) },
			"from":   b.pressFrom,
			"study": func(ctx context.Context, r chat.Request, p view.Press) error {
				return b.reviews.OpenRecord(ctx, r, p.Arg)
			},
		},
		Which:  command.In(b.reviews.Open),
		Offers: map[string]command.Offer{"game": b.finder.OfferAny},
	}
}

// review shows the review of the game that is named, else of the member's last finished game.
func (b *Bot) review(ctx context.Context, r chat.Request) error {
	rec, found, err := b.finder.Past(ctx, r, "review", "")
	if err != nil || !found {
		return err
	}
	return b.reviews.Open(ctx, r, rec.ID)
}

// pressFrom begins a game against the engine from a position of a reviewed game.
func (b *Bot) pressFrom(ctx context.Context, r chat.Request, p view.Press) error {
	g, level, err := b.reviews.From(ctx, r, p)
	if err != nil {
		return err
	}
	return b.host.PlayOn(ctx, r, g, game.SeatEngine(level))
}
