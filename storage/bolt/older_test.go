package bolt

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/internal/testkit"
	"tengen/storage/storagetest"
)

// olderCopy puts an older copy of a store in its place, beside the backups of what came after.
func olderCopy(t *testing.T) (path string, made []string) {
	t.Helper()
	db, path, made := changed(t, time.Now(), here)
	testkit.Must(t, db.Close())
	copied := testkit.Read(t, made[1])
	testkit.Must(t, errors.Join(os.WriteFile(path, copied, fileMode), markClean(path)))
	return path, made
}

// An older copy of a store is not opened where a backup holds a later change, and nothing is
// changed. The error names both.
func TestOlderCopy(t *testing.T) {
	path, made := olderCopy(t)
	before := testkit.Read(t, path)
	db, err := Open(t.Context(), path, here)
	if err == nil {
		db.Close()
	}
	var older *olderFile
	if !errors.As(err, &older) || older.Last.Changes != 2 || older.Backup.Path != made[4] ||
		older.Backup.Last.Changes != 5 {
		t.Fatalf("opened: %v", err)
	}
	for _, part := range []string{"change 2 of history 1", "change 5 of history 1", filepath.Base(made[4]),
		"--accept-older", "store restore"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error lacks %q: %v", part, err)
		}
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) || !isClean(path) {
		t.Errorf("the file was touched: %v", err)
	}
	backups, err := Backups(path, path+".backups")
	if err != nil || len(backups) != len(made) {
		t.Errorf("%d backups, %v", len(backups), err)
	}

	// A restore is a decision: it begins a history, and is not refused.
	testkit.Got(Restore(t.Context(), path, made[0], here))
	open(t, path, here).Close()
	lastIs(t, path, Last{Epoch: 2, Changes: 1})
}

// An older copy that is accepted begins a history: its backups count as later than those that
// were given up, and the next start needs no word.
func TestOlderAccepted(t *testing.T) {
	path, made := olderCopy(t)
	accept := here
	accept.AcceptOlder = true
	db := open(t, path, accept)
	lastIs(t, path, Last{Epoch: 2, Changes: 2})
	if !keepsNew(t, db, path) {
		t.Error("a recovery loses what was stored after the older copy was accepted")
	}
	open(t, path, accept).Close() // there is nothing to accept
	if l, err := readLast(path); err != nil || l.Epoch != 3 {
		t.Errorf("after the recovery: %v, %v", l, err)
	}
	_, err := os.Stat(made[4])
	testkit.Check(t, err)
}

// keepsNew adds a row to a store, makes a backup, starts once more and ruins the file. It reports
// whether the next start brings the row back.
func keepsNew(t *testing.T, db *DB, path string) bool {
	t.Helper()
	storagetest.Put(t, db, "new", "")
	backedUp(t, db, time.Now().Add(time.Hour))
	want := storagetest.All(t, db)
	o := db.options
	testkit.Must(t, db.Close())
	o.AcceptOlder = false
	open(t, path, o).Close()
	ruin(t, path)
	db = open(t, path, o)
	defer db.Close()
	return slices.Equal(storagetest.All(t, db), want)
}
