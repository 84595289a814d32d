package archive

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"tengen/game/venue"
	"tengen/storage/bolt"
	"tengen/storage/kv"
)

// Files is an Archive in a folder: a file for each month in which games began, so that
// old months do not change any more and are backed up once.
type Files struct {
	dir     string
	options bolt.Options

	mu    sync.Mutex
	open  map[string]*bolt.DB // by month
	names []string            // of all months there are, ascending
	done  bool
}

const fileEnd = ".games"

// OpenFiles opens the archive in a folder; a missing folder is made. Each file is opened
// when it is first needed, and one process at a time can have it open.
func OpenFiles(dir string, options bolt.Options) (*Files, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("opening the archive: %w", err)
	}
	found, err := filepath.Glob(filepath.Join(dir, "*"+fileEnd))
	if err != nil {
		return nil, fmt.Errorf("opening the archive: %w", err)
	}
	f := &Files{dir: dir, options: options, open: map[string]*bolt.DB{}}
	for _, path := range found {
		f.names = append(f.names, strings.TrimSuffix(filepath.Base(path), fileEnd))
	}
	slices.Sort(f.names)
	return f, nil
}

// Close closes the files.
func (f *Files) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.done = true
	var err error
	for _, db := range f.open {
		err = errors.Join(err, db.Close())
	}
	clear(f.open)
	return err
}

// month names the file of a key. The match id in the key tells when the match began.
func month(key []byte) string {
	if len(key) < 9 {
		return ""
	}
	return began(key).Format("2006-01")
}

// began is when the match of a key began; the zero time for a key without a match.
func began(key []byte) time.Time {
	if len(key) < 9 {
		return time.Time{}
	}
	return venue.TimeOf(binary.BigEndian.Uint64(key[1:9]))
}

// file opens the file of a month. With make it makes a missing one, else it gives nil.
func (f *Files) file(ctx context.Context, name string, make bool) (*bolt.DB, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, there := slices.BinarySearch(f.names, name)
	switch {
	case f.done:
		return nil, kv.ErrClosed
	case f.open[name] != nil:
		return f.open[name], nil
	case !there && !make:
		return nil, nil
	}
	db, err := bolt.Open(context.WithoutCancel(ctx), filepath.Join(f.dir, name+fileEnd), f.options)
	if err != nil {
		return nil, fmt.Errorf("the archive of %s: %w", name, err)
	}
	f.open[name] = db
	if !there {
		f.names = slices.Insert(f.names, at, name)
	}
	return db, nil
}

// Get is Archive.Get.
func (f *Files) Get(ctx context.Context, key []byte) (value []byte, err error) {
	db, err := f.file(ctx, month(key), false)
	if err != nil || db == nil {
		return nil, err
	}
	err = db.View(ctx, func(r kv.Reader) (err error) {
		value, err = r.Get(key)
		return err
	})
	return value, err
}

// Scan is Archive.Scan. Ids ascend with time, and so do the months.
func (f *Files) Scan(ctx context.Context, from, to []byte, fn func(key, value []byte) bool) error {
	f.mu.Lock()
	names := slices.Clone(f.names)
	f.mu.Unlock()
	first := month(from)
	for _, name := range names {
		if name < first {
			continue
		}
		db, err := f.file(ctx, name, false)
		if err != nil {
			return err
		}
		stopped := false
		err = db.View(ctx, func(r kv.Reader) error {
			return r.Scan(from, to, func(key, value []byte) bool {
				stopped = !fn(key, value)
				return !stopped
			})
		})
		if err != nil || stopped {
			return err
		}
	}
	return nil
}

// Write is Archive.Write.
func (f *Files) Write(ctx context.Context, rows []Row) error {
	by := map[string][]Row{}
	for _, row := range rows {
		by[month(row.Key)] = append(by[month(row.Key)], row)
	}
	for name, rows := range by {
		db, err := f.file(ctx, name, true)
		if err != nil {
			return err
		}
		err = db.Update(ctx, func(tx kv.Tx) (err error) {
			for _, row := range rows {
				if row.Value == nil {
					err = errors.Join(err, tx.Delete(row.Key))
				} else {
					err = errors.Join(err, tx.Put(row.Key, row.Value))
				}
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("the archive of %s: %w", name, err)
		}
	}
	return nil
}
