package engine

import (
	"syscall"
	"unsafe"
)

// wantLarge asks for large pages where a whole one fits. A system that has none says no, and
// then the table is slower and the same.
func wantLarge(p unsafe.Pointer, size uintptr) {
	const page, advice = 2 << 20, 14 // MADV_HUGEPAGE
	skip := -uintptr(p) & (page - 1)
	if size < skip+page {
		return
	}
	whole := (size - skip) &^ (page - 1)
	_ = syscall.Madvise(unsafe.Slice((*byte)(unsafe.Add(p, skip)), whole), advice)
}
