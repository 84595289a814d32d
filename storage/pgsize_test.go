package storage

import (
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/internal/testkit"
	"tengen/storage/bolt"
	"tengen/storage/pg"
	"tengen/storage/pg/pgtest"
)

// TestPostgresSize stores finished games on PostgreSQL as play would, and measures what they cost there, what a copy
// costs, and how long a member waits for a page of old games. TENGEN_PG_GAMES is how many games.
func TestPostgresSize(t *testing.T) {
	if testing.Short() {
		t.Skip("it stores many games")
	}
	t.Parallel()
	n := testkit.Dose("TENGEN_PG_GAMES", 1000)
	server := pgtest.Start(t, "max_wal_size=1GB", "shared_buffers=256MB", "autovacuum_naptime=5s")
	db, err := pg.Open(t.Context(), pg.Options{Address: pgtest.Address(server), Absent: Once, Patience: time.Minute})
	testkit.Must(t, err)
	defer func() { testkit.Check(t, db.Close()) }()
	s := first(Open(t.Context(), db, Options{}))
	a := newAuthor(t, n)
	timed := func(what string, f func()) {
		t.Helper()
		began := time.Now()
		f()
		t.Logf("%s: %v", what, time.Since(began).Round(time.Millisecond))
	}
	table := func(what string) {
		t.Helper()
		t.Logf("%s: %s", what, server.Do(t, "SELECT string_agg(format('%s: table %s, index %s, %s rows, %s dead, "+
			"%s updated, of these %s in their page', relname, pg_table_size(relid), pg_indexes_size(relid), n_live_tup, "+
			"n_dead_tup, n_tup_upd, n_tup_hot_upd), '; ' ORDER BY relname) FROM pg_stat_user_tables "+
			"WHERE relname IN ('rows', 'changes')"))
	}
	timed("games written", func() { a.fill(t, s, a.models, n) })
	table("after that")
	server.Do(t, "VACUUM ANALYZE")
	table("after a vacuum")
	size, err := db.Size(t.Context())
	testkit.Must(t, err)
	t.Logf("%d games: %d bytes each, tables and indexes", n, size/int64(n))
	timed("a base backup", func() { server.Backup(t) })
	timed("a copy to a file", func() {
		file, err := bolt.Open(t.Context(), filepath.Join(testkit.Scratch(t), "copy.db"),
			bolt.Options{Grows: Grows, Log: slog.New(slog.DiscardHandler)})
		testkit.Must(t, err)
		rows, err := Copy(t.Context(), file, db, "test", func(int64) {})
		if err != nil || rows < int64(n) {
			t.Errorf("%d rows copied, %v", rows, err)
		}
		testkit.Must(t, file.Close())
	})
	timed("store check", func() {
		rows, err := Verify(t.Context(), db)
		if err != nil || rows < int64(n) {
			t.Errorf("%d rows, %v", rows, err)
		}
	})
	var stats Stats
	timed("store stats", func() {
		stats, err = s.Stats(t.Context())
		if testkit.Must(t, err); stats.Archived < n*95/100 || stats.Archived > n*105/100 {
			t.Errorf("%d games of %d", stats.Archived, n)
		}
		t.Logf("%d games, estimates: %q", stats.Archived, stats.Estimates)
	})
	timed("store stats --games", func() {
		if stats, err = s.Games(t.Context(), stats); err != nil || stats.Archived != n {
			t.Errorf("%d games of %d, %v", stats.Archived, n, err)
		}
	})
	for what, ask := range map[string]func() error{
		"a page of a member's games": func() error {
			_, err := s.History(t.Context(), a.member(), 0, 10)
			return err
		},
		"a member's games and ratings": func() error {
			who := a.member()
			_, err := s.Past(t.Context(), who, 0, 100)
			_, err2 := s.Standings(t.Context(), who)
			_, err3 := s.AgainstEngine(t.Context(), who)
			return firstOf(err, err2, err3)
		},
	} {
		var took []time.Duration
		for range min(n, 1000) {
			began := time.Now()
			testkit.Must(t, ask())
			took = append(took, time.Since(began))
		}
		slices.Sort(took)
		t.Logf("%s: p50 %v, p99 %v", what, took[len(took)/2], took[len(took)*99/100])
	}
	plan := server.Do(t, "SET enable_seqscan = off; SET enable_sort = off; SET enable_bitmapscan = off; "+
		"EXPLAIN SELECT key, value, revision FROM tengen.rows WHERE key >= '\\x61' AND key < '\\x62' "+
		"ORDER BY key LIMIT 8192")
	if !strings.Contains(plan, "Index Scan") {
		t.Errorf("a page of a scan does not follow the index: %s", plan)
	}
}
