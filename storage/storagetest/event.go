package storagetest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/event"
	"tengen/game/venue"
	"tengen/storage"
	"tengen/storage/kv"
)

// noon is when the events of this suite begin.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// hall is an event with what its test needs.
type hall struct {
	*storage.Store
	t      testing.TB
	engine kv.Engine
	now    time.Time
	id     storage.EventID
}

// newHall opens a store with a Swiss event of so many members, who have numbers from 1001 on.
func newHall(t *testing.T, o Open, entrants int) *hall {
	t.Helper()
	engine := open(t, o)
	s, err := storage.Open(t.Context(), engine, storage.Options{Chunk: 50})
	if err != nil {
		t.Fatal(err)
	}
	h := &hall{s, t, engine, noon, 0}
	e, err := s.CreateEvent(t.Context(), storage.Cause{Interaction: 1, At: noon}, venue.Place{Server: 100, Channel: 200},
		func() (storage.Event, error) {
			e := storage.Event{Setup: storage.Setup{Name: "Spring", Game: game.Terms{Rules: game.Gomoku15, Rated: true}},
				Owner: 9}
			e.Rounds, e.Length = 5, 48*time.Hour
			for i := range entrants {
				var err error
				if e, err = e.Join(9, game.SeatFor(game.MemberID(1001+i)), float64(2000-i), noon); err != nil {
					return e, err
				}
			}
			return e, nil
		})
	if err != nil {
		t.Fatal(err)
	}
	h.id = e.ID
	return h
}

// must is for what cannot fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func (h *hall) change(f func(storage.Event) (storage.Event, error)) storage.Event {
	h.t.Helper()
	e, err := h.UpdateEvent(h.t.Context(), h.id, storage.Cause{At: h.now}, f)
	if err != nil {
		h.t.Fatal(err)
	}
	return e
}

// begin pairs a round and makes its matches.
func (h *hall) begin() storage.Event {
	h.t.Helper()
	h.change(func(e storage.Event) (storage.Event, error) { return e.Begin(9, nil, h.now) })
	return h.settle()
}

func (h *hall) settle() storage.Event {
	h.t.Helper()
	e, _, err := h.SettleEvent(h.t.Context(), h.id, h.now, 99,
		func(e storage.Event, _, _ int) (game.Terms, venue.Place) { return e.Game, e.Place })
	if err != nil {
		h.t.Fatal(err)
	}
	return e
}

// sound checks that all rows of the store fit together and that no match is owed.
func (h *hall) sound() {
	h.t.Helper()
	if _, err := storage.Verify(h.t.Context(), h.engine); err != nil {
		h.t.Errorf("the store is not sound: %v", err)
	}
	if owed := must(h.EventsOwed(h.t.Context())); len(owed) > 0 {
		h.t.Errorf("events %d owe matches", owed)
	}
}

func (h *hall) resign(match game.MatchID, seat int) error {
	_, err := h.Update(h.t.Context(), match, storage.Cause{At: h.now}, func(m game.Match) (game.Match, error) {
		return m.Resign(m.Seats[seat].Member, h.now)
	})
	return err
}

// largeRound has more boards than one transaction makes.
func largeRound(t *testing.T, o Open) {
	h := newHall(t, o, 101)
	e := h.begin()
	if n := len(e.Matches[0]); n != 51 {
		t.Fatalf("%d boards of 101 entrants", n)
	}
	h.sound()
	h.now = h.now.Add(time.Hour)
	for board, g := range e.Matches[0][:20] {
		if err := h.resign(g.Match, board%2); err != nil {
			t.Fatal(err)
		}
	}
	h.sound()
	h.now = h.now.Add(48 * time.Hour)
	if due := must(h.EventsDue(t.Context(), h.now, 5, nil)); len(due) != 1 || due[0] != h.id {
		t.Errorf("due are %d", due)
	}
	e, since, err := h.TickEvent(t.Context(), h.id, h.now)
	if err != nil || !since.Equal(noon) {
		t.Fatal(since, err)
	}
	for board, b := range e.Paired[0] {
		want := [2]event.Result{event.ForfeitLoss, event.ForfeitLoss}
		switch {
		case board < 20 && board%2 == 0: // black sits first and has given the game up before it began
			want = [2]event.Result{event.ForfeitWin, event.ForfeitLoss}
		case board < 20:
			want = [2]event.Result{event.ForfeitLoss, event.ForfeitWin}
		case b.Black == 0:
			want = [2]event.Result{event.FullBye}
		}
		if b.Results != want {
			t.Errorf("board %d has %q, want %q", board+1, b.Results, want)
		}
	}
	h.settle()
	h.sound()
	if live := must(h.InChannel(t.Context(), venue.Place{Server: 100, Channel: 200})); len(live) > 0 {
		t.Errorf("%d matches go on after the round", len(live))
	}
	if err := h.Forget(t.Context(), 1001, h.now); err != nil {
		t.Fatal(err)
	}
	e = must(h.Event(t.Context(), h.id))
	if x := e.Entrants[0]; x.Seat != (game.Seat{Kind: game.FormerSeat}) || x.State != event.Gone || e.Paired[0][0].Open() {
		t.Errorf("after the deletion: %+v, %+v", x, e.Paired[0][0])
	}
	h.sound()
	if err := h.ServerLeft(t.Context(), 100, h.now); err != nil {
		t.Fatal(err)
	}
	if err := h.Sweep(t.Context(), h.now.Add(40*24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if st := must(h.Stats(t.Context())); st.Events != 0 || st.Archived != 0 {
		t.Errorf("after the server's deletion: %+v", st)
	}
	if mine := must(h.EventsOf(t.Context(), 1002, 5)); len(mine) > 0 {
		t.Errorf("a member is still in %d events", len(mine))
	}
	h.sound()
}

// resultsAtOnce ends all matches of a round at the same time: no result may be lost.
func resultsAtOnce(t *testing.T, o Open) {
	h := newHall(t, o, 24)
	e := h.begin()
	var wg sync.WaitGroup
	for _, g := range e.Matches[0] {
		wg.Go(func() {
			if err := h.resign(g.Match, 1); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	e = must(h.Event(t.Context(), h.id))
	for i, b := range e.Paired[0] {
		if b.Results != [2]event.Result{event.ForfeitLoss, event.ForfeitWin} || !e.Matches[0][i].Over {
			t.Errorf("board %d has %q", i+1, b.Results)
		}
	}
	h.sound()
}

// onceByMany has several processes begin the same round and make its matches: each happens once.
func onceByMany(t *testing.T, o Open) {
	h := newHall(t, o, 16)
	var wg sync.WaitGroup
	for node := range 4 {
		wg.Go(func() {
			s, err := storage.Open(t.Context(), h.engine, storage.Options{Node: node + 1})
			if err == nil {
				err = beginOnce(t.Context(), s, h.id)
			}
			if err != nil {
				t.Error(fmt.Errorf("process %d: %w", node, err))
			}
		})
	}
	wg.Wait()
	e := must(h.Event(t.Context(), h.id))
	if len(e.Paired) != 1 {
		t.Errorf("%d rounds", len(e.Paired))
	}
	if live := must(h.InChannel(t.Context(), e.Place)); len(live) != 8 {
		t.Errorf("%d matches of 8 boards", len(live))
	}
	h.sound()
}

// beginOnce begins the first round where it has not begun, and makes what matches are owed.
func beginOnce(ctx context.Context, s *storage.Store, id storage.EventID) error {
	_, err := s.PairEvent(ctx, id, storage.Cause{At: noon}, func(e storage.Event) (storage.Event, error) {
		if len(e.Paired) > 0 {
			return e, nil
		}
		return e.Begin(0, nil, noon)
	})
	if err != nil {
		return err
	}
	_, _, err = s.SettleEvent(ctx, id, noon, 99,
		func(e storage.Event, _, _ int) (game.Terms, venue.Place) { return e.Game, e.Place })
	return err
}
