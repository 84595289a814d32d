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
	l := testkit.Got(acquire(path, "one", ""))
	child := testkit.Got(syscall.Dup(int(l.file.Fd())))
	defer syscall.Close(child)
	l.release()
	l = testkit.Got(acquire(path, "two", ""))
	l.release()
}
