package lease_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"tengen/internal/testkit"
	"tengen/storage/kv"
	"tengen/storage/lease"
)

func TestAssign(t *testing.T) {
	var members []string
	before := lease.Assign(members, 64)
	for n := 1; n <= 20; n++ {
		members = append(members, fmt.Sprintf("%x", 7587858*n))
		now := lease.Assign(members, 64)
		has := map[string]int{}
		moved := 0
		for slot, m := range now {
			has[m]++
			if m != before[slot] {
				moved++
			}
		}
		for _, m := range members {
			if has[m] > (64+n-1)/n {
				t.Errorf("%d members: %s has %d", n, m, has[m])
			}
		}
		if n > 1 && moved > 2*64/n+4 {
			t.Errorf("%d change hands when member %d comes", moved, n)
		}
		back := slices.Clone(members)
		slices.Reverse(back)
		if !slices.Equal(now, lease.Assign(back, 64)) {
			t.Error("the order of the members counts")
		}
		before = now
	}
}

func TestOf(t *testing.T) {
	var n [64]int
	for i := range uint64(6400) {
		n[lease.SlotOf(1<<60+i<<22, 64)]++
	}
	if low := slices.Min(n[:]); low < 60 {
		t.Errorf("a slot has %d of 6400, 100 is the mean", low)
	}
}

func TestAlone(t *testing.T) {
	var got []int
	s, err := lease.Alone{}.Join(t.Context(),
		lease.Group{Name: "x", Slots: 3, Gained: func(_ lease.Share, slots []int) { got = slots }})
	if err != nil || !slices.Equal(got, []int{0, 1, 2}) || !s.Holds(2) || s.Shared() {
		t.Error(got, err)
	}
	if ctx, ok := s.Under(t.Context(), 1); !ok || ctx != t.Context() {
		t.Error("not held")
	}
	s.Close()
}

// TestTable: two processes share, and the writes of a dead one are refused.
func TestTable(t *testing.T) {
	table, store := lease.NewTable(), kv.NewMemory()
	var shares [2]lease.Share
	var dead [2]func()
	for i := range shares {
		p, d := table.Process()
		dead[i] = d
		var err error
		lost := func(s lease.Share, slots []int) {
			for _, slot := range slots {
				if !s.Holds(slot) {
					t.Errorf("%d is given up while its work goes on", slot)
				}
			}
		}
		shares[i], err = p.Join(t.Context(), lease.Group{Name: "x", Slots: 8, Lost: lost})
		testkit.Must(t, err)
	}
	mine := slices.IndexFunc([]int{0, 1, 2, 3, 4, 5, 6, 7}, shares[0].Holds)
	if shares[1].Holds(mine) {
		t.Fatal("both hold it")
	}
	ctx, ok := shares[0].Under(t.Context(), mine)
	put := func(tx kv.Tx) error { return tx.Put([]byte("k"), nil) }
	if err := store.Update(ctx, put); err != nil || !ok {
		t.Fatal(err, ok)
	}
	dead[0]()
	if err := store.Update(ctx, put); !errors.Is(err, kv.ErrFenced) {
		t.Errorf("a dead process writes: %v", err)
	}
	for slot := range 8 {
		if !shares[1].Holds(slot) {
			t.Errorf("nobody holds %d", slot)
		}
	}
}
