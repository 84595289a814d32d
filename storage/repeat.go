package storage

import (
	"context"
	"errors"
	"time"

	"tengen/game"
)

// repeatAfter is how long a weekly event waits for players after its start. Then it is called off, and the
// one of the next week is made all the same.
const repeatAfter = time.Hour

// repeats reports whether the event has begun and the one that follows it in a week is not made yet.
func (e Event) repeats() bool { return e.Weekly && e.begun() && !e.Ended }

// RepeatDue reports whether RepeatEvent has something to do.
func (e Event) RepeatDue(now time.Time) bool {
	return e.repeats() || e.Weekly && e.Overdue(now.Add(-repeatAfter))
}

// RepeatEvent makes the event that follows a weekly one, once that has begun, or nobody came to it for an hour, or
// at once with skip. The new one is weekly then, and the old one is not any more, in one transaction: a process
// that dies makes none or one. The time of day stays what it is in a zone. made is false where nothing was due.
func (s *Store) RepeatEvent(ctx context.Context, id EventID, cause Cause, in *time.Location, skip bool) (
	next Event, made bool, err error,
) {
	if err := s.room(); err != nil {
		return Event{}, false, err
	}
	now, fresh := cause.At, s.ids.next(cause.At)
	err = s.change(ctx, cause, func(t *txn) error {
		made = false
		old, err := readEvent(t, id)
		if err != nil || !old.Weekly || old.Ended || !old.RepeatDue(now) && !skip {
			return err
		}
		e := old
		if e.Weekly = false; !e.begun() && !skip { // nobody came
			if e, err = e.Close(0, now); err != nil {
				return err
			}
		}
		if err := t.mayHaveMore(old.Place.Server); errors.Is(err, ErrManyEvents) {
			_, err = t.saveEvent(&old, e.did(AuditEntry{What: Ceased, At: now}))
			return err
		} else if err != nil {
			return err
		}
		if fresh, err = t.unused(fresh); err != nil {
			return err
		}
		if _, err := t.saveEvent(&old, e); err != nil {
			return err
		}
		next, err = t.saveEvent(nil, old.following(fresh, now, in))
		made = err == nil
		return err
	})
	return next, made, err
}

// following is the event that follows a weekly one.
func (e Event) following(id game.MatchID, now time.Time, in *time.Location) Event {
	made := millis(now.UnixMilli())
	next := Event{ID: EventID(id), Place: e.Place, Setup: e.Setup, Owner: e.Owner, Created: made, Looked: made}
	next.Terms, next.Listing.Wanted = e.Terms, e.Listing.Wanted
	for at := e.Starts.In(in); !next.Starts.After(now) || next.Starts.Equal(e.Starts); {
		at = at.AddDate(0, 0, 7)
		next.Starts = at.UTC()
	}
	return next
}
