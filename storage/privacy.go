package storage

import (
	"context"
	"errors"
	"slices"
	"time"

	"tengen/game"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// Forget deletes the data of a member: running matches are resigned and challenges taken
// back, settings, progress, ratings and results against the engine go, and in finished games the
// seat keeps no id; in events the results stay without it. What the day allows the member stays
// counted until the day is over (outlive). It may take several transactions; one that is cut off is finished by
// Sweep. What still stands in backups goes with their rotation.
func (s *Store) Forget(ctx context.Context, member game.MemberID, now time.Time) error {
	if member == 0 {
		return nil
	}
	err := s.kv.Update(ctx, func(tx kv.Tx) error {
		return errors.Join(tx.Put(key(tForget, uint64(member)), none), tx.Delete(key(tMember, uint64(member))),
			tx.Delete(progressKey(member)))
	})
	if err != nil {
		return err
	}
	return s.forget(ctx, member, now)
}

// forget is Forget from any point on.
func (s *Store) forget(ctx context.Context, member game.MemberID, now time.Time) error {
	if err := through(func(k family) error { return k.forget(ctx, s, member, now) }); err != nil {
		return err
	}
	err := s.forgetRows(ctx, member, now, newSalt())
	if errors.As(err, new(*NotYet)) { // an older program has the store: what is to go goes all the same
		err = s.forgetRows(ctx, member, now, nil)
	}
	return err
}

// forgetRows deletes the rows of a member that nothing else follows from. Without a fresh salt the counts
// of the day go too.
func (s *Store) forgetRows(ctx context.Context, member game.MemberID, now time.Time, fresh *salt) error {
	return s.kv.Update(ctx, func(tx kv.Tx) error {
		var gone [][]byte
		for _, table := range []byte{tRating, tLevel, tHistory} {
			keys, err := keysIn(tx, under(table, uint64(member)), -1, nil)
			if err != nil {
				return err
			}
			gone = append(gone, keys...)
		}
		// The games of the last days by pair; few rows in all.
		pairs, err := keysIn(tx, under(tPair), -1, func(k []byte) bool {
			return part(k, 1) == uint64(member) || part(k, 2) == uint64(member)
		})
		if err != nil {
			return err
		}
		asked, err := forgetAsked(tx, member)
		if err != nil {
			return err
		}
		puzzles, err := forgetPuzzles(tx, member)
		if err != nil {
			return err
		}
		gone = slices.Concat(gone, pairs, asked, puzzles)
		if fresh != nil {
			if err := errors.Join(outlive(tx, gone, now, fresh), s.wiped(tx)); err != nil {
				return err
			}
		}
		for _, k := range append(gone, key(tForget, uint64(member))) {
			if err := tx.Delete(k); err != nil {
				return err
			}
		}
		return nil
	})
}

func (allMatches) forget(ctx context.Context, s *Store, member game.MemberID, now time.Time) error {
	err := Simuls.forget(ctx, s, member, now) // first, else one could make a match after these have gone
	return firstOf(err, s.forgetMatches(ctx, member, now))
}

// forgetMatches takes a member out of all matches.
func (s *Store) forgetMatches(ctx context.Context, member game.MemberID, now time.Time) error {
	ended, err := s.endedOf(ctx, member)
	if err != nil {
		return err
	}
	ids := make([]game.MatchID, len(ended))
	for i, rec := range ended {
		ids[i] = rec.ID
	}
	if err := s.unseat(ctx, member, ids, now); err != nil {
		return err
	}
	for {
		ids, err := look(ctx, s, func(r kv.Reader) ([]game.MatchID, error) {
			live, err := partsIn[game.MatchID](r, under(tSeat, uint64(member)), 1, -1, nil)
			if err != nil {
				return nil, err
			}
			archived, err := historyIDs(r, member, 0, s.options.Chunk/10+1)
			return append(live, archived...), err
		})
		if err != nil || len(ids) == 0 {
			return err
		}
		if err := s.unseat(ctx, member, ids, now); err != nil {
			return err
		}
	}
}

// endedOf finds the matches of a member that ended before they got going and wait to be
// put away; no index leads to them.
func (s *Store) endedOf(ctx context.Context, member game.MemberID) (ended []Record, err error) {
	err = s.each(ctx, tLive, func(r Record) bool {
		if r.Phase == game.Over && !r.archived() && slices.Contains(r.members(), member) {
			ended = append(ended, r)
		}
		return true
	})
	return ended, err
}

// unseat takes a member out of matches, a few in each transaction.
func (s *Store) unseat(ctx context.Context, member game.MemberID, ids []game.MatchID, now time.Time) error {
	return s.fewAtOnce(ctx, Cause{At: now}, ids, func(t *txn, id game.MatchID) error { return t.unseat(member, id, now) })
}

// fewAtOnce does the same to matches, a few in each transaction.
func (s *Store) fewAtOnce(ctx context.Context, c Cause, ids []game.MatchID, do func(*txn, game.MatchID) error) error {
	for few := range slices.Chunk(ids, max(s.options.Chunk/20, 1)) {
		err := s.change(ctx, c, func(t *txn) error {
			for _, id := range few {
				if err := do(t, id); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *txn) unseat(member game.MemberID, id game.MatchID, now time.Time) error {
	old, err := t.record(id)
	if errors.Is(err, ErrNotFound) {
		return t.unremember(member, id)
	}
	if err != nil {
		return err
	}
	next := old
	seat, sits := old.SeatOf(member)
	if next.Match, err = old.Forget(member, now); err != nil {
		if errors.As(err, new(*game.Refusal)) { // not there any more
			return t.unremember(member, id)
		}
		return err
	}
	if sits {
		next.Changes[seat] = Change{}
	}
	if rules, err := codec.RulesCode(old.Rules); err == nil {
		if err := t.Delete(key(tBoard, old.Place.Server, rules, uint64(member))); err != nil {
			return err
		}
	}
	_, err = t.save(&old, next)
	return err
}

// Dossier is what is stored of a member.
type Dossier struct {
	Settings Member
	Progress Progress
	Ratings  []Standing
	Against  []Against
	Reviews  []ReviewsAsked
	Events   []OwnEvent
	Ladders  []Rung
	Puzzles  OwnPuzzles
	Games    []Record         // live, ended before they got going, then finished, the newest first
	Others   map[string][]any // of other kinds, by what the file calls them
}

// Everything gives all that is stored of a member.
func (s *Store) Everything(ctx context.Context, member game.MemberID) (all Dossier, err error) {
	err = s.kv.View(ctx, func(r kv.Reader) (err error) {
		all = Dossier{}
		if all.Settings, err = readMember(r, member); err != nil {
			return err
		}
		if all.Progress, err = readProgress(r, member); err != nil {
			return err
		}
		if all.Ratings, err = standingsOf(r, member); err != nil {
			return err
		}
		if all.Against, err = againstOf(r, member); err != nil {
			return err
		}
		if all.Reviews, err = askedOf(r, member); err != nil {
			return err
		}
		if all.Ladders, err = laddersOf(r, member); err != nil {
			return err
		}
		if all.Puzzles, err = puzzlesOf(r, member); err != nil {
			return err
		}
		all.Others = map[string][]any{}
		orders, err := get[Orders](r, ordersRow)
		if err != nil {
			return err
		}
		if orders.BansMember(member) {
			all.Others["banned"] = []any{true}
		}
		return through(func(k family) error {
			name, known, err := k.own(r, member)
			if len(known) > 0 {
				all.Others[name] = known
			}
			return err
		})
	})
	if err != nil {
		return Dossier{}, err
	}
	events, err := s.EventsOf(ctx, member, -1)
	if err != nil {
		return Dossier{}, err
	}
	for _, e := range events {
		all.Events = append(all.Events, OwnEvent{e, member})
	}
	if all.Games, err = s.Of(ctx, member); err != nil {
		return Dossier{}, err
	}
	ended, err := s.endedOf(ctx, member)
	if err != nil {
		return Dossier{}, err
	}
	all.Games = append(all.Games, ended...)
	for before := game.MatchID(0); ; {
		games, err := s.History(ctx, member, before, s.options.Chunk)
		if err != nil {
			return Dossier{}, err
		}
		all.Games = append(all.Games, games...)
		if len(games) == 0 {
			return all, nil
		}
		before = games[len(games)-1].ID
	}
}

// keepLeft is how long the data of a server stays after the bot was removed from it.
const keepLeft = 30 * 24 * time.Hour

// ServerLeft says that the bot was removed from a server: its matches end without a
// result, and its data is deleted after thirty days unless the bot comes back.
func (s *Store) ServerLeft(ctx context.Context, server uint64, now time.Time) error {
	err := s.kv.Update(ctx, func(tx kv.Tx) error {
		was, err := readServer(tx, server)
		if err != nil || !was.Left.IsZero() {
			return err
		}
		was.Left, was.Missed = millis(now.UnixMilli()), time.Time{}
		return errors.Join(putServer(tx, was), tx.Put(leftKey(was), none))
	})
	if err != nil {
		return err
	}
	return through(func(k family) error { return k.left(ctx, s, server, now) })
}

func (allMatches) left(ctx context.Context, s *Store, server uint64, now time.Time) error {
	_, err := s.inServer(ctx, server, now, func(m game.Match) (game.Match, error) { return m.Close(game.Aborted, now) })
	return err
}

func leftKey(s Server) []byte { return key(tClear, millisOf(s.Left.Add(keepLeft)), s.ID) }

// errBack says that the bot is in a server again.
var errBack = errors.New("the bot is in the server again")

// clear deletes the data of a server. It takes many transactions, and each of them looks
// again whether the bot is still away: a server that returns keeps what is left of its data.
func (s *Store) clear(ctx context.Context, server uint64) error {
	away := func(r kv.Reader) error {
		was, err := readServer(r, server)
		if err == nil && was.Left.IsZero() {
			err = errBack
		}
		return err
	}
	err := s.clearAway(ctx, server, away)
	if errors.Is(err, errBack) {
		return nil
	}
	return err
}

// clearAway is clear as long as away gives no error.
func (s *Store) clearAway(ctx context.Context, server uint64, away func(kv.Reader) error) error {
	if err := through(func(k family) error { return k.clear(ctx, s, server, away) }); err != nil {
		return err
	}
	// The matches go last: what they are played for does not know of matches that are gone.
	for _, table := range []byte{tArchive, tLive} {
		var ids []game.MatchID
		err := s.each(ctx, table, func(r Record) bool {
			if r.Place.Server == server {
				ids = append(ids, r.ID)
			}
			return true
		})
		if err != nil {
			return err
		}
		if err := s.delete(ctx, ids, away); err != nil {
			return err
		}
	}
	if err := s.deleteIn(ctx, under(tBoard, server), away); err != nil {
		return err
	}
	return s.kv.Update(ctx, func(tx kv.Tx) error {
		was, err := readServer(tx, server)
		if err != nil || was.Left.IsZero() {
			return err
		}
		return errors.Join(tx.Delete(key(tServer, server)), tx.Delete(leftKey(was)), s.wiped(tx))
	})
}

// delete removes matches with all that belongs to them. Before each it asks in its transaction
// whether it still may; nil is always.
func (s *Store) delete(ctx context.Context, ids []game.MatchID, may func(kv.Reader) error) error {
	return s.fewAtOnce(ctx, Cause{}, ids, func(t *txn, id game.MatchID) error {
		if may != nil {
			if err := may(t); err != nil {
				return err
			}
		}
		return t.remove(id)
	})
}

func (t *txn) remove(id game.MatchID) error {
	old, err := t.record(id)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	t.tell(Record{Match: game.Match{ID: id}})
	return errors.Join(t.derive(&old, nil), t.dropReview(id), unshare(t, id), t.dropIfThens(old),
		t.Delete(key(tScreen, uint64(id))), t.Delete(key(tToken, uint64(id))))
}
