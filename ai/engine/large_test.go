package engine

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"
)

// A table of megabytes lies on memory for which large pages were asked; one smaller than a page is
// like any other.
func TestLarge(t *testing.T) {
	for _, n := range []int64{1, 1 << 17, 1<<20 + 3} {
		s := Large[uint64](n)
		if int64(len(s)) != n || s[n-1] != 0 {
			t.Fatalf("%d numbers for %d", len(s), n)
		}
		s[n-1] = 1
	}
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("no large pages here")
	}
	s := Large[uint64](1 << 20)
	middle := uintptr(unsafe.Pointer(&s[len(s)/2]))
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	var from, to uintptr
	for line := range strings.Lines(string(text)) {
		if _, err := fmt.Sscanf(line, "%x-%x ", &from, &to); err == nil {
			continue
		}
		if flags, ok := strings.CutPrefix(line, "VmFlags:"); ok && from <= middle && middle < to {
			if !strings.Contains(flags, " hg") {
				t.Errorf("large pages were not asked for:%s", flags)
			}
			return
		}
	}
	t.Error("the table is nowhere")
}
