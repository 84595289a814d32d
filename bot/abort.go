package bot

import (
	"context"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

func (b *Bot) abortCommand() command.Command {
	return command.Command{
		Command: chat.Command{Name: "abort", About: "End a game that has hardly begun", Alone: true, Options: []chat.OptionSpec{command.Which()}},
		Run:     b.abort,
		Presses: map[string]command.Pressed{
			"abort":     b.pressAbort,
			"abortsure": b.pressAbortSure,
		},
		Which:  command.In(b.abortIn),
		Offers: map[string]command.Offer{"game": b.completeGame},
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

// abortIn ends a game that has hardly begun. It asks a member who manages messages whether they
// are sure to end any other game of the channel, their own too.
func (b *Bot) abortIn(ctx context.Context, r chat.Request, id game.MatchID) error {
	rec, err := b.finder.Match(ctx, id)
	if err != nil {
		return err
	}
	abort := func(m game.Match) (game.Match, error) {
		if m.Phase == game.Offered && m.Owner == r.By {
			return m.Cancel(r.By, r.At)
		}
		return m.Abort(r.By, r.At)
	}
	if _, err := abort(rec.Match); err == nil || rec.Phase == game.Over || !moderates(r, rec) {
		return b.act(ctx, r, id, nil, abort)
	}
	return b.say(ctx, r, b.tongue(r).AbortSure(rec.Match, r.By))
}

// moderates reports whether a member may end a match that is not theirs: a permission is of
// one channel.
func moderates(r chat.Request, rec storage.Record) bool { return r.Manages && rec.Place == r.Place }

// pressAbortSure ends any game of the channel, and tells its players who did it.
func (b *Bot) pressAbortSure(ctx context.Context, r chat.Request, p view.Press) error {
	rec, err := b.finder.Match(ctx, p.Match)
	if err != nil {
		return err
	}
	if !moderates(r, rec) {
		return &game.Refusal{Code: game.NotSeated}
	}
	err = b.act(ctx, r, p.Match, nil, func(m game.Match) (game.Match, error) { return m.Close(game.Aborted, r.At) })
	if err != nil {
		return err
	}
	msg, ok := view.In(rec.Look.Language).Aborted(rec.Match, r.By)
	if !ok {
		return nil
	}
	if _, err := b.chat.Send(ctx, chat.To{Token: r.Token}, msg); err != nil {
		b.log.Info("telling of an aborted game", "match", view.Name(rec.ID), "err", err)
	}
	return nil
}
