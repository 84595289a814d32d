package storage

import (
	"context"
	"errors"
	"slices"

	"tengen/game"
	"tengen/game/venue"
	"tengen/storage/kv"
)

// look gives what read finds in one consistent state of the store.
func look[T any](ctx context.Context, s *Store, read func(kv.Reader) (T, error)) (v T, err error) {
	err = s.kv.View(ctx, func(r kv.Reader) error {
		v, err = read(r)
		return err
	})
	return v, err
}

// Match gives a match, live or archived; ErrNotFound when there is none.
func (s *Store) Match(ctx context.Context, id game.MatchID) (Record, error) {
	return look(ctx, s, func(r kv.Reader) (Record, error) { return readRecord(r, id) })
}

// InChannel gives the live matches of a place, oldest first.
func (s *Store) InChannel(ctx context.Context, p venue.Place) ([]Record, error) {
	return s.listed(ctx, under(tPlace, p.Server, p.Channel), 2)
}

// Of gives the live matches of a member, offered and running, oldest first. Those of engines that play at
// their wish are among them, those of others in their tournament are not.
func (s *Store) Of(ctx context.Context, member game.MemberID) ([]Record, error) {
	all, err := s.listed(ctx, under(tSeat, uint64(member)), 1)
	return slices.DeleteFunc(all, func(rec Record) bool {
		_, sits := rec.SeatOf(member)
		return !sits && rec.Link.Event != 0
	}), err
}

// listed gives the matches whose ids are the i-th part of the keys of rows.
func (s *Store) listed(ctx context.Context, in span, i int) ([]Record, error) {
	return look(ctx, s, func(r kv.Reader) ([]Record, error) {
		ids, err := partsIn[game.MatchID](r, in, i, -1, nil)
		if err != nil {
			return nil, err
		}
		return readRecords(r, ids)
	})
}

func readRecords(r kv.Reader, ids []game.MatchID) (recs []Record, err error) {
	for _, id := range ids {
		rec, err := readRecord(r, id)
		if err != nil {
			return nil, err
		}
		recs = append(recs, rec)
	}
	return recs, nil
}

// Live calls f for all matches that are offered or played, oldest first, until f returns
// false. It reads a part at a time, so that f may take as long as it likes: what changes
// meanwhile may or may not be seen.
func (s *Store) Live(ctx context.Context, f func(Record) bool) error {
	return s.each(ctx, tLive, func(r Record) bool { return r.Phase == game.Over || f(r) })
}

// Archive is Live for the finished games.
func (s *Store) Archive(ctx context.Context, f func(Record) bool) error {
	more := true
	g := func(r Record) bool {
		more = !r.archived() || f(r)
		return more
	}
	if err := s.each(ctx, tArchive, g); err != nil || !more {
		return err
	}
	return s.each(ctx, tLive, g)
}

// each calls f for the records of a table.
func (s *Store) each(ctx context.Context, table byte, f func(Record) bool) error {
	from := []byte{table}
	for {
		recs, next, err := s.some(ctx, from, table)
		if err != nil {
			return err
		}
		for _, rec := range recs {
			if !f(rec) {
				return nil
			}
		}
		if next == nil {
			return nil
		}
		from = next
	}
}

// some gives a chunk of records from a key on, and where to go on; nil at the end.
func (s *Store) some(ctx context.Context, from []byte, table byte) (recs []Record, next []byte, err error) {
	err = s.kv.View(ctx, func(r kv.Reader) error {
		recs, next = nil, nil
		var bad error
		err := r.Scan(from, key(table+1), func(k, v []byte) bool {
			if len(recs) == s.options.Chunk {
				next = k
				return false
			}
			var rec Record
			if rec, bad = decodeRecord(game.MatchID(part(k, 0)), v); bad == nil {
				rec.filed = table == tArchive
				recs = append(recs, rec)
			}
			return bad == nil
		})
		return errors.Join(err, bad)
	})
	return recs, next, err
}
