package storage

import (
	"context"
	"errors"
	"sort"
	"time"

	"tengen/game"
	"tengen/storage/kv"
)

// Work is a turn that the engine owes, or a review that the desk owes. It is there from the transaction that gave the
// turn to the engine until the one that takes it away, by the engine's move or otherwise.
type Work struct {
	Match game.MatchID
	Stamp uint32    // of the position, for game.Match.Reply
	Since time.Time // when the engine's turn began
	Tries int       // how often it was begun; a search that kills the process counts too
}

func (w Work) encode() []byte {
	b := &writer{}
	b.byte(1)
	b.uint(uint64(w.Stamp))
	b.time(w.Since)
	b.uint(uint64(w.Tries))
	return b.b
}

func decodeWork(id game.MatchID, value []byte) (Work, error) {
	d := open(value, 1)
	return Work{id, uint32(d.upTo(1<<32 - 1)), d.time(), int(d.upTo(1 << 30))}, d.end()
}

// Owed gives the turns that the engine owes, oldest first.
func (s *Store) Owed(ctx context.Context) ([]Work, error) { return s.works(ctx, tWork) }

// works are the rows of a table of work, oldest first.
func (s *Store) works(ctx context.Context, table byte) (owed []Work, err error) {
	err = s.kv.View(ctx, func(r kv.Reader) error {
		owed = nil
		var bad error
		err := r.Scan([]byte{table}, []byte{table + 1}, func(k, v []byte) bool {
			var w Work
			if w, bad = decodeWork(game.MatchID(part(k, 0)), v); bad == nil {
				owed = append(owed, w)
			}
			return bad == nil
		})
		return errors.Join(err, bad)
	})
	sort.SliceStable(owed, func(i, j int) bool { return owed[i].Since.Before(owed[j].Since) })
	return owed, err
}

// Try counts one more beginning of the work on a position; call it before the work begins. It
// is ErrNotFound where the position is no longer waited for.
func (s *Store) Try(ctx context.Context, id game.MatchID, stamp uint32) (w Work, err error) {
	err = s.kv.Update(ctx, func(tx kv.Tx) error {
		value, err := tx.Get(key(tWork, uint64(id)))
		if err != nil {
			return err
		}
		if value == nil {
			return ErrNotFound
		}
		if w, err = decodeWork(id, value); err != nil {
			return err
		}
		if w.Stamp != stamp {
			return ErrNotFound
		}
		w.Tries++
		return tx.Put(key(tWork, uint64(id)), w.encode())
	})
	return w, err
}

// Due gives at most n live matches that are due by now (game.Match.Tick), the longest due
// first. It leaves out those for which want is false, and a nil want leaves out none: a match
// that is left out keeps no other waiting.
func (s *Store) Due(ctx context.Context, now time.Time, n int, want func(game.MatchID) bool) (due []game.MatchID, err error) {
	err = s.kv.View(ctx, func(r kv.Reader) error {
		due = nil
		return r.Scan([]byte{tDue}, key(tDue, millisOf(now)+1), func(k, _ []byte) bool {
			if id := game.MatchID(part(k, 1)); want == nil || want(id) {
				due = append(due, id)
			}
			return len(due) < n
		})
	})
	return due, err
}
