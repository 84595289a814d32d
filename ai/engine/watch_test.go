package engine

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"
)

func TestWatch(t *testing.T) {
	w := NewWatch(context.Background(), Limits{Nodes: 100})
	if w.Over(99) || !w.Over(100) || !w.Stopped() {
		t.Error("does not count nodes")
	}
	w.Close()

	ctx, cancel := context.WithCancel(context.Background())
	w = NewWatch(ctx, Limits{})
	if w.Over(1) {
		t.Error("over at once")
	}
	cancel()
	for range 1000 {
		if w.Over(1) {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if !w.Over(1) {
		t.Error("does not hear its context")
	}
	w.Close()

	w = NewWatch(context.Background(), Limits{Time: time.Nanosecond})
	if !w.Over(1) || w.Spent() < 1 {
		t.Error("does not read the clock")
	}
	w.Close()

	// CPU time is that of the thread, or of the whole process.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	thread := NewWatch(context.Background(), Limits{CPU: 20 * time.Millisecond})
	process := NewWatch(context.Background(), Limits{CPU: 20 * time.Millisecond, Process: true})
	var beside sync.WaitGroup
	beside.Go(func() {
		for from := ProcessTime(); ProcessTime()-from < 40*time.Millisecond; {
		}
	})
	beside.Wait()
	if runtime.GOOS == "linux" && thread.Over(1) || !process.Over(1) {
		t.Errorf("work beside the thread: over for the thread %v, for the process %v", thread.Stopped(), process.Stopped())
	}
	thread.Close()
	process.Close()

	w = NewWatch(context.Background(), Limits{Depth: 4})
	if w.Over(1<<40) || w.Spent() != 0 {
		t.Error("a bound on depth bounds something else")
	}
	w.Close()
}
