//go:build unix

package bolt

import (
	"path/filepath"
	"syscall"
	"testing"

	"tengen/internal/testkit"
)

// A process that is being started has a copy of every open file until it runs its program. The
// copy does not keep a released lock.
func TestLockReleasedBesideACopy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tengen.db")
	l, err := acquire(path, "one")
	testkit.Must(t, err)
	child, err := syscall.Dup(int(l.file.Fd()))
	testkit.Must(t, err)
	defer syscall.Close(child)
	l.release()
	l, err = acquire(path, "two")
	testkit.Must(t, err)
	l.release()
}
