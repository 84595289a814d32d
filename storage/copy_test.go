package storage

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"tengen/internal/testkit"
	"tengen/storage/kv"
)

func TestCopy(t *testing.T) {
	ctx := t.Context()
	src, dst := kv.NewMemory(), kv.NewMemory()
	if _, err := Copy(ctx, dst, src, "", nil); err == nil {
		t.Error("an empty store was copied")
	}
	first(Open(ctx, src, Options{}))
	fillRows(t, src, 5000)
	cut, cancel := context.WithCancel(ctx)
	if _, err := Copy(cut, dst, src, "", func(rows int64) {
		if rows > 2510 { // the rows of a are copied, and would be those of m
			cancel()
		}
	}); !errors.Is(err, context.Canceled) {
		t.Fatalf("a copy that is cut short: %v", err)
	}
	if _, err := Open(ctx, dst, Options{}); err == nil {
		t.Error("half a copy opens as a store")
	}
	err := src.Update(ctx, func(tx kv.Tx) error { // it changes before the copy goes on
		return errors.Join(tx.Delete([]byte("a0100")), tx.Put([]byte("a0200"), []byte("new")), tx.Put([]byte("a02005"), nil))
	})
	testkit.Must(t, err)
	spoiled := false
	if _, err := Copy(ctx, kv.NewMemory(), src, "", func(rows int64) {
		if rows == 5002 && !spoiled { // all are about to be copied, and will be compared
			spoiled = true
			late := func(tx kv.Tx) error { return tx.Put([]byte("a0300"), []byte("late")) }
			testkit.Check(t, src.Update(ctx, late))
		}
	}); err == nil || !strings.Contains(err.Error(), "differs") {
		t.Errorf("a store that changes while it is copied: %v", err)
	}
	rows, err := Copy(ctx, dst, src, "", nil)
	if err != nil || rows != 5002 {
		t.Fatalf("%d rows, %v", rows, err)
	}
	ours, err := between(ctx, src, nil, nil)
	theirs, err2 := between(ctx, dst, nil, nil)
	if err != nil || err2 != nil || len(ours) != 5002 || len(changes(ours, theirs)) != 0 {
		t.Errorf("%d rows became %d, %v, %v", len(ours), len(theirs), err, err2)
	}
	if _, err := Copy(ctx, dst, src, "", nil); err == nil {
		t.Error("a store was copied over another")
	}
}

func fillRows(t *testing.T, e kv.Engine, n int) {
	t.Helper()
	testkit.Must(t, e.Update(t.Context(), func(tx kv.Tx) (err error) {
		for i := range n {
			err = errors.Join(err, tx.Put(fmt.Appendf(nil, "%c%04d", "az"[i*2/n], i), make([]byte, i)))
		}
		return err
	}))
}
