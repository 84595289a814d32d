package storage

import (
	"context"
	"errors"
	"time"

	"tengen/game"
	"tengen/storage/kv"
)

// ServerMissed says that the bot does not seem to be in a server any more. The server's
// running matches rest until ServerBack or ServerLeft says more. Called again, it goes on
// where a crash has cut it off.
func (s *Store) ServerMissed(ctx context.Context, server uint64, now time.Time) error {
	var since time.Time
	err := s.kv.Update(ctx, func(tx kv.Tx) error {
		was, err := readServer(tx, server)
		if since = was.Missed; err != nil || !since.IsZero() || !was.Left.IsZero() {
			return err
		}
		was.Missed = millis(now.UnixMilli())
		since = was.Missed
		return putServer(tx, was)
	})
	if err != nil || since.IsZero() {
		return err
	}
	_, err = s.inServer(ctx, server, now, func(m game.Match) (game.Match, error) {
		m, err := m.Rest(now)
		m.Rested = since
		return m, err
	})
	return err
}

// ServerBack says that the bot is in a server (again): nothing of it will be deleted. Where
// it was missed, its resting matches go on, also those that came to rest before anybody knew
// why their place refused the bot. A match between engines goes on only if ServerMissed has
// put it to rest, since its owner may have paused it. ServerBack gives the matches that go on.
func (s *Store) ServerBack(ctx context.Context, server uint64, now time.Time) (woken []Record, err error) {
	was, err := s.Server(ctx, server)
	if err != nil {
		return nil, err
	}
	if !was.Missed.IsZero() {
		woken, err = s.inServer(ctx, server, now, func(m game.Match) (game.Match, error) {
			paused := m.Seats[0].Kind == game.EngineSeat && m.Seats[1].Kind == game.EngineSeat && !m.Rested.Equal(was.Missed)
			if paused {
				return m, nil
			}
			return m.Wake(now)
		})
		if err != nil {
			return woken, err
		}
	}
	return woken, s.kv.Update(ctx, func(tx kv.Tx) error {
		was, err := readServer(tx, server)
		if err != nil || was.Left.IsZero() && was.Missed.IsZero() {
			return err
		}
		if !was.Left.IsZero() {
			err = tx.Delete(leftKey(was))
		}
		was.Left, was.Missed = time.Time{}, time.Time{}
		return errors.Join(err, putServer(tx, was))
	})
}

// inServer changes the live matches of a server by f, and gives those that it has changed.
// A match that f refuses stays as it is.
func (s *Store) inServer(ctx context.Context, server uint64, now time.Time,
	f func(game.Match) (game.Match, error)) (changed []Record, err error) {
	ids, err := look(ctx, s, func(r kv.Reader) ([]game.MatchID, error) {
		return partsIn[game.MatchID](r, under(tPlace, server), 2, -1, nil)
	})
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		var version uint32
		rec, err := s.Update(ctx, id, Cause{At: now}, func(m game.Match) (game.Match, error) {
			version = m.Version
			return f(m)
		})
		switch {
		case errors.As(err, new(*game.Refusal)), errors.Is(err, ErrNotFound):
		case err != nil:
			return changed, err
		case rec.Version != version:
			changed = append(changed, rec)
		}
	}
	return changed, nil
}
