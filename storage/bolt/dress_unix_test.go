//go:build unix

package bolt

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"tengen/internal/testkit"
	"tengen/storage/storagetest"
)

// What root does to the store of a service leaves every file to the service, which could not start otherwise.
func TestRootLeavesOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	const service = 54321
	path := filepath.Join(scratch(t), "folder", "store.db")
	testkit.Must(t, os.Mkdir(filepath.Dir(path), 0o700))
	db := open(t, path)
	fill(t, db, "a")
	testkit.Must(t, db.Close())
	give := func(path string, _ fs.DirEntry, err error) error {
		testkit.Must(t, err)
		return os.Lchown(path, service, service)
	}
	testkit.Must(t, filepath.WalkDir(filepath.Dir(path), give))
	testkit.Must(t, os.Chmod(path, 0o640))
	owned := func(after string) {
		t.Helper()
		testkit.Must(t, filepath.WalkDir(filepath.Dir(path), func(path string, d fs.DirEntry, err error) error {
			testkit.Must(t, err)
			info := testkit.Got(d.Info())
			if s := info.Sys().(*syscall.Stat_t); s.Uid != service || s.Gid != service {
				t.Errorf("%s: %s is owned by %d:%d", after, path, s.Uid, s.Gid)
			}
			return nil
		}))
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("%s: mode %v, %v", after, info.Mode(), err)
		}
	}
	db = testkit.Got(Read(t.Context(), path, here))
	backup := testkit.Got(db.Backup(t.Context(), time.Now()))
	testkit.Must(t, db.Close())
	owned("a backup")
	testkit.Got(Restore(t.Context(), path, backup.Path, here))
	owned("a restore")
	_, _, err := Compact(t.Context(), path, here, nil)
	testkit.Must(t, err)
	owned("a compaction")
	testkit.Must(t, os.WriteFile(path, []byte("no store"), 0o640))
	db = open(t, path, here) // puts the backup in its place
	testkit.Must(t, db.Close())
	owned("a recovery")

	// Where there is no file any more, the folder says whose it is to be.
	for _, left := range testkit.Got(filepath.Glob(path + "*")) {
		if left != path+".backups" {
			testkit.Must(t, os.Remove(left))
		}
	}
	testkit.Got(Restore(t.Context(), path, backup.Path, here))
	testkit.Must(t, os.Chmod(path, 0o640))
	owned("a restore of what was lost")
	db = open(t, path, here)
	storagetest.Put(t, db, "b", "goes on")
	testkit.Must(t, db.Close())
	owned("a start")

	// A link in the folder does not lead root to a file of another.
	other := filepath.Join(scratch(t), "other")
	testkit.Must(t, os.WriteFile(other, []byte(`{"pid":1}`), 0o600))
	testkit.Must(t, giveTo(link(t, other), testkit.Got(os.Stat(path))))
	if s := testkit.Got(os.Stat(other)).Sys().(*syscall.Stat_t); s.Uid != 0 {
		t.Errorf("what a link leads to is owned by %d", s.Uid)
	}
}

func link(t *testing.T, to string) string {
	t.Helper()
	path := filepath.Join(scratch(t), "link")
	testkit.Must(t, os.Symlink(to, path))
	return path
}
