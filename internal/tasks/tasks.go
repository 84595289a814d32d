// Package tasks runs goroutines that have one owner and one end. Start from New.
package tasks

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"time"
)

// Group is a set of goroutines that end together. Any goroutine may call its methods.
type Group struct {
	Life context.Context // ends with End

	end      context.CancelFunc
	panicked func(what any, stack []byte)
	mu       sync.Mutex // guards closed, and keeps Go from adding to all after End
	all      sync.WaitGroup
	closed   bool
}

// New makes a group. A panic ends its own goroutine alone, and panicked hears of it. Without
// panicked (nil) a panic ends the process.
func New(panicked func(what any, stack []byte)) *Group {
	g := &Group{panicked: panicked}
	g.Life, g.end = context.WithCancel(context.Background())
	return g
}

// Go runs f on a goroutine of the group. It is false, and f does not run, once the group has ended.
func (g *Group) Go(f func()) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.all.Go(func() {
		g.Try(func() error { f(); return nil })
	})
	return true
}

// ErrPanicked is the error of what has panicked.
var ErrPanicked = errors.New("it has panicked")

// Try runs f here, so that a loop outlives a panic of one of its turns: that is as one of a goroutine, and
// gives ErrPanicked.
func (g *Group) Try(f func() error) (err error) {
	err = ErrPanicked
	defer func() {
		if g.panicked == nil {
			return
		}
		if p := recover(); p != nil {
			g.panicked(p, debug.Stack())
		}
	}()
	return f()
}

// Sleep waits for d. It is false when the group ended meanwhile.
func (g *Group) Sleep(d time.Duration) bool { return Sleep(g.Life, d) == nil }

// Sleep waits for d. Its error is that of ctx, when ctx ended meanwhile.
func Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// End ends Life. From then on Go starts nothing.
func (g *Group) End() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.end()
}

// Wait waits for the goroutines that still run.
func (g *Group) Wait() { g.all.Wait() }
