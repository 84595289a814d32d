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

func (b *Bot) historyCommand() command.Command {
	return command.Command{
		Command: chat.Command{Name: "history", Alone: true, Options: []chat.OptionSpec{
			command.Which(), command.Page(),
			{Name: "as", Type: chat.TextOption,
				Choices: command.Named("history", "list", "board")}}},
		Opens: true,
		Run:   b.history,
		Presses: map[string]command.Pressed{
			"history": b.pressHistory,
		},
		Which: func(ctx context.Context, r chat.Request, id game.MatchID, _ string) error {
			return b.historyIn(ctx, r, id, 0, false)
		},
		Offers: map[string]command.Offer{"game": b.finder.OfferAny},
	}
}

func (b *Bot) history(ctx context.Context, r chat.Request) error {
	page := max(0, r.Number("page", 1)-1)
	board := r.Text("as", "list") == "board"
	rec, found, err := b.finder.Find(ctx, r, "history", "", view.Playing)
	if view.IsRefused(err, "refused.noGame") || view.IsRefused(err, "refused.elsewhere") {
		rec, found, err = b.finder.Past(ctx, r, "history", "")
	}
	if err != nil || !found {
		return err
	}
	return b.historyIn(ctx, r, rec.ID, page, board)
}

func (b *Bot) pressHistory(ctx context.Context, r chat.Request, p view.Press) error {
	n, kind, _ := strings.Cut(p.Arg, ".")
	page, err := strconv.Atoi(n)
	if err != nil {
		return no("unknown.button")
	}
	return b.historyIn(ctx, r, p.Match, page, kind == "board")
}

// historyIn shows a page of the moves, or the board with all numbers. It makes a new private
// message, or changes the one whose buttons were pressed.
func (b *Bot) historyIn(ctx context.Context, r chat.Request, id game.MatchID, page int, board bool) error {
	rec, err := b.finder.Readable(ctx, r, id)
	if err != nil {
		return err
	}
	running, err := b.finder.Running(ctx, r.By, rec.Match)
	if err != nil {
		return err
	}
	t := b.tongue(r)
	return b.reply(ctx, r, b.paint.History(t, rec, b.screens.Ruling(ctx, t, rec), page, board, running))
}
