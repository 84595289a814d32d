package engine

import (
	"context"
	"sync/atomic"
	"time"
)

// Watch tells a search when to end: its context, wall time, CPU time or nodes. The
// goroutine that searches makes it and asks it; others may ask Stopped.
type Watch struct {
	start   time.Time
	until   time.Time // zero: no bound
	cpu     time.Duration
	cpuFrom time.Duration
	cpuTime func() time.Duration
	nodes   int64
	stopped atomic.Bool
	release func() bool
}

// NewWatch starts the clocks of a search under limits. With no bound at all the search
// gets a second. CPU time is that of the calling thread, unless the limits name the process: lock
// the goroutine to its thread first.
func NewWatch(ctx context.Context, limits Limits) *Watch {
	limits = limits.Bounded()
	w := &Watch{start: time.Now(), cpu: limits.CPU, cpuTime: CPUTime, nodes: limits.Nodes}
	if limits.Process {
		w.cpuTime = ProcessTime
	}
	if limits.Time > 0 {
		w.until = w.start.Add(limits.Time)
	}
	if w.cpu > 0 {
		w.cpuFrom = w.cpuTime()
	}
	w.release = context.AfterFunc(ctx, func() { w.stopped.Store(true) })
	return w
}

// Over reports whether the search is to end, nodes having been searched so far. Ask it
// every few hundred nodes.
func (w *Watch) Over(nodes int64) bool {
	switch {
	case w.stopped.Load():
		return true
	case w.nodes > 0 && nodes >= w.nodes,
		!w.until.IsZero() && !time.Now().Before(w.until),
		w.cpu > 0 && w.cpuTime()-w.cpuFrom >= w.cpu:
		w.stopped.Store(true)
		return true
	}
	return false
}

// Nodes is the bound on nodes, 0 for none.
func (w *Watch) Nodes() int64 { return w.nodes }

// Spent is the part of the time that is used up, 0 where no time is set.
func (w *Watch) Spent() float64 {
	part := 0.0
	if !w.until.IsZero() {
		part = float64(time.Since(w.start)) / float64(w.until.Sub(w.start))
	}
	if w.cpu > 0 {
		part = max(part, float64(w.cpuTime()-w.cpuFrom)/float64(w.cpu))
	}
	return part
}

// Stop ends the search.
func (w *Watch) Stop() { w.stopped.Store(true) }

// Stopped reports whether the search has been told to end.
func (w *Watch) Stopped() bool { return w.stopped.Load() }

// Elapsed is the wall time since the start.
func (w *Watch) Elapsed() time.Duration { return time.Since(w.start) }

// Close lets go of the context.
func (w *Watch) Close() { w.release() }
