package pg

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tengen/internal/testkit"
	"tengen/storage/kv"
	"tengen/storage/pg/pgtest"
	"tengen/storage/storagetest"
)

// TestLostRead: a process reads a change that is on one server alone, since the wait for the standby was cancelled.
// The standby is promoted without it, and has another change of the row. What was read does not pass for that.
func TestLostRead(t *testing.T) {
	t.Parallel()
	primary, standby := pair(t)
	o := Options{Address: pgtest.Address(primary, standby), Patience: time.Minute, Try: time.Minute}
	writer, reader, other := open(t, primary, o), open(t, primary, o), open(t, primary, o)
	storagetest.Put(t, writer, []byte("k"), []byte("before"))
	standby.Kill(t)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { // what becomes of it nobody asks
		_ = writer.Update(ctx, func(tx kv.Tx) error { return tx.Put([]byte("k"), []byte("lost")) })
	})
	waits := "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
	testkit.Eventually(t, "the commit waits for the standby", func() bool { return primary.Do(t, waits) == "1" })
	primary.Do(t, "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
	testkit.Eventually(t, "the settling waits", func() bool {
		return primary.Do(t, waits+" AND query LIKE '%settle%'") == "1"
	})
	cancel()

	runs := 0
	testkit.Must(t, reader.Update(t.Context(), func(tx kv.Tx) error {
		v, err := tx.Get([]byte("k"))
		if err != nil {
			return err
		}
		if runs++; runs == 1 {
			if string(v) != "lost" {
				t.Errorf("read %q, want the change that will be lost", v)
			}
			primary.Kill(t)
			standby.Restart(t)
			standby.Promote(t)
			wg.Wait() // made, or not, on the standby
			storagetest.Put(t, other, []byte("k"), []byte("kept"))
		}
		return tx.Put([]byte("copy"), v)
	}))
	if got := storagetest.Get(t, other, []byte("copy")); string(got) != "kept" {
		t.Errorf("the copy is %q after %d runs: a lost change passed for the one that took its place", got, runs)
	}
}

// TestRevisions: what two servers write after the same change does not get the same revision.
func TestRevisions(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t)
	db := open(t, s)
	storagetest.Put(t, db, []byte("k"), []byte("0"))
	lost, seen := s.Do(t, "SELECT max(revision) FROM tengen.changes"), map[string]bool{}
	for range 20 { // as if the change were lost each time
		storagetest.Put(t, db, []byte("k"), []byte("1"))
		seen[s.Do(t, "SELECT max(revision) FROM tengen.changes")] = true
		s.Do(t, "DELETE FROM tengen.changes WHERE revision > "+lost)
	}
	if len(seen) < 19 {
		t.Errorf("20 changes after the same one got %d revisions", len(seen))
	}
}

// TestSettings: whatever the role's settings are by now, a commit waits for its disk and says what it did not wait for.
func TestSettings(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t)
	s.Do(t, "ALTER ROLE bot SET synchronous_commit = off")
	s.Do(t, "ALTER ROLE bot SET client_min_messages = error")
	db := open(t, s)
	storagetest.Put(t, db, []byte("k"), []byte("v"))
	const theirs = "SELECT current_setting('synchronous_commit') || ' ' || current_setting('client_min_messages')"
	settings := func(before string) string {
		return s.Do(t, before+"; BEGIN; SELECT tengen.begin() IS NULL; "+theirs)
	}
	if got := settings("SELECT"); !strings.HasSuffix(got, "on warning") {
		t.Errorf("a change is made with %q", got)
	}
	if got := settings("SET synchronous_commit = remote_apply"); !strings.HasSuffix(got, "remote_apply warning") {
		t.Errorf("a stronger setting became %q", got)
	}
	// They hold in the commit, after the function that set them and has settings of its own.
	got := s.Do(t, "BEGIN; SELECT count(*) FROM tengen.settle(0, 0, 0); "+theirs)
	if !strings.HasSuffix(got, "on warning") {
		t.Errorf("it is committed with %q", got)
	}
	s.Do(t, "ALTER ROLE bot SET default_transaction_isolation = 'repeatable read'")
	other, err := Open(t.Context(), Options{Address: pgtest.Address(s)})
	if err == nil {
		err = errors.Join(errors.New("opened"), other.Close())
	}
	if !strings.Contains(err.Error(), "default_transaction_isolation is repeatable read") {
		t.Errorf("another isolation: %v", err)
	}
	// A process that was there before meets it with its next connection.
	db.writes.Reset()
	err = db.Update(t.Context(), func(tx kv.Tx) error { return tx.Put([]byte("k"), []byte("w")) })
	if err == nil || !strings.Contains(err.Error(), "must be read committed") {
		t.Errorf("a change with another isolation: %v", err)
	}
}

// TestRefused: what Open refuses, it names.
func TestRefused(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t)
	open(t, s)
	refused := func(what, want string, o Options) {
		t.Helper()
		o.Patience = 5 * time.Second
		db, err := Open(t.Context(), o)
		if err == nil {
			err = errors.Join(errors.New("opened"), db.Close())
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", what, err, want)
		}
	}
	at := Options{Address: pgtest.Address(s)}
	s.Do(t, "CREATE SCHEMA foreign_one; CREATE TABLE foreign_one.version (name text)")
	refused("a schema of something else", `"number" does not exist`, Options{Address: at.Address, Schema: "foreign_one"})
	s.Do(t, "CREATE ROLE guest LOGIN")
	refused("a role without rights", "permission denied",
		Options{Address: strings.Replace(at.Address, "user=bot", "user=guest", 1), Schema: "mine"})
	standby := s.Standby(t, "b")
	refused("a standby alone", "read only", Options{Address: pgtest.Address(standby)})
}

// TestMadeAtOnce: several processes make the schema at the same moment.
func TestMadeAtOnce(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t, "max_connections=300")
	for i := range testkit.Dose("TENGEN_PG_SCHEMAS", 5) {
		o := Options{Schema: fmt.Sprint("bot", i)}
		if i%2 > 0 { // the operator has made the schema
			s.Do(t, "CREATE SCHEMA "+o.Schema)
		}
		var wg sync.WaitGroup
		for n := range 6 {
			wg.Go(func() { storagetest.Put(t, open(t, s, o), fmt.Append(nil, n), []byte("v")) })
		}
		wg.Wait()
		if got := s.Do(t, fmt.Sprintf("SELECT count(*) FROM %s.rows", o.Schema)); got != "6" {
			t.Errorf("%s rows, want 6", got)
		}
	}
}

// TestClock: the server's clock goes back by an hour, or the next server is an hour behind. The dead lose their
// slots when their lease ends all the same, and the living keep theirs.
func TestClock(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t)
	one := join(t, s, Options{Lease: time.Second})
	one.await(16)
	s.Do(t, "INSERT INTO tengen.members VALUES ('x', 7, now() + interval '1 hour', '1 second'); "+
		"INSERT INTO tengen.slots VALUES ('x', 99, 7, 1)")
	testkit.Eventually(t, "who is dead is gone", func() bool {
		return s.Do(t, "SELECT count(*) FROM tengen.members") == "1"
	})
	one.await(16)
	s.Do(t, "INSERT INTO tengen.senders VALUES (7, 0, now() + interval '1 hour', '1 second')")
	storagetest.Put(t, one.db, []byte("k"), []byte("v"))
	testkit.Eventually(t, "who wrote and is dead is gone", func() bool {
		testkit.Must(t, one.db.beat(t.Context(), one.db.sender.id, false))
		return s.Do(t, "SELECT count(*) FROM tengen.senders WHERE id = 7") == "0"
	})
	// Forward: all leases are over at once. Slots come back, with other numbers, and writes go on.
	under, _ := one.share.Under(t.Context(), 3)
	s.Do(t, "UPDATE tengen.members SET until = until - interval '1 hour'")
	s.Do(t, "UPDATE tengen.senders SET until = until - interval '1 hour'")
	put := func(tx kv.Tx) error { return tx.Put([]byte("k"), []byte("w")) }
	if err := one.db.Update(under, put); !errors.Is(err, kv.ErrFenced) {
		t.Errorf("a write under a lease that the clock has ended: %v", err)
	}
	testkit.Check(t, one.db.Update(t.Context(), put))
	one.await(16)
}

// TestWatchOverFailover: a Watch ends with an error when the servers do not have the newest change that it knew.
func TestWatchOverFailover(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t)
	db := open(t, s)
	storagetest.Put(t, db, []byte("m0"), []byte("v"))
	told, done := make(chan string, 99), make(chan error, 1)
	go func() {
		done <- db.Watch(t.Context(), []byte("m"), []byte("n"), func(k, _ []byte) { told <- string(k) })
	}()
	testkit.Eventually(t, "the watch has begun", func() bool {
		storagetest.Put(t, db, []byte("m1"), []byte("x"))
		return len(told) > 0
	})
	// As after the loss of a server: the change is gone, and another one has its place.
	s.Do(t, "UPDATE tengen.changes SET at = at + interval '1 microsecond'")
	testkit.Eventually(t, "the watch ends", func() bool { return len(done) > 0 })
	if err := <-done; !errors.Is(err, errMissed) {
		t.Errorf("the end of the watch: %v", err)
	}
}

// TestTerminations ends connections at random under load: nothing acknowledged is lost or doubled. Behind a pooler they
// are its own, and it answers for the server.
func TestTerminations(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t)
	for name, address := range map[string]func(testing.TB) string{
		"direct": func(testing.TB) string { return pgtest.Address(s) },
		"pooled": func(t testing.TB) string { return pgtest.NewPooler(t, s).Address() },
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t, s, Options{Address: address(t), Schema: name, Patience: 30 * time.Second})
			l := loaded(t, db, 4)
			ended := 0
			for range testkit.Dose("TENGEN_PG_TERMINATIONS", 20) {
				got := s.Do(t, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "+
					"WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND random() < 0.5")
				n := 0
				_, _ = fmt.Sscan(got, &n)
				ended += n
			}
			t.Logf("%d connections ended, %d acknowledged, none lost or doubled; slowest %v, %d settled", ended, l.end(),
				l.slowest(), db.tally.settled.Load())
		})
	}
}

// TestNoConnectionsLeft: a server without a free connection is waited for.
func TestNoConnectionsLeft(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t, "max_connections=8", "superuser_reserved_connections=1")
	s.Do(t, "CREATE ROLE plain LOGIN; GRANT CREATE ON DATABASE postgres TO plain")
	o := Options{Address: strings.Replace(pgtest.Address(s), "user=bot", "user=plain", 1),
		Patience: time.Minute, Connections: 30}
	db := open(t, s, o)
	var wg sync.WaitGroup
	for w := range 24 { // each reader holds a connection, and there are seven
		wg.Go(func() {
			for range 5 {
				testkit.Check(t, db.View(t.Context(), func(r kv.Reader) error {
					_, err := r.Get([]byte("k"))
					return err
				}))
			}
			testkit.Check(t, add(t.Context(), db, fmt.Append(nil, w%3)))
		})
	}
	wg.Wait()
	sum := uint64(0)
	for w := range 3 {
		n, _ := binary.Uvarint(storagetest.Get(t, db, fmt.Append(nil, w)))
		sum += n
	}
	if sum != 24 {
		t.Errorf("24 additions made %d", sum)
	}
}

// TestHung: the primary stops without a word, as a machine that is lost, and the standby is promoted. Connections to it
// are open and silent.
func TestHung(t *testing.T) {
	t.Parallel()
	primary, standby := pair(t)
	db := open(t, primary, Options{Address: pgtest.Address(primary, standby), Patience: 30 * time.Second})
	key := []byte("counter")
	testkit.Must(t, add(t.Context(), db, key))
	var wg sync.WaitGroup
	for range 12 { // all connections for reads are open
		wg.Go(func() {
			testkit.Check(t, db.View(t.Context(), func(r kv.Reader) error {
				_, err := r.Get(key)
				testkit.Eventually(t, "all read at once", func() bool { return db.reads.Stat().TotalConns() == 12 })
				return err
			}))
		})
	}
	wg.Wait()
	primary.Halt(t)
	standby.Promote(t)
	began := time.Now()
	testkit.Check(t, add(t.Context(), db, key))
	t.Logf("the next write took %v", time.Since(began).Round(time.Millisecond))
	took := make([]time.Duration, 24)
	for i := range took {
		began := time.Now()
		if n, _ := binary.Uvarint(storagetest.Get(t, db, key)); n != 2 {
			t.Errorf("read %d, want 2", n)
		}
		took[i] = time.Since(began)
	}
	if slowest := slices.Max(took); slowest > testkit.Limit(10*time.Second) {
		t.Errorf("a read took %v", slowest)
	}
	t.Logf("the slowest read took %v", slices.Max(took).Round(time.Millisecond))
}
