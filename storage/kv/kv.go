// Package kv is the ordered key-value store that package storage stands on: byte
// keys in ascending order, and transactions that are closures. Memory is the engine
// for tests; storage/bolt keeps a file, storage/pg a schema on PostgreSQL.
// Start from Engine.
package kv

import (
	"context"
	"errors"
)

// The longest key and value that every engine takes.
const (
	// MaxKey is in bytes.
	MaxKey = 512
	// MaxValue is in bytes.
	MaxValue = 1 << 20
)

// The errors that engines share. Each may come wrapped.
var (
	// ErrClosed comes from every call after Close.
	ErrClosed = errors.New("the store is closed")
	// ErrFull says that a change found no room, and that nothing was changed.
	ErrFull = errors.New("no room left in the store")
	// ErrBroken says that the store cannot write any more; the next start checks it.
	ErrBroken = errors.New("the store can no longer write; restart to check it")
	// ErrDamaged says that a stored value is not the one that was written.
	ErrDamaged = errors.New("damaged value")
	// ErrKey says that a key is empty or longer than MaxKey.
	ErrKey = errors.New("key is empty or too long")
	// ErrValue says that a value is longer than MaxValue.
	ErrValue = errors.New("value is too long")
	// ErrNoWatch says that the engine is no Watcher.
	ErrNoWatch = errors.New("the store does not report changes")
)

// Reader reads one consistent state of the store.
type Reader interface {
	// Get gives the value under key, or nil where there is none (an empty value is
	// not nil). The caller owns it.
	Get(key []byte) ([]byte, error)

	// Scan calls fn for the keys from <= key < to in ascending order until fn
	// returns false; a nil to has no end. It shows the state as it was when Scan
	// was called: what fn writes is not seen by it. The caller owns key and value.
	Scan(from, to []byte, fn func(key, value []byte) bool) error
}

// Firsts is a Reader of a View that answers many questions in one request.
type Firsts interface {
	// Firsts calls fn for the first row of each range from <= key < to that has one; i is
	// the range's place.
	Firsts(froms, tos [][]byte, fn func(i int, key, value []byte)) error
}

// Tx is a Reader that sees its own writes.
type Tx interface {
	Reader
	Put(key, value []byte) error
	Delete(key []byte) error // deleting what is not there is no error
}

// Engine is an ordered store with serializable transactions. Closures must be quick
// and pure: they may run more than once, and what they hand out must be assigned,
// not added to. They must not call the engine again.
type Engine interface {
	// View runs fn on a consistent state.
	View(ctx context.Context, fn func(Reader) error) error

	// Update runs fn; when fn returns nil its writes are made, all or none, and
	// Update returns after they are durable. An error of fn changes nothing and is
	// returned as it is. Any other error says that nothing was acknowledged: the
	// writes may or may not have been made.
	Update(ctx context.Context, fn func(Tx) error) error

	// Count gives how many rows have keys that begin with table. It takes no longer for more than
	// a million: where it cannot know, it estimates, and exact is false.
	Count(ctx context.Context, table byte) (rows int64, exact bool, err error)

	Close() error
}

// Watcher is an Engine that reports changes, those of other processes too.
type Watcher interface {
	// Watch calls fn for each row from <= key < to that is written from now on, in order,
	// until ctx ends or an error; fn must be quick and must not call the engine. Of a row that
	// is written several times in a moment it may tell the newest alone. Rows that are deleted are
	// not told of.
	Watch(ctx context.Context, from, to []byte, fn func(key, value []byte)) error
}

// After is the end of the range of keys that begin with prefix, for Scan; nil if the
// range has no end.
func After(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] != 0xFF {
			end := append([]byte(nil), prefix[:i+1]...)
			end[i]++
			return end
		}
	}
	return nil
}
