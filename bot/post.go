package bot

import (
	"context"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
)

// pressPost shows a finished game to everybody in the channel: its last position, or the whole
// of it as an animation. At first it asks the member, on a private screen, which of them. Only
// a member who plays in the game, or who began it, may show it.
func (b *Bot) pressPost(ctx context.Context, r chat.Request, p view.Press) error {
	rec, err := b.finder.Readable(ctx, r, p.Match)
	if err != nil {
		return err
	}
	m := rec.Match
	switch {
	case !view.Sits(m, r.By) && rec.Owner != r.By:
		return &game.Refusal{Code: game.NotSeated}
	case m.Phase != game.Over:
		return &game.Refusal{Code: game.RematchTooSoon}
	}
	if err := b.host.AllowedHere(ctx, r); err != nil { // before the member is asked
		return err
	}
	switch {
	case p.Arg == "review":
		msg, err := b.reviews.Posted(ctx, r, rec)
		if err != nil {
			return err
		}
		return b.host.Post(ctx, r, msg)
	case p.Arg != "png" && p.Arg != "gif":
		return b.say(ctx, r, b.tongue(r).AskPost(m))
	}
	t := view.In(rec.Look.Language)
	end := b.screens.Ruling(ctx, t, rec)
	picture, err := pictureOf(t, rec, end, p.Arg)
	if err != nil {
		return err
	}
	return b.host.Post(ctx, r, chat.Text(t.Posted(m, r.By, end), picture))
}
