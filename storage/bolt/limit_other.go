//go:build !unix

package bolt

import "syscall"

// ownSignals are those that a process brings on itself.
var ownSignals = []syscall.Signal{syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGABRT, syscall.SIGILL, syscall.SIGFPE,
	syscall.SIGTRAP}

func limitSelf(int, int64) {}
