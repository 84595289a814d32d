package bot

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"tengen/bot/act"
	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/finder"
	"tengen/bot/pad"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

func (b *Bot) moveCommand() command.Command {
	return command.Command{
		Command: chat.Command{Name: "move", Alone: true, Options: []chat.OptionSpec{
			{Name: "at", Type: chat.TextOption, Required: true, Complete: true, Max: 20},
			command.Which()}},
		Run: b.move,
		Presses: map[string]command.Pressed{
			"play":  b.pressPlay,
			"sure":  b.pressPlay,
			"pad":   b.pressPad,
			"type":  b.pressType,
			"typed": b.submitMove,
			// In an opening:
			"decide": b.press,
		},
		Which:  b.moveIn,
		Offers: map[string]command.Offer{"at": b.completeMove, "game": b.finder.OfferRunning},
	}
}

func (b *Bot) move(ctx context.Context, r chat.Request) error {
	at := r.Text("at", "")
	all, err := b.store.Of(ctx, r.By)
	if err != nil {
		return err
	}
	if rec, several, ok := finder.Latest(r, all); ok && r.Text("game", "") == "" {
		err := b.moveIn(ctx, r, rec.ID, at)
		if why, known := b.tongue(r).Reason(err); err != nil && known && several {
			return no("move.in", "Rules", b.tongue(r).Rules(rec.Match.Rules), "Match", view.Name(rec.ID), "Why", why)
		}
		return err
	}
	rec, found, err := b.finder.Find(ctx, r, "move", view.Clip(at, 32), view.Playing)
	if err != nil || !found {
		return err
	}
	return b.moveIn(ctx, r, rec.ID, at)
}

// moveIn plays a typed move.
func (b *Bot) moveIn(ctx context.Context, r chat.Request, id game.MatchID, at string) error {
	rec, err := b.finder.Match(ctx, id)
	if err != nil {
		return err
	}
	d, decides := game.ParseDecision(strings.TrimSpace(at))
	if _, stone := d.Stone(); decides && !stone && rec.Match.Deciding() {
		return b.act(ctx, r, act.Asked(r, id, "decide", d.String()))
	}
	p, err := game.ParsePoint(at, rec.Match.Rules.Size())
	var off *game.Refusal
	switch {
	case errors.As(err, &off):
		return err
	case err != nil:
		return no("refused.point", "Text", view.Escape(view.Clip(at, 32)))
	}
	return b.act(ctx, r, act.Asked(r, id, "play", p.String()))
}

func (b *Bot) pressPlay(ctx context.Context, r chat.Request, p view.Press) error {
	rec, err := b.finder.Match(ctx, p.Match)
	if err != nil {
		return err
	}
	point, moved, err := pad.ParsePoint(p.Arg, rec.Match.Rules.Size())
	if err != nil {
		return no("unknown.button")
	}
	p.Arg = point.String()
	if p.Verb == "play" && p.Stamp == rec.Match.Stamp() && view.TurnOf(r.By)(rec.Match) {
		member, err := b.store.Member(ctx, r.By)
		if err != nil {
			return err
		}
		if member.More[view.MoreConfirm] == "1" || rec.Match.Question().LastOffer() || b.hasty(r, rec.Match, moved) {
			return b.movePad(ctx, r, rec, pad.Asking(rec.Match, point))
		}
	}
	return b.press(ctx, r, p)
}

// travels is how long a change takes to the member, and their press back.
const travels = 300 * time.Millisecond

// hasty reports whether r came so soon after the board or its pad had changed that it may have been meant for another
// point. A press that seems to come before the change, or with it, was stamped by a clock that disagrees with ours.
func (b *Bot) hasty(r chat.Request, m game.Match, moved time.Time) bool {
	changed := moved
	if first := m.Stamp() == uint32(len(m.Given)); !first && m.Updated.After(moved) {
		changed = m.Updated
	}
	since := r.At.Sub(changed)
	return b.opt.Settle > 0 && 0 < since && since < b.opt.Settle+travels
}

// movePad shows the board again with its buttons on another part.
func (b *Bot) movePad(ctx context.Context, r chat.Request, rec storage.Record, at pad.Pad) error {
	at.Moved = b.now()
	shown, err := b.screens.MovePad(ctx, r, rec, at)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return no("unknown.match")
	case err == nil && !shown:
		return b.stale(ctx, r, rec.ID, &game.Refusal{Code: game.Moved})
	}
	return err
}

func (b *Bot) pressPad(ctx context.Context, r chat.Request, p view.Press) error {
	rec, err := b.finder.Match(ctx, p.Match)
	if err != nil {
		return err
	}
	if p.Stamp != rec.Match.Stamp() || rec.Match.Phase != game.Playing {
		return b.stale(ctx, r, p.Match, &game.Refusal{Code: game.Moved})
	}
	switch seat, ok := rec.Match.SeatOf(r.By); {
	case !ok:
		return &game.Refusal{Code: game.NotSeated}
	case seat != rec.Match.ToMove(): // the board is one message for all: only who presses its points steers it
		return &game.Refusal{Code: game.NotYourTurn}
	}
	at, err := pad.Parse(p.Arg, rec.Match.Rules.Size())
	if err != nil {
		return no("unknown.button")
	}
	return b.movePad(ctx, r, rec, at)
}

// pressType opens the form for a typed move.
func (b *Bot) pressType(ctx context.Context, r chat.Request, p view.Press) error {
	rec, err := b.finder.Match(ctx, p.Match)
	if err != nil {
		return err
	}
	t := b.tongue(r)
	return b.ask(ctx, r, chat.Form{
		ID: view.On(rec.Match, "typed", ""), Title: t.Say("type.title"),
		Fields: []chat.Field{{ID: "at", Label: t.Say("type.label"), Hint: "H8", Max: 10}},
	})
}

func (b *Bot) submitMove(ctx context.Context, r chat.Request, p view.Press) error {
	return b.moveIn(ctx, r, p.Match, r.Text("at", ""))
}

// completeMove offers the legal points that fit the text typed so far.
func (b *Bot) completeMove(ctx context.Context, r chat.Request) ([]chat.Choice, error) {
	all, err := b.store.Of(ctx, r.By)
	if err != nil {
		return nil, err
	}
	rec, _, ok := finder.Latest(r, all)
	if named, yes := view.ParseKey(r.Text("game", "")); yes {
		i := slices.IndexFunc(all, func(rec storage.Record) bool { return rec.ID == named })
		if ok = i >= 0; ok {
			rec = all[i]
		}
	}
	if !ok || !view.TurnOf(r.By)(rec.Match) {
		return nil, nil
	}
	return b.tongue(r).PointChoices(rec.Match, r.Options["at"].Text), nil
}
