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
	if verify := byLetter[k[0]].verify; verify != nil {
		return verify(s, r, k, v)
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

// ofMatch checks that a row follows from the match that the i-th part of its key names.
func ofMatch(i int) func(s *Store, r kv.Reader, k, v []byte) error {
	return func(s *Store, r kv.Reader, k, _ []byte) error {
		id := game.MatchID(part(k, i))
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
}

func verifyBundle(_ *Store, r kv.Reader, k, v []byte) error {
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
func verifyEvent(_ *Store, r kv.Reader, k, v []byte) error {
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

// ofEvent checks that a row follows from the event that the i-th part of its key names.
func ofEvent(i int) func(s *Store, r kv.Reader, k, v []byte) error {
	return func(_ *Store, r kv.Reader, k, _ []byte) error {
		id := part(k, i)
		if k[0] == tEntrant { // the newest first
			id = ^id
		}
		e, err := readEvent(r, EventID(id))
		if err != nil {
			return fmt.Errorf("event %d: %w", id, err)
		}
		if !hasRow(e.rows(), k) {
			return fmt.Errorf("event %d knows nothing of it", id)
		}
		return nil
	}
}

// hasTwin looks for the row of another table without which a row makes no sense. It has the same two
// numbers the other way round.
func hasTwin(table byte) func(s *Store, r kv.Reader, k, v []byte) error {
	return func(_ *Store, r kv.Reader, k, _ []byte) error { return mustHave(r, key(table, part(k, 1), part(k, 0))) }
}

func mustHave(r kv.Reader, k []byte) error {
	value, err := r.Get(k)
	if err == nil && value == nil {
		err = fmt.Errorf("the row %x is missing", k)
	}
	return err
}

// verifyLadder looks for the rows of a ladder's members, and for the one by which its message is found.
func verifyLadder(_ *Store, r kv.Reader, k, v []byte) error {
	l, err := codec.Decode[Ladder](k, v)
	if rows := l.behindRows(part(k, 1)); err == nil && rows != nil {
		err = mustHave(r, rows[0].key)
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
func ladderBehind(_ *Store, r kv.Reader, k, _ []byte) error {
	l, err := readLadder(r, part(k, 0), part(k, 1))
	if err == nil && l.behindRows(part(k, 1)) == nil {
		err = errors.New("the ladder's message is up to date")
	}
	return err
}
