package bot

import (
	"cmp"
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
			"abort":     b.pressAbort,
			"abortsure": b.pressAbortSure,
		},
		Which:  command.In(b.abortIn),
		Offers: map[string]command.Offer{"game": b.completeGame},
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

func (b *Bot) pressAbort(ctx context.Context, r chat.Request, p view.Press) error {
	return b.abortIn(ctx, r, p.Match)
}

// abortIn ends a game that has hardly begun. It asks a member who manages messages whether they
// are sure to end any other game of the channel, their own too.
func (b *Bot) abortIn(ctx context.Context, r chat.Request, id game.MatchID) error {
	abort := act.Asked(r, id, "abort", "")
	rec, counts, err := b.counted(ctx, id)
	switch {
	case err != nil:
		return err
	case counts:
		return b.askReplay(ctx, r, rec)
	}
	if _, err := abort.Do(rec.Match); err == nil || rec.Phase == game.Over || !moderates(r, rec) {
		return b.act(ctx, r, abort)
	}
	return b.say(ctx, r, b.tongue(r).AbortSure(rec.Match, r.By))
}

// counted is a match, and whether it counts.
func (b *Bot) counted(ctx context.Context, id game.MatchID) (rec storage.Record, counts bool, err error) {
	if rec, err = b.finder.Match(ctx, id); err == nil {
		counts, err = b.counts(ctx, rec)
	}
	return rec, counts, err
}

// counts reports whether a match is played for a ladder, or for an event that is not over: nobody aborts it.
func (b *Bot) counts(ctx context.Context, rec storage.Record) (bool, error) {
	if rec.Phase != game.Playing || rec.Link.Event == 0 {
		return rec.Phase == game.Playing && rec.Link.Ladder, nil
	}
	e, err := b.store.Event(ctx, rec.Link.Event)
	if errors.Is(err, storage.ErrNotFound) {
		return false, nil
	}
	return err == nil && !e.Ended, err
}

// askReplay asks a manager whether they are sure to have a match of an event or a ladder replayed. Nobody else stops
// one.
func (b *Bot) askReplay(ctx context.Context, r chat.Request, rec storage.Record) error {
	may, err := b.mayReplay(ctx, r, rec)
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

// pressAbortSure ends any game of the channel, and tells its players who did it.
func (b *Bot) pressAbortSure(ctx context.Context, r chat.Request, p view.Press) error {
	rec, counts, err := b.counted(ctx, p.Match)
	switch {
	case err != nil:
		return err
	case counts:
		return b.replayBoard(ctx, r, rec)
	}
	if !moderates(r, rec) {
		return &game.Refusal{Code: game.NotSeated}
	}
	if err := b.press(ctx, r, p); err != nil {
		return err
	}
	b.tellAborted(ctx, r, rec)
	return nil
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

// replayBoard has the same two play a fresh match in the place of one.
func (b *Bot) replayBoard(ctx context.Context, r chat.Request, rec storage.Record) error {
	if may, err := b.mayReplay(ctx, r, rec); err != nil || !may {
		return cmp.Or[error](err, &game.Refusal{Code: game.NotSeated})
	}
	old, fresh, err := b.store.Replay(ctx, rec.ID, storage.Cause{Interaction: r.ID, At: r.At, By: r.By}, b.random())
	if err != nil {
		return err
	}
	for _, changed := range []storage.Record{old, fresh} {
		if changed.ID != 0 {
			b.desk.Changed(changed)
			b.screens.Refresh(changed.ID, changed.Phase == game.Playing)
		}
	}
	b.events.Kick()
	said := "replay.done"
	if old.Next == 0 { // the event is over
		said = "outcome.aborted"
	}
	if err := b.reply(ctx, r, chat.Private(b.tongue(r).Say(said))); err != nil || old.Repeated {
		return err
	}
	b.tellAborted(ctx, r, old)
	return nil
}
