package etcd

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/bolt"
	"tengen/storage/etcd/etcdtest"
	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

// TestFigures plays moves through package storage on a file, on one server of etcd and on
// three, all in this run and on the same disk. TENGEN_FIGURES is for how long each; unset, it
// is skipped. ETCDTEST_DIR says where the data is; unset, in memory.
func TestFigures(t *testing.T) {
	long, err := time.ParseDuration(os.Getenv("TENGEN_FIGURES"))
	if err != nil {
		t.Skip("TENGEN_FIGURES=5s runs it")
	}
	t.Logf("data: %s", cmp.Or(os.Getenv("ETCDTEST_DIR"), "in memory"))
	file := testkit.Got(bolt.Open(t.Context(), filepath.Join(etcdtest.Dir(t), "games.db"),
		bolt.Options{Log: slog.New(slog.DiscardHandler), Grows: storage.Grows}))
	defer file.Close()
	one, three := etcdtest.Start(t, 1), etcdtest.Start(t, 3)
	warm := Options{Absent: storage.Once}
	engines := []struct {
		name string
		kv.Engine
	}{
		{"bolt", file},
		{"etcd, one server", open(t, one, warm)},
		{"etcd, three servers", open(t, three, warm)},
		{"etcd, three servers, nothing cached", open(t, three, Options{Prefix: "cold", cold: true})},
	}
	for _, channels := range []int{1, 16, 64} {
		for _, e := range engines {
			s := storagetest.Store(t, e)
			took := playFor(t, s, channels, long)
			slices.Sort(took)
			t.Logf("%-36s %2d channels: %6.0f moves/s, p50 %5.1f ms, p99 %6.1f ms", e.name, channels,
				float64(len(took))/long.Seconds(), float64(took[len(took)/2].Microseconds())/1000,
				float64(took[len(took)*99/100].Microseconds())/1000)
		}
	}
}

// playFor plays in that many channels and gives how long each move took.
func playFor(t *testing.T, s *storage.Store, channels int, long time.Duration) (took []time.Duration) {
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	var mu sync.Mutex
	var wg sync.WaitGroup
	for c := range channels {
		wg.Go(func() {
			dice := rand.New(rand.NewPCG(uint64(c), 1))
			var mine []time.Duration
			var rec storage.Record
			var err error
			for ctx.Err() == nil && err == nil {
				if rec.ID == 0 || rec.Phase != game.Playing {
					rec, err = begin(t.Context(), s, game.MemberID(1000+2*c))
					continue
				}
				p := game.At(dice.IntN(15), dice.IntN(15))
				if rec.Game().Check(p) != nil {
					continue
				}
				began := time.Now()
				rec, err = s.Update(t.Context(), rec.ID, storage.Cause{Interaction: dice.Uint64() | 1, At: began},
					func(m game.Match) (game.Match, error) {
						return m.Play(m.Seats[m.ToMove()].Member, p, began)
					})
				mine = append(mine, time.Since(began))
			}
			testkit.Check(t, err)
			mu.Lock()
			defer mu.Unlock()
			took = append(took, mine...)
		})
	}
	wg.Wait()
	return took
}

func begin(ctx context.Context, s *storage.Store, first game.MemberID) (storage.Record, error) {
	now := time.Now()
	place := venue.Place{Server: 1, Channel: uint64(first)}
	rec, err := s.Create(ctx, storage.Cause{At: now}, place, func(id game.MatchID) (game.Match, error) {
		m, err := game.NewMatch(id, game.Terms{Rules: game.Gomoku15, First: game.Black}, first, game.SeatFor(first),
			game.SeatFor(first+1), now, now.Add(time.Hour))
		if err != nil {
			return m, err
		}
		return m.Accept(first+1, now)
	})
	return rec, errors.Join(err, ctx.Err())
}
