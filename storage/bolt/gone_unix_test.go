//go:build unix

package bolt

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tengen/internal/testkit"
	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

// A store that is gone is not made anew: the refusal names what shows that it was there,
// again at each start, until that is taken away.
func TestGone(t *testing.T) {
	for name, c := range map[string]struct {
		take func(path string) error // the store, closed cleanly, away
		says string
	}{
		"deleted":                     {os.Remove, ".clean and "},
		"deleted after an open close": {func(path string) error { return errors.Join(os.Remove(path), os.Remove(cleanPath(path))) }, ".lock shows"},
		"the lock deleted as well":    {func(path string) error { return errors.Join(os.Remove(path), os.Remove(lockPath(path))) }, ".clean shows"},
		"a link to nowhere": {func(path string) error {
			return errors.Join(os.Remove(path), os.Remove(cleanPath(path)), os.Remove(lockPath(path)),
				os.Symlink("/volume/store.db", path))
		}, "link to /volume/store.db"},
		"a link to nowhere, with a backup": {func(path string) error {
			return errors.Join(os.Remove(path), os.Mkdir(path+".backups", dirMode), os.Symlink("/volume/store.db", path),
				os.WriteFile(filepath.Join(path+".backups", backupName(path, time.Now())), nil, fileMode))
		}, "link to /volume/store.db"},
	} {
		path := newPath(t)
		testkit.Must(t, errors.Join(open(t, path).Close(), c.take(path)))
		var gone *goneFile
		for range 2 {
			if _, err := Open(t.Context(), path, Options{Log: quiet}); !errors.As(err, &gone) ||
				!strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "store restore") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if gone == nil {
			continue
		}
		for _, sign := range gone.Signs {
			testkit.Must(t, os.Remove(sign))
		}
		os.RemoveAll(path + ".backups")
		if err := open(t, path).Close(); err != nil {
			t.Errorf("%s: anew: %v", name, err)
		}
	}
}

// A lock that never saw a store is no sign of one.
func TestNeverThere(t *testing.T) {
	path := newPath(t)
	testkit.Got(acquire(path, "test", "")).release()
	testkit.Check(t, open(t, path).Close())
}

// The file is taken away while the store is open: no move is acknowledged any more, and
// whoever asks hears of it.
func TestGoneWhileOpen(t *testing.T) {
	other := filepath.Join(scratch(t), "other.db")
	testkit.Must(t, open(t, other).Close())
	log := make(logged, 1)
	asks := map[string]func(db *DB){
		"nobody": func(*DB) {},
		"the status": func(db *DB) {
			if status, err := db.Status(); err != nil || !errors.Is(status.Broken, kv.ErrBroken) {
				t.Errorf("the status: %v, %v", status.Broken, err)
			}
		},
		"the watch": func(db *DB) {
			ctx, stop := context.WithCancel(t.Context())
			var wait sync.WaitGroup
			wait.Go(func() { db.Watch(ctx, time.Millisecond) })
			<-log
			stop()
			wait.Wait()
		},
	}
	for name, take := range map[string]func(path string) error{
		"deleted":  os.Remove,
		"renamed":  func(path string) error { return os.Rename(path, path+".old") },
		"replaced": func(path string) error { return errors.Join(os.Remove(path), os.Link(other, path)) },
	} {
		for who, asks := range asks {
			name := name + ", asked by " + who
			path := filepath.Join(filepath.Dir(other), "store.db")
			db := open(t, path, Options{Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelError}))})
			storagetest.Put(t, db, "a", "before")
			if status, err := db.Status(); err != nil || status.Broken != nil {
				t.Errorf("%s: the status before: %v, %v", name, status.Broken, err)
			}
			testkit.Must(t, take(path))
			asks(db)
			for range 2 {
				if err := db.Update(t.Context(), func(tx kv.Tx) error {
					return tx.Put([]byte("b"), nil)
				}); !errors.Is(err, kv.ErrBroken) {
					t.Errorf("%s: a write: %v", name, err)
				}
			}
			if err := db.Close(); err != nil || isClean(path) {
				t.Errorf("%s: closing it: %v, as a clean one: %v", name, err, isClean(path))
			}
			select { // the next one's is its own
			case <-log:
			default:
			}
			os.Remove(path)
			os.Remove(lockPath(path))
		}
	}
}

// logged tells that something was logged.
type logged chan struct{}

func (l logged) Write(b []byte) (int, error) {
	select {
	case l <- struct{}{}:
	default:
	}
	return len(b), nil
}
