package bolt

import (
	"fmt"
	"time"

	"tengen/storage/kv"
)

// Status is how the store is doing, for status commands and metrics.
type Status struct {
	File     string
	Size     int64 // bytes of the file
	Free     int64 // bytes of it that are free
	Limit    int64 // bytes that the file may have
	Disk     int64 // bytes free on its disk; -1: unknown
	Broken   error // why nothing can be written; nil: all is well
	Recovery Recovery
	Backup   time.Time // the newest; zero: none, or none whose time can be believed
	Commits  int64     // since the start

	BackupFailures int64         // since the start
	BackupOverdue  time.Duration // KeepBackups: for how long none has come; 0: all is well
}

// Status gives the state of the store.
func (db *DB) Status() (Status, error) {
	backups, err := Backups(db.path, db.options.Backups)
	s := Status{Broken: db.trouble(), File: db.path, Size: sizeOf(db.path), Limit: db.options.MaxSize,
		Disk: diskFree(db.path), Recovery: db.found}
	s.Backup = newest(backups, db.backups.made.Load(), time.Now())
	s.BackupFailures = db.backups.failures.Load()
	s.BackupOverdue = db.overdue()
	s.Free = freeBytes(db.bolt, db.page)
	s.Commits = db.commits.Load()
	return s, err
}

// newest is when the newest backup was made. Of one that this process made it knows by
// how much time has passed, even if the clock was set since.
func newest(backups []Backup, made *Backup, now time.Time) (newest time.Time) {
	for _, b := range backups {
		if made != nil && b.Path == made.Path {
			return made.At
		}
		if at, ok := b.time(now); ok && newest.IsZero() {
			newest = at
		}
	}
	return newest
}

// Room is nil while there is room for more than what is running already, else
// kv.ErrFull: then nothing new should begin, so that what runs can go on.
func (db *DB) Room() error {
	tx, err := db.bolt.Begin(false)
	if err != nil {
		return db.named(err)
	}
	used := tx.Size() - freeBytes(db.bolt, db.page)
	if err := tx.Rollback(); err != nil {
		return err
	}
	if left := db.options.MaxSize - int64(db.options.step()) - used; left < db.options.Reserve {
		return fmt.Errorf("%w: %d bytes left of %d", kv.ErrFull, max(left, 0), db.options.MaxSize)
	}
	if left := diskFree(db.path); left >= 0 && left < db.options.Reserve {
		return fmt.Errorf("%w: %d bytes left on the disk", kv.ErrFull, left)
	}
	return nil
}
