//go:build linux && (amd64 || arm64)

package bolt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"tengen/internal/testkit"
	"tengen/storage/kv"
)

// syncChild is the process that is watched: it does whatever gives a file its name, and
// says so when it is done with each.
func syncChild(path string) error {
	ctx, o := context.Background(), Options{Log: quiet, Check: CheckHere}
	open := func() (*DB, error) { return Open(ctx, path, o) }
	var backup Backup
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"create and backup", func() error {
			db, err := open()
			if err != nil {
				return err
			}
			err = db.Update(ctx, func(tx kv.Tx) error { return tx.Put([]byte("g1"), make([]byte, 100_000)) })
			if err == nil {
				backup, err = db.Backup(ctx, time.Now())
			}
			return errors.Join(err, db.Close())
		}},
		{"set aside", func() error {
			ahead := filepath.Join(filepath.Dir(backup.Path), backupName(path, time.Now().Add(48*time.Hour)))
			if err := errors.Join(os.Rename(backup.Path, ahead), syncDir(filepath.Dir(ahead))); err != nil {
				return err
			}
			db, err := open()
			if err != nil {
				return err
			}
			backup, err = db.Backup(ctx, time.Now())
			return errors.Join(err, db.Close())
		}},
		{"restore", func() error { _, err := Restore(ctx, path, backup.Path, o); return err }},
		{"compact", func() error { _, _, err := Compact(ctx, path, o, nil); return err }},
		{"renew", func() error {
			db, err := open()
			if err != nil {
				return err
			}
			_, _, err = db.Renew(ctx)
			return errors.Join(err, db.Close())
		}},
		{"recover", func() error {
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, fileMode)
			if err != nil {
				return err
			}
			if _, err = f.WriteString("damage"); errors.Join(err, f.Sync(), f.Close()) != nil {
				return err
			}
			db, err := open()
			if err != nil {
				return err
			}
			return db.Close()
		}},
	} {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		fmt.Println(step.name)
	}
	return nil
}

func init() { children["TENGEN_SYNC_CHILD"] = syncChild }

// unsynced says what a power failure may take back of what was done: a name that was
// given to a file before all of the file was on the disk, and a name that was not on the
// disk itself when the process said that it was done.
func unsynced(events []event) (problems []string) {
	synced := func(name string, after, before int) bool {
		return slices.ContainsFunc(events[:before], func(e event) bool {
			return e.kind == synced && e.name == name && e.covers > after
		})
	}
	for n, e := range events {
		if e.kind != named {
			continue
		}
		for i, w := range events[:n] {
			if (w.kind == wrote || w.kind == resized) && w.name == e.was && !synced(e.was, i, n) {
				problems = append(problems, e.name+" has its name before its content")
				break
			}
		}
		done := slices.IndexFunc(events[n:], func(e event) bool { return e.kind == said })
		if done < 0 || !synced(filepath.Dir(e.name), n, n+done) {
			problems = append(problems, e.name+" may lose its name")
		}
	}
	return problems
}

// Every file that a backup, a restore, a recovery, a compaction or a new store leaves is
// on the disk before it has its name, and its name is before they are done.
func TestSynced(t *testing.T) {
	dir := scratch(t)
	path := filepath.Join(dir, "store.db")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TENGEN_SYNC_CHILD="+path)
	events, err := trace(cmd, dir)
	if errors.Is(err, errNoTrace) {
		t.Skip(err)
	}
	testkit.Must(t, err)
	for _, problem := range unsynced(events) {
		t.Error(problem)
	}
	// Each of the steps gave names, and each sync but those of the commits is missed.
	var names, missed int
	for n, e := range events {
		switch e.kind {
		case named:
			names++
		case synced:
			without := slices.Clone(events)
			without[n] = event{}
			if len(unsynced(without)) > 0 {
				missed++
			}
		}
	}
	t.Logf("%d events, %d names, %d syncs without which something could be lost", len(events), names, missed)
	if names < 10 || missed < 12 {
		t.Errorf("%d names were given, %d syncs are missed", names, missed)
	}
}
