package bot

import (
	"context"
	"errors"

	"tengen/bot/act"
	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

func (b *Bot) abortWay() command.Command {
	return command.Command{
		Command: chat.Command{Name: "abort"}, As: "abort",
		Run: b.abort,
		Presses: map[string]command.Pressed{
			"abort":     command.Press(b.abortIn),
			"abortsure": b.pressAbortSure,
		},
		Which:  command.In(b.abortIn),
		Offers: map[string]command.Offer{"game": b.finder.OfferRunning},
	}
}

func (b *Bot) abort(ctx context.Context, r chat.Request) error {
	rec, found, err := b.finder.Find(ctx, r, "abort", "", func(m game.Match) bool { return m.Phase != game.Over })
	if view.IsRefused(err, "refused.noGame") || view.IsRefused(err, "refused.elsewhere") {
		here, e := b.store.InChannel(ctx, r.Place)
		if e == nil {
			here, e = b.endableHere(ctx, r, here)
		}
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

// endableHere are those of the matches that a member may end, or have replayed, without playing in them.
func (b *Bot) endableHere(ctx context.Context, r chat.Request, recs []storage.Record) ([]storage.Record, error) {
	var some []storage.Record
	for _, rec := range recs {
		may, err := r.Manages, error(nil)
		if !may && rec.Contest() {
			if may, err = b.mayReplay(ctx, r, rec); err != nil {
				return nil, err
			}
		}
		if may {
			some = append(some, rec)
		}
	}
	return some, nil
}

// abortIn ends a game that has hardly begun. It asks a member who manages messages whether they
// are sure to end any other game of the channel, their own too.
func (b *Bot) abortIn(ctx context.Context, r chat.Request, id game.MatchID) error {
	out, err := b.clerk.Do(ctx, act.Asked(r, id, "abort", ""), b.screens.Cause(r))
	var rule *game.Refusal
	switch was := out.Before; {
	case view.IsRefused(err, "refused.abortContest"):
		return b.askReplay(ctx, r, id)
	case errors.As(err, &rule) && was.Phase != game.Over && moderates(r, was):
		return b.say(ctx, r, b.tongue(r).AbortSure(was.Match, r.By))
	}
	return b.acted(ctx, r, out, err)
}

// askReplay asks a manager whether they are sure to have a match of an event or a ladder replayed. Nobody else stops
// one.
func (b *Bot) askReplay(ctx context.Context, r chat.Request, id game.MatchID) error {
	rec, may, err := b.manages(ctx, r, id)
	switch {
	case err != nil:
		return err
	case may:
		return b.say(ctx, r, b.tongue(r).ReplaySure(rec.Match, r.By))
	case !view.Sits(rec.Match, r.By):
		return &game.Refusal{Code: game.NotSeated}
	}
	return no("refused.abortContest")
}

// manages is a match, and whether a member may end it or have it replayed.
func (b *Bot) manages(ctx context.Context, r chat.Request, id game.MatchID) (rec storage.Record, may bool, err error) {
	if rec, err = b.finder.Match(ctx, id); err == nil {
		may, err = b.mayReplay(ctx, r, rec)
	}
	return rec, may, err
}

// mayReplay reports whether a member may have a match replayed: who moderates its channel, and who manages its event.
func (b *Bot) mayReplay(ctx context.Context, r chat.Request, rec storage.Record) (bool, error) {
	if moderates(r, rec) || rec.Link.Event == 0 {
		return moderates(r, rec), nil
	}
	return b.events.Manages(ctx, r, rec.Link.Event)
}

// moderates reports whether a member may end a match that is not theirs: a permission is of
// one channel.
func moderates(r chat.Request, rec storage.Record) bool { return r.Manages && rec.Place == r.Place }

// pressAbortSure ends any game of the channel, or has it replayed where it counts, and tells its players who did it.
func (b *Bot) pressAbortSure(ctx context.Context, r chat.Request, p view.Press) error {
	a := act.Pressed(r, p)
	was, may, err := b.manages(ctx, r, p.Match)
	if err != nil {
		return err
	}
	a.Manages = may
	out, err := b.clerk.Do(ctx, a, b.screens.Cause(r))
	if was.Contest() && err == nil {
		was = out.Record // it names the match in its place
		err = b.replayed(ctx, r, out)
	} else {
		err = b.acted(ctx, r, out, err)
	}
	if err == nil && !out.Record.Repeated {
		b.tellAborted(ctx, r, was)
	}
	return err
}

// tellAborted tells the players of a match who has ended it.
func (b *Bot) tellAborted(ctx context.Context, r chat.Request, rec storage.Record) {
	msg, ok := view.In(rec.Look.Language).Aborted(rec.Match, r.By)
	if !ok {
		return
	}
	if _, err := b.chat.Send(ctx, chat.To{Token: r.Token}, msg); err != nil {
		b.log.Info("telling of an aborted game", "match", view.Name(rec.ID), "err", err)
	}
}

// replayed answers r, which has ended a match of an event or a ladder.
func (b *Bot) replayed(ctx context.Context, r chat.Request, out act.Outcome) error {
	b.screens.Refresh(out.Record.ID, false)
	b.begun(out)
	said := "replay.done"
	if out.Record.Next == 0 { // the event is over
		said = "outcome.aborted"
	}
	return b.reply(ctx, r, chat.Private(b.tongue(r).Say(said)))
}
