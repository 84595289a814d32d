package storage

import (
	"sync"
	"testing"
	"time"

	"tengen/internal/testkit"
	"tengen/storage/kv"
)

func TestSession(t *testing.T) {
	s := first(Open(t.Context(), kv.NewMemory(), Options{}))
	want := Session{ID: "abc", Seq: 17, URL: "wss://gateway.example"}
	for _, v := range []Session{want, {ID: "x"}, {}} {
		testkit.Must(t, s.SetSession(t.Context(), 4, 3, v))
		if got, err := s.Session(t.Context(), 4, 3); err != nil || got != v {
			t.Errorf("%+v %v, want %+v", got, err, v)
		}
	}
	s.SetSession(t.Context(), 4, 3, want)
	if got, err := s.Session(t.Context(), 8, 3); err != nil || got.ID != "" {
		t.Errorf("the connection of another number of shards: %+v %v", got, err)
	}
	if !Omit(sessionKey(4, 3)) || !Omit(turnKey(0)) {
		t.Error("what is of the running processes is in backups")
	}
}

// Of many who want the turn of a bucket one has it, and the others hear when it ends.
func TestTurn(t *testing.T) {
	s := first(Open(t.Context(), kv.NewMemory(), Options{}))
	now := testkit.At("2026-01-01")
	try := func() (winners int) {
		var mu sync.Mutex
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				free, err := s.TakeTurn(t.Context(), 1, now, 10*time.Second)
				testkit.Check(t, err)
				mu.Lock()
				defer mu.Unlock()
				if free.IsZero() {
					winners++
				}
			})
		}
		all.Wait()
		return winners
	}
	testkit.Want(t, "who have the turn", try(), 1)
	if free, _ := s.TakeTurn(t.Context(), 1, now, time.Second); !free.Equal(now.Add(10 * time.Second)) {
		t.Errorf("free at %v", free)
	}
	if free, _ := s.TakeTurn(t.Context(), 2, now, time.Second); !free.IsZero() {
		t.Error("another bucket is not free")
	}
	first := now.Add(10 * time.Second)
	s.EndTurn(t.Context(), 1, first, now.Add(time.Second))
	now = now.Add(2 * time.Second)
	testkit.Want(t, "who have the turn after its end", try(), 1)
	// Who was paused meanwhile ends nobody else's.
	s.EndTurn(t.Context(), 1, first, now)
	testkit.Want(t, "who have the turn that another has", try(), 0)
	s.EndTurn(t.Context(), 1, now.Add(10*time.Second), now.Add(10*365*24*time.Hour))
	testkit.Want(t, "who have the turn after a clock was wrong", try(), 1)
}
