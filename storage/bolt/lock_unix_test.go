//go:build unix

package bolt

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A process that is being started has a copy of every open file until it runs its program. The
// copy does not keep a released lock.
func TestLockReleasedBesideACopy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tengen.db")
	l, err := acquire(path, "one")
	if err != nil {
		t.Fatal(err)
	}
	child, err := syscall.Dup(int(l.file.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(child)
	l.release()
	l, err = acquire(path, "two")
	if err != nil {
		t.Fatal(err)
	}
	l.release()
}
