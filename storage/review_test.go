package storage

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"tengen/game"
)

// finished is a game between ann and bob that Black won.
func (b *bench) finished() Record {
	b.t.Helper()
	return b.play(b.begin(game.Gomoku15, ann, bob), blackWins...)
}

// A review is asked for once, made once, and stored once: what a second process makes later
// changes nothing.
func TestReviewOnce(t *testing.T) {
	b := newBench(t, Options{})
	ctx := t.Context()
	rec := b.finished()
	for range 3 {
		if err := b.AskReview(ctx, rec.ID, ann, here, b.now); err != nil {
			t.Fatal(err)
		}
	}
	b.want("owed", len(first(b.OwedReviews(ctx))), 1)
	b.want("counted once", first(b.Everything(ctx, ann)).Reviews[0].Count, 1)
	b.want("begun", first(b.TryReview(ctx, rec.ID)).ID, rec.ID)
	b.sound()
	for _, data := range []string{"mine", "theirs"} {
		if err := b.PutReview(ctx, Review{rec.ID, rec.Stamp(), []byte(data)}); err != nil {
			t.Fatal(err)
		}
	}
	v, owed, err := b.Store.Review(ctx, rec.ID)
	if err != nil || owed || string(v.Data) != "mine" {
		t.Errorf("%q, owed %v, %v", v.Data, owed, err)
	}
	b.want("owed", len(first(b.OwedReviews(ctx))), 0)
	if _, err := b.TryReview(ctx, rec.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("begun again: %v", err)
	}
	st := first(b.Stats(ctx))
	b.want("counted", []int{st.Reviews, st.ReviewsOwed}, []int{1, 0})
	var out bytes.Buffer
	if err := b.Export(ctx, &out, nil); err != nil || !strings.Contains(out.String(), `"kind":"review"`) {
		t.Errorf("%v: %s", err, out.String())
	}
	b.sound()
}

// A review that kills the process is begun three times and then given up; one that was ended
// without fault is not counted.
func TestReviewTries(t *testing.T) {
	b := newBench(t, Options{})
	ctx := t.Context()
	rec := b.finished()
	if err := b.AskReview(ctx, rec.ID, ann, here, b.now); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if _, err := b.TryReview(ctx, rec.ID); err != nil {
			t.Fatal(err)
		}
		if err := b.PauseReview(ctx, rec.ID); err != nil {
			t.Fatal(err)
		}
	}
	for range reviewTries {
		if _, err := b.TryReview(ctx, rec.ID); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.TryReview(ctx, rec.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("begun once more: %v", err)
	}
	b.want("owed", len(first(b.OwedReviews(ctx))), 0)
}

// A game that is taken up again loses its review, and so does one that is deleted. A review of
// what the game was is not stored.
func TestReviewOfAnotherGame(t *testing.T) {
	b := newBench(t, Options{})
	ctx := t.Context()
	rec := b.play(b.engineGame(ann), blackWins...)
	if err := b.PutReview(ctx, Review{rec.ID, rec.Stamp(), []byte("old")}); err != nil {
		t.Fatal(err)
	}
	stamp := rec.Stamp()
	again := b.do(rec, func(m game.Match) (game.Match, error) { return m.Undo(ann, b.now) })
	b.want("it goes on", again.Phase, game.Playing)
	b.want("reviews", b.rows(tReview), 0)
	if err := b.AskReview(ctx, rec.ID, ann, here, b.now); !errors.Is(err, ErrNotOver) {
		t.Errorf("a running game: %v", err)
	}
	if err := b.PutReview(ctx, Review{rec.ID, stamp, []byte("late")}); err != nil {
		t.Fatal(err)
	}
	b.want("reviews", b.rows(tReview), 0)
	again = b.do(again, func(m game.Match) (game.Match, error) { return m.Resign(ann, b.now) })
	b.want("it is over again", again.Phase, game.Over)
	if err := b.PutReview(ctx, Review{rec.ID, stamp, []byte("late")}); err != nil {
		t.Fatal(err)
	}
	b.want("reviews of moves that were taken back", b.rows(tReview), 0)
	b.sound()

	rec = b.finished()
	if err := b.PutReview(ctx, Review{rec.ID, rec.Stamp(), []byte("x")}); err != nil {
		t.Fatal(err)
	}
	if err := b.ServerLeft(ctx, here.Server, b.now); err != nil {
		t.Fatal(err)
	}
	b.now = b.now.Add(keepLeft + 3*24*time.Hour)
	if err := b.Sweep(ctx, b.now); err != nil {
		t.Fatal(err)
	}
	b.want("reviews", b.rows(tReview), 0)
}

// A member may ask for ten reviews a day, a server for fifty.
func TestReviewsADay(t *testing.T) {
	b := newBench(t, Options{})
	ctx := t.Context()
	ask := func(member game.MemberID) error { return b.AskReview(ctx, b.finished().ID, member, here, noon) }
	for member := game.MemberID(1); member <= ReviewsAServer/ReviewsAMember; member++ {
		for range ReviewsAMember {
			if err := ask(member); err != nil {
				t.Fatal(err)
			}
		}
		if member == 1 {
			if err := ask(1); !errors.Is(err, ErrMemberReviews) {
				t.Errorf("one too many of a member: %v", err)
			}
		}
	}
	if err := ask(99); !errors.Is(err, ErrServerReviews) {
		t.Errorf("one too many in a server: %v", err)
	}
	b.sound()
	if err := b.AskReview(ctx, b.finished().ID, 1, here, noon.Add(24*time.Hour)); err != nil {
		t.Errorf("on the next day: %v", err)
	}
	if err := b.Forget(ctx, 2, b.now); err != nil {
		t.Fatal(err)
	}
	b.want("of a member who was deleted", len(first(b.Everything(ctx, 2)).Reviews), 0)
	if err := b.Sweep(ctx, noon.Add(24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	b.want("counts that are kept", b.rows(tAsked), 2)
}
