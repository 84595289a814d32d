//go:build linux || darwin

package pulse

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// BootTime gives a clock that shows the time since the machine was started, the time in
// which it slept included.
func BootTime() func() time.Duration {
	id := int32(unix.CLOCK_MONOTONIC) // of Darwin, which goes on in sleep
	if runtime.GOOS == "linux" {
		id = 7 // CLOCK_BOOTTIME
	}
	var t unix.Timespec
	if unix.ClockGettime(id, &t) != nil {
		return sinceNow()
	}
	return func() time.Duration {
		var t unix.Timespec
		_ = unix.ClockGettime(id, &t) // went well before
		return time.Duration(t.Nano())
	}
}
