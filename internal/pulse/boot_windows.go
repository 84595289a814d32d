package pulse

import (
	"time"

	"golang.org/x/sys/windows"
)

// BootTime gives a clock that shows the time since the machine was started, the time in
// which it slept included.
func BootTime() func() time.Duration { return windows.DurationSinceBoot }
