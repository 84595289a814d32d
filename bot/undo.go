package bot

import (
	"context"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/view"
	"tengen/game"
)

func (b *Bot) undoCommand() command.Command {
	return command.Command{
		Command: chat.Command{Name: "undo", About: "Take your last move back", Alone: true,
			Options: []chat.OptionSpec{command.Which()}},
		Run: b.undo,
		Presses: map[string]command.Pressed{
			"undo":    b.pressUndo,
			"unoffer": b.pressUnoffer,
			"undoyes": b.pressUndoAnswer,
			"undono":  b.pressUndoAnswer,
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
	return b.act(ctx, r, id, nil, func(m game.Match) (game.Match, error) { return m.Undo(r.By, r.At) })
}

func (b *Bot) pressUndo(ctx context.Context, r chat.Request, p view.Press) error {
	return b.act(ctx, r, p.Match, nil, b.at(p, func(m game.Match) (game.Match, error) { return m.Undo(r.By, r.At) }))
}

func (b *Bot) pressUndoAnswer(ctx context.Context, r chat.Request, p view.Press) error {
	yes := p.Verb == "undoyes"
	return b.act(ctx, r, p.Match, nil, b.at(p, func(m game.Match) (game.Match, error) {
		return m.AnswerUndo(r.By, yes, r.At)
	}))
}

// pressUnoffer takes back the point that a member has offered last. It is no undo for the other side,
// who would take back their own decision with it.
func (b *Bot) pressUnoffer(ctx context.Context, r chat.Request, p view.Press) error {
	return b.act(ctx, r, p.Match, nil, b.at(p, func(m game.Match) (game.Match, error) {
		if seat, ok := m.SeatOf(r.By); ok && seat != m.ToMove() {
			return game.Match{}, &game.Refusal{Code: game.NotYourTurn}
		}
		return m.Undo(r.By, r.At)
	}))
}
