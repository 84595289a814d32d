package bot

import (
	"context"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

func (b *Bot) drawCommand() command.Command {
	return command.Command{
		Command: chat.Command{Name: "draw", About: "Offer a draw, or agree to one", Alone: true,
			Options: []chat.OptionSpec{command.Which()}},
		Run: b.draw,
		Presses: map[string]command.Pressed{
			"draw":    b.pressDraw,
			"drawyes": b.pressDrawAnswer,
			"drawno":  b.pressDrawAnswer,
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
	return b.act(ctx, r, id, drawRemark, func(m game.Match) (game.Match, error) { return offerDraw(m, r) })
}

// offerDraw offers a draw; the engine answers at once.
func offerDraw(m game.Match, r chat.Request) (game.Match, error) {
	m, err := m.Draw(r.By, r.At)
	if err != nil || !m.AgainstEngine() || m.Phase != game.Playing {
		return m, err
	}
	return m.EngineDraw(engineAgrees(m), r.At)
}

// engineAgrees reports whether the engine accepts a draw: on a dead board, or after move 60 where its
// last search saw neither side ahead.
func engineAgrees(m game.Match) bool {
	if m.Game().Dead() {
		return true
	}
	if m.Guest() != "" {
		return false // the protocols ask no program for a draw
	}
	for i := len(m.Log) - 1; i >= 0; i-- {
		if n := m.Log[i].Note; n.Level != 0 {
			return m.Game().Len() > 60 && n.Win > 450 && n.Win < 550
		}
	}
	return false
}

// drawRemark says what the board does not.
func drawRemark(t view.Tongue, rec storage.Record) string {
	if m := rec.Match; m.Phase == game.Over || m.DrawBy != 0 {
		return "" // the board says so
	}
	if name := rec.Guest(); name != "" {
		return t.Say("draw.guest", "Guest", view.Escape(name))
	}
	return t.Say("draw.engineRefused")
}

func (b *Bot) pressDraw(ctx context.Context, r chat.Request, p view.Press) error {
	return b.act(ctx, r, p.Match, drawRemark, b.at(p, func(m game.Match) (game.Match, error) { return offerDraw(m, r) }))
}

func (b *Bot) pressDrawAnswer(ctx context.Context, r chat.Request, p view.Press) error {
	yes := p.Verb == "drawyes"
	return b.act(ctx, r, p.Match, nil, b.at(p, func(m game.Match) (game.Match, error) {
		return m.AnswerDraw(r.By, yes, r.At)
	}))
}
