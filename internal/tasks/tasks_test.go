package tasks

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tengen/internal/testkit"
)

// A group that has ended begins nothing, ends every sleep, and waits for what still runs.
func TestEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(nil)
		var slept, done atomic.Bool
		g.Go(func() {
			slept.Store(g.Sleep(time.Hour))
			time.Sleep(time.Minute) // it goes on for a while after the end
			done.Store(true)
		})
		began := time.Now()
		if !g.Sleep(time.Second) || time.Since(began) != time.Second {
			t.Error("a sleep ended early")
		}
		g.End()
		if g.Life.Err() == nil || g.Go(func() { t.Error("begun after the end") }) {
			t.Error("the end is no end")
		}
		g.Wait()
		if slept.Load() || !done.Load() {
			t.Errorf("slept on %v, waited for %v", slept.Load(), done.Load())
		}
	})
}

// A panic ends one goroutine alone, and panicked hears of it.
func TestPanic(t *testing.T) {
	told := make(chan string, 1)
	g := New(func(what any, stack []byte) { told <- fmt.Sprintf("%v, %v", what, len(stack) > 0) })
	g.Go(func() { panic("on purpose") })
	g.Wait()
	if got := <-told; got != "on purpose, true" {
		t.Error(got)
	}
	if !g.Go(func() {}) {
		t.Error("the group ended with one of its goroutines")
	}
	g.End()
	g.Wait()
}

// What is tried here gives its error, and a panic is one: panicked hears of it, and the caller goes on.
func TestTry(t *testing.T) {
	told := 0
	g := New(func(any, []byte) { told++ })
	failed := errors.New("failed")
	for want, f := range map[error]func() error{nil: func() error { return nil }, failed: func() error { return failed },
		ErrPanicked: func() error { panic("on purpose") }} {
		if err := g.Try(f); err != want {
			t.Errorf("%v, want %v", err, want)
		}
	}
	testkit.Want(t, "panics", told, 1)
	defer func() {
		if recover() == nil {
			t.Error("a group that nobody listens to hides a panic")
		}
	}()
	New(nil).Try(func() error { panic("on purpose") })
}
