package storage

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/internal/testkit"
)

// finished is a game between ann and bob that Black won.
func (b *bench) finished() Record {
	b.t.Helper()
	return b.play(b.begin(game.Gomoku15, ann, bob), blackWins...)
}

// A review is asked for once, made once, and stored once: what a second process makes later
// changes nothing.
func TestReviewOnce(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	rec := b.finished()
	for range 3 {
		testkit.Must(t, b.AskReview(ctx, rec.ID, ann, here, b.now))
	}
	b.want("owed", len(first(b.OwedReviews(ctx))), 1)
	b.want("counted once", first(b.Everything(ctx, ann)).Reviews[0].Count, 1)
	b.want("begun", first(b.TryReview(ctx, rec.ID)).ID, rec.ID)
	b.sound()
	for _, data := range []string{"mine", "theirs"} {
		testkit.Must(t, b.PutReview(ctx, Review{rec.ID, rec.Stamp(), []byte(data)}))
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
	b := newBench(t)
	ctx := t.Context()
	rec := b.finished()
	testkit.Must(t, b.AskReview(ctx, rec.ID, ann, here, b.now))
	for range 5 {
		first(b.TryReview(ctx, rec.ID))
		testkit.Must(t, b.PauseReview(ctx, rec.ID))
	}
	for range reviewTries {
		first(b.TryReview(ctx, rec.ID))
	}
	if _, err := b.TryReview(ctx, rec.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("begun once more: %v", err)
	}
	b.want("owed", len(first(b.OwedReviews(ctx))), 0)
}

// A game that is taken up again loses its review, and so does one that is deleted. A review of
// what the game was is not stored.
func TestReviewOfAnotherGame(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	rec := b.play(b.engineGame(ann), blackWins...)
	testkit.Must(t, b.PutReview(ctx, Review{rec.ID, rec.Stamp(), []byte("old")}))
	stamp := rec.Stamp()
	again := b.act(rec, ann, game.Match.Undo)
	b.want("it goes on", again.Phase, game.Playing)
	b.want("reviews", b.rows(tReview), 0)
	if err := b.AskReview(ctx, rec.ID, ann, here, b.now); !errors.Is(err, ErrNotOver) {
		t.Errorf("a running game: %v", err)
	}
	testkit.Must(t, b.PutReview(ctx, Review{rec.ID, stamp, []byte("late")}))
	b.want("reviews", b.rows(tReview), 0)
	again = b.act(again, ann, game.Match.Resign)
	b.want("it is over again", again.Phase, game.Over)
	testkit.Must(t, b.PutReview(ctx, Review{rec.ID, stamp, []byte("late")}))
	b.want("reviews of moves that were taken back", b.rows(tReview), 0)
	b.sound()

	rec = b.finished()
	testkit.Must(t, b.PutReview(ctx, Review{rec.ID, rec.Stamp(), []byte("x")}))
	testkit.Must(t, b.ServerLeft(ctx, here.Server, b.now))
	b.later(keepLeft + 3*24*time.Hour)
	testkit.Must(t, b.Sweep(ctx, b.now))
	b.want("reviews", b.rows(tReview), 0)
}

// A member may ask for ten reviews a day, a server for fifty.
func TestReviewsADay(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	ask := func(member game.MemberID) error { return b.AskReview(ctx, b.finished().ID, member, here, noon) }
	for member := game.MemberID(1); member <= ReviewsAServer/ReviewsAMember; member++ {
		for range ReviewsAMember {
			testkit.Must(t, ask(member))
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
	testkit.Must(t, b.Forget(ctx, 2, b.now))
	b.want("of a member who was deleted", len(first(b.Everything(ctx, 2)).Reviews), 0)
	testkit.Must(t, b.Sweep(ctx, noon.Add(24*time.Hour)))
	b.want("counts that are kept", b.rows(tAsked), 2)
}
