package upkeep

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/clock"
	"tengen/bot/room"
	"tengen/bot/screen"
	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/pulse"
	"tengen/internal/tasks"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/storagetest"
)

// trap is a house in which one match cannot be changed.
type trap struct {
	room.House
	store *storage.Store
	bad   game.MatchID
}

func (h trap) Update(ctx context.Context, id game.MatchID, c storage.Cause,
	f func(game.Match) (game.Match, error)) (storage.Record, error) {
	if id == h.bad {
		panic("by intention")
	}
	return h.store.Update(ctx, id, c, f)
}

func (trap) Pace(int) (func(func()), bool) { return func(f func()) {}, false }

// A match whose end panics keeps no other waiting, and does not end the loop.
func TestPanickingMatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := storagetest.Memory(t)
		var ids []game.MatchID
		for n := range uint64(2) {
			by := game.MemberID(1 + n)
			rec, err := store.Create(t.Context(), storage.Cause{Interaction: venue.IDAt(time.Now()) + n, At: time.Now(), By: by},
				venue.Place{Server: 1, Channel: 2}, func(id game.MatchID) (game.Match, error) {
					return game.NewMatch(id, game.Terms{Rules: game.Gomoku9}, by, game.SeatFor(by), game.Seat{}, time.Now(),
						time.Now().Add(time.Minute))
				})
			testkit.Must(t, err)
			ids = append(ids, rec.ID)
		}
		panics := 0
		group, log, beat := tasks.New(func(any, []byte) { panics++ }), slog.New(slog.DiscardHandler),
			pulse.New(pulse.Options{Gap: -1})
		screens := screen.New(screen.Config{Base: room.Base{Store: store, Tasks: group, Log: log, Now: time.Now},
			House: nowhere{}})
		u, err := New(Config{Base: room.Base{Store: store, Tasks: group, Log: log, Now: time.Now}, House: trap{store: store,
			bad: ids[0]}, Screens: screens, Clocks: clock.New(clock.Config{Store: store, Pulse: beat, Tasks: group, Log: log,
			Alone: func() bool { return true }})})
		testkit.Must(t, err)
		time.Sleep(2 * time.Minute)
		for range 2 {
			if err := group.Try(func() error { return u.BringDue(t.Context(), time.Now()) }); err == tasks.ErrPanicked {
				t.Error("the loop ends")
			}
			if rec, err := store.Match(t.Context(), ids[1]); err != nil || rec.Phase != game.Over {
				t.Errorf("the other match is in phase %v, %v", rec.Phase, err)
			}
		}
		testkit.Want(t, "panics", panics, 1)
		group.End()
		group.Wait()
	})
}

// A turn of the sweep that panics is not the last one.
func TestSweepOutlivesPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := 0
		group := tasks.New(func(any, []byte) { turns++ })
		beat := pulse.New(pulse.Options{Gap: -1})
		u := testkit.Got(New(Config{Base: room.Base{Tasks: group, Now: func() time.Time { panic("by intention") }},
			Clocks: clock.New(clock.Config{Pulse: beat, Tasks: group})}))
		group.Go(u.Sweep)
		time.Sleep(3*SweepEvery + SweepEvery/2)
		group.End()
		group.Wait()
		testkit.Want(t, "turns", turns, 4)
	})
}

// nowhere is a house of screens where no place is this process's.
type nowhere struct{ screen.House }

func (nowhere) Alone() bool { return true }
func (nowhere) Due(ctx context.Context, _ game.MatchID) (context.Context, storage.Record, error) {
	return ctx, storage.Record{}, nil
}
