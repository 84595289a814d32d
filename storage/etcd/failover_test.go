package etcd

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tengen/storage/etcd/etcdtest"
	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

// TestFailover plays in 16 channels through two stores on three members, kills the
// leader with SIGKILL and starts it again. Every move has a number and a row of its own:
// none that was acknowledged may be missing, none may be there twice. There is no mark
// for repeated commands here, the engine alone must do it. TENGEN_FAILOVERS is how many
// leaders are killed; unset, one.
func TestFailover(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts three servers")
	}
	kills, _ := strconv.Atoi(os.Getenv("TENGEN_FAILOVERS"))
	kills = max(kills, 1)
	c := etcdtest.Start(t, 3)
	stores := [2]*DB{open(t, c), open(t, c)}
	var players [16]player
	var stop atomic.Bool
	var wg sync.WaitGroup
	for i := range players {
		p := &players[i]
		p.db, p.channel = stores[i%2], i
		wg.Go(func() {
			for !stop.Load() {
				p.move(t)
			}
		})
	}
	end := func() { stop.Store(true); wg.Wait() }
	defer end()
	await := func(moves int64) {
		for until := total(&players) + moves; total(&players) < until && !t.Failed(); {
			time.Sleep(5 * time.Millisecond)
		}
	}
	for range kills {
		await(500)
		leader := c.Leader(t)
		c.Kill(t, leader)
		await(500)
		c.Restart(t, leader)
	}
	await(500)
	end()
	slowest := time.Duration(0)
	for i := range players {
		p := &players[i]
		slowest = max(slowest, p.slowest)
		stored := number(storagetest.Get(t, stores[0], p.key()))
		rows := uint64(0)
		err := stores[1].View(t.Context(), func(r kv.Reader) error {
			rows = 0
			return r.Scan(p.row(0), kv.After(p.row(0)[:5]), func(_, _ []byte) bool { rows++; return true })
		})
		if err != nil || stored != uint64(p.moves.Load()) || rows != stored {
			t.Errorf("channel %d: %d moves were acknowledged, %d are stored, with %d rows, err %v", i, p.moves.Load(),
				stored, rows, err)
		}
	}
	t.Logf("%d moves acknowledged, %d leaders killed, slowest answer %v", total(&players), kills,
		slowest.Round(time.Millisecond))
}

// player makes moves in one channel, one after the other.
type player struct {
	db      *DB
	channel int
	moves   atomic.Int64
	slowest time.Duration
}

func (p *player) key() []byte { return fmt.Appendf(nil, "c%03d", p.channel) }
func (p *player) row(n uint64) []byte {
	return binary.BigEndian.AppendUint64(fmt.Appendf(nil, "m%03d/", p.channel), n)
}

func (p *player) move(t *testing.T) {
	start := time.Now()
	err := p.db.Update(t.Context(), func(tx kv.Tx) error {
		v, err := tx.Get(p.key())
		n := number(v)
		return errors.Join(err, tx.Put(p.key(), binary.AppendUvarint(nil, n+1)), tx.Put(p.row(n), []byte("move")))
	})
	if err != nil {
		t.Error(err)
		return
	}
	p.slowest = max(p.slowest, time.Since(start))
	p.moves.Add(1)
}

func total(players *[16]player) (n int64) {
	for i := range players {
		n += players[i].moves.Load()
	}
	return n
}

func number(v []byte) uint64 {
	n, _ := binary.Uvarint(v)
	return n
}
