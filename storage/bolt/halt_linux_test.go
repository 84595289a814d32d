package bolt

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"tengen/internal/testkit"
	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

// After an error of the disk nothing is written any more, even if the disk is well again:
// nobody knows what the file holds until a start has checked it.
func TestHalt(t *testing.T) {
	path := newPath(t)
	db := open(t, path)
	storagetest.Put(t, db, "a", "before")
	fd := descriptor(t, path)
	well := testkit.Got(syscall.Dup(fd))
	defer syscall.Close(well)
	ill, err := os.Open(path) // to which nothing can be written
	testkit.Must(t, err)
	defer ill.Close()
	testkit.Must(t, syscall.Dup3(int(ill.Fd()), fd, 0))
	put := func(key string) error {
		return db.Update(t.Context(), func(tx kv.Tx) error { return tx.Put([]byte(key), nil) })
	}
	if err := put("b"); !errors.Is(err, kv.ErrBroken) || !errors.Is(err, syscall.EBADF) {
		t.Errorf("a write that fails: %v", err)
	}
	testkit.Must(t, syscall.Dup3(well, fd, 0))
	for range 3 {
		if err := put("c"); !errors.Is(err, kv.ErrBroken) {
			t.Errorf("a write after one that failed: %v", err)
		}
	}
	if status, err := db.Status(); err != nil || !errors.Is(status.Broken, syscall.EBADF) {
		t.Errorf("the status: %v, %v", status.Broken, err)
	}
	if got := storagetest.All(t, db); len(got) != 1 {
		t.Errorf("there is %q", got)
	}
	if err := db.Close(); err != nil || isClean(path) {
		t.Errorf("closing it: %v, as a clean one: %v", err, isClean(path))
	}
	db = open(t, path)
	defer db.Close()
	if got := storagetest.All(t, db); strings.Join(got, " ") != "a=before" || db.Recovery().Happened() {
		t.Errorf("the next start finds %q; recovery: %v", got, db.Recovery())
	}
}

// descriptor is the number under which this process has a file open.
func descriptor(t *testing.T, path string) int {
	t.Helper()
	want := testkit.Got(os.Stat(path))
	for fd := range 1024 {
		var stat syscall.Stat_t
		if syscall.Fstat(fd, &stat) == nil && stat.Ino == want.Sys().(*syscall.Stat_t).Ino &&
			stat.Dev == want.Sys().(*syscall.Stat_t).Dev {
			return fd
		}
	}
	t.Fatal("the file is not open")
	return 0
}
