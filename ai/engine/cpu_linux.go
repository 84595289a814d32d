package engine

import (
	"syscall"
	"time"
	"unsafe"
)

// CPUTime is the CPU time that the calling thread has used. The goroutine must be locked
// to its thread for differences to mean anything.
func CPUTime() time.Duration {
	return clock(3) // CLOCK_THREAD_CPUTIME_ID
}

// ProcessTime is the CPU time that all threads of the process have used.
func ProcessTime() time.Duration {
	return clock(2) // CLOCK_PROCESS_CPUTIME_ID
}

func clock(id uintptr) time.Duration {
	var t syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, id, uintptr(unsafe.Pointer(&t)), 0)
	return time.Duration(t.Nano())
}
