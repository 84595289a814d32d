package storage

import (
	"fmt"

	"tengen/game"
	"tengen/storage/codec"
)

// valueOf is the value of a row of any table.
func valueOf(k, v []byte) (any, error) {
	if read := tables[k[0]]; read != nil {
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

// tables have the codec of the rows of each table.
var tables = [256]func(k, v []byte) (any, error){
	tLive:    matchRow,
	tArchive: matchRow,
	tSeat:    anyOf[role],
	tHistory: anyOf[bundle],
	tSeen:    anyOf[done],
	tWork:    anyOf[Work],
	tScreen:  anyOf[Screen],
	tToken:   tokenRow,
	tMember:  anyOf[Member],
	tServer:  anyOf[Server],
	tRating:  anyOf[Standing],
	tLevel:   anyOf[Against],
	tPair:    anyOf[counter],
	tSession: anyOf[Session],
	tTurn:    anyOf[moment],
	tReview:  anyOf[Review],
	tAsked:   anyOf[counter],

	tReviewing: anyOf[Work],
	tProgress:  anyOf[Progress],
	tEvent:     anyOf[Event],
	tEventAt:   anyOf[placedEvent],
	tLadder:    anyOf[Ladder],
	tSeason:    anyOf[Season],
	tTogether:  anyOf[Together],
	tSimul:     anyOf[Simul],
	tSolver:    anyOf[Solver],
	tRun:       anyOf[Run],
	tTaking:    anyOf[Taking],
	tDaily:     anyOf[Daily],
	tSalt:      anyOf[salt],
	tOutlived:  outlivedRow,

	tPlace: markRow, tDue: markRow, tClose: markRow, tBoard: markRow, tForget: markRow, tClear: markRow,
	tEntrant: markRow, tEventDue: markRow, tEventWork: markRow, tEventLate: markRow, tRung: markRow,
	tLadderBehind: markRow, tTogetherDue: markRow, tSimulDue: markRow, tSolverIn: markRow, tDailyDue: markRow,
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
