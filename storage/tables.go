package storage

import (
	"fmt"

	"tengen/game"
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
	tSeat:    codec[role],
	tHistory: codec[bundle],
	tSeen:    codec[done],
	tWork:    codec[Work],
	tScreen:  codec[Screen],
	tToken:   tokenRow,
	tMember:  codec[Member],
	tServer:  codec[Server],
	tRating:  codec[Standing],
	tLevel:   codec[Against],
	tPair:    codec[counter],
	tSession: codec[Session],
	tTurn:    codec[moment],
	tReview:  codec[Review],
	tAsked:   codec[counter],

	tReviewing: codec[Work],
	tProgress:  codec[Progress],
	tEvent:     codec[Event],
	tEventAt:   codec[placedEvent],
	tLadder:    codec[Ladder],
	tSeason:    codec[seasonOf],
	tTogether:  codec[Together],
	tSimul:     codec[Simul],
	tSolver:    codec[Solver],
	tRun:       codec[Run],
	tTaking:    codec[Taking],
	tDaily:     codec[Daily],
	tSalt:      codec[salt],
	tOutlived:  outlivedRow,

	tPlace: codec[marker], tDue: codec[marker], tClose: codec[marker], tBoard: codec[marker], tForget: codec[marker], tClear: codec[marker],
	tEntrant: codec[marker], tEventDue: codec[marker], tEventWork: codec[marker], tEventLate: codec[marker], tRung: codec[marker], tLadderBehind: codec[marker],
	tTogetherDue: codec[marker], tSimulDue: codec[marker], tSolverIn: codec[marker], tDailyDue: codec[marker],
}

var metas = map[string]func(k, v []byte) (any, error){
	string(applicationRow): codec[application],
	string(kindsRow):       func(_, v []byte) (any, error) { return decodeList(v) },
}

// codec is that of a kind of value.
func codec[T any, P fielder[T]](k, v []byte) (any, error) { return decode[T, P](k, v) }

// marker is the value of a row that says all by being there.
type marker struct{}

func (*marker) fields(f *fields) { f.format(1, 1) }

func matchRow(k, v []byte) (any, error) { return decodeRecord(game.MatchID(part(k, 0)), v) }
func tokenRow(_, v []byte) (any, error) { return decodeTokens(Screen{}, v) }

func outlivedRow(k, v []byte) (any, error) {
	if part(k, 1) == outliveTaking {
		return codec[Taking](k, v)
	}
	return codec[counter](k, v)
}
