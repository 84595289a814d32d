package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpu is the CPU time that the process has used, by the clock that the system keeps of it.
func (p *process) cpu() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(int32(^p.cmd.Process.Pid<<3|2), &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
