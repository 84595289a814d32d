package bolt

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"go.etcd.io/bbolt"

	"tengen/internal/testkit"
	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

func TestMain(m *testing.M) {
	Child()
	if child() {
		return
	}
	os.Exit(m.Run())
}

var quiet = slog.New(slog.DiscardHandler)

// Each store is first opened as the program opens it, which checks the file in a process of its own.
// So is every tenth time after that; the other times check it here, since a process takes longer than
// all the rest.
func TestEngine(t *testing.T) {
	t.Parallel()
	storagetest.Run(t, func(t testing.TB) storagetest.Open {
		path, opened := newPath(t), 0
		return func(t testing.TB) kv.Engine {
			o := Options{}
			if opened++; opened%10 != 1 {
				o.Check = CheckHere
			}
			return open(t, path, o)
		}
	}, true)
}

// Who gives up a change that has begun hears what became of it.
func TestGivenUpTooLate(t *testing.T) {
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		db := open(t, path, Options{Check: CheckHere})
		defer db.Close()
		ctx, cancel := context.WithCancel(t.Context())
		err := db.Update(ctx, func(tx kv.Tx) error {
			cancel()
			synctest.Wait() // until the caller has seen it
			return tx.Put([]byte("a"), nil)
		})
		if err != nil || storagetest.Get(t, db, []byte("a")) == nil {
			t.Errorf("a change that was made: %v", err)
		}
	})
}

// open opens a store without waiting for the disk.
func open(t testing.TB, path string, with ...Options) *DB {
	t.Helper()
	o := append(with, Options{})[0]
	if o.Log == nil {
		o.Log = quiet
	}
	db := testkit.Got(Open(t.Context(), path, o))
	db.bolt.NoSync = true
	return db
}

// newPath is where a store may be made.
func newPath(t testing.TB) string { return filepath.Join(scratch(t), "store.db") }

// backedUp makes a backup.
func backedUp(t testing.TB, db *DB, at time.Time) Backup {
	return testkit.Got(db.Backup(t.Context(), at))
}

type bboltTx = bbolt.Tx

// children are the processes that the tests start of this program, by the variable that
// names their file.
var children = map[string]func(path string) error{}

func child() bool {
	for name, run := range children {
		if path := os.Getenv(name); path != "" {
			if err := run(path); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			return true
		}
	}
	return false
}

var scratch = testkit.Scratch
