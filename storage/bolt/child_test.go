//go:build unix

package bolt

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Only what the file does to the check is held against the file: a check that is ended
// from outside, or that finds no time, is none.
func TestCheckEndedFromOutside(t *testing.T) {
	run := func(script string) error { return exec.Command("/bin/sh", "-c", script).Run() }
	for _, c := range []struct {
		script string
		want   bool
	}{
		{"kill -9 $$", true}, {"kill -15 $$", true}, {"kill -2 $$", true},
		{"kill -11 $$", false}, {"kill -7 $$", false}, {"kill -6 $$", false}, {"exit 2", false},
	} {
		if got := stopped(run(c.script)); got != c.want {
			t.Errorf("%s: ended from outside %v", c.script, got)
		}
	}
	if !stopped(exec.ErrWaitDelay) || !stopped(errors.New("no such program")) {
		t.Error("what is no death of the process is held against the file")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	path := newPath(t)
	open(t, path).Close()
	os.Remove(cleanPath(path))
	if _, err := Open(ctx, path, Options{Log: quiet}); !errors.Is(err, context.Canceled) {
		t.Errorf("a check that is cancelled: %v", err)
	}
	if aside, _ := filepath.Glob(path + ".damaged*"); len(aside) > 0 {
		t.Error("the file was moved aside")
	}
}

// A check that never ends is stopped by the processor time that it uses.
func TestCheckLimit(t *testing.T) {
	t.Parallel()
	if os.Getenv("TENGEN_SPIN_CHILD") != "" {
		return
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TENGEN_SPIN_CHILD=1")
	began := time.Now()
	out, err := cmd.CombinedOutput()
	if err == nil || stopped(err) || strings.Contains(string(out), "late") {
		t.Errorf("after %v: %v %.200s", time.Since(began), err, out)
	}
}

func init() {
	children["TENGEN_SPIN_CHILD"] = func(string) error {
		limitSelf(1, 0)
		for began := time.Now(); time.Since(began) < 5*time.Minute; {
		}
		return errors.New("late")
	}
}
