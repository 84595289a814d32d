package storage

import (
	"errors"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/testkit"
)

func TestLink(t *testing.T) {
	b := newBench(t)
	s, now := b.Store, b.now
	link, pass := Secret{1}, Secret{2}
	testkit.Must(t, s.Link(t.Context(), link, ann, 7, now))
	for _, c := range []struct {
		what string
		link Secret
		at   time.Time
	}{
		{"a made-up link", Secret{3}, now},
		{"a link that is over", link, now.Add(LinkLife)},
		{"a link of a clock that was ahead", link, now.Add(-30 * 24 * time.Hour)},
	} {
		if _, err := s.Trade(t.Context(), c.link, pass, c.at); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	if _, err := s.Bearer(t.Context(), link, now); !errors.Is(err, ErrNotFound) {
		t.Errorf("a link is taken for a pass: %v", err)
	}
	was, err := s.Trade(t.Context(), link, pass, now.Add(LinkLife-time.Second))
	if err != nil || was.Member != ann || was.Match != 7 {
		t.Errorf("Trade gives %+v, %v", was, err)
	}
	if _, err := s.Trade(t.Context(), link, Secret{4}, now.Add(time.Second)); !errors.Is(err, ErrNotFound) {
		t.Errorf("a link is good twice: %v", err)
	}
	if _, err := s.Trade(t.Context(), pass, Secret{4}, now.Add(time.Second)); !errors.Is(err, ErrNotFound) {
		t.Errorf("a pass is taken for a link: %v", err)
	}
	again, err := s.Trade(t.Context(), link, pass, now.Add(LinkLife-time.Second))
	if err != nil || again != was {
		t.Errorf("an answer that was lost: %+v, %v", again, err)
	}
	if _, err := s.Trade(t.Context(), link, pass, now.Add(LinkLife)); !errors.Is(err, ErrNotFound) {
		t.Errorf("a lost answer, too late: %v", err)
	}
	if by, err := s.Bearer(t.Context(), pass, now.Add(time.Minute)); by != ann || err != nil {
		t.Errorf("Bearer gives %v, %v", by, err)
	}
}

// UnshareAll ends the sharing of one server's matches alone.
func TestUnshareAll(t *testing.T) {
	b := newBench(t)
	here, there := b.begin(game.Gomoku15, ann, bob), b.begin(game.Gomoku15, ann, bob)
	for i, rec := range []Record{here, there} {
		_, err := b.Share(t.Context(), rec.ID, ShareSecret{byte(i + 1)})
		testkit.Must(t, err)
	}
	testkit.Must(t, b.UnshareAll(t.Context(), here.Place.Server+1))
	if id, err := b.Shared(t.Context(), ShareSecret{1}); id != here.ID || err != nil {
		t.Errorf("another server's end: %v, %v", id, err)
	}
	testkit.Must(t, b.UnshareAll(t.Context(), here.Place.Server))
	for i := range 2 {
		if _, err := b.Shared(t.Context(), ShareSecret{byte(i + 1)}); !errors.Is(err, ErrNotFound) {
			t.Errorf("match %d is still shared: %v", i, err)
		}
	}
}

// A link that was traded is not traded again once its pass has ended.
func TestTradeAfterEnd(t *testing.T) {
	b := newBench(t)
	s, now := b.Store, b.now
	link, pass := Secret{1}, Secret{2}
	testkit.Must(t, s.Link(t.Context(), link, ann, 7, now))
	testkit.Got(s.Trade(t.Context(), link, pass, now))
	testkit.Must(t, s.EndPasses(t.Context(), ann, now))
	if _, err := s.Trade(t.Context(), link, pass, now); !errors.Is(err, ErrNotFound) {
		t.Errorf("after the end: %v", err)
	}
}

func TestPass(t *testing.T) {
	b := newBench(t)
	s, now := b.Store, b.now
	of := func(member game.MemberID, pass Secret) {
		t.Helper()
		link := Secret{200, pass[0]}
		testkit.Must(t, s.Link(t.Context(), link, member, 7, now))
		_, err := s.Trade(t.Context(), link, pass, now)
		testkit.Must(t, err)
	}
	good := func(pass Secret, want game.MemberID) {
		t.Helper()
		by, err := s.Bearer(t.Context(), pass, now)
		if by != want || (err == nil) != (want != 0) {
			t.Errorf("the pass is %v's, want %v; %v", by, want, err)
		}
	}
	of(ann, Secret{1})
	of(ann, Secret{2})
	of(bob, Secret{3})
	for range 3 { // each use gives it a week again
		now = now.Add(PassLife - time.Hour)
		good(Secret{1}, ann)
		testkit.Must(t, s.Sweep(t.Context(), now))
	}
	good(Secret{2}, 0)
	good(Secret{3}, 0)
	if left := b.rows(tPass); left != 1 {
		t.Errorf("%d passes are left after the sweep, want 1", left)
	}
	of(bob, Secret{3})
	of(ann, Secret{4})
	ended := func(by game.MemberID, want time.Time) {
		t.Helper()
		if at, err := s.PassesEnded(t.Context(), by, now); !at.Equal(want) || err != nil {
			t.Errorf("%v has ended passes at %v, want %v; %v", by, at, want, err)
		}
	}
	ended(ann, time.Time{})
	testkit.Must(t, s.EndPasses(t.Context(), ann, now))
	ended(ann, now)
	ended(bob, time.Time{})
	good(Secret{1}, 0)
	good(Secret{4}, 0)
	good(Secret{3}, bob)
	testkit.Must(t, s.Forget(t.Context(), bob, now))
	good(Secret{3}, 0)
	now = now.Add(MemoryLife - time.Second)
	testkit.Must(t, s.Sweep(t.Context(), now))
	ended(ann, now.Add(time.Second-MemoryLife))
	now = now.Add(time.Second)
	ended(ann, time.Time{})
	testkit.Must(t, s.Sweep(t.Context(), now))
	if left := b.rows(tPass); left != 0 {
		t.Errorf("%d rows of passes are left, want none", left)
	}
	if !Omit(Secret{1}.key()) {
		t.Error("a backup holds passes")
	}
}

func TestShare(t *testing.T) {
	b := newBench(t)
	s, rec := b.Store, b.begin(game.Gomoku15, ann, bob)
	first, second := ShareSecret{1}, ShareSecret{2}
	share := func(fresh, want ShareSecret) {
		t.Helper()
		if got, err := s.Share(t.Context(), rec.ID, fresh); got != want || err != nil {
			t.Errorf("Share gives %x, %v, want %x", got, err, want)
		}
	}
	shared := func(secret ShareSecret, want game.MatchID) {
		t.Helper()
		id, err := s.Shared(t.Context(), secret)
		if id != want || want == 0 && !errors.Is(err, ErrNotFound) {
			t.Errorf("%x shares %v, %v, want %v", secret, id, err, want)
		}
	}
	shared(first, 0)
	share(first, first)
	share(second, first)
	shared(first, rec.ID)
	shared(second, 0)
	b.sound()
	testkit.Must(t, s.Unshare(t.Context(), rec.ID))
	testkit.Must(t, s.Unshare(t.Context(), rec.ID))
	shared(first, 0)
	share(second, second)
	shared(second, rec.ID)
	testkit.Must(t, s.delete(t.Context(), []game.MatchID{rec.ID}, nil))
	shared(second, 0)
	if n := b.rows(tShare) + b.rows(tShared); n != 0 {
		t.Errorf("%d rows of shares are left of a match that is gone", n)
	}
	if _, err := s.Share(t.Context(), rec.ID, first); !errors.Is(err, ErrNotFound) {
		t.Errorf("a match that is gone is shared: %v", err)
	}
}

// An act of a page is applied once, whoever sends it again and when; other members' numbers are their own.
func TestPageActs(t *testing.T) {
	b := newBench(t)
	s, rec, now := b.Store, b.begin(game.Gomoku15, ann, bob), b.now
	number := NumberAt(now) + 5
	note := func(by game.MemberID, number, interaction uint64) bool {
		t.Helper()
		got, err := s.Update(t.Context(), rec.ID, Cause{By: by, Number: number, Interaction: interaction, At: now},
			func(m game.Match) (game.Match, error) { return m.Anew(now), nil })
		testkit.Must(t, err)
		return got.Repeated
	}
	for _, c := range []struct {
		what                string
		by                  game.MemberID
		number, interaction uint64
		repeated            bool
	}{
		{"the first", ann, number, 0, false},
		{"sent again", ann, number, 0, true},
		{"the same number of another member", bob, number, 0, false},
		{"the next number", ann, number + 1, 0, false},
		{"an interaction of the same number", ann, 0, number, false},
		{"an interaction of the same moment", ann, 0, venue.IDAt(now), false},
		{"sent again at the end", ann, number, 0, true},
	} {
		if got := note(c.by, c.number, c.interaction); got != c.repeated {
			t.Errorf("%s: repeated %v, want %v", c.what, got, c.repeated)
		}
	}
	now = now.Add(KeepSeen - time.Minute)
	testkit.Must(t, s.Sweep(t.Context(), now))
	if !note(ann, number, 0) {
		t.Error("an act is forgotten within the hour")
	}
	before := b.rows(tSeen)
	now = now.Add(2 * time.Minute)
	testkit.Must(t, s.Sweep(t.Context(), now))
	if left := b.rows(tSeen); left >= before {
		t.Errorf("%d acts are left after the hour, of %d", left, before)
	}
}

// Of a match that is deleted its id is told.
func TestTellDeleted(t *testing.T) {
	b := newBench(t)
	s := b.Store
	var told []Record
	s.Tell(func(rec Record) { told = append(told, rec) })
	rec := b.begin(game.Gomoku15, ann, bob)
	told = nil
	testkit.Must(t, s.delete(t.Context(), []game.MatchID{rec.ID}, nil))
	if last := told[len(told)-1]; len(told) != 1 || last.ID != rec.ID || last.Version != 0 {
		t.Errorf("of the deletion is told %+v", last)
	}
}
