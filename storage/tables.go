package storage

import (
	"fmt"

	"tengen/game"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// table is what the store knows of the rows of a table.
type table struct {
	at     byte // what the keys begin with
	read   func(k, v []byte) (any, error)
	verify func(s *Store, r kv.Reader, k, v []byte) error // that what follows from a row is there; nil: nothing does
	export bool                                           // its rows are exported
}

// tables are the tables in the order in which they are exported.
func tables() []table {
	all := []table{
		{at: tServer, read: anyOf[Server], export: true},
		{at: tMember, read: anyOf[Member], export: true},
		{at: tProgress, read: anyOf[Progress], export: true},
		{at: tRating, read: anyOf[Standing], export: true},
		{at: tLevel, read: anyOf[Against], export: true},
		{at: tSeen, read: anyOf[done]},
		{at: tSession, read: anyOf[Session]},
		{at: tTurn, read: anyOf[moment]},
		{at: tAsked, read: anyOf[counter]},
		{at: tPair, read: anyOf[counter]},
		{at: tSalt, read: anyOf[salt]},
		{at: tOutlived, read: outlivedRow},
		{at: tBoard, read: markRow}, {at: tForget, read: markRow}, {at: tClear, read: markRow},
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
		{at: tLive, read: matchRow, verify: (*Store).verifyRecord},
		{at: tArchive, read: matchRow, verify: (*Store).verifyRecord},
		{at: tPlace, read: markRow, verify: ofMatch(2)},
		{at: tSeat, read: anyOf[role], verify: ofMatch(1)},
		{at: tDue, read: markRow, verify: ofMatch(1)},
		{at: tClose, read: markRow, verify: ofMatch(1)},
		{at: tWork, read: anyOf[Work], verify: ofMatch(0)},
		{at: tHistory, read: anyOf[bundle], verify: verifyBundle},
		{at: tScreen, read: anyOf[Screen]},
		{at: tToken, read: tokenRow},
		{at: tReview, read: anyOf[Review], verify: verifyReview, export: true},
		{at: tReviewing, read: anyOf[Work], verify: verifyReview},
	}
}

func (allEvents) tables() []table {
	return []table{
		{at: tEvent, read: anyOf[Event], verify: verifyEvent, export: true},
		{at: tEventAt, read: anyOf[placedEvent], verify: ofEvent(func(k []byte) uint64 { return part(k, 2) })},
		{at: tEntrant, read: markRow, verify: ofEvent(func(k []byte) uint64 { return ^part(k, 1) })},
		{at: tEventDue, read: markRow, verify: ofEvent(func(k []byte) uint64 { return part(k, 1) })},
		{at: tEventWork, read: markRow, verify: ofEvent(func(k []byte) uint64 { return part(k, 0) })},
		{at: tEventLate, read: markRow, verify: ofEvent(func(k []byte) uint64 { return part(k, 0) })},
	}
}

func (allLadders) tables() []table {
	return []table{
		{at: tLadder, read: anyOf[Ladder], verify: verifyLadder, export: true},
		{at: tSeason, read: anyOf[Season], export: true},
		{at: tRung, read: markRow},
		{at: tLadderBehind, read: markRow, verify: ladderBehind},
	}
}

func (allPuzzles) tables() []table {
	return []table{
		{at: tSolver, read: anyOf[Solver], export: true},
		{at: tRun, read: anyOf[Run], export: true},
		{at: tTaking, read: anyOf[Taking], verify: hasTwin(tSolverIn), export: true},
		{at: tSolverIn, read: markRow, verify: hasTwin(tTaking)},
		{at: tDaily, read: anyOf[Daily], verify: verifyDaily, export: true},
		{at: tDailyDue, read: markRow, verify: verifyDailyDue},
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
