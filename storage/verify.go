package storage

import (
	"fmt"
	"slices"

	"tengen/game"
	"tengen/storage/kv"
)

// verify decodes a row. One that follows from a match is looked up there, and a match's
// rows are looked up from it.
func (s *Store) verify(r kv.Reader, k, v []byte) error {
	if err := decodes(k, v); err != nil {
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
	case tReview, tReviewing:
		return verifyReview(r, game.MatchID(part(k, 0)))
	}
	return nil
}

// verifyRecord looks for all rows that follow from a record.
func (s *Store) verifyRecord(r kv.Reader, k, v []byte) error {
	rec, err := decodeRecord(game.MatchID(part(k, 0)), v)
	if err != nil {
		return err
	}
	if rec.filed = k[0] == tArchive; rec.filed && !rec.Archived() {
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
	if !rec.Archived() {
		return nil
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
	b, err := decodeBundle(v)
	if err != nil {
		return err
	}
	if len(b) == 0 || uint64(b[0]) != ^part(k, 1) {
		return errContent
	}
	for _, id := range b {
		if _, err := readRecord(r, id); err != nil {
			return fmt.Errorf("match %d: %w", id, err)
		}
	}
	return nil
}

// decodes gives the error of the decoder to which a row belongs.
func decodes(k, v []byte) (err error) {
	id := game.MatchID(part(k, 0))
	switch k[0] {
	case tMeta:
		if string(k) == string(applicationRow) {
			_, err = decodeApplication(v)
		}
	case tLive, tArchive:
		_, err = decodeRecord(id, v)
	case tSeat:
		_, err = decodeRole(v)
	case tHistory:
		_, err = decodeBundle(v)
	case tSeen:
		_, err = decodeSeen(v)
	case tWork, tReviewing:
		_, err = decodeWork(id, v)
	case tReview:
		_, err = decodeReview(id, v)
	case tScreen:
		_, err = decodeScreen(id, v)
	case tToken:
		_, err = decodeTokens(Screen{}, v)
	case tMember:
		_, err = decodeMember(game.MemberID(id), v)
	case tServer:
		_, err = decodeServer(uint64(id), v)
	case tRating:
		_, err = decodeRating(k, v)
	case tLevel:
		_, err = decodeTally(v)
	case tPair, tAsked:
		_, err = decodeCount(v)
	case tSession:
		_, err = decodeSession(v)
	case tTurn:
		d := open(v, 1)
		d.time()
		err = d.end()
	case tPlace, tDue, tClose, tBoard, tForget, tClear:
		d := open(v, 1)
		err = d.end()
	default:
		err = fmt.Errorf("unknown table %q", k[0])
	}
	return err
}
