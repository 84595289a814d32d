package bot

import (
	"context"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
)

func reviewCommand() command {
	return command{
		Command: chat.Command{Name: "review", About: "What a finished game was worth, move by move", Alone: true, Options: []chat.OptionSpec{whichOption()}},
		opens:   true,
		run:     (*Bot).review,
		presses: map[string]pressed{
			"review": func(b *Bot, ctx context.Context, r chat.Request, p view.Press) error {
				return b.study.Open(ctx, r, p.Match)
			},
			"step": func(b *Bot, ctx context.Context, r chat.Request, p view.Press) error { return b.study.Step(ctx, r, p) },
			"try":  func(b *Bot, ctx context.Context, r chat.Request, p view.Press) error { return b.study.Try(ctx, r, p) },
			"from": (*Bot).pressFrom,
			"study": func(b *Bot, ctx context.Context, r chat.Request, p view.Press) error {
				return b.study.OpenRecord(ctx, r, p.Arg)
			},
		},
		which: func(b *Bot, ctx context.Context, r chat.Request, id game.MatchID, _ string) error {
			return b.study.Open(ctx, r, id)
		},
		offers: map[string]offer{"game": (*Bot).completeAnyGame},
	}
}

// review shows the review of the game that is named, else of the member's last finished game.
func (b *Bot) review(ctx context.Context, r chat.Request) error {
	rec, found, err := b.finder.Past(ctx, r, "review", "")
	if err != nil || !found {
		return err
	}
	return b.study.Open(ctx, r, rec.ID)
}

// pressFrom begins a game against the engine from a position of a reviewed game.
func (b *Bot) pressFrom(ctx context.Context, r chat.Request, p view.Press) error {
	g, level, err := b.study.From(ctx, r, p)
	if err != nil {
		return err
	}
	return b.host.PlayOn(ctx, r, g, game.SeatEngine(level))
}
