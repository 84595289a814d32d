package storage

import (
	"context"
	"slices"
	"time"

	"tengen/game"
	"tengen/storage/codec"
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

func (w *Work) Fields(f *codec.Fields) {
	f.Format(1, 1)
	codec.Part(f, "", 0, &w.Match)
	codec.Number(f, "", &w.Stamp, codec.Any32)
	f.Time("", &w.Since)
	codec.Number(f, "", &w.Tries, 1<<30)
}

// Owed gives the turns that the engine owes, oldest first.
func (s *Store) Owed(ctx context.Context) ([]Work, error) { return s.works(ctx, tWork) }

// works are the rows of a table of work, oldest first.
func (s *Store) works(ctx context.Context, table byte) (owed []Work, err error) {
	owed, err = look(ctx, s, func(r kv.Reader) ([]Work, error) { return allIn[Work](r, under(table)) })
	slices.SortStableFunc(owed, func(a, b Work) int { return a.Since.Compare(b.Since) })
	return owed, err
}

// Try counts one more beginning of the work on a position; call it before the work begins. It
// is ErrNotFound where the position is no longer waited for.
func (s *Store) Try(ctx context.Context, id game.MatchID, stamp uint32) (w Work, err error) {
	err = s.kv.Update(ctx, func(tx kv.Tx) error {
		if w, err = need[Work](tx, key(tWork, uint64(id))); err != nil {
			return err
		}
		if w.Stamp != stamp {
			return ErrNotFound
		}
		w.Tries++
		return tx.Put(key(tWork, uint64(id)), codec.Encode(w))
	})
	return w, err
}

// Due gives at most n live matches that are due by now (game.Match.Tick), the longest due
// first. It leaves out those for which want is false, and a nil want leaves out none: a match
// that is left out keeps no other waiting.
func (s *Store) Due(ctx context.Context, now time.Time, n int,
	want func(game.MatchID) bool) ([]game.MatchID, error) {
	return look(ctx, s, func(r kv.Reader) ([]game.MatchID, error) { return partsIn(r, dueBy(tDue, now), 1, n, want) })
}
