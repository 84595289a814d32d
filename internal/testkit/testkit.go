// Package testkit holds what tests of several packages share: errors and values that are not as
// they should be, doses, files and moments, a log that can be read while it is written, processes
// that are killed, and waiting for a condition. It knows nothing of the bot.
package testkit

import (
	"bufio"
	"bytes"
	"flag"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Most of what tests make is soon garbage. Collecting it took up to a fifth of their time.
func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(300)
	}
}

// Dose is how much of something a test does: the number in the environment variable name, else
// little.
func Dose(name string, little int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil && n > 0 {
		return n
	}
	return little
}

// Limit is how long something may take that takes at most d on a quiet machine: d where TENGEN_FIGURES says that this
// is one, else far more.
func Limit(d time.Duration) time.Duration {
	if os.Getenv("TENGEN_FIGURES") != "" {
		return d
	}
	return 20 * d
}

// Wide lets so many parallel tests run at once for each core, in a package whose tests mostly
// wait. TestMain calls it first; the flag -parallel overrides it.
func Wide(each int) {
	if err := flag.Set("test.parallel", strconv.Itoa(each*runtime.GOMAXPROCS(0))); err != nil {
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

// KilledAfter starts this test binary again, with more environment. The process says "open" in
// its first line. So long after that line it is killed; KilledAfter gives the whole lines that
// it had written by then.
func KilledAfter(t *testing.T, after time.Duration, env ...string) (lines []string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(out)
	if line, err := in.ReadString('\n'); err != nil || line != "open\n" {
		t.Errorf("the process said %q, %v", line, err)
	}
	timer := time.AfterFunc(after, func() { cmd.Process.Kill() })
	defer timer.Stop()
	for {
		line, err := in.ReadString('\n')
		if err != nil { // a line that the death cut short was not heard
			if err != io.EOF {
				t.Error(err)
			}
			break
		}
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("the process was not killed but ended: %v", err)
	}
	return lines
}

// Scratch is a folder for many short-lived files: in memory, where nobody waits for a disk, if there is such a
// place.
func Scratch(t testing.TB) string {
	dir, err := os.MkdirTemp("/dev/shm", "tengen")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// Must ends a test at an error that is none of what it tests.
func Must(t testing.TB, err error) {
	if err != nil {
		t.Helper() // here, since it takes longer than what a benchmark measures
		t.Fatal(err)
	}
}

// Got is a value that comes without an error. An error that is none of what a test tests ends all tests, with a panic
// that says where.
func Got[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Check notes an error that should not be, and the test goes on.
func Check(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Error(err)
	}
}

// Want holds what came out against what should have.
func Want[T comparable](t testing.TB, what string, got, want T) {
	if got != want {
		t.Helper()
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// Bubble runs a subtest in fake time.
func Bubble(t *testing.T, name string, f func(*testing.T)) {
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}

// Read is what a file holds.
func Read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	Must(t, err)
	return data
}

// Write makes a file that holds data, for its owner alone.
func Write(t testing.TB, path string, data []byte) {
	t.Helper()
	Must(t, os.WriteFile(path, data, 0o600))
}

// Listen opens a port of this machine that nobody uses.
func Listen(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	Must(t, err)
	return l
}

// At is a moment in UTC: "2026-03-01 12:00", with seconds behind it or the day alone.
func At(text string) time.Time {
	for _, layout := range []string{time.DateOnly, "2006-01-02 15:04", time.DateTime} {
		if at, err := time.Parse(layout, text); err == nil {
			return at
		}
	}
	panic("no moment: " + text)
}

// Eventually waits for a condition that no event reports.
func Eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); !f(); time.Sleep(5 * time.Millisecond) {
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
