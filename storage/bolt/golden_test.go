package bolt

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"tengen/internal/testkit"
	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

var writeGolden = flag.Bool("golden", false, "write the golden files that are missing")

// layoutRows are the rows of the golden files: a value that is empty, and one that is long.
func layoutRows(tx kv.Tx) error {
	long := bytes.Repeat([]byte("tengen"), 2000)
	return errors.Join(tx.Put([]byte("a"), nil), tx.Put([]byte("iabcdefgh"), []byte{1}), tx.Put([]byte("z"), long))
}

// A store and a backup that the program of November 2026 wrote are read, changed and restored.
func TestGoldenLayout(t *testing.T) {
	memory := kv.NewMemory()
	testkit.Must(t, memory.Update(t.Context(), layoutRows))
	want := storagetest.All(t, memory)
	path, golden := newPath(t), filepath.Join("testdata", "golden")
	if _, err := os.Stat(golden); errors.Is(err, fs.ErrNotExist) && *writeGolden {
		db := open(t, path)
		err := db.Update(t.Context(), layoutRows)
		backup, err2 := db.Backup(t.Context(), testkit.At("2026-11-26"))
		err3, err4 := db.Close(), os.MkdirAll(golden, 0o755)
		err = errors.Join(err, err2, err3, err4, testkit.Zip(path, filepath.Join(golden, "store.db.gz")),
			testkit.Zip(backup.Path, filepath.Join(golden, "backup.db.gz")))
		testkit.Must(t, err)
	}
	for _, name := range []string{"store.db", "backup.db"} {
		path, file := newPath(t), filepath.Join(scratch(t), name)
		testkit.Must(t, testkit.Unzip(filepath.Join(golden, name+".gz"), file))
		if name == "backup.db" {
			testkit.Got(Restore(t.Context(), path, file, Options{Log: quiet}))
		} else {
			path = file
		}
		db := open(t, path)
		storagetest.Holds(t, db, want)
		testkit.Check(t, db.Update(t.Context(), func(tx kv.Tx) error { return tx.Delete([]byte("a")) }))
		testkit.Check(t, db.Close())
		report, err := Inspect(t.Context(), path, Options{})
		if err != nil || !report.Good() || report.Total() != int64(len(want))-1 {
			t.Errorf("%s: %+v %v", name, report, err)
		}
	}
}
