package events

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/event"
	"tengen/storage"
)

// A tournament with a start can stand in Discord's list of the server's events. That takes a permission
// that nothing else takes, and so it is wanted only where the bot had it when the host filled in a
// form. Whatever Discord refuses later ends the listing, and the tournament goes on without. A listing
// that cannot be changed is deleted: it would say what is wrong.

// keepListed brings the listing of an event up to date.
func (v *Events) keepListed(ctx context.Context, e storage.Event) error {
	next, err := v.listing(ctx, e, v.Now())
	if chat.Temporary(err) {
		return err
	}
	if err != nil {
		v.Log.Info("event: its listing", "event", view.Name(game.MatchID(e.ID)), "err", err)
		if next = (storage.Listing{}); e.Listing.ID != 0 && chat.TroubleOf(err) == chat.Refused {
			if err := v.unlist(ctx, e, e.Listing.ID); chat.Temporary(err) {
				return err
			}
		}
	}
	_, err = v.Store.ListEvent(ctx, e.ID, e.Listing, next, v.Now())
	return err
}

// listing makes, changes or deletes the listing of an event, and gives what is known of it then. One
// that somebody has deleted at Discord is not made again.
func (v *Events) listing(ctx context.Context, e storage.Event, now time.Time) (next storage.Listing, err error) {
	l := e.Listing
	there, err := v.listed(ctx, e)
	if err != nil {
		return l, err
	}
	switch ahead := statusOf(e) == chat.Ahead && e.Starts.After(now); {
	case len(there) > 0 && !l.Wanted:
		return next, v.unlist(ctx, e, there[0].ID)
	case len(there) > 0:
		return v.change(ctx, e, there[0], now)
	case l.Wanted && l.ID == 0 && ahead:
		return v.announce(ctx, e)
	}
	return next, nil
}

// listed are the listings of an event, the one that is known first, whatever moderators have made of its
// words. Others come of a process that died while it made one, and are deleted. Where none was ever made, Discord is
// not asked.
func (v *Events) listed(ctx context.Context, e storage.Event) (there []chat.Listing, err error) {
	if e.Listing.ID == 0 && e.Listing.Making.IsZero() {
		return nil, nil
	}
	if !v.pass(1) {
		return nil, v.Tasks.Life.Err()
	}
	if there, err = v.Chat.Listings(ctx, e.Place.Server); err != nil {
		return nil, err
	}
	there = slices.DeleteFunc(there, func(l chat.Listing) bool {
		return l.ID != e.Listing.ID && !strings.HasSuffix(l.About, listingMark(e.ID))
	})
	slices.SortFunc(there, func(a, b chat.Listing) int {
		return cmp.Or(bit(b.ID == e.Listing.ID)-bit(a.ID == e.Listing.ID), cmp.Compare(a.ID, b.ID))
	})
	for len(there) > 1 {
		if err := v.unlist(ctx, e, there[len(there)-1].ID); err != nil {
			return nil, err
		}
		there = there[:len(there)-1]
	}
	return there, nil
}

// unlist deletes a listing. That it is gone already is no error.
func (v *Events) unlist(ctx context.Context, e storage.Event, id uint64) error {
	if !v.pass(1) {
		return v.Tasks.Life.Err()
	}
	if err := v.Chat.Unlist(ctx, e.Place.Server, id); err != nil && chat.TroubleOf(err) != chat.Gone {
		return err
	}
	return nil
}

// announce makes the listing of an event. That it is being made is stored before, so that a process
// that comes after a death looks for it.
func (v *Events) announce(ctx context.Context, e storage.Event) (storage.Listing, error) {
	l := e.Listing
	if l.Making.IsZero() {
		l.Making = v.Now()
		if _, err := v.Store.ListEvent(ctx, e.ID, e.Listing, l, v.Now()); err != nil {
			return l, err
		}
	}
	if !v.pass(1) {
		return l, v.Tasks.Life.Err()
	}
	id, err := v.Chat.List(ctx, e.Place.Server, says(e))
	if err != nil {
		return l, err
	}
	return storage.Listing{Wanted: true, ID: id, Said: e.Announced()}, nil
}

// change has a listing say what its event is now. One that is over is forgotten.
func (v *Events) change(ctx context.Context, e storage.Event, there chat.Listing,
	now time.Time) (storage.Listing, error) {
	say, want := says(e), statusOf(e)
	if e.Ended {
		say = chat.Listing{}
	}
	say.ID = there.ID
	starts := there.Starts
	if want != chat.Ahead || there.Status != chat.Ahead || !say.Starts.After(now) || say.Starts.Equal(starts) {
		say.Starts = time.Time{} // it is fixed once it has begun
	} else {
		starts = say.Starts
	}
	if !say.Ends.After(now) || !say.Ends.After(starts) { // Discord keeps the start of one that begins before it
		say.Ends = time.Time{}
	}
	for _, say.Status = range steps(there.Status, want) {
		if !v.pass(1) {
			return e.Listing, v.Tasks.Life.Err()
		}
		if _, err := v.Chat.List(ctx, e.Place.Server, say); err != nil {
			return e.Listing, err
		}
		say.Starts, say.Ends = time.Time{}, time.Time{}
	}
	if e.Ended {
		return storage.Listing{}, nil
	}
	return storage.Listing{Wanted: true, ID: there.ID, Said: e.Announced()}, nil
}

// statusOf is how far an event has come, as its listing has it.
func statusOf(e storage.Event) chat.Status {
	switch begun := len(e.Paired) > 0; {
	case e.Ended && begun:
		return chat.Done
	case e.Ended:
		return chat.CalledOff
	case begun:
		return chat.Underway
	}
	return chat.Ahead
}

// steps are the statuses by which a listing comes from one to another; 0 leaves it where it is. Discord
// begins a listing at its start, whether the event has begun or not.
func steps(from, to chat.Status) []chat.Status {
	switch {
	case from == chat.Ahead && to == chat.Done:
		return []chat.Status{chat.Underway, chat.Done}
	case from == chat.Underway && to >= chat.Done:
		return []chat.Status{chat.Done}
	case from == chat.Ahead && to > chat.Ahead:
		return []chat.Status{to}
	}
	return []chat.Status{0}
}

// harmless takes the characters out of a name that make a mention.
var harmless = strings.NewReplacer("@", "＠", "<", "＜")

// says is the listing of an event, in the language of the event.
func says(e storage.Event) chat.Listing {
	t := view.In(e.Look.Language)
	roleless := e
	roleless.Role = 0 // a listing shows no roles
	lines := []string{terms(t, roleless)}
	if e.Takes() {
		lines = append(lines, t.Say("event.listing"))
	}
	lines = append(lines, t.Say("event.listing.standings", "Event", listingMark(e.ID)))
	return chat.Listing{Name: harmless.Replace(e.Name), About: strings.Join(lines, "\n"), Starts: e.Starts, Ends: ends(e),
		Where: fmt.Sprintf("https://discord.com/channels/%d/%d", e.Place.Server, e.Place.Channel)}
}

// listingMark ends what the listing of an event says: the option by which /event standings shows it.
func listingMark(id storage.EventID) string { return "event:" + strconv.FormatUint(uint64(id), 36) }

// How long an event is said to last, at least and at most, and of how many entrants where nobody knows.
const (
	leastLasting = 10 * time.Minute
	mostLasting  = 60 * 24 * time.Hour
	usualField   = 8
)

// ends is when an event is over at the latest, as far as one knows. Discord ends the listing then.
func ends(e storage.Event) time.Time {
	from, field := e.Starts, e.Most
	if len(e.Paired) > 0 {
		from, field = e.Paired[0][0].Began, len(e.Seeds)
	}
	if field == 0 {
		field = usualField
	}
	rounds := e.Rounds
	switch e.Kind {
	case event.KindArena:
		rounds = 1
	case event.KindRoundRobin:
		rounds = (field + field%2 - 1) * count(e)
	case event.KindKnockout:
		rounds = bits.Len(uint(field-1)) * count(e)
	}
	return from.Add(min(max(time.Duration(rounds)*e.Length, leastLasting), mostLasting))
}
