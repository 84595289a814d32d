package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

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

func (g *Gathering) gathering() *Gathering { return g }

func (g *Gathering) Fields(f *codec.Fields) {
	codec.Part(f, "server", 0, &g.Server)
	codec.Part(f, "channel", 1, &g.Channel)
	codec.ID(f, "", &g.ID)
	codec.Number(f, "", &g.Version, codec.Any32)
	g.Notice.Fields(f)
}

// gatherer is a pointer to a value of a kind of gathering.
type gatherer[T any] interface {
	codec.Value[T]
	gathering() *Gathering
	Over() bool
	due() time.Time // when something is to be done; zero: nothing is
	shown() []byte  // its row without that of which a change is no change of what is shown
}

// gatherings are the gatherings of a kind in the store.
type gatherings[T any, P gatherer[T]] struct {
	name     string
	at       byte  // table: server, channel
	dueAt    byte  // table: time, server, channel
	occupied error // the channel has one that goes on
}

var (
	togethers = gatherings[Together, *Together]{"game together", tTogether, tTogetherDue, ErrTogetherHere}
	simuls    = gatherings[Simul, *Simul]{"simul", tSimul, tSimulDue, ErrSimulHere}
)

// rows are those of x: itself, and the one by which it is found when something is due.
func (g gatherings[T, P]) rows(x T) []row {
	p := P(&x)
	at := p.gathering().Place
	rows := []row{{key(g.at, at.Server, at.Channel), codec.Encode[T, P](x)}}
	if due := p.due(); !due.IsZero() {
		rows = append(rows, row{key(g.dueAt, millisOf(due), at.Server, at.Channel), none})
	}
	return rows
}

func (g gatherings[T, P]) read(r kv.Reader, p venue.Place) (T, error) {
	return need[T, P](r, key(g.at, p.Server, p.Channel))
}

// one gives the gathering of a place; ErrNotFound where there is none.
func (g gatherings[T, P]) one(ctx context.Context, s *Store, p venue.Place) (T, error) {
	return look(ctx, s, func(r kv.Reader) (T, error) { return g.read(r, p) })
}

// all gives all gatherings.
func (g gatherings[T, P]) all(r kv.Reader) ([]T, error) {
	return allUnder[T, P](r, []byte{g.at})
}

// due gives at most n places in whose gatherings something is due by now, of those that want names. The
// others keep nobody waiting, nor does a gathering that cannot be read.
func (g gatherings[T, P]) due(ctx context.Context, s *Store, now time.Time, n int,
	want func(venue.Place) bool) (due []venue.Place, err error) {
	err = s.kv.View(ctx, func(r kv.Reader) error {
		due = nil
		return r.Scan([]byte{g.dueAt}, key(g.dueAt, millisOf(now)+1), func(k, _ []byte) bool {
			if p := (venue.Place{Server: part(k, 1), Channel: part(k, 2)}); len(due) < n && want(p) {
				due = append(due, p)
			}
			return len(due) < n
		})
	})
	return due, err
}

// save writes next in the place of old.
func (g gatherings[T, P]) save(t *txn, old, next T) (T, error) {
	was, is := P(&old), P(&next)
	if bytes.Equal(codec.Encode[T, P](next), codec.Encode[T, P](old)) {
		return old, nil
	}
	if is.gathering().ID != was.gathering().ID || !bytes.Equal(is.shown(), was.shown()) {
		is.gathering().Version = was.gathering().Version + 1
	}
	var before []row
	if was.gathering().ID != 0 {
		before = g.rows(old)
	}
	return next, firstOf(t.mark(is.gathering().ID), t.replace(before, g.rows(next)))
}

// begin stores a gathering in a place that has none, or one that is over. Where one goes on, it gives
// that, and an error. The interaction that begins a gathering names it: again it changes nothing.
func (g gatherings[T, P]) begin(ctx context.Context, s *Store, now time.Time, next T) (x T, err error) {
	if err := s.room(); err != nil {
		return x, err
	}
	is := P(&next).gathering()
	err = s.change(ctx, Cause{At: now}, func(t *txn) error {
		old, err := g.read(t, is.Place)
		was := P(&old).gathering()
		switch {
		case err != nil && !errors.Is(err, ErrNotFound):
			return err
		case was.ID == is.ID:
			x = old
			return nil
		case was.ID != 0 && !P(&old).Over():
			x = old
			return g.occupied
		}
		is.Version = was.Version
		x, err = g.save(t, old, next)
		return err
	})
	return x, err
}

// update changes the gathering of a place by f, which is quick and pure, unless the cause did so before.
// ErrNotFound says that there is none.
func (g gatherings[T, P]) update(ctx context.Context, s *Store, p venue.Place, cause Cause,
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
func (g gatherings[T, P]) each(ctx context.Context, s *Store, do func(x T) error) error {
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
func (g gatherings[T, P]) change(ctx context.Context, s *Store, now time.Time, f func(T) T) error {
	return g.each(ctx, s, func(x T) error {
		next := f(x)
		if bytes.Equal(codec.Encode[T, P](next), codec.Encode[T, P](x)) {
			return nil
		}
		_, err := g.update(ctx, s, P(&x).gathering().Place, Cause{At: now}, func(x T) (T, error) { return f(x), nil })
		return err
	})
}

// delete deletes the gatherings of a server, as long as may gives no error.
func (g gatherings[T, P]) delete(ctx context.Context, s *Store, server uint64, may func(kv.Reader) error) error {
	return g.each(ctx, s, func(x T) error {
		at := P(&x).gathering().Place
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

// verify looks for the rows that follow from a gathering, and gives it.
func (g gatherings[T, P]) verify(r kv.Reader, k []byte) (x T, err error) {
	p := venue.Place{Server: part(k, 0), Channel: part(k, 1)}
	if k[0] == g.dueAt {
		p = venue.Place{Server: part(k, 1), Channel: part(k, 2)}
	}
	if x, err = g.read(r, p); err != nil {
		return x, err
	}
	rows := g.rows(x)
	if !hasRow(rows, k) {
		return x, fmt.Errorf("the %s of channel %d knows nothing of it", g.name, p.Channel)
	}
	for _, row := range rows[1:] {
		if value, err := r.Get(row.key); err != nil || value == nil {
			return x, firstOf(err, fmt.Errorf("the %s of channel %d lacks its row %x", g.name, p.Channel, row.key))
		}
	}
	return x, nil
}
