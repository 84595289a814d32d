package bolt

import (
	"context"
	"errors"
	"sync"

	"go.etcd.io/bbolt"

	"tengen/storage/kv"
)

// Still is a store as it was at one moment, while writers go on. It is a kv.Engine that changes no more. Until Close
// the file keeps every page that Still might read.
type Still struct {
	db *DB
	mu sync.Mutex // a transaction of bbolt serves one goroutine at a time
	tx *bbolt.Tx  // nil: closed
}

// Still gives the store as it is now.
func (db *DB) Still() (*Still, error) {
	tx, err := db.bolt.Begin(false)
	return &Still{db: db, tx: tx}, db.named(err)
}

var errStill = errors.New("what was stored at one moment cannot be changed")

// View is kv.Engine.View.
func (s *Still) View(ctx context.Context, fn func(kv.Reader) error) error {
	return s.in(ctx, func(tx *bbolt.Tx) error { return fn(reader{tx}) })
}

// Update is an error.
func (s *Still) Update(context.Context, func(kv.Tx) error) error { return errStill }

// Count is kv.Engine.Count.
func (s *Still) Count(ctx context.Context, table byte) (rows int64, exact bool, err error) {
	err = s.in(ctx, func(tx *bbolt.Tx) error {
		saved, err := savedSums(tx)
		if saved != nil {
			rows = int64(saved[table].rows)
		}
		return err
	})
	return rows, true, err
}

// Check reads all rows and looks whether any is missing, as a check of the file does. Pages without rows it leaves to
// that: in a damaged file they could end this process.
func (s *Still) Check(ctx context.Context) (Report, error) {
	report := Report{Rows: map[string]int64{}}
	err := s.in(ctx, func(tx *bbolt.Tx) (err error) {
		defer caught(&err)()
		report.Size = tx.Size()
		report.Used = report.Size - freeBytes(s.db.bolt, s.db.page)
		return report.count(tx, ctx.Err)
	})
	if errors.Is(err, kv.ErrDamaged) {
		report.Problem, err = err.Error(), nil
	}
	return report, err
}

func (s *Still) in(ctx context.Context, fn func(*bbolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tx == nil {
		return kv.ErrClosed
	}
	return fn(s.tx)
}

// Close ends it. A second one does nothing.
func (s *Still) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tx == nil {
		return nil
	}
	tx := s.tx
	s.tx = nil
	return tx.Rollback()
}
