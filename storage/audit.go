package storage

import (
	"slices"
	"time"

	"tengen/game"
)

// AuditKind is what was done in an event. The numbers are stored: add at the end only.
type AuditKind uint8

// The kinds of entries.
const (
	Joined AuditKind = iota
	Left
	CheckedIn
	Paused
	CameBack
	Removed
	Began     // a round; Round says which, from 1
	Forfeited // a game: by By, or because time was over
	Settled   // a result, by hand
	Closed    // the event
	RanOut    // the event, because no pairing was left
	Replayed  // a board: its match ended without a result, and a fresh one began
	MovedUp   // who waited for a place
	Stuck     // it waits for those who manage it: before round Round + 1, or for a result of the board Board
	Ceased    // its repetition: the server has as many events as it may
	auditKinds
)

// AuditEntry is a line of an event's history: what was done, who did it and when.
type AuditEntry struct {
	What         AuditKind
	By           game.MemberID // 0: time, or who has deleted their data
	At           time.Time
	Number       int // of the entrant that it is about; 0: none
	Round, Board int // from 1; 0: none
	Reason       string
}

// did adds a line to the history. Once a line is one that members are to hear of, those after it wait
// behind it.
func (e Event) did(d AuditEntry) Event {
	e.History = append(slices.Clip(e.History), d)
	if e.Untold > 0 || d.Concerns() {
		e.Untold++
	}
	return e
}

// Concerns reports whether members are to hear of what was done: somebody or time did it to them.
func (d AuditEntry) Concerns() bool {
	switch d.What {
	case Removed, Settled, MovedUp, Stuck, Ceased:
		return true
	case Forfeited:
		return d.By == 0
	}
	return false
}

// Tell notes that members have heard of the first n lines of those that Untold counts, and of
// the others, as far as they concern nobody.
func (e Event) Tell(n int) Event {
	e.Untold = max(0, e.Untold-n)
	for e.Untold > 0 && !e.History[len(e.History)-e.Untold].Concerns() {
		e.Untold--
	}
	return e
}

// Sticks notes that the event waits for those who manage it, once a round and board. It does so once more for a board
// that was replayed since, and for a start that was moved: what was noted at an earlier start is older than this one.
func (e Event) Sticks(round, board int, now time.Time) Event {
	for _, d := range slices.Backward(e.History) {
		if round == 0 && d.At.Before(e.Starts) {
			break
		}
		if d.What == Stuck && d.Round == round && d.Board == board {
			return e
		}
		if d.Round == round && (d.What == Began || d.What == Replayed && d.Board == board) {
			break
		}
	}
	return e.did(AuditEntry{What: Stuck, At: now, Round: round, Board: board})
}
