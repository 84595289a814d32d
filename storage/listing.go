package storage

import (
	"context"
	"hash/fnv"
	"tengen/storage/codec"
	"time"
)

// Listing is what is known of an event's listing: the scheduled event in Discord's list of a
// server's events. Whoever keeps it up to date stores what was sent, so that a crash leaves a listing
// that is behind, and no second one that stays.
type Listing struct {
	Wanted bool
	ID     uint64    // Discord's; 0: none is known
	Making time.Time // since when one is being made, which may be there already; zero: none is
	Said   uint64    // Event.Announced of the event that it shows
}

// Announced is a number that changes with what a listing says: what the host has chosen, and whether
// the event has begun and is over.
func (e Event) Announced() uint64 {
	f := codec.ToWrite(96)
	e.Setup.Fields(&f)
	eventTerms(&f, &e.Event.Terms)
	begun := e.begun()
	f.Flag("", &begun)
	f.Flag("", &e.Ended)
	h := fnv.New64a()
	h.Write(f.Row())
	return h.Sum64() | 1
}

// ListingLate reports whether the listing of the event is to be made, changed or deleted.
func (e Event) ListingLate() bool {
	l := e.Listing
	if l.Wanted {
		return l.Said != e.Announced()
	}
	return l.ID != 0 || !l.Making.IsZero()
}

// ListEvent notes how the listing of an event stands, which was as in old before. Whether one is
// wanted stays as a manager has said meanwhile.
func (s *Store) ListEvent(ctx context.Context, id EventID, old, next Listing, now time.Time) (Event, error) {
	return s.UpdateEvent(ctx, id, Cause{At: now}, func(e Event) (Event, error) {
		if e.Listing.Wanted != old.Wanted {
			next.Wanted = e.Listing.Wanted
		}
		e.Listing = next
		return e, nil
	})
}

func (l *Listing) Fields(f *codec.Fields) {
	f.Flag("", &l.Wanted)
	codec.ID(f, "", &l.ID)
	f.Time("", &l.Making)
	codec.ID(f, "", &l.Said)
}
