package storagetest

import (
	"sync"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/daily"
	"tengen/storage"
)

// puzzles runs a daily puzzle: many members solve it at once, and its message is due.
func puzzles(t *testing.T, o Open) {
	engine := open(t, o)
	s := must(storage.Open(t.Context(), engine, storage.Options{Chunk: 7}))
	const server, members = 100, 20
	due := func() int { return len(must(s.DueDailies(t.Context(), noon, 9, func(uint64) bool { return true }))) }
	must(s.UpdateDaily(t.Context(), server, func(d storage.Daily) (storage.Daily, error) {
		d.Channel, d.Next = 200, noon
		return d, nil
	}))
	if due() != 1 {
		t.Errorf("%d are due, want 1", due())
	}
	must(s.UpdateDaily(t.Context(), server, func(d storage.Daily) (storage.Daily, error) {
		d.Next, d.Day = noon.Add(time.Hour), daily.Day{Puzzle: "g00001", Begins: noon, Made: noon, State: daily.Posted}
		return d, nil
	}))
	var wait sync.WaitGroup
	for m := range game.MemberID(members) {
		wait.Go(func() {
			for range 2 { // the second time changes nothing
				_, _, err := s.TakeDaily(t.Context(), server, 1+m,
					func(d daily.Daily, took daily.Taking) (daily.Daily, daily.Taking, error) {
						if took.Tries == "" {
							d.Day.Solved++
							took.Tries = string(rune(daily.TrySolved))
						}
						return d, took, nil
					})
				if err == nil {
					_, err = s.UpdateSolver(t.Context(), 1+m, game.Renju, server,
						func(v storage.Solver) (storage.Solver, error) { v.Tried++; return v, nil })
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	if d := must(s.Daily(t.Context(), server)); d.Day.Solved != members || due() != 0 {
		t.Errorf("%d have solved it, want %d; %d are due", d.Day.Solved, members, due())
	}
	here := must(s.Solvers(t.Context(), server, game.Renju, func(storage.Member) bool { return true }))
	if len(here) != members || here[0].Tried != 2 {
		t.Errorf("%d solvers, want %d: %+v", len(here), members, here)
	}
	if err := s.Forget(t.Context(), 1, noon); err != nil {
		t.Error(err)
	}
	if rows, err := storage.Verify(t.Context(), engine); err != nil ||
		len(must(s.Solvers(t.Context(), server, game.Renju, func(storage.Member) bool { return true }))) != members-1 {
		t.Errorf("after %d rows: %v", rows, err)
	}
}
