package bolt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Renew puts a copy without free pages in the place of the file, before anybody else uses the
// store: what was deleted stands in free pages until they are used again. The copy is verified and
// on the disk before it takes the place, and has the owner and the mode of the file. After an error
// the store is open as it was, or it is broken.
func (db *DB) Renew(ctx context.Context) (before, after int64, err error) {
	before = sizeOf(db.path)
	next, real, err := db.renewed(ctx, nil)
	if err != nil {
		return before, before, fmt.Errorf("rewriting %s: %w", db.path, err)
	}
	err = errors.Join(db.bolt.Close(), replace(next, real))
	if err == nil {
		db.bolt, db.file, err = openFile(db.path, db.options)
	}
	if err != nil {
		return before, before, db.halt(fmt.Errorf("rewriting %s: %w", db.path, err))
	}
	return before, sizeOf(db.path), nil
}

// renewed writes the copy that is to take the place of the file, where a link leads to the file too.
func (db *DB) renewed(ctx context.Context, progress func(rows int64)) (next, real string, err error) {
	if real, err = filepath.EvalSymlinks(db.path); err != nil {
		return "", "", err
	}
	next = nextPath(real)
	if err := db.copyTo(ctx, next, nobody, progress); err != nil {
		return "", "", err
	}
	info, err := os.Stat(real)
	if err == nil {
		err = errors.Join(dressLike(next, info), syncFile(next))
	}
	if err != nil {
		return "", "", errors.Join(err, removed(next))
	}
	return next, real, nil
}

func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// nobody is an Options.Omit that leaves no row out.
func nobody([]byte) bool { return false }

// nextPath is where the file is made that is to take the place of another.
func nextPath(path string) string { return path + ".next" }
