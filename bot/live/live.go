// Package live is what the rooms of gatherings have in common: a room says what is due in a gathering, what
// its message shows and what its buttons do. Beginning one in a channel, finding what is due, keeping the one
// message up to date, and finding the gathering of a press are here. Start from Room.
package live

import (
	"context"
	"errors"
	"strings"
	"time"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/host"
	"tengen/bot/outbox"
	"tengen/bot/pool"
	"tengen/bot/room"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/venue"
	"tengen/storage"
)

// Kind is a room of gatherings as the bot has it.
type Kind interface {
	Commands() []command.Command // they can be registered without a bot
	Agenda() storage.Agenda
	Sweep() // begins what is due
}

// Caller is a Kind that has a say in whether the board of a match calls the member of a seat, who is away.
type Caller interface {
	Calls(ctx context.Context, rec storage.Record, seat int) (bool, error)
}

// Room is the room of a kind of gathering. Any number of goroutines may call its methods.
type Room[T any, P storage.Gatherer[T]] struct {
	room.Base
	Host   *host.Host
	kind   storage.Gatherings[T, P]
	name   string
	places pool.Places
}

// atOnce is how many gatherings of a kind are looked after at one time.
const atOnce = 100

// New makes a room. The catalogue's refusals of the kind have its name.
func New[T any, P storage.Gatherer[T]](name string, kind storage.Gatherings[T, P], b room.Base,
	h *host.Host) Room[T, P] {
	return Room[T, P]{b, h, kind, name, pool.NewPlaces(name, atOnce, b)}
}

// Agenda tells when something is due in a gathering.
func (r *Room[T, P]) Agenda() storage.Agenda { return r.kind.Agenda() }

// Bring has each gathering in which something is due brought on. What is cut off is done by the next call:
// each step follows from what is stored.
func (r *Room[T, P]) Bring(on func(context.Context, venue.Place) error) {
	r.places.Sweep(func(ctx context.Context, now time.Time, n int, want func(venue.Place) bool) ([]venue.Place, error) {
		return r.kind.Due(ctx, r.Store, now, n, want)
	}, on)
}

// May is a refusal where the asking member may not begin a gathering.
func (r *Room[T, P]) May(ctx context.Context, q chat.Request) error {
	switch {
	case q.Place.Server == 0 || !q.Installed:
		return view.No("refused." + r.name + "Here")
	case !q.Allowed.View || !q.Allowed.Send || q.Thread && !q.Allowed.SendInThreads:
		return view.No("refused.togetherMute")
	}
	return r.Host.AllowedHere(ctx, q)
}

// Begin begins a gathering where none goes on, and tells the asking member: said makes the words.
func (r *Room[T, P]) Begin(ctx context.Context, q chat.Request, next T, said func(view.Tongue, T) string) error {
	head := P(&next).Head()
	head.Place, head.ID = q.Place, q.ID
	one, err := r.kind.Begin(ctx, r.Store, q.At, next)
	if errors.Is(err, storage.ErrHere) {
		return view.No("refused."+r.name, "Where", view.Jump(q.Place, P(&one).Head().Message))
	}
	if err != nil {
		return err
	}
	return chat.Tell(ctx, r.Chat, q, chat.Private(said(r.House.Tongue(q), one)))
}

// Change changes a gathering by f, once for a cause. Where the next has begun meanwhile it is gone.
func (r *Room[T, P]) Change(ctx context.Context, x T, c storage.Cause, gone error, f func(T) (T, error)) (T, error) {
	head := P(&x).Head()
	return r.kind.Update(ctx, r.Store, head.Place, c, func(now T) (T, error) {
		if P(&now).Head().ID != head.ID {
			return now, gone
		}
		return f(now)
	})
}

// Tick brings the gathering of a place on to the present by f.
func (r *Room[T, P]) Tick(ctx context.Context, p venue.Place, f func(x T, now time.Time) T) (T, error) {
	now := r.Now()
	return r.kind.Update(ctx, r.Store, p, storage.Cause{At: now}, func(x T) (T, error) { return f(x, now), nil })
}

// Show brings the message of a gathering up to date: msg is what it says of x. shown, which may be nil, notes
// what the message shows beside the version.
func (r *Room[T, P]) Show(ctx context.Context, x T, msg chat.Message, shown func(*T)) error {
	head := *P(&x).Head()
	return outbox.Bring(ctx, r.Base, head.Place, head.Notice, head.Version, msg, func(n storage.Notice) error {
		_, err := r.Change(ctx, x, storage.Cause{At: r.Now()}, nil, func(now T) (T, error) {
			if P(&now).Head().Notice = n; n.Posting.IsZero() && shown != nil {
				shown(&now)
			}
			return now, nil
		})
		return err
	})
}

// Pressed is the gathering of a press, with the press's word and what follows it. One of which there is
// nothing any more is gone.
func (r *Room[T, P]) Pressed(ctx context.Context, q chat.Request, p view.Press,
	gone error) (x T, what, arg string, err error) {
	what, arg, _ = strings.Cut(p.Arg, ".")
	x, err = r.kind.In(ctx, r.Store, q.Place)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		err = view.No("unknown.button")
	case err == nil && P(&x).Head().ID != uint64(p.Match):
		err = gone
	}
	return x, what, arg, err
}

// Press is the custom id of a button of a gathering.
func Press(g storage.Gathering, stamp int, verb, arg string) string {
	return view.Press{Match: game.MatchID(g.ID), Stamp: uint32(stamp), Verb: verb, Arg: arg}.ID()
}

// Sure asks a member whether to stop what a press stops.
func Sure(t view.Tongue, question, press string) chat.Message {
	return chat.Private(t.Say(question)).WithRow(chat.Button{ID: press, Label: t.Say("button.stop"), Style: chat.Danger})
}
