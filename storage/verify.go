package storage

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"tengen/game"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// Verify decodes every row, and compares each match with the rows that follow from it, both
// ways. It gives the number of rows and something that is wrong.
func Verify(ctx context.Context, engine kv.Engine) (rows int64, err error) {
	return VerifyWith(ctx, engine, func(int64) {})
}

// VerifyWith is Verify for a large store; progress is called with the rows done. It
// reads a part at a time. A row that seems wrong is looked at once more, since it and what
// it follows from may have changed between two parts; so it may be used on a store at work.
func VerifyWith(ctx context.Context, engine kv.Engine, progress func(rows int64)) (rows int64, err error) {
	s := &Store{kv: &schedule{Engine: engine}}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	parts := make(chan []pair)
	var mu sync.Mutex // guards rows
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) + 1 { // while one waits for the engine
		workers.Go(func() {
			for part := range parts {
				if err := s.verifyPart(ctx, part); err != nil {
					fail(err)
				}
				mu.Lock()
				rows += int64(len(part))
				progress(rows)
				mu.Unlock()
			}
		})
	}
	err = pages(ctx, engine, nil, nil, func(page []pair, _, _ []byte) error {
		for part := range slices.Chunk(page, verifyRows) {
			parts <- part
		}
		return ctx.Err()
	})
	close(parts)
	workers.Wait()
	return rows, firstOf(context.Cause(ctx), err)
}

// verifyRows is how many rows are verified at once: each looks for others.
const verifyRows = 1024

// verifyPart verifies some rows.
func (s *Store) verifyPart(ctx context.Context, part []pair) error {
	var wrong [][]byte
	err := s.kv.View(ctx, func(r kv.Reader) error {
		wrong = nil
		l, err := readList(r)
		if err != nil {
			return err
		}
		a, keys, values := readAhead(r), [][]byte(nil), []any(nil)
		for _, row := range part {
			value, err := l.read(row.key, row.value)
			if err != nil {
				wrong = append(wrong, row.key)
				continue
			}
			keys, values = append(keys, row.key), append(values, value)
		}
		for len(keys) > 0 && firstOf(err, ctx.Err()) == nil {
			waits := 0
			for i, k := range keys {
				switch err := s.follows(a, k, values[i]); {
				case errors.Is(err, errAhead):
					keys[waits], values[waits] = k, values[i]
					waits++
				case err != nil:
					wrong = append(wrong, k)
				}
			}
			keys, values, err = keys[:waits], values[:waits], a.fetch()
		}
		return err
	})
	for _, k := range wrong {
		err = firstOf(err, ctx.Err(), s.verifyAgain(ctx, k))
	}
	return err
}

func (s *Store) verifyAgain(ctx context.Context, k []byte) error {
	return s.kv.View(ctx, func(r kv.Reader) error {
		v, err := r.Get(k)
		if err != nil || v == nil {
			return err
		}
		l, err := readList(r)
		if err != nil {
			return err
		}
		value, err := l.read(k, v)
		if err == nil {
			err = s.follows(r, k, value)
		}
		if err != nil {
			return fmt.Errorf("row %x: %w", k, err)
		}
		return nil
	})
}

// read decodes a row, and looks for its kind in the list.
func (l list) read(k, v []byte) (any, error) {
	value, err := valueOf(k, v)
	if err != nil {
		return nil, err
	}
	kind, err := kindOf(k, v)
	if err == nil && l.raw != nil && !l.has[kind.id()] {
		err = fmt.Errorf("the store does not list the kind of this row: %s, version %d", kind.Name, kind.Version)
	}
	return value, err
}

// follows looks for the match from which a row follows, or for the rows that follow from a match.
func (s *Store) follows(r kv.Reader, k []byte, value any) error {
	if verify := byLetter[k[0]].verify; verify != nil {
		return verify(s, r, k, value)
	}
	return nil
}

// verifyRecord looks for all rows that follow from a record.
func (s *Store) verifyRecord(r kv.Reader, k []byte, v any) error {
	rec := v.(Record)
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
func ofMatch(i int) func(s *Store, r kv.Reader, k []byte, _ any) error {
	return func(s *Store, r kv.Reader, k []byte, _ any) error {
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

func verifyBundle(_ *Store, r kv.Reader, k []byte, v any) (err error) {
	b := v.(bundle)
	if len(b) == 0 || uint64(b[0]) != ^part(k, 1) {
		return codec.ErrContent
	}
	for _, id := range b { // all of them, so that a reader that reads ahead hears of all at once
		value, bad := r.Get(archiveKey(id))
		if bad == nil && value == nil {
			value, bad = r.Get(liveKey(id))
		}
		if bad == nil && value == nil {
			bad = fmt.Errorf("match %d: %w", id, ErrNotFound)
		}
		err = firstOf(err, bad)
	}
	return err
}

// verifyEvent looks for all rows that follow from an event, and for its matches.
func verifyEvent(_ *Store, r kv.Reader, _ []byte, v any) error {
	e := v.(Event)
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
func ofEvent(i int) func(s *Store, r kv.Reader, k []byte, _ any) error {
	return func(_ *Store, r kv.Reader, k []byte, _ any) error {
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
func hasTwin(table byte) func(s *Store, r kv.Reader, k []byte, _ any) error {
	return func(_ *Store, r kv.Reader, k []byte, _ any) error {
		return mustHave(r, key(table, part(k, 1), part(k, 0)))
	}
}

func mustHave(r kv.Reader, k []byte) error {
	value, err := r.Get(k)
	if err == nil && value == nil {
		err = fmt.Errorf("the row %x is missing", k)
	}
	return err
}

// verifyLadder looks for the rows of a ladder's members, and for the one by which its message is found.
func verifyLadder(_ *Store, r kv.Reader, k []byte, v any) (err error) {
	l := v.(Ladder)
	if rows := l.behindRows(part(k, 1)); rows != nil {
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
func ladderBehind(_ *Store, r kv.Reader, k []byte, _ any) error {
	l, err := readLadder(r, part(k, 0), part(k, 1))
	if err == nil && l.behindRows(part(k, 1)) == nil {
		err = errors.New("the ladder's message is up to date")
	}
	return err
}
