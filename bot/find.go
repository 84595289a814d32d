package bot

import (
	"context"
	"errors"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// find gives the match that a command means: the match that it names, else the member's match in this
// channel that satisfies want. Where there are several, find answers r with a question and gives
// found as false; the command verb then goes on with the member's choice.
func (b *Bot) find(ctx context.Context, r chat.Request, verb, arg string, want func(game.Match) bool) (rec storage.Record, found bool, err error) {
	if name := r.Text("game", ""); name != "" {
		rec, err = b.named(ctx, r, name)
		return rec, err == nil, err
	}
	all, err := b.store.Of(ctx, r.By)
	if err != nil {
		return rec, false, err
	}
	var here, elsewhere []storage.Record
	for _, rec := range all {
		switch {
		case !want(rec.Match):
		case rec.Place == r.Place:
			here = append(here, rec)
		default:
			elsewhere = append(elsewhere, rec)
		}
	}
	switch {
	case len(here) == 1:
		return here[0], true, nil
	case len(here) > 1:
		return rec, false, b.askWhich(ctx, r, here, verb, arg)
	case len(elsewhere) > 0:
		return rec, false, no("refused.elsewhere", "Where", b.where(ctx, elsewhere[0]), "Count", len(elsewhere))
	}
	return rec, false, no("refused.noGame")
}

// where names the place of a match, by a link to its board where there is one.
func (b *Bot) where(ctx context.Context, rec storage.Record) string {
	sc, err := b.store.Screen(ctx, rec.ID)
	if err != nil || sc.Message == 0 {
		return view.Channel(rec.Place.Channel)
	}
	return view.Jump(rec.Place, sc.Message)
}

// findTurn finds the match here in which the member is to move. Where there is none, it gives another
// match of theirs here: the command then says whose turn it is, instead of naming other places.
func (b *Bot) findTurn(ctx context.Context, r chat.Request, verb, arg string) (storage.Record, bool, error) {
	rec, found, err := b.find(ctx, r, verb, arg, view.TurnOf(r.By))
	if view.IsRefused(err, "refused.noGame") || view.IsRefused(err, "refused.elsewhere") {
		if here, ok, e := b.find(ctx, r, verb, arg, view.Playing); e == nil {
			return here, ok, nil
		}
	}
	return rec, found, err
}

// match reads a match. One that does not exist is a refusal.
func (b *Bot) match(ctx context.Context, id game.MatchID) (storage.Record, error) {
	rec, err := b.store.Match(ctx, id)
	if errors.Is(err, storage.ErrNotFound) {
		err = no("unknown.match")
	}
	return rec, err
}

// named is the match that a member named: by its key, which autocomplete fills in, or by its
// short name among the games of the member and of the channel.
func (b *Bot) named(ctx context.Context, r chat.Request, name string) (storage.Record, error) {
	if id, ok := view.ParseKey(name); ok {
		return b.match(ctx, id)
	}
	name = strings.ToUpper(strings.TrimLeft(strings.TrimSpace(name), "#"))
	for _, list := range []func() ([]storage.Record, error){
		func() ([]storage.Record, error) { return b.store.Of(ctx, r.By) },
		func() ([]storage.Record, error) { return b.store.InChannel(ctx, r.Place) },
		func() ([]storage.Record, error) { return b.store.History(ctx, r.By, 0, 200) },
	} {
		recs, err := list()
		if err != nil {
			return storage.Record{}, err
		}
		for _, rec := range recs {
			if view.Name(rec.ID) == name {
				return rec, nil
			}
		}
	}
	return storage.Record{}, no("unknown.match")
}

// askWhich asks the member which match they mean.
func (b *Bot) askWhich(ctx context.Context, r chat.Request, recs []storage.Record, verb, arg string) error {
	t := b.tongue(r)
	s := &chat.Select{ID: view.Do("which", verb+"."+arg), Hint: t.Say("which.hint")}
	for _, rec := range recs[:min(len(recs), 25)] {
		s.Choice = append(s.Choice, chat.Choice{Label: t.Title(rec.Match, r.By), Value: view.Key(rec.ID)})
	}
	msg := chat.Message{Private: true, Blocks: []chat.Block{{Text: t.Say("which.ask")}, {Select: s}}}
	return b.say(ctx, r, msg)
}

// chooseWhich goes on with the answer to askWhich.
func (b *Bot) chooseWhich(ctx context.Context, r chat.Request, p view.Press) error {
	if len(r.Values) != 1 {
		return no("unknown.match")
	}
	id, ok := view.ParseKey(r.Values[0])
	if !ok {
		return no("unknown.match")
	}
	name, arg, _ := strings.Cut(p.Arg, ".")
	if c := b.commands.byName[name]; c.which != nil {
		return c.which(b, ctx, r, id, arg)
	}
	return no("unknown.button")
}

// findAny is find, and gives the member's last finished match where none is running.
func (b *Bot) findAny(ctx context.Context, r chat.Request, verb, arg string) (storage.Record, bool, error) {
	rec, found, err := b.find(ctx, r, verb, arg, view.Playing)
	if view.IsRefused(err, "refused.noGame") {
		if past, e := b.store.History(ctx, r.By, 0, 1); e == nil && len(past) > 0 {
			return past[0], true, nil
		}
	}
	return rec, found, err
}

// readable is a match that the asking member may read: one of their own, or one of this
// channel. Other matches may be in channels that the member cannot see, and are refused as if
// they did not exist.
func (b *Bot) readable(ctx context.Context, r chat.Request, id game.MatchID) (storage.Record, error) {
	rec, err := b.match(ctx, id)
	switch {
	case err != nil:
		return rec, err
	case sits(rec.Match, r.By) || rec.Owner == r.By || rec.Place == r.Place:
		return rec, nil
	}
	return rec, no("unknown.match")
}

// sits reports whether a member plays in a match.
func sits(m game.Match, by game.MemberID) bool { _, ok := m.SeatOf(by); return ok }

// first is the part of s before a separator.
func first(s, sep string) string { before, _, _ := strings.Cut(s, sep); return before }
