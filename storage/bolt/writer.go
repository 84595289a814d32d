package bolt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"tengen/storage/kv"
)

// maxGroup is the largest number of closures in one commit.
const maxGroup = 1000

// request is one call of Update on its way through the writer.
type request struct {
	fn    func(kv.Tx) error
	taken atomic.Bool // by the writer, or by its caller, which gave up
	done  chan answer

	answered bool // belongs to the writer
}

func (r *request) answer(a answer) {
	if !r.answered {
		r.answered = true
		r.done <- a
	}
}

type answer struct {
	err      error
	panicked any // what fn panicked with; its caller panics with it again
}

// Update is kv.Engine.Update. When ctx ends before fn was begun, nothing is written;
// afterwards Update waits for the commit and tells how it went.
func (db *DB) Update(ctx context.Context, fn func(kv.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r := &request{fn: fn, done: make(chan answer, 1)}
	select {
	case db.queue <- r:
	case <-ctx.Done():
		return ctx.Err()
	case <-db.quit:
		return kv.ErrClosed
	}
	var a answer
	select {
	case a = <-r.done:
	case <-ctx.Done():
		if r.taken.CompareAndSwap(false, true) {
			return ctx.Err()
		}
		a = <-r.done
	}
	if a.panicked != nil {
		panic(a.panicked)
	}
	return a.err
}

// write is the one writer. It takes a request, and with it all others that wait by
// then, and commits them together; so a lone move costs one commit and many moves
// share one, and nobody waits for a timer.
func (db *DB) write() {
	for {
		select {
		case r := <-db.queue:
			db.commit(db.group(r))
		case <-db.quit:
			return
		}
	}
}

func (db *DB) group(first *request) []*request {
	group := []*request{first}
	runtime.Gosched() // callers that have just got their answer may send their next request
	for len(group) < maxGroup {
		select {
		case r := <-db.queue:
			group = append(group, r)
		default:
			return group
		}
	}
	return group
}

// commit runs the closures of a group in one transaction and answers each. Every
// closure writes to an overlay of its own, which is copied into the transaction only
// when it succeeds, so that one which fails spoils nobody.
func (db *DB) commit(group []*request) {
	var err error
	if broken := db.broken.Load(); broken != nil {
		err = *broken
	} else {
		err = db.try(group)
	}
	waiting := slices.DeleteFunc(group, func(r *request) bool { return r.answered })
	if isFull(err) && len(waiting) > 1 {
		// One large write must not keep out the small ones that would still fit.
		for _, r := range waiting {
			r.taken.Store(false)
			db.commit([]*request{r})
		}
		return
	}
	if err != nil && !isFull(err) && db.broken.Load() == nil {
		err = db.halt(err)
	}
	for _, r := range waiting {
		r.answer(answer{err: db.named(err)})
	}
}

// try answers the requests whose closures fail; the others stand or fall with the
// commit, of which it gives the error.
func (db *DB) try(group []*request) (err error) {
	tx, err := db.bolt.Begin(true)
	if err != nil {
		return err
	}
	defer func() {
		if r := recover(); r != nil { // bbolt on a damaged page
			err = fmt.Errorf("%w: %s", kv.ErrDamaged, unfit(fmt.Sprint(r)))
		}
		if err != nil {
			release(tx)
		}
	}()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	pages := tables{tx: tx, grows: db.options.Grows}
	if pages.sums, err = savedSums(tx); err != nil {
		return err
	}
	writes := 0
	for _, r := range group {
		if !r.taken.CompareAndSwap(false, true) {
			r.answered = true // its caller has given up
			continue
		}
		overlay := kv.NewOverlay(reader{tx})
		if a := call(r.fn, overlay); a.err != nil || a.panicked != nil {
			r.answer(a)
			continue
		}
		writes += overlay.Len()
		for key, value := range overlay.Writes() {
			var stored []byte
			if value != nil {
				stored = kv.AddChecksum(key, value)
			}
			if err := pages.put(key, stored); err != nil {
				return err
			}
		}
	}
	if writes > 0 {
		if err := touch(tx); err != nil {
			return err
		}
	}
	if writes == 0 {
		return tx.Rollback()
	}
	if err := pages.sums.save(tx); err != nil {
		return err
	}
	db.commits.Add(1)
	if err := tx.Commit(); err != nil {
		return err
	}
	return db.inPlace()
}

// inPlace gives an error when the path no longer leads to the open file: what is written to
// that file is lost with the process.
func (db *DB) inPlace() error {
	there, err := os.Stat(db.path)
	if err == nil && !os.SameFile(there, db.file) {
		err = errors.New("another file has taken its place")
	}
	if err != nil {
		return fmt.Errorf("the file that is open is no longer the store: %w", err)
	}
	return nil
}

// release gives back what a failed transaction may still hold; after a panic inside
// bbolt this is the best that can be done.
func release(tx *bbolt.Tx) {
	defer func() { _ = recover() }()
	_ = tx.Rollback()
}

// call runs fn and catches its panic, which belongs to the caller of Update.
func call(fn func(kv.Tx) error, tx kv.Tx) (a answer) {
	returned := false
	defer func() {
		if !returned {
			a.panicked = recover()
		}
	}()
	a.err = fn(tx)
	returned = true
	return a
}

// halt stops all further writing: after an error of the disk other than a full one
// nobody knows what the file holds, and the next start checks it.
func (db *DB) halt(cause error) error {
	err := fmt.Errorf("%w: %w", kv.ErrBroken, cause)
	if !db.broken.CompareAndSwap(nil, &err) {
		return *db.broken.Load()
	}
	db.options.Log.Error("the store can no longer write; restart to have the file checked", "file", db.path, "err", cause)
	return err
}

// Watch checks at intervals, until ctx ends, whether the file is still where it was opened,
// so that the log tells of a lost file even while nobody plays.
func (db *DB) Watch(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			db.trouble()
		}
	}
}

// trouble is why nothing can be written, nil where all is well.
func (db *DB) trouble() error {
	if broken := db.broken.Load(); broken != nil {
		return *broken
	}
	if err := db.inPlace(); err != nil {
		return db.halt(err)
	}
	return nil
}

// tables finds the bucket of a key and makes it where it is missing.
type tables struct {
	tx    *bbolt.Tx
	sums  *sums // change with the rows, and are the caller's to save
	grows string
	full  bool // all tables: a copy comes in order
	open  [256]*bbolt.Bucket
}

// put sets the row of key, or deletes it where stored is nil.
func (t *tables) put(key, stored []byte) error {
	table := t.open[key[0]]
	if table == nil {
		var err error
		if table, err = t.tx.CreateBucketIfNotExists(key[:1]); err != nil {
			return err
		}
		if t.full || strings.IndexByte(t.grows, key[0]) >= 0 {
			table.FillPercent = fullPages
		}
		t.open[key[0]] = table
	}
	var was []byte
	if !t.full { // of a copy each key comes once
		was = table.Get(key)
	}
	t.sums[key[0]].replace(key, was, stored)
	if stored == nil {
		return table.Delete(key)
	}
	return table.Put(key, stored)
}

// fullPages is how full a page is made when rows come in order. The rest is for the
// few that come late.
const fullPages = 0.95

// isFull reports whether err says that there is no room. bbolt wraps some of these as
// text only.
func isFull(err error) bool {
	return errors.Is(err, berrors.ErrMaxSizeReached) || errors.Is(err, syscall.ENOSPC) ||
		errors.Is(err, errQuota) || err != nil && strings.Contains(err.Error(), syscall.ENOSPC.Error())
}
