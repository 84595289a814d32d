package storage

import (
	"errors"
	"fmt"
	"slices"

	"tengen/game"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// verify decodes a row. One that follows from a match is looked up there, and a match's
// rows are looked up from it.
func (s *Store) verify(r kv.Reader, l list, k, v []byte) error {
	if err := firstOf(decodes(k, v), l.verify(k, v)); err != nil {
		return err
	}
	switch k[0] {
	case tLive, tArchive:
		return s.verifyRecord(r, k, v)
	case tPlace:
		return s.follows(r, game.MatchID(part(k, 2)), k)
	case tSeat, tDue, tWork, tClose:
		i := 1
		if k[0] == tWork {
			i = 0
		}
		return s.follows(r, game.MatchID(part(k, i)), k)
	case tHistory:
		return verifyBundle(r, k, v)
	case tSolverIn:
		return hasTwin(r, takingKey(game.MemberID(part(k, 1)), part(k, 0)))
	case tTaking:
		return hasTwin(r, key(tSolverIn, part(k, 1), part(k, 0)))
	case tReview, tReviewing:
		return verifyReview(r, game.MatchID(part(k, 0)))
	case tEvent:
		return verifyEvent(r, k, v)
	case tEventAt, tEntrant, tEventDue, tEventWork, tEventLate:
		return eventKnows(r, k)
	case tLadder:
		return verifyLadder(r, k, v)
	case tLadderBehind:
		return ladderBehind(r, k)
	case tTogether, tTogetherDue:
		_, err := togethers.verify(r, k)
		return err
	case tSimul, tSimulDue:
		return verifySimul(r, k)
	case tDaily:
		return verifyDaily(r, k, v)
	case tDailyDue:
		return verifyDailyDue(r, k)
	}
	return nil
}

// verify looks for the kind of a row in the list.
func (l list) verify(k, v []byte) error {
	kind, err := kindOf(k, v)
	if err == nil && l.raw != nil && !l.has[kind.id()] {
		err = fmt.Errorf("the store does not list the kind of this row: %s, version %d", kind.Name, kind.Version)
	}
	return err
}

// verifyRecord looks for all rows that follow from a record.
func (s *Store) verifyRecord(r kv.Reader, k, v []byte) error {
	rec, err := decodeRecord(game.MatchID(part(k, 0)), v)
	if err != nil {
		return err
	}
	if rec.filed = k[0] == tArchive; rec.filed && !rec.archived() {
		return fmt.Errorf("match %d does not belong in the archive", rec.ID)
	}
	rows, err := s.rows(rec)
	if err != nil {
		return err
	}
	for _, row := range rows[1:] {
		if row.key[0] == tClose { // goes while the match stays
			continue
		}
		value, err := r.Get(row.key)
		if err != nil {
			return err
		}
		if value == nil {
			return fmt.Errorf("match %d lacks its row %x", rec.ID, row.key)
		}
	}
	if err := verifyLink(r, rec); err != nil || !rec.archived() {
		return err
	}
	for _, m := range rec.members() {
		_, b, err := bundleFor(r, m, rec.ID)
		if err != nil {
			return err
		}
		if _, found := slices.BinarySearch(b, rec.ID); !found {
			return fmt.Errorf("match %d is not in the history of %d", rec.ID, m)
		}
	}
	return nil
}

// follows checks that the row k follows from a match.
func (s *Store) follows(r kv.Reader, id game.MatchID, k []byte) error {
	rec, err := readRecord(r, id)
	if err != nil {
		return fmt.Errorf("match %d: %w", id, err)
	}
	rows, err := s.rows(rec)
	if err == nil && !hasRow(rows, k) {
		err = fmt.Errorf("match %d knows nothing of it", id)
	}
	return err
}

func verifyBundle(r kv.Reader, k, v []byte) error {
	b, err := codec.Decode[bundle](k, v)
	if err != nil {
		return err
	}
	if len(b) == 0 || uint64(b[0]) != ^part(k, 1) {
		return codec.ErrContent
	}
	for _, id := range b {
		if _, err := readRecord(r, id); err != nil {
			return fmt.Errorf("match %d: %w", id, err)
		}
	}
	return nil
}

// decodes gives the error of the codec to which a row belongs.
func decodes(k, v []byte) error {
	_, err := valueOf(k, v)
	return err
}

// verifyEvent looks for all rows that follow from an event, and for its matches.
func verifyEvent(r kv.Reader, k, v []byte) error {
	e, err := codec.Decode[Event](k, v)
	if err != nil {
		return err
	}
	for _, row := range e.rows()[1:] {
		if value, err := r.Get(row.key); err != nil || value == nil {
			return firstOf(err, fmt.Errorf("event %d lacks its row %x", e.ID, row.key))
		}
	}
	for round, games := range e.Matches {
		for board, g := range games {
			rec, err := readRecord(r, g.Match)
			switch {
			case g.Match == 0, g.Over && errors.Is(err, ErrNotFound): // ended before it got going
			case err != nil:
				return fmt.Errorf("event %d, match %d: %w", e.ID, g.Match, err)
			case rec.Link != Link{Event: e.ID, Round: round, Board: board}:
				return fmt.Errorf("event %d has match %d, which is not played for it", e.ID, g.Match)
			case g.Over != (rec.Phase == game.Over):
				return fmt.Errorf("event %d is wrong about the end of match %d", e.ID, g.Match)
			}
		}
	}
	return nil
}

// verifyLink looks for a match in the event or the simul for which it is played.
func verifyLink(r kv.Reader, rec Record) error {
	if rec.Link.Event == 0 {
		return simulKnows(r, rec)
	}
	e, err := readEvent(r, rec.Link.Event)
	if errors.Is(err, ErrNotFound) { // it goes before its matches when a server's data is deleted
		return nil
	}
	if err != nil {
		return err
	}
	round, board := rec.Link.Round, rec.Link.Board
	if round >= len(e.Matches) || board >= len(e.Matches[round]) || e.Matches[round][board].Match != rec.ID {
		return fmt.Errorf("match %d is played for event %d, which does not know it", rec.ID, e.ID)
	}
	return nil
}

// eventKnows checks that a row follows from an event.
func eventKnows(r kv.Reader, k []byte) error {
	id := map[byte]uint64{tEventAt: part(k, 2), tEntrant: ^part(k, 1), tEventDue: part(k, 1), tEventWork: part(k, 0),
		tEventLate: part(k, 0)}[k[0]]
	e, err := readEvent(r, EventID(id))
	if err != nil {
		return fmt.Errorf("event %d: %w", id, err)
	}
	if !hasRow(e.rows(), k) {
		return fmt.Errorf("event %d knows nothing of it", id)
	}
	return nil
}

// hasTwin looks for the row without which another makes no sense.
func hasTwin(r kv.Reader, twin []byte) error {
	value, err := r.Get(twin)
	if err == nil && value == nil {
		err = fmt.Errorf("the row %x is missing", twin)
	}
	return err
}

// verifyLadder looks for the rows of a ladder's members, and for the one by which its message is found.
func verifyLadder(r kv.Reader, k, v []byte) error {
	l, err := codec.Decode[Ladder](k, v)
	if rows := l.behindRows(part(k, 1)); err == nil && rows != nil {
		err = hasTwin(r, rows[0].key)
	}
	for _, rung := range l.Rungs {
		if err != nil {
			break
		}
		var value []byte
		if value, err = r.Get(key(tRung, uint64(rung.ID), part(k, 0), part(k, 1))); err == nil && value == nil {
			err = fmt.Errorf("the ladder lacks a row of its member %d", rung.ID)
		}
	}
	return err
}

// ladderBehind looks for the ladder of whose message a row says that it is behind.
func ladderBehind(r kv.Reader, k []byte) error {
	l, err := readLadder(r, part(k, 0), part(k, 1))
	if err == nil && l.behindRows(part(k, 1)) == nil {
		err = errors.New("the ladder's message is up to date")
	}
	return err
}
