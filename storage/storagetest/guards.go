package storagetest

import (
	"errors"
	"fmt"
	"testing"

	"tengen/internal/testkit"
	"tengen/storage/kv"
)

// Guards lets another transaction commit between the reads and the commit of one, on an engine with
// optimistic transactions: it must run again if and only if what it read has changed. two gives a store of
// its own to each case, opened by two processes.
func Guards(t *testing.T, two func(t testing.TB, i int) (one, other kv.Engine)) {
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
		{"a scan of all, a row goes", func(r kv.Reader) {
			_ = r.Scan(nil, nil, func(_, _ []byte) bool { return true })
		}, del("b00"), true},
	} {
		t.Run(g.name, func(t *testing.T) {
			one, two := two(t, i)
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
			if got := Get(t, two, []byte("z")); string(got) != "mine" {
				t.Errorf("z is %q", got)
			}
		})
	}
}

// fill writes a00 to a49 and b00 to b49.
func fill(t testing.TB, db kv.Engine) {
	t.Helper()
	testkit.Must(t, db.Update(t.Context(), func(tx kv.Tx) (err error) {
		for i := range 50 {
			err = errors.Join(err, tx.Put(fmt.Appendf(nil, "a%02d", i), []byte("x")),
				tx.Put(fmt.Appendf(nil, "b%02d", i), []byte("x")))
		}
		return err
	}))
}
