package pg

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"tengen/internal/testkit"
	"tengen/storage/kv"
	"tengen/storage/pg/pgtest"
	"tengen/storage/storagetest"
)

// TestLostAnswers loses requests, their answers, or lets them arrive late, and counts.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t)
	if want, got, l := count(t, s); got != want {
		t.Errorf("the counters hold %d after %d additions (%d requests lost, %d answers, %d late)", got, want,
			l.requests.Load(), l.answers.Load(), l.late.Load())
	} else {
		t.Logf("%d additions; lost: %d requests, %d answers; late: %d", want, l.requests.Load(),
			l.answers.Load(), l.late.Load())
	}
}

func count(t *testing.T, s *pgtest.Server) (want, got uint64, l *losses) {
	const workers, each, keys = 8, 40, 4
	l = &losses{}
	// Only losses makes answers fail: a slow machine must not end a try or an addition.
	db := open(t, s, Options{Try: time.Minute, Patience: time.Hour, dial: l.dial})
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range each {
				testkit.Check(t, add(t.Context(), db, fmt.Appendf(nil, "counter%d", (w+i)%keys)))
			}
		})
	}
	wg.Wait()
	l.off.Store(true)
	l.wait.Wait()
	for k := range keys {
		n, _ := binary.Uvarint(storagetest.Get(t, db, fmt.Appendf(nil, "counter%d", k)))
		got += n
	}
	return workers * each, got, l
}

// add adds one to a counter.
func add(ctx context.Context, db *DB, key []byte) error {
	return db.Update(ctx, func(tx kv.Tx) error {
		v, err := tx.Get(key)
		if err != nil {
			return err
		}
		n, _ := binary.Uvarint(v)
		return tx.Put(key, binary.AppendUvarint(nil, n+1))
	})
}

// losses spoils about every third change in one of three ways.
type losses struct {
	requests, answers, late atomic.Int64
	off                     atomic.Bool
	wait                    sync.WaitGroup
}

func (l *losses) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, network, addr)
	return &lossy{Conn: c, losses: l}, err
}

type lossy struct {
	net.Conn
	losses *losses
	broken atomic.Bool
}

var errLossy = errors.New("the connection broke")

func (c *lossy) Write(b []byte) (int, error) {
	l := c.losses
	if !bytes.Contains(b, []byte(".commit(")) && !bytes.Contains(b, []byte(".settle(")) || l.off.Load() {
		return c.Conn.Write(b)
	}
	switch rand.IntN(9) {
	case 0:
		l.requests.Add(1)
		c.broken.Store(true)
		return len(b), c.Conn.Close() // as if it was sent
	case 1:
		l.answers.Add(1)
		c.broken.Store(true)
		defer time.AfterFunc(20*time.Millisecond, func() { c.Conn.Close() })
		return c.Conn.Write(b)
	case 2:
		l.late.Add(1)
		c.broken.Store(true)
		b = bytes.Clone(b)
		l.wait.Go(func() {
			time.Sleep(time.Duration(rand.IntN(40)) * time.Millisecond)
			_, _ = c.Conn.Write(b)
			time.Sleep(20 * time.Millisecond) // a server may see that a client is gone before it reads
			c.Conn.Close()
		})
		return len(b), nil
	}
	return c.Conn.Write(b)
}

func (c *lossy) Read(b []byte) (int, error) {
	if c.broken.Load() {
		return 0, errLossy
	}
	n, err := c.Conn.Read(b)
	if c.broken.Load() {
		return 0, errLossy
	}
	return n, err
}

func (c *lossy) Close() error {
	if c.broken.Load() {
		return nil // the late one closes it
	}
	return c.Conn.Close()
}

// TestSettle settles a batch that was made, and one that was not made and arrives late.
func TestSettle(t *testing.T) {
	t.Parallel()
	db := open(t, pgtest.Start(t))
	ctx := t.Context()
	change := func(key string) *request {
		tx := kv.NewOverlay(&snapshot{ctx: ctx, db: db})
		testkit.Must(t, tx.Put([]byte(key), []byte("1")))
		return &request{tx: tx, result: make(chan result, 1)}
	}
	batch := []*request{change("a"), change("b")}
	revisions, err := db.send(ctx, batch)
	testkit.Must(t, err)
	again, err := db.settle(ctx, db.sender.batch.Load(), 2)
	if err != nil || fmt.Sprint(again) != fmt.Sprint(revisions) || again[0] == 0 {
		t.Errorf("a batch that was made: %v, %v, %v", revisions, again, err)
	}
	late := append([]any{db.sender.id, db.sender.epoch, db.sender.batch.Add(1)}, arrays([]*request{change("c")})...)
	if again, err := db.settle(ctx, db.sender.batch.Load(), 1); err != nil || again[0] != 0 {
		t.Errorf("a batch that was not made: %v, %v", again, err)
	}
	testkit.Must(t, db.on(ctx, func(c *pgxpool.Conn) error {
		_, err := c.Exec(ctx, db.sql.commit, late...)
		return err
	}))
	if got := storagetest.All(t, db); len(got) != 2 {
		t.Errorf("it came late and was made: %q", got)
	}

	// A process that was paused for longer than its sender lives.
	testkit.Must(t, db.on(ctx, func(c *pgxpool.Conn) error {
		_, err := c.Exec(ctx, db.sql.leave, db.sender.id)
		return err
	}))
	if _, err := db.settle(ctx, db.sender.batch.Load(), 1); !errors.Is(err, errUnknown) {
		t.Errorf("settling without a sender: %v; nobody can know", err)
	}
	testkit.Check(t, add(ctx, db, []byte("counter")))
}
