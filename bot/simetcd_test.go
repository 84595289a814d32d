package bot

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/etcd"
	"tengen/storage/etcd/etcdtest"
	"tengen/storage/kv"
)

// TestSimulationOnEtcd is the simulator with its store on an etcd server outside the bubble.
// The fake clock stands still during a request. TENGEN_ETCD_SEEDS is the number of seeds;
// unset, 2.
func TestSimulationOnEtcd(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server")
	}
	c := etcdtest.Start(t, 1)
	for range cap(phones) {
		phones <- make(chan line)
	}
	for seed := range uint64(testkit.Dose("TENGEN_ETCD_SEEDS", 1)) {
		seed++
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			db, err := etcd.Open(t.Context(), etcd.Options{Endpoints: c.Endpoints, Prefix: fmt.Sprint("seed", seed), Absent: storage.Once})
			if err != nil {
				t.Fatal(err)
			}
			o := outside{engine: db, calls: make(chan *visit)}
			for range 64 {
				go o.work()
			}
			bad := simulateOn(t, seed, sabotages{}, o)
			close(o.calls)
			if len(bad) > 0 {
				t.Errorf("seed %d: %s", seed, strings.Join(bad, "\n"))
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// outside is an engine that lives outside a bubble. A closure runs in the bubble, where
// its clock is; each of its requests goes out through a channel of a worker.
type outside struct {
	engine kv.Engine
	calls  chan *visit
}

// visit is a transaction: a worker gives its own channels for it.
type visit struct {
	update bool
	line   chan line
}

// line is the channels to a worker.
type line struct {
	ask   chan func(kv.Tx) error // nil ends the closure's run
	said  chan error             // after each ask
	run   chan bool              // true: the closure is to run (again); false: all is over
	done  chan error             // what became of it
	fails chan error             // how the closure ended, after nil
}

func (o outside) work() {
	l := line{make(chan func(kv.Tx) error), make(chan error), make(chan bool), make(chan error), make(chan error)}
	for c := range o.calls {
		c.line <- l
		fn := func(tx kv.Tx) error {
			l.run <- true
			for {
				f := <-l.ask
				if f == nil {
					return <-l.fails
				}
				l.said <- f(tx)
			}
		}
		var err error
		if c.update {
			err = o.engine.Update(context.Background(), fn)
		} else {
			err = o.engine.View(context.Background(), func(r kv.Reader) error { return fn(kv.NewOverlay(r)) })
		}
		l.run <- false
		l.done <- err
	}
}

// phones are made outside any bubble.
var phones = make(chan chan line, 1024)

func (o outside) transact(ctx context.Context, update bool, fn func(kv.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c := &visit{update, <-phones}
	defer func() { phones <- c.line }()
	o.calls <- c
	l := <-c.line
	for <-l.run {
		err := fn(through{l})
		l.ask <- nil
		l.fails <- err
	}
	return <-l.done
}

func (o outside) View(ctx context.Context, fn func(kv.Reader) error) error {
	return o.transact(ctx, false, func(tx kv.Tx) error { return fn(tx) })
}

func (o outside) Update(ctx context.Context, fn func(kv.Tx) error) error {
	return o.transact(ctx, true, fn)
}

func (o outside) Close() error { return nil }

// through is the transaction of a worker, as a closure in the bubble sees it.
type through struct{ line }

func (t through) do(f func(kv.Tx) error) error {
	t.ask <- f
	return <-t.said
}

func (t through) Get(key []byte) (value []byte, err error) {
	err = t.do(func(tx kv.Tx) (err error) { value, err = tx.Get(key); return err })
	return value, err
}

func (t through) Scan(from, to []byte, fn func(key, value []byte) bool) error {
	type row struct{ key, value []byte }
	for {
		var some []row
		if err := t.do(func(tx kv.Tx) error {
			return tx.Scan(from, to, func(k, v []byte) bool {
				some = append(some, row{k, v})
				return len(some) < 32
			})
		}); err != nil {
			return err
		}
		for _, r := range some {
			if !fn(r.key, r.value) {
				return nil
			}
		}
		if len(some) < 32 {
			return nil
		}
		from = append(some[31].key, 0)
	}
}

func (t through) Put(key, value []byte) error {
	return t.do(func(tx kv.Tx) error { return tx.Put(key, value) })
}

func (t through) Delete(key []byte) error {
	return t.do(func(tx kv.Tx) error { return tx.Delete(key) })
}
