//go:build !linux

package main

import "time"

// cpu stands in for the CPU time that the process has used: the wall clock, since systems
// other than Linux keep no such clock for others to read. Only differences count.
func (p *process) cpu() time.Duration { return time.Duration(time.Now().UnixNano()) }
