package storage

import (
	"context"
	"errors"
	"slices"
	"time"

	"tengen/game"
	"tengen/game/event"
	"tengen/game/venue"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// A process whose clock is ahead, by a month or by decades, leaves times that have not come yet when
// the clock is right again: a daily puzzle that has begun, a season that goes on, a move that was just
// made. Nothing of these would change until that time has come. So TakeBack brings what lies further
// ahead than a clock may be off (game.ClockError) to what the right clock would have left.
// Ids stay as they are, since messages name them.

// TakeBack takes back what a clock that was ahead has left, as of now, which must be right. Cut off,
// it is finished by the next one.
func (s *Store) TakeBack(ctx context.Context, now time.Time) error {
	return firstOf(
		through(func(k family) error { return k.takeBack(ctx, s, now) }),
		s.deleteIn(ctx, notBelow(tSeen, venue.IDAt(now.Add(KeepSeen))), nil),
		s.takeBackDays(ctx, now),
	)
}

// takeBackDays deletes what counts for days that are yet to come.
func (s *Store) takeBackDays(ctx context.Context, now time.Time) (err error) {
	for _, table := range []byte{tPair, tAsked, tSalt, tOutlived} {
		err = firstOf(err, s.deleteIn(ctx, notBelow(table, dayOf(now)+2), nil))
	}
	return err
}

// wasAhead reports whether the last sign of life is of a clock that was ahead.
func (s *Store) wasAhead(ctx context.Context, now time.Time) (bool, error) {
	alive, err := s.Alive(ctx)
	return isAhead(alive, now), err
}

// isAhead reports whether a time is yet to come by a clock that counts as right.
func isAhead(at, now time.Time) bool { return at.Sub(now) > game.ClockError }

// happened is a time at which something has happened: not after now.
func happened(at, now time.Time) time.Time {
	if isAhead(at, now) {
		return millis(now.UnixMilli())
	}
	return at
}

// takeBack looks at all matches that are not filed where the last clock was ahead, or else at those that
// are due, or are to be filed, later than any right clock could have said: what an older program has left.
func (allMatches) takeBack(ctx context.Context, s *Store, now time.Time) error {
	var ids []game.MatchID
	ahead, unsure := s.wasAhead(ctx, now)
	err := unsure
	if ahead || unsure != nil {
		err = s.each(ctx, tLive, func(r Record) bool {
			if _, ahead := r.takenBack(now); ahead {
				ids = append(ids, r.ID)
			}
			return true
		})
	} else {
		ids, err = s.dueAfter(ctx, now.Add(game.LatestDue))
	}
	err = firstOf(unsure, err)
	for _, id := range ids { // one that fails keeps no other waiting
		err = firstOf(err, s.change(ctx, Cause{At: now}, func(t *txn) error { return t.takeBack(id) }))
	}
	return err
}

// dueAfter gives the matches that are due, or are to be filed, after a time.
func (s *Store) dueAfter(ctx context.Context, at time.Time) ([]game.MatchID, error) {
	return look(ctx, s, func(r kv.Reader) (ids []game.MatchID, err error) {
		for _, table := range []byte{tDue, tClose} {
			some, bad := partsIn[game.MatchID](r, notBelow(table, millisOf(at)), 1, -1, nil)
			ids, err = append(ids, some...), firstOf(err, bad)
		}
		return ids, err
	})
}

// takenBack is a record of the live table, as the right clock would have left it.
func (r Record) takenBack(now time.Time) (_ Record, ahead bool) {
	r.Match, ahead = r.Match.TakenBack(now)
	if isAhead(r.Ended, now) {
		r.Ended, ahead = happened(r.Ended, now), true
	}
	return r, ahead
}

// takeBack takes a match back, and who acted and sent when on its screen.
func (t *txn) takeBack(id game.MatchID) error {
	now := t.cause.At
	old, err := t.record(id)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	next, ahead := old.takenBack(now)
	switch {
	case err != nil || !ahead:
		return err
	case next.Phase == game.Over:
		err = t.derive(&old, &next)
	default:
		_, err = t.save(&old, next)
	}
	was, found, missing := readScreen(t, id)
	if err = firstOf(err, missing); err != nil || !found {
		return err
	}
	is := was
	is.Posted, is.Acted = happened(is.Posted, now), [2]time.Time{happened(is.Acted[0], now), happened(is.Acted[1], now)}
	if isAhead(is.Until, now) {
		is.Sender, is.Until = 0, time.Time{}
	}
	if next.Phase != game.Over {
		is = is.Plan(next.Match)
	}
	return t.write(was, is)
}

func (allEvents) takeBack(ctx context.Context, s *Store, now time.Time) error {
	return s.changeEvents(ctx, now, func(e Event) Event { return e.takenBack(now) })
}

// changeEvents changes each event by f, one in each transaction.
func (s *Store) changeEvents(ctx context.Context, now time.Time, f func(Event) Event) error {
	ids, err := look(ctx, s, func(r kv.Reader) (ids []EventID, err error) {
		err = scan(r, under(tEvent), func(_ []byte, e Event) bool {
			if string(codec.Encode(f(e))) != string(codec.Encode(e)) {
				ids = append(ids, e.ID)
			}
			return true
		})
		return ids, err
	})
	for _, id := range ids {
		if err != nil {
			break
		}
		_, err = s.UpdateEvent(ctx, id, Cause{At: now}, func(e Event) (Event, error) { return f(e), nil })
		if errors.Is(err, ErrNotFound) {
			err = nil
		}
	}
	return err
}

func (e Event) takenBack(now time.Time) Event {
	e.Created, e.Looked, e.Notice = happened(e.Created, now), happened(e.Looked, now), e.Notice.takenBack(now)
	e.History = slices.Clone(e.History)
	for i := range e.History {
		e.History[i].At = happened(e.History[i].At, now)
	}
	e.Entrants = slices.Clone(e.Entrants)
	for i := range e.Entrants {
		e.Entrants[i].Since = happened(e.Entrants[i].Since, now)
	}
	return e.withBoards(func(b event.Board) event.Board {
		b.Began, b.Ended = happened(b.Began, now), happened(b.Ended, now)
		return b
	})
}

// withBoards is e with each board changed by f.
func (e Event) withBoards(f func(event.Board) event.Board) Event {
	e.Paired = slices.Clone(e.Paired)
	for r := range e.Paired {
		e.Paired[r] = slices.Clone(e.Paired[r])
		for i, b := range e.Paired[r] {
			e.Paired[r][i] = f(b)
		}
	}
	return e
}

// PostponeEvents adds the time that the host was down to that of the games of events, and of arenas.
func (s *Store) PostponeEvents(ctx context.Context, down time.Duration, now time.Time) error {
	return s.changeEvents(ctx, now, func(e Event) Event {
		if e.Ended {
			return e
		}
		later := e.withBoards(func(b event.Board) event.Board {
			if b.Open() && !b.Began.IsZero() {
				b.Began = b.Began.Add(down)
			}
			return b
		})
		if e.Kind == event.KindArena && e.begun() { // its time runs from its first game
			later.Paired[0][0].Began = e.Paired[0][0].Began.Add(down)
		}
		return later
	})
}

// takeBack has each ladder go on with the season of now. A season that a clock ended too early
// is not over.
func (allLadders) takeBack(ctx context.Context, s *Store, now time.Time) error {
	ladders, err := s.laddersIn(ctx, under(tLadder))
	for _, l := range ladders {
		if err != nil {
			break
		}
		err = s.takeBackLadder(ctx, l, now)
	}
	return err
}

func (s *Store) takeBackLadder(ctx context.Context, l Ladder, now time.Time) error {
	code, err := codec.RulesCode(l.Rules)
	if err != nil {
		return err
	}
	month := event.MonthOf(now.Add(game.ClockError))
	ahead := span{key(tSeason, l.Server, code), kv.After(key(tSeason, l.Server, code, ^uint64(month)))}
	seasons := s.deleteIn(ctx, ahead, nil)
	if string(codec.Encode(l.takenBack(now))) == string(codec.Encode(l)) {
		return seasons
	}
	_, err = s.UpdateLadder(ctx, l.Server, l.Rules, now, func(l Ladder) (Ladder, error) { return l.takenBack(now), nil })
	return firstOf(seasons, err)
}

func (l Ladder) takenBack(now time.Time) Ladder {
	if l.Month > event.MonthOf(now.Add(game.ClockError)) {
		l.Month = event.MonthOf(now)
	}
	l.Notice = l.Notice.takenBack(now)
	l.Met = slices.Clone(l.Met)
	for i := range l.Met {
		l.Met[i].At = happened(l.Met[i].At, now)
	}
	return l
}

// takeBack makes due what concerns a day that was begun too early, or is to begin too late.
func (allPuzzles) takeBack(ctx context.Context, s *Store, now time.Time) error {
	dailies, err := look(ctx, s, func(r kv.Reader) ([]Daily, error) { return allIn[Daily](r, under(tDaily)) })
	for _, d := range dailies {
		if err == nil && d.TakeBack(now).Next != d.Next {
			_, err = s.UpdateDaily(ctx, d.Server, func(d Daily) (Daily, error) { d.Daily = d.TakeBack(now); return d, nil })
		}
	}
	return err
}

// takenBack leaves Posting alone: the message that may be there was sent under it.
func (n Notice) takenBack(now time.Time) Notice {
	n.Sent, n.At = happened(n.Sent, now), happened(n.At, now)
	return n
}

func (allServers) takeBack(ctx context.Context, s *Store, now time.Time) error {
	var ids []uint64
	err := s.Servers(ctx, func(v Server) bool {
		if isAhead(v.Left, now) || isAhead(v.Missed, now) {
			ids = append(ids, v.ID)
		}
		return true
	})
	for _, id := range ids {
		if err != nil {
			break
		}
		err = s.kv.Update(ctx, func(tx kv.Tx) error {
			was, err := readServer(tx, id)
			if err != nil {
				return err
			}
			is := was
			is.Left, is.Missed = happened(was.Left, now), happened(was.Missed, now)
			if !was.Left.IsZero() {
				err = firstOf(tx.Delete(leftKey(was)), tx.Put(leftKey(is), none))
			}
			return firstOf(err, putServer(tx, is))
		})
	}
	return err
}
