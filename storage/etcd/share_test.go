package etcd

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"tengen/internal/testkit"
	"tengen/storage/etcd/etcdtest"
	"tengen/storage/kv"
	"tengen/storage/lease"
)

// group16 is a group of 16 numbers.
func group16() lease.Group { return lease.Group{Name: "x", Slots: 16} }

// partner is a process that takes part in group16.
type partner struct {
	t     *testing.T
	db    *DB
	share lease.Share
	mu    sync.Mutex
	told  map[int]bool // what Gained and Lost have said
	ends  int          // slots that Lost told of while they were still held
}

func join(t *testing.T, c *etcdtest.Cluster, o Options) *partner {
	p := &partner{t: t, db: open(t, c, o), told: map[int]bool{}}
	note := func(to bool) func(lease.Share, []int) {
		return func(s lease.Share, slots []int) {
			p.mu.Lock()
			defer p.mu.Unlock()
			for _, slot := range slots {
				if p.told[slot] == to {
					t.Errorf("told twice of %d: %v", slot, to)
				}
				p.told[slot] = to
				if !to && s.Holds(slot) {
					p.ends++
				}
			}
		}
	}
	var err error
	g := group16()
	g.Gained, g.Lost = note(true), note(false)
	p.share, err = p.db.Join(t.Context(), g)
	testkit.Must(t, err)
	return p
}

func (p *partner) holds() (slots []int) {
	for slot := range 16 {
		p.mu.Lock()
		told := p.told[slot]
		p.mu.Unlock()
		if told && p.share.Holds(slot) {
			slots = append(slots, slot)
		}
	}
	return slots
}

func (p *partner) await(n int) {
	p.t.Helper()
	for end := time.Now().Add(time.Minute); len(p.holds()) != n; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("holds %v, want %d", p.holds(), n)
		}
	}
}

// TestShare: a process that joins gets slots, one that leaves gives them up at once, one that
// dies loses them when its lease ends, and no process writes under a slot that it lost.
func TestShare(t *testing.T) {
	t.Parallel()
	c := etcdtest.Start(t, 1)
	one := join(t, c, Options{Lease: time.Second})
	one.await(16)
	two := join(t, c, Options{Lease: time.Second})
	one.await(8)
	two.await(8)
	for _, slot := range one.holds() {
		if slices.Contains(two.holds(), slot) {
			t.Errorf("both hold %d", slot)
		}
	}
	one.mu.Lock()
	if one.ends != 8 {
		t.Errorf("of the slots that were handed over %d were held until their work had ended", one.ends)
	}
	one.mu.Unlock()
	put := func(p *partner, ctx context.Context) error {
		return p.db.Update(ctx, func(tx kv.Tx) error { return tx.Put([]byte("k"), []byte("v")) })
	}
	mine := two.holds()[0]
	under, ok := two.share.Under(t.Context(), mine)
	if err := put(two, under); err != nil || !ok {
		t.Fatalf("a holder's write: %v, %v", err, ok)
	}
	began := time.Now()
	two.share.Close()
	one.await(16)
	t.Logf("taken over %v after the end", time.Since(began).Round(time.Millisecond))
	if err := put(two, under); !errors.Is(err, kv.ErrFenced) {
		t.Errorf("a write under what was given up: %v", err)
	}
	if _, ok := two.share.Under(t.Context(), mine); ok {
		t.Error("a closed share holds")
	}

	// A lease that ends by itself, as that of a process that is dead or paused.
	three := join(t, c, Options{Lease: time.Second})
	one.await(8)
	three.await(8)
	under, _ = three.share.Under(t.Context(), three.holds()[0])
	s := three.share.(*share)
	s.mu.Lock()
	id := s.lease
	s.mu.Unlock()
	testkit.Got(one.db.client.Revoke(t.Context(), id))
	if err := put(three, under); !errors.Is(err, kv.ErrFenced) {
		t.Errorf("a write under a lease that is over: %v", err)
	}
	three.await(8) // it comes back by itself
	one.await(8)

	// Nobody has the slots any more.
	three.share.Close()
	one.share.Close()
	under, ok = one.share.Under(t.Context(), 0)
	if err := put(one, under); !errors.Is(err, kv.ErrFenced) || ok {
		t.Errorf("a write under a slot that nobody has: %v, %v", err, ok)
	}
}

// TestShareTakesOver: within ten seconds somebody else holds what a dead process held.
func TestShareTakesOver(t *testing.T) {
	t.Parallel()
	c := etcdtest.Start(t, 1)
	one := join(t, c, Options{})
	two := join(t, c, Options{})
	one.await(8)
	two.await(8)
	began := time.Now()
	two.db.client.Close() // nothing of it reaches the servers any more
	one.await(16)
	t.Logf("taken over after %v", time.Since(began).Round(time.Millisecond))
	two.await(0)
}
