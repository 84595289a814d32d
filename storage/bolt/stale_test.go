package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tengen/internal/testkit"
	"tengen/storage/storagetest"
)

// here checks files in this process: none in these tests is deadly.
var here = Options{Log: quiet, Check: CheckHere}

// rename gives a backup the name that it would have had at another time.
func rename(t *testing.T, path, backup string, at time.Time) {
	t.Helper()
	testkit.Must(t, os.Rename(backup, filepath.Join(filepath.Dir(backup), backupName(path, at))))
}

// changed is a store with a change before each of its five backups, an hour apart.
func changed(t *testing.T, now time.Time, o Options) (db *DB, path string, made []string) {
	t.Helper()
	path = newPath(t)
	db = open(t, path, o)
	for i := range 5 {
		storagetest.Put(t, db, storagetest.B("a%d", i), "")
		b := backedUp(t, db, now.Add(time.Duration(i-5)*time.Hour))
		made = append(made, b.Path)
	}
	return db, path, made
}

func names(dir string) (names []string) {
	for _, e := range testkit.Got(os.ReadDir(dir)) {
		names = append(names, e.Name())
	}
	return names
}

// ruin overwrites a store that is closed, so that its start needs a backup.
func ruin(t *testing.T, path string) {
	t.Helper()
	testkit.Must(t, os.WriteFile(path, bytes.Repeat([]byte("damage"), 1000), fileMode))
}

// A backup that is dated ahead, whichever it is, takes no other's place: not in the
// rotation, and not in a recovery.
func TestBackupAhead(t *testing.T) {
	for which := range 5 {
		t.Run(fmt.Sprint(which), func(t *testing.T) {
			now := time.Now()
			var log bytes.Buffer
			db, path, made := changed(t, now, Options{Check: CheckHere, Log: slog.New(slog.NewTextHandler(&log, nil))})
			rename(t, path, made[which], now.Add(30*24*time.Hour))
			storagetest.Put(t, db, "b", "")
			for i := range 2 {
				b := backedUp(t, db, now.Add(time.Duration(i)*time.Minute))
				_, err := os.Stat(b.Path)
				testkit.Check(t, err)
			}
			if left := names(path + ".backups"); len(left) != 7 {
				t.Errorf("of 7 backups there are %v", left)
			}
			if n := strings.Count(log.String(), "level=WARN"); n != 1 {
				t.Errorf("%d warnings: %s", n, log.String())
			}
			want := storagetest.All(t, db)
			testkit.Must(t, db.Close())
			recovers(t, path, want)
		})
	}
}

// recovers ruins a store that is closed, and checks that all its rows come back.
func recovers(t *testing.T, path string, want []string) {
	t.Helper()
	ruin(t, path)
	db := open(t, path, here)
	defer db.Close()
	storagetest.Holds(t, db, want)
}

// A name that lies without being ahead does not decide either.
func TestRecoveryByContent(t *testing.T) {
	now := time.Now()
	db, path, made := changed(t, now, here)
	want := storagetest.All(t, db)
	testkit.Must(t, db.Close())
	rename(t, path, made[0], now.Add(-time.Minute))
	rename(t, path, made[4], now.Add(-1000*time.Hour))
	recovers(t, path, want)
}

// A clock that jumps ahead, and comes back, costs no backup more than there are new ones.
func TestClockJumps(t *testing.T) {
	now := time.Now()
	db, path, _ := changed(t, now, here)
	defer db.Close()
	for i, at := range []time.Duration{30 * 24 * time.Hour, 30*24*time.Hour + time.Hour, time.Hour, -400 * 24 * time.Hour,
		2 * time.Hour, 1000 * 24 * time.Hour} {
		b := backedUp(t, db, now.Add(at))
		_, err := os.Stat(b.Path)
		testkit.Check(t, err)
		if left := names(path + ".backups"); len(left) != 5+i+1 {
			t.Errorf("with the clock at %v: of %d backups there are %v", at, 5+i+1, left)
		}
	}
}

// After a restore what is stored from then on is the latest, and not what was given up
// by it, however much more had been stored there.
func TestAbandonedHistory(t *testing.T) {
	for _, lost := range []bool{false, true} { // the store that is given up is damaged
		now := time.Now()
		db, path, made := changed(t, now, here)
		testkit.Must(t, db.Close())
		if lost {
			ruin(t, path)
		}
		testkit.Got(Restore(t.Context(), path, made[1], here))
		db = open(t, path, here)
		storagetest.Put(t, db, "new", "")
		if _, err := db.Backup(t.Context(), now.Add(-10*time.Hour)); err != nil { // the clock is wrong, too
			t.Fatal(err)
		}
		want := storagetest.All(t, db)
		testkit.Must(t, db.Close())
		ruin(t, path)
		db = open(t, path, here)
		storagetest.Holds(t, db, want)
		db.Close()
	}
}

// KeepBackups makes the next backup in time although one is dated ahead, and makes one at
// once after a restore.
func TestKeepBackupsInTime(t *testing.T) {
	keep := func(t *testing.T, db *DB, d time.Duration) {
		ctx, cancel := context.WithCancel(t.Context())
		var wait sync.WaitGroup
		wait.Go(func() { db.KeepBackups(ctx, time.Hour) })
		time.Sleep(d)
		cancel()
		wait.Wait()
	}
	synctest.Test(t, func(t *testing.T) {
		db, path, made := changed(t, time.Now(), here)
		rename(t, path, made[2], time.Now().Add(30*24*time.Hour))
		keep(t, db, 61*time.Minute)
		if n := len(names(path + ".backups")); n < 6 {
			t.Errorf("after an hour there are %d backups", n)
		}
		testkit.Must(t, db.Close())
		testkit.Got(Restore(t.Context(), path, made[0], here))
		db = open(t, path, here)
		defer db.Close()
		before := len(names(path + ".backups"))
		keep(t, db, time.Second)
		if n := len(names(path + ".backups")); n != before+1 {
			t.Errorf("after the restore there are %d backups, before %d", n, before)
		}
	})
}

// What was left half done by a process that was killed is removed by whoever has the
// lock and may change something, and by nobody else.
func TestLeftovers(t *testing.T) {
	db, path, made := changed(t, time.Now(), here)
	testkit.Must(t, db.Close())
	left := []string{path + ".new", path + ".part", path + ".next", path + ".next.part", made[0] + ".part"}
	other := []string{path + ".schema1.part", filepath.Join(filepath.Dir(made[0]), "other.part"), path + ".backup.part"}
	put := func() {
		for _, name := range append(left, other...) {
			testkit.Must(t, os.WriteFile(name, []byte("half"), fileMode))
		}
	}
	there := func(names []string) (n int) {
		for _, name := range names {
			if _, err := os.Stat(name); err == nil {
				n++
			}
		}
		return n
	}
	put()
	testkit.Got(Inspect(t.Context(), path, here))
	read := testkit.Got(Read(t.Context(), path, here))
	if _, err := Open(t.Context(), path, here); !errors.As(err, new(*Held)) {
		t.Fatal(err)
	}
	if n := there(left); n != len(left) {
		t.Errorf("one that reads alone left %d of %d", n, len(left))
	}
	backedUp(t, read, time.Now())
	testkit.Must(t, read.Close())
	for _, c := range []struct {
		name string
		do   func() error
	}{
		{"a backup", func() error { return nil }},
		{"a start", func() error { put(); return open(t, path, here).Close() }},
		{"a restore", func() error { put(); _, err := Restore(t.Context(), path, made[3], here); return err }},
		{"a compaction", func() error { put(); _, _, err := Compact(t.Context(), path, here, nil); return err }},
	} {
		if err := c.do(); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if n := there(left); n != 0 {
			t.Errorf("%s left %d of %d", c.name, n, len(left))
		}
	}
	next := path + ".next" // whole, but its restore was killed: somebody wants it
	testkit.Must(t, os.Link(made[2], next))
	_, err := Restore(t.Context(), path, next, here)
	testkit.Check(t, err)
	if n := there(other); n != len(other) {
		t.Errorf("of others' files %d are gone", len(other)-n)
	}
}
