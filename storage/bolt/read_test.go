package bolt

import (
	"errors"
	"os"
	"testing"
	"time"

	"tengen/internal/testkit"
	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

// A reader changes nothing, whatever state the file is in.
func TestRead(t *testing.T) {
	path := newPath(t)
	if _, err := Read(t.Context(), path, Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("reading nothing: %v", err)
	}
	db := open(t, path)
	fill(t, db, "one")
	want := storagetest.All(t, db)
	if _, err := Read(t.Context(), path, Options{}); !errors.As(err, new(*Held)) {
		t.Errorf("reading an open store: %v", err)
	}
	db.Close()
	before := testkit.Read(t, path)
	for range 2 { // with the mark of a clean close and without
		r := testkit.Got(Read(t.Context(), path, Options{}))
		storagetest.Holds(t, r, want)
		if err := r.Update(t.Context(), func(tx kv.Tx) error { return tx.Put([]byte("a"), nil) }); err == nil {
			t.Error("a reader writes")
		}
		if backup, err := r.Backup(t.Context(), time.Now()); err != nil || backup.Size == 0 {
			t.Errorf("a backup by a reader: %v", err)
		}
		testkit.Must(t, r.Close())
		os.Remove(cleanPath(path))
	}
	if r, err := Read(t.Context(), path, Options{}); err != nil || r.Close() != nil {
		t.Error(err)
	}
	if _, err := os.Stat(cleanPath(path)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a reader says that the store was closed cleanly: %v", err)
	}
	if after, _ := os.ReadFile(path); string(after) != string(before) {
		t.Error("a reader changed the file")
	}
	if report, err := Inspect(t.Context(), path, Options{}); err != nil || !report.Good() ||
		report.Total() != int64(len(want)) {
		t.Errorf("the check says %+v, %v", report, err)
	}
	testkit.Must(t, os.Truncate(path, 20000))
	if _, err := Read(t.Context(), path, Options{}); !errors.Is(err, kv.ErrDamaged) {
		t.Errorf("reading a damaged file: %v", err)
	}
	if report, err := Inspect(t.Context(), path, Options{}); err != nil || report.Good() {
		t.Errorf("the check of a damaged file says %+v, %v", report, err)
	}
	if info, _ := os.Stat(path); info.Size() != 20000 {
		t.Error("a reader changed a damaged file")
	}
}
