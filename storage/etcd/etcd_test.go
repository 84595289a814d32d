package etcd

import (
	"flag"
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"tengen/internal/testkit"
	"tengen/storage/etcd/etcdtest"
	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

func TestMain(m *testing.M) {
	etcdtest.OwnNetwork()
	testkit.Wide(3)
	flag.Parse()
	if f := flag.Lookup("rapid.checks"); f != nil && f.Value.String() == f.DefValue {
		_ = f.Value.Set("15") // each step is a request; -rapid.checks takes more
	}
	os.Exit(m.Run())
}

// stores gives one new store after the other on a server of their own.
func stores(t *testing.T) func(testing.TB) storagetest.Open {
	c := etcdtest.Start(t, 1)
	var n atomic.Int64
	return func(testing.TB) storagetest.Open {
		prefix := fmt.Sprintf("bot%d", n.Add(1))
		return func(t testing.TB) kv.Engine { return open(t, c, Options{Prefix: prefix, MaxOps: 128}) }
	}
}

func TestEngine(t *testing.T) {
	t.Parallel()
	storagetest.Run(t, stores(t), true)
}

func TestEvents(t *testing.T) {
	t.Parallel()
	storagetest.Events(t, stores(t))
}

func TestPuzzles(t *testing.T) {
	t.Parallel()
	storagetest.Puzzles(t, stores(t))
}

func TestAhead(t *testing.T) {
	t.Parallel()
	storagetest.Ahead(t, stores(t))
}

func TestLaddersAndGatherings(t *testing.T) {
	t.Parallel()
	storagetest.LaddersAndGatherings(t, stores(t))
}

func open(t testing.TB, c *etcdtest.Cluster, with ...Options) *DB {
	t.Helper()
	o := append(with, Options{})[0]
	o.Endpoints = c.Endpoints
	db := testkit.Got(Open(t.Context(), o))
	t.Cleanup(func() {
		testkit.Check(t, db.Close())
	})
	return db
}
