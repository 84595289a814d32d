package bolt

import (
	"errors"
	"fmt"
	"testing"

	"tengen/internal/testkit"
	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

// fillUp puts rows until there is no room, and says how many were acknowledged.
func fillUp(db *DB, put func(i int) error) (acked int, err error) {
	for i := range 1_000_000 {
		if err := put(i); err != nil {
			return i, err
		}
	}
	return 0, errors.New("the store never gets full")
}

func row(i int) (key, value []byte) {
	return storagetest.B("g%06d", i*7919%1000003), storagetest.B("%0400d", i)
}

func TestMaxSize(t *testing.T) {
	t.Parallel()
	db := open(t, newPath(t), Options{MaxSize: 8 << 20, Reserve: 1 << 20})
	defer db.Close()
	if err := db.Room(); err != nil {
		t.Errorf("an empty store has no room: %v", err)
	}
	holdsWhenFull(t, db, func() {
		if err := db.Room(); !errors.Is(err, kv.ErrFull) {
			t.Errorf("a full store has room: %v", err)
		}
	})
}

// holdsWhenFull fills a store: what was acknowledged is there, refusals are ErrFull, small
// changes and deletions go on when rows are taken away.
func holdsWhenFull(t *testing.T, db *DB, full func()) {
	acked, err := fillUp(db, func(i int) error {
		return db.Update(t.Context(), func(tx kv.Tx) error {
			k, v := row(i)
			return tx.Put(k, v)
		})
	})
	if !errors.Is(err, kv.ErrFull) || errors.Is(err, kv.ErrBroken) {
		t.Fatalf("after %d rows: %v", acked, err)
	}
	full()
	there := func() (n int) {
		err := db.View(t.Context(), func(r kv.Reader) error {
			for i := range acked {
				k, want := row(i)
				v, err := r.Get(k)
				if err != nil {
					return err
				}
				if v != nil && string(v) != string(want) {
					t.Errorf("row %d has a wrong value", i)
				}
				if v != nil {
					n++
				}
			}
			return nil
		})
		testkit.Check(t, err)
		return n
	}
	if n := there(); n != acked {
		t.Errorf("%d of %d acknowledged rows are there", n, acked)
	}
	refused := 0
	for i := range 50 {
		err := db.Update(t.Context(), func(tx kv.Tx) error { return tx.Put(storagetest.B("x%d", i), make([]byte, 100_000)) })
		if errors.Is(err, kv.ErrFull) {
			refused++
		} else if err != nil {
			t.Errorf("on a full store: %v", err)
		}
	}
	if refused == 0 {
		t.Error("a full store refuses nothing")
	}
	// Room is made: it goes on.
	for i := range acked / 2 {
		err := db.Update(t.Context(), func(tx kv.Tx) error {
			k, _ := row(i)
			return tx.Delete(k)
		})
		if err != nil {
			t.Fatalf("deleting on a full store: %v", err)
		}
	}
	storagetest.Put(t, db, "z", "there is room again")
	if n := there(); n != acked-acked/2 {
		t.Errorf("%d rows are left of %d", n, acked-acked/2)
	}
	report, err := CheckHere(t.Context(), db.path)
	if err == nil && !report.Good() {
		t.Errorf("the check says %s", report.Problem)
	}
	t.Logf("%s", fmt.Sprintf("%d rows, then %d refusals of 50 large ones", acked, refused))
}

// A write that finds no room does not take those along that share its commit.
func TestLargeAmongSmall(t *testing.T) {
	db := open(t, newPath(t), Options{MaxSize: 4 << 20})
	defer db.Close()
	small := &request{done: make(chan answer, 1), fn: func(tx kv.Tx) error { return tx.Put([]byte("s"), nil) }}
	large := &request{done: make(chan answer, 1), fn: func(tx kv.Tx) (err error) {
		for i := range 8 {
			err = errors.Join(err, tx.Put(storagetest.B("l%d", i), make([]byte, kv.MaxValue)))
		}
		return err
	}}
	db.commit([]*request{large, small}) // the writer is idle
	if a := <-large.done; !errors.Is(a.err, kv.ErrFull) {
		t.Errorf("the large one: %v", a.err)
	}
	if a := <-small.done; a.err != nil {
		t.Errorf("the small one: %v", a.err)
	}
	if got := storagetest.All(t, db); len(got) != 1 {
		t.Errorf("there are %d rows", len(got))
	}
}
