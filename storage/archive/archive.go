// Package archive keeps finished games beside a store that holds only what is alive: a
// file for each month, or another process that has the files. NewEngine joins an engine
// and an archive, so that package storage reads and changes finished games as before. It is
// for storage/etcd, whose servers keep all keys in memory; a store in one file needs none.
// Start from NewEngine.
package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"tengen/storage"
	"tengen/storage/kv"
)

// Row is a row of the archive; a nil value deletes.
type Row struct{ Key, Value []byte }

// Archive is where finished games are.
type Archive interface {
	// Get gives the value under a key, nil where there is none.
	Get(ctx context.Context, key []byte) ([]byte, error)

	// Scan calls fn for the keys from <= key < to in ascending order until fn is false.
	Scan(ctx context.Context, from, to []byte, fn func(key, value []byte) bool) error

	// Write writes rows. They are durable when it returns; the same rows may be written again.
	Write(ctx context.Context, rows []Row) error
}

// ErrUnreachable says that no process with the archive's files can be reached now. Live
// matches go on without the archive.
var ErrUnreachable = fmt.Errorf("the archive: %w", kv.ErrUnreachable)

// Engine is an engine with an archive under one of its tables. A row that is written goes
// into the engine, as part of its transaction, and a row that is deleted leaves a mark
// there; Flush brings both to the archive later. So the archive never knows more than the
// engine, transactions stay what they are, and a process that dies loses nothing.
type Engine struct {
	kv.Engine
	archive Archive
	table   byte

	// minAge is the age under which no match is in the archive: the archive is not asked
	// for younger ones, as it would be for each new id. No match is filed before it ends.
	minAge time.Duration

	// Delay is how long a row stays in the engine after Flush first saw it. It is longer
	// than any transaction that read the archive before, and than the lease of a receipt.
	Delay time.Duration

	mu   sync.Mutex
	seen map[string][]byte // what Flush saw
	at   time.Time         // when
}

// NewEngine gives an engine whose table is partly in an archive.
func NewEngine(engine kv.Engine, table byte, a Archive) *Engine {
	return &Engine{Engine: engine, archive: a, table: table, minAge: 23 * time.Hour, Delay: 70 * time.Second}
}

// gone is the mark of a row that is to be deleted in the archive. No record begins so.
var gone = []byte{0}

// View is kv.Engine.View.
func (t *Engine) View(ctx context.Context, fn func(kv.Reader) error) error {
	return t.Engine.View(ctx, func(r kv.Reader) error { return fn(reader{ctx, t, r}) })
}

// Update is kv.Engine.Update.
func (t *Engine) Update(ctx context.Context, fn func(kv.Tx) error) error {
	return t.Engine.Update(ctx, func(tx kv.Tx) error { return fn(txn{reader{ctx, t, tx}, tx}) })
}

// Room is the engine's Room, nil where the engine has none.
func (t *Engine) Room() error {
	if r, ok := t.Engine.(interface{ Room() error }); ok {
		return r.Room()
	}
	return nil
}

// Watch is kv.Watcher.Watch, or kv.ErrNoWatch where the engine is no kv.Watcher.
func (t *Engine) Watch(ctx context.Context, from, to []byte, fn func(key, value []byte)) error {
	if w, ok := t.Engine.(kv.Watcher); ok {
		return w.Watch(ctx, from, to, fn)
	}
	return kv.ErrNoWatch
}

type reader struct {
	ctx context.Context
	t   *Engine
	r   kv.Reader
}

// Get is kv.Reader.Get. The engine is asked first: a row is written to the archive before
// it goes from the engine.
func (r reader) Get(key []byte) ([]byte, error) {
	value, err := r.r.Get(key)
	switch {
	case err != nil || len(key) == 0 || key[0] != r.t.table:
		return value, err
	case bytes.Equal(value, gone):
		return nil, nil
	case value != nil:
		return value, nil
	case time.Since(began(key)) < r.t.minAge:
		return nil, nil
	}
	return r.t.archive.Get(r.ctx, key)
}

// Scan is kv.Reader.Scan.
func (r reader) Scan(from, to []byte, fn func(key, value []byte) bool) error {
	first, behind := []byte{r.t.table}, []byte{r.t.table + 1}
	stopped := false
	until := func(key, value []byte) bool {
		stopped = !fn(key, value)
		return !stopped
	}
	if bytes.Compare(from, first) < 0 {
		if err := r.r.Scan(from, least(to, first), until); err != nil || stopped {
			return err
		}
	}
	if bytes.Compare(from, behind) < 0 && (to == nil || bytes.Compare(first, to) < 0) {
		if err := r.merged(most(from, first), least(to, behind), until); err != nil || stopped {
			return err
		}
	}
	if to == nil || bytes.Compare(behind, to) < 0 {
		return r.r.Scan(most(from, behind), to, until)
	}
	return nil
}

// window is how many rows of the engine are merged with the archive's at a time.
const window = 256

// merged lays the engine's rows over the archive's, a window at a time: a caller that
// wants a few rows of many does not read all of them.
func (r reader) merged(from, to []byte, fn func(key, value []byte) bool) error {
	stopped := false
	emit := func(row Row) {
		if !stopped && !bytes.Equal(row.Value, gone) {
			stopped = !fn(row.Key, row.Value)
		}
	}
	for !stopped {
		var above []Row
		end := to
		if err := r.r.Scan(from, to, func(key, value []byte) bool {
			above = append(above, Row{key, value})
			if len(above) == window {
				end = append(bytes.Clone(key), 0)
			}
			return len(above) < window
		}); err != nil {
			return err
		}
		full := len(above) == window
		if err := r.t.archive.Scan(r.ctx, from, end, func(key, value []byte) bool {
			for len(above) > 0 && bytes.Compare(above[0].Key, key) < 0 {
				emit(above[0])
				above = above[1:]
			}
			row := Row{key, value}
			if len(above) > 0 && bytes.Equal(above[0].Key, key) {
				row, above = above[0], above[1:]
			}
			emit(row)
			return !stopped
		}); err != nil {
			return err
		}
		for _, row := range above {
			emit(row)
		}
		if !full {
			return nil
		}
		from = end
	}
	return nil
}

func least(to, bound []byte) []byte {
	if to == nil || bytes.Compare(bound, to) < 0 {
		return bound
	}
	return to
}

func most(from, bound []byte) []byte {
	if bytes.Compare(from, bound) < 0 {
		return bound
	}
	return from
}

type txn struct {
	reader
	tx kv.Tx
}

// Put is kv.Tx.Put.
func (t txn) Put(key, value []byte) error { return t.tx.Put(key, value) }

// Delete is kv.Tx.Delete.
func (t txn) Delete(key []byte) error {
	if len(key) > 0 && key[0] == t.t.table {
		return t.tx.Put(key, gone)
	}
	return t.tx.Delete(key)
}

// flushRows is how many rows go from the engine in one transaction.
const flushRows = 50

// Flush moves the rows to the archive that it saw at least Delay ago and that have not
// changed since; call it about once a minute. It gives the number of rows that it moved.
// A fence in ctx keeps two processes from flushing at once.
func (t *Engine) Flush(ctx context.Context) (rows int, err error) { return t.flush(ctx, nil) }

// flush is Flush. It gives files a new id with each batch, unless they are nil.
func (t *Engine) flush(ctx context.Context, files *Files) (rows int, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.seen != nil && time.Since(t.at) < t.Delay {
		return 0, nil
	}
	now, at := map[string][]byte{}, time.Now()
	err = t.Engine.View(ctx, func(r kv.Reader) error {
		clear(now)
		return r.Scan([]byte{t.table}, []byte{t.table + 1}, func(key, value []byte) bool {
			now[string(key)] = value
			return len(now) < 100*flushRows
		})
	})
	if err != nil {
		return 0, fmt.Errorf("looking for finished games: %w", err)
	}
	before := t.seen
	t.seen, t.at = now, at
	var same []Row
	for key, value := range now {
		if was, ok := before[key]; ok && bytes.Equal(was, value) {
			same = append(same, Row{[]byte(key), value})
		}
	}
	for batch := range slices.Chunk(same, flushRows) {
		if err := t.move(ctx, batch, files); err != nil {
			return rows, err
		}
		rows += len(batch)
	}
	return rows, nil
}

// move writes rows to the archive, then deletes from the engine those that have not changed.
func (t *Engine) move(ctx context.Context, batch []Row, files *Files) error {
	var is, next string
	if files != nil {
		var err error
		if is, next, err = files.nextID(ctx, t.Engine); err != nil {
			return err
		}
	}
	rows := make([]Row, len(batch))
	for i, row := range batch {
		if rows[i] = row; bytes.Equal(row.Value, gone) {
			rows[i].Value = nil
		}
	}
	if err := t.archive.Write(ctx, rows); err != nil {
		return fmt.Errorf("writing to the archive: %w", err)
	}
	return t.Engine.Update(ctx, func(tx kv.Tx) error {
		if files != nil {
			id, err := tx.Get(storage.ArchiveRow())
			if err == nil && string(id) != is {
				err = errOther
			}
			if err = errors.Join(err, tx.Put(storage.ArchiveRow(), []byte(next))); err != nil {
				return err
			}
		}
		for _, row := range batch {
			value, err := tx.Get(row.Key)
			if err != nil {
				return err
			}
			if bytes.Equal(value, row.Value) {
				if err := tx.Delete(row.Key); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// NewCopyEngine gives an engine for copying a store while no other process uses it: rows of
// the table are written to the archive at once, and never to the engine. The archive's id
// belongs to the place and not to the rows: it is neither read nor written.
func NewCopyEngine(engine kv.Engine, table byte, a Archive) kv.Engine {
	return &copyEngine{Engine{Engine: engine, archive: a, table: table}}
}

type copyEngine struct{ Engine }

// Close closes the engine, and the archive where it can be closed.
func (s *copyEngine) Close() error {
	err := s.Engine.Engine.Close()
	if c, ok := s.archive.(interface{ Close() error }); ok {
		err = errors.Join(err, c.Close())
	}
	return err
}

// withoutID is a reader that does not see the id.
type withoutID struct{ kv.Reader }

func isID(key []byte) bool { return bytes.Equal(key, storage.ArchiveRow()) }

// Get is kv.Reader.Get.
func (u withoutID) Get(key []byte) ([]byte, error) {
	if isID(key) {
		return nil, nil
	}
	return u.Reader.Get(key)
}

// Scan is kv.Reader.Scan.
func (u withoutID) Scan(from, to []byte, fn func(key, value []byte) bool) error {
	return u.Reader.Scan(from, to, func(key, value []byte) bool { return isID(key) || fn(key, value) })
}

// View is kv.Engine.View.
func (s *copyEngine) View(ctx context.Context, fn func(kv.Reader) error) error {
	return s.Engine.View(ctx, func(r kv.Reader) error { return fn(withoutID{r}) })
}

// Update is kv.Engine.Update.
func (s *copyEngine) Update(ctx context.Context, fn func(kv.Tx) error) error {
	var rows []Row
	err := s.Engine.Engine.Update(ctx, func(tx kv.Tx) error {
		rows = nil
		over := kv.NewOverlay(withoutID{reader{ctx, &s.Engine, tx}})
		if err := fn(over); err != nil {
			return err
		}
		for key, value := range over.Writes() {
			var err error
			switch {
			case isID(key):
			case key[0] == s.table:
				rows = append(rows, Row{key, value})
			case value == nil:
				err = tx.Delete(key)
			default:
				err = tx.Put(key, value)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || len(rows) == 0 {
		return err
	}
	return s.archive.Write(ctx, rows)
}

// flushEvery is how often the process with the archive's files flushes.
const flushEvery = time.Minute
