package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"

	"tengen/storage/kv"
)

// stampLayout is the time in the names of backups.
const stampLayout = "20060102T150405.000Z"

// Backup is a file that holds a whole store as it was at one change. Its content says which change, its name only when.
type Backup struct {
	Path  string
	At    time.Time // when it was begun, by its name
	Size  int64
	Last  Last // what it says of itself; zero where it is of layout 1 or cannot be read
	Ahead bool // At is yet to come, or was when the backup was set aside for that

	aside bool
}

// slack is how far a stamp may be ahead: clocks are put right by that much.
const slack = 5 * time.Minute

// time is when the backup was made, as far as that can be believed.
func (b Backup) time(now time.Time) (at time.Time, ok bool) {
	if !b.Ahead {
		return b.At, true
	}
	return b.Last.At, !b.Last.At.IsZero() && !b.Last.At.After(now.Add(slack))
}

// Backups lists the backups of the store at path in folder dir, the latest state first. What a
// backup says of itself decides the order, and its name only where that decides nothing. A
// folder that does not exist has no backups.
func Backups(path, dir string) ([]Backup, error) { return list(path, dir, time.Now()) }

func list(path, dir string, now time.Time) ([]Backup, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var found []Backup
	for _, entry := range entries {
		plain, aside := notAside(path, entry.Name())
		at, ok := stampOf(path, plain)
		if info, err := entry.Info(); ok && err == nil && info.Mode().IsRegular() {
			b := Backup{Path: filepath.Join(dir, entry.Name()), At: at, Size: info.Size(),
				Ahead: aside || at.After(now.Add(slack)), aside: aside}
			b.Last, _ = readLast(b.Path) // one that is damaged comes last
			found = append(found, b)
		}
	}
	sort.Slice(found, func(i, j int) bool {
		a, b := found[i], found[j]
		switch order := a.Last.compare(b.Last); {
		case order != 0:
			return order > 0
		case a.Ahead != b.Ahead:
			return b.Ahead
		}
		return a.At.After(b.At)
	})
	return found, nil
}

// asideMark ends the name, before its extension, of a backup that was dated ahead.
const asideMark = "-ahead"

func asideName(path string, at time.Time) string {
	ext := filepath.Ext(path)
	return strings.TrimSuffix(backupName(path, at), ext) + asideMark + ext
}

// notAside gives the name that a backup had before it was set aside.
func notAside(path, name string) (plain string, aside bool) {
	ext := filepath.Ext(path)
	plain, aside = strings.CutSuffix(strings.TrimSuffix(name, ext), asideMark)
	return plain + ext, aside
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

// backups is what a process knows of the backups that it makes.
type backups struct {
	mu       sync.Mutex // one is made at a time
	made     atomic.Pointer[Backup]
	failures atomic.Int64
	schedule atomic.Pointer[schedule]
}

// Backup writes a backup of what is stored now to the folder of the backups, verifies
// it in the way that Open would, and then removes those that give way to it. Writers go
// on meanwhile. Only a verified backup gets its name. An error that comes with a backup
// is about the others, or is that of Options.Made.
func (db *DB) Backup(ctx context.Context, at time.Time) (made Backup, err error) {
	made, err = db.backup(ctx, at)
	if made.Path != "" && db.options.Made != nil {
		err = errors.Join(err, db.options.Made(ctx, made))
	}
	if err != nil && ctx.Err() == nil {
		db.backups.failures.Add(1)
	}
	return made, err
}

func (db *DB) backup(ctx context.Context, at time.Time) (made Backup, err error) {
	db.backups.mu.Lock()
	defer db.backups.mu.Unlock()
	sweep(db.path, db.options, nil)
	if made, err = db.makeBackup(ctx, at); err != nil {
		return Backup{}, fmt.Errorf("making a backup: %w", err)
	}
	db.backups.made.Store(&made)
	if err := db.rotate(at, made.Path); err != nil {
		return made, fmt.Errorf("removing old backups: %w", err)
	}
	return made, nil
}

func (db *DB) makeBackup(ctx context.Context, at time.Time) (Backup, error) {
	dir := db.options.Backups
	if err := errors.Join(os.MkdirAll(dir, dirMode), giveBeside(dir, db.path)); err != nil {
		return Backup{}, err
	}
	if err := syncDir(filepath.Dir(dir)); err != nil {
		return Backup{}, err
	}
	if err := db.setAside(at); err != nil {
		return Backup{}, err
	}
	path := filepath.Join(dir, backupName(db.path, at))
	tmp := path + ".part"
	if err := db.copyTo(ctx, tmp, db.options.Omit, db.options.Progress); err != nil {
		return Backup{}, err
	}
	if err := errors.Join(giveBeside(tmp, db.path), replace(tmp, path)); err != nil {
		return Backup{}, errors.Join(err, removed(tmp))
	}
	last, err := readLast(path)
	return Backup{Path: path, At: at, Size: sizeOf(path), Last: last}, err
}

// setAside renames the backups that are dated ahead, so that their names mislead nobody
// when that time has come.
func (db *DB) setAside(now time.Time) error {
	backups, err := list(db.path, db.options.Backups, now)
	if err != nil {
		return err
	}
	for _, b := range backups {
		if !b.Ahead || b.aside {
			continue
		}
		to := filepath.Join(db.options.Backups, asideName(db.path, b.At))
		if _, err = os.Lstat(to); err == nil {
			err = fmt.Errorf("%s exists already", to)
		} else {
			err = replace(b.Path, to)
		}
		db.options.Log.Warn("a backup is dated ahead: it is set aside, and counts by its content",
			"backup", b.Path, "aside", to, "dated", b.At, "clock", now.UTC(), "content", b.Last.String(), "err", err)
	}
	return nil
}

// sweep removes what a start, a backup, a restore or a compaction left half done when it
// was killed, but for the file that is to be restored. The caller holds the lock of the
// store: nobody is at work on any of it.
func sweep(path string, o Options, from os.FileInfo) {
	left := []string{path + ".new", path + ".part", nextPath(path), nextPath(path) + ".part"}
	if real, err := filepath.EvalSymlinks(path); err == nil && real != path { // Renew
		left = append(left, nextPath(real), nextPath(real)+".part")
	}
	entries, _ := os.ReadDir(o.Backups) // a folder that cannot be read is found out elsewhere
	for _, entry := range entries {
		if name, ok := strings.CutSuffix(entry.Name(), ".part"); ok {
			if _, ok := stampOf(path, name); ok {
				left = append(left, filepath.Join(o.Backups, entry.Name()))
			}
		}
	}
	for _, path := range left {
		if info, err := os.Lstat(path); err != nil || os.SameFile(info, from) {
			continue
		}
		if err := os.Remove(path); err != nil {
			o.Log.Warn("what was left half done cannot be removed", "file", path, "err", err)
			continue
		}
		o.Log.Info("what was left half done is removed", "file", path)
	}
}

// CopyTo writes a verified copy of the store to a new file: without the rows that
// Options.Omit names, and without the free pages, in which old tokens may still stand.
// progress, which may be nil, is told of the rows done.
func (db *DB) CopyTo(ctx context.Context, path string, progress func(rows int64)) error {
	tmp := path + ".part"
	if err := db.copyTo(ctx, tmp, db.options.Omit, progress); err != nil {
		return err
	}
	if err := replace(tmp, path); err != nil {
		return errors.Join(err, removed(tmp))
	}
	return nil
}

// copyTo writes a verified copy at path, or nothing. A kill leaves half of it: path is a name that sweep knows.
func (db *DB) copyTo(ctx context.Context, path string, omit func(key []byte) bool, progress func(rows int64)) error {
	rows, err := db.copyRows(ctx, path, omit, progress)
	if err == nil {
		err = db.verify(ctx, path, rows)
	}
	if err != nil {
		return errors.Join(err, removed(path))
	}
	return nil
}

// Stream writes a verified copy, as CopyTo makes it, to w.
func (db *DB) Stream(ctx context.Context, w io.Writer) (bytes int64, err error) {
	db.backups.mu.Lock() // no sweep takes the copy away meanwhile
	defer db.backups.mu.Unlock()
	dir := db.options.Backups
	if err := errors.Join(os.MkdirAll(dir, dirMode), giveBeside(dir, db.path)); err != nil {
		return 0, err
	}
	tmp := filepath.Join(dir, backupName(db.path, time.Now())) + ".part"
	if err := db.copyTo(ctx, tmp, db.options.Omit, nil); err != nil {
		return 0, fmt.Errorf("making a backup: %w", err)
	}
	defer func() { err = errors.Join(err, removed(tmp)) }()
	f, err := os.Open(tmp)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return io.Copy(w, stopping{ctx, f})
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
func (db *DB) copyRows(ctx context.Context, path string,
	omit func(key []byte) bool, progress func(rows int64)) (rows int64, err error) {
	if err := removed(path); err != nil {
		return 0, err
	}
	to, err := bbolt.Open(path, fileMode, &bbolt.Options{Timeout: openTimeout, NoSync: true, NoFreelistSync: true,
		FreelistType: bbolt.FreelistMapType})
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
	last, err := lastOf(tx)
	if err != nil {
		return 0, err
	}
	if err := to.Update(writeOwn); err != nil {
		return 0, err
	}
	rows, err = bulk(ctx, to, tx, func(key []byte) bool { return omit(key) || bytes.Equal(key, db.options.Mark) },
		progress)
	if err != nil {
		// What is found here stays: the next start would put a backup in the place of the
		// file, and every move until then would be lost with it.
		if errors.Is(err, kv.ErrDamaged) {
			_ = db.halt(err)
		}
		return 0, err
	}
	to.NoFreelistSync = false
	if last.Epoch != 0 {
		if err := to.Update(func(tx *bbolt.Tx) error { return putLast(tx, last) }); err != nil {
			return 0, err
		}
	}
	return rows, to.Sync()
}

// bulkSize is how many bytes of rows go into one transaction of a copy.
const bulkSize = 4 << 20

func bulk(ctx context.Context, to *bbolt.DB, from *bbolt.Tx,
	omit func([]byte) bool, progress func(int64)) (rows int64, err error) {
	c, found, copied := cursor{tx: from}, tally{}, sums{}
	key, value, err := c.seek(nil)
	for key != nil && err == nil {
		err = to.Update(func(tx *bbolt.Tx) error {
			pages := tables{tx: tx, sums: &copied, full: true}
			for size := 0; key != nil && size < bulkSize; {
				stored := kv.AddChecksum(key, value)
				if err := found.add(key, stored); err != nil {
					return err
				}
				if !omit(key) {
					if err := pages.put(key, stored); err != nil {
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

// copyFile copies a finished file so that a crash leaves the whole copy or none. The copy
// begins an epoch, and is dressed as the file in whose place it is to stand.
func copyFile(ctx context.Context, from, to string, epoch uint64, like os.FileInfo) (err error) {
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
	if err = errors.Join(err, out.Close()); err == nil {
		err = errors.Join(beginEpoch(tmp, epoch), dressAs(tmp, like))
	}
	if err != nil {
		return errors.Join(err, removed(tmp))
	}
	return replace(tmp, to)
}

// stopping is a reader that ends with its context.
type stopping struct {
	ctx context.Context
	in  io.Reader
}

// Read is io.Reader.Read.
func (s stopping) Read(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.in.Read(b)
}

// The backups that are kept: the newest ones, and of the days before them the last of
// each. What is older than maxAge may hold what a member had deleted since, and goes in
// any case.
const (
	keepNewest = 24
	keepDays   = 7
	maxAge     = (keepDays + 1) * 24 * time.Hour
	mostGap    = 25 * time.Hour // as much time as may pass from one backup to the next
)

func (db *DB) rotate(now time.Time, made string) error {
	backups, err := list(db.path, db.options.Backups, now)
	if err != nil {
		return err
	}
	var errs []error
	for _, b := range expired(backups, now, made) {
		errs = append(errs, removed(b.Path))
	}
	return errors.Join(errs...)
}

// expired gives the backups that give way to the one just made: one at most, and those that
// are too old. The backups come with the latest state first. Their age is counted along the
// list, and two neighbours count as at most mostGap apart, so that a clock that jumps ahead
// makes none of them old, and the latest never is.
func expired(backups []Backup, now time.Time, made string) (gone []Backup) {
	days := map[string]bool{}
	age, later := time.Duration(0), now
	var surplus *Backup
	for i, b := range backups {
		day := b.At
		if at, ok := b.time(now); ok {
			age += min(max(later.Sub(at), 0), mostGap)
			day, later = at, at
		}
		date := day.UTC().Format(time.DateOnly)
		first := !days[date]
		days[date] = true
		switch {
		case b.Path == made:
		case age >= maxAge:
			gone = append(gone, b)
		case i >= keepNewest && (!first || len(days) > keepDays):
			surplus = &backups[i]
		}
	}
	if surplus != nil {
		gone = append(gone, *surplus)
	}
	return gone
}

// schedule is what KeepBackups was asked for.
type schedule struct {
	every time.Duration
	since time.Time
}

// overdue is how long there has been no backup although more than two were due; 0: all
// is well, or nobody asked for any. It goes by the time that has passed, whatever the
// clock was set to meanwhile.
func (db *DB) overdue() time.Duration {
	s := db.backups.schedule.Load()
	if s == nil {
		return 0
	}
	since := time.Since(s.since)
	if made := db.backups.made.Load(); made != nil {
		since = min(since, time.Since(made.At))
	}
	if since <= 2*s.every {
		return 0
	}
	return since
}

// KeepBackups makes a backup whenever the newest one is older than every, until ctx
// ends. What goes wrong is logged and tried again after a tenth of that time; that none
// comes is logged as well.
func (db *DB) KeepBackups(ctx context.Context, every time.Duration) {
	db.backups.schedule.Store(&schedule{every, time.Now()})
	defer db.backups.schedule.Store(nil)
	var watch sync.WaitGroup
	watch.Go(func() { db.watchBackups(ctx, every) })
	defer watch.Wait()
	timer := time.NewTimer(db.firstWait(time.Now(), every))
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
			case err != nil && backup.Path == "":
				db.options.Log.Error("there is no new backup of the store", "err", err)
				timer.Reset(every / 10)
				continue
			case err != nil:
				db.options.Log.Error("the store was backed up, but not all that follows was done", "err", err)
			}
			db.options.Log.Info("the store was backed up", "backup", backup.Path, "bytes", backup.Size, "took", time.Since(now))
			timer.Reset(every)
		}
	}
}

// firstWait is how long the newest backup will do; 0 where its time cannot be believed or
// the store has been restored since.
func (db *DB) firstWait(now time.Time, every time.Duration) time.Duration {
	backups, err := list(db.path, db.options.Backups, now)
	if err != nil || len(backups) == 0 {
		return 0
	}
	last, err := db.last()
	at, ok := backups[0].time(now)
	if err != nil || !ok || backups[0].Last.Epoch != last.Epoch {
		return 0
	}
	return min(max(every-now.Sub(at), 0), every)
}

// watchBackups logs that no backup comes; a backup that never ends cannot log that itself.
func (db *DB) watchBackups(ctx context.Context, every time.Duration) {
	look := time.NewTicker(every)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
			if late := db.overdue(); late > 0 {
				db.options.Log.Error("no backup of the store has come", "for", late.Round(time.Second), "every", every)
			}
		}
	}
}

// Restore puts a backup, or any other good file, in the place of the store at path,
// which nobody may have open. The file that was there is kept beside it; its new name
// is returned, empty if there was none. Owner and mode stay as they were.
func Restore(ctx context.Context, path, from string, o Options) (aside string, err error) {
	o = o.withDefaults(path)
	held, err := acquire(path, o.Name, "")
	if err != nil {
		return "", err
	}
	defer held.release()
	source, err := os.Stat(from)
	if err != nil {
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
	sweep(path, o, source)
	epoch, err := nextEpoch(path, o.Backups, from, path)
	if err != nil {
		return "", fmt.Errorf("restoring: %w", err)
	}
	like, err := ownerOf(path)
	if err != nil {
		return "", fmt.Errorf("restoring: %w", err)
	}
	next := nextPath(path)
	if err := copyFile(ctx, from, next, epoch, like); err != nil {
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
	if _, err := os.Stat(path); err != nil {
		return 0, 0, fmt.Errorf("compacting: %w", err)
	}
	db, err := Open(ctx, path, o)
	if err != nil {
		return 0, 0, err
	}
	before = sizeOf(path)
	next, real, err := db.renewed(ctx, progress)
	if err != nil {
		return 0, 0, errors.Join(fmt.Errorf("compacting %s: %w", path, err), db.Close())
	}
	db.once.Do(func() { // instead of Close: the lock is held until the new file stands
		defer db.lock.release()
		err = errors.Join(db.shut(), forgetClean(path), replace(next, real), markClean(path))
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
