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

// Create stores the match that f makes for the id that it is given.
func (s *Store) Create(ctx context.Context, cause Cause, place venue.Place,
	f func(id game.MatchID) (game.Match, error)) (Record, error) {
	return s.create(ctx, cause, f, func(t *txn, m game.Match) (Record, error) {
		return t.save(nil, Record{Match: m, Place: place, Look: cause.Look})
	})
}

// create has save store the match that f makes for an unused id, unless its cause did so before.
func (s *Store) create(ctx context.Context, cause Cause, f func(id game.MatchID) (game.Match, error),
	save func(*txn, game.Match) (Record, error)) (rec Record, err error) {
	if err := s.room(); err != nil {
		return Record{}, err
	}
	id := s.ids.next(cause.At)
	err = s.change(ctx, cause, func(t *txn) error {
		if seen, err := t.seen(); seen != nil || err != nil {
			rec = seen.repeated()
			return err
		}
		id, err := t.unused(id)
		if err != nil {
			return err
		}
		m, err := f(id)
		if err != nil {
			return err
		}
		m.ID = id
		rec, err = save(t, m)
		return err
	})
	return rec, err
}

// Update changes a match by f: see the package comment. When f gives back a match of
// the same version, nothing is written.
func (s *Store) Update(ctx context.Context, id game.MatchID, cause Cause,
	f func(game.Match) (game.Match, error)) (Record, error) {
	return s.apply(ctx, id, cause, func(rec Record) (_ Record, err error) {
		rec.Match, err = f(rec.Match)
		return rec, err
	})
}

// Restyle gives a match the look that f wants, which is a change of the match: it is to be shown anew.
func (s *Store) Restyle(ctx context.Context, id game.MatchID, cause Cause,
	f func(Record) (Look, error)) (Record, error) {
	return s.apply(ctx, id, cause, func(rec Record) (Record, error) {
		look, err := f(rec)
		if look != rec.Look {
			rec.Match, rec.Look = rec.Anew(cause.At), look
		}
		return rec, err
	})
}

func (s *Store) apply(ctx context.Context, id game.MatchID, cause Cause,
	f func(Record) (Record, error)) (rec Record, err error) {
	err = s.change(ctx, cause, func(t *txn) error {
		rec, err = t.apply(id, f)
		return err
	})
	return rec, err
}

// Move brings a live match to another place, where it is not yet shown; f may change
// the match with it (wake it, say), or be nil.
func (s *Store) Move(ctx context.Context, id game.MatchID, cause Cause, place venue.Place,
	f func(game.Match) (game.Match, error)) (Record, error) {
	return s.apply(ctx, id, cause, func(rec Record) (_ Record, err error) {
		if rec.Place = place; f != nil {
			rec.Match, err = f(rec.Match)
		}
		return rec, err
	})
}

// Rematch changes an ended match by f, which may give a second match to follow it. next is the
// id for that match: where the ended match names it as its Next, the second match is stored in
// the same place. Else the second record is zero.
func (s *Store) Rematch(ctx context.Context, id game.MatchID, cause Cause,
	f func(m game.Match, next game.MatchID) (old, successor game.Match, err error)) (old, next Record, err error) {
	if err := s.room(); err != nil {
		return Record{}, Record{}, err
	}
	nextID := s.ids.next(cause.At)
	err = s.change(ctx, cause, func(t *txn) error {
		next = Record{}
		nextID, err := t.unused(nextID)
		if err != nil {
			return err
		}
		var successor game.Match
		old, err = t.apply(id, func(rec Record) (Record, error) {
			m, after, err := f(rec.Match, nextID)
			rec.Match, successor = m, after
			return rec, err
		})
		switch {
		case err != nil || old.Next == 0:
			return err
		case old.Next != nextID: // made before
			next, err = t.record(old.Next)
			if errors.Is(err, ErrNotFound) { // deleted since
				next, err = Record{}, nil
			}
			return err
		}
		successor.ID = nextID
		t.cause.Token = "" // its answer shows the old match
		if next, err = t.save(nil, Record{Match: successor, Place: old.Place, Look: old.Look}); err != nil {
			return err
		}
		return t.inherit(old, next)
	})
	return old, next, err
}

// inherit gives the screen of a rematch the token that may show it, and what the screen of the
// match before knows of who acted when.
func (t *txn) inherit(old, next Record) error {
	before, _, err := readScreen(t, old.ID)
	if err != nil {
		return err
	}
	was, found, err := readScreen(t, next.ID)
	if err != nil || !found {
		return err
	}
	s := was
	if t.cause.Second != "" {
		s.Token, s.Expires = t.cause.Second, t.cause.Expires
	}
	for seat, sits := range next.Seats {
		if at, ok := old.SeatOf(sits.Member); ok && !before.Acted[at].IsZero() && sits.Member != t.cause.By {
			s.Acted[seat] = before.Acted[at]
		}
	}
	return t.write(was, s.Plan(next.Match))
}

// room refuses what is new when only the reserve is left.
func (s *Store) room() error {
	if e, ok := s.kv.Engine.(interface{ Room() error }); ok {
		return e.Room()
	}
	return nil
}

// change runs f as a transaction with a cause, and tells of the matches that it has saved.
func (s *Store) change(ctx context.Context, cause Cause, f func(t *txn) error) error {
	var t *txn // of the last run, which is the one that counts
	err := s.kv.Update(ctx, func(tx kv.Tx) error {
		t = &txn{Tx: tx, s: s, cause: cause}
		return f(t)
	})
	if told := s.told.Load(); err == nil && told != nil {
		for _, rec := range t.saved {
			(*told)(rec)
		}
	}
	return err
}

// Tell has told hear of each match that this Store makes or changes from now on, whatever the cause: after the
// commit, and before the call that made the change returns. told must be quick. Of changes that are made at the
// same time the later one may be told of first: the newer record has the higher Version. A match that has only
// moved to another place keeps its Version. Of one that is deleted it hears the id, with Version 0; of one that is
// only put away, nothing.
func (s *Store) Tell(told func(Record)) { s.told.Store(&told) }

// txn is a transaction of the typed store.
type txn struct {
	kv.Tx
	s      *Store
	cause  Cause
	marked bool // the cause is noted
	saved  []Record

	settling bool // the match that is being ended was ended by its event
}

// tell notes a match of which is told after the commit.
func (t *txn) tell(rec Record) {
	if t.s.told.Load() != nil {
		t.saved = append(t.saved, rec)
	}
}

// apply changes a match, unless its cause did so before.
func (t *txn) apply(id game.MatchID, f func(Record) (Record, error)) (Record, error) {
	if seen, err := t.seen(); seen != nil || err != nil {
		return seen.repeated(), err
	}
	old, err := t.record(id)
	if err != nil {
		return Record{}, err
	}
	next, err := f(old)
	if err != nil {
		return Record{}, err
	}
	if next.Version == old.Version && next.Place == old.Place {
		return old, nil
	}
	return t.save(&old, next)
}

// unused is id, or the first id after it that no match and no event has: another process with
// the same node number may have given out some.
func (t *txn) unused(id game.MatchID) (game.MatchID, error) {
	for ; ; id++ {
		event, err := t.Get(key(tEvent, uint64(id)))
		if err != nil {
			return 0, err
		}
		_, err = t.record(id)
		if event == nil && errors.Is(err, ErrNotFound) {
			return id, nil
		}
		if err != nil && !errors.Is(err, ErrNotFound) {
			return 0, err
		}
	}
}

// record reads a match from where it is.
func (t *txn) record(id game.MatchID) (Record, error) { return readRecord(t, id) }

func readRecord(r kv.Reader, id game.MatchID) (Record, error) {
	for _, k := range [][]byte{liveKey(id), archiveKey(id)} {
		value, err := r.Get(k)
		if err != nil {
			return Record{}, err
		}
		if value != nil {
			rec, err := decodeRecord(id, value)
			rec.filed = k[0] == tArchive
			return rec, err
		}
	}
	return Record{}, ErrNotFound
}

// seen gives the match that the cause made or changed before; nil if it is new.
func (t *txn) seen() (*Record, error) {
	id, err := t.seenID()
	if id == 0 || err != nil {
		return nil, err
	}
	rec, err := t.record(id) // ErrNotFound where it was deleted since
	return &rec, err
}

// seenID is the id of the match or the event that the cause made or changed before; 0 if it
// is new.
func (t *txn) seenID() (game.MatchID, error) {
	k := t.cause.row()
	if k == nil {
		return 0, nil
	}
	d, err := get[done](t, k)
	return d.id, err
}

// mark notes what the cause has made or changed, unless that is done.
func (t *txn) mark(id uint64) error {
	k := t.cause.row()
	if k == nil || t.marked {
		return nil
	}
	t.marked = true
	return t.Put(k, codec.Encode(done{game.MatchID(id)}))
}

func (r *Record) repeated() Record {
	if r == nil {
		return Record{}
	}
	r.Repeated = true
	return *r
}

// done is what an interaction made or changed.
type done struct{ id game.MatchID }

func (d *done) Fields(f *codec.Fields) {
	f.Format(1, 1)
	codec.ID(f, "", &d.id)
}

// save writes next in the place of old, which is nil for a new match, with all that
// follows from it.
func (t *txn) save(old *Record, next Record) (Record, error) {
	next, err := t.follow(old, next)
	if err != nil {
		return Record{}, err
	}
	if err := t.s.options.Limits.admit(t, old, next); err != nil {
		return Record{}, err
	}
	if old != nil && old.Phase == game.Over && next.Phase != game.Over && next.Link != (Link{}) {
		return Record{}, &game.Refusal{Code: game.NotPlaying} // its result stands in the event
	}
	switch ended := next.Phase == game.Over; {
	case ended && next.Ended.IsZero():
		next.Ended = next.Updated
		if err := t.finish(&next); err != nil {
			return Record{}, err
		}
	case !ended:
		next.Ended, next.filed = time.Time{}, false
	}
	if next.Phase == game.Playing && (old == nil || old.Phase != game.Playing) {
		var err error
		if next, err = t.begun(next); err != nil {
			return Record{}, err
		}
	}
	if next.archived() {
		next = next.settled()
	}
	if err := t.derive(old, &next); err != nil {
		return Record{}, err
	}
	if old != nil && old.Phase == game.Over && next.Phase != game.Over {
		if err := t.dropReview(next.ID); err != nil {
			return Record{}, err
		}
	}
	if err := t.show(old, next); err != nil {
		return Record{}, err
	}
	if err := t.mark(uint64(next.ID)); err != nil {
		return Record{}, err
	}
	t.tell(next)
	return next, t.report(old, next)
}

// row is one row; a nil value is none.
type row struct{ key, value []byte }

// derive replaces the rows that follow from old by those that follow from next. Either
// may be nil.
func (t *txn) derive(old, next *Record) error {
	var was, is []row
	var err error
	if old != nil {
		if was, err = t.s.rows(*old); err != nil {
			return err
		}
	}
	if next != nil {
		if is, err = t.s.rows(*next); err != nil {
			return err
		}
	}
	if err := t.replace(was, is); err != nil {
		return err
	}
	return t.chronicle(old, next)
}

// replace deletes the rows that are no more and writes those that are new or other than
// before. What is as it was is left alone: a work row counts its tries.
func (t *txn) replace(was, is []row) error {
	had := make(map[string][]byte, len(was))
	for _, r := range was {
		had[string(r.key)] = r.value
	}
	for _, r := range is {
		value, there := had[string(r.key)]
		delete(had, string(r.key))
		if !there || !bytes.Equal(value, r.value) {
			if err := t.Put(r.key, r.value); err != nil {
				return err
			}
		}
	}
	for _, r := range was {
		if _, gone := had[string(r.key)]; gone {
			if err := t.Delete(r.key); err != nil {
				return err
			}
		}
	}
	return nil
}

// keepEnded is how long an ended match stays where it is. Then, with all others that ended
// in the same quarter of a day, its screen goes, and the match goes to the archive, or away
// if it never got going. In the archive rows are packed tightly, as long as they come in
// the order of their ids; matches end in any order, and by quarters they are sorted.
const (
	keepEnded = 24 * time.Hour
	quarter   = 6 * time.Hour
)

// closing is when an ended match is put away.
func (r Record) closing() uint64 {
	return millisOf(r.Updated.Add(keepEnded + quarter).Truncate(quarter))
}

// rows are the match itself and its rows in the indexes.
func (s *Store) rows(r Record) ([]row, error) {
	value, err := r.encode()
	if err != nil {
		return nil, fmt.Errorf("match %d: %w", r.ID, err)
	}
	id := uint64(r.ID)
	at := liveKey(r.ID)
	if r.filed {
		at = archiveKey(r.ID)
	}
	rows := append(make([]row, 0, 8), row{at, value})
	if r.Phase == game.Over {
		return append(rows, row{key(tClose, r.closing(), id), none}), nil
	}
	rows = append(rows, row{key(tPlace, r.Place.Server, r.Place.Channel, id), none})
	for _, m := range r.members() {
		rows = append(rows, row{key(tSeat, uint64(m), id), codec.Encode(r.role(m))})
	}
	if event, due := r.Due(); event != game.NoEvent {
		rows = append(rows, row{key(tDue, millisOf(due), id), none})
	}
	if r.EngineToMove() {
		rows = append(rows, row{key(tWork, id), codec.Encode(Work{Match: r.ID, Stamp: r.Stamp(), Since: r.Turned})})
	}
	return rows, nil
}

// none is the value of a row that says all in its key.
var none = []byte{1}

func millisOf(t time.Time) uint64 { return uint64(max(t.UnixMilli(), 0)) }
