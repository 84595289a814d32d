package storage

import (
	"encoding/binary"
	"time"

	"tengen/game"
	"tengen/storage/codec"
)

// The tables: the first byte of a key. Behind it stand numbers of eight bytes, big
// end first, so that they sort by value. These letters are in the files of our users:
// none may ever change its meaning.
const (
	tMeta    = 'm' // name (text)                        what concerns the whole store
	tLive    = 'g' // match                              record of a match that is alive or ended of late
	tArchive = 'a' // match                              record of a match that ended some time ago
	tPlace   = 'c' // server, channel, match             live matches of a place
	tSeat    = 'p' // member, match                      live matches of a member
	tDue     = 'e' // time, match                        when a live match wants to be looked at
	tClose   = 'z' // time, match                        when an ended match is put away
	tHistory = 'h' // member, ^match                     archive of a member, newest first, in bundles
	tSeen    = 'i' // interaction; or time, hash         what it did, and what an act of a page did
	tWork    = 'w' // match                              the engine is to move
	tScreen  = 's' // match                              where it is shown
	tToken   = 't' // match                              token of its screen; never in a backup
	tMember  = 'u' // member                             settings
	tServer  = 'v' // server                             settings
	tRating  = 'r' // member, rules                      rating
	tLevel   = 'x' // member, rules, level               results against the engine
	tBoard   = 'b' // server, rules, member              has played rated games there
	tPair    = 'k' // day, smaller member, larger member rated games of the day
	tForget  = 'f' // member                             whose data is being deleted
	tClear   = 'd' // time, server                       whose data is to be deleted
	tSession = 'n' // shards, shard                      connection to the gateway; never in a backup
	tTurn    = 'j' // bucket                             until when nobody else may identify; never in a backup
	tReview  = 'o' // match                              its review
	tAsked   = 'l' // day, what, member or server        reviews asked for

	tReviewing = 'q' // match                            the desk owes a review
	tProgress  = 'K' // member                           what they have done of the courses

	tEvent     = 'E' // event                            a tournament
	tEventAt   = 'C' // server, channel, event           events of a place
	tEntrant   = 'P' // member, ^event                   events of a member, newest first
	tEventDue  = 'D' // time, event                      when an event wants to be looked at
	tEventWork = 'W' // event                            matches are to be made or ended
	tEventLate = 'B' // event                            the message that shows it is behind
	tLadder    = 'L' // server, rules                    a ladder
	tRung      = 'R' // member, server, rules            is or was on the ladder
	tSeason    = 'S' // server, rules, ^month            the end of a ladder's season

	tLadderBehind = 'A' // server, rules                  the ladder's message is behind
	tTogether     = 'G' // server, channel                a channel that plays together
	tTogetherDue  = 'H' // time, server, channel          when such a game wants to be looked at
	tSimul        = 'N' // server, channel                one member plays all who join
	tSimulDue     = 'O' // time, server, channel          when a simul wants to be looked at
	tSolver       = 'U' // member, rules                  what is reached in puzzles
	tRun          = 'X' // member                         a run through puzzles, and the best ones
	tTaking       = 'I' // member, server                 how a member fares with the daily puzzles
	tSolverIn     = 'T' // server, member                 solves puzzles there
	tDaily        = 'Y' // server                         its daily puzzle
	tDailyDue     = 'Z' // time, server                   when a daily puzzle wants to be looked at
	tSalt         = 'y' // day                            key of the hashes of the day; never in a backup
	tOutlived     = 'J' // day, what, hash                a count that outlives a deletion; never in a backup
	tPass         = 'Q' // hash (32 bytes)                a link or a pass to a page; never in a backup
	tShare        = 'M' // match                          by which secret it is shared
	tShared       = 'V' // hash, match                    a secret shares it
	tStudy        = '8' // member, number                 a study of theirs
	tIfThen       = '6' // member, match                  replies that they have laid down
	tSeek         = '7' // member                         looks for an opponent of their strength
	tSeekDue      = '9' // time, server, channel, member  when somebody who looks wants to be looked after
	tRecap        = '5' // member                         wants a recap each week
	tRecapDue     = '4' // time, member                   when it is due
)

// Grows are the tables whose keys come in ascending order, for the engine.
const Grows = "ai"

// Once are the tables whose rows are written once and looked for before, when they are not
// there yet, for the engine.
const Once = "i"

// Omit says which rows no backup holds: the interaction tokens, passes to pages, what is of the running
// processes, and counts of members whose data is deleted.
func Omit(key []byte) bool {
	return len(key) > 0 &&
		(key[0] == tToken || key[0] == tSession || key[0] == tTurn || key[0] == tSalt || key[0] == tOutlived ||
			key[0] == tPass)
}

func key(table byte, parts ...uint64) []byte {
	k := make([]byte, 1, 1+8*len(parts))
	k[0] = table
	for _, p := range parts {
		k = binary.BigEndian.AppendUint64(k, p)
	}
	return k
}

// part is the i-th number of a key; zero where there is none.
func part(k []byte, i int) uint64 { return codec.KeyPart(k, i) }

func liveKey(id game.MatchID) []byte    { return key(tLive, uint64(id)) }
func archiveKey(id game.MatchID) []byte { return key(tArchive, uint64(id)) }
func metaKey(name string) []byte        { return append([]byte{tMeta}, name...) }

// millis is the time of so many milliseconds since 1970.
func millis(ms int64) time.Time { return codec.Millis(ms) }

// sooner is the earlier of two times, of which the zero time is never.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
