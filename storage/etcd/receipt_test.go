package etcd

import (
	"errors"
	"testing"

	"tengen/internal/testkit"
	"tengen/storage/etcd/etcdtest"
	"tengen/storage/storagetest"
)

// TestLeaseEnds is what happens to a process that was paused for longer than its lease.
func TestLeaseEnds(t *testing.T) {
	t.Parallel()
	c := etcdtest.Start(t, 1)
	db := open(t, c)
	ctx := t.Context()
	storagetest.Put(t, db, "a", "1")
	testkit.Got(db.client.Revoke(ctx, db.receipts.lease))
	storagetest.Put(t, db, "a", "2")
	if got := storagetest.All(t, db); len(got) != 1 || got[0] != "a=2" {
		t.Errorf("rows %q", got)
	}

	r := testkit.Got(db.takeReceipt(ctx))
	testkit.Got(db.client.Revoke(ctx, db.receipts.lease))
	r.next() // a commit that nobody answered
	if made, err := db.resolve(ctx, r); made || !errors.Is(err, errUnknown) {
		t.Errorf("settling without a receipt: made %v, %v; nobody can know", made, err)
	}
	testkit.Check(t, add(ctx, db, []byte("counter")))
}

// TestSettle resolves a commit that was made, and one that was not made and arrives late.
func TestSettle(t *testing.T) {
	t.Parallel()
	c := etcdtest.Start(t, 1)
	db := open(t, c)
	ctx := t.Context()
	r := testkit.Got(db.takeReceipt(ctx))
	before := *r
	if made, err := db.send(ctx, r, nil, nil); !made || err != nil {
		t.Fatal(made, err)
	}
	unheard := receipt{key: r.key, revision: before.revision, count: r.count}
	if made, err := db.resolve(ctx, &unheard); !made || err != nil {
		t.Errorf("a commit that was made: %v, %v", made, err)
	}
	late := unheard
	unheard.next()
	if made, err := db.resolve(ctx, &unheard); made || err != nil {
		t.Errorf("a commit that was not made: %v, %v", made, err)
	}
	if made, err := db.send(ctx, &late, nil, nil); made || err != nil {
		t.Errorf("it came late and was made: %v, %v", made, err)
	}
}
