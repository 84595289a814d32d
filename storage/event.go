package storage

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"tengen/game"
	"tengen/game/event"
	"tengen/game/venue"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// EventID is the id of an event. Events and matches share their ids: no match has the same.
type EventID uint64

// Event is an event with what its host knows beside it. The functions that change it give a
// new Event and leave the old one as it was.
type Event struct {
	event.Event
	Setup
	ID      EventID
	Version uint32 // one more with every change that its message can show
	Place   venue.Place
	Notice
	Listing Listing
	Owner   game.MemberID // who made it; 0: has deleted their data
	Created time.Time
	Looked  time.Time      // what time has brought up to here is done
	Checked []bool         // by entrant: is there before the first round
	Matches [][]BoardMatch // by round and board, as Paired
	History []AuditEntry   // the oldest first, at most MaxHistory
	Untold  int            // how many of the last lines of History members have not heard of
	Waiting []Waiter       // members for whom a place is to become free, the first one first

	// Repeated says that the cause had been applied before: this is the event as it
	// stands, and nothing was changed now.
	Repeated bool
}

// Setup is what the host of an event chose beside event.Terms.
type Setup struct {
	Name    string
	Game    game.Terms    // of each match: Rules, Opening, Protocol, Clock and Rated
	Most    int           // entrants at most; 0: event.MaxEntrants
	Role    uint64        // the role that may enter; 0: everybody
	Starts  time.Time     // of the first round; zero: somebody begins it
	CheckIn time.Duration // before Starts, in which entrants say that they are there; 0: none
	Threads bool          // each match gets a thread of its own
	Weekly  bool          // another one like it follows a week after Starts
	Look    Look          // of the message and of the matches: Theme and Language
}

// BoardMatch is the match that is played for a board, and whether it has ended.
type BoardMatch struct {
	Match game.MatchID // 0: none yet
	Over  bool         // the match has ended
}

// Link is what a match is played for; the zero Link is nothing.
type Link struct {
	Event        EventID     // 0: none
	Round, Board int         // places in the event's Paired
	Ladder       bool        // of the server of its place, for its rules
	Simul        venue.Place // of the simul; zero: none
}

// The bounds of events.
const (
	MaxHistory = 500
	MaxWaiting = 200 // members for whom a place is to become free
	MaxOpen    = 20  // events of a server that have not ended
	maxName    = 400 // bytes; of a reason too: 100 characters of any script

	// maxPaired bounds the row when games begin. What their ends add makes it less than three
	// times as large, so that no end of a match fails because the row is full.
	maxPaired = kv.MaxValue / 4
)

// Errors of events.
var (
	ErrManyEvents = errors.New("the server has as many events as it may")
	ErrLargeEvent = errors.New("the event cannot hold more games")
	ErrEventFull  = errors.New("the event has as many entrants as its host wants")
	ErrGone       = errors.New("who has left the event for good does not come back")
)

// CreateEvent stores the event that f makes, with the id and the place that it is given.
func (s *Store) CreateEvent(ctx context.Context, cause Cause, place venue.Place,
	f func() (Event, error)) (e Event, err error) {
	if err := s.room(); err != nil {
		return Event{}, err
	}
	id := s.ids.next(cause.At)
	err = s.change(ctx, cause, func(t *txn) error {
		seen, err := t.seenEvent()
		if seen != nil || err != nil {
			e = seen.repeated()
			return err
		}
		if err := t.mayHaveMore(place.Server); err != nil {
			return err
		}
		id, err := t.unused(id)
		if err != nil {
			return err
		}
		next, err := f()
		if err != nil {
			return err
		}
		next.ID, next.Place, next.Created, next.Looked = EventID(id), place, millis(cause.At.UnixMilli()),
			millis(cause.At.UnixMilli())
		e, err = t.saveEvent(nil, next)
		return err
	})
	return e, err
}

// UpdateEvent changes an event by f, which is quick and pure and may run more than once. When f
// changes nothing, nothing is written. Matches that a change asks for, or ends, are made and
// ended by SettleEvent.
func (s *Store) UpdateEvent(ctx context.Context, id EventID, cause Cause,
	f func(Event) (Event, error)) (e Event, err error) {
	err = s.change(ctx, cause, func(t *txn) error {
		if seen, err := t.seenEvent(); seen != nil || err != nil {
			e = seen.repeated()
			return err
		}
		old, err := readEvent(t, id)
		if err != nil {
			return err
		}
		next, err := f(old)
		if err != nil {
			return err
		}
		e, err = t.saveEvent(&old, next)
		return err
	})
	return e, err
}

// mayHaveMore refuses another event of a server that has many which are not over.
func (t *txn) mayHaveMore(server uint64) error {
	rows, err := placed(t, under(tEventAt, server))
	open := 0
	for _, r := range rows {
		if !r.ended {
			open++
		}
	}
	if err == nil && open >= MaxOpen {
		err = ErrManyEvents
	}
	return err
}

func (t *txn) seenEvent() (*Event, error) {
	id, err := t.seenID()
	if id == 0 || err != nil {
		return nil, err
	}
	e, err := readEvent(t, EventID(id))
	return &e, err
}

func (e *Event) repeated() Event {
	if e == nil {
		return Event{}
	}
	e.Repeated = true
	return *e
}

func readEvent(r kv.Reader, id EventID) (Event, error) {
	return need[Event](r, key(tEvent, uint64(id)))
}

// saveEvent writes next in the place of old, which is nil for a new event, with the rows that
// follow from it. It gives the event as it will be read.
func (t *txn) saveEvent(old *Event, next Event) (Event, error) {
	next = next.fitted().filled(t.cause.At).fitted()
	if err := next.check(old); err != nil {
		return Event{}, err
	}
	if old != nil && bytes.Equal(codec.Encode(next), codec.Encode(*old)) {
		return *old, nil
	}
	if old == nil || !bytes.Equal(next.picture(), old.picture()) {
		next.Version++
	}
	rows := next.rows()
	if old == nil || next.boards() > old.boards() {
		if len(rows[0].value) > maxPaired {
			return Event{}, ErrLargeEvent
		}
	}
	// A row that cannot be read is never written.
	written, err := codec.Decode[Event](rows[0].key, rows[0].value)
	if err != nil {
		return Event{}, err
	}
	var was []row
	if old != nil {
		was = old.rows()
	}
	if err := t.replace(was, rows); err != nil {
		return Event{}, err
	}
	return written, t.mark(uint64(next.ID))
}

// fitted is e with a BoardMatch for each board, a mark for each entrant, and the newest of its history.
func (e Event) fitted() Event {
	for len(e.Checked) < len(e.Entrants) {
		e.Checked = append(slices.Clip(e.Checked), false)
	}
	e.Matches = slices.Clone(e.Matches)
	for r, boards := range e.Paired {
		if r == len(e.Matches) {
			e.Matches = append(e.Matches, nil)
		}
		if n := len(boards) - len(e.Matches[r]); n > 0 {
			e.Matches[r] = append(slices.Clip(e.Matches[r]), make([]BoardMatch, n)...)
		}
	}
	e.History = e.History[max(0, len(e.History)-MaxHistory):]
	e.Untold = min(e.Untold, len(e.History))
	return e
}

// check refuses what the store does not keep.
func (e Event) check(old *Event) error {
	t := e.Game
	switch {
	case len(e.Name) > maxName || e.Most < 0 || e.Most > event.MaxEntrants || e.CheckIn < 0 || len(e.Waiting) > MaxWaiting:
		return event.BadTerms
	case t.Rules == nil || t.Start != game.Position{} || len(t.Given) > 0 ||
		t.Note != "" || t.Seed != 0 || t.Begin != 0 || t.First != game.Empty || t.Odds != game.Clock{}:
		return event.BadTerms
	case e.Most > 0 && e.There() > e.Most && (old == nil || e.There() > old.There()):
		return ErrEventFull
	}
	if _, err := codec.RulesCode(t.Rules); err != nil {
		return err
	}
	for _, d := range e.History {
		if len(d.Reason) > maxName {
			return event.BadTerms
		}
	}
	return nil
}

// There is how many entrants have not gone.
func (e Event) There() (n int) {
	for _, x := range e.Entrants {
		if x.State != event.Gone {
			n++
		}
	}
	return n
}

func (e Event) boards() (n int) {
	for _, r := range e.Paired {
		n += len(r)
	}
	return n
}

// picture is what of an event its message can show, as bytes. That the check-in has opened is a
// part of it, and that the start is past.
func (e Event) picture() []byte {
	times := codec.Bit(e.CheckingIn(e.Looked)) | codec.Bit(e.Overdue(e.Looked))<<1
	e.Version, e.Notice, e.Listing, e.Looked, e.Untold = 0, Notice{}, Listing{}, e.Created, 0
	return append(codec.Encode(e), times)
}

// Late reports whether the message of the event is to be sent, edited or tidied up.
func (e Event) Late() bool { return e.behind(e.Version) }

// begun reports whether a round was paired.
func (e Event) begun() bool { return len(e.Paired) > 0 }

// rows are the event itself and its rows in the indexes.
func (e Event) rows() []row {
	id := uint64(e.ID)
	rows := []row{
		{key(tEvent, id), codec.Encode(e)},
		{key(tEventAt, e.Place.Server, e.Place.Channel, id), codec.Encode(placedEvent{e.ID, e.Ended, e.Message})},
	}
	for _, m := range e.members() {
		rows = append(rows, row{entrantKey(m, e.ID), none})
	}
	if due := e.Due(); !due.IsZero() {
		rows = append(rows, row{key(tEventDue, millisOf(due), id), none})
	}
	if e.Owes() || e.repeats() {
		rows = append(rows, row{key(tEventWork, id), none})
	}
	if e.Late() || e.ListingLate() || e.Untold > 0 {
		rows = append(rows, row{key(tEventLate, id), none})
	}
	return rows
}

// members are those whose ids the event holds: entrants, its owner, and who did something.
func (e Event) members() []game.MemberID {
	ids := []game.MemberID{e.Owner}
	for _, x := range e.Entrants {
		ids = append(ids, x.Seat.Member)
	}
	for _, d := range e.History {
		ids = append(ids, d.By)
	}
	for _, w := range e.Waiting {
		ids = append(ids, w.Member)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if ids[0] == 0 {
		ids = ids[1:]
	}
	return ids
}

// entrantKey has the id inverted, so that a member's newest event comes first.
func entrantKey(m game.MemberID, id EventID) []byte { return key(tEntrant, uint64(m), ^uint64(id)) }

// placedEvent is what the row of an event in a place says.
type placedEvent struct {
	id      EventID
	ended   bool
	message uint64 // earlier programs found the event by it
}

func (p *placedEvent) Fields(f *codec.Fields) {
	f.Format(1, 1)
	codec.Part(f, "", 2, &p.id)
	f.Flag("", &p.ended)
	codec.Number(f, "", &p.message, codec.Any64)
}

// placed gives the rows of the events of a server, oldest first.
func placed(r kv.Reader, in span) (rows []placedEvent, err error) {
	rows, err = allIn[placedEvent](r, in)
	slices.SortFunc(rows, func(a, b placedEvent) int { return cmp.Compare(a.id, b.id) })
	return rows, err
}

// Event gives an event; ErrNotFound when there is none.
func (s *Store) Event(ctx context.Context, id EventID) (Event, error) {
	return look(ctx, s, func(r kv.Reader) (Event, error) { return readEvent(r, id) })
}

// EventsIn gives at most n events of a server, the newest first: those that are over, or those
// that are not.
func (s *Store) EventsIn(ctx context.Context, server uint64, over bool, n int) ([]Event, error) {
	return look(ctx, s, func(r kv.Reader) (events []Event, err error) {
		rows, err := placed(r, under(tEventAt, server))
		for _, p := range slices.Backward(rows) {
			if p.ended != over || len(events) == n || err != nil {
				continue
			}
			var e Event
			e, err = readEvent(r, p.id)
			events = append(events, e)
		}
		return events, err
	})
}

// EventsPage gives at most n events of a server from one on, and how many there are: first those that are not over,
// then the others, the newest first.
func (s *Store) EventsPage(ctx context.Context, server uint64, from, n int) (events []Event, all int, err error) {
	err = s.kv.View(ctx, func(r kv.Reader) error {
		events = nil
		rows, err := placed(r, under(tEventAt, server))
		slices.SortFunc(rows, func(a, b placedEvent) int {
			return cmp.Or(cmp.Compare(codec.Bit(a.ended), codec.Bit(b.ended)), cmp.Compare(b.id, a.id))
		})
		all = len(rows)
		for _, p := range rows[min(max(from, 0), all):min(max(from, 0)+n, all)] {
			if err != nil {
				break
			}
			var e Event
			e, err = readEvent(r, p.id)
			events = append(events, e)
		}
		return err
	})
	return events, all, err
}

// EventsOf gives at most n events in which a member has entered or done something, the newest
// first.
func (s *Store) EventsOf(ctx context.Context, member game.MemberID, n int) ([]Event, error) {
	return look(ctx, s, func(r kv.Reader) (events []Event, err error) {
		ids, err := entered(r, member, n)
		for _, id := range ids {
			e, err := readEvent(r, id)
			if err != nil {
				return nil, err
			}
			events = append(events, e)
		}
		return events, err
	})
}

func entered(r kv.Reader, member game.MemberID, n int) ([]EventID, error) {
	return found(r, under(tEntrant, uint64(member)), n, func(k []byte) (EventID, bool) {
		return EventID(^part(k, 1)), true
	})
}

// EventsDue gives at most n events that are due by now (TickEvent), the longest due first. It
// leaves out those for which want is false, and a nil want leaves out none: an event that is
// left out keeps no other waiting.
func (s *Store) EventsDue(ctx context.Context, now time.Time, n int, want func(EventID) bool) ([]EventID, error) {
	return s.eventIDs(ctx, dueBy(tEventDue, now), 1, n, want)
}

// EventsOwed gives the events of which matches are to be made or ended (SettleEvent), and those that are to
// be repeated (RepeatEvent).
func (s *Store) EventsOwed(ctx context.Context) ([]EventID, error) {
	return s.eventIDs(ctx, under(tEventWork), 0, -1, nil)
}

// EventsLate gives the events whose message or listing is behind, or of which members have not heard all.
func (s *Store) EventsLate(ctx context.Context) ([]EventID, error) {
	return s.eventIDs(ctx, under(tEventLate), 0, -1, nil)
}

// NoticeEvent notes where the message of an event stands, and what it shows.
func (s *Store) NoticeEvent(ctx context.Context, id EventID, n Notice, now time.Time) (Event, error) {
	return s.UpdateEvent(ctx, id, Cause{At: now}, func(e Event) (Event, error) {
		e.Notice = n
		return e, nil
	})
}

// eventIDs gives the events whose ids are the i-th part of the keys of rows: at most n of those that want names.
// Where n is below 0, or want is nil, it is all.
func (s *Store) eventIDs(ctx context.Context, in span, i, n int, want func(EventID) bool) ([]EventID, error) {
	return look(ctx, s, func(r kv.Reader) ([]EventID, error) { return partsIn(r, in, i, n, want) })
}

// Events calls f for all events, oldest first, until f returns false.
func (s *Store) Events(ctx context.Context, f func(Event) bool) error {
	ids, err := s.eventIDs(ctx, under(tEvent), 0, -1, nil)
	for _, id := range ids {
		if err != nil {
			break
		}
		var e Event
		switch e, err = s.Event(ctx, id); {
		case errors.Is(err, ErrNotFound): // deleted since
			err = nil
		case err == nil && !f(e):
			return nil
		}
	}
	return err
}
