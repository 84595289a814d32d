package bot

import (
	"context"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
)

func abortCommand() command {
	return command{
		Command: chat.Command{Name: "abort", About: "End a game that has hardly begun", Alone: true, Options: []chat.OptionSpec{whichOption()}},
		run:     (*Bot).abort,
		presses: map[string]pressed{
			"abort": (*Bot).pressAbort,
		},
		which: func(b *Bot, ctx context.Context, r chat.Request, id game.MatchID, _ string) error {
			return b.abortIn(ctx, r, id)
		},
		offers: map[string]offer{"game": (*Bot).completeGame},
	}
}

func (b *Bot) abort(ctx context.Context, r chat.Request) error {
	rec, found, err := b.finder.Find(ctx, r, "abort", "", func(m game.Match) bool { return m.Phase != game.Over })
	if r.Manages && (view.IsRefused(err, "refused.noGame") || view.IsRefused(err, "refused.elsewhere")) {
		here, e := b.store.InChannel(ctx, r.Place)
		switch {
		case e != nil:
			return e
		case len(here) == 1:
			return b.abortIn(ctx, r, here[0].ID)
		case len(here) > 1:
			return b.finder.Ask(ctx, r, here, "abort", "")
		}
	}
	if err != nil || !found {
		return err
	}
	return b.abortIn(ctx, r, rec.ID)
}

func (b *Bot) pressAbort(ctx context.Context, r chat.Request, p view.Press) error {
	return b.abortIn(ctx, r, p.Match)
}

// abortIn ends a game that has hardly begun, or any game of the channel where the asking
// member manages messages.
func (b *Bot) abortIn(ctx context.Context, r chat.Request, id game.MatchID) error {
	rec, err := b.finder.Match(ctx, id)
	if err != nil {
		return err
	}
	moderates := r.Manages && rec.Place == r.Place // a permission is of one channel
	return b.act(ctx, r, id, nil,
		func(m game.Match) (game.Match, error) {
			if m.Phase == game.Offered && m.Owner == r.By {
				return m.Cancel(r.By, r.At)
			}
			next, err := m.Abort(r.By, r.At)
			if err != nil && moderates {
				return m.Close(game.Aborted, r.At)
			}
			return next, err
		})
}
