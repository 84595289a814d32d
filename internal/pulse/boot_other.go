//go:build !linux && !darwin && !windows

package pulse

import "time"

// BootTime gives the monotonic clock of time.Now, which may stand still while the machine
// sleeps.
func BootTime() func() time.Duration { return sinceNow() }
