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

func TestGuards(t *testing.T) {
	t.Parallel()
	c := etcdtest.Start(t, 1)
	storagetest.Guards(t, func(t testing.TB, i int) (one, other kv.Engine) {
		o := Options{Prefix: fmt.Sprint("guard", i)}
		return open(t, c, o), open(t, c, o)
	})
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
