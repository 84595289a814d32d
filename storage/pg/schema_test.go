package pg

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"tengen/internal/testkit"
	"tengen/storage/kv"
	"tengen/storage/pg/pgtest"
	"tengen/storage/storagetest"
)

// pretended are steps to versions that there are not. None can be made twice.
var pretended = []string{
	"ALTER TABLE {}.rows ADD note text; CREATE TABLE {}.made (step int); INSERT INTO {}.made VALUES (1)",
	"INSERT INTO {}.made SELECT 2 FROM {}.version, pg_sleep((SELECT coalesce(max(seconds), 0) FROM public.slow))",
}

const waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"

// TestRaise: a newer program raises the schema when no older one has it open, and once, however many processes start.
// An older program that slept meanwhile changes nothing when it wakes.
func TestRaise(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t)
	s.Do(t, "CREATE TABLE slow (seconds int)")
	newer := Options{steps: pretended, Patience: time.Second}
	refused := func(what string) {
		t.Helper()
		db, err := Open(t.Context(), newer.at(s))
		if err == nil {
			err = errors.Join(errors.New("opened"), db.Close())
		}
		if !Unreachable(err) || !strings.Contains(err.Error(), "older programs have it open") {
			t.Errorf("beside %s: %v", what, err)
		}
	}
	writes, sleeps, holds := open(t, s), open(t, s), open(t, s)
	storagetest.Put(t, sleeps, []byte("a"), []byte("1"))
	s.Do(t, "UPDATE tengen.senders SET until = now() - interval '1 s'")
	storagetest.Put(t, writes, []byte("b"), []byte("2"))
	refused("one that writes")
	storagetest.Put(t, writes, []byte("b"), []byte("3"))
	testkit.Must(t, writes.Close())
	share := testkit.Got(holds.Join(t.Context(), group16()))
	refused("one that holds slots")
	share.Close()

	newer.Patience, newer.Try = time.Minute, time.Minute
	turn := testkit.Got(pgx.Connect(t.Context(), pgtest.Address(s)))
	testkit.Got(turn.Exec(t.Context(), "BEGIN; LOCK TABLE tengen.turn IN EXCLUSIVE MODE"))
	var wg sync.WaitGroup
	for n := range 3 {
		wg.Go(func() { storagetest.Put(t, open(t, s, newer), fmt.Append(nil, n), []byte("new")) })
	}
	testkit.Eventually(t, "all wait", func() bool { return s.Do(t, waiting) == "3" })
	testkit.Must(t, turn.Close(t.Context()))
	wg.Wait()
	raised := "SELECT (SELECT number FROM tengen.version), (SELECT string_agg(step::text, ' ') FROM tengen.made)"
	testkit.Want(t, "versions and steps", s.Do(t, raised), "3|1 2")
	err := sleeps.Update(t.Context(), func(tx kv.Tx) error { return tx.Put([]byte("a"), []byte("old")) })
	if !errors.Is(err, errVersion) {
		t.Errorf("an older program that wakes writes: %v", err)
	}
	if _, err := holds.Join(t.Context(), group16()); !errors.Is(err, errVersion) {
		t.Errorf("an older program that wakes takes part: %v", err)
	}
	_, err = Open(t.Context(), Options{}.at(s))
	if !errors.Is(err, errVersion) || Unreachable(err) || !strings.Contains(err.Error(), "has version 3") {
		t.Errorf("an older program: %v", err)
	}
	storagetest.Holds(t, open(t, s, newer), []string{"0=new", "1=new", "2=new", "a=1", "b=3"})
}

// TestRaiseKilled: a process dies between two steps, and in the middle of one, which its server goes on with; then the
// server dies. The next ones go on from where the schema is.
func TestRaiseKilled(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t)
	s.Do(t, "CREATE TABLE slow (seconds int); INSERT INTO slow VALUES (1000)")
	storagetest.Put(t, open(t, s), []byte("a"), []byte("1"))
	s.Do(t, "DELETE FROM tengen.senders")
	conns, dead := make(chan net.Conn, 1), atomic.Bool{}
	ctx, die := context.WithCancel(t.Context())
	dying := Options{steps: pretended, Try: time.Minute, Patience: time.Minute}.at(s)
	dying.dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if dead.Load() {
			return nil, errors.New("dead")
		}
		c, err := new(net.Dialer).DialContext(ctx, network, addr)
		conns <- c
		return c, err
	}
	died := make(chan error)
	go func() { _, err := Open(ctx, dying); died <- err }()
	sleeping := "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
	testkit.Eventually(t, "the second step is on", func() bool { return s.Do(t, sleeping) == "1" })
	state := "SELECT (SELECT number FROM tengen.version), (SELECT string_agg(step::text, ' ') FROM tengen.made)"
	testkit.Want(t, "between the steps", s.Do(t, state), "2|1")
	dead.Store(true)
	testkit.Check(t, (<-conns).Close())
	die()
	<-died
	next := make(chan *DB)
	go func() {
		next <- open(t, s, Options{steps: pretended, Try: time.Minute, Patience: time.Minute})
	}()
	testkit.Eventually(t, "the next one waits", func() bool { return s.Do(t, waiting) == "1" })
	testkit.Want(t, "in the middle", s.Do(t, state), "2|1")
	s.Do(t, "DELETE FROM slow")
	s.Restart(t)
	storagetest.Holds(t, <-next, []string{"a=1"})
	testkit.Want(t, "in the end", s.Do(t, state), "3|1 2")
}
