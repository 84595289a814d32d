//go:build unix

package bolt

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// ownSignals are those that a process brings on itself.
var ownSignals = []syscall.Signal{syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGABRT, syscall.SIGILL, syscall.SIGFPE, syscall.SIGTRAP, syscall.SIGXCPU}

// limitSelf bounds what this process may use to check a file of the given size.
func limitSelf(seconds int, size int64) {
	over := make(chan os.Signal, 1)
	signal.Notify(over, syscall.SIGXCPU)
	go func() {
		<-over
		fmt.Fprintln(os.Stderr, "it does not come to an end")
		os.Exit(4)
	}()
	// Where a limit cannot be set the check goes on without it.
	_ = syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: uint64(seconds), Max: 3 * uint64(seconds)})
	memory := uint64(4<<30 + 2*size)
	_ = syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: memory, Max: memory})
}
