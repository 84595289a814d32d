// Package testkit holds what tests of several packages share: doses, a log that can be read while it is
// written, and waiting for a condition. It knows nothing of the bot.
package testkit

import (
	"bytes"
	"flag"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"
)

// Dose is how much of something a test does: the number in the environment variable name, else little.
func Dose(name string, little int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil && n > 0 {
		return n
	}
	return little
}

// Wide lets four times as many parallel tests run at once as there are cores, for a package
// whose tests mostly wait. TestMain calls it first; the flag -parallel overrides it.
func Wide() {
	if err := flag.Set("test.parallel", strconv.Itoa(4*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
}

// Settled counts goroutines and bytes of the heap, after collecting garbage.
func Settled() (goroutines int, heap uint64) {
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return runtime.NumGoroutine(), m.HeapAlloc
}

// Eventually waits for a condition that no event reports.
func Eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !f(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for: %s", what)
		}
	}
}

// Log is a log that can be read while it is written. The zero Log is empty.
type Log struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
