//go:build unix

package bolt

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// ownSignals are those that a process brings on itself.
var ownSignals = []syscall.Signal{syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGABRT, syscall.SIGILL, syscall.SIGFPE,
	syscall.SIGTRAP, syscall.SIGXCPU}

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
	var cpu, memory syscall.Rlimit
	bound(&cpu.Cur, int64(seconds))
	bound(&cpu.Max, 3*int64(seconds))
	bound(&memory.Cur, 4<<30+2*size)
	bound(&memory.Max, 4<<30+2*size)
	_ = syscall.Setrlimit(syscall.RLIMIT_CPU, &cpu)
	_ = syscall.Setrlimit(syscall.RLIMIT_AS, &memory)
}

// bound sets a bound of a limit, which FreeBSD has as int64 and the others as uint64.
func bound[N int64 | uint64](field *N, n int64) { *field = N(n) }
