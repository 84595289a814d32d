package record

import (
	"os"
	"path/filepath"
	"testing"

	"tengen/internal/shared"
	"tengen/internal/testkit"
)

// BenchmarkConvert reads a record and writes it as SGF, which reads it once more.
func BenchmarkConvert(b *testing.B) {
	data, err := os.ReadFile(filepath.Join(shared.Dir(b), "data", "records", "othello_ggs_2003.ggf"))
	testkit.Must(b, err)
	for b.Loop() {
		r, err := Read(data, Hints{})
		testkit.Must(b, err)
		if _, err := Write(SGF, r); err != nil {
			b.Fatal(err)
		}
	}
}
