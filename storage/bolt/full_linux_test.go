package bolt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tengen/storage/kv"
)

func init() { children["TENGEN_FULL_CHILD"] = fullChild }

// TestDiskFull runs in a process that has a small disk of its own, for which it needs a
// mount name space; where the system gives none the test is skipped.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TENGEN_FULL_CHILD="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) || strings.Contains(string(out), "no small disk") {
		t.Skip("this system gives a test no disk of its own")
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

func fullChild(dir string) error {
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=3m"); err != nil {
		return fmt.Errorf("no small disk: %w", err)
	}
	ctx := context.Background()
	path := filepath.Join(dir, "store.db")
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 1<<20), 0o600); err != nil {
		return err
	}
	db, err := Open(ctx, path, Options{Log: quiet})
	if err != nil {
		return err
	}
	put := func(i int) error {
		return db.Update(ctx, func(tx kv.Tx) error {
			k, v := row(i)
			return tx.Put(k, v)
		})
	}
	acked, err := fillUp(db, put)
	if !errors.Is(err, kv.ErrFull) || errors.Is(err, kv.ErrBroken) {
		return fmt.Errorf("after %d rows: %w", acked, err)
	}
	if err := db.Room(); !errors.Is(err, kv.ErrFull) {
		return fmt.Errorf("a full disk has room: %w", err)
	}
	refused := 0
	for i := acked; i < acked+50; i++ {
		if err := put(i); errors.Is(err, kv.ErrFull) {
			refused++
		} else if err != nil {
			return err
		}
	}
	if err := holdsRows(ctx, db, acked); err != nil {
		return err
	}
	if err := db.Update(ctx, func(tx kv.Tx) error { k, _ := row(0); return tx.Delete(k) }); err != nil {
		return fmt.Errorf("deleting on a full disk: %w", err)
	}
	// A backup finds no room either, says so and leaves nothing.
	if _, err := db.Backup(ctx, time.Now()); err == nil {
		return errors.New("a backup on a full disk")
	}
	if left, _ := filepath.Glob(path + ".backups/*"); len(left) > 0 {
		return fmt.Errorf("a failed backup left %v", left)
	}
	if err := os.Remove(ballast); err != nil {
		return err
	}
	for i := acked; i < acked+100; i++ {
		if err := put(i); err != nil {
			return fmt.Errorf("with room again: %w", err)
		}
	}
	if err := db.Close(); err != nil {
		return err
	}
	os.Remove(cleanPath(path))
	if db, err = Open(ctx, path, Options{Log: quiet}); err != nil {
		return err
	}
	defer db.Close()
	if db.Recovery().Happened() {
		return errors.New(db.Recovery().String())
	}
	fmt.Printf("%d rows until the disk was full, then %d of 50 refused\n", acked, refused)
	return holdsRows(ctx, db, acked)
}

// holdsRows looks for the rows from 1 on; row 0 is deleted by the test.
func holdsRows(ctx context.Context, db *DB, n int) error {
	return db.View(ctx, func(r kv.Reader) error {
		for i := 1; i < n; i++ {
			k, want := row(i)
			if v, err := r.Get(k); err != nil || string(v) != string(want) {
				return fmt.Errorf("row %d of %d is lost: %w", i, n, err)
			}
		}
		return nil
	})
}
