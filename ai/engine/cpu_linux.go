package engine

import (
	"syscall"
	"time"
	"unsafe"
)

// CPUTime is the CPU time that the calling thread has used. The goroutine must be locked
// to its thread for differences to mean anything.
func CPUTime() time.Duration {
	const threadClock = 3 // CLOCK_THREAD_CPUTIME_ID
	var t syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&t)), 0)
	return time.Duration(t.Nano())
}
