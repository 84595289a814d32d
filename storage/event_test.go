package storage

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/event"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage/codec"
)

// meet stores an event of so many members, from 1001 on.
func (b *bench) meet(entrants int, more func(*Event)) Event {
	b.t.Helper()
	c := b.cause()
	return b.event(b.CreateEvent(b.t.Context(), c, here, func() (Event, error) {
		e := Event{Setup: Setup{Name: "Frühling", Game: game.Terms{Rules: game.Gomoku15, Rated: true}}, Owner: 9}
		e.Rounds, e.Length = 3, 48*time.Hour
		if more != nil {
			more(&e)
		}
		for i := range entrants {
			var err error
			if e, err = e.Join(9, game.SeatFor(game.MemberID(1001+i)), float64(2000-i), c.At); err != nil {
				return e, err
			}
		}
		return e, nil
	}))
}

func (b *bench) event(e Event, err error) Event {
	b.t.Helper()
	testkit.Must(b.t, err)
	return e
}

func (b *bench) organise(id EventID, f func(Event) (Event, error)) Event {
	b.t.Helper()
	return b.event(b.UpdateEvent(b.t.Context(), id, b.cause(), f))
}

// eventAct is what a member does with an event: leave, check in, close it.
func (b *bench) eventAct(id EventID, by game.MemberID,
	f func(Event, game.MemberID, time.Time) (Event, error)) Event {
	b.t.Helper()
	return b.organise(id, func(e Event) (Event, error) { return f(e, by, b.now) })
}

// round begins a round and makes its matches.
func (b *bench) round(id EventID) Event {
	b.t.Helper()
	b.organise(id, func(e Event) (Event, error) { return e.Begin(9, nil, b.now) })
	return b.settle(id)
}

func (b *bench) settle(id EventID) Event {
	b.t.Helper()
	e, _, err := b.SettleEvent(b.t.Context(), id, b.now, 999, ownTerms)
	b.event(e, err)
	b.sound()
	return e
}

func ownTerms(e Event, _, _ int) (game.Terms, venue.Place) { return e.Game, e.Place }

// A Swiss event from its form to its end: results come with the ends of matches.
func TestEvent(t *testing.T) {
	b := newBench(t, Options{Limits: Limits{Open: 1, Pair: 1, Running: 1, Engine: 1}})
	ctx := t.Context()
	e := b.meet(0, func(e *Event) { e.CheckIn, e.Starts = time.Hour, noon.Add(2*time.Hour) })
	for i, m := range []game.MemberID{ann, bob, cat, 1004, 1005} {
		e = b.organise(e.ID, func(e Event) (Event, error) { return e.Join(m, game.SeatFor(m), float64(1900-i), b.now) })
	}
	b.want("when the check-in opens", e.Due(), noon.Add(time.Hour))
	b.want("due", first(b.EventsDue(ctx, noon.Add(time.Hour), 5, nil)), []EventID{e.ID})
	b.now = noon.Add(time.Hour)
	e, since, err := b.TickEvent(ctx, e.ID, b.now)
	if err != nil || !since.Equal(e.Created) {
		t.Fatal(since, err)
	}
	b.want("when it starts", e.Due(), noon.Add(2*time.Hour))
	for _, m := range []game.MemberID{ann, bob, cat, 1004} {
		e = b.eventAct(e.ID, m, Event.CheckInNow)
	}
	version := e.Version
	if e = b.eventAct(e.ID, ann, Event.CheckInNow); e.Version != version {
		t.Error("who is there already is written again")
	}
	e = b.organise(e.ID, func(e Event) (Event, error) { e.Message = 77; return e, nil })
	e = b.round(e.ID)
	if len(e.Paired[0]) != 2 || e.Entrants[4].State != event.Paused {
		t.Fatalf("who was not there is paired: %+v", e.Paired)
	}
	b.want("matches outside the limits", len(first(b.Of(ctx, ann))), 1)
	b.want("games of the host, who only watches", len(first(b.Of(ctx, 9))), 0)
	b.begin(game.Gomoku15, ann, bob) // the one that ann and bob may have
	rec := b.match(e.Matches[0][0].Match)
	b.want("link", rec.Link, Link{Event: e.ID})
	rec = b.play(rec, blackWins...)
	e = b.event(b.Event(ctx, e.ID))
	black := e.Paired[0][0].Black
	b.want("the result", e.Paired[0][0].Results, [2]event.Result{event.Loss, event.Win})
	b.want("plies", e.Paired[0][0].Plies, 9)
	b.want("who leads", e.Standings()[0].ID, black)
	if rec.Changes[0].After <= rec.Changes[0].Before {
		t.Errorf("the game was not rated: %+v", rec.Changes)
	}

	// A manager's word stands, and ends the match that says nothing yet.
	e = b.organise(e.ID, func(e Event) (Event, error) {
		return e.Settle(9, event.Report{Board: 1, White: event.Draw, Black: event.Draw}, "agreed by mail", b.now)
	})
	b.want("owed", first(b.EventsOwed(ctx)), []EventID{e.ID})
	e = b.settle(e.ID)
	other := first(b.Match(ctx, e.Matches[0][1].Match))
	if other.Phase != game.Over || other.Result().Termination != game.Aborted || !e.Matches[0][1].Over {
		t.Errorf("the match of a settled board: %v", other.Result())
	}
	last := e.History[len(e.History)-1]
	b.want("history", last, AuditEntry{What: Settled, By: 9, At: last.At, Round: 1, Board: 2, Reason: "agreed by mail"})

	// Who leaves has lost what is under way.
	e = b.round(e.ID)
	loser := e.Entrants[e.Paired[1][0].White-1].Seat.Member
	e = b.eventAct(e.ID, loser, Event.Leave)
	e = b.settle(e.ID)
	gone := first(b.Match(ctx, e.Matches[1][0].Match))
	b.want("a match of one who left", gone.Result(), game.Result{Termination: game.ByResignation, Winner: game.Black})
	b.want("its result", e.Paired[1][0].Results, [2]event.Result{event.ForfeitLoss, event.ForfeitWin})
	e = b.eventAct(e.ID, 9, Event.Close)
	b.want("open events", len(first(b.EventsIn(ctx, here.Server, false, 10))), 0)
	b.want("events that are over", len(first(b.EventsIn(ctx, here.Server, true, 10))), 1)
	b.want("events of bob", len(first(b.EventsOf(ctx, bob, 10))), 1)
	b.want("due after the end", e.Due().IsZero(), true)
	b.sound()
}

// An interaction is applied once, an event as a match, and an unchanged event is not written.
func TestEventOnce(t *testing.T) {
	b := newBench(t)
	e, c := b.meet(4, nil), b.cause()
	join := func(e Event) (Event, error) { return e.Join(9, game.SeatEngine(3), 1500, c.At) }
	b.event(b.UpdateEvent(t.Context(), e.ID, c, join))
	again := b.event(b.UpdateEvent(t.Context(), e.ID, c, join))
	if len(again.Entrants) != 5 || !again.Repeated {
		t.Errorf("%d entrants, repeated %v", len(again.Entrants), again.Repeated)
	}
	c = b.cause()
	make := func() (Event, error) { return Event{Setup: Setup{Game: game.Terms{Rules: game.Renju}}}, nil }
	one := b.event(b.CreateEvent(t.Context(), c, here, make))
	two := b.event(b.CreateEvent(t.Context(), c, here, make))
	if one.ID != two.ID || !two.Repeated || b.rows(tEvent) != 2 {
		t.Errorf("events %d and %d", one.ID, two.ID)
	}
	b.sound()
}

// Who joins while a round is paired is not lost, and the round is paired again.
func TestPairEvent(t *testing.T) {
	b := newBench(t)
	tries := 0
	got := b.event(b.PairEvent(t.Context(), b.meet(2, nil).ID, b.cause(), func(e Event) (Event, error) {
		if tries++; tries == 1 {
			b.organise(e.ID, func(e Event) (Event, error) { return e.Join(cat, game.SeatFor(cat), 1500, b.now) })
		}
		return e.Begin(9, nil, b.now)
	}))
	if tries != 2 || len(got.Entrants) != 3 || len(got.Paired[0]) != 2 {
		t.Errorf("%d tries, %d entrants", tries, len(got.Entrants))
	}
	if _, err := b.PairEvent(t.Context(), b.meet(1, nil).ID, b.cause(), func(e Event) (Event, error) {
		return e.Begin(9, nil, b.now)
	}); !errors.Is(err, event.TooFewEntrants) {
		t.Errorf("a round of one: %v", err)
	}
}

// At the half of a round a game goes to the one who has come, if the other has not. At the deadline who is to
// move has lost, and so has who never came. Nobody loses while the match rests.
func TestEventDeadline(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	e := b.round(b.meet(12, nil).ID)
	began := e.Paired[0][0].Began
	match := func(board int) Record { return b.match(e.Matches[0][board].Match) }
	here := func(board int) {
		b.act(match(board), match(board).Seats[1].Member, game.Match.Here)
	}
	b.want("the time for the first moves", match(0).Created.Add(match(0).Begin), began.Add(24*time.Hour))
	b.play(match(0), "H8")
	b.do(match(1), func(m game.Match) (game.Match, error) { return m.Rest(b.now) })
	here(3)
	b.play(match(4), "H8", "A1", "H9")
	b.want("the first reminder", e.Due(), began.Add(12*time.Hour))
	b.now = began.Add(12 * time.Hour)
	e, since, _ := b.TickEvent(ctx, e.ID, b.now)
	if r := e.RemindedAt(e.Paired[0][0])[0]; !r.After(since) || r.After(e.Looked) {
		t.Errorf("the reminder at %v is not between %v and %v", r, since, e.Looked)
	}
	b.want("the second reminder", e.Due(), began.Add(24*time.Hour))
	b.now = began.Add(24*time.Hour + game.Grace - time.Millisecond)
	if e, _, _ = b.TickEvent(ctx, e.ID, b.now); !e.Paired[0][0].Open() {
		t.Error("forfeited while a move may be on its way")
	}
	b.want("due at the half", e.Due(), began.Add(24*time.Hour+game.Grace))
	b.now = began.Add(24*time.Hour + game.Grace)
	e, _, _ = b.TickEvent(ctx, e.ID, b.now)
	b.want("black has moved, white has not", e.Paired[0][0].Results, [2]event.Result{event.ForfeitLoss, event.ForfeitWin})
	b.want("white is there, black is not", e.Paired[0][3].Results, [2]event.Result{event.ForfeitWin, event.ForfeitLoss})
	for _, board := range []int{1, 2, 4, 5} {
		b.want("open after the half", e.Paired[0][board].Open(), true)
	}
	e = b.settle(e.ID)
	b.want("who lost resigns", match(0).Result().Termination, game.ByResignation)
	b.play(match(5), "H8") // who comes later has the rest of the round
	if e, _, _ = b.TickEvent(ctx, e.ID, b.now.Add(time.Minute)); !e.Paired[0][5].Open() {
		t.Error("the half comes again")
	}
	b.now = began.Add(48*time.Hour + game.Grace - time.Millisecond)
	if e, _, _ = b.TickEvent(ctx, e.ID, b.now); !e.Paired[0][2].Open() {
		t.Error("forfeited while a move may be on its way")
	}
	b.now = began.Add(48*time.Hour + game.Grace)
	b.want("due at the deadline", first(b.EventsDue(ctx, b.now, 1, nil)), []EventID{e.ID})
	e, _, _ = b.TickEvent(ctx, e.ID, b.now)
	b.want("the match rests", e.Paired[0][1].Open(), true)
	b.want("nobody has moved", e.Paired[0][2].Results, [2]event.Result{event.ForfeitLoss, event.ForfeitLoss})
	b.want("white is to move", e.Paired[0][4].Results, [2]event.Result{event.ForfeitLoss, event.ForfeitWin})
	b.want("black has moved late", e.Paired[0][5].Results, [2]event.Result{event.ForfeitLoss, event.ForfeitWin})
	b.want("looked at again", e.Due(), b.now.Add(time.Hour))
	e = b.settle(e.ID)
	b.want("no result where neither came", match(2).Result().Termination, game.Aborted)
	b.do(first(b.Match(ctx, e.Matches[0][1].Match)), func(m game.Match) (game.Match, error) { return m.Wake(b.now) })
	b.now = b.now.Add(time.Hour)
	if e, _, _ = b.TickEvent(ctx, e.ID, b.now); e.Paired[0][1].Open() {
		t.Error("the match that woke is not forfeited")
	}
	b.settle(e.ID)
	if before, _, _ := b.TickEvent(ctx, e.ID, noon); before.Looked.Before(b.now) {
		t.Error("time went back")
	}
}

// A game that ends while its time is looked at keeps the result of its end.
func TestEventDeadlineMeanwhile(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	e := b.round(b.meet(2, nil).ID)
	rec := b.play(b.match(e.Matches[0][0].Match), blackWins[:len(blackWins)-1]...)
	other, m := *b, &meddling{Engine: b.engine}
	b.engine = m
	b.open(Options{})
	m.first = func() { other.play(rec, blackWins[len(blackWins)-1]) }
	e, _, err := b.TickEvent(ctx, e.ID, e.Deadline(e.Paired[0][0]).Add(game.Grace))
	testkit.Must(t, err)
	b.want("the result", e.Paired[0][0].Results, [2]event.Result{event.Loss, event.Win})
	b.sound()
}

// Who waits and has said so has the point when the other's time runs out; where the first moves have a clock,
// at once. In an arena who has not begun pauses until they come back, and a wave is due at once.
func TestEventPresence(t *testing.T) {
	for _, kind := range []event.Kind{event.KindSwiss, event.KindArena} {
		b := newBench(t)
		ctx := t.Context()
		e := b.round(b.meet(6, func(e *Event) { e.Kind, e.Game.Clock.Each = kind, 8*time.Minute }).ID)
		match := func(board int) Record { return b.match(e.Matches[0][board].Match) }
		b.want("the time for a first move", match(0).Deadline.Sub(match(0).Turned), 5*time.Minute)
		b.act(match(0), match(0).Seats[1].Member, game.Match.Here)
		rec := b.play(match(2), "H8")
		b.play(rec, "A1")
		b.now = match(1).Deadline
		e, _, _ = b.TickEvent(ctx, e.ID, b.now)
		b.now = match(1).Deadline.Add(game.Grace)
		for board := range 2 {
			b.tick(match(board))
		}
		e = b.event(b.Event(ctx, e.ID))
		b.want("white is there", e.Paired[0][0].Results, [2]event.Result{event.ForfeitWin, event.ForfeitLoss})
		b.want("nobody is there", e.Paired[0][1].Results, [2]event.Result{event.ForfeitLoss, event.ForfeitLoss})
		b.want("the game goes on", e.Paired[0][2].Open(), true)
		for _, board := range e.Paired[0] {
			want := event.Active
			if kind == event.KindArena && !board.Open() {
				want = event.Paused
			}
			b.want("who was to move", e.Entrants[board.Black-1].State, want)
			b.want("who waited", e.Entrants[board.White-1].State, event.Active)
		}
		if kind != event.KindArena {
			continue
		}
		b.want("a wave is due", e.Due(), e.Paired[0][0].Ended)
		b.later(time.Second)
		e, _, _ = b.TickEvent(ctx, e.ID, b.now)
		b.want("the next wave", e.Due(), b.now.Add(50*time.Second))
		late := e.Paired[0][0].Black
		e = b.organise(e.ID, func(e Event) (Event, error) { return e.Resume(e.Entrants[late-1].Seat.Member, late, b.now) })
		b.want("back again", e.Entrants[late-1].State, event.Active)
		b.sound()
	}
}

// A game that is given up before it has begun is a forfeit of the one who did it. One that is given up later is
// a loss.
func TestEventGivenUp(t *testing.T) {
	b := newBench(t)
	e := b.round(b.meet(4, nil).ID)
	match := func(board int) Record { return b.match(e.Matches[0][board].Match) }
	b.play(match(0), "H8")
	white := match(0).Seats[1].Member
	b.act(match(0), white, game.Match.Resign)
	rec := b.play(match(1), "H8")
	b.play(rec, "A1")
	b.act(match(1), match(1).Seats[0].Member, game.Match.Resign)
	e = b.event(b.Event(t.Context(), e.ID))
	b.want("before", e.Paired[0][0].Results, [2]event.Result{event.ForfeitLoss, event.ForfeitWin})
	b.want("later", e.Paired[0][1].Results, [2]event.Result{event.Win, event.Loss})
	last := e.History[len(e.History)-1]
	b.want("history", last, AuditEntry{What: Forfeited, By: white, At: last.At, Round: 1, Board: 1})
	b.sound()

	// Who deletes their data forfeits too, and leaves no id behind.
	e = b.round(b.meet(2, nil).ID)
	gone := match(0).Seats[0].Member
	testkit.Must(t, b.Forget(t.Context(), gone, b.now))
	e = b.event(b.Event(t.Context(), e.ID))
	b.want("one who is gone", e.Paired[0][0].Results, [2]event.Result{event.ForfeitWin, event.ForfeitLoss})
	b.nowhere(gone)
	b.sound()
}

// A board that is replayed has the same two with the same colors and a time of its own. What a match said that
// was replayed counts for nothing, once.
func TestEventReplay(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	e := b.round(b.meet(4, nil).ID)
	was := b.restyle(b.play(b.match(e.Matches[0][1].Match), "H8"), "ink")
	was = b.act(was, was.Seats[0].Member, game.Match.Here)
	b.later(10 * time.Hour)
	c := b.cause()
	c.By = 9
	old, fresh, err := b.Replay(ctx, was.ID, c, 7)
	if err != nil || old.Next != fresh.ID || fresh.Seats != was.Seats || fresh.First != was.First || fresh.Seed != 7 ||
		fresh.Link != was.Link || old.Link != (Link{}) || fresh.Place != was.Place || fresh.Look != was.Look ||
		fresh.There != was.There {
		t.Fatalf("replayed as %+v: %v", fresh, err)
	}
	b.want("the old match", old.Result(), game.Result{Termination: game.Aborted})
	e = b.event(b.Event(ctx, e.ID))
	b.want("its match", e.Matches[0][1], BoardMatch{Match: fresh.ID})
	b.want("its time", e.Deadline(e.Paired[0][1]), c.At.Add(48*time.Hour))
	b.want("no result yet", e.Paired[0][1].Open(), true)
	last := e.History[len(e.History)-1]
	b.want("history", last, AuditEntry{What: Replayed, By: 9, At: last.At, Round: 1, Board: 2})
	b.want("owed", e.Owes(), false)
	b.sound()
	if again, _, err := b.Replay(ctx, was.ID, c, 8); err != nil || !again.Repeated || again.Next != fresh.ID {
		t.Errorf("the same act again: %+v, %v", again, err)
	}
	if _, _, err := b.Replay(ctx, was.ID, b.cause(), 8); !errors.As(err, new(*game.Refusal)) {
		t.Errorf("a match that is over: %v", err)
	}
	said := b.round(b.meet(2, nil).ID)
	b.organise(said.ID, func(e Event) (Event, error) {
		return e.Settle(9, event.Report{White: event.Win, Black: event.Loss}, "", b.now)
	})
	if _, _, err := b.Replay(ctx, said.Matches[0][0].Match, b.cause(), 8); !errors.As(err, new(*game.Refusal)) {
		t.Errorf("a match whose result a manager has said: %v", err)
	}
	b.act(fresh, fresh.Seats[1].Member, game.Match.Resign)
	b.want("the result", b.event(b.Event(ctx, e.ID)).Paired[0][1].Results,
		[2]event.Result{event.ForfeitLoss, event.ForfeitWin})
	// The fresh match of one whose thread is gone comes to the channel of the event.
	lost := b.match(e.Matches[0][0].Match)
	lost = b.must(b.Move(ctx, lost.ID, b.cause(), venue.Place{Server: here.Server, Channel: 555},
		func(m game.Match) (game.Match, error) { return m.Rest(b.now) }))
	_, fresh, err = b.Replay(ctx, lost.ID, b.cause(), 9)
	if err != nil || fresh.Place != here || !fresh.Rested.IsZero() {
		t.Errorf("after its thread was deleted it is in %v, rests since %v: %v", fresh.Place, fresh.Rested, err)
	}
	e = b.event(b.Event(ctx, e.ID))
	b.eventAct(e.ID, 9, Event.Close)
	old, fresh, err = b.Replay(ctx, e.Matches[0][0].Match, b.cause(), 9)
	if err != nil || old.Phase != game.Over || fresh.ID != 0 {
		t.Errorf("after the end of the event: phase %v, match %d, %v", old.Phase, fresh.ID, err)
	}
	b.sound()
	if _, _, err := b.Replay(ctx, b.begin(game.Gomoku15, ann, bob).ID, b.cause(), 9); !errors.As(err, new(*game.Refusal)) {
		t.Errorf("a game of no event: %v", err)
	}
}

// Who said in one game of a tie that they are there has said it for the round.
func TestPresenceInATie(t *testing.T) {
	b := newBench(t)
	e := b.round(b.meet(2, func(e *Event) { e.Kind, e.BestOf = event.KindKnockout, 3 }).ID)
	rec := b.match(e.Matches[0][0].Match)
	b.act(rec, rec.Seats[1].Member, game.Match.Here)
	b.act(rec, rec.Seats[1].Member, game.Match.Resign)
	e = b.round(e.ID)
	next := b.match(e.Matches[0][1].Match)
	b.want("the colors are turned", next.Seats, [2]game.Seat{rec.Seats[1], rec.Seats[0]})
	b.want("who is there", next.There, [2]bool{true, false})
}

// A Swiss event whose entrants have all met says that it ran out.
func TestEventRunsOut(t *testing.T) {
	b := newBench(t)
	e := b.round(b.meet(4, nil).ID)
	b.play(b.match(e.Matches[0][0].Match), blackWins...)
	for _, n := range []int{e.Paired[0][1].White, e.Paired[0][1].Black} {
		e = b.organise(e.ID, func(e Event) (Event, error) { return e.Remove(9, n, "", b.now) })
	}
	e = b.organise(e.ID, func(e Event) (Event, error) { return e.Begin(0, nil, b.now) })
	b.want("it has ended", e.Ended, true)
	b.want("the history", e.History[len(e.History)-1].What, RanOut)
}

// waits is how often those who manage an event heard that it waits for them.
func waits(e Event) (n int) {
	for _, d := range e.History {
		if d.What == Stuck {
			n++
		}
	}
	return n
}

// Those who manage an event hear once of a board that waits for them, and again of the board that was replayed since.
func TestEventSticks(t *testing.T) {
	b := newBench(t)
	e := b.round(b.meet(4, nil).ID)
	sticks := func(what string, board, want int) {
		t.Helper()
		e = b.organise(e.ID, func(e Event) (Event, error) { return e.Sticks(1, board, b.now), nil })
		b.want(what, waits(e), want)
	}
	sticks("a board", 1, 1)
	sticks("the same", 1, 1)
	sticks("another one", 2, 2)
	_, _, err := b.Replay(t.Context(), e.Matches[0][0].Match, b.cause(), 1)
	testkit.Must(t, err)
	sticks("another one still", 2, 2)
	sticks("the replayed one", 1, 3)
	sticks("the same again", 1, 3)
}

// They hear once that too few are there at its start, and again when a later start has come.
func TestEventSticksAtItsStart(t *testing.T) {
	b := newBench(t)
	e := b.meet(1, func(e *Event) { e.Starts = b.now.Add(time.Hour) })
	sticks := func(what string, after time.Duration, want int) {
		t.Helper()
		b.later(after)
		e = b.organise(e.ID, func(e Event) (Event, error) { return e.Sticks(0, 0, b.now), nil })
		b.want(what, waits(e), want)
	}
	sticks("at its start", time.Hour, 1)
	sticks("later", time.Hour, 1)
	e = b.organise(e.ID, func(e Event) (Event, error) { e.Starts = b.now.Add(time.Hour); return e, nil })
	sticks("at the start that was chosen then", time.Hour, 2)
	sticks("and later", time.Hour, 2)
}

// A match that ends without a result leaves its board open; one that ended is not taken up again.
func TestEventOpenBoard(t *testing.T) {
	b := newBench(t)
	e := b.meet(1, nil)
	e = b.organise(e.ID, func(e Event) (Event, error) { return e.Join(9, game.SeatEngine(3), 1500, b.now) })
	e = b.round(e.ID)
	rec := b.match(e.Matches[0][0].Match)
	for i := 0; rec.Phase == game.Playing; i++ {
		rec = b.play(rec, blackWins[i])
	}
	_, err := b.Update(t.Context(), rec.ID, b.cause(), func(m game.Match) (game.Match, error) {
		return m.Undo(m.Seats[0].Member+m.Seats[1].Member, b.now)
	})
	if !errors.As(err, new(*game.Refusal)) {
		t.Errorf("an ended match of an event was taken up again: %v", err)
	}
	b.sound()

	e = b.round(b.meet(2, nil).ID)
	b.do(b.match(e.Matches[0][0].Match), func(m game.Match) (game.Match, error) {
		return m.Close(game.Abandoned, b.now)
	})
	e = b.event(b.Event(t.Context(), e.ID))
	if !e.Paired[0][0].Open() || !e.Matches[0][0].Over || e.Owes() {
		t.Errorf("the board of an abandoned match: %+v", e.Paired[0][0])
	}
	testkit.Must(t, b.Sweep(t.Context(), b.now.Add(100*time.Hour)))
	b.sound() // the match is deleted, the event stays
	b.later(100 * time.Hour)
	if e, _, err = b.TickEvent(t.Context(), e.ID, b.now); err != nil || e.Paired[0][0].Open() {
		t.Errorf("the deadline of a board whose match is gone: %v", err)
	}
	b.sound()
}

// What the store does not keep is refused, and so is what would be too large.
func TestEventRefused(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	for name, more := range map[string]func(*Event){
		"a long name":     func(e *Event) { e.Name = strings.Repeat("x", maxName+1) },
		"no rules":        func(e *Event) { e.Game.Rules = nil },
		"a position":      func(e *Event) { e.Game.Start.Size = 15 },
		"a long reason":   func(e *Event) { e.History = []AuditEntry{{Reason: strings.Repeat("x", maxName+1)}} },
		"a negative time": func(e *Event) { e.CheckIn = -1 },
	} {
		_, err := b.CreateEvent(ctx, b.cause(), here, func() (Event, error) {
			e := Event{Setup: Setup{Game: game.Terms{Rules: game.Gomoku15}}}
			more(&e)
			return e, nil
		})
		if !errors.Is(err, event.BadTerms) {
			t.Errorf("%s: %v", name, err)
		}
	}
	e := b.meet(2, func(e *Event) { e.Most = 2 })
	if _, err := b.UpdateEvent(ctx, e.ID, b.cause(), func(e Event) (Event, error) {
		return e.Join(9, game.SeatEngine(3), 1500, b.now)
	}); !errors.Is(err, ErrEventFull) {
		t.Errorf("a third of two: %v", err)
	}
	for range MaxOpen - 1 {
		b.meet(0, nil)
	}
	if _, err := b.CreateEvent(ctx, b.cause(), here, func() (Event, error) { return e, nil }); !errors.Is(err,
		ErrManyEvents) {
		t.Errorf("one event too many: %v", err)
	}
	b.eventAct(e.ID, 9, Event.Close)
	b.meet(0, nil)
	if _, err := b.UpdateEvent(ctx, 5, b.cause(), func(e Event) (Event, error) { return e, nil }); !errors.Is(err,
		ErrNotFound) {
		t.Errorf("no event: %v", err)
	}
}

// However long an arena lasts, its row can take the ends of all games that it lets begin.
func TestEventLarge(t *testing.T) {
	b := newBench(t)
	e := b.meet(100, func(e *Event) { e.Kind, e.Length, e.Rounds = event.KindArena, 0, 0 })
	full := error(nil)
	for full == nil {
		b.later(time.Minute)
		var next Event
		next, full = b.UpdateEvent(t.Context(), e.ID, Cause{At: b.now}, func(e Event) (Event, error) {
			for range 20 { // many waves in a change, and no look at the standings, to be quick
				boards := make([]event.Board, 50)
				for i := range boards {
					boards[i] = event.Board{White: i + 1, Black: i + 51, Began: b.now, Ended: b.now,
						Results: [2]event.Result{event.Win, event.Loss}}
				}
				e.Paired = append(slices.Clip(e.Paired), boards)
			}
			return e, nil
		})
		if full == nil {
			e = next
		}
	}
	if !errors.Is(full, ErrLargeEvent) || e.boards() < 5000 {
		t.Fatalf("%d games: %v", e.boards(), full)
	}
	// Everything that ends can make it: the longest times, matches and plies.
	for r := range e.Paired {
		for i := range e.Paired[r] {
			e.Paired[r][i].Ended, e.Paired[r][i].Plies = e.Created.Add(1000*24*time.Hour), 225
			e.Matches[r][i] = BoardMatch{game.MatchID(uint64(i+1) << 60), true}
		}
	}
	if n := len(codec.Encode(e)); n > 1<<20 {
		t.Errorf("the full row has %d bytes", n)
	}
}

// The newest of the history stays.
func TestEventHistory(t *testing.T) {
	b := newBench(t)
	e := b.meet(2, nil)
	for i := range MaxHistory/2 + 10 {
		e = b.organise(e.ID, func(e Event) (Event, error) {
			e, err := e.Pause(9, 1, b.now)
			if err == nil {
				e, err = e.Resume(game.MemberID(2000+i), 1, b.now)
			}
			return e, err
		})
	}
	if last := e.History[MaxHistory-1]; len(e.History) != MaxHistory || last.What != CameBack ||
		last.By != game.MemberID(2000+MaxHistory/2+9) {
		t.Errorf("%d lines, the last is %+v", len(e.History), last)
	}
	b.sound()
}

// A member's own file has what is theirs; after the deletion results stay, nameless.
func TestEventPrivacy(t *testing.T) {
	b := newBench(t, Options{Chunk: 2})
	ctx := t.Context()
	e := b.round(b.meet(5, nil).ID)
	for _, g := range e.Matches[0] {
		if g.Match != 0 {
			b.play(b.match(g.Match), blackWins...)
		}
	}
	e = b.round(e.ID)
	own := string(first(json.Marshal(first(b.Everything(ctx, ann)))))
	for _, part := range []string{`"name":"Frühling"`, `"number":1`, `"result":"`, `"round":2`} {
		if !strings.Contains(own, part) {
			t.Errorf("ann's file lacks %s:\n%s", part, own)
		}
	}
	if entry := string(first(json.Marshal(OwnEvent{e, ann}))); strings.Contains(entry, "1002") ||
		strings.Contains(entry, "1003") {
		t.Errorf("the entry names others: %s", entry)
	}
	var out strings.Builder
	if err := b.Export(ctx, &out, nil); err != nil || !strings.Contains(out.String(), `"kind":"event"`) ||
		!strings.Contains(out.String(), `"event":"`+codec.IDText(uint64(e.ID))) {
		t.Errorf("%v in\n%s", err, out.String())
	}
	before := e.Standings()
	points := func(e Event, id int) float64 {
		for _, s := range e.Standings() {
			if s.ID == id {
				return s.Points
			}
		}
		return -1
	}
	had := points(e, 1)
	testkit.Must(t, b.Forget(ctx, ann, b.now))
	e = b.settle(e.ID)
	if e.Entrants[0].Seat.Kind != game.FormerSeat || e.Entrants[0].Seat.Member != 0 || len(e.Standings()) != len(before) ||
		points(e, 1) < had {
		t.Errorf("after the deletion: %+v, %v points of %v", e.Entrants[0], points(e, 1), had)
	}
	if out.Reset(); b.Export(ctx, &out, nil) != nil || strings.Contains(out.String(), "1001") {
		t.Error("the id is still in the export")
	}
	b.want("events of ann", len(first(b.EventsOf(ctx, ann, 5))), 0)
	if err := b.Forget(ctx, 9, b.now); err != nil { // who made it, and never entered
		t.Fatal(err)
	}
	e = b.event(b.Event(ctx, e.ID))
	if e.Owner != 0 || slices.ContainsFunc(e.History, func(d AuditEntry) bool { return d.By == 9 }) {
		t.Error("the event still names its maker")
	}
	b.sound()
	// A server that is left loses its events, in steps.
	testkit.Must(t, errors.Join(b.ServerLeft(ctx, here.Server, b.now), b.Sweep(ctx, b.now.Add(keepLeft))))
	for _, table := range []byte{tEvent, tEventAt, tEntrant, tEventDue, tEventWork, tEventLate} {
		b.want(fmt.Sprintf("rows of %c", table), b.rows(table), 0)
	}
	b.sound()
}

// Rows of events that are wrong are found.
func TestVerifyEvents(t *testing.T) {
	for name, spoil := range map[string]func(x *txn, e Event) error{
		"an entry is missing":     func(x *txn, e Event) error { return x.Delete(entrantKey(1001, e.ID)) },
		"an entry of nobody":      func(x *txn, e Event) error { return x.Put(entrantKey(5, e.ID), none) },
		"a time of nothing":       func(x *txn, e Event) error { return x.Put(key(tEventDue, 1, 99), none) },
		"work that is not there":  func(x *txn, e Event) error { return x.Put(key(tEventWork, uint64(e.ID)), none) },
		"a row of no message":     func(x *txn, e Event) error { return x.Delete(key(tEventLate, uint64(e.ID))) },
		"a match that is missing": func(x *txn, e Event) error { return x.Delete(liveKey(e.Matches[0][0].Match)) },
		"a place that is missing": func(x *txn, e Event) error { return x.Delete(key(tEventAt, 100, 200, uint64(e.ID))) },
		"a match that is not over": func(x *txn, e Event) error {
			e.Matches[0][0].Over = true
			return x.Put(key(tEvent, uint64(e.ID)), codec.Encode(e))
		},
		"a match of another board": func(x *txn, e Event) error {
			e.Matches[0][0], e.Matches[0][1] = e.Matches[0][1], e.Matches[0][0]
			return x.Put(key(tEvent, uint64(e.ID)), codec.Encode(e))
		},
	} {
		b := newBench(t)
		e := b.round(b.meet(4, nil).ID)
		testkit.Must(t, b.change(t.Context(), Cause{}, func(x *txn) error { return spoil(x, e) }))
		if _, err := Verify(t.Context(), b.engine); err == nil {
			t.Errorf("%s: nobody sees it", name)
		}
	}
}

// FuzzEvent: no bytes make the decoder panic; what it takes it writes and takes again, and the
// event can be shown.
func FuzzEvent(f *testing.F) {
	for _, s := range samples(f) {
		if s.key[0] == tEvent {
			f.Add(s.value)
		}
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		e, err := codec.Decode[Event](key(tEvent, 7), value)
		if err != nil {
			return
		}
		again, err := codec.Decode[Event](key(tEvent, 7), codec.Encode(e))
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if string(codec.Encode(again)) != string(codec.Encode(e)) {
			t.Errorf("written twice:\n%x\n%x", codec.Encode(e), codec.Encode(again))
		}
		e.Due()
		e.Owes()
		e.members()
	})
}

// BenchmarkEvent changes an event of 300 entrants in its ninth round, and tells how large its
// row is.
func BenchmarkEvent(b *testing.B) {
	db, s := fileStore(b, filepath.Join(testkit.Scratch(b), "tengen.db"))
	defer db.Close()
	x := &bench{Store: s, t: b, engine: db, now: noon}
	e := x.meet(300, func(e *Event) { e.Rounds = 9 })
	for round := range 9 {
		x.organise(e.ID, func(e Event) (Event, error) { return e.Begin(9, nil, x.now) })
		e = x.settle(e.ID)
		if round == 8 {
			break
		}
		x.now = x.now.Add(time.Hour)
		e = x.organise(e.ID, func(e Event) (Event, error) {
			for i, board := range e.Paired[round] {
				if !board.Open() {
					continue
				}
				var err error
				if e.Event, err = e.Record(event.Report{Round: round, Board: i, White: event.Win, Black: event.Loss, Plies: 40},
					x.now); err != nil {
					return e, err
				}
			}
			return e, nil
		})
	}
	value := codec.Encode(e)
	for name, f := range map[string]func() error{
		"decode": func() error { _, err := codec.Decode[Event](key(tEvent, uint64(e.ID)), value); return err },
		"change": func() error {
			_, err := s.UpdateEvent(b.Context(), e.ID, Cause{At: x.now}, func(e Event) (Event, error) {
				e.Message++
				return e, nil
			})
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				testkit.Must(b, f())
			}
			b.ReportMetric(float64(len(value)), "row-bytes")
		})
	}
}

// The message of an event is behind after each change that it could show, and after no other,
// until the version that it shows is the last.
func TestEventLate(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	e := b.meet(2, func(e *Event) { e.Starts, e.CheckIn = noon.Add(2*time.Hour), time.Hour })
	b.want("a new event", first(b.EventsLate(ctx)), []EventID{e.ID})
	shown := func(version uint32) Event {
		return b.event(b.NoticeEvent(ctx, e.ID, Notice{Message: 77, Shown: version}, b.now))
	}
	e = shown(e.Version)
	b.want("shown", first(b.EventsLate(ctx)), []EventID(nil))
	b.want("its message", e.Message, uint64(77))
	e, _, _ = b.TickEvent(ctx, e.ID, noon.Add(time.Minute))
	b.want("time alone", e.Late(), false)
	e, _, _ = b.TickEvent(ctx, e.ID, noon.Add(time.Hour))
	b.want("the check-in has opened", e.Late(), true)
	before := e.Version
	e = b.organise(e.ID, func(e Event) (Event, error) { return e.Join(7, game.SeatFor(7), 1500, b.now) })
	e = shown(before)
	b.want("an older version was shown", first(b.EventsLate(ctx)), []EventID{e.ID})
	e = shown(e.Version)
	b.want("the newest was", first(b.EventsLate(ctx)), []EventID(nil))
	b.sound()
}

// The listing of an event is behind after each change of what it says, and while one that nobody
// wants may be there.
func TestListingLate(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	e := b.meet(2, func(e *Event) { e.Starts = noon.Add(2 * time.Hour) })
	e = b.event(b.NoticeEvent(ctx, e.ID, Notice{Message: 77, Shown: e.Version}, b.now))
	late := func(what string, want bool) {
		t.Helper()
		b.want(what, e.ListingLate(), want)
		if due := first(b.EventsLate(ctx)); (len(due) == 1) != (want || e.Late()) {
			t.Errorf("%s: %v are looked after", what, due)
		}
		b.sound()
	}
	late("nobody wants one", false)
	version := e.Version
	e = b.organise(e.ID, func(e Event) (Event, error) { e.Listing.Wanted = true; return e, nil })
	late("wanted", true)
	e = b.event(b.ListEvent(ctx, e.ID, e.Listing, Listing{Wanted: true, Making: b.now}, b.now))
	late("being made", true)
	said := func() {
		e = b.event(b.ListEvent(ctx, e.ID, e.Listing, Listing{Wanted: true, ID: 5, Said: e.Announced()}, b.now))
	}
	said()
	late("made", false)
	b.want("what the message shows", e.Version, version)
	e = b.organise(e.ID, func(e Event) (Event, error) { return e.Join(7, game.SeatFor(7), 1500, b.now) })
	b.want("somebody has joined", e.ListingLate(), false)
	e = b.organise(e.ID, func(e Event) (Event, error) { e.Name = "Winter"; return e, nil })
	late("another name", true)
	said()
	e = b.organise(e.ID, func(e Event) (Event, error) { return e.Begin(9, nil, b.now) })
	late("it has begun", true)
	said()
	old := e.Listing
	e = b.organise(e.ID, func(e Event) (Event, error) { e.Listing.Wanted = false; return e, nil })
	late("a manager has switched it off", true)
	e = b.event(b.ListEvent(ctx, e.ID, old, old, b.now))
	late("meanwhile it was changed", true)
	e = b.event(b.ListEvent(ctx, e.ID, e.Listing, Listing{}, b.now))
	late("deleted", false)
}

// A few matches of a round are made at a time, in the look of the event, and none twice.
func TestSettleAFew(t *testing.T) {
	b := newBench(t)
	e := b.meet(8, func(e *Event) { e.Look = Look{Theme: "ink", Language: "zh-CN"} })
	e = b.organise(e.ID, func(e Event) (Event, error) { return e.Begin(9, nil, b.now) })
	made := map[game.MatchID]bool{}
	for _, want := range []int{3, 1, 0} {
		now, settled, err := b.SettleEvent(t.Context(), e.ID, b.now, 3, ownTerms)
		if err != nil || len(settled) != want {
			t.Fatalf("%d settled, want %d: %v", len(settled), want, err)
		}
		for _, id := range settled {
			made[id] = true
			b.want("its look", b.match(id).Look, now.Look)
		}
	}
	b.want("matches", len(made), 4)
	b.sound()
}

// Who lets the time of the first move run out has lost by forfeit: the match itself has no result.
func TestLapsed(t *testing.T) {
	b := newBench(t)
	e := b.meet(4, func(e *Event) { e.Game.Clock.Each = time.Minute })
	e = b.round(e.ID)
	late := b.now.Add(time.Minute + game.Grace)
	play := func(board int) Record { return b.match(e.Matches[0][board].Match) }
	tick := func(m game.Match) (game.Match, error) { next, _, err := m.Tick(late); return next, err }
	b.later(time.Second)
	rec := play(1)
	first(b.Update(t.Context(), rec.ID, b.cause(), func(m game.Match) (game.Match, error) {
		return m.Play(m.Seats[0].Member, 0x77, b.now)
	}))
	late = late.Add(time.Minute)
	for board := range 2 {
		first(b.Update(t.Context(), play(board).ID, Cause{At: late}, tick))
	}
	e = b.event(b.Event(t.Context(), e.ID))
	b.want("nobody was there", e.Paired[0][0].Results, [2]event.Result{event.ForfeitLoss, event.ForfeitLoss})
	b.want("white was not there", e.Paired[0][1].Results, [2]event.Result{event.ForfeitLoss, event.ForfeitWin})
	b.sound()
}

// A member who leaves and enters again takes one place, however often. Who left an event that has
// begun, or was removed from it, stays away.
func TestOneMemberOnePlace(t *testing.T) {
	b := newBench(t)
	e := b.meet(0, func(e *Event) { e.Most = 2 })
	join := func(m game.MemberID) error {
		_, err := b.UpdateEvent(t.Context(), e.ID, b.cause(), func(e Event) (Event, error) {
			return e.Join(m, game.SeatFor(m), 1500, b.now)
		})
		return err
	}
	for range 3 {
		testkit.Must(t, join(ann))
		e = b.eventAct(e.ID, ann, Event.CheckInNow)
		e = b.eventAct(e.ID, ann, Event.Leave)
	}
	if len(e.Entrants) != 1 {
		t.Errorf("one member has taken %d places", len(e.Entrants))
	}
	for _, m := range []game.MemberID{bob, cat} { // the place of one who left is free
		if err := join(m); err != nil {
			t.Error(m, err)
		}
	}
	if err := join(ann); err != nil { // waits
		t.Errorf("a third of two: %v", err)
	}
	e = b.organise(e.ID, func(e Event) (Event, error) { return e.Remove(9, 3, "", b.now) })
	if err := join(cat); !errors.Is(err, ErrGone) {
		t.Errorf("one who was removed: %v", err)
	}
	e = b.event(b.Event(t.Context(), e.ID))
	if e.Entrants[0].State != event.Active || e.Checked[0] {
		t.Errorf("who is back: %+v, checked in %v", e.Entrants[0], e.Checked[0])
	}
	b.round(e.ID)
	b.eventAct(e.ID, ann, Event.Leave)
	if err := join(ann); !errors.Is(err, ErrGone) {
		t.Errorf("one who left a game: %v", err)
	}
	b.sound()
}

// A name and a reason have room for as many characters as their forms take, in any script.
func TestLongWords(t *testing.T) {
	b := newBench(t)
	e := b.meet(2, func(e *Event) { e.Name = strings.Repeat("🏆", 60) })
	b.organise(e.ID, func(e Event) (Event, error) { return e.Remove(9, 1, strings.Repeat("棋", 100), b.now) })
	if _, err := b.UpdateEvent(t.Context(), e.ID, b.cause(), func(e Event) (Event, error) {
		return e.Remove(9, 2, strings.Repeat("🏆", 101), b.now)
	}); !errors.Is(err, event.BadTerms) {
		t.Errorf("a reason of 404 bytes: %v", err)
	}
}
