package storage

import (
	"bytes"
	"context"
	"errors"
	"time"

	"tengen/game"
	"tengen/game/venue"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// KeepSeen is how long a cause is remembered. Discord delivers an interaction again, if
// at all, within minutes.
const KeepSeen = time.Hour

// Sweep is for once a minute: it notes that somebody is at work, brings the
// schema up to date where older programs were in the way, puts away what is left
// of ended matches, forgets old causes and tokens, turns the seasons of ladders, and goes on
// with deletions. Where the last sweep was by a clock that was ahead, it first takes back what that
// clock has left. Work that was cut off is finished by the next one.
func (s *Store) Sweep(ctx context.Context, now time.Time) error {
	ahead, err := s.wasAhead(ctx, now)
	if ahead {
		err = s.TakeBack(ctx, now)
	}
	if err == nil { // else the sign of life has to tell the next sweep
		err = s.beat(ctx, now)
	}
	return firstOf(
		err,
		s.rise(ctx),
		s.deleteIn(ctx, below(tSeen, venue.IDAt(now.Add(-KeepSeen))), nil),
		s.deleteIn(ctx, below(tPair, max(dayOf(now), 2)-1), nil),
		s.deleteIn(ctx, below(tAsked, dayOf(now)), nil),
		s.forgetDays(ctx, now),
		s.putAway(ctx, now),
		s.dropTokens(ctx, now),
		s.dropPasses(ctx, func(p Pass) bool { return p.over(now) }),
		s.dropStale(ctx, now),
		s.turnSeasons(ctx, now),
		s.goOnForgetting(ctx, now),
		s.goOnClearing(ctx, now),
	)
}

// forgetDays deletes the keys and the counts of days that are over, and of days so far ahead that a
// wrong clock made them: the keys first, without which the counts name nobody.
func (s *Store) forgetDays(ctx context.Context, now time.Time) error {
	for _, table := range []byte{tSalt, tOutlived} {
		mark := func(r kv.Reader) error { return s.wiped(r.(kv.Tx)) }
		if err := firstOf(
			s.deleteIn(ctx, below(table, dayOf(now)), mark),
			s.deleteIn(ctx, notBelow(table, dayOf(now)+daysAhead+1), mark),
		); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) beat(ctx context.Context, now time.Time) error {
	return s.kv.Update(ctx, func(tx kv.Tx) error {
		return tx.Put(metaKey("alive"), codec.Encode(moment{now}))
	})
}

// Alive is when the last sweep began, by the clock of its process; zero when there was none yet.
func (s *Store) Alive(ctx context.Context) (time.Time, error) {
	at, err := lookAt[moment](ctx, s, metaKey("alive"))
	return at.time, err
}

// Down is the time since the last sweep: at a start, for how long the host was down. It is
// zero when there was no sweep yet.
func (s *Store) Down(ctx context.Context, now time.Time) (down time.Duration, err error) {
	at, err := s.Alive(ctx)
	if err != nil || at.IsZero() {
		return 0, err
	}
	return max(now.Sub(at), 0), nil
}

// chunk gives the keys of the first rows, as many as one transaction takes of them.
func (s *Store) chunk(ctx context.Context, in span, n int) ([][]byte, error) {
	return look(ctx, s, func(r kv.Reader) ([][]byte, error) { return keysIn(r, in, n, nil) })
}

// deleteIn deletes rows, a chunk in each transaction. Each transaction asks first whether it still may; nil is
// always.
func (s *Store) deleteIn(ctx context.Context, in span, may func(kv.Reader) error) error {
	for {
		keys, err := s.chunk(ctx, in, s.options.Chunk)
		if err != nil || len(keys) == 0 {
			return err
		}
		err = s.kv.Update(ctx, func(tx kv.Tx) error {
			if may != nil {
				if err := may(tx); err != nil {
					return err
				}
			}
			for _, k := range keys {
				if err := tx.Delete(k); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
}

// putAway files the matches that ended a day ago, in the order of their ids, and takes
// their screens; matches that ended before they got going are deleted.
func (s *Store) putAway(ctx context.Context, now time.Time) error {
	for {
		due, err := s.chunk(ctx, dueBy(tClose, now), max(s.options.Chunk/10, 1))
		if err != nil || len(due) == 0 {
			return err
		}
		err = s.change(ctx, Cause{At: now}, func(t *txn) error {
			for _, k := range due {
				if err := t.putAway(k); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
}

func (t *txn) putAway(k []byte) error {
	id := game.MatchID(part(k, 1))
	if err := t.Delete(k); err != nil {
		return err
	}
	rec, err := t.record(id)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil
	case err != nil:
		return err
	case rec.Phase != game.Over: // taken up again
		return nil
	case !rec.archived():
		return t.remove(id)
	}
	filed := rec
	filed.filed = true
	return firstOf(
		t.derive(&rec, &filed),
		t.Delete(key(tScreen, uint64(id))),
		t.Delete(key(tToken, uint64(id))),
	)
}

func (s *Store) dropTokens(ctx context.Context, now time.Time) error {
	gone, err := look(ctx, s, func(r kv.Reader) (gone [][]byte, err error) {
		var bad error
		err = r.Scan(key(tToken), key(tToken+1), func(k, v []byte) bool {
			var screen Screen
			if screen, bad = decodeTokens(Screen{}, v); bad == nil && screen.expires(now) {
				gone = append(gone, k)
			}
			return bad == nil && len(gone) < s.options.Chunk
		})
		return gone, errors.Join(err, bad)
	})
	if err != nil || len(gone) == 0 {
		return err
	}
	return s.kv.Update(ctx, func(tx kv.Tx) error {
		for _, k := range gone {
			value, err := tx.Get(k)
			if err != nil {
				return err
			}
			if value == nil {
				continue
			}
			screen, err := decodeTokens(Screen{Match: game.MatchID(part(k, 0))}, value)
			if err != nil {
				return err
			}
			if err := writeTokens(tx, screen, screen.expire(now)); err != nil { // new ones may have come since
				return err
			}
		}
		return nil
	})
}

// dropStale takes rows of times that their matches know nothing of, as an older version
// of the rules of time may have left them; else they would be due for ever.
func (s *Store) dropStale(ctx context.Context, now time.Time) error {
	due, err := s.Due(ctx, now.Add(-time.Hour), s.options.Chunk, nil)
	if err != nil || len(due) == 0 {
		return err
	}
	return s.kv.Update(ctx, func(tx kv.Tx) error {
		var stale [][]byte
		var bad error
		looked := 0
		err := tx.Scan(key(tDue), dueBy(tDue, now.Add(-time.Hour)).to, func(k, _ []byte) bool {
			looked++
			rec, err := readRecord(tx, game.MatchID(part(k, 1)))
			if err != nil && !errors.Is(err, ErrNotFound) {
				bad = err
				return false
			}
			rows, err := s.rows(rec)
			if rec.ID == 0 || err == nil && !hasRow(rows, k) {
				stale = append(stale, k)
			}
			return looked < s.options.Chunk
		})
		for _, k := range stale {
			err = errors.Join(err, tx.Delete(k))
		}
		return errors.Join(err, bad)
	})
}

func hasRow(rows []row, key []byte) bool {
	for _, r := range rows {
		if bytes.Equal(r.key, key) {
			return true
		}
	}
	return false
}

func (s *Store) goOnForgetting(ctx context.Context, now time.Time) error {
	members, err := s.chunk(ctx, under(tForget), -1)
	for _, k := range members {
		err = firstOf(err, s.forget(ctx, game.MemberID(part(k, 0)), now))
	}
	return err
}

func (s *Store) goOnClearing(ctx context.Context, now time.Time) error {
	servers, err := s.chunk(ctx, dueBy(tClear, now), -1)
	for _, k := range servers {
		err = firstOf(err, s.clear(ctx, part(k, 1)))
	}
	return err
}
