package pg

import (
	"flag"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"tengen/internal/testkit"
	"tengen/storage/kv"
	"tengen/storage/pg/pgtest"
	"tengen/storage/storagetest"
)

func TestMain(m *testing.M) {
	testkit.Wide(3)
	flag.Parse()
	if f := flag.Lookup("rapid.checks"); f != nil && f.Value.String() == f.DefValue {
		_ = f.Value.Set("15") // each step is a request; -rapid.checks takes more
	}
	os.Exit(m.Run())
}

// stores gives one new store after the other on a server of their own.
func stores(t *testing.T) func(testing.TB) storagetest.Open {
	s := pgtest.Start(t)
	var n atomic.Int64
	return func(testing.TB) storagetest.Open {
		name := fmt.Sprintf("bot%d", n.Add(1))
		o := Options{Schema: name, Try: time.Minute, Patience: 5 * time.Minute} // a slow machine is no fault
		return func(t testing.TB) kv.Engine { return open(t, s, o) }
	}
}

func TestEngine(t *testing.T) {
	t.Parallel()
	storagetest.Run(t, stores(t), true)
}

func TestGuards(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t)
	storagetest.Guards(t, func(t testing.TB, i int) (one, other kv.Engine) {
		o := Options{Schema: fmt.Sprint("guard", i)}
		return open(t, s, o), open(t, s, o)
	})
}

func open(t testing.TB, s *pgtest.Server, with ...Options) *DB {
	t.Helper()
	o := append(with, Options{})[0]
	if o.Address == "" {
		o.Address = pgtest.Address(s)
	}
	db, err := Open(t.Context(), o)
	testkit.Must(t, err)
	t.Cleanup(func() {
		testkit.Check(t, db.Close())
	})
	return db
}
