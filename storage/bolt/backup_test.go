package bolt

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tengen/internal/testkit"
	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

func TestBackup(t *testing.T) {
	path := newPath(t)
	db := open(t, path, Options{Omit: func(k []byte) bool { return k[0] == 't' }})
	defer db.Close()
	fill(t, db, "one")
	want := storagetest.All(t, db)
	const secret = "interaction-token-never-in-a-backup"
	storagetest.Put(t, db, "t1", secret)
	storagetest.Put(t, db, "t2", secret)
	testkit.Must(t, db.Update(t.Context(), func(tx kv.Tx) error { return tx.Delete([]byte("t2")) }))

	// Writers go on while it is made.
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			storagetest.Put(t, db, storagetest.B("t-later%d", i), []byte(secret))
		}
	})
	backup, err := db.Backup(t.Context(), time.Now())
	stop()
	wg.Wait()
	testkit.Must(t, err)
	content := testkit.Read(t, backup.Path)
	if strings.Contains(string(content), secret) {
		t.Error("a token is in the backup")
	}
	if info, _ := os.Stat(backup.Path); info.Mode().Perm() != 0o600 {
		t.Errorf("the backup has mode %v", info.Mode())
	}
	restored := open(t, backup.Path)
	defer restored.Close()
	storagetest.Holds(t, restored, want)
}

// A backup that is interrupted or that fails its check leaves no file.
func TestBackupInterrupted(t *testing.T) {
	path := newPath(t)
	db := open(t, path)
	fill(t, db, "one")
	left := func() []string { return names(path + ".backups") }
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := db.Backup(ctx, time.Now()); !errors.Is(err, context.Canceled) || len(left()) != 0 {
		t.Errorf("an interrupted backup: %v, left %v", err, left())
	}
	db.options.Check = func(context.Context, string) (Report, error) { return Report{Problem: "bad"}, nil }
	if _, err := db.Backup(t.Context(), time.Now()); err == nil || len(left()) != 0 {
		t.Errorf("a backup that is damaged: %v, left %v", err, left())
	}
	db.Close()
}

// The oldest of the backups of which there are enough gives way to the new one, and with
// it what is too old. Whatever the clock did, that is all.
func TestExpired(t *testing.T) {
	at := testkit.At("2026-05-20 13:00")
	made := func(day, hour int) Backup {
		return Backup{Path: fmt.Sprint(day, hour), At: at.Add(-time.Duration(24*day+hour) * time.Hour)}
	}
	hourly := func(days int) (all []Backup) {
		for i := range 24 * days {
			all = append(all, made(0, i))
		}
		return all
	}
	old := func(b Backup) bool { return at.Sub(b.At) >= 8*24*time.Hour }

	// Hour by hour.
	var kept []Backup
	for i := range 24 * 30 {
		now := at.Add(time.Duration(i) * time.Hour)
		kept = append([]Backup{{Path: fmt.Sprint(i), At: now}}, kept...)
		gone := expired(kept, now, kept[0].Path)
		if len(gone) > 1 {
			t.Fatalf("hour %d: %d give way to one", i, len(gone))
		}
		kept = slices.DeleteFunc(kept, func(b Backup) bool { return slices.Contains(gone, b) })
	}
	last := at.Add((24*30 - 1) * time.Hour)
	if len(kept) < 24+5 || len(kept) > 24+7+1 || last.Sub(kept[23].At) != 23*time.Hour {
		t.Errorf("%d are kept, the 24th of %v", len(kept), kept[23].At)
	}
	if age := last.Sub(kept[len(kept)-1].At); age > 8*24*time.Hour || age < 5*24*time.Hour {
		t.Errorf("the oldest kept is of %v before", age)
	}

	// Of very many, all that are too old go at once, and of the others one.
	all := hourly(30)
	gone := expired(all, at, all[0].Path)
	for _, b := range all {
		if old(b) != slices.Contains(gone, b) && b.Path != gone[len(gone)-1].Path {
			t.Errorf("of %v: gone %v", b.At, slices.Contains(gone, b))
		}
	}
	if n := 30*24 - 8*24 + 1; len(gone) > n || len(gone) < n-8 {
		t.Errorf("%d are gone", len(gone)) // a day is counted as 25 hours at most, never as more than it was
	}

	// Daily: eight days, though there are fewer than 24.
	var daily []Backup
	for i := range 12 {
		daily = append(daily, made(i, 0))
	}
	if gone := expired(daily, at, daily[0].Path); len(gone) != 4 || gone[0] != daily[8] {
		t.Errorf("daily: gone are %v", gone)
	}

	// A clock that jumps ahead makes nothing old, one that is behind keeps its own.
	real := []Backup{made(0, 1), made(0, 2), made(0, 3), made(0, 4), made(0, 5)}
	for _, now := range []time.Time{at.Add(30 * 24 * time.Hour), at.Add(-1000 * time.Hour), time.Unix(0, 0)} {
		of := append([]Backup{{Path: "new", At: now}}, real...)
		for i := range of {
			of[i].Ahead = of[i].At.After(now.Add(slack))
		}
		if gone := expired(of, now, "new"); len(gone) != 0 {
			t.Errorf("with the clock at %v: gone are %v", now, gone)
		}
	}
	// And with all that may be kept, one goes for one, hour by hour.
	now := at.Add(300 * 24 * time.Hour)
	of := append([]Backup{{Path: "new", At: now}}, kept...)
	if gone := expired(of, now, "new"); len(gone) > 1 {
		t.Errorf("after a jump %d are gone", len(gone))
	}
	// Whatever the clock was in between: the latest and the one just made stay, and but
	// for what is eight days old one goes for one.
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		of, now := make([]Backup, 1+rng.IntN(60)), at.Add(time.Duration(rng.IntN(2000)-1000)*time.Hour)
		for i := range of {
			step := time.Duration(rng.IntN(30)) * time.Hour / time.Duration(1+rng.IntN(30))
			if rng.IntN(20) == 0 {
				step = time.Duration(rng.IntN(20000)-10000) * time.Hour
			}
			of[i] = Backup{Path: fmt.Sprint(i), At: now.Add(-step)}
			if i > 0 {
				of[i].At = of[i-1].At.Add(-step)
			}
			of[i].Ahead = of[i].At.After(now.Add(slack))
		}
		made := rng.IntN(len(of))
		gone := expired(of, now, of[made].Path)
		if slices.Contains(gone, of[0]) || slices.Contains(gone, of[made]) {
			t.Fatalf("of %v at %v: gone are %v", of, now, gone)
		}
		if len(of) <= 8 && len(gone) > 0 {
			t.Fatalf("of %d there go %d", len(of), len(gone))
		}
	}
	// The one just made stays even where others say that they are later.
	for i := range kept {
		kept[i].Last = Last{Epoch: 2}
	}
	of = append(kept, Backup{Path: "new", At: at})
	if gone := expired(of, last, "new"); len(gone) > 1 ||
		slices.ContainsFunc(gone, func(b Backup) bool { return b.Path == "new" }) {
		t.Errorf("gone are %v", gone)
	}
}

// FuzzBackupName: the name of a backup tells its store and its time, and no other name does.
func FuzzBackupName(f *testing.F) {
	f.Add("tengen.db", int64(1783500000123), "tengen-20260520T130000.000Z.db")
	f.Add("a-b", int64(0), "a-b-20260520T130000.000Z")
	f.Fuzz(func(t *testing.T, base string, ms int64, name string) {
		path := filepath.Join("dir", filepath.Base(base))
		at := time.UnixMilli(ms % 1e14).UTC() // up to the year 5138
		if got, ok := stampOf(path, backupName(path, at)); at.Year() >= 0 && at.Year() < 10000 && (!ok || !got.Equal(at)) {
			t.Errorf("%s of %v gives %v, %v", backupName(path, at), at, got, ok)
		}
		if got, ok := stampOf(path, name); ok && backupName(path, got) != name {
			t.Errorf("%q is taken for %q", name, backupName(path, got))
		}
	})
}

func TestRotation(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	db := open(t, path)
	defer db.Close()
	at := testkit.At("2026-05-01")
	for i := range 60 {
		backedUp(t, db, at.Add(time.Duration(i)*time.Hour))
	}
	backups, err := Backups(path, path+".backups")
	if err != nil || len(backups) != 25 || !backups[0].At.Equal(at.Add(59*time.Hour)) {
		t.Errorf("after 60 hours there are %d backups, %v", len(backups), err)
	}
}

func TestKeepBackups(t *testing.T) {
	path := newPath(t)
	db := open(t, path)
	defer db.Close()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { db.KeepBackups(ctx, time.Hour); close(done) }()
	for deadline := time.Now().Add(20 * time.Second); ; {
		if status, err := db.Status(); err != nil || !status.Backup.IsZero() {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("there is no first backup")
		}
		time.Sleep(time.Millisecond) // for a file to appear there is nothing to wait on
	}
	cancel()
	<-done
}

func TestRestore(t *testing.T) {
	path := newPath(t)
	db := open(t, path)
	fill(t, db, "one")
	want := storagetest.All(t, db)
	backup := backedUp(t, db, time.Now())
	fill(t, db, "two")
	var held *Held
	if _, err := Restore(t.Context(), path, backup.Path, Options{}); !errors.As(err, &held) || held.PID != os.Getpid() {
		t.Errorf("restoring an open store: %v", err)
	}
	testkit.Must(t, db.Close())
	old := testkit.Got(Restore(t.Context(), path, backup.Path, Options{Log: quiet}))
	if _, err := os.Stat(old); err != nil {
		t.Errorf("the old file is gone: %v", err)
	}
	db = open(t, path)
	storagetest.Holds(t, db, want)
	db.Close()
	bad := filepath.Join(scratch(t), "bad.db")
	testkit.Write(t, bad, []byte("no database"))
	if _, err := Restore(t.Context(), path, bad, Options{Log: quiet}); !errors.Is(err, kv.ErrDamaged) {
		t.Errorf("restoring a bad file: %v", err)
	}
	if _, err := Restore(t.Context(), path, bad+".none", Options{Log: quiet}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("restoring no file: %v", err)
	}
	db = open(t, path)
	defer db.Close()
	storagetest.Holds(t, db, want)
}

func TestCompact(t *testing.T) {
	path := newPath(t)
	db := open(t, path)
	for i := range 10 {
		fill(t, db, fmt.Sprint("generation", i))
	}
	storagetest.Put(t, db, "t", "token")
	testkit.Must(t, db.Update(t.Context(), func(tx kv.Tx) error {
		var keys [][]byte
		err := tx.Scan([]byte("a"), []byte("c"), func(k, _ []byte) bool { keys = append(keys, k); return true })
		for _, k := range keys {
			err = errors.Join(err, tx.Delete(k))
		}
		return err
	}))
	want := storagetest.All(t, db)
	if _, _, err := Compact(t.Context(), path, Options{Log: quiet}, nil); !errors.As(err, new(*Held)) {
		t.Errorf("compacting an open store: %v", err)
	}
	db.Close()
	ctx, cancel := context.WithCancel(t.Context())
	if _, _, err := Compact(ctx, path, Options{Log: quiet}, func(int64) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted compaction: %v", err)
	}
	before, after, err := Compact(t.Context(), path,
		Options{Log: quiet, Omit: func(k []byte) bool { return k[0] == 't' }}, func(int64) {})
	if err != nil || after >= before {
		t.Fatalf("compacted %d to %d: %v", before, after, err)
	}
	if files, _ := filepath.Glob(path + ".next*"); len(files) != 0 {
		t.Errorf("left behind: %v", files)
	}
	db = open(t, path)
	defer db.Close()
	storagetest.Holds(t, db, want)
}

func TestHeld(t *testing.T) {
	path := newPath(t)
	db := open(t, path, Options{Name: "tengen run"})
	_, err := Open(t.Context(), path, Options{})
	var held *Held
	if !errors.As(err, &held) || held.PID != os.Getpid() || held.Name != "tengen run" ||
		!strings.Contains(err.Error(), "tengen run") {
		t.Errorf("a second opener gets %v", err)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v", info.Mode())
	}
	testkit.Must(t, db.Close())
	open(t, path).Close()
}

// A new store is made whole or not at all.
func TestCreate(t *testing.T) {
	path := newPath(t)
	testkit.Write(t, path+".new", []byte("left by a crash"))
	open(t, path).Close()
	testkit.Write(t, path, nil)
	if _, err := Open(t.Context(), path, Options{Log: quiet}); !errors.As(err, new(*damagedError)) {
		t.Errorf("an empty file: %v", err)
	}
	if _, err := Open(t.Context(), filepath.Join(path, "no", "folder"), Options{}); err == nil {
		t.Error("a folder that is not there")
	}
}

// Many small transactions under way when the context of one ends.
func TestGivingUp(t *testing.T) {
	db := open(t, newPath(t))
	defer db.Close()
	inside, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		err := db.Update(t.Context(), func(tx kv.Tx) error { close(inside); <-release; return tx.Put([]byte("a"), nil) })
		testkit.Check(t, err)
	})
	<-inside
	ctx, cancel := context.WithCancel(t.Context())
	ran := false
	wg.Go(func() {
		if err := db.Update(ctx, func(tx kv.Tx) error { ran = true; return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("who gives up while waiting gets %v", err)
		}
	})
	cancel()
	close(release)
	wg.Wait()
	if ran {
		t.Error("his closure ran")
	}
}
