package etcd

import (
	"flag"
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"tengen/storage/etcd/etcdtest"
	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

func TestMain(m *testing.M) {
	etcdtest.OwnNetwork()
	flag.Parse()
	if f := flag.Lookup("rapid.checks"); f != nil && f.Value.String() == f.DefValue {
		_ = f.Value.Set("15") // each step is a request; -rapid.checks takes more
	}
	os.Exit(m.Run())
}

func TestEngine(t *testing.T) {
	t.Parallel()
	c := etcdtest.Start(t, 1)
	var n atomic.Int64
	storagetest.Run(t, func(testing.TB) storagetest.Open {
		prefix := fmt.Sprintf("bot%d", n.Add(1))
		return func(t testing.TB) kv.Engine { return open(t, c, Options{Prefix: prefix, MaxOps: 128}) }
	}, true)
}

func TestEvents(t *testing.T) {
	t.Parallel()
	c := etcdtest.Start(t, 1)
	var n atomic.Int64
	storagetest.Events(t, func(testing.TB) storagetest.Open {
		prefix := fmt.Sprintf("bot%d", n.Add(1))
		return func(t testing.TB) kv.Engine { return open(t, c, Options{Prefix: prefix, MaxOps: 128}) }
	})
}

func TestPuzzles(t *testing.T) {
	t.Parallel()
	c := etcdtest.Start(t, 1)
	storagetest.Puzzles(t, func(testing.TB) storagetest.Open {
		return func(t testing.TB) kv.Engine { return open(t, c, Options{Prefix: "puzzles", MaxOps: 128}) }
	})
}

func TestLaddersAndGatherings(t *testing.T) {
	t.Parallel()
	c := etcdtest.Start(t, 1)
	var n atomic.Int64
	storagetest.LaddersAndGatherings(t, func(testing.TB) storagetest.Open {
		prefix := fmt.Sprintf("bot%d", n.Add(1))
		return func(t testing.TB) kv.Engine { return open(t, c, Options{Prefix: prefix, MaxOps: 128}) }
	})
}

func open(t testing.TB, c *etcdtest.Cluster, o Options) *DB {
	t.Helper()
	o.Endpoints = c.Endpoints
	db, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}
