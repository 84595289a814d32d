package storage

import (
	"slices"
	"time"

	"tengen/game"
	"tengen/game/venue"
)

// Record is a match with what its host knows beside it.
type Record struct {
	game.Match
	Place   venue.Place
	Look    Look
	Ended   time.Time // zero while it is alive
	Changes [2]Change // by seat: what a rated match did to the ratings
	Link    Link      // the event or the ladder for which it is played

	filed bool // it lies in the table of the archive

	// Repeated says that the cause had been applied before: this is the match as it
	// stands, and nothing was changed now.
	Repeated bool
}

// Change is what a match did to the rating of a seat; the zero Change is nothing.
type Change struct{ Before, After float64 }

// archived reports whether the match is one of the finished games of its members: it
// ended and something was played. What ended before that is deleted after a day.
func (r Record) archived() bool {
	return r.Phase == game.Over && r.Result().Termination < game.Declined && r.Played() >= 2
}

// Contest reports whether the match is played for an event or a ladder, so that its players cannot abort it.
func (r Record) Contest() bool { return r.Link.Event != 0 || r.Link.Ladder }

// members are those who have the match in their lists: who sits in it, and its owner.
func (r Record) members() []game.MemberID {
	var ms []game.MemberID
	for _, m := range []game.MemberID{r.Seats[0].Member, r.Seats[1].Member, r.Owner} {
		if m != 0 && !slices.Contains(ms, m) {
			ms = append(ms, m)
		}
	}
	return ms
}

// settled is r as the archive keeps it: its times are whole seconds, and the turn began
// with the last entry.
func (r Record) settled() Record {
	log := make([]game.Entry, len(r.Log))
	for i, e := range r.Log {
		e.At = e.At.Truncate(time.Second)
		log[i] = e
	}
	r.Log = log
	r.Turned = log[len(log)-1].At
	r.Updated = r.Updated.Truncate(time.Second)
	r.Ended = r.Ended.Truncate(time.Second)
	return r
}
