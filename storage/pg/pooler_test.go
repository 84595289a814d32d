package pg

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tengen/internal/testkit"
	"tengen/storage/kv"
	"tengen/storage/pg/pgtest"
	"tengen/storage/storagetest"
)

// TestEngineBehindPooler: each transaction may be on another connection of the server.
func TestEngineBehindPooler(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("TestEngine runs the same")
	}
	s := pgtest.Start(t)
	storagetest.Run(t, storesAt(pgtest.NewPooler(t, s).Address()), true)
}

// TestPoolerLeadsElsewhere: a pooler that has led to the primary leads to a standby, which lags, and back. Nothing of
// the standby passes for what is so, and connections to the pooler go on when the primary is there again.
func TestPoolerLeadsElsewhere(t *testing.T) {
	t.Parallel()
	primary := pgtest.Start(t)
	standby := primary.Standby(t, "b")
	pooler := pgtest.NewPooler(t, primary)
	db, direct := open(t, primary, Options{Address: pooler.Address(), Patience: 500 * time.Millisecond}), open(t, primary)
	key := []byte("k")
	told, ended := make(chan string, 999), make(chan error, 1)
	go func() {
		ended <- db.Watch(t.Context(), key, []byte("l"), func(_, v []byte) { told <- string(v) })
	}()
	testkit.Eventually(t, "the watch has begun", func() bool {
		storagetest.Put(t, direct, key, []byte("old"))
		return len(told) > 0
	})
	newest := "SELECT max(revision) FROM tengen.changes"
	testkit.Eventually(t, "the standby has it", func() bool { return standby.Do(t, newest) == primary.Do(t, newest) })
	standby.Do(t, "SELECT pg_wal_replay_pause()")
	storagetest.Put(t, direct, key, []byte("new"))
	pooler.Lead(t, standby)
	reads := func() error {
		return db.View(t.Context(), func(r kv.Reader) error {
			v, err := r.Get(key)
			if err == nil && string(v) != "new" {
				t.Fatalf("read %q from a standby that lags", v)
			}
			return err
		})
	}
	writes := func() error {
		return db.Update(t.Context(), func(tx kv.Tx) error { return tx.Put(key, []byte("new")) })
	}
	refused := func(what string, do func() error) {
		testkit.Eventually(t, what+" is refused", func() bool {
			text := fmt.Sprint(do())
			return strings.Contains(text, "standby") || strings.Contains(text, "read only")
		})
	}
	refused("a read", reads) // the first: it finds connections that were good
	refused("a write", writes)
	refused("who is there", func() error { _, err := db.Processes(t.Context()); return err })
	pooler.Lead(t, primary)
	testkit.Eventually(t, "the primary is met", func() bool { return reads() == nil && writes() == nil })
	storagetest.Put(t, direct, key, []byte("newest"))
	for {
		select {
		case v := <-told:
			if v == "newest" {
				return
			}
		case err := <-ended: // so that its caller reads all anew
			if !errors.Is(err, errMissed) {
				t.Errorf("the end of the watch: %v", err)
			}
			return
		}
	}
}
