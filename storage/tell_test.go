package storage

import (
	"context"
	"errors"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage/kv"
)

// unsure is an engine that runs every change twice, and makes none while it is broken.
type unsure struct {
	kv.Engine
	broken bool
}

func (u *unsure) Update(ctx context.Context, fn func(kv.Tx) error) error {
	err := u.Engine.Update(ctx, func(tx kv.Tx) error { return errors.Join(fn(tx), kv.ErrBroken) })
	if u.broken || !errors.Is(err, kv.ErrBroken) {
		return err
	}
	return u.Engine.Update(ctx, fn)
}

// A change is told of once, after it is made, however often it is tried. One that is refused, repeated or not
// made is not.
func TestTell(t *testing.T) {
	engine := &unsure{Engine: kv.NewMemory()}
	s := first(Open(t.Context(), engine, Options{}))
	var told []uint32
	s.Tell(func(rec Record) {
		if now := first(s.Match(t.Context(), rec.ID)); now.Version != rec.Version {
			t.Errorf("version %d is told of, and %d is there", rec.Version, now.Version)
		}
		told = append(told, rec.Version)
	})
	at := testkit.At("2026-03-01 12:00")
	rec := first(s.Create(t.Context(), Cause{At: at}, venue.Place{Channel: 1}, func(id game.MatchID) (game.Match, error) {
		return game.NewMatch(id, game.Terms{Rules: game.Gomoku9, First: game.Black}, ann, game.SeatFor(ann),
			game.SeatEngine(1), at, at)
	}))
	play := func(n uint64, p game.Point) error {
		_, err := s.Update(t.Context(), rec.ID, Cause{Interaction: n, At: at}, func(m game.Match) (game.Match, error) {
			return m.Play(ann, p, at)
		})
		return err
	}
	engine.broken = true
	if err := play(5, game.At(4, 4)); !errors.Is(err, kv.ErrBroken) {
		t.Error(err)
	}
	engine.broken = false
	testkit.Must(t, play(5, game.At(4, 4)))
	testkit.Must(t, play(5, game.At(4, 4)))
	if err := play(6, game.At(4, 4)); err == nil {
		t.Error("a move out of turn")
	}
	if !slices.Equal(told, []uint32{rec.Version, rec.Version + 1}) {
		t.Errorf("versions %d are told of, after version %d", told, rec.Version)
	}
}
