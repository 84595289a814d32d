package record

import (
	"path/filepath"
	"testing"

	"tengen/internal/shared"
	"tengen/internal/testkit"
)

// BenchmarkConvert reads a record and writes it as SGF, which reads it once more.
func BenchmarkConvert(b *testing.B) {
	data := testkit.Read(b, filepath.Join(shared.Dir(b), "data", "records", "othello_ggs_2003.ggf"))
	for b.Loop() {
		testkit.Got(Write(SGF, testkit.Got(Read(data, Hints{}))))
	}
}
