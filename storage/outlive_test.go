package storage

import (
	"errors"
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/daily"
	"tengen/internal/testkit"
	"tengen/storage/kv"
)

// A deletion does not give what a day allows again.
func TestLimitsOutliveDeletion(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	over := func(white game.MemberID) Record { return b.ratedGame(ann, white) }
	for range RatedPerDay {
		over(bob)
	}
	ask := func() error {
		rec := b.play(b.begin(game.Gomoku15, cat, ann), blackWins...)
		return b.AskReview(ctx, rec.ID, ann, here, b.now)
	}
	for range ReviewsAMember - 1 {
		testkit.Must(t, ask())
	}
	took := func() (Daily, Taking) {
		d, k, err := b.TakeDaily(ctx, 100, ann, func(d daily.Daily, k daily.Taking) (daily.Daily, daily.Taking, error) {
			d, k = d.Try(k, daily.TryWrong, k.Interaction+1)
			return d, k, nil
		})
		testkit.Must(t, err)
		return d, k
	}
	first(b.UpdateDaily(ctx, 100, func(d Daily) (Daily, error) {
		d.Day = daily.Day{Puzzle: "g00001", Begins: b.now.Truncate(time.Hour)}
		return d, nil
	}))
	took()

	for turn := range 3 { // each time after a deletion
		testkit.Must(t, b.Forget(ctx, ann, b.now))
		for _, k := range b.keys() {
			if strings.Contains(k, string(key(0, uint64(ann))[1:])) {
				t.Errorf("the row %q names the member", k)
			}
		}
		if turn == 0 {
			if err := ask(); err != nil {
				t.Errorf("the last review of the day: %v", err)
			}
		}
		if err := ask(); !errors.Is(err, ErrMemberReviews) {
			t.Errorf("one review more than a day allows, after a deletion: %v", err)
		}
		if n, err := b.RatedToday(ctx, ann, dan, b.now); n != min(turn, RatedPerDay) || err != nil {
			t.Errorf("%d games of ann and dan are counted after %d, %v", n, turn, err)
		}
		if n, err := b.RatedToday(ctx, ann, bob, b.now); n != RatedPerDay || err != nil {
			t.Errorf("%d games of the pair are counted, %v", n, err)
		}
		if rec := over(bob); rec.Changes != [2]Change{} {
			t.Errorf("one rated game more than a day allows: %v", rec.Changes)
		}
		if rec := over(dan); turn == 0 && rec.Changes == [2]Change{} {
			t.Error("a game with another is not rated")
		}
		if d, k := took(); d.Day.Tried != 1 || k.Tries != strings.Repeat("x", turn+2) {
			t.Errorf("the daily puzzle was tried by %d; the member's tries are %q", d.Day.Tried, k.Tries)
		}
	}
	b.sound()
	for _, k := range b.keys() {
		if (k[0] == tSalt || k[0] == tOutlived) && !Omit([]byte(k)) {
			t.Errorf("a backup holds the row %q", k)
		}
	}
	if wiped := first(b.Wiped(ctx)); !wiped {
		t.Error("nothing says that the file holds deleted data")
	}

	// With the day the key goes, and all that it hid.
	b.later(48 * time.Hour)
	testkit.Must(t, b.Sweep(ctx, b.now))
	b.want("keys and counts on the day after", b.rows(tSalt)+b.rows(tOutlived), 0)
	if err := ask(); err != nil {
		t.Errorf("a review on another day: %v", err)
	}
}

// The same member has another hash on another day.
func TestHashesOfDays(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	seen := map[string]bool{}
	for range 3 {
		b.ratedGame(ann, bob)
		testkit.Must(t, b.Forget(ctx, ann, b.now))
		for _, k := range b.keys() {
			if k[0] == tOutlived {
				seen[k[17:]] = true
			}
		}
		if b.rows(tSalt) != 1 || b.rows(tOutlived) != 1 {
			t.Fatalf("%d keys, %d counts", b.rows(tSalt), b.rows(tOutlived))
		}
		b.later(24 * time.Hour)
		testkit.Must(t, b.Sweep(ctx, b.now))
	}
	// A day that only a wrong clock has seen goes when the clock is right again.
	b.later(40 * 24 * time.Hour)
	b.ratedGame(ann, bob)
	testkit.Must(t, b.Forget(ctx, ann, b.now))
	b.want("keys of a day ahead", b.rows(tSalt), 1)
	testkit.Must(t, b.Sweep(ctx, b.now.Add(-40*24*time.Hour)))
	b.want("keys and counts of a day ahead, by the right clock", b.rows(tSalt)+b.rows(tOutlived), 0)
	if len(seen) != 3 {
		t.Errorf("three days have %d hashes", len(seen))
	}
}

func (b *bench) keys() (keys []string) {
	b.t.Helper()
	testkit.Must(b.t, b.engine.View(b.t.Context(), func(r kv.Reader) error {
		return r.Scan(nil, nil, func(k, _ []byte) bool { keys = append(keys, string(k)); return true })
	}))
	return keys
}
