package pool

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/chat"
	"tengen/bot/room"
	"tengen/game/venue"
	"tengen/internal/tasks"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
)

// What failed waits: some seconds, and longer where Discord refuses it for good, or where it panicked. What
// is gone, or another's by now, does not.
func TestPool(t *testing.T) {
	for name, c := range map[string]struct {
		do   func() error
		wait time.Duration
	}{
		"done":      {func() error { return nil }, 0},
		"deleted":   {func() error { return storage.ErrNotFound }, 0},
		"another's": {func() error { return kv.ErrFenced }, 0},
		"failed":    {func() error { return errors.New("failed") }, tryAgain},
		"busy":      {func() error { return &chat.Error{Trouble: chat.Busy} }, tryAgain},
		"refused":   {func() error { return &chat.Error{Trouble: chat.Locked} }, AskAgain},
		"panic":     {func() error { panic("boom") }, AskAgain},
	} {
		testkit.Bubble(t, name, func(t *testing.T) {
			group := tasks.New(func(any, []byte) {})
			r := New[int]("thing", 2, room.Base{Tasks: group, Log: slog.New(slog.DiscardHandler)})
			r.Begin(1, func() error { time.Sleep(time.Minute); return c.do() })
			r.Begin(1, func() error { t.Error("two are at it"); return nil })
			if r.Free() != 1 || r.May(1) || !r.May(2) {
				t.Errorf("while it goes on: %d are free, may %v, another %v", r.Free(), r.May(1), r.May(2))
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			if r.Free() != 2 || r.May(1) != (c.wait == 0) {
				t.Errorf("afterwards: %d are free, may %v", r.Free(), r.May(1))
			}
			if time.Sleep(c.wait); !r.May(1) {
				t.Errorf("after %v it still waits", c.wait)
			}
			group.End()
		})
	}
}

// Only so many things are looked after at one time.
func TestPoolIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		group := tasks.New(nil)
		r := New[int]("thing", 2, room.Base{Tasks: group, Log: slog.New(slog.DiscardHandler)})
		for k := range 3 {
			if began := r.Begin(k, func() error { time.Sleep(time.Minute); return nil }); began != (k < 2) {
				t.Errorf("thing %d: %v", k, began)
			}
		}
		group.Wait()
	})
}

// half owns the places with even numbers.
type half struct{ room.House }

func (half) Under(ctx context.Context, p venue.Place) (context.Context, bool) {
	return ctx, p.Channel%2 == 0
}

// A process looks after its own places, and no place that waits keeps another from its turn.
func TestPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		group := tasks.New(nil)
		p := NewPlaces("thing", 2, room.Base{House: half{}, Tasks: group, Log: slog.New(slog.DiscardHandler), Now: time.Now})
		due := func(_ context.Context, _ time.Time, n int, want func(venue.Place) bool) (places []venue.Place, err error) {
			for i := range uint64(9) {
				if at := (venue.Place{Channel: i}); len(places) < n && want(at) {
					places = append(places, at)
				}
			}
			return places, errors.New("one cannot be read")
		}
		var mu sync.Mutex
		var order []uint64
		for range 4 {
			p.Sweep(due, func(_ context.Context, at venue.Place) error {
				mu.Lock()
				defer mu.Unlock()
				order = append(order, at.Channel)
				return errors.New("failed")
			})
			synctest.Wait()
		}
		slices.Sort(order)
		if !slices.Equal(order, []uint64{0, 2, 4, 6, 8}) {
			t.Errorf("looked after %d", order)
		}
		group.End()
	})
}

// What has failed waits no longer where the clock is set back meanwhile.
func TestClockSetBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		group := tasks.New(nil)
		var back time.Duration
		p := NewPlaces("thing", 1, room.Base{House: half{}, Tasks: group, Log: slog.New(slog.DiscardHandler),
			Now: func() time.Time { return time.Now().Add(-back) }})
		at, tries := venue.Place{Channel: 2}, 0
		sweep := func() {
			p.Sweep(func(_ context.Context, _ time.Time, n int, want func(venue.Place) bool) (places []venue.Place, err error) {
				if want(at) {
					places = append(places, at)
				}
				return places, nil
			}, func(context.Context, venue.Place) error { tries++; return errors.New("failed") })
			synctest.Wait()
		}
		sweep()
		back = time.Hour
		time.Sleep(tryAgain)
		if sweep(); tries != 2 {
			t.Errorf("%d tries", tries)
		}
		group.End()
	})
}
