package storage

import (
	"slices"
	"time"

	"tengen/game"
	"tengen/game/event"
)

// Waiter is a member who joined an event that was full: they enter as soon as a place is free.
type Waiter struct {
	Member game.MemberID
	Rating float64
}

// PlaceOf is a member's place among those who wait to enter, from 1; 0: does not wait.
func (e Event) PlaceOf(member game.MemberID) int {
	return 1 + slices.IndexFunc(e.Waiting, func(w Waiter) bool { return w.Member == member })
}

// filled is e after those who waited have entered, as far as there are places. An event that takes nobody
// any more has nobody who waits.
func (e Event) filled(now time.Time) Event {
	if !e.Takes() {
		e.Waiting = nil
	}
	for len(e.Waiting) > 0 && (e.Most == 0 || e.There() < e.Most) {
		first := e.Waiting[0]
		e.Waiting = slices.Clone(e.Waiting[1:])
		d := AuditEntry{What: MovedUp, At: now}
		if next, err := e.enter(d, game.SeatFor(first.Member), first.Rating); err == nil {
			e = next // else they may not enter any more: the next one does
		}
	}
	return e
}

// Takes reports whether an event takes entrants.
func (e Event) Takes() bool {
	late := e.Kind == event.KindSwiss || e.Kind == event.KindArena
	return !e.Ended && (!e.begun() || late)
}
