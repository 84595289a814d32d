// Package bolt is the storage engine for one machine: one bbolt file, one writer that
// commits in groups, hot backups, and a start that survives a damaged file. It knows
// rows, not what is in them. Start from Open.
package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"tengen/storage/kv"
)

const (
	openTimeout = 500 * time.Millisecond // for bbolt's own lock; without it Open waits for ever
	mapSize     = 1 << 30                // while the file fits, readers never wait for a remapping
	growStep    = 4 << 20                // the file grows by this, a small one by less
	startTime   = 2 * time.Second        // how long a start may read a file that was closed cleanly
	fileMode    = 0o600                  // interaction tokens are in it
	dirMode     = 0o700
)

// Options are the choices of Open; the zero value works.
type Options struct {
	Log     *slog.Logger // nil: slog.Default()
	Name    string       // who holds the file, for the refusal that a second process gets; empty: the program's name
	Socket  string       // where who holds the file takes what others would do with it (Held); empty: nowhere
	Backups string       // folder of the backups; empty: FILE.backups
	MaxSize int64        // largest size of the file in bytes; 0: 64 GiB
	Reserve int64        // room kept for what is running, in bytes; 0: 32 MiB, but at most an eighth of MaxSize

	// Grows names the tables (first bytes of keys) whose keys nearly always come in
	// ascending order: their pages are filled to the brim.
	Grows string

	// Omit says which rows backups leave out; nil: none.
	Omit func(key []byte) bool

	// Mark is the row that says that free pages hold what was deleted. No copy holds it, since
	// none has free pages; nil: none.
	Mark []byte

	// Check examines a file before it is opened; nil: CheckHere, in a process of
	// its own in a program that called Child.
	Check func(ctx context.Context, path string) (Report, error)

	// AcceptOlder lets Open go on with an older copy of the store: what is stored from then on
	// counts as later than all backups. Otherwise Open refuses such a copy (olderFile).
	AcceptOlder bool

	// Made is called with each backup that has its name; nil: nobody hears of it. Its error counts among the failures.
	Made func(ctx context.Context, made Backup) error

	// Progress is called with the rows that a backup has copied so far; it may be nil.
	Progress func(rows int64)

	startTime time.Duration // for the check of a file that was closed cleanly; 0: startTime
}

// DB is an open store. It is a kv.Engine.
type DB struct {
	path    string
	options Options
	bolt    *bbolt.DB
	file    os.FileInfo // the file that is open, whatever the path leads to by now
	page    int         // bytes
	lock    *lock
	found   Recovery

	queue  chan *request // unbuffered: the writer answers every request that it has taken
	quit   chan struct{}
	writer sync.WaitGroup
	once   sync.Once
	broken atomic.Pointer[error]

	commits atomic.Int64
	backups backups
}

// Open opens the store in the file path, or makes a new one. Whatever may be wrong
// with the file, Open ends in an open store or in an error: a file that was not
// closed cleanly is checked first, one that is damaged is moved aside and replaced by
// the newest good backup (Recovery tells). A file that was there and is gone is not made
// anew (goneFile), and one that is older than a backup is not opened (olderFile). The folder must exist.
func Open(ctx context.Context, path string, options Options) (*DB, error) {
	options = options.withDefaults(path)
	db, err := newDB(path, options)
	if err != nil {
		return nil, err
	}
	sweep(path, options, nil)
	var older *olderFile
	if db.found, older, err = recoverFile(ctx, path, db.lock.opened, options); err == nil {
		db.bolt, db.file, err = openFile(path, options)
	}
	if err == nil && older != nil {
		if err = db.accept(older); err != nil {
			err = errors.Join(err, db.bolt.Close())
		}
	}
	if err == nil {
		if err = db.lock.note(); err != nil {
			err = errors.Join(err, db.bolt.Close())
		}
	}
	if err != nil {
		db.lock.release()
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	db.begin()
	return db, nil
}

// newDB is a store that nobody else has open, and that has yet to be opened.
func newDB(path string, options Options) (*DB, error) {
	held, err := acquire(path, options.Name, options.Socket)
	return &DB{path: path, options: options, lock: held, queue: make(chan *request), quit: make(chan struct{})}, err
}

// begin begins to write what is asked for.
func (db *DB) begin() {
	db.page = db.bolt.Info().PageSize
	db.writer.Go(db.write)
}

// accept goes on with an older copy of the store.
func (db *DB) accept(o *olderFile) error {
	epoch, err := nextEpoch(db.path, db.options.Backups, db.path, db.path)
	if err != nil {
		return err
	}
	db.options.Log.Warn("an older copy of the store goes on, what came after it is given up", "file", db.path,
		"content", o.Last.String(), "backup", o.Backup.Path, "given_up", o.Backup.Last.String(), "history", epoch)
	return db.bolt.Update(func(tx *bbolt.Tx) error { return raise(tx, epoch) })
}

// Read opens the store at path for reading alone and leaves everything as it is: a file
// that is damaged, empty or not there is an error. Nobody else may have it open.
func Read(ctx context.Context, path string, options Options) (*DB, error) {
	options = options.withDefaults(path)
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("opening the store: %w", err)
	}
	db, err := newDB(path, options)
	if err != nil {
		return nil, err
	}
	if err = db.readable(ctx); err == nil {
		db.bolt, err = bbolt.Open(path, fileMode, &bbolt.Options{ReadOnly: true, Timeout: openTimeout, PreLoadFreelist: true})
	}
	if err != nil {
		db.lock.release()
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	readOnly := errors.New("the store is open for reading alone")
	db.broken.Store(&readOnly)
	db.begin()
	return db, nil
}

func (db *DB) readable(ctx context.Context) error {
	report, err := checkStart(ctx, db.path, db.options)
	switch {
	case err != nil:
		return err
	case report.Newer != "":
		return newerLayout(report.Newer)
	case report.Problem != "":
		return fmt.Errorf("%w: %s", kv.ErrDamaged, report.Problem)
	}
	return nil
}

// Inspect checks the file of a store, which nobody may have open, whatever its last
// close says of it.
func Inspect(ctx context.Context, path string, options Options) (Report, error) {
	options = options.withDefaults(path)
	if _, err := os.Stat(path); err != nil {
		return Report{}, err
	}
	held, err := acquire(path, options.Name, "")
	if err != nil {
		return Report{}, err
	}
	defer held.release()
	return options.Check(ctx, path)
}

func (o Options) withDefaults(path string) Options {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Name == "" {
		o.Name = filepath.Base(os.Args[0])
	}
	if o.Backups == "" {
		o.Backups = path + ".backups"
	}
	if o.MaxSize == 0 {
		o.MaxSize = 64 << 30
	}
	if o.Reserve == 0 {
		o.Reserve = min(32<<20, o.MaxSize/8)
	}
	if o.Omit == nil {
		o.Omit = func([]byte) bool { return false }
	}
	if o.Check == nil {
		o.Check = CheckHere
		if hooked.Load() {
			o.Check = checkChild
		}
	}
	if o.startTime == 0 {
		o.startTime = startTime
	}
	return o
}

// step is by how much the file grows; bbolt refuses when the next step would not fit.
func (o Options) step() int { return int(min(growStep, o.MaxSize/16)) }

// The bucket that says whose file this is. Tables are buckets of one byte, the first
// of their keys, so this name is never one of them.
var (
	metaBucket    = []byte("tengen")
	layoutKey     = []byte("layout")
	currentLayout = []byte("2")

	sumlessLayout = []byte("1") // the layout without sums; addSums brings a file of it up to date
)

// errForeign says that a file is a good database of something else.
var errForeign = errors.New("this is not a store of tengen")

// newerLayout says that a file was written by a later version of this package.
type newerLayout string

// Error is error.Error.
func (l newerLayout) Error() string {
	return fmt.Sprintf("the file has layout %s and this program knows %s; use a newer tengen", string(l), currentLayout)
}

func openFile(path string, o Options) (*bbolt.DB, os.FileInfo, error) {
	var file *os.File
	db, err := bbolt.Open(path, fileMode, &bbolt.Options{
		OpenFile: func(name string, flag int, mode os.FileMode) (_ *os.File, err error) {
			file, err = os.OpenFile(name, flag, mode)
			return file, err
		},
		Timeout:         openTimeout,
		InitialMmapSize: mapSize,
		MaxSize:         int(o.MaxSize),
		FreelistType:    bbolt.FreelistMapType,
	})
	if err != nil {
		return nil, nil, err
	}
	db.AllocSize = o.step()
	sumless := false
	err = db.View(func(tx *bbolt.Tx) error {
		if err := checkOwn(tx); err != nil {
			return err
		}
		sumless = tx.Bucket(metaBucket).Get(sumsKey) == nil
		return nil
	})
	if err == nil && sumless {
		err = db.Update(addSums)
	}
	info, unknown := file.Stat()
	if err = errors.Join(err, unknown); err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return db, info, nil
}

// checkOwn refuses what is not a store of ours, or of a later version.
func checkOwn(tx *bbolt.Tx) error {
	own := tx.Bucket(metaBucket)
	if own == nil {
		return errForeign
	}
	layout := own.Get(layoutKey)
	if !bytes.Equal(layout, currentLayout) && !(bytes.Equal(layout, sumlessLayout) && own.Get(sumsKey) == nil) {
		_, mine := savedSums(tx) // nil where their checksum names another layout
		if number, err := strconv.Atoi(string(layout)); err != nil || number < 1 || mine == nil {
			return fmt.Errorf("%w: the file names the layout %q", kv.ErrDamaged, layout)
		}
		return newerLayout(layout)
	}
	_, err := lastOf(tx)
	return err
}

// create makes an empty store under a temporary name and puts it in its place whole,
// so that a crash leaves no empty file behind.
func create(path string) error {
	tmp := path + ".new"
	if err := os.Remove(tmp); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	db, err := bbolt.Open(tmp, fileMode, &bbolt.Options{Timeout: openTimeout})
	if err != nil {
		return err
	}
	err = db.Update(writeOwn)
	if err = errors.Join(err, db.Close(), giveBeside(tmp, path)); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return replace(tmp, path)
}

func writeOwn(tx *bbolt.Tx) error {
	own, err := tx.CreateBucketIfNotExists(metaBucket)
	if err != nil {
		return err
	}
	return errors.Join(own.Put(layoutKey, currentLayout), new(sums).save(tx), putLast(tx, firstLast()))
}

// replace moves a finished file to its place and waits until the disk knows.
func replace(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return syncDir(filepath.Dir(to))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Path is the file.
func (db *DB) Path() string { return db.path }

// Recovery says what Open had to do to get a good file; its zero value means nothing.
func (db *DB) Recovery() Recovery { return db.found }

// View is kv.Engine.View. Nothing slow belongs in fn: while a reader is at work the
// file keeps every page that it might read.
func (db *DB) View(ctx context.Context, fn func(kv.Reader) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	tx, err := db.bolt.Begin(false)
	if err != nil {
		return db.named(err)
	}
	defer tx.Rollback()
	return fn(reader{tx})
}

// Count is kv.Engine.Count. The sums of the file know, and are exact.
func (db *DB) Count(ctx context.Context, table byte) (rows int64, exact bool, err error) {
	if err := ctx.Err(); err != nil {
		return 0, false, err
	}
	err = db.bolt.View(func(tx *bbolt.Tx) error {
		s, err := savedSums(tx)
		if err == nil && s == nil { // a file of before the sums, which is only read
			s = &sums{}
			err = reader{tx}.Scan([]byte{table}, kv.After([]byte{table}), func(_, _ []byte) bool {
				s[table].rows++
				return true
			})
		}
		if err == nil {
			rows = int64(s[table].rows)
		}
		return err
	})
	return rows, true, db.named(err)
}

// named gives bbolt's errors their names of package kv.
func (db *DB) named(err error) error {
	switch {
	case errors.Is(err, berrors.ErrDatabaseNotOpen):
		return kv.ErrClosed
	case isFull(err):
		return fmt.Errorf("%w: %w", kv.ErrFull, err)
	}
	return err
}

// Close waits for the transactions that are under way, closes the file and notes that
// this was done cleanly. A second one does nothing.
func (db *DB) Close() error {
	var err error
	db.once.Do(func() {
		defer db.lock.release()
		if err = db.shut(); err == nil && db.broken.Load() == nil {
			err = markClean(db.path)
		}
	})
	return err
}

func (db *DB) shut() error {
	close(db.quit)
	db.writer.Wait()
	return db.bolt.Close()
}
