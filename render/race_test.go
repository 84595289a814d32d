//go:build race

package render

import "testing"

// slow skips a test that has one goroutine and much to compute: it says nothing about
// races and takes ten times as long under the detector.
func slow(t *testing.T) {
	t.Helper()
	t.Skip("nothing runs at once here")
}
