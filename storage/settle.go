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

// A round of an event may have hundreds of boards, for which one transaction would be long: others
// would run again for it. So a change of an event and the matches that it asks for are apart: the change
// leaves a row that says that matches are owed, and SettleEvent makes and ends them, a few in
// each transaction, each once.

// errMeanwhile says that an event was changed while its round was paired.
var errMeanwhile = errors.New("the event was changed meanwhile")

// PairEvent is UpdateEvent for an f that takes its time, as the pairing of a large round does: f
// runs beside the transaction, and again where the event was changed meanwhile.
func (s *Store) PairEvent(ctx context.Context, id EventID, cause Cause,
	f func(Event) (Event, error)) (e Event, err error) {
	for {
		before, err := s.Event(ctx, id)
		if err != nil {
			return Event{}, err
		}
		next, bad := f(before)
		e, err = s.UpdateEvent(ctx, id, cause, func(now Event) (Event, error) {
			switch {
			case now.Version != before.Version:
				return now, errMeanwhile
			case bad != nil:
				return now, bad
			}
			return next, nil
		})
		if !errors.Is(err, errMeanwhile) {
			return e, err
		}
	}
}

// Terms gives a board's match its terms and its place. Event.Game and Event.Place are what most
// events take.
type Terms func(e Event, round, board int) (game.Terms, venue.Place)

// SettleEvent makes the matches that an event owes and ends those whose result was given
// otherwise, for at most n boards. It gives those matches; none once nothing is owed.
// One that is cut off is finished by the next; see EventsOwed.
func (s *Store) SettleEvent(ctx context.Context, id EventID, now time.Time, n int,
	terms Terms) (e Event, settled []game.MatchID, err error) {
	err = s.change(ctx, Cause{At: now}, func(t *txn) error {
		settled = nil
		if e, err = readEvent(t, id); err != nil {
			return err
		}
		boards := e.owed(n)
		if e, err = t.settle(e, boards, terms); err != nil {
			return err
		}
		for _, at := range boards {
			settled = append(settled, e.Matches[at[0]][at[1]].Match)
		}
		return nil
	})
	return e, settled, err
}

// settle ends the matches that boards owe, or makes them.
func (t *txn) settle(e Event, boards [][2]int, terms Terms) (Event, error) {
	next := e
	next.Matches = slices.Clone(e.Matches)
	for _, at := range boards {
		round, board := at[0], at[1]
		g := e.Matches[round][board]
		if g.Match != 0 {
			if err := t.endMatch(g.Match, e.Paired[round][board].Results); err != nil {
				return e, err
			}
			g.Over = true
		} else {
			id, err := t.makeMatch(e, round, board, terms)
			if err != nil {
				return e, err
			}
			g.Match = id
		}
		next.Matches[round] = slices.Clone(next.Matches[round])
		next.Matches[round][board] = g
	}
	return t.saveEvent(&e, next)
}

// endMatch ends a match whose result was given otherwise. The event knows.
func (t *txn) endMatch(id game.MatchID, results [2]event.Result) error {
	old, err := t.record(id)
	if err != nil {
		return err
	}
	next := old
	if next.Match, err = endedAs(old.Match, results, t.cause.At); err != nil {
		return err
	}
	t.settling = true
	_, err = t.save(&old, next)
	t.settling = false
	return err
}

// makeMatch makes the match of a board. Black sits first, and both sit already: who entered has
// accepted.
func (t *txn) makeMatch(e Event, round, board int, terms Terms) (game.MatchID, error) {
	at := t.cause.At
	id, err := t.unused(t.s.ids.next(at))
	if err != nil {
		return 0, err
	}
	b := e.Paired[round][board]
	black, white := e.Entrants[b.Black-1].Seat, e.Entrants[b.White-1].Seat
	rules, place := terms(e, round, board)
	rules.First, rules.Begin = game.Black, e.begins(b, at)
	m, err := game.NewMatch(id, rules, e.Owner, black, white, at, time.Time{})
	if err == nil && m.Phase == game.Offered {
		m, err = m.Accept(white.Member, at)
	}
	if err != nil {
		return 0, err
	}
	if m.There, err = t.cameBefore(e, round, board, m); err != nil {
		return 0, err
	}
	_, err = t.save(nil, Record{Match: m, Place: place, Look: e.Look, Link: Link{Event: e.ID, Round: round, Board: board}})
	return id, err
}

// cameBefore says by seat who said in an earlier game of the round that they are there. Only ties of a knockout
// have several.
func (t *txn) cameBefore(e Event, round, board int, m game.Match) (there [2]bool, err error) {
	for i, g := range e.Matches[round][:board] {
		if e.Kind != event.KindKnockout || g.Match == 0 || e.Paired[round][i].Tie != e.Paired[round][board].Tie {
			continue
		}
		old, err := t.record(g.Match)
		if errors.Is(err, ErrNotFound) { // deleted since
			continue
		}
		if err != nil {
			return there, err
		}
		for seat, s := range m.Seats {
			if before, ok := old.SeatOf(s.Member); ok {
				there[seat] = there[seat] || old.There[before]
			}
		}
	}
	return there, nil
}

// Replay ends a match of an event or a ladder without a result, at somebody's word, and has the same two play a
// fresh one in its place, with the same terms and colors and the given seed. The match that ends names the fresh
// one as its Next, and is played for nothing any more. Once the event is over there is none.
func (s *Store) Replay(ctx context.Context, id game.MatchID, cause Cause, seed uint64) (old, fresh Record, err error) {
	if err := s.room(); err != nil {
		return Record{}, Record{}, err
	}
	next := s.ids.next(cause.At)
	err = s.change(ctx, cause, func(t *txn) error {
		if seen, err := t.seen(); seen != nil || err != nil {
			old, fresh = seen.repeated(), Record{}
			return err
		}
		if old, err = t.record(id); err != nil {
			return err
		}
		if old.Phase != game.Playing || !old.Contest() {
			return &game.Refusal{Code: game.NotPlaying}
		}
		next, err := t.unused(next)
		if err == nil {
			old, fresh, err = t.replay(old, next, seed)
		}
		return err
	})
	return old, fresh, err
}

// replay does what Replay says with the match was.
func (t *txn) replay(was Record, id game.MatchID, seed uint64) (old, fresh Record, err error) {
	if err := t.mark(uint64(was.ID)); err != nil {
		return old, fresh, err
	}
	at, terms, place := t.cause.At, was.Terms, was.Place
	terms.Seed = seed
	if was.Link.Ladder {
		err = t.replaceOnLadder(was, id)
	} else {
		var e Event
		e, err = t.replaceInEvent(was, id)
		if !was.Rested.IsZero() { // its thread is gone
			place = e.Place
		}
		if err == nil {
			terms.Begin = e.begins(e.Paired[was.Link.Round][was.Link.Board], at)
		}
	}
	if err == event.EventOver {
		id, err = 0, nil
	}
	if err != nil {
		return old, fresh, err
	}
	closed := was
	if closed.Match, err = was.Close(game.Aborted, at); err != nil {
		return old, fresh, err
	}
	if closed.Next = id; id != 0 {
		closed.Link = Link{} // the fresh match has it
	}
	if old, err = t.save(&was, closed); err != nil || id == 0 {
		return old, fresh, err
	}
	m, err := game.NewMatch(id, terms, was.Owner, was.Seats[0], was.Seats[1], at, time.Time{})
	if err == nil && m.Phase == game.Offered {
		m, err = m.Accept(was.Seats[1].Member, at)
	}
	if err != nil {
		return old, fresh, err
	}
	m.There = was.There
	fresh, err = t.save(nil, Record{Match: m, Place: place, Look: was.Look, Link: was.Link})
	return old, fresh, err
}

// replaceInEvent puts another match in the place of one, and gives the event after that. The time of the board
// begins anew.
func (t *txn) replaceInEvent(was Record, id game.MatchID) (e Event, err error) {
	e, err = readEvent(t, was.Link.Event)
	if errors.Is(err, ErrNotFound) || err == nil && e.Ended {
		return e, event.EventOver
	}
	if err != nil {
		return e, err
	}
	round, board := was.Link.Round, was.Link.Board
	if !e.Paired[round][board].Open() || e.Matches[round][board].Match != was.ID {
		return e, &game.Refusal{Code: game.NotPlaying} // its result stands
	}
	next := e
	next.Matches, next.Paired = slices.Clone(e.Matches), slices.Clone(e.Paired)
	next.Matches[round], next.Paired[round] = slices.Clone(e.Matches[round]), slices.Clone(e.Paired[round])
	next.Matches[round][board].Match = id
	if e.Kind != event.KindArena { // its time is that of the first wave
		next.Paired[round][board].Began = t.cause.At
	}
	return t.saveEvent(&e,
		next.did(AuditEntry{What: Replayed, By: t.cause.By, At: t.cause.At, Round: round + 1, Board: board + 1}))
}

// endedAs ends a match whose result was given otherwise. Who lost by forfeit resigns; else
// there is no result beside the one in the event.
func endedAs(m game.Match, results [2]event.Result, now time.Time) (game.Match, error) {
	lost := slices.Index(results[:], event.ForfeitLoss)
	if lost >= 0 && results[1-lost] == event.ForfeitWin {
		seat := m.Seats[1-lost] // results are white's and black's, and black sits first
		if seat.Kind == game.MemberSeat && m.Phase == game.Playing {
			return m.Resign(seat.Member, now)
		}
	}
	return m.Close(game.Aborted, now)
}

// report brings the end of a match to the event, the ladder or the simul for which it was played, in the
// transaction of that end.
func (t *txn) report(old *Record, next Record) error {
	if t.settling || old == nil || old.Phase == game.Over || next.Phase != game.Over || next.Link == (Link{}) {
		return nil
	}
	if next.Link.Ladder {
		return t.reportLadder(*old, next)
	}
	if next.Link.Simul != (venue.Place{}) {
		return t.reportSimul(next)
	}
	e, err := readEvent(t, next.Link.Event)
	if errors.Is(err, ErrNotFound) { // deleted with its server
		return nil
	}
	if err != nil {
		return err
	}
	_, err = t.saveEvent(&e, e.reported(*old, next))
	return err
}

// lapsed reports whether a match ended without a result because the time of a seat ran out that
// had not moved yet.
func lapsed(old, next Record) bool {
	return next.Result().Termination == game.Aborted && !old.Deadline.IsZero() && !next.Updated.Before(old.Deadline)
}

// reported is e after a match of it has ended, which was old before. A result that stands stays, as the
// manager's word or a forfeit. A match that ends before it has begun is lost by forfeit: by who gives it up, or
// lets the time run out. Any other match without a result leaves its board open.
func (e Event) reported(old, r Record) Event {
	round, board := r.Link.Round, r.Link.Board
	e.Matches = slices.Clone(e.Matches)
	e.Matches[round] = slices.Clone(e.Matches[round])
	e.Matches[round][board].Over = true
	score := r.Score(0) // of black, who sits first
	switch {
	case lapsed(old, r):
		return e.lapsed(round, board, r)
	case r.Result().Termination == game.ByResignation && old.Young():
		loser := codec.Bit(score == 1) // the seat
		var lost [2]bool
		lost[loser] = true
		next, err := e.lose(round, board, lost, r.Match, r.Updated)
		if err != nil {
			return e
		}
		next.History[len(next.History)-1].By = r.Seats[loser].Member
		return next
	case r.Result().Termination >= game.Aborted:
		return e
	}
	results := [2]event.Result{event.Draw, event.Draw}
	switch score {
	case 1:
		results = [2]event.Result{event.Loss, event.Win}
	case 0:
		results = [2]event.Result{event.Win, event.Loss}
	}
	report := event.Report{Round: round, Board: board, White: results[0], Black: results[1], Plies: r.Played()}
	if next, err := e.Record(report, r.Updated); err == nil {
		e.Event = next
	}
	return e
}

// lapsed is e after the seat that is to move in a match of it let its time run out: the other one has the point
// only if they have come. In an arena who has not begun the game pauses.
func (e Event) lapsed(round, board int, r Record) Event {
	late := r.ToMove()
	var lost [2]bool
	lost[late], lost[1-late] = true, !r.Present(1-late)
	next, err := e.lose(round, board, lost, r.Match, r.Updated)
	if err != nil {
		return e
	}
	b := e.Paired[round][board]
	number := [2]int{b.Black, b.White}[late]
	if e.Kind == event.KindArena && !r.Acted(late) {
		if paused, err := next.Pause(0, number, r.Updated); err == nil {
			return paused
		}
	}
	return next
}

// lose has the seats of a board lose its game by forfeit. Black sits first.
func (e Event) lose(round, board int, lost [2]bool, m game.Match, now time.Time) (Event, error) {
	result := map[bool]event.Result{true: event.ForfeitLoss, false: event.ForfeitWin}
	report := event.Report{Round: round, Board: board, White: result[lost[1]], Black: result[lost[0]], Plies: m.Played()}
	next, err := e.Record(report, now)
	if err != nil {
		return e, err
	}
	e.Event = next
	return e.did(AuditEntry{What: Forfeited, At: now, Round: round + 1, Board: board + 1}), nil
}

// TickEvent does to an event what time demands: it forfeits the games whose time is over.
// since is the moment up to which time had been looked at before. The caller tells members
// what fell between since and now: a start, or a reminder (event.Event.Reminders).
func (s *Store) TickEvent(ctx context.Context, id EventID, now time.Time) (e Event, since time.Time, err error) {
	if e, err = s.Event(ctx, id); err != nil {
		return e, since, err
	}
	if len(e.late(now)) > 0 {
		if err := s.forfeitLate(ctx, id, now); err != nil {
			return e, since, err
		}
	}
	e, err = s.UpdateEvent(ctx, id, Cause{At: now}, func(e Event) (Event, error) {
		if since = e.Looked; now.After(since) {
			e.Looked = millis(now.UnixMilli())
		}
		return e, nil
	})
	return e, since, err
}

// late are the boards of which somebody may have lost the game by now: its time is over, or the half of it has
// come since e was last looked at. A move has some time to arrive.
func (e Event) late(now time.Time) (boards [][2]int) {
	for r := range e.Paired {
		for i, b := range e.Paired[r] {
			end, half := e.Deadline(b), e.judgedAt(b).Add(game.Grace)
			if e.Ended || !b.Open() || end.IsZero() || e.Matches[r][i].Match == 0 {
				continue
			}
			if !now.Before(end.Add(game.Grace)) || half.After(e.Looked) && !now.Before(half) {
				boards = append(boards, [2]int{r, i})
			}
		}
	}
	return boards
}

func (s *Store) forfeitLate(ctx context.Context, id EventID, now time.Time) error {
	return s.change(ctx, Cause{At: now}, func(t *txn) error {
		old, err := readEvent(t, id)
		if err != nil {
			return err
		}
		next := old
		for _, at := range old.late(now) {
			m, err := t.record(old.Matches[at[0]][at[1]].Match)
			if err == nil && !m.Rested.IsZero() { // its time stands still with it
				continue
			}
			if err != nil && !errors.Is(err, ErrNotFound) { // one that never began is deleted
				return err
			}
			if next, err = next.forfeit(at[0], at[1], m.Match, now); err != nil {
				return err
			}
		}
		_, err = t.saveEvent(&old, next)
		return err
	})
}

// forfeit ends the game of a board that is late. Before its deadline somebody loses only to one who has come.
// At the deadline who is to move loses, and so does the other where they have not come.
func (e Event) forfeit(round, board int, m game.Match, now time.Time) (Event, error) {
	lost := [2]bool{!m.Present(0), !m.Present(1)}
	switch {
	case now.Before(e.Deadline(e.Paired[round][board]).Add(game.Grace)):
		if m.Phase != game.Playing || lost[0] == lost[1] {
			return e, nil
		}
	case m.Phase == game.Playing:
		lost[m.ToMove()] = true
	case lost == [2]bool{}: // it ended without a result
		lost = [2]bool{true, true}
	}
	return e.lose(round, board, lost, m, now)
}

// forget takes a member out of the events that hold the id, one in each transaction.
func (allEvents) forget(ctx context.Context, s *Store, member game.MemberID, now time.Time) error {
	for {
		ids, err := look(ctx, s, func(r kv.Reader) ([]EventID, error) { return entered(r, member, 1) })
		if err != nil || len(ids) == 0 {
			return err
		}
		if _, err = s.UpdateEvent(ctx, ids[0], Cause{At: now}, func(e Event) (Event, error) {
			return e.without([]game.MemberID{member}, now), nil
		}); err != nil {
			return err
		}
	}
}

// left ends the events of a server that the bot has left.
func (allEvents) left(ctx context.Context, s *Store, server uint64, now time.Time) error {
	events, err := s.EventsIn(ctx, server, false, MaxOpen)
	for _, e := range events {
		if err != nil {
			break
		}
		_, err = s.UpdateEvent(ctx, e.ID, Cause{At: now}, func(e Event) (Event, error) {
			if e.Ended {
				return e, nil
			}
			return e.Close(0, now)
		})
	}
	return err
}

// fewMembers are taken out of an event that is being deleted in one transaction.
const fewMembers = 40

// clear deletes the events of a server. An event loses its members first, a few at a
// time, since each has a row.
func (allEvents) clear(ctx context.Context, s *Store, server uint64, may func(kv.Reader) error) error {
	for {
		rows, err := look(ctx, s, func(r kv.Reader) ([]placedEvent, error) { return placed(r, under(tEventAt, server)) })
		if err != nil || len(rows) == 0 {
			return err
		}
		err = s.change(ctx, Cause{}, func(t *txn) error {
			e, err := readEvent(t, rows[0].id)
			if err = firstOf(may(t), err); err != nil {
				return err
			}
			if members := e.members(); len(members) > 0 {
				_, err := t.saveEvent(&e, e.without(members[:min(fewMembers, len(members))], e.Looked))
				return err
			}
			return t.replace(e.rows(), nil)
		})
		if err != nil {
			return err
		}
	}
}
