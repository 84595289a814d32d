package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"tengen/game"
	"tengen/game/venue"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// Gathering is what a game together and a simul have in common. A channel has one of each kind, which stays
// after its end until the next begins, and one message that shows it.
type Gathering struct {
	venue.Place
	ID      uint64 // the interaction that began it
	Version uint32 // one more with every change of what is shown
	Notice
	Look Look // of the message, and of the matches: Theme and Language
}

// Head is the gathering without what its kind adds.
func (g *Gathering) Head() *Gathering { return g }

// matches is for a gathering that has none.
func (g *Gathering) matches(kv.Reader) error { return nil }

func (g *Gathering) Fields(f *codec.Fields) {
	codec.Part(f, "server", 0, &g.Server)
	codec.Part(f, "channel", 1, &g.Channel)
	codec.ID(f, "", &g.ID)
	codec.Number(f, "", &g.Version, codec.Any32)
	g.Notice.Fields(f)
}

// Gatherer is a pointer to a value of a kind of gathering: what the store asks of it.
type Gatherer[T any] interface {
	codec.Value[T]
	Head() *Gathering
	Over() bool
	begun() (T, error)                             // as it can be stored
	due() time.Time                                // when something is to be done; zero: nothing is
	shown() []byte                                 // its row without that of which a change is no change of what is shown
	own(member game.MemberID) any                  // what it knows of a member; nil: nothing
	without(member game.MemberID, now time.Time) T // after a member has deleted their data
	left(now time.Time) T                          // after the bot was removed from the server
	takenBack(now time.Time) T                     // as the right clock would have left it
	matches(r kv.Reader) error                     // an error where it is wrong about its matches
}

// Gatherings are the gatherings of a kind in the store.
type Gatherings[T any, P Gatherer[T]] struct {
	name  string
	owns  string // what a member's file calls those that know the member
	at    byte   // table: server, channel
	dueAt byte   // table: time, server, channel
}

// The kinds of gatherings. One more has a line here, and its name in families.
var (
	Togethers = Gatherings[Together, *Together]{"game together", "crowds", tTogether, tTogetherDue}
	Simuls    = Gatherings[Simul, *Simul]{"simul", "simuls", tSimul, tSimulDue}
)

// ErrHere refuses a second gathering of a kind in a channel.
var ErrHere = errors.New("the channel has one that goes on")

func (g Gatherings[T, P]) tables() []table {
	return []table{{g.at, anyOf[T, P], g.verify, true}, {g.dueAt, markRow, g.verify, false}}
}

// Agenda tells when something is due in a gathering of the kind.
func (g Gatherings[T, P]) Agenda() Agenda { return Agenda(g.dueAt) }

// rows are those of x: itself, and the one by which it is found when something is due.
func (g Gatherings[T, P]) rows(x T) []row {
	p := P(&x)
	at := p.Head().Place
	rows := []row{{key(g.at, at.Server, at.Channel), codec.Encode[T, P](x)}}
	if due := p.due(); !due.IsZero() {
		rows = append(rows, row{key(g.dueAt, millisOf(due), at.Server, at.Channel), none})
	}
	return rows
}

func (g Gatherings[T, P]) read(r kv.Reader, p venue.Place) (T, error) {
	return need[T, P](r, key(g.at, p.Server, p.Channel))
}

// In gives the gathering of a place; ErrNotFound where there is none.
func (g Gatherings[T, P]) In(ctx context.Context, s *Store, p venue.Place) (T, error) {
	return look(ctx, s, func(r kv.Reader) (T, error) { return g.read(r, p) })
}

// all gives all gatherings.
func (g Gatherings[T, P]) all(r kv.Reader) ([]T, error) {
	return allIn[T, P](r, under(g.at))
}

// Due gives at most n places in whose gatherings something is due by now, of those that want names. The
// others keep nobody waiting, nor does a gathering that cannot be read.
func (g Gatherings[T, P]) Due(ctx context.Context, s *Store, now time.Time, n int,
	want func(venue.Place) bool) ([]venue.Place, error) {
	return look(ctx, s, func(r kv.Reader) ([]venue.Place, error) {
		return found(r, dueBy(g.dueAt, now), n, func(k []byte) (venue.Place, bool) {
			p := venue.Place{Server: part(k, 1), Channel: part(k, 2)}
			return p, want(p)
		})
	})
}

// save writes next in the place of old.
func (g Gatherings[T, P]) save(t *txn, old, next T) (T, error) {
	was, is := P(&old), P(&next)
	if bytes.Equal(codec.Encode[T, P](next), codec.Encode[T, P](old)) {
		return old, nil
	}
	if is.Head().ID != was.Head().ID || !bytes.Equal(is.shown(), was.shown()) {
		is.Head().Version = was.Head().Version + 1
	}
	var before []row
	if was.Head().ID != 0 {
		before = g.rows(old)
	}
	return next, firstOf(t.mark(is.Head().ID), t.replace(before, g.rows(next)))
}

// Begin stores a gathering in a place that has none, or one that is over. Where one goes on, it gives
// that, and ErrHere. The interaction that begins a gathering names it: again it changes nothing.
func (g Gatherings[T, P]) Begin(ctx context.Context, s *Store, at time.Time, next T) (x T, err error) {
	if err := s.room(); err != nil {
		return x, err
	}
	if next, err = P(&next).begun(); err != nil {
		return x, err
	}
	is := P(&next).Head()
	err = s.change(ctx, Cause{At: at}, func(t *txn) error {
		old, err := g.read(t, is.Place)
		was := P(&old).Head()
		switch {
		case err != nil && !errors.Is(err, ErrNotFound):
			return err
		case was.ID == is.ID:
			x = old
			return nil
		case was.ID != 0 && !P(&old).Over():
			x = old
			return ErrHere
		}
		is.Version = was.Version
		x, err = g.save(t, old, next)
		return err
	})
	return x, err
}

// Update changes the gathering of a place by f, which is quick and pure, unless the cause did so before.
// ErrNotFound says that there is none.
func (g Gatherings[T, P]) Update(ctx context.Context, s *Store, p venue.Place, cause Cause,
	f func(T) (T, error)) (x T, err error) {
	err = s.change(ctx, cause, func(t *txn) error {
		old, err := g.read(t, p)
		if err != nil {
			return err
		}
		if seen, err := t.seenID(); seen != 0 || err != nil {
			x = old
			return err
		}
		next, err := f(old)
		if err != nil {
			return err
		}
		x, err = g.save(t, old, next)
		return err
	})
	return x, err
}

// each does something to all gatherings, one after the other. One that is deleted meanwhile is no error.
func (g Gatherings[T, P]) each(ctx context.Context, s *Store, do func(x T) error) error {
	all, err := look(ctx, s, g.all)
	for _, x := range all {
		if err != nil {
			break
		}
		if err = do(x); errors.Is(err, ErrNotFound) {
			err = nil
		}
	}
	return err
}

// change changes each gathering by f, one in each transaction.
func (g Gatherings[T, P]) change(ctx context.Context, s *Store, now time.Time, f func(T) T) error {
	return g.each(ctx, s, func(x T) error {
		next := f(x)
		if bytes.Equal(codec.Encode[T, P](next), codec.Encode[T, P](x)) {
			return nil
		}
		_, err := g.Update(ctx, s, P(&x).Head().Place, Cause{At: now}, func(x T) (T, error) { return f(x), nil })
		return err
	})
}

// own gives what the gatherings know of a member, under the name that a member's file has for them.
func (g Gatherings[T, P]) own(r kv.Reader, member game.MemberID) (name string, known []any, err error) {
	all, err := g.all(r)
	for _, x := range all {
		if own := P(&x).own(member); own != nil {
			known = append(known, own)
		}
	}
	return g.owns, known, err
}

func (g Gatherings[T, P]) forget(ctx context.Context, s *Store, member game.MemberID, now time.Time) error {
	return g.change(ctx, s, now, func(x T) T { return P(&x).without(member, now) })
}

func (g Gatherings[T, P]) left(ctx context.Context, s *Store, server uint64, now time.Time) error {
	return g.change(ctx, s, now, func(x T) T {
		if P(&x).Head().Server != server {
			return x
		}
		return P(&x).left(now)
	})
}

func (g Gatherings[T, P]) takeBack(ctx context.Context, s *Store, now time.Time) error {
	return g.change(ctx, s, now, func(x T) T { return P(&x).takenBack(now) })
}

// clear deletes the gatherings of a server, as long as may gives no error.
func (g Gatherings[T, P]) clear(ctx context.Context, s *Store, server uint64, may func(kv.Reader) error) error {
	return g.each(ctx, s, func(x T) error {
		at := P(&x).Head().Place
		if at.Server != server {
			return nil
		}
		return s.change(ctx, Cause{}, func(t *txn) error {
			now, err := g.read(t, at)
			if err = firstOf(err, may(t)); err != nil {
				return err
			}
			return t.replace(g.rows(now), nil)
		})
	})
}

// verify looks for the rows that follow from a gathering, and for its matches.
func (g Gatherings[T, P]) verify(_ *Store, r kv.Reader, k []byte, _ any) error {
	p := venue.Place{Server: part(k, 0), Channel: part(k, 1)}
	if k[0] == g.dueAt {
		p = venue.Place{Server: part(k, 1), Channel: part(k, 2)}
	}
	x, err := g.read(r, p)
	if err != nil {
		return err
	}
	rows := g.rows(x)
	if !hasRow(rows, k) {
		return fmt.Errorf("the %s of channel %d knows nothing of it", g.name, p.Channel)
	}
	for _, row := range rows[1:] {
		if value, err := r.Get(row.key); err != nil || value == nil {
			return firstOf(err, fmt.Errorf("the %s of channel %d lacks its row %x", g.name, p.Channel, row.key))
		}
	}
	return P(&x).matches(r)
}
