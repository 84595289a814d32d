package pg

import (
	"context"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/pg/pgtest"
	"tengen/storage/storagetest"
)

// TestGrowth plays days of moves through package storage as fast as it can, with the sweeps of each minute of those
// days, and logs what they leave in the tables: two days, one beside a transaction that is open all the time, and one
// after that. TENGEN_BENCH is the number of moves of a day; unset, it is skipped.
func TestGrowth(t *testing.T) {
	moves, err := strconv.ParseInt(os.Getenv("TENGEN_BENCH"), 10, 64)
	if err != nil {
		t.Skip("TENGEN_BENCH=500000 runs it")
	}
	server := pgtest.Start(t, "autovacuum_naptime=5s", "max_wal_size=1GB", "shared_buffers=256MB")
	s := storagetest.Store(t, open(t, server, Options{Absent: storage.Once, Patience: time.Hour, Try: time.Minute}))
	const day = 24 * time.Hour
	began := time.Now().Add(-4 * day)
	look := func(what string) {
		t.Helper()
		t.Logf("%s: %s", what, server.Do(t, "SELECT string_agg(format('%s: table %s MB, index %s MB, %s rows, %s dead, "+
			"%s vacuums, %s of %s updates in their page', relname, pg_table_size(relid) >> 20, pg_indexes_size(relid) >> 20, "+
			"n_live_tup, n_dead_tup, autovacuum_count, n_tup_hot_upd, n_tup_upd), '; ' ORDER BY relname DESC) "+
			"FROM pg_stat_user_tables WHERE relname IN ('rows', 'changes')"))
	}
	play := func(what string, from time.Time) {
		t.Helper()
		ctx, stop := context.WithCancel(t.Context())
		var made, swept atomic.Int64
		now := func() time.Time {
			n := made.Add(1)
			if n == moves {
				stop()
			}
			at := from.Add(day * time.Duration(n) / time.Duration(moves))
			if minute := at.Unix() / 60; swept.Swap(minute) < minute {
				testkit.Check(t, s.Sweep(t.Context(), at))
			}
			return at
		}
		real := time.Now()
		took := storagetest.Play(ctx, t, s, 64, now)
		t.Logf("%s: %d moves, %.0f a second, p99 %v", what, len(took), float64(len(took))/time.Since(real).Seconds(),
			took[len(took)*99/100].Round(100*time.Microsecond))
		look(what)
	}
	play("a day", began)
	play("another", began.Add(day))
	reader := testkit.Got(pgx.Connect(t.Context(), pgtest.Address(server)))
	testkit.Got(reader.Exec(t.Context(), "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM tengen.rows"))
	play("a day beside an open transaction", began.Add(2*day))
	testkit.Must(t, reader.Close(t.Context()))
	play("a day after it", began.Add(3*day))
}
