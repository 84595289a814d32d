package storage

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/game"
)

func (b *bench) crowd(f func(Crowd) (Crowd, error)) Crowd {
	b.t.Helper()
	c, err := b.UpdateCrowd(b.t.Context(), here, b.now, f)
	if err != nil {
		b.t.Fatal(err)
	}
	return c
}

func newCrowd(b *bench) Crowd {
	return Crowd{Gathering: Gathering{Place: here, ID: 77}, Owner: ann, Rules: game.Gomoku9, Level: 2, Color: game.Black, Every: time.Minute, Updated: b.now}
}

func vote(by game.MemberID, ply int, p game.Point, at time.Time) func(Crowd) (Crowd, error) {
	return func(c Crowd) (Crowd, error) { return c.Vote(by, ply, p, at) }
}

func everywhere(Place) bool { return true }

// A channel in which nothing can be done keeps no other waiting.
func TestCrowdsThatWait(t *testing.T) {
	b := newBench(t, Options{})
	for i := range uint64(5) {
		c := newCrowd(b)
		c.Channel, c.Updated = 500+i, b.now.Add(time.Duration(i)*time.Second)
		first(b.BeginCrowd(t.Context(), c))
	}
	var channels []uint64
	for _, c := range first(b.CrowdsDue(t.Context(), b.now.Add(time.Minute), 2, func(p Place) bool { return p.Channel >= 502 })) {
		channels = append(channels, c.Channel)
	}
	b.want("channels", channels, []uint64{502, 503})
}

// The point with the most votes is played when the time is over. It begins with the first vote.
func TestCrowd(t *testing.T) {
	b := newBench(t, Options{})
	ctx := t.Context()
	if _, err := b.UpdateCrowd(ctx, here, b.now, vote(ann, 0, 0, b.now)); !errors.Is(err, ErrNotFound) {
		t.Errorf("a vote without a crowd: %v", err)
	}
	first(b.BeginCrowd(ctx, newCrowd(b)))
	b.want("begun twice by one interaction", first(b.BeginCrowd(ctx, newCrowd(b))).Version, uint32(1))
	other := newCrowd(b)
	other.ID++
	if _, err := b.BeginCrowd(ctx, other); !errors.Is(err, ErrCrowded) {
		t.Errorf("a second crowd in a channel: %v", err)
	}
	b.want("at once", len(first(b.CrowdsDue(ctx, b.now, 9, everywhere))), 1) // its message is not there
	c := b.crowd(func(c Crowd) (Crowd, error) {
		c.Notice = Notice{Message: 5, Shown: c.Version, At: b.now}
		return c, nil
	})
	b.want("without votes", len(first(b.CrowdsDue(ctx, b.now.AddDate(1, 0, 0), 9, everywhere))), 0)
	b.want("the version of what was sent", c.Version, uint32(1))
	b.sound()

	p, q := game.At(4, 4), game.At(3, 3)
	c = b.crowd(vote(ann, 0, p, b.now))
	b.want("deadline", c.Deadline, b.now.Add(time.Minute))
	b.want("soon", len(first(b.CrowdsDue(ctx, b.now.Add(9*time.Second), 9, everywhere))), 0)
	b.want("ten seconds after the last edit", len(first(b.CrowdsDue(ctx, b.now.Add(10*time.Second), 9, everywhere))), 1)
	b.crowd(vote(bob, 0, q, b.now.Add(time.Second)))
	b.want("a tie", c.Counts(), []Count{{p, 1}})
	c = b.crowd(vote(ann, 0, q, b.now.Add(2*time.Second)))
	b.want("a change", c.Counts(), []Count{{q, 2}})
	c = b.crowd(vote(ann, 0, p, b.now.Add(time.Second))) // late, by an interaction that came again
	b.want("an older vote", c.Counts(), []Count{{q, 2}})
	c = b.crowd(vote(cat, 0, p, b.now.Add(3*time.Second)))
	c = b.crowd(vote(dan, 0, p, b.now.Add(3*time.Second)))
	b.want("the first of equals", c.Counts(), []Count{{q, 2}, {p, 2}})
	if _, err := c.Vote(ann, 1, q, b.now); !errors.Is(err, game.Moved) {
		t.Errorf("a vote for another position: %v", err)
	}
	b.want("before the end", len(c.Tick(b.now.Add(59*time.Second)).Moves), 0)
	c = b.crowd(func(c Crowd) (Crowd, error) { return c.Tick(b.now.Add(time.Minute)), nil })
	if !slices.Equal(c.Moves, []game.Point{q}) || c.Votes != nil || !c.Deadline.IsZero() || !c.EngineToMove() {
		t.Errorf("after the time: %+v", c)
	}
	c = b.crowd(func(c Crowd) (Crowd, error) { return c.Tick(b.now.Add(time.Hour)), nil })
	b.want("played once", len(c.Moves), 1)
	if _, err := c.Vote(ann, 1, p, b.now); !errors.Is(err, game.NotYourTurn) {
		t.Errorf("a vote in the engine's turn: %v", err)
	}
	c = b.crowd(func(c Crowd) (Crowd, error) { return c.Answer(1, p, b.now), nil })
	b.want("the engine's move", c.Moves, []game.Point{q, p})
	b.want("the same again", len(c.Answer(1, game.At(0, 0), b.now).Moves), 2)
	if _, err := c.Vote(ann, 0, game.At(0, 0), b.now); !errors.Is(err, game.Moved) {
		t.Errorf("a vote for a move that was made: %v", err)
	}
	if _, err := c.Vote(ann, 2, p, b.now); !errors.Is(err, game.Occupied) {
		t.Errorf("a vote for a stone: %v", err)
	}
	b.sound()

	// A member's file holds the vote; deleting takes it back.
	b.crowd(vote(ann, 2, game.At(0, 1), b.now))
	if own := string(first(json.Marshal(first(b.Everything(ctx, ann))))); !strings.Contains(own, `"owner":true,"vote":"A2"`) {
		t.Errorf("ann's file: %s", own)
	}
	var out strings.Builder
	if err := b.Export(ctx, &out, nil); err != nil || !strings.Contains(out.String(), `"kind":"crowd"`) {
		t.Errorf("%v in %s", err, out.String())
	}
	if err := b.Forget(ctx, ann, b.now); err != nil {
		t.Fatal(err)
	}
	c = first(b.Crowd(ctx, here))
	if c.Owner != 0 || len(c.Votes) != 0 || !c.Deadline.IsZero() {
		t.Errorf("after ann is gone: %+v", c)
	}
	b.want("stats", first(b.Stats(ctx)).Crowds, 1)
	b.sound()
	b.crowd(func(c Crowd) (Crowd, error) { return c.Stop(b.now), nil })
	if _, err := first(b.Crowd(ctx, here)).Vote(bob, 2, game.At(8, 8), b.now); !errors.Is(err, game.NotPlaying) {
		t.Errorf("a vote after the end: %v", err)
	}
	b.want("the interaction that began it comes again", first(b.BeginCrowd(ctx, newCrowd(b))).Stopped, true)
	b.want("the next one", first(b.BeginCrowd(ctx, other)).ID, other.ID)
	if err := errors.Join(b.ServerLeft(ctx, here.Server, b.now), b.Sweep(ctx, b.now.Add(keepLeft))); err != nil {
		t.Fatal(err)
	}
	b.want("rows that are left", b.rows(tCrowd)+b.rows(tCrowdDue), 0)
	b.sound()
}

// Verify speaks where a crowd lacks the row by which it is found, and where such a row has no crowd.
func TestVerifyCrowd(t *testing.T) {
	for _, change := range []func(x *txn, c Crowd) error{
		func(x *txn, c Crowd) error { return x.Delete(crowds.rows(c)[1].key) },
		func(x *txn, c Crowd) error { return x.Put(key(tCrowdDue, 5, here.Server, here.Channel), none) },
		func(x *txn, c Crowd) error { return x.Delete(crowds.rows(c)[0].key) },
	} {
		b := newBench(t, Options{})
		c := first(b.BeginCrowd(t.Context(), newCrowd(b)))
		if err := b.change(t.Context(), Cause{}, func(x *txn) error { return change(x, c) }); err != nil {
			t.Fatal(err)
		}
		if _, err := Verify(t.Context(), b.engine); err == nil {
			t.Error("nobody sees it")
		}
	}
}
