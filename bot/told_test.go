package bot

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/act"
	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
	"tengen/storage/pg"
	"tengen/storage/pg/pgtest"
	"tengen/storage/storagetest"
)

// A change is a match after it has changed, or has moved.
type change struct {
	match   game.MatchID
	version uint32
	place   venue.Place
}

// heard counts the changes that a listener hears of.
type heard struct {
	mu    sync.Mutex
	times map[change]int
}

func (h *heard) hear(rec storage.Record) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.times == nil {
		h.times = map[change]int{}
	}
	h.times[change{rec.ID, rec.Version, rec.Place}]++
}

// watching hears of every row of a match that is written to an engine, until the test ends.
func watching(t *testing.T, engine *kv.Memory) *heard {
	rows := &heard{}
	store, err := storage.OpenRead(t.Context(), engine, "")
	testkit.Must(t, err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() {
		defer close(done)
		store.WatchMatches(ctx, rows.hear)
	}()
	t.Cleanup(func() { cancel(); <-done })
	return rows
}

// same checks that a listener has heard once of each change that rows has. A match may come back to a place.
func (h *heard) same(t *testing.T, rows *heard) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	for c, n := range h.times {
		if want := max(rows.times[c], 1); n != want { // rows has none of a match that is put away
			t.Errorf("%v is heard %d times, want %d", c, n, want)
		}
	}
	for c := range rows.times {
		if h.times[c] == 0 {
			t.Errorf("nobody hears of %v", c)
		}
	}
}

// Each process hears once of what any of them changes.
func TestToldOfOtherProcesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all [2]heard
		n := 0
		both, _ := twoOnPaper(t, func(c *Config) { c.Told = all[n].hear; n++ })
		one, two := both[0], both[1]
		one.slash(1, "play bot", "game", "gomoku", "color", "black")
		for i, point := range []string{"H8", "A1", "C3"} {
			rec := one.only(1)
			a := act.Act{Match: rec.ID, Verb: "play", Arg: point, By: 1, At: time.Now()}.For(rec.Stamp())
			_, err := both[i%2].bot.Act(t.Context(), a, storage.Cause{Interaction: uint64(i + 1), At: a.At, By: 1})
			testkit.Must(t, err)
			time.Sleep(10 * time.Second) // the engine's move
		}
		two.slash(1, "resign")
		rec := one.only(1)
		if rec.Played() != 6 {
			t.Errorf("%d moves", rec.Played())
		}
		all[0].same(t, &all[1])
		all[1].same(t, &all[0])
		if versions := len(all[0].times); versions != int(rec.Version) {
			t.Errorf("%d changes of a match of version %d: %v", versions, rec.Version,
				slices.Collect(maps.Keys(all[0].times)))
		}
	})
}

// Another process hears through PostgreSQL of changes in order, and of the newest one in any case.
func TestToldThroughPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server")
	}
	t.Parallel()
	address := pgtest.Address(pgtest.Start(t))
	var stores [2]*storage.Store
	for i := range stores {
		db, err := pg.Open(t.Context(), pg.Options{Address: address, Schema: "told", Try: slowly,
			Patience: 10 * slowly})
		testkit.Must(t, err)
		t.Cleanup(func() { db.Close() })
		stores[i] = storagetest.Store(t, db)
	}
	now := time.Now()
	rec, err := stores[0].Create(t.Context(), storage.Cause{At: now}, venue.Place{Channel: 1},
		func(id game.MatchID) (game.Match, error) {
			return game.NewMatch(id, game.Terms{Rules: game.Gomoku9}, 1, game.SeatFor(1), game.SeatFor(2),
				now, now.Add(time.Hour))
		})
	testkit.Must(t, err)
	told := make(chan uint32, 1000)
	go stores[1].WatchMatches(t.Context(), func(rec storage.Record) { told <- rec.Version })
	change := func() {
		rec, err = stores[0].Update(t.Context(), rec.ID, storage.Cause{At: now},
			func(m game.Match) (game.Match, error) { return m.Anew(now), nil })
		testkit.Must(t, err)
	}
	for len(told) == 0 { // what was written before it listens is not told
		change()
	}
	change()
	for version := <-told; version < rec.Version; {
		next := <-told
		if next <= version {
			t.Fatalf("after version %d it hears of %d", version, next)
		}
		version = next
	}
}
