package pg

import (
	"cmp"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/bolt"
	"tengen/storage/kv"
	"tengen/storage/pg/pgtest"
	"tengen/storage/storagetest"
)

// TestFigures plays moves through package storage on a file, on PostgreSQL alone and with a standby that
// it waits for, all in this run, on the same disk and durable. TENGEN_FIGURES is for how long each; unset, it is
// skipped. PGTEST_DIR says where the data is; unset, in memory.
func TestFigures(t *testing.T) {
	long, err := time.ParseDuration(os.Getenv("TENGEN_FIGURES"))
	if err != nil {
		t.Skip("TENGEN_FIGURES=5s runs it")
	}
	t.Logf("data: %s", cmp.Or(os.Getenv("PGTEST_DIR"), "in memory"))
	file, err := bolt.Open(t.Context(), filepath.Join(pgtest.Dir(t), "games.db"),
		bolt.Options{Log: slog.New(slog.DiscardHandler), Grows: storage.Grows})
	testkit.Must(t, err)
	defer file.Close()
	primary, _ := pair(t, "fsync=on")
	engines := []struct {
		name string
		kv.Engine
	}{
		{"bolt", file},
		{"PostgreSQL", open(t, pgtest.Start(t, "fsync=on"), Options{Absent: storage.Once})},
		{"PostgreSQL and a standby", open(t, primary, Options{Absent: storage.Once})},
	}
	for _, channels := range []int{1, 16, 64} {
		for _, e := range engines {
			storagetest.Figures(t, e.name, storagetest.Store(t, e), channels, long)
		}
	}
}
