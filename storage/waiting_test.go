package storage

import (
	"errors"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/event"
	"tengen/internal/testkit"
)

func waiters(e Event) (ids []game.MemberID) {
	for _, w := range e.Waiting {
		ids = append(ids, w.Member)
	}
	return ids
}

// Who joins a full event waits, in order, and enters when a place is free: when somebody leaves, is removed
// or deletes their data, and when the host allows more.
func TestWaiting(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	e := b.meet(3, func(e *Event) { e.Most = 3 })
	join := func(m game.MemberID) Event {
		t.Helper()
		return b.organise(e.ID, func(e Event) (Event, error) { return e.Join(m, game.SeatFor(m), 1500+float64(m), b.now) })
	}
	for m := game.MemberID(1); m <= 6; m++ {
		e = join(m)
	}
	b.want("who waits", waiters(e), []game.MemberID{1, 2, 3, 4, 5, 6})
	b.want("who is in", len(e.Entrants), 3)
	if _, err := b.UpdateEvent(ctx, e.ID, b.cause(), func(e Event) (Event, error) {
		return e.Join(2, game.SeatFor(2), 1500, b.now)
	}); !errors.Is(err, event.AlreadyIn) {
		t.Errorf("joining twice: %v", err)
	}
	e = b.eventAct(e.ID, 3, Event.Leave)
	b.want("after the third has left the list", waiters(e), []game.MemberID{1, 2, 4, 5, 6})
	b.want("as the store has it", waiters(b.event(b.Event(ctx, e.ID))), []game.MemberID{1, 2, 4, 5, 6})

	e = b.eventAct(e.ID, 1002, Event.Leave)
	b.want("after an entrant has left", waiters(e), []game.MemberID{2, 4, 5, 6})
	b.want("the one who moved up", e.Entrants[3], event.Entrant{Seat: game.SeatFor(1), Rating: 1501, Since: b.now})
	b.want("what members hear", e.History[len(e.History)-e.Untold].What, MovedUp)
	e = b.organise(e.ID, func(e Event) (Event, error) { return e.Remove(9, 1, "", b.now) })
	b.want("after one was removed", waiters(e), []game.MemberID{4, 5, 6})
	testkit.Must(t, b.Forget(ctx, 1003, b.now))
	e = b.event(b.Event(ctx, e.ID))
	b.want("after one has deleted their data", waiters(e), []game.MemberID{5, 6})
	testkit.Must(t, b.Forget(ctx, 5, b.now))
	b.want("after one who waits has", waiters(b.event(b.Event(ctx, e.ID))), []game.MemberID{6})
	e = b.organise(e.ID, func(e Event) (Event, error) { e.Most = 4; return e, nil })
	b.want("with one more place", len(e.Waiting), 0)
	b.want("all who are in", e.There(), 4)

	// Who left before the first round and comes back has no place either, and gets their number with one.
	e = join(1002)
	b.want("who comes back waits", waiters(e), []game.MemberID{1002})
	e = b.eventAct(e.ID, 6, Event.Leave)
	b.want("and has the old number", e.Entrants[1].State, event.Active)
	b.sound()
}

// A knockout that has begun takes nobody, and nobody waits for it any more.
func TestNobodyWaitsForWhatTakesNobody(t *testing.T) {
	b := newBench(t)
	e := b.meet(2, func(e *Event) { e.Kind, e.Most = event.KindKnockout, 2 })
	e = b.organise(e.ID, func(e Event) (Event, error) { return e.Join(5, game.SeatFor(5), 1500, b.now) })
	b.want("before", len(e.Waiting), 1)
	b.want("afterwards", len(b.round(e.ID).Waiting), 0)
}

// The list of those who wait is bounded.
func TestWaitingIsBounded(t *testing.T) {
	b := newBench(t)
	e := b.meet(2, func(e *Event) { e.Most = 2 })
	for m := game.MemberID(1); m <= MaxWaiting; m++ {
		e.Waiting = append(e.Waiting, Waiter{m, 1500})
	}
	if _, err := e.Join(2000, game.SeatFor(2000), 1500, b.now); !errors.Is(err, ErrEventFull) {
		t.Errorf("one too many: %v", err)
	}
}

// Lines that concern a member are told, with those behind them, and each once.
func TestUntold(t *testing.T) {
	e := Event{}
	say := func(d AuditKind, by game.MemberID) { e = e.did(AuditEntry{What: d, By: by}) }
	want := func(what string, n int) {
		t.Helper()
		if e.Untold != n {
			t.Errorf("%s: %d lines, want %d", what, e.Untold, n)
		}
	}
	say(Joined, 1)
	say(Forfeited, 1)
	want("what members did themselves", 0)
	say(Removed, 9)
	say(Joined, 2)
	say(Settled, 9)
	say(Began, 0)
	want("from the first line that concerns one on", 4)
	e = e.Tell(1)
	want("after the first", 2)
	say(Forfeited, 0)
	want("one more", 3)
	e = e.Tell(3)
	want("after all", 0)
}

// A weekly event is followed by one of the next week at the same time of day, once, and the new one is weekly then.
func TestRepeat(t *testing.T) {
	berlin := first(time.LoadLocation("Europe/Berlin"))
	ctx := t.Context()
	starts := testkit.At("2027-03-26 19:00") // a Friday, 20:00 in Berlin; the clocks go ahead on Sunday
	weekly := func(e *Event) {
		e.Weekly, e.Starts, e.Most, e.CheckIn, e.Threads, e.Listing.Wanted = true, starts, 8, time.Hour, true, true
	}
	b := newBench(t)
	e := b.meet(4, weekly)
	repeat := func(id EventID, skip bool) (Event, bool) {
		t.Helper()
		next, made, err := b.RepeatEvent(ctx, id, b.cause(), berlin, skip)
		testkit.Must(t, err)
		return next, made
	}
	b.now = starts.Add(-time.Minute)
	if _, made := repeat(e.ID, false); made {
		t.Error("made before the start")
	}
	b.now = starts
	e = b.organise(e.ID, func(e Event) (Event, error) { return e.AllHere().Begin(0, nil, b.now) })
	b.want("what is owed", first(b.EventsOwed(ctx)), []EventID{e.ID})
	e = b.settle(e.ID)
	next, made := repeat(e.ID, false)
	b.want("made", made, true)
	b.want("when", next.Starts, testkit.At("2027-04-02 18:00"))
	b.want("what", []any{next.Weekly, next.Most, next.CheckIn, next.Threads, next.Listing.Wanted, next.Name, next.Rounds,
		next.Place, next.Owner, len(next.Entrants)},
		[]any{true, 8, time.Hour, true, true, e.Name, e.Rounds, e.Place, e.Owner, 0})
	if _, again := repeat(e.ID, false); again || b.event(b.Event(ctx, e.ID)).Weekly {
		t.Error("made twice")
	}
	b.want("owed", len(first(b.EventsOwed(ctx))), 0)

	// Nobody came to the next one, and no process ran for three weeks: it is called off, and one is made, ahead.
	b.want("due", next.Due(), next.Starts.Add(-time.Hour))
	b.now = next.Starts.Add(22 * 24 * time.Hour)
	third, made := repeat(next.ID, false)
	b.want("made after a pause", []any{made, third.Starts, b.event(b.Event(ctx, next.ID)).Ended},
		[]any{true, next.Starts.AddDate(0, 0, 28), true})

	// One week is left out, and the rest goes on.
	b.later(time.Minute)
	fourth, made := repeat(third.ID, true)
	b.want("skipped", []any{made, fourth.Starts}, []any{true, third.Starts.AddDate(0, 0, 7)})
	b.eventAct(fourth.ID, 9, Event.Close)
	b.now = fourth.Starts.Add(2 * time.Hour)
	if _, made := repeat(fourth.ID, false); made {
		t.Error("an event that a manager has ended goes on")
	}
	b.sound()
}

// A server that has as many events as it may gets no more by repetition: its host hears of it.
func TestRepeatIsBounded(t *testing.T) {
	b := newBench(t)
	e := b.meet(2, func(e *Event) { e.Weekly, e.Starts = true, noon.Add(time.Hour) })
	for range MaxOpen - 1 {
		b.meet(0, nil)
	}
	b.round(e.ID)
	if _, made, err := b.RepeatEvent(t.Context(), e.ID, b.cause(), time.UTC, false); made || err != nil {
		t.Errorf("made %v, %v", made, err)
	}
	e = b.event(b.Event(t.Context(), e.ID))
	if last := e.History[len(e.History)-1]; e.Weekly || last.What != Ceased || e.Untold == 0 {
		t.Errorf("weekly %v, %+v", e.Weekly, last)
	}
	b.sound()
}

// A page of the list has first the events that are not over, then the others, the newest first.
func TestEventsPage(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	var ids []EventID
	for i := range 5 {
		e := b.meet(0, nil)
		if ids = append(ids, e.ID); i%2 == 0 {
			b.eventAct(e.ID, 9, Event.Close)
		}
	}
	var got []EventID
	for from := 0; from < 8; from += 2 {
		page, all, err := b.EventsPage(ctx, here.Server, from, 2)
		if err != nil || all != 5 {
			t.Fatalf("%d events, %v", all, err)
		}
		for _, e := range page {
			got = append(got, e.ID)
		}
	}
	b.want("the pages", got, []EventID{ids[3], ids[1], ids[4], ids[2], ids[0]})
}
