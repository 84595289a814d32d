package bot

import (
	"context"
	"errors"
	"strings"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// dispatch finds the row of the table that r is for.
func (b *Bot) dispatch(ctx context.Context, r chat.Request) error {
	switch r.Kind {
	case chat.Slash, chat.UserMenu, chat.MessageMenu:
		if c, ok := b.table.commands[r.Name]; ok {
			return c.run(b, ctx, r)
		}
		return no("unknown.command")
	case chat.Complete:
		return b.complete(ctx, r)
	}
	p, err := view.ParsePress(r.Custom)
	if err != nil {
		return no("unknown.button")
	}
	if does := b.table.presses[p.Verb]; does != nil {
		return does(b, ctx, r, p)
	}
	return no("unknown.button")
}

// allowedHere refuses to begin a game, or to bring one, where the server keeps us to other
// channels. What a member alone is shown is answered everywhere.
func (b *Bot) allowedHere(ctx context.Context, r chat.Request) error {
	if r.Place.Server == 0 || r.Manages || r.Thread {
		return nil
	}
	server, err := b.store.Server(ctx, r.Place.Server)
	if err != nil {
		return err
	}
	if len(server.Channels) == 0 {
		return nil
	}
	for _, c := range server.Channels {
		if c == r.Place.Channel {
			return nil
		}
	}
	return no("refused.channel", "Channel", view.Channel(server.Channels[0]))
}

// act changes a match by r and answers with the board, or with remark where the board is
// shown elsewhere. A press made for another position is told so.
func (b *Bot) act(ctx context.Context, r chat.Request, id game.MatchID, remark func(view.Tongue, storage.Record) string, f func(game.Match) (game.Match, error)) error {
	rec, err := b.update(ctx, id, b.screens.Cause(r), f)
	if errors.Is(err, storage.ErrNotFound) {
		return no("unknown.match")
	}
	if err != nil {
		return b.stale(ctx, r, id, err)
	}
	said := ""
	if remark != nil {
		said = remark(b.tongue(r), rec)
	}
	return b.screens.Show(ctx, r, id, said)
}

// stale answers a press that was refused: where the pressed message is out of date it is
// brought up to date first, and the reason follows for the member alone.
func (b *Bot) stale(ctx context.Context, r chat.Request, id game.MatchID, cause error) error {
	var rule *game.Refusal
	if !r.Kind.Component() || !errors.As(cause, &rule) {
		return cause
	}
	corrected, err := b.screens.Correct(ctx, r, id, rule.Code, func(rec storage.Record) string {
		if rule.Code == game.Moved && twice(rec.Match, r) {
			return "" // the same finger again
		}
		why, _ := reason(b.tongue(r), cause)
		return why
	})
	if !corrected {
		return cause
	}
	return err
}

// twice reports whether a press asks for the move that its member has just made.
func twice(m game.Match, r chat.Request) bool {
	p, err := view.ParsePress(r.Custom)
	plies := m.Game().Plies()
	if err != nil || p.Verb != "play" && p.Verb != "sure" {
		return false
	}
	for i := len(plies) - 1; i >= max(len(m.Given), len(plies)-2); i-- {
		seat := m.SeatOfColor(plies[i].Color)
		if m.Seats[seat].Kind == game.MemberSeat && m.Seats[seat].Member == r.By {
			return strings.EqualFold(p.Arg, plies[i].Point.String()) && r.At.Sub(m.Log[i].At).Abs() < 5*time.Second
		}
	}
	return false
}

// at makes f apply only to the position that the press was made for.
func (b *Bot) at(p view.Press, f func(game.Match) (game.Match, error)) func(game.Match) (game.Match, error) {
	return func(m game.Match) (game.Match, error) {
		if m.Stamp() != p.Stamp && !b.sabotage.NoStamp {
			return game.Match{}, &game.Refusal{Code: game.Moved}
		}
		return f(m)
	}
}

// find is the match that a command means: the one named, else the one in this channel of
// those that want accepts. With several, it asks, and the choice goes to verb; found is
// false then, and the interaction is answered.
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

// where names the place of a match: by its board, to which a press leads from everywhere.
func (b *Bot) where(ctx context.Context, rec storage.Record) string {
	sc, err := b.store.Screen(ctx, rec.ID)
	if err != nil || sc.Message == 0 {
		return view.Channel(rec.Place.Channel)
	}
	return view.Jump(rec.Place, sc.Message)
}

// findTurn is find for the match here in which the member is to move. Where there is none,
// it is one that they play here: it is told whose turn it is, before other places are named.
func (b *Bot) findTurn(ctx context.Context, r chat.Request, verb, arg string) (storage.Record, bool, error) {
	rec, found, err := b.find(ctx, r, verb, arg, view.TurnOf(r.By))
	if isRefused(err, "refused.noGame") || isRefused(err, "refused.elsewhere") {
		if here, ok, e := b.find(ctx, r, verb, arg, view.Playing); e == nil {
			return here, ok, nil
		}
	}
	return rec, found, err
}

// match is the match that a button, a choice or a member names.
func (b *Bot) match(ctx context.Context, id game.MatchID) (storage.Record, error) {
	rec, err := b.store.Match(ctx, id)
	if errors.Is(err, storage.ErrNotFound) {
		err = no("unknown.match")
	}
	return rec, err
}

// named is the match that a member named: by its key, which autocomplete puts in, or by
// its short name among their own games and those of the channel.
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

// askWhich asks which match is meant.
func (b *Bot) askWhich(ctx context.Context, r chat.Request, recs []storage.Record, verb, arg string) error {
	t := b.tongue(r)
	s := &chat.Select{ID: view.Do("which", verb+"."+arg), Hint: t.Say("which.hint")}
	for _, rec := range recs[:min(len(recs), 25)] {
		s.Choice = append(s.Choice, chat.Choice{Label: t.Title(rec.Match, r.By), Value: view.Key(rec.ID)})
	}
	msg := chat.Message{Private: true, Blocks: []chat.Block{{Text: t.Say("which.ask")}, {Select: s}}}
	_, err := b.chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Say, Message: msg})
	return err
}

// chooseWhich goes on with what askWhich asked.
func (b *Bot) chooseWhich(ctx context.Context, r chat.Request, p view.Press) error {
	if len(r.Values) != 1 {
		return no("unknown.match")
	}
	id, ok := view.ParseKey(r.Values[0])
	if !ok {
		return no("unknown.match")
	}
	name, arg, _ := strings.Cut(p.Arg, ".")
	if c := b.table.commands[name]; c.which != nil {
		return c.which(b, ctx, r, id, arg)
	}
	return no("unknown.button")
}
