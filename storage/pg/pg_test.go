package pg

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tengen/internal/testkit"
	"tengen/storage"
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
	return storesAt(pgtest.Address(pgtest.Start(t)))
}

func storesAt(address string) func(testing.TB) storagetest.Open {
	var n atomic.Int64
	return func(testing.TB) storagetest.Open {
		o := Options{Address: address, Schema: fmt.Sprintf("bot%d", n.Add(1)),
			Try: time.Minute, Patience: 5 * time.Minute} // a slow machine is no fault
		return func(t testing.TB) kv.Engine { return open(t, nil, o) }
	}
}

func TestEngine(t *testing.T) {
	t.Parallel()
	storagetest.Run(t, stores(t), true)
}

// TestCountMany: of a large table the server's statistics tell how many rows it has, and of a small one beside it the
// index does.
func TestCountMany(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t)
	const counted = 1000
	db := open(t, s, Options{counted: counted})
	fill := func(n int) {
		s.Do(t, fmt.Sprintf("INSERT INTO tengen.rows SELECT '\\x61'::bytea || int4send(n), '', 1 "+
			"FROM generate_series(1, %d) AS n ON CONFLICT DO NOTHING", n))
	}
	storagetest.Put(t, db, "b1", "v")
	fill(counted)
	if n, exact, err := db.Count(t.Context(), 'a'); n != counted || !exact || err != nil {
		t.Errorf("%d rows, exact: %v, %v", n, exact, err)
	}
	fill(2 * counted)
	s.Do(t, "ANALYZE tengen.rows")
	if n, exact, err := db.Count(t.Context(), 'a'); n < 19*counted/10 || n > 21*counted/10 || exact || err != nil {
		t.Errorf("%d of %d rows, exact: %v, %v", n, 2*counted, exact, err)
	}
	if n, exact, err := db.Count(t.Context(), 'b'); n != 1 || !exact || err != nil {
		t.Errorf("%d rows beside them, exact: %v, %v", n, exact, err)
	}
}

func TestGuards(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t)
	storagetest.Guards(t, func(t testing.TB, i int) (one, other kv.Engine) {
		o := Options{Schema: fmt.Sprint("guard", i)}
		return open(t, s, o), open(t, s, o)
	})
}

// at are the options with the address of a server, where they have none.
func (o Options) at(s *pgtest.Server) Options {
	if o.Address == "" {
		o.Address = pgtest.Address(s)
	}
	return o
}

func open(t testing.TB, s *pgtest.Server, with ...Options) *DB {
	t.Helper()
	db, err := Open(t.Context(), append(with, Options{})[0].at(s))
	testkit.Must(t, err)
	t.Cleanup(func() {
		testkit.Check(t, db.Close())
	})
	return db
}

// TestCheck: a check, which asks for many rows at once, misses a finished game that is gone, and a history that
// lacks one.
func TestCheck(t *testing.T) {
	t.Parallel()
	db := open(t, pgtest.Start(t))
	s := storagetest.Store(t, db)
	rec := testkit.Got(storagetest.Finished(t.Context(), s, archivist))
	testkit.Must(t, s.Sweep(t.Context(), time.Now().Add(72*time.Hour))) // puts it away
	_, err := storage.Verify(t.Context(), db)
	testkit.Must(t, err)
	for table, want := range map[string]string{"a": "no such match", "h": "not in the history"} {
		var keys, values [][]byte
		testkit.Must(t, db.Update(t.Context(), func(tx kv.Tx) error {
			keys, values = nil, nil
			return tx.Scan([]byte(table), kv.After([]byte(table)), func(k, v []byte) bool {
				keys, values = append(keys, k), append(values, v)
				return tx.Delete(k) == nil
			})
		}))
		_, err := storage.Verify(t.Context(), db)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("match %d without its rows of %s: %v, want %q", rec.ID, table, err, want)
		}
		for i := range keys {
			storagetest.Put(t, db, keys[i], values[i])
		}
	}
}
