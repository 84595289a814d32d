package etcd

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
	"tengen/storage/etcd/etcdtest"
	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

// TestFigures plays moves through package storage on a file, on one server of etcd and on
// three, all in this run and on the same disk. TENGEN_FIGURES is for how long each; unset, it
// is skipped. ETCDTEST_DIR says where the data is; unset, in memory.
func TestFigures(t *testing.T) {
	long, err := time.ParseDuration(os.Getenv("TENGEN_FIGURES"))
	if err != nil {
		t.Skip("TENGEN_FIGURES=5s runs it")
	}
	t.Logf("data: %s", cmp.Or(os.Getenv("ETCDTEST_DIR"), "in memory"))
	file := testkit.Got(bolt.Open(t.Context(), filepath.Join(etcdtest.Dir(t), "games.db"),
		bolt.Options{Log: slog.New(slog.DiscardHandler), Grows: storage.Grows}))
	defer file.Close()
	one, three := etcdtest.Start(t, 1), etcdtest.Start(t, 3)
	warm := Options{Absent: storage.Once}
	engines := []struct {
		name string
		kv.Engine
	}{
		{"bolt", file},
		{"etcd, one server", open(t, one, warm)},
		{"etcd, three servers", open(t, three, warm)},
		{"etcd, three servers, nothing cached", open(t, three, Options{Prefix: "cold", cold: true})},
	}
	for _, channels := range []int{1, 16, 64} {
		for _, e := range engines {
			s := storagetest.Store(t, e)
			storagetest.Figures(t, e.name, s, channels, long)
		}
	}
}
