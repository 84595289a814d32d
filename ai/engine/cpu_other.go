//go:build !linux

package engine

import "time"

var started = time.Now()

// CPUTime is wall time where the system has no clock for a thread.
func CPUTime() time.Duration { return time.Since(started) }

// ProcessTime is wall time where the system has no clock for a process.
func ProcessTime() time.Duration { return time.Since(started) }
