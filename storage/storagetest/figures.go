package storagetest

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage"
)

// Figures plays moves in that many channels for a time, and logs how many and how long each took.
func Figures(t testing.TB, engine string, s *storage.Store, channels int, long time.Duration) {
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	took := Play(ctx, t, s, channels, time.Now)
	t.Logf("%-36s %2d channels: %6.0f moves/s, p50 %5.1f ms, p99 %6.1f ms", engine, channels,
		float64(len(took))/long.Seconds(), float64(took[len(took)/2].Microseconds())/1000,
		float64(took[len(took)*99/100].Microseconds())/1000)
}

// Play plays in that many channels until ctx ends, each move at what now gives, and gives how long each took, in
// order.
func Play(ctx context.Context, t testing.TB, s *storage.Store, channels int,
	now func() time.Time) (took []time.Duration) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	var numbers atomic.Uint64 // drawn ones would meet in some millisecond, and one channel go on with another's match
	for c := range channels {
		wg.Go(func() {
			dice := rand.New(rand.NewPCG(uint64(c), 1))
			var mine []time.Duration
			var rec storage.Record
			var err error
			for ctx.Err() == nil && err == nil {
				if rec.ID == 0 || rec.Phase != game.Playing {
					rec, err = begin(t.Context(), s, game.MemberID(1000+2*c), now())
					continue
				}
				p := game.At(dice.IntN(15), dice.IntN(15))
				if rec.Game().Check(p) != nil {
					continue
				}
				began, at := time.Now(), now()
				id := venue.IDAt(at) | numbers.Add(1)&(1<<22-1)
				rec, err = s.Update(t.Context(), rec.ID, storage.Cause{Interaction: id, At: at},
					func(m game.Match) (game.Match, error) {
						return m.Play(m.Seats[m.ToMove()].Member, p, at)
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
	slices.Sort(took)
	return took
}

// Finished plays a short game of two members, the first of whom resigns.
func Finished(ctx context.Context, s *storage.Store, first game.MemberID) (storage.Record, error) {
	rec, err := begin(ctx, s, first, time.Now())
	for ply := 0; ply < 3 && err == nil; ply++ {
		rec, err = s.Update(ctx, rec.ID, storage.Cause{At: rec.Updated}, func(m game.Match) (game.Match, error) {
			if ply == 2 {
				return m.Resign(first, m.Updated)
			}
			return m.Play(m.Seats[m.ToMove()].Member, game.At(ply, 0), m.Updated)
		})
	}
	return rec, err
}

func begin(ctx context.Context, s *storage.Store, first game.MemberID, now time.Time) (storage.Record, error) {
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
