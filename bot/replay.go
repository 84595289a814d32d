package bot

import (
	"context"
	"strconv"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/view"
	"tengen/game"
)

func (b *Bot) replayWay() command.Command {
	return command.Command{
		Command: chat.Command{Name: "replay"}, As: "replay",
		Opens: true,
		Run:   b.replay,
		Presses: map[string]command.Pressed{
			"replay": b.pressReplay,
		},
		Which: func(ctx context.Context, r chat.Request, id game.MatchID, _ string) error {
			return b.replayIn(ctx, r, id, 0)
		},
		Offers: map[string]command.Offer{"game": b.finder.OfferAny},
	}
}

func (b *Bot) replay(ctx context.Context, r chat.Request) error {
	if r.Yes("gif", false) {
		rec, found, err := b.finder.Past(ctx, r, "export", "gif")
		if err != nil || !found {
			return err
		}
		return b.exportIn(ctx, r, rec.ID, "gif")
	}
	rec, found, err := b.finder.Past(ctx, r, "replay", "0")
	if err != nil || !found {
		return err
	}
	return b.replayIn(ctx, r, rec.ID, 0)
}

func (b *Bot) pressReplay(ctx context.Context, r chat.Request, p view.Press) error {
	at, name, _ := strings.Cut(p.Arg, ".")
	ply, err := strconv.Atoi(at)
	if err != nil {
		return no("unknown.button")
	}
	if name == "new" { // the list of games stays
		r = command.AsTyped(r, "replay")
	}
	return b.replayIn(ctx, r, p.Match, ply)
}

// replayIn shows the board after a number of moves, to the asking member alone.
func (b *Bot) replayIn(ctx context.Context, r chat.Request, id game.MatchID, ply int) error {
	rec, err := b.finder.Readable(ctx, r, id)
	if err != nil {
		return err
	}
	running, err := b.finder.Running(ctx, r.By, rec.Match)
	if err != nil {
		return err
	}
	t := b.tongue(r)
	msg, err := t.Replay(rec, b.screens.Ruling(ctx, t, rec), ply, running)
	if err != nil {
		return err
	}
	return b.reply(ctx, r, msg)
}
