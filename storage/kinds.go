package storage

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// Kind is a kind of row in one of its versions.
type Kind struct {
	Row     string // what the keys begin with: a table, or m and the name of a row of the whole store
	Version int    // versionOf
	Name    string // for people
	Since   string // the day of the first program that writes it
}

// kinds are all kinds of rows that this program writes or has ever written. A new kind, or a new
// version of one, enters by a line: with the day on which it enters, and a golden row beside it.
// Versions are lines of their own. No line ever goes: the rows are in the files of our users.
var kinds = []Kind{
	{"mschema", 1, "number of the schema", "2026-11-21"},
	{"malive", 1, "last sign of life", "2026-11-21"},
	{"marchive", 1, "mark of the archive", "2026-11-21"}, // not written any more; lists of copied stores name it
	{"mapplication", 1, "application at Discord", "2026-11-22"},
	{"mkinds", 1, "list of the kinds of rows", "2026-11-26"},
	{"mwiped", 1, "data was deleted since the file was rewritten", "2026-11-26"},
	{"mwelcomes", 1, "since when servers are welcomed", "2026-11-26"},
	{"morders", 1, "orders of the operator", "2026-11-27"},

	{string(tLive), 1, "game", "2026-11-21"},
	{string(tLive), 2, "game", "2026-11-26"},
	{string(tLive), 3, "game", "2026-11-26"},
	{string(tLive), 4, "game", "2026-11-26"},
	{string(tLive), 5, "game", "2026-11-27"},
	{string(tLive), 6, "game", "2026-11-27"},
	{string(tLive), 7, "game", "2026-11-27"},
	{string(tLive), 8, "game", "2026-11-27"},
	{string(tArchive), 1, "finished game", "2026-11-21"},
	{string(tArchive), 2, "finished game", "2026-11-26"},
	{string(tArchive), 3, "finished game", "2026-11-26"},
	{string(tArchive), 4, "finished game", "2026-11-26"},
	{string(tArchive), 5, "finished game", "2026-11-27"},
	{string(tArchive), 6, "finished game", "2026-11-27"},
	{string(tArchive), 7, "finished game", "2026-11-27"},
	{string(tArchive), 8, "finished game", "2026-11-27"},
	{string(tPlace), 1, "game of a channel", "2026-11-21"},
	{string(tSeat), 1, "game of a member", "2026-11-21"},
	{string(tDue), 1, "when a game is due", "2026-11-21"},
	{string(tClose), 1, "when a game is put away", "2026-11-21"},
	{string(tHistory), 1, "finished games of a member", "2026-11-21"},
	{string(tSeen), 1, "what an interaction did", "2026-11-21"},
	{string(tWork), 1, "turn of the engine", "2026-11-21"},
	{string(tScreen), 1, "screen", "2026-11-21"},
	{string(tScreen), 2, "screen", "2026-11-21"},
	{string(tScreen), 3, "screen", "2026-11-22"},
	{string(tScreen), 4, "screen", "2026-11-22"},
	{string(tToken), 1, "token of a screen", "2026-11-21"},
	{string(tToken), 2, "token of a screen", "2026-11-21"},
	{string(tToken), 3, "token of a screen", "2026-11-22"},
	{string(tMember), 1, "settings of a member", "2026-11-21"},
	{string(tMember), 2, "settings of a member", "2026-11-27"},
	{string(tServer), 1, "settings of a server", "2026-11-21"},
	{string(tServer), 2, "settings of a server", "2026-11-22"},
	{string(tRating), 1, "rating", "2026-11-21"},
	{string(tLevel), 1, "results against the engine", "2026-11-21"},
	{string(tBoard), 1, "rated member of a server", "2026-11-21"},
	{string(tPair), 1, "rated games of a pair", "2026-11-21"},
	{string(tForget), 1, "deletion of a member's data", "2026-11-21"},
	{string(tClear), 1, "deletion of a server's data", "2026-11-22"},
	{string(tSession), 1, "connection to the gateway", "2026-11-21"},
	{string(tTurn), 1, "turn to identify", "2026-11-21"},
	{string(tReview), 1, "review", "2026-11-22"},
	{string(tAsked), 1, "reviews asked for", "2026-11-22"},
	{string(tReviewing), 1, "review that is owed", "2026-11-22"},
	{string(tProgress), 1, "progress in the courses", "2026-11-23"},

	{string(tEvent), 1, "tournament", "2026-11-22"},
	{string(tEvent), 2, "tournament", "2026-11-23"},
	{string(tEvent), 3, "tournament", "2026-11-23"},
	{string(tEvent), 13, "tournament", "2026-11-26"},
	{string(tEvent), 23, "tournament", "2026-11-27"},
	{string(tEventAt), 1, "tournament of a channel", "2026-11-22"},
	{string(tEntrant), 1, "tournament of a member", "2026-11-22"},
	{string(tEventDue), 1, "when a tournament is due", "2026-11-22"},
	{string(tEventWork), 1, "games that a tournament owes", "2026-11-22"},
	{string(tEventLate), 1, "tournament whose message is behind", "2026-11-23"},
	{string(tLadder), 1, "ladder", "2026-11-22"},
	{string(tLadder), 2, "ladder", "2026-11-23"},
	{string(tRung), 1, "ladder of a member", "2026-11-22"},
	{string(tSeason), 1, "season of a ladder", "2026-11-22"},
	{string(tLadderBehind), 1, "ladder whose message is behind", "2026-11-23"},
	{string(tTogether), 1, "channel that plays together", "2026-11-23"},
	{string(tTogetherDue), 1, "when a crowd is due", "2026-11-23"},
	{string(tSimul), 1, "simul", "2026-11-23"},
	{string(tSimul), 2, "simul", "2026-11-27"},
	{string(tSimulDue), 1, "when a simul is due", "2026-11-23"},
	{string(tSolver), 1, "rating in puzzles", "2026-11-23"},
	{string(tSolver), 2, "rating in puzzles", "2026-11-26"},
	{string(tRun), 1, "run through puzzles", "2026-11-23"},
	{string(tRun), 2, "run through puzzles", "2026-11-26"},
	{string(tTaking), 1, "daily puzzles of a member", "2026-11-23"},
	{string(tSolverIn), 1, "solver of a server", "2026-11-23"},
	{string(tDaily), 1, "daily puzzle", "2026-11-23"},
	{string(tDailyDue), 1, "when a daily puzzle is due", "2026-11-23"},

	{string(tSalt), 1, "key of a day", "2026-11-26"},
	{string(tOutlived), 1, "count that outlives a deletion", "2026-11-26"},

	{string(tPass), 1, "link or pass to a page", "2026-11-27"},
	{string(tShare), 1, "shared match", "2026-11-27"},
	{string(tShared), 1, "match of a shared secret", "2026-11-27"},

	{string(tStudy), 1, "study", "2026-11-27"},
	{string(tIfThen), 1, "if-then moves", "2026-11-27"},

	{string(tSeek), 1, "member who looks for an opponent", "2026-11-27"},
	{string(tSeekDue), 1, "when who looks for an opponent is due", "2026-11-27"},
	{string(tRecap), 1, "weekly recap", "2026-11-27"},
	{string(tRecapDue), 1, "when a weekly recap is due", "2026-11-27"},
}

// firstListed is the day from which on programs announce what they know, and stores list what they hold.
// A program that announces nothing knows the kinds of before.
const firstListed = "2026-11-26"

// RowsOf is the day of the newest kind of row that this program knows.
func RowsOf() string {
	day := ""
	for _, k := range kinds {
		day = max(day, k.Since)
	}
	return day
}

type rowKind struct {
	row     string
	version int
}

func (k Kind) id() rowKind { return rowKind{k.Row, k.Version} }

// known are the kinds by what names them.
var known = func() map[rowKind]Kind {
	m := make(map[rowKind]Kind, len(kinds))
	for _, k := range kinds {
		m[k.id()] = k
	}
	return m
}()

// kindOf names the kind of a row. That this program has no line for it is an error.
func kindOf(key, value []byte) (Kind, error) {
	k, ok := known[rowKind{rowOf(key), versionOf(key, value)}]
	if !ok {
		return Kind{}, fmt.Errorf("row %x: the table of kinds has no line for %q in version %d", key, rowOf(key),
			versionOf(key, value))
	}
	return k, nil
}

func rowOf(key []byte) string {
	if key[0] == tMeta {
		return string(key)
	}
	return string(key[:1])
}

// firstFields are the fields that version 1 of a match may have. Each later one is a version more.
// firstParts are those of an event of format 3. Each later one is ten versions more: 13, 23, 33.
const (
	firstFields = 35
	firstParts  = 5
)

// versionOf is the version of a row: its format byte. A match and an event say by flags which fields
// and parts they have; each has the version of its newest one.
func versionOf(key, value []byte) int {
	switch {
	case len(value) == 0:
		return 0
	case key[0] == tLive || key[0] == tArchive:
		fields, _ := binary.Uvarint(value[1:])
		return 64*int(value[0]-1) + max(1, bits.Len64(fields)-firstFields+1)
	case key[0] == tEvent && value[0] > 2 && len(value) > 1:
		return int(value[0]) + 10*max(0, bits.Len8(value[1])-firstParts)
	}
	return int(value[0])
}
