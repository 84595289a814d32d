package bolt

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/internal/testkit"
	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

// A store at one moment shows that moment, while writers go on, and takes no change.
func TestStill(t *testing.T) {
	db := open(t, newPath(t), here)
	defer db.Close()
	fill(t, db, "a")
	was := storagetest.All(t, db)
	still := testkit.Got(db.Still())
	defer still.Close()
	storagetest.Put(t, db, "b", "later")
	storagetest.Holds(t, still, was)
	rows, exact, err := still.Count(t.Context(), 'b')
	if err != nil || !exact || int(rows) != rowsOf(was, "b") {
		t.Errorf("%d rows, %v, %v", rows, exact, err)
	}
	if err := still.Update(t.Context(), func(kv.Tx) error { return nil }); err == nil {
		t.Error("it is changed")
	}
	if report, err := still.Check(t.Context()); err != nil || !report.Good() || report.Total() != int64(len(was)) {
		t.Errorf("%+v, %v", report, err)
	}
	testkit.Must(t, still.Close())
	if err := still.View(t.Context(), func(kv.Reader) error { return nil }); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("after its end: %v", err)
	}
	testkit.Must(t, still.Close())
}

func rowsOf(rows []string, table string) (n int) {
	for _, row := range rows {
		if strings.HasPrefix(row, table) {
			n++
		}
	}
	return n
}

// A copy that is streamed opens as a store without what backups omit, and leaves nothing behind, whether it comes to
// its end or not.
func TestStream(t *testing.T) {
	path := newPath(t)
	db := open(t, path, Options{Check: CheckHere, Omit: func(k []byte) bool { return k[0] == 't' }})
	defer db.Close()
	fill(t, db, "a")
	storagetest.Put(t, db, "t", "token")
	var copied bytes.Buffer
	n, err := db.Stream(t.Context(), &copied)
	if err != nil || n != int64(copied.Len()) {
		t.Fatalf("%d bytes of %d, %v", n, copied.Len(), err)
	}
	to := filepath.Join(scratch(t), "copy.db")
	testkit.Must(t, os.WriteFile(to, copied.Bytes(), fileMode))
	if report, err := CheckHere(t.Context(), to); err != nil || !report.Good() || report.Rows["t"] != 0 ||
		report.Total() == 0 {
		t.Errorf("%+v, %v", report, err)
	}
	full := errors.New("full")
	if _, err := db.Stream(t.Context(), failing{full}); !errors.Is(err, full) {
		t.Errorf("to nobody: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := db.Stream(ctx, io.Discard); err == nil {
		t.Error("a copy in no time")
	}
	if left := testkit.Got(os.ReadDir(path + ".backups")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// Who makes copies elsewhere hears of each backup once it has its name; what fails there counts among the failures,
// and the backup stays.
func TestMade(t *testing.T) {
	path := newPath(t)
	away := errors.New("the other place is away")
	var heard []string
	db := open(t, path, Options{Check: CheckHere, Made: func(_ context.Context, b Backup) error {
		_, err := os.Stat(b.Path)
		heard = append(heard, b.Path)
		return errors.Join(err, away)
	}})
	defer db.Close()
	fill(t, db, "a")
	made, err := db.Backup(t.Context(), testkit.At("2026-03-01 12:00"))
	if !errors.Is(err, away) || made.Path == "" || len(heard) != 1 || heard[0] != made.Path {
		t.Errorf("%+v, %v, heard %v", made, err, heard)
	}
	if s, _ := db.Status(); s.BackupFailures != 1 || s.Backup.IsZero() {
		t.Errorf("%+v", s)
	}
}
