package archive_test

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"tengen/internal/testkit"
	"tengen/storage/archive"
)

var writeGolden = flag.Bool("golden", false, "write the golden files that are missing")

// A month of finished games that the program of November 2026 wrote is found, read and added to.
func TestGoldenMonth(t *testing.T) {
	dir, month := t.TempDir(), "2025-04.games" // of key(3)
	golden := filepath.Join("testdata", "golden", month+".gz")
	if _, err := os.Stat(golden); errors.Is(err, fs.ErrNotExist) && *writeGolden {
		files := testkit.Got(archive.OpenFiles(dir, quiet()))
		rows := []archive.Row{{Key: key(3), Value: []byte("three")}, {Key: key(15), Value: []byte{}}}
		err := errors.Join(files.Write(t.Context(), rows), files.Close(), os.MkdirAll(filepath.Dir(golden), 0o755),
			testkit.Zip(filepath.Join(dir, month), golden))
		testkit.Must(t, err)
	}
	dir = t.TempDir()
	testkit.Must(t, testkit.Unzip(golden, filepath.Join(dir, month)))
	files := testkit.Got(archive.OpenFiles(dir, quiet()))
	defer files.Close()
	more := []archive.Row{{Key: key(27), Value: []byte("new")}, {Key: key(4), Value: []byte("May")}}
	testkit.Must(t, files.Write(t.Context(), more))
	for n, want := range map[int]string{3: "three", 15: "", 27: "new", 4: "May"} {
		if got, err := files.Get(t.Context(), key(n)); err != nil || got == nil || string(got) != want {
			t.Errorf("row %d: %q %v, want %q", n, got, err, want)
		}
	}
}
