package pg

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"tengen/internal/testkit"
	"tengen/storage/kv"
	"tengen/storage/pg/pgtest"
	"tengen/storage/storagetest"
)

// smallDisk is a folder with so much room, and a file in it that takes half of that; the test skips where it may
// not mount anything.
func smallDisk(t *testing.T, size string, half int) (in, ballast string) {
	dir := pgtest.Dir(t)
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("this system gives a test no disk of its own: %v", err)
	}
	t.Cleanup(func() { testkit.Check(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	testkit.Must(t, pgtest.Own(dir))
	ballast = filepath.Join(dir, "ballast")
	testkit.Write(t, ballast, make([]byte, half))
	in = filepath.Join(dir, "in")
	testkit.Must(t, os.Mkdir(in, 0o700))
	testkit.Must(t, pgtest.Own(in))
	return in, ballast
}

// TestDiskFull: the tables have no room left. Changes are refused in so many words, what was acknowledged is there,
// leases are kept, and with room again all goes on.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	dir, ballast := smallDisk(t, "6m", 3<<20)
	s := pgtest.Start(t)
	s.Do(t, "CREATE TABLESPACE small LOCATION '"+dir+"'")
	s.Do(t, "ALTER ROLE bot SET default_tablespace = small")
	p := join(t, s, Options{})
	p.await(16)
	rows := map[string][]byte{}
	put := func() error {
		key, value := rand.Text(), make([]byte, 20_000)
		_, _ = rand.Read(value)
		err := p.db.Update(t.Context(), func(tx kv.Tx) error { return tx.Put([]byte(key), value) })
		if err == nil {
			rows[key] = value
		}
		return err
	}
	err := error(nil)
	for err == nil {
		err = put()
	}
	t.Logf("after %d rows: %v", len(rows), err)
	for range 50 {
		if !errors.Is(err, kv.ErrFull) {
			t.Fatalf("after %d rows: %v", len(rows), err)
		}
		err = put()
	}
	holds := func() {
		t.Helper()
		for key, want := range rows {
			if !bytes.Equal(storagetest.Get(t, p.db, []byte(key)), want) {
				t.Errorf("row %s of %d is lost", key, len(rows))
			}
		}
	}
	holds()
	p.await(16)
	testkit.Must(t, os.Remove(ballast))
	for range 50 {
		testkit.Must(t, put())
	}
	holds()
}

// TestLogFull: the server's log has no room left, since a standby that is away holds it, and the server ends. With
// room again it is started, and the process goes on.
func TestLogFull(t *testing.T) {
	t.Parallel()
	dir, ballast := smallDisk(t, "64m", 32<<20)
	s := pgtest.Start(t)
	s.Do(t, "SELECT pg_create_physical_replication_slot('away', true)")
	s.Do(t, "CHECKPOINT")
	s.Kill(t)
	s.LogAt(t, dir)
	s.Restart(t)
	db, key := open(t, s, Options{Patience: time.Second}), []byte("counter")
	acknowledged, unknown := uint64(0), uint64(0)
	count := func() error {
		err := add(t.Context(), db, key)
		switch {
		case err == nil:
			acknowledged++
		case errors.Is(err, errUnknown):
			unknown++
		case !Unreachable(err):
			t.Errorf("an error that does not pass: %v", err)
		}
		return err
	}
	for n := 0; count() == nil; n++ {
		_ = db.on(t.Context(), func(c *pgxpool.Conn) error { // the next change begins another file of the log
			_, err := c.Exec(t.Context(), "SELECT pg_switch_wal()")
			return err
		})
	}
	t.Log(count())
	testkit.Must(t, os.Remove(ballast))
	s.Restart(t)
	before := acknowledged
	testkit.Eventually(t, "additions go on", func() bool { _ = count(); return acknowledged > before+20 })
	n, _ := binary.Uvarint(storagetest.Get(t, db, key))
	if n < acknowledged || n > acknowledged+unknown {
		t.Errorf("the counter holds %d after %d additions and %d that nobody knows of", n, acknowledged, unknown)
	}
	t.Logf("%d acknowledged, %d unknown, %d made", acknowledged, unknown, n)
}
