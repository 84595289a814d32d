package bolt

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"tengen/internal/testkit"
	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

// leaves are the numbers of the pages with rows; the one that names the tables is none.
func leaves(t *testing.T, db *DB) (pages []int) {
	t.Helper()
	err := db.bolt.View(func(tx *bboltTx) error {
		root := int(tx.Cursor().Bucket().RootPage())
		for n := 2; ; n++ {
			info, err := tx.Page(n)
			if info == nil || err != nil {
				return err
			}
			if info.Type == "leaf" && info.Count > 1 && n != root {
				pages = append(pages, n)
			}
			n += info.OverflowCount
		}
	})
	if err != nil || len(pages) < 20 {
		t.Fatal(pages, err)
	}
	return pages
}

// hide lowers the count of a page of a file that may be open, so that its last row is gone.
func hide(path string, number int) {
	f := testkit.Got(os.OpenFile(path, os.O_RDWR, 0))
	defer f.Close()
	head := make([]byte, pageHead)
	testkit.Got(f.ReadAt(head, int64(number*page)))
	setCount(head, countOf(head)-1)
	testkit.Got(f.WriteAt(head, int64(number*page)))
}

// Each page with rows can lose its last one: the check names the table and says how many
// are missing. Without the sums it finds nothing.
func TestHiddenRows(t *testing.T) {
	path := newPath(t)
	db := open(t, path)
	fill(t, db, "now")
	pages := leaves(t, db)
	testkit.Must(t, db.Close())
	content := testkit.Read(t, path)
	counted := 0
	for _, n := range pages {
		testkit.Must(t, os.WriteFile(path, content, fileMode))
		hide(path, n)
		report, err := CheckHere(t.Context(), path)
		if err != nil || report.Good() {
			t.Errorf("page %d of one row less: %q, %v", n, report.Problem, err)
		}
		if strings.Contains(report.Problem, " rows instead of ") {
			counted++
		}
	}
	if counted < len(pages)/2 {
		t.Errorf("the sums find the loss in %d of %d pages: the pages say the rest", counted, len(pages))
	}
}

// Rows that vanish while the store is open: the close is clean, the start finds it.
func TestHiddenBeforeClose(t *testing.T) {
	path := newPath(t)
	db := open(t, path)
	fill(t, db, "now")
	want := storagetest.All(t, db)
	backedUp(t, db, time.Now())
	hide(path, leaves(t, db)[3])
	if len(storagetest.All(t, db)) != len(want)-1 {
		t.Fatal("no row is hidden")
	}
	// That the rows beside it are written anew does not hide it again.
	fill(t, db, "now")
	testkit.Must(t, db.Close())
	if !isClean(path) {
		t.Fatal("the close was not clean")
	}
	if _, err := Read(t.Context(), path, Options{Log: quiet, startTime: time.Minute}); !errors.Is(err, kv.ErrDamaged) {
		t.Errorf("reading it: %v", err)
	}
	db = open(t, path, Options{startTime: time.Minute})
	defer db.Close()
	if got := storagetest.All(t, db); !slices.Equal(got, want) ||
		!strings.Contains(db.Recovery().Problem, "rows instead of") {
		t.Errorf("%d rows of %d; recovery: %v", len(got), len(want), db.Recovery())
	}
}

// A start that has no time for the rows of a file that was closed cleanly goes on without.
func TestStartInTime(t *testing.T) {
	path := newPath(t)
	db := open(t, path)
	fill(t, db, "now")
	testkit.Must(t, db.Close())
	db = open(t, path, Options{startTime: time.Nanosecond})
	if db.Recovery().Happened() {
		t.Error(db.Recovery())
	}
	n := leaves(t, db)[3]
	testkit.Must(t, db.Close())
	// It goes on only with the very file that was closed.
	hide(path, n)
	if _, err := Open(t.Context(), path, Options{Log: quiet, startTime: time.Nanosecond}); !errors.As(err,
		new(*damagedError)) {
		t.Errorf("a file that has changed since: %v", err)
	}
}

// A backup of a store from which rows have vanished fails and names the table, the store
// says that it is damaged and takes nothing more, and the next start puts the last good
// backup in its place.
func TestBackupMissesRows(t *testing.T) {
	path := newPath(t)
	db := open(t, path, Options{Omit: func(key []byte) bool { return key[0] == 'b' }})
	fill(t, db, "now")
	good := backedUp(t, db, time.Now())
	hide(path, leaves(t, db)[3])
	if _, err := db.Backup(t.Context(), time.Now().Add(time.Hour)); !errors.Is(err, kv.ErrDamaged) ||
		!strings.Contains(err.Error(), "table '") {
		t.Errorf("a backup of a store that lacks a row: %v", err)
	}
	if backups, err := Backups(path, path+".backups"); err != nil || len(backups) != 1 {
		t.Errorf("%d backups, %v", len(backups), err)
	}
	if status, err := db.Status(); err != nil || !errors.Is(status.Broken, kv.ErrDamaged) {
		t.Errorf("the status: %v, %v", status.Broken, err)
	}
	if err := db.Update(t.Context(), func(tx kv.Tx) error {
		return tx.Put([]byte("a"), nil)
	}); !errors.Is(err, kv.ErrBroken) {
		t.Errorf("a write to a store that lacks a row: %v", err)
	}
	if err := db.Close(); err != nil || isClean(path) {
		t.Errorf("closing it: %v, as a clean one: %v", err, isClean(path))
	}
	db = open(t, path)
	defer db.Close()
	if db.Recovery().From != good.Path {
		t.Errorf("the next start: %v", db.Recovery())
	}
}

// Two pages of a table have changed places: all rows are there, but a look-up finds those
// of neither. A backup does not pass it by, and neither does a check.
func TestSwappedPages(t *testing.T) {
	path := newPath(t)
	db := open(t, path)
	fill(t, db, "now")
	want := storagetest.All(t, db)
	pages := leaves(t, db)
	f := testkit.Got(os.OpenFile(path, os.O_RDWR, 0))
	defer f.Close()
	read := func(n int) []byte {
		b := make([]byte, page)
		testkit.Got(f.ReadAt(b, int64(n*page)))
		return b
	}
	// The first byte of the first key says whose page it is; some go on in the next ones.
	var pair []int
	for _, n := range pages {
		if b := read(n); field(b, 12) == 0 && b[pageHead+field(b, pageHead+4)] == 'a' {
			pair = append(pair, n)
		}
	}
	for to, from := range map[int][]byte{pair[0]: read(pair[1]), pair[1]: read(pair[0])} {
		testkit.Got(f.WriteAt(from[8:], int64(to*page+8)))
	}
	if got := storagetest.All(t, db); slices.Equal(got, want) || len(got) != len(want) {
		t.Fatalf("%d rows of %d, in their order", len(got), len(want))
	}
	if _, err := db.Backup(t.Context(), time.Now()); !errors.Is(err, kv.ErrDamaged) {
		t.Errorf("a backup: %v", err)
	}
	if err := db.Update(t.Context(), func(tx kv.Tx) error {
		return tx.Put([]byte("a"), nil)
	}); !errors.Is(err, kv.ErrBroken) {
		t.Errorf("a write: %v", err)
	}
	db.Close()
	if report, err := CheckHere(t.Context(), path); err != nil || report.Good() {
		t.Errorf("the check says %+v, %v", report, err)
	}
}

// A row that stands in the table of another is there, and the sums are right, but no
// look-up finds it.
func TestRowAstray(t *testing.T) {
	path := newPath(t)
	db := open(t, path)
	fill(t, db, "now")
	testkit.Must(t, db.bolt.Update(func(tx *bboltTx) error {
		from, to := tx.Bucket([]byte("a")), tx.Bucket([]byte("b"))
		key, stored := from.Cursor().Last()
		key, stored = slices.Clone(key), slices.Clone(stored)
		return errors.Join(from.Delete(key), to.Put(key, stored))
	}))
	if _, err := db.Backup(t.Context(), time.Now()); !errors.Is(err, kv.ErrDamaged) ||
		!strings.Contains(err.Error(), "stands in table 'b'") {
		t.Errorf("a backup: %v", err)
	}
	db.Close()
	if report, err := CheckHere(t.Context(), path); err != nil ||
		!strings.Contains(report.Problem, "stands in table 'b'") {
		t.Errorf("the check says %+v, %v", report, err)
	}
}

// sumless makes the file of a closed store one of the layout before, which had no sums.
func sumless(t *testing.T, path string) {
	t.Helper()
	raw(t, path, func(tx *bboltTx) error {
		own := tx.Bucket(metaBucket)
		return errors.Join(own.Put(layoutKey, sumlessLayout), own.Delete(sumsKey))
	})
}

// raw changes the file of a closed store behind its back.
func raw(t *testing.T, path string, change func(*bboltTx) error) {
	t.Helper()
	db := testkit.Got(bbolt.Open(path, fileMode, &bbolt.Options{Timeout: openTimeout, NoSync: true}))
	testkit.Must(t, errors.Join(db.Update(change), db.Close()))
}

// A file of the layout before opens as it did and has sums from then on, whether its
// close was clean or not. To read it changes nothing.
func TestSumless(t *testing.T) {
	for _, clean := range []bool{true, false} {
		path := newPath(t)
		db := open(t, path)
		fill(t, db, "now")
		want := storagetest.All(t, db)
		db.Close()
		sumless(t, path)
		os.Remove(cleanPath(path))
		if clean {
			testkit.Must(t, markClean(path))
		}
		r := testkit.Got(Read(t.Context(), path, Options{Log: quiet}))
		storagetest.Holds(t, r, want)
		if _, err := r.Backup(t.Context(), time.Now()); err != nil {
			t.Errorf("a backup of a file without sums: %v", err)
		}
		if err := r.Close(); err != nil || summed(path) {
			t.Errorf("reading gave the file sums: %v, %v", summed(path), err)
		}
		db = open(t, path, Options{startTime: 1}) // which is for a check of sums alone
		storagetest.Holds(t, db, want)
		testkit.Want(t, "recovered", db.Recovery().Happened(), false)
		n := leaves(t, db)[3]
		db.Close()
		if report, err := Inspect(t.Context(), path, Options{}); err != nil || !report.Good() || !summed(path) {
			t.Errorf("afterwards: sums %v, %+v, %v", summed(path), report, err)
		}
		hide(path, n)
		if report, err := Inspect(t.Context(), path, Options{}); err != nil ||
			!strings.Contains(report.Problem, "rows instead of") {
			t.Errorf("with a row hidden: %+v, %v", report, err)
		}
	}
}

// A damaged file of the layout before gets no sums of what is left of it.
func TestSumlessDamaged(t *testing.T) {
	path := newPath(t)
	db := open(t, path)
	fill(t, db, "now")
	db.Close()
	sumless(t, path)
	raw(t, path, func(tx *bboltTx) error { return tx.Bucket([]byte("a")).Put([]byte("a000000"), []byte("no checksum")) })
	testkit.Must(t, markClean(path))
	// However little time a start has, a file gets no sums before it was checked.
	if _, err := Open(t.Context(), path, Options{Log: quiet, startTime: 1}); !errors.As(err, new(*damagedError)) ||
		summed(path) {
		t.Errorf("%v; it has sums: %v", err, summed(path))
	}
}

// What names the layout or holds the sums is damaged: that is damage, and not a file
// without sums, nor one of a newer tengen, nor one of somebody else.
func TestOwnRowsDamaged(t *testing.T) {
	path := newPath(t)
	db := open(t, path)
	fill(t, db, "now")
	want := storagetest.All(t, db)
	backedUp(t, db, time.Now())
	db.Close()
	content := testkit.Read(t, path)
	own := func(change func(own *bbolt.Bucket) error) func(*bboltTx) error {
		return func(tx *bboltTx) error { return change(tx.Bucket(metaBucket)) }
	}
	for name, change := range map[string]func(*bboltTx) error{
		"no sums":            own(func(own *bbolt.Bucket) error { return own.Delete(sumsKey) }),
		"no layout":          own(func(own *bbolt.Bucket) error { return own.Delete(layoutKey) }),
		"neither":            own(func(own *bbolt.Bucket) error { return errors.Join(own.Delete(layoutKey), own.Delete(sumsKey)) }),
		"a flipped layout":   own(func(own *bbolt.Bucket) error { return own.Put(layoutKey, []byte("3")) }),
		"the layout before":  own(func(own *bbolt.Bucket) error { return own.Put(layoutKey, sumlessLayout) }),
		"a layout of no one": own(func(own *bbolt.Bucket) error { return own.Put(layoutKey, []byte("\x00")) }),
		"no last change":     own(func(own *bbolt.Bucket) error { return own.Delete(lastKey) }),
		"sums of nothing":    func(tx *bboltTx) error { return new(sums).save(tx) },
		"no own bucket":      func(tx *bboltTx) error { return tx.DeleteBucket(metaBucket) },
		"a table less":       func(tx *bboltTx) error { return tx.DeleteBucket([]byte("b")) },
		"a stray bucket":     func(tx *bboltTx) error { _, err := tx.CreateBucket([]byte("bc")); return err },
		"a row moved": func(tx *bboltTx) error {
			return tx.Bucket([]byte("b")).Put([]byte("a999999"), kv.AddChecksum([]byte("a999999"), nil))
		},
	} {
		testkit.Must(t, os.WriteFile(path, content, fileMode))
		raw(t, path, change)
		db, err := Open(t.Context(), path, Options{Log: quiet})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		storagetest.Holds(t, db, want)
		testkit.Want(t, name+": recovered", db.Recovery().Happened(), true)
		db.Close()
		os.Remove(cleanPath(path))
	}
}

// The order of changes does not matter, and a table that is empty again has no sum left.
func TestSums(t *testing.T) {
	path := newPath(t)
	db := open(t, path)
	defer db.Close()
	fill(t, db, "one")
	fill(t, db, "two")
	var saved *sums
	sum := func() (s *sums) {
		testkit.Must(t, db.bolt.View(func(tx *bboltTx) (err error) { s, err = savedSums(tx); return err }))
		return s
	}
	saved = sum()
	err := db.bolt.View(func(tx *bboltTx) error {
		found, err := count(tx, func() error { return nil })
		return errors.Join(err, saved.missed(found))
	})
	if err != nil || saved['a'].rows != 267 {
		t.Errorf("%d rows: %v", saved['a'].rows, err)
	}
	for _, row := range storagetest.All(t, db) {
		key, _, _ := strings.Cut(row, "=")
		testkit.Must(t, db.Update(t.Context(), func(tx kv.Tx) error {
			return errors.Join(tx.Delete([]byte(key)), tx.Delete([]byte("nothing")))
		}))
	}
	if *sum() != (sums{}) {
		t.Error("sums are left of an empty store")
	}
}
