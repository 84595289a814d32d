package desk

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"tengen/ai"
	"tengen/bot/room"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/tasks"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/storagetest"
)

// An answer waits some seconds for its place, and is refused then. A member who has gone is told nothing.
func TestJudgeIsBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := New(Config{Workers: 1, AnswerIn: time.Second, ThinkAtMost: time.Second})
		done := make(chan error)
		go func() {
			done <- d.Judge(t.Context(), func(context.Context) error { time.Sleep(time.Minute); return nil })
		}()
		synctest.Wait()
		began := time.Now()
		err := d.Judge(t.Context(), func(context.Context) error { t.Error("it is judged"); return nil })
		if text, ok := view.In("en").Reason(err); !ok || time.Since(began) != judgeIn {
			t.Errorf("after %v: %q, %v", time.Since(began), text, err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if err := d.Judge(gone, nil); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		testkit.Check(t, <-done)
	})
}

// A match waits in the engine's queue once.
func TestQueuedOnce(t *testing.T) {
	d := New(Config{Workers: 1, AnswerIn: time.Second, ThinkAtMost: time.Second})
	for range 3 {
		d.ask(turn{match: 1})
	}
	d.ask(turn{match: 2})
	if waiting, _ := d.Size(); waiting != 2 || len(d.lanes[""].queues[0]) != 2 {
		t.Errorf("%d wait, %d are queued", waiting, len(d.lanes[""].queues[0]))
	}
}

// A match between engines pauses once, however often it changes meanwhile.
func TestPausesOnce(t *testing.T) {
	d := New(Config{Workers: 1, AnswerIn: time.Second, ThinkAtMost: time.Second})
	if d.pauses(1) || !d.pauses(1) || !d.Knows(1) {
		t.Error("the first pause is one, and the second is not")
	}
	if d.ask(turn{match: 1}); d.pauses(1) {
		t.Error("a pause that is over goes on")
	}
}

// A server with many turns keeps those of another waiting for one of its own.
func TestServersTakeTurns(t *testing.T) {
	d := New(Config{Workers: 1, AnswerIn: time.Second, ThinkAtMost: time.Second})
	for id, server := range []uint64{7, 7, 7, 8} {
		d.ask(turn{match: game.MatchID(id + 1), place: venue.Place{Server: server}})
	}
	for i, want := range []game.MatchID{1, 4, 2, 3} {
		if next, ok := d.next(""); !ok || next.match != want {
			t.Errorf("turn %d is of match %d, want %d", i, next.match, want)
		}
	}
}

// A search ends once its position has changed, and no sooner. Its end leaves the next one of the match alone.
func TestSearchOfAnotherPosition(t *testing.T) {
	d := New(Config{Workers: 1, AnswerIn: time.Second, ThinkAtMost: time.Second})
	ended := 0
	d.begin(turn{match: 1}, 5, func() { ended++ })
	if !d.stop(1, 5, true) || ended != 0 {
		t.Error("the search for the present position has ended")
	}
	if d.stop(1, 6, true) || ended != 1 {
		t.Error("the search for a former position goes on")
	}
	if d.stop(1, 5, true) {
		t.Error("a search that was ended goes on")
	}
	d.begin(turn{match: 1}, 6, func() {})
	if d.end(1, 5); !d.Knows(1) {
		t.Error("the search for the present position is forgotten")
	}
	if d.end(1, 6); d.Knows(1) {
		t.Error("a search that has ended is known")
	}
}

// A panic of the judge is an error of the answer, and gives the place back.
func TestJudgePanics(t *testing.T) {
	d := New(Config{Workers: 1, AnswerIn: time.Second, ThinkAtMost: time.Second})
	for range 2 {
		if err := d.Judge(t.Context(), func(context.Context) error { panic("by intention") }); err == nil {
			t.Error("no error")
		}
	}
}

// away is a house whose places other processes own by now.
type away struct{ House }

func (away) Under(ctx context.Context, _ venue.Place) (context.Context, bool) { return ctx, false }

// A turn whose place another process owns by now is left to that one.
func TestTurnOfAnothersPlace(t *testing.T) {
	store := storagetest.Memory(t)
	now := time.Now()
	cause, place := storage.Cause{Interaction: 1, At: now}, venue.Place{Server: 1, Channel: 2}
	rec, err := store.Create(t.Context(), cause, place, func(id game.MatchID) (game.Match, error) {
		terms := game.Terms{Rules: game.Gomoku9, First: game.White}
		return game.NewMatch(id, terms, 1, game.SeatFor(1), game.SeatEngine(1), now, now)
	})
	if err != nil || !rec.EngineToMove() {
		t.Fatal(rec.Phase, err)
	}
	d := New(Config{Base: room.Base{Store: store, Tasks: tasks.New(nil), Now: time.Now}, House: away{}, Workers: 1,
		AnswerIn: time.Second, ThinkAtMost: time.Second,
		Think: func(context.Context, game.Game, ai.Limits) (ai.Report, error) { panic("it is searched") }})
	testkit.Check(t, d.takeTurn(turn{match: rec.ID}))
}

// The search of a review waits until no turn of the engine does.
func TestSearchOfAReviewWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := New(Config{Workers: 1, AnswerIn: time.Second, ThinkAtMost: time.Second})
		d.ask(turn{match: 1})
		began := false
		go func() {
			_, end := d.beginSearch(t.Context())
			began = true
			end()
		}()
		if synctest.Wait(); began {
			t.Error("it has begun")
		}
		d.next("")
		if synctest.Wait(); !began {
			t.Error("it has not begun")
		}
	})
}
