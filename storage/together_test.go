package storage

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/together"
	"tengen/game/venue"
	"tengen/internal/testkit"
)

func (b *bench) together(f func(Together) (Together, error)) Together {
	return first(Togethers.Update(b.t.Context(), b.Store, here, Cause{At: b.now}, f))
}

func (b *bench) begun(c Together) Together {
	return first(Togethers.Begin(b.t.Context(), b.Store, b.now, c))
}

func newTogether(b *bench) Together {
	return Together{Gathering: Gathering{Place: here, ID: 77},
		Game: together.Game{Owner: ann, Rules: game.Gomoku9, Level: 2, Color: game.Black, Every: time.Minute, Updated: b.now}}
}

func vote(by game.MemberID, ply int, p game.Point, at time.Time) func(Together) (Together, error) {
	return func(c Together) (_ Together, err error) {
		c.Game, err = c.Vote(by, ply, p, at)
		return c, err
	}
}

func everywhere(venue.Place) bool { return true }

// A channel in which nothing can be done keeps no other waiting.
func TestTogetherThatWaits(t *testing.T) {
	b := newBench(t)
	for i := range uint64(5) {
		c := newTogether(b)
		c.Channel, c.Updated = 500+i, b.now.Add(time.Duration(i)*time.Second)
		b.begun(c)
	}
	var channels []uint64
	for _, c := range first(Togethers.Due(t.Context(), b.Store, b.now.Add(time.Minute), 2,
		func(p venue.Place) bool { return p.Channel >= 502 })) {
		channels = append(channels, c.Channel)
	}
	b.want("channels", channels, []uint64{502, 503})
}

// A channel has one game, which is due when its message is behind, or a move is to be played.
func TestTogether(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	_, err := Togethers.Update(ctx, b.Store, here, Cause{At: b.now}, vote(ann, 0, 0, b.now))
	if !errors.Is(err, ErrNotFound) {
		t.Errorf("a vote without a game: %v", err)
	}
	b.begun(newTogether(b))
	b.want("begun twice by one interaction", b.begun(newTogether(b)).Version, uint32(1))
	other := newTogether(b)
	other.ID++
	if _, err := Togethers.Begin(ctx, b.Store, b.now, other); !errors.Is(err, ErrHere) {
		t.Errorf("a second game in a channel: %v", err)
	}
	due := func(after time.Duration) int {
		return len(first(Togethers.Due(ctx, b.Store, b.now.Add(after), 9, everywhere)))
	}
	b.want("at once", due(0), 1) // its message is not there
	c := b.together(func(c Together) (Together, error) {
		c.Notice = Notice{Message: 5, Shown: c.Version, At: b.now}
		return c, nil
	})
	b.want("without votes", due(365*24*time.Hour), 0)
	b.want("the version of what was sent", c.Version, uint32(1))
	b.sound()

	b.together(vote(ann, 0, game.At(3, 3), b.now))
	b.want("soon", due(9*time.Second), 0)
	b.want("ten seconds after the last edit", due(10*time.Second), 1)
	c = b.together(func(c Together) (Together, error) { c.Game = c.Tick(b.now.Add(time.Minute)); return c, nil })
	b.want("at once after a move", c.due(), c.Updated)
	b.together(func(c Together) (Together, error) { c.Game = c.Answer(1, game.At(4, 4), b.now); return c, nil })
	b.sound()

	// A member's file holds the vote; deleting takes it back.
	b.together(vote(ann, 2, game.At(0, 1), b.now))
	if own := string(first(json.Marshal(first(b.Everything(ctx, ann))))); !strings.Contains(own,
		`"owner":true,"vote":"A2"`) {
		t.Errorf("ann's file: %s", own)
	}
	var out strings.Builder
	if err := b.Export(ctx, &out, nil); err != nil || !strings.Contains(out.String(), `"kind":"crowd"`) {
		t.Errorf("%v in %s", err, out.String())
	}
	testkit.Must(t, b.Forget(ctx, ann, b.now))
	c = first(Togethers.In(ctx, b.Store, here))
	if c.Owner != 0 || len(c.Votes) != 0 || !c.Deadline.IsZero() {
		t.Errorf("after ann is gone: %+v", c)
	}
	if stats := string(first(json.Marshal(first(b.Stats(ctx))))); !strings.Contains(stats, `"Crowds":1`) {
		t.Errorf("stats: %s", stats)
	}
	b.sound()
	b.together(func(c Together) (Together, error) { c.Game = c.Stop(b.now); return c, nil })
	b.want("the interaction that began it comes again", b.begun(newTogether(b)).Stopped, true)
	b.want("the next one", b.begun(other).ID, other.ID)
	testkit.Must(t, errors.Join(b.ServerLeft(ctx, here.Server, b.now), b.Sweep(ctx, b.now.Add(keepLeft))))
	b.want("rows that are left", b.rows(tTogether)+b.rows(tTogetherDue), 0)
	b.sound()
}

// Verify speaks where a game lacks the row by which it is found, and where such a row has no game.
func TestVerifyTogether(t *testing.T) {
	for _, change := range []func(x *txn, c Together) error{
		func(x *txn, c Together) error { return x.Delete(Togethers.rows(c)[1].key) },
		func(x *txn, c Together) error { return x.Put(key(tTogetherDue, 5, here.Server, here.Channel), none) },
		func(x *txn, c Together) error { return x.Delete(Togethers.rows(c)[0].key) },
	} {
		b := newBench(t, Options{})
		c := b.begun(newTogether(b))
		testkit.Must(t, b.change(t.Context(), Cause{}, func(x *txn) error { return change(x, c) }))
		if _, err := Verify(t.Context(), b.engine); err == nil {
			t.Error("nobody sees it")
		}
	}
}
