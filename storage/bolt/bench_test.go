package bolt

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"tengen/internal/testkit"
	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

// One move as a transaction: is its cause known, read the match, write it, note the cause,
// write an index row. The same five operations for all.
func move(game, cause uint64, get func(k []byte) []byte, put func(k, v []byte) error) error {
	seen := binary.BigEndian.AppendUint64([]byte{'i'}, cause)
	if get(seen) != nil {
		return nil
	}
	match := binary.BigEndian.AppendUint64([]byte{'g'}, game)
	value := get(match)
	if value == nil {
		value = make([]byte, 220)
	}
	binary.BigEndian.PutUint64(value, cause)
	return errors.Join(put(match, value), put(seen, match), put(binary.BigEndian.AppendUint64([]byte{'e'}, game), match))
}

// A contender makes moves durable.
type contender struct {
	name string
	open func(path string) (do func(game, cause uint64) error, end func() error, err error)
}

var contenders = []contender{
	{"plain Update", func(path string) (func(game, cause uint64) error, func() error, error) {
		return direct(path, func(db *bbolt.DB) func(func(*bbolt.Tx) error) error { return db.Update })
	}},
	{"db.Batch", func(path string) (func(game, cause uint64) error, func() error, error) {
		return direct(path, func(db *bbolt.DB) func(func(*bbolt.Tx) error) error { return db.Batch })
	}},
	{"group commit", func(path string) (func(game, cause uint64) error, func() error, error) {
		db, err := Open(context.Background(), path, Options{Log: quiet})
		if err != nil {
			return nil, nil, err
		}
		return func(game, cause uint64) error {
			return db.Update(context.Background(), func(tx kv.Tx) error {
				var bad error
				get := func(k []byte) []byte {
					v, err := tx.Get(k)
					bad = errors.Join(bad, err)
					return v
				}
				return errors.Join(move(game, cause, get, tx.Put), bad)
			})
		}, db.Close, nil
	}},
}

// direct is bbolt by itself: the same rows, in buckets made beforehand, without checksums.
func direct(path string,
	update func(*bbolt.DB) func(func(*bbolt.Tx) error) error) (func(game, cause uint64) error, func() error, error) {
	db, err := bbolt.Open(path, fileMode, &bbolt.Options{InitialMmapSize: mapSize, FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return nil, nil, err
	}
	db.AllocSize = growStep
	err = db.Update(func(tx *bbolt.Tx) error {
		for _, table := range "ige" {
			if _, err := tx.CreateBucket([]byte(string(table))); err != nil {
				return err
			}
		}
		return nil
	})
	do := update(db)
	return func(game, cause uint64) error {
		return do(func(tx *bbolt.Tx) error {
			get := func(k []byte) []byte { return slices.Clone(tx.Bucket(k[:1]).Get(k)) }
			put := func(k, v []byte) error { return tx.Bucket(k[:1]).Put(k, v) }
			return move(game, cause, get, put)
		})
	}, db.Close, err
}

// run lets so many channels move for a while: moves a second, and the time that half of
// the moves and 99 % of them took at most.
func (c contender) run(path string, channels int, d time.Duration) (rate float64, p50, p99 time.Duration, err error) {
	do, end, err := c.open(path)
	if err != nil {
		return 0, 0, 0, err
	}
	var cause atomic.Uint64
	times := make([][]time.Duration, channels)
	errs := make([]error, channels)
	var wg sync.WaitGroup
	begin := time.Now()
	for channel := range channels {
		wg.Go(func() {
			for time.Since(begin) < d && errs[channel] == nil {
				at := time.Now()
				errs[channel] = do(uint64(channel), cause.Add(1))
				times[channel] = append(times[channel], time.Since(at))
			}
		})
	}
	wg.Wait()
	took := time.Since(begin)
	all := slices.Concat(times...)
	slices.Sort(all)
	return float64(len(all)) / took.Seconds(), all[len(all)/2], all[len(all)*99/100], errors.Join(append(errs, end())...)
}

// TestThroughput holds the group commit against bbolt's own ways, in turn, five times. It
// takes some minutes of the disk; TENGEN_BENCH=1 lets it run.
func TestThroughput(t *testing.T) {
	if os.Getenv("TENGEN_BENCH") == "" {
		t.Skip("TENGEN_BENCH=1 measures")
	}
	const rounds, each = 5, 2 * time.Second
	type cell struct {
		rates    []float64
		p50, p99 []time.Duration
	}
	channels := []int{1, 16, 64, 256}
	table := map[string]*cell{}
	for round := range rounds {
		for _, n := range channels {
			for _, c := range contenders {
				rate, p50, p99, err := c.run(filepath.Join(t.TempDir(), "store.db"), n, each)
				testkit.Must(t, err)
				name := fmt.Sprint(c.name, n)
				if round == 0 {
					table[name] = &cell{}
				}
				x := table[name]
				x.rates, x.p50, x.p99 = append(x.rates, rate), append(x.p50, p50), append(x.p99, p99)
			}
		}
	}
	for _, n := range channels {
		for _, c := range contenders {
			x := table[fmt.Sprint(c.name, n)]
			slices.Sort(x.rates)
			slices.Sort(x.p50)
			slices.Sort(x.p99)
			t.Logf("%3d channels, %-12s %8.0f moves/s (%.0f-%.0f), half within %v, 99 %% within %v", n, c.name,
				x.rates[rounds/2], x.rates[0], x.rates[rounds-1], x.p50[rounds/2].Round(10*time.Microsecond),
				x.p99[rounds/2].Round(10*time.Microsecond))
		}
	}
	group := table["group commit64"].rates[rounds/2]
	if plain := table["plain Update64"].rates[rounds/2]; group < 10*plain {
		t.Errorf("at 64 channels the group commit makes %.1f times the moves of plain Update, want 10", group/plain)
	}
	if batch := table["db.Batch64"].rates[rounds/2]; group < batch {
		t.Errorf("at 64 channels the group commit makes %.2f times the moves of Batch", group/batch)
	}
}

// BenchmarkUpdate is a lone writer's transaction without and with the wait for the disk.
func BenchmarkUpdate(b *testing.B) {
	for _, sync := range []bool{false, true} {
		b.Run(fmt.Sprintf("sync=%v", sync), func(b *testing.B) {
			db := testkit.Got(Open(b.Context(), filepath.Join(b.TempDir(), "store.db"), Options{Log: quiet}))
			defer db.Close()
			db.bolt.NoSync = !sync
			n := uint64(0)
			for b.Loop() {
				n++
				storagetest.Put(b, db, binary.BigEndian.AppendUint64([]byte{'g'}, n%1000), make([]byte, 220))
			}
		})
	}
}
