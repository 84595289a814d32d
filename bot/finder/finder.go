// Package finder finds the match that a member means: by its name, by where they are, or by asking
// them. It keeps a match from members who may not read it. Start from New and Finder.Find.
package finder

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"tengen/bot/chat"
	"tengen/bot/room"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/venue"
	"tengen/storage"
)

// Finder finds matches. Any number of goroutines may call its methods.
type Finder struct{ room.Base }

// New makes a finder.
func New(b room.Base) *Finder { return &Finder{b} }

// Find gives the match that a command means: the match that it names, else the member's match in this
// channel that satisfies want. Where there are several, Find answers r with a question and gives
// found as false; the command verb then goes on with the member's choice.
func (f *Finder) Find(ctx context.Context, r chat.Request, verb, arg string,
	want func(game.Match) bool) (rec storage.Record, found bool, err error) {
	if name := r.Text("game", ""); name != "" {
		rec, err = f.named(ctx, r, name)
		return rec, err == nil, err
	}
	all, err := f.Store.Of(ctx, r.By)
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
		return rec, false, f.Ask(ctx, r, here, verb, arg)
	case len(elsewhere) > 0:
		return rec, false, view.No("refused.elsewhere", "Where", f.Where(ctx, elsewhere[0]), "Count", len(elsewhere))
	}
	return rec, false, view.No("refused.noGame")
}

// Where names the place of a match, by a link to its board where there is one.
func (f *Finder) Where(ctx context.Context, rec storage.Record) string {
	sc, err := f.Store.Screen(ctx, rec.ID)
	if err != nil || sc.Message == 0 {
		return view.Channel(rec.Place.Channel)
	}
	return view.Jump(rec.Place, sc.Message)
}

// Turn finds the match here in which the member is to move. Where there is none, it gives another
// match of theirs here: the command then says whose turn it is, instead of naming other places.
func (f *Finder) Turn(ctx context.Context, r chat.Request, verb, arg string) (storage.Record, bool, error) {
	rec, found, err := f.Find(ctx, r, verb, arg, view.TurnOf(r.By))
	if view.IsRefused(err, "refused.noGame") || view.IsRefused(err, "refused.elsewhere") {
		if here, ok, e := f.Find(ctx, r, verb, arg, view.Playing); e == nil {
			return here, ok, nil
		}
	}
	return rec, found, err
}

// Latest picks one of a member's running matches here: one in which they are to move, where
// there is one, and of several the one that they moved in last. several says that there is
// more than one match here.
func Latest(r chat.Request, all []storage.Record) (rec storage.Record, several, ok bool) {
	var last time.Time
	turn := false
	for _, one := range all {
		at, mine := view.Touched(one.Match, r.By), view.TurnOf(r.By)(one.Match)
		if one.Place != r.Place || !view.Playing(one.Match) {
			continue
		}
		several = ok
		if turn && !mine {
			continue
		}
		if !ok || mine && !turn || at.After(last) {
			rec, ok, turn, last = one, true, mine, at
		}
	}
	return rec, several, ok
}

// Match reads a match. One that does not exist is a refusal.
func (f *Finder) Match(ctx context.Context, id game.MatchID) (storage.Record, error) {
	rec, err := f.Store.Match(ctx, id)
	if errors.Is(err, storage.ErrNotFound) {
		err = view.No("unknown.match")
	}
	return rec, err
}

// named is the match that a member named: by its key, which autocomplete fills in, or by its
// short name among the games of the member and of the channel.
func (f *Finder) named(ctx context.Context, r chat.Request, name string) (storage.Record, error) {
	if id, ok := view.ParseKey(name); ok {
		return f.Match(ctx, id)
	}
	name = strings.ToUpper(strings.TrimLeft(strings.TrimSpace(name), "#"))
	for _, list := range []func() ([]storage.Record, error){
		func() ([]storage.Record, error) { return f.Store.Of(ctx, r.By) },
		func() ([]storage.Record, error) { return f.Store.InChannel(ctx, r.Place) },
		func() ([]storage.Record, error) { return f.Store.History(ctx, r.By, 0, 200) },
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
	return storage.Record{}, view.No("unknown.match")
}

// Ask asks the member which match they mean.
func (f *Finder) Ask(ctx context.Context, r chat.Request, recs []storage.Record, verb, arg string) error {
	t := f.House.Tongue(r)
	s := &chat.Select{ID: view.Do("which", verb+"."+arg), Hint: t.Say("which.hint")}
	for _, rec := range recs[:min(len(recs), 25)] {
		s.Choice = append(s.Choice, chat.Choice{Label: t.Title(rec.Match, r.By), Value: view.Key(rec.ID)})
	}
	return chat.Tell(ctx, f.Chat, r, chat.Private(t.Say("which.ask"), chat.Block{Select: s}))
}

// Past gives the match that the command names, else the last one that the member has finished.
// Where they have finished none it does what Find does.
func (f *Finder) Past(ctx context.Context, r chat.Request, verb, arg string) (storage.Record, bool, error) {
	if r.Text("game", "") == "" {
		past, err := f.Store.History(ctx, r.By, 0, 1)
		if err != nil || len(past) > 0 {
			return append(past, storage.Record{})[0], err == nil, err
		}
	}
	return f.Find(ctx, r, verb, arg, view.Playing)
}

// Running is what the member may go on with beside a match that is over: of their running
// matches the one that they moved in last. It is the zero Match where there is none.
func (f *Finder) Running(ctx context.Context, by game.MemberID, beside game.Match) (running game.Match, err error) {
	if beside.Phase != game.Over {
		return running, nil
	}
	all, err := f.Store.Of(ctx, by)
	for _, rec := range all {
		if view.Playing(rec.Match) && (running.ID == 0 || view.Touched(rec.Match, by).After(view.Touched(running, by))) {
			running = rec.Match
		}
	}
	return running, err
}

// Readable is a match that the asking member may read: one of their own, or one of this
// channel. Other matches may be in channels that the member cannot see, and are refused as if
// they did not exist.
func (f *Finder) Readable(ctx context.Context, r chat.Request, id game.MatchID) (storage.Record, error) {
	rec, err := f.Match(ctx, id)
	switch {
	case err != nil:
		return rec, err
	case view.Sits(rec.Match, r.By) || rec.Owner == r.By || rec.Place == r.Place:
		return rec, nil
	}
	return rec, view.No("unknown.match")
}

// choices are the games whose titles hold the text typed so far.
func (f *Finder) choices(r chat.Request, all []storage.Record) []chat.Choice {
	t := f.House.Tongue(r)
	typed := strings.ToUpper(strings.TrimSpace(r.Options["game"].Text))
	weight := func(place venue.Place, m game.Match) int {
		w := 0
		if place == r.Place {
			w -= 2
		}
		if view.TurnOf(r.By)(m) {
			w--
		}
		return w
	}
	var choices []chat.Choice
	var weights []int
	for _, rec := range all {
		title := t.Title(rec.Match, r.By)
		if !strings.Contains(strings.ToUpper(title), typed) {
			continue
		}
		w := weight(rec.Place, rec.Match)
		i, _ := slices.BinarySearchFunc(weights, w+1, func(a, b int) int { return a - b })
		choices = slices.Insert(choices, i, chat.Choice{Label: view.Clip(title, 100), Value: view.Key(rec.ID)})
		weights = slices.Insert(weights, i, w)
	}
	return choices
}

// OfferRunning offers the member's running games, first those of this channel and those in which it is their turn.
func (f *Finder) OfferRunning(ctx context.Context, r chat.Request) ([]chat.Choice, error) {
	all, err := f.Store.Of(ctx, r.By)
	return f.choices(r, all), err
}

// OfferAny is OfferRunning with finished games too.
func (f *Finder) OfferAny(ctx context.Context, r chat.Request) ([]chat.Choice, error) {
	all, err := f.Store.Of(ctx, r.By)
	if err != nil {
		return nil, err
	}
	past, err := f.Store.History(ctx, r.By, 0, 25)
	return f.choices(r, append(all, past...)), err
}
