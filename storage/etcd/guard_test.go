package etcd

import (
	"errors"
	"fmt"
	"testing"

	"tengen/internal/testkit"
	"tengen/storage/etcd/etcdtest"
	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

// TestGuards lets another transaction commit between the reads and the commit of one:
// it must run again if and only if what it read has changed.
func TestGuards(t *testing.T) {
	t.Parallel()
	c := etcdtest.Start(t, 1)
	get := func(key string) func(kv.Reader) {
		return func(r kv.Reader) { _, _ = r.Get([]byte(key)) }
	}
	scan := func(from, to string, rows int) func(kv.Reader) {
		return func(r kv.Reader) {
			_ = r.Scan([]byte(from), []byte(to), func(_, _ []byte) bool { rows--; return rows > 0 })
		}
	}
	put := func(key string) func(kv.Tx) error {
		return func(tx kv.Tx) error { return tx.Put([]byte(key), []byte("other")) }
	}
	del := func(key string) func(kv.Tx) error {
		return func(tx kv.Tx) error { return tx.Delete([]byte(key)) }
	}
	for i, g := range []struct {
		name  string
		read  func(kv.Reader)
		other func(kv.Tx) error
		again bool
	}{
		{"a row that changes", get("a05"), put("a05"), true},
		{"a row that goes", get("a05"), del("a05"), true},
		{"an absent row that comes", get("a055"), put("a055"), true},
		{"another row", get("a05"), put("a06"), false},
		{"a short scan, a row changes", scan("a02", "a06", 99), put("a03"), true},
		{"a short scan, a row comes", scan("a02", "a06", 99), put("a035"), true},
		{"a short scan, a row goes", scan("a02", "a06", 99), del("a03"), true},
		{"a short scan, a row of its table goes", scan("a02", "a06", 99), del("a06"), false},
		{"a short scan, a row comes at its end", scan("a02", "a06", 99), put("a06"), false},
		{"a stopped scan, a row comes behind", scan("a02", "a30", 3), put("a045"), false},
		{"a stopped scan, its last row goes", scan("a02", "a30", 3), del("a04"), true},
		{"an empty scan, a row comes", scan("a02x", "a02z", 99), put("a02y"), true},
		{"a long scan, a row changes", scan("a00", "a40", 99), put("a20"), true},
		{"a long scan, a row comes", scan("a00", "a40", 99), put("a205"), true},
		{"a long scan, a row goes", scan("a00", "a40", 99), del("a20"), true},
		{"a long scan to the end of the table, a row goes", scan("a", "b", 99), del("a49"), true},
		{"a long scan, a row of another table goes", scan("a", "b", 99), del("b00"), false},
		{"a scan of all, a row goes", func(r kv.Reader) { _ = r.Scan(nil, nil, func(_, _ []byte) bool { return true }) }, del("b00"), true},
	} {
		t.Run(g.name, func(t *testing.T) {
			o := Options{Prefix: fmt.Sprint("guard", i)}
			one, two := open(t, c, o), open(t, c, o)
			fill(t, one)
			runs := 0
			err := one.Update(t.Context(), func(tx kv.Tx) error {
				runs++
				g.read(tx)
				if runs == 1 {
					testkit.Check(t, two.Update(t.Context(), g.other))
				}
				return tx.Put([]byte("z"), []byte("mine"))
			})
			if err != nil || (runs == 2) != g.again {
				t.Errorf("the closure ran %d times, err %v; again: want %v", runs, err, g.again)
			}
			if got := storagetest.Get(t, two, []byte("z")); string(got) != "mine" {
				t.Errorf("z is %q", got)
			}
		})
	}
}

// fill writes a00 to a49 and b00 to b49.
func fill(t *testing.T, db *DB) {
	t.Helper()
	testkit.Must(t, db.Update(t.Context(), func(tx kv.Tx) (err error) {
		for i := range 50 {
			err = errors.Join(err, tx.Put(fmt.Appendf(nil, "a%02d", i), []byte("x")),
				tx.Put(fmt.Appendf(nil, "b%02d", i), []byte("x")))
		}
		return err
	}))
}

func TestLarge(t *testing.T) {
	t.Parallel()
	c := etcdtest.Start(t, 1)
	db := open(t, c)
	write := func(rows, size int) error {
		return db.Update(t.Context(), func(tx kv.Tx) (err error) {
			for i := range rows {
				err = errors.Join(err, tx.Put(fmt.Appendf(nil, "k%04d", i), make([]byte, size)))
			}
			return err
		})
	}
	for _, l := range []struct {
		rows, size int
		fits       bool
	}{{127, 10, true}, {128, 10, false}, {1, kv.MaxValue, true}, {2, kv.MaxValue, false}, {100, 15_600, true},
		{100, 15_800, false}} {
		if err := write(l.rows, l.size); (err == nil) != l.fits || (err != nil && !errors.Is(err, errLarge)) {
			t.Errorf("%d rows of %d bytes: %v", l.rows, l.size, err)
		}
	}
}

// TestLarger: servers that were told to take more than usual get it.
func TestLarger(t *testing.T) {
	t.Parallel()
	c := etcdtest.Start(t, 1, "--max-request-bytes", "6291456")
	db := open(t, c, Options{MaxBytes: 6 << 20})
	testkit.Check(t, db.Update(t.Context(), func(tx kv.Tx) (err error) {
		for i := range 4 {
			err = errors.Join(err, tx.Put(fmt.Appendf(nil, "k%d", i), make([]byte, kv.MaxValue)))
		}
		return err
	}))
}

// TestPrefixes opens bots whose prefixes lie within one another.
func TestPrefixes(t *testing.T) {
	t.Parallel()
	c := etcdtest.Start(t, 1)
	for _, p := range []string{"a", "a/b", "ab", "a/b/c"} {
		db := open(t, c, Options{Prefix: p})
		storagetest.Put(t, db, "who", p)
	}
	for _, p := range []string{"a", "a/b", "ab", "a/b/c/"} {
		if got := storagetest.All(t, open(t, c, Options{Prefix: p})); len(got) != 1 || got[0]+"/" != "who="+p+
			"/" && got[0]+"/" != "who="+p {
			t.Errorf("prefix %q shows %q", p, got)
		}
	}
	if _, err := Open(t.Context(), Options{Endpoints: c.Endpoints, Prefix: "a\x00"}); err == nil {
		t.Error("a prefix with a zero in it is taken")
	}
}
