//go:build unix

package bolt

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"tengen/internal/testkit"
	"tengen/storage/storagetest"
)

const secret = "a number that is to go"

// holey makes a store in whose free pages a secret stands. It gives the rows that are left.
func holey(t *testing.T, path string) (rows []string) {
	t.Helper()
	db := open(t, path)
	fill(t, db, secret)
	fill(t, db, "other")
	for i := range 12 { // more than is copied at once
		storagetest.Put(t, db, []byte{'d', byte(i)}, make([]byte, 1<<20))
	}
	if rows = storagetest.All(t, db); !holds(t, path) || strings.Contains(strings.Join(rows, ""), secret) {
		t.Fatal("the secret is not in free pages alone: this tests nothing")
	}
	testkit.Must(t, db.Close())
	return rows
}

func holds(t *testing.T, path string) bool {
	t.Helper()
	b := testkit.Read(t, path)
	return bytes.Contains(b, []byte(secret))
}

func TestRenew(t *testing.T) {
	dir := scratch(t)
	path, real := filepath.Join(dir, "store.db"), filepath.Join(dir, "disk", "real.db")
	testkit.Must(t, os.Mkdir(filepath.Dir(real), 0o700))
	rows := holey(t, real)
	testkit.Must(t, os.Rename(real+".lock", path+".lock"))
	testkit.Must(t, os.Symlink(real, path))
	testkit.Must(t, os.Chmod(real, 0o640))
	db := open(t, path, Options{Omit: func(k []byte) bool { return k[0] == 'a' }, Mark: []byte("mark")})
	storagetest.Put(t, db, "mark", "data was deleted")
	before, after, err := db.Renew(t.Context())
	if err != nil || before == 0 || after == 0 {
		t.Fatalf("%d bytes became %d, %v", before, after, err)
	}
	storagetest.Holds(t, db, rows)
	storagetest.Put(t, db, "b", "goes on")
	_, err = db.Backup(t.Context(), time.Now())
	testkit.Check(t, err)
	testkit.Must(t, db.Close())
	if holds(t, path) {
		t.Error("what was deleted is still in the file")
	}
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(real); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	db = open(t, path)
	if got := storagetest.All(t, db); len(got) != len(rows)+1 {
		t.Errorf("%d rows after another start", len(got))
	}
	// Without the time for it the store stays as it is.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := db.Renew(ctx); err == nil {
		t.Error("a store is rewritten in no time")
	}
	storagetest.Put(t, db, "b", "goes on still")
	testkit.Must(t, db.Close())
}

func init() {
	children["TENGEN_RENEW_CHILD"] = func(path string) error {
		n, err := strconv.Atoi(os.Getenv("TENGEN_RENEW_AT"))
		if err != nil {
			return err
		}
		db, err := Open(context.Background(), path, here)
		if err == nil {
			_, _, err = db.Renew(deadly{context.Background(), &n})
		}
		return err
	}
}

// A process that is killed while it rewrites the file leaves the old file or the new one, whole.
func TestRenewKilled(t *testing.T) {
	path := newPath(t)
	rows := holey(t, path)
	whole := testkit.Read(t, path)
	killed := 0
	for at := 0; killed == at; at++ { // until it comes to its end
		testkit.Must(t, os.WriteFile(path, whole, fileMode))
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "TENGEN_RENEW_CHILD="+path, "TENGEN_RENEW_AT="+strconv.Itoa(at))
		if out, err := cmd.CombinedOutput(); err != nil {
			if killed++; !strings.Contains(err.Error(), "killed") {
				t.Fatalf("%v: %s", err, out)
			}
		}
		db := open(t, path, here)
		storagetest.Holds(t, db, rows)
		db.Close()
		if left, _ := filepath.Glob(path + ".next*"); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	}
	if killed < 2 || holds(t, path) {
		t.Errorf("killed %d times; the file holds what was deleted: %v", killed, holds(t, path))
	}
}
