package etcd

import (
	"testing"
	"time"

	"tengen/internal/testkit"
	"tengen/storage/etcd/etcdtest"
	"tengen/storage/kv"
)

// TestCutOff: with the leader cut off from everybody the others go on, and it comes back.
func TestCutOff(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts three servers")
	}
	c, apart := etcdtest.StartApart(t, 3)
	if !apart {
		t.Skip("needs root and network namespaces")
	}
	db := open(t, c)
	put := func() {
		t.Helper()
		began := time.Now()
		testkit.Check(t, db.Update(t.Context(), func(tx kv.Tx) error { return tx.Put([]byte("k"), nil) }))
		t.Logf("stored after %v", time.Since(began).Round(time.Millisecond))
	}
	put()
	leader := c.Leader(t)
	c.Cut(t, leader)
	put()
	put()
	c.Mend(t, leader)
	put()
}
