package storage

import (
	"fmt"
	"slices"
	"testing"
)

// TestSpoiltRows: whatever one byte of a row or of its key becomes, and wherever the row ends, the
// decoder refuses or reads it, and does not panic. Long rows repeat themselves: of each the first 200
// bytes are spoilt.
func TestSpoiltRows(t *testing.T) {
	worst := []byte{0x3F, 0x40, 0x7F, 0x80, 0x81, 0xC0, 0xFE, 0xFF}
	for b := range byte(32) {
		worst = append(worst, b)
	}
	for _, s := range samples(t) {
		k, value := slices.Clone(s.key), slices.Clone(s.value)
		try := func(what string, at int, k, value []byte) {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("%x, %s %d: %v", s.key, what, at, p)
				}
			}()
			_, _ = valueOf(k, value)
		}
		spoil := func(what string, b []byte) {
			for i := range min(len(b), 200) {
				was := b[i]
				for _, b[i] = range worst {
					try(fmt.Sprintf("%s has %#x at", what, b[i]), i, k, value)
				}
				b[i] = was
			}
		}
		spoil("value", value)
		spoil("key", k[1:])
		for i := range min(len(value), 200) {
			try("cut at", i, k, value[:i])
		}
	}
}
