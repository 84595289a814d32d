// Package tasks is goroutines that have one owner and one end. Start from New.
package tasks

import (
	"context"
	"runtime/debug"
	"sync"
	"time"
)

// Group is goroutines that end together. Its methods may be called from all of them.
type Group struct {
	Life context.Context // is over once End was called

	end      context.CancelFunc
	panicked func(what any, stack []byte)
	mu       sync.Mutex // guards closed, and with it the count of all
	all      sync.WaitGroup
	closed   bool
}

// New makes a group. What a goroutine of it panics with goes to panicked and ends that
// goroutine alone; with nil it ends the process.
func New(panicked func(what any, stack []byte)) *Group {
	g := &Group{panicked: panicked}
	g.Life, g.end = context.WithCancel(context.Background())
	return g
}

// Go runs f on a goroutine that Wait waits for. It is false once the group has ended.
func (g *Group) Go(f func()) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.all.Add(1)
	go func() {
		defer g.all.Done()
		defer func() {
			if g.panicked == nil {
				return
			}
			if p := recover(); p != nil {
				g.panicked(p, debug.Stack())
			}
		}()
		f()
	}()
	return true
}

// Sleep waits; false when the group ended meanwhile.
func (g *Group) Sleep(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-g.Life.Done():
		return false
	}
}

// End ends the group's life: nothing begins any more.
func (g *Group) End() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.end()
}

// Wait waits for what still runs.
func (g *Group) Wait() { g.all.Wait() }
