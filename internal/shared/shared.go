// Package shared finds the folder of test data that may lie beside a checkout.
// Nothing but tests imports it. Start from Dir.
package shared

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Dir gives the folder of shared test data: $TENGEN_SHARED, or `shared` beside
// the repository. It skips the test where there is neither.
func Dir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("TENGEN_SHARED")
	if dir == "" {
		_, here, _, _ := runtime.Caller(0)
		dir = filepath.Join(filepath.Dir(here), "..", "..", "..", "shared")
	}
	if _, err := os.Stat(filepath.Join(dir, "data")); err != nil {
		t.Skip("no folder of shared test data beside the repository (TENGEN_SHARED names another)")
	}
	return dir
}
