package etcd

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"

	"tengen/internal/testkit"
	"tengen/storage/etcd/etcdtest"
	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

// asked counts the requests of a store.
type asked struct{ n atomic.Int64 }

func (a *asked) option() grpc.DialOption {
	return grpc.WithChainUnaryInterceptor(func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn,
		invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		a.n.Add(1)
		return invoke(ctx, method, req, reply, cc, opts...)
	})
}

// TestOneRequest: a second move in the same match needs one request; a move that another
// process overtook needs more, and nothing is lost.
func TestOneRequest(t *testing.T) {
	t.Parallel()
	c := etcdtest.Start(t, 1)
	var count asked
	one := open(t, c, Options{Absent: "i", dial: []grpc.DialOption{count.option()}})
	two := open(t, c, Options{Absent: "i"})
	seen := 0
	move := func(db *DB) {
		t.Helper()
		seen++
		err := db.Update(t.Context(), func(tx kv.Tx) error {
			if v, err := tx.Get([]byte{'i', byte(seen)}); v != nil || err != nil {
				return errors.Join(errors.New("seen before"), err)
			}
			v, err := tx.Get([]byte("g1"))
			return errors.Join(err, tx.Put([]byte("g1"), append(v, byte('a'+seen))), tx.Put([]byte{'i', byte(seen)}, nil),
				tx.Put([]byte("s1"), v))
		})
		testkit.Check(t, err)
	}
	move(one)
	move(one)
	before := count.n.Load()
	move(one)
	testkit.Want(t, "requests for a move", count.n.Load()-before, 1)
	move(two)
	before = count.n.Load()
	move(one)
	if n := count.n.Load() - before; n < 3 || n > 4 { // the commit that fails, two reads, the commit
		t.Errorf("%d requests after another process was first", n)
	}
	move(two)
	testkit.Want(t, "stored", string(storagetest.Get(t, two, []byte("g1"))), "bcdefg")
	// What was guessed to be absent and is there shows in the second run.
	if err := one.Update(t.Context(), func(tx kv.Tx) error {
		if v, err := tx.Get([]byte{'i', 4}); err != nil || v != nil { // two's
			return errors.Join(errTwice, err)
		}
		return tx.Put([]byte("g1"), nil)
	}); !errors.Is(err, errTwice) {
		t.Error(err)
	}
	// No member is refused because of an old row.
	storagetest.Put(t, two, "g1", "")
	testkit.Check(t, one.Update(t.Context(), func(tx kv.Tx) error {
		if v, err := tx.Get([]byte("g1")); err != nil || len(v) > 0 {
			return errTwice
		}
		return nil
	}))
}

var errTwice = errors.New("it was there")

// TestContradiction: a closure that reads an old row beside a new one may panic. It runs again on rows of
// one revision. A panic on those goes to the caller.
func TestContradiction(t *testing.T) {
	t.Parallel()
	c := etcdtest.Start(t, 1)
	one, two := open(t, c), open(t, c)
	write := func(db *DB, list, index []byte) {
		testkit.Must(t, db.Update(t.Context(), func(tx kv.Tx) error {
			return errors.Join(tx.Put([]byte("list"), list), tx.Put([]byte("index"), index))
		}))
	}
	write(one, []byte("a"), nil)
	one.cache.drop(one.keys.row([]byte("index")))
	write(two, []byte("abc"), []byte{2})
	var got byte
	pick := func(tx kv.Tx) error {
		list, err := tx.Get([]byte("list")) // from the cache
		index, err2 := tx.Get([]byte("index"))
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		got = list[index[0]]
		return tx.Put([]byte("got"), list)
	}
	if err := one.Update(t.Context(), pick); err != nil || got != 'c' {
		t.Errorf("%c, %v", got, err)
	}
	write(two, nil, []byte{2})
	defer func() {
		if recover() == nil {
			t.Error("a panic on rows of one revision is kept back")
		}
	}()
	t.Error(one.Update(t.Context(), pick))
}

// TestManyProcesses: additions to the same rows by several stores with caches of their own.
func TestManyProcesses(t *testing.T) {
	t.Parallel()
	c := etcdtest.Start(t, 1)
	var wg sync.WaitGroup
	const each = 60
	var stores [3]*DB
	for i := range stores {
		stores[i] = open(t, c, Options{Absent: "i"})
		for range 2 {
			wg.Go(func() {
				for n := range each {
					testkit.Check(t, add(t.Context(), stores[i], []byte{'k', byte(n % 2)}))
				}
			})
		}
	}
	wg.Wait()
	sum := number(storagetest.Get(t, stores[0], []byte{'k', 0})) + number(storagetest.Get(t, stores[1], []byte{'k', 1}))
	if sum != 6*each {
		t.Errorf("%d after %d additions", sum, 6*each)
	}
}
