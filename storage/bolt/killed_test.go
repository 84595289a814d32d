//go:build unix

package bolt

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tengen/internal/testkit"
)

// deadly is a context that kills the process when it is asked for the n-th time whether
// it has ended.
type deadly struct {
	context.Context
	left *int
}

func (d deadly) Err() error {
	if *d.left--; *d.left < 0 {
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	return nil
}

func init() {
	children["TENGEN_KILLED_CHILD"] = func(path string) error {
		n := 3
		ctx, o := deadly{context.Background(), &n}, here
		if from := os.Getenv("TENGEN_KILLED_FROM"); from != "" {
			_, err := Restore(ctx, path, from, o)
			return err
		}
		o.Progress = func(int64) { syscall.Kill(os.Getpid(), syscall.SIGKILL) }
		db, err := Open(context.Background(), path, o)
		if err == nil {
			_, err = db.Backup(context.Background(), time.Now())
		}
		return err
	}
}

// A restore and a backup that are killed midway leave a half file until the next start.
func TestKilledMidway(t *testing.T) {
	db, path, made := changed(t, time.Now(), here)
	fill(t, db, "one") // larger than what is copied at once
	big := backedUp(t, db, time.Now())
	testkit.Must(t, db.Close())
	halves := func() (halves []string) {
		for _, dir := range []string{filepath.Dir(path), filepath.Dir(made[0])} {
			for _, name := range names(dir) {
				if strings.HasSuffix(name, ".part") || strings.HasSuffix(name, ".next") {
					halves = append(halves, name)
				}
			}
		}
		return halves
	}
	for _, from := range []string{big.Path, ""} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "TENGEN_KILLED_CHILD="+path, "TENGEN_KILLED_FROM="+from)
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(err.Error(), "killed") {
			t.Fatalf("%v: %s", err, out)
		}
		if len(halves()) == 0 {
			t.Error("nothing was left half done: this tests nothing")
		}
		open(t, path, here).Close()
		if left := halves(); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	}
}
