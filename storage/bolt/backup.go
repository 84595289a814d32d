package bolt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"tengen/storage/kv"
)

// stampLayout is the time in the names of backups: they sort by age.
const stampLayout = "20060102T150405.000Z"

// Backup is a backup of a store.
type Backup struct {
	Path string
	At   time.Time // when it was begun
	Size int64
}

// Backups lists the backups of the store at path in folder dir, newest first. There
// are none in a folder that does not exist.
func Backups(path, dir string) ([]Backup, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var found []Backup
	for _, entry := range entries {
		at, ok := stampOf(path, entry.Name())
		if info, err := entry.Info(); ok && err == nil && info.Mode().IsRegular() {
			found = append(found, Backup{Path: filepath.Join(dir, entry.Name()), At: at, Size: info.Size()})
		}
	}
	// As slices.SortFunc it would be 12 kB more of code.
	sort.Slice(found, func(i, j int) bool { return found[i].At.After(found[j].At) })
	return found, nil
}

func backupName(path string, at time.Time) string {
	ext := filepath.Ext(path)
	return strings.TrimSuffix(filepath.Base(path), ext) + "-" + at.UTC().Format(stampLayout) + ext
}

func stampOf(path, name string) (time.Time, bool) {
	ext := filepath.Ext(path)
	rest, ok := strings.CutPrefix(name, strings.TrimSuffix(filepath.Base(path), ext)+"-")
	stamp, ok2 := strings.CutSuffix(rest, ext)
	at, err := time.Parse(stampLayout, stamp)
	return at, ok && ok2 && err == nil && at.Format(stampLayout) == stamp
}

// Backup writes a backup of what is stored now to the folder of the backups, verifies
// it in the way that Open would, and then removes the backups that are no longer due.
// Writers go on meanwhile. Only a verified backup gets its name.
func (db *DB) Backup(ctx context.Context, at time.Time) (Backup, error) {
	dir := db.options.Backups
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return Backup{}, fmt.Errorf("making a backup: %w", err)
	}
	path := filepath.Join(dir, backupName(db.path, at))
	if err := db.CopyTo(ctx, path, db.options.Progress); err != nil {
		return Backup{}, fmt.Errorf("making a backup: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return Backup{}, fmt.Errorf("making a backup: %w", err)
	}
	return Backup{path, at, info.Size()}, db.rotate()
}

// CopyTo writes a verified copy of the store to a new file: without the rows that
// Options.Omit names, and without the free pages, in which old tokens may still stand.
// progress, which may be nil, is told of the rows done.
func (db *DB) CopyTo(ctx context.Context, path string, progress func(rows int64)) error {
	tmp := path + ".part"
	rows, err := db.copyRows(ctx, tmp, progress)
	if err == nil {
		err = db.verify(ctx, tmp, rows)
	}
	if err == nil {
		err = replace(tmp, path)
	}
	if err != nil {
		return errors.Join(err, removed(tmp))
	}
	return nil
}

func (db *DB) verify(ctx context.Context, path string, rows int64) error {
	report, err := db.options.Check(ctx, path)
	switch {
	case err != nil:
		return err
	case !report.Good():
		return fmt.Errorf("the copy is damaged: %s", report.Problem)
	case report.Total() != rows:
		return fmt.Errorf("the copy has %d rows instead of %d", report.Total(), rows)
	}
	return nil
}

func removed(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// copyRows reads one state of the store. Each row is checked on the way.
func (db *DB) copyRows(ctx context.Context, path string, progress func(rows int64)) (rows int64, err error) {
	if err := removed(path); err != nil {
		return 0, err
	}
	to, err := bbolt.Open(path, fileMode, &bbolt.Options{Timeout: openTimeout, NoSync: true, NoFreelistSync: true, FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	to.AllocSize = growStep
	tx, err := db.bolt.Begin(false)
	if err != nil {
		return 0, db.named(err)
	}
	defer tx.Rollback()
	if err := to.Update(writeOwn); err != nil {
		return 0, err
	}
	rows, err = bulk(ctx, to, tx, db.options.Omit, progress)
	if err != nil {
		// What is found here stays: the next start would put a backup in the place of the
		// file, and every move until then would be lost with it.
		if errors.Is(err, kv.ErrDamaged) {
			_ = db.halt(err)
		}
		return 0, err
	}
	to.NoFreelistSync = false
	if err := to.Update(func(*bbolt.Tx) error { return nil }); err != nil {
		return 0, err
	}
	return rows, to.Sync()
}

// bulkSize is how many bytes of rows go into one transaction of a copy.
const bulkSize = 4 << 20

func bulk(ctx context.Context, to *bbolt.DB, from *bbolt.Tx, omit func([]byte) bool, progress func(int64)) (rows int64, err error) {
	c, found, copied := cursor{tx: from}, tally{}, sums{}
	key, value, err := c.seek(nil)
	for key != nil && err == nil {
		err = to.Update(func(tx *bbolt.Tx) error {
			pages := tables{tx: tx, sums: &copied, full: true}
			for size := 0; key != nil && size < bulkSize; {
				sealed := kv.Seal(key, value)
				if err := found.add(key, sealed); err != nil {
					return err
				}
				if !omit(key) {
					if err := pages.put(key, sealed); err != nil {
						return err
					}
					rows++
					size += len(key) + len(value)
				}
				if key, value, err = c.next(); err != nil {
					return err
				}
			}
			return errors.Join(copied.save(tx), ctx.Err())
		})
		if progress != nil {
			progress(rows)
		}
	}
	if err != nil {
		return rows, err
	}
	saved, err := savedSums(from)
	if saved != nil && err == nil {
		err = saved.missed(&found.sums)
	}
	return rows, err
}

// copyFile copies a finished file so that a crash leaves the whole copy or none.
func copyFile(ctx context.Context, from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	tmp := to + ".part"
	out, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, fileMode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, stopping{ctx, in})
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return errors.Join(err, removed(tmp))
	}
	return replace(tmp, to)
}

// stopping is a reader that ends with its context.
type stopping struct {
	ctx context.Context
	in  io.Reader
}

func (s stopping) Read(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.in.Read(b)
}

// The backups that are kept: the newest ones, and of the time before them the last of
// each day.
const (
	keepNewest = 24
	keepDays   = 7
)

func (db *DB) rotate() error {
	backups, err := Backups(db.path, db.options.Backups)
	if err != nil {
		return err
	}
	var errs []error
	for _, b := range expired(backups) {
		errs = append(errs, removed(b.Path))
	}
	return errors.Join(errs...)
}

// expired gives those of the backups, newest first, that need not be kept. With one
// an hour nothing of a member who had their data deleted is left after eight days.
func expired(backups []Backup) []Backup {
	var gone []Backup
	days := 0
	for i, b := range backups {
		lastOfDay := i == 0 || backups[i-1].At.UTC().YearDay() != b.At.UTC().YearDay() || backups[i-1].At.UTC().Year() != b.At.UTC().Year()
		if lastOfDay {
			days++
		}
		tooOld := backups[0].At.Sub(b.At) > (keepDays+1)*24*time.Hour
		if i >= keepNewest && (!lastOfDay || days > keepDays) || i > 0 && tooOld {
			gone = append(gone, b)
		}
	}
	return gone
}

// KeepBackups makes a backup whenever the newest one is older than every, until ctx
// ends. What goes wrong is logged and tried again after a tenth of that time.
func (db *DB) KeepBackups(ctx context.Context, every time.Duration) {
	wait := time.Duration(0)
	if backups, err := Backups(db.path, db.options.Backups); err == nil && len(backups) > 0 {
		wait = every - time.Since(backups[0].At)
	}
	timer := time.NewTimer(max(wait, 0))
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-timer.C:
			backup, err := db.Backup(ctx, now)
			switch {
			case ctx.Err() != nil:
				return
			case err != nil:
				db.options.Log.Error("there is no new backup of the store", "err", err)
				timer.Reset(every / 10)
			default:
				db.options.Log.Info("the store was backed up", "backup", backup.Path, "bytes", backup.Size, "took", time.Since(now))
				timer.Reset(every)
			}
		}
	}
}

// Restore puts a backup, or any other good file, in the place of the store at path,
// which nobody may have open. The file that was there is kept beside it; its new name
// is returned, empty if there was none.
func Restore(ctx context.Context, path, from string, o Options) (aside string, err error) {
	o = o.withDefaults(path)
	held, err := acquire(path, o.Name)
	if err != nil {
		return "", err
	}
	defer held.release()
	if _, err := os.Stat(from); err != nil {
		return "", fmt.Errorf("restoring: %w", err)
	}
	report, err := o.Check(ctx, from)
	if err != nil {
		return "", fmt.Errorf("restoring %s: %w", from, err)
	}
	if !report.Good() {
		return "", fmt.Errorf("restoring %s: %w: %s", from, kv.ErrDamaged, report.Problem+report.Newer)
	}
	// The copy comes first: at no moment is there neither the old file nor the new.
	next := path + ".next"
	if err := copyFile(ctx, from, next); err != nil {
		return "", fmt.Errorf("restoring %s: %w", from, err)
	}
	if aside, err = keepOld(path); err == nil {
		err = errors.Join(forgetClean(path), replace(next, path))
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("restoring %s: %w", from, err), removed(next))
	}
	return aside, nil
}

func keepOld(path string) (string, error) {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	old := path + ".before-restore-" + time.Now().UTC().Format(stampLayout)
	if os.Link(path, old) == nil {
		return old, nil
	}
	return old, os.Rename(path, old) // a file system without links
}

// Compact rewrites the store at path, which nobody may have open, without its free
// pages. It gives the sizes before and after in bytes.
func Compact(ctx context.Context, path string, o Options, progress func(rows int64)) (before, after int64, err error) {
	o.Omit = nil
	if _, err := os.Stat(path); err != nil {
		return 0, 0, fmt.Errorf("compacting: %w", err)
	}
	db, err := Open(ctx, path, o)
	if err != nil {
		return 0, 0, err
	}
	next := path + ".next"
	before = sizeOf(path)
	err = db.CopyTo(ctx, next, progress)
	if err != nil {
		return 0, 0, errors.Join(fmt.Errorf("compacting %s: %w", path, err), db.Close())
	}
	db.once.Do(func() { // instead of Close: the lock is held until the new file stands
		defer db.lock.release()
		err = errors.Join(db.shut(), forgetClean(path), replace(next, path), markClean(path))
	})
	if err != nil {
		return 0, 0, fmt.Errorf("compacting %s: %w", path, err)
	}
	return before, sizeOf(path), nil
}

func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
