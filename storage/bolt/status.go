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
	Backup   time.Time // the newest; zero: none
	Commits  int64     // since the start
}

// Status gives the state of the store.
func (db *DB) Status() (Status, error) {
	backups, err := Backups(db.path, db.options.Backups)
	s := Status{Broken: db.look(), File: db.path, Size: sizeOf(db.path), Limit: db.options.MaxSize, Disk: diskFree(db.path), Recovery: db.found}
	if len(backups) > 0 {
		s.Backup = backups[0].At
	}
	s.Free = freeBytes(db.bolt, db.page)
	s.Commits = db.commits.Load()
	return s, err
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
