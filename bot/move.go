package bot

import (
	"context"
	"errors"

	"tengen/bot/chat"
	"tengen/game"
	"tengen/storage"
)

func (b *Bot) move(ctx context.Context, r chat.Request) error {
	at := r.Text("at", "")
	rec, found, err := b.findTurn(ctx, r, "move", clip(at, 32))
	if err != nil || !found {
		return err
	}
	return b.moveIn(ctx, r, rec.ID, at)
}

// moveIn makes a member's typed move.
func (b *Bot) moveIn(ctx context.Context, r chat.Request, id game.MatchID, at string) error {
	rec, err := b.match(ctx, id)
	if err != nil {
		return err
	}
	p, err := game.ParsePoint(at, rec.Match.Rules.Size())
	var off *game.Refusal
	switch {
	case errors.As(err, &off):
		return err
	case err != nil:
		return no("refused.point", "Text", escape(clip(at, 32)))
	}
	return b.act(ctx, r, id, b.playedRemark, func(m game.Match) (game.Match, error) { return m.Play(r.By, p, r.At) })
}

// playedRemark repeats the move in the letter form and tells where the board is.
func (b *Bot) playedRemark(t tongue, rec storage.Record) string {
	m := rec.Match
	link := ""
	if sc, err := b.store.Screen(b.life, rec.ID); err == nil {
		link = jump(rec.Place, sc.Message)
	}
	if len(m.Log) == 0 {
		return link
	}
	plies := m.Game().Plies()
	last := plies[len(plies)-1]
	return t.Say("move.played", "Number", last.Number, "Point", last.Point.String(), "Link", link)
}

func (b *Bot) pressPlay(ctx context.Context, r chat.Request, p press) error {
	rec, err := b.match(ctx, p.match)
	if err != nil {
		return err
	}
	point, err := game.ParsePoint(p.arg, rec.Match.Rules.Size())
	if err != nil {
		return no("unknown.button")
	}
	if p.verb == "play" && p.stamp == rec.Match.Stamp() && turnOf(r.By)(rec.Match) {
		member, err := b.store.Member(ctx, r.By)
		if err != nil {
			return err
		}
		if member.More[moreConfirm] == "1" {
			e := look(rec.Match)
			e.sure = point
			return b.peek(ctx, r, rec, e)
		}
	}
	return b.act(ctx, r, p.match, b.playedRemark, b.at(p, func(m game.Match) (game.Match, error) {
		return m.Play(r.By, point, r.At)
	}))
}

// peek shows the board again with the pad looking elsewhere. It changes nothing. Like
// whoever sends a board it holds the match's place, so that it puts no older board over a
// newer one.
func (b *Bot) peek(ctx context.Context, r chat.Request, rec storage.Record, e eye) error {
	brief, cancel := context.WithTimeout(ctx, brieflyHeld)
	defer cancel()
	release, err := b.screens.hold(brief, rec.ID)
	if err != nil {
		return b.acknowledge(ctx, r, "") // the board is being sent
	}
	now, live, err := b.still(ctx, r, rec)
	if err != nil || !live {
		release()
		if err == nil {
			err = b.stale(ctx, r, rec.ID, &game.Refusal{Code: game.Moved})
		}
		return err
	}
	defer release()
	if _, err = b.chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Replace, Message: b.view(now, e)}); err != nil || b.alone() {
		return err
	}
	return b.overtaken(ctx, r, now)
}

// overtaken looks whether another process has sent a newer board while r was answered with
// that of rec; then what r pressed is shown anew.
func (b *Bot) overtaken(ctx context.Context, r chat.Request, rec storage.Record) error {
	now, err := b.match(ctx, rec.ID)
	if err != nil || now.Version == rec.Version {
		return err
	}
	_, err = b.setScreen(ctx, rec.ID, func(sc storage.Screen) storage.Screen {
		if sc.Message != r.Message {
			return sc.Leave(storage.Message{Channel: r.Place.Channel, ID: r.Message})
		}
		sc.Shown = min(sc.Shown, rec.Version)
		return sc
	})
	b.refresh(rec.ID, false)
	return err
}

// still gives a match as it is now, and whether r was pressed on its live message while it
// stood as in rec.
func (b *Bot) still(ctx context.Context, r chat.Request, rec storage.Record) (now storage.Record, live bool, err error) {
	if now, err = b.match(ctx, rec.ID); err != nil {
		return now, false, err
	}
	sc, err := b.store.Screen(ctx, rec.ID)
	return now, err == nil && now.Stamp() == rec.Stamp() && pressed(r, rec.ID, sc), err
}

func (b *Bot) pressPad(ctx context.Context, r chat.Request, p press) error {
	rec, err := b.match(ctx, p.match)
	if err != nil {
		return err
	}
	if p.stamp != rec.Match.Stamp() || rec.Match.Phase != game.Playing {
		return b.stale(ctx, r, p.match, &game.Refusal{Code: game.Moved})
	}
	if _, ok := rec.Match.SeatOf(r.By); !ok {
		return &game.Refusal{Code: game.NotSeated}
	}
	e, err := parseEye(p.arg, rec.Match.Rules.Size())
	if err != nil {
		return no("unknown.button")
	}
	return b.peek(ctx, r, rec, e)
}

// pressType opens the form for a typed move.
func (b *Bot) pressType(ctx context.Context, r chat.Request, p press) error {
	rec, err := b.match(ctx, p.match)
	if err != nil {
		return err
	}
	t := b.tongue(r)
	_, err = b.chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Ask, Modal: chat.Modal{
		ID: on(rec.Match, "typed", ""), Title: t.Say("type.title"),
		Lines: []chat.ModalLine{{ID: "at", Label: t.Say("type.label"), Hint: "H8", Max: 10}},
	}})
	return err
}

func (b *Bot) submitMove(ctx context.Context, r chat.Request, p press) error {
	return b.moveIn(ctx, r, p.match, r.Fields["at"])
}
