package bot

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
	"tengen/storage/pg"
	"tengen/storage/pg/pgtest"
)

// TestSimulationOnPostgres is the simulator with its store on PostgreSQL outside the bubble. The
// fake clock stands still during a request. TENGEN_PG_SEEDS is the number of seeds; unset, 1.
func TestSimulationOnPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server")
	}
	s := pgtest.Start(t)
	wire()
	for seed := range uint64(testkit.Dose("TENGEN_PG_SEEDS", 1)) {
		seed++
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			db, err := pg.Open(t.Context(), pg.Options{Address: pgtest.Address(s), Schema: fmt.Sprint("seed", seed),
				Try: slowly, Patience: 10 * slowly, Absent: storage.Once})
			testkit.Must(t, err)
			o := outside{engine: db, calls: staff()}
			bad := simulateOn(t, seed, o)
			close(o.calls)
			if len(bad) > 0 {
				t.Errorf("seed %d: %s", seed, strings.Join(bad, "\n"))
			}
			testkit.Check(t, db.Close())
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
	engine  kv.Engine
	ctx     context.Context // what is in it; its end stays in the bubble
	update  bool
	instead func() // what to run in place of a transaction
	line    chan line
}

// line is the channels to a worker.
type line struct {
	ask   chan func(kv.Tx) error // nil ends the closure's run
	said  chan error             // after each ask
	run   chan bool              // true: the closure is to run (again); false: all is over
	done  chan error             // what became of it
	fails chan error             // how the closure ended, after nil
}

// staff starts workers outside the bubble. Closing the channel ends them.
func staff() chan *visit {
	calls := make(chan *visit)
	for range 64 {
		go work(calls)
	}
	return calls
}

func work(calls chan *visit) {
	l := line{make(chan func(kv.Tx) error), make(chan error), make(chan bool), make(chan error), make(chan error)}
	for c := range calls {
		c.line <- l
		if c.instead != nil {
			c.instead()
			l.run <- false
			l.done <- nil
			continue
		}
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
		err := c.transact(fn)
		l.run <- false
		l.done <- err
	}
}

// transact makes the transaction. A panic of the closure that the engine lets through becomes an error.
func (c *visit) transact(fn func(kv.Tx) error) (err error) {
	defer func() {
		if what := recover(); what != nil {
			err = panicked{what}
		}
	}()
	if c.update {
		return c.engine.Update(c.ctx, fn)
	}
	return c.engine.View(c.ctx, func(r kv.Reader) error { return fn(kv.NewOverlay(r)) })
}

// panicked is a panic on its way between the bubble and the outside.
type panicked struct{ what any }

func (p panicked) Error() string { return fmt.Sprint("panic: ", p.what) }

// caught runs a closure and gives its panic as an error.
func caught(fn func(kv.Tx) error, tx kv.Tx) (err error) {
	defer func() {
		if what := recover(); what != nil {
			err = panicked{what}
		}
	}()
	return fn(tx)
}

// phones are made outside any bubble, by wire.
var phones = make(chan chan line, 1024)

var wire = sync.OnceFunc(func() {
	for range cap(phones) {
		phones <- make(chan line)
	}
})

func (o outside) transact(ctx context.Context, update bool, fn func(kv.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return o.visit(&visit{engine: o.engine, ctx: context.WithoutCancel(ctx), update: update}, fn)
}

// do runs f outside the bubble. It may not touch channels of the bubble.
func (o outside) do(f func()) { o.visit(&visit{instead: f}, nil) }

func (o outside) visit(c *visit, fn func(kv.Tx) error) error {
	c.line = <-phones
	defer func() { phones <- c.line }()
	o.calls <- c
	l := <-c.line
	for <-l.run {
		err := caught(fn, through{l})
		var p panicked
		if errors.As(err, &p) {
			l.ask <- func(kv.Tx) error { panic(p.what) }
			continue
		}
		l.ask <- nil
		l.fails <- err
	}
	err := <-l.done
	var p panicked
	if errors.As(err, &p) {
		panic(p.what)
	}
	return err
}

func (o outside) View(ctx context.Context, fn func(kv.Reader) error) error {
	return o.transact(ctx, false, func(tx kv.Tx) error { return fn(tx) })
}

func (o outside) Update(ctx context.Context, fn func(kv.Tx) error) error {
	return o.transact(ctx, true, fn)
}

func (o outside) Count(ctx context.Context, table byte) (rows int64, exact bool, err error) {
	o.do(func() { rows, exact, err = o.engine.Count(context.WithoutCancel(ctx), table) })
	return rows, exact, err
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
