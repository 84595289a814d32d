package storage

import (
	"fmt"

	"tengen/game"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// table is what the store knows of the rows of a table.
type table struct {
	at   byte // what the keys begin with
	read func(k, v []byte) (any, error)
	// verify looks for what follows from a row, of which read gave v; nil: nothing does.
	verify   func(s *Store, r kv.Reader, k []byte, v any) error
	exported bool
}

// tables are the tables in the order in which they are exported.
func tables() []table {
	all := []table{
		{tServer, anyOf[Server], nil, true},
		{tMember, anyOf[Member], nil, true},
		{tProgress, anyOf[Progress], nil, true},
		{tRating, anyOf[Standing], nil, true},
		{tLevel, anyOf[Against], nil, true},
		{tSeen, anyOf[done], nil, false},
		{tSession, anyOf[Session], nil, false},
		{tTurn, anyOf[moment], nil, false},
		{tAsked, anyOf[counter], nil, false},
		{tPair, anyOf[counter], nil, false},
		{tSalt, anyOf[salt], nil, false},
		{tOutlived, outlivedRow, nil, false},
		{tBoard, markRow, nil, false},
		{tForget, markRow, nil, false},
		{tClear, markRow, nil, false},
	}
	for _, k := range families {
		all = append(all, k.tables()...)
	}
	return all
}

// byLetter are the tables by what the keys begin with.
var byLetter = func() (t [256]table) {
	for _, one := range tables() {
		t[one.at] = one
	}
	return t
}()

func (allMatches) tables() []table {
	return []table{
		{tLive, matchRow, (*Store).verifyRecord, false}, // the export has a way of its own for these two
		{tArchive, matchRow, (*Store).verifyRecord, false},
		{tPlace, markRow, ofMatch(2), false},
		{tSeat, anyOf[role], ofMatch(1), false},
		{tDue, markRow, ofMatch(1), false},
		{tClose, markRow, ofMatch(1), false},
		{tWork, anyOf[Work], ofMatch(0), false},
		{tHistory, anyOf[bundle], verifyBundle, false},
		{tScreen, anyOf[Screen], nil, false},
		{tToken, tokenRow, nil, false},
		{tReview, anyOf[Review], verifyReview, true},
		{tReviewing, anyOf[Work], verifyReview, false},
	}
}

func (allEvents) tables() []table {
	return []table{
		{tEvent, anyOf[Event], verifyEvent, true},
		{tEventAt, anyOf[placedEvent], ofEvent(2), false},
		{tEntrant, markRow, ofEvent(1), false},
		{tEventDue, markRow, ofEvent(1), false},
		{tEventWork, markRow, ofEvent(0), false},
		{tEventLate, markRow, ofEvent(0), false},
	}
}

func (allLadders) tables() []table {
	return []table{
		{tLadder, anyOf[Ladder], verifyLadder, true},
		{tSeason, anyOf[Season], nil, true},
		{tRung, markRow, nil, false},
		{tLadderBehind, markRow, ladderBehind, false},
	}
}

func (allPuzzles) tables() []table {
	return []table{
		{tSolver, anyOf[Solver], nil, true},
		{tRun, anyOf[Run], nil, true},
		{tTaking, anyOf[Taking], hasTwin(tSolverIn), true},
		{tSolverIn, markRow, hasTwin(tTaking), false},
		{tDaily, anyOf[Daily], verifyDaily, true},
		{tDailyDue, markRow, verifyDailyDue, false},
	}
}

// valueOf is the value of a row of any table.
func valueOf(k, v []byte) (any, error) {
	if read := byLetter[k[0]].read; read != nil {
		return read(k, v)
	}
	if k[0] == tMeta {
		if read := metas[string(k)]; read != nil {
			return read(k, v)
		}
		return nil, nil // a word or a number that its reader checks
	}
	return nil, fmt.Errorf("unknown table %q", k[0])
}

var metas = map[string]func(k, v []byte) (any, error){
	string(applicationRow): anyOf[application],
	string(welcomesRow):    anyOf[moment],
	string(ordersRow):      anyOf[Orders],
	string(kindsRow):       func(_, v []byte) (any, error) { return decodeList(v) },
}

// anyOf is the codec of a kind of value.
func anyOf[T any, P codec.Value[T]](k, v []byte) (any, error) { return codec.Decode[T, P](k, v) }

// marker is the value of a row that says all by being there.
type marker struct{}

func (*marker) Fields(f *codec.Fields) { f.Format(1, 1) }

// markRow is a row that says all by being there.
func markRow(k, v []byte) (any, error) { return anyOf[marker](k, v) }

func matchRow(k, v []byte) (any, error) { return decodeRecord(game.MatchID(part(k, 0)), v) }
func tokenRow(_, v []byte) (any, error) { return decodeTokens(Screen{}, v) }

func outlivedRow(k, v []byte) (any, error) {
	if part(k, 1) == outliveTaking {
		return anyOf[Taking](k, v)
	}
	return anyOf[counter](k, v)
}
