package pg

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"tengen/storage/kv"
)

const (
	beatEvery   = senderLives / 6
	keepChanges = time.Minute // for which changes are kept, so that a Watch finds them
)

// sender is the row by which the servers know what this process sends. The writer alone changes it,
// but for the beats, which read it.
type sender struct {
	id, epoch int64 // id 0: none yet, or lost
	batch     atomic.Int64
	beats     sync.Once
	now       atomic.Int64 // id, for the beats
}

// enter makes the sender's row, unless there is one.
func (s *sender) enter(ctx context.Context, db *DB) error {
	if s.id != 0 && s.now.Load() == s.id {
		return nil
	}
	id := rand.Int64N(1<<62) + 1
	if err := db.ask(ctx, func(ctx context.Context) error { return db.beat(ctx, id, true) }); err != nil {
		return err
	}
	s.id, s.epoch = id, 0
	s.now.Store(id)
	s.beats.Do(func() { db.writer.Go(db.keepSender) })
	return nil
}

// lost has the next batch begin with a new sender.
func (s *sender) lost() {
	s.id = 0
	s.now.Store(0)
}

// keepSender keeps the sender's row until the DB is closed.
func (db *DB) keepSender() {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		select {
		case <-db.quit:
			return
		case <-tick.C:
		}
		id := db.sender.now.Load()
		if id == 0 {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), db.options.Try)
		settled := db.sender.batch.Load() // up to this one; without it
		if db.beat(ctx, id, false) == nil {
			_ = db.on(ctx, func(c *pgxpool.Conn) error {
				_, err := c.Exec(ctx, db.sql.prune, id, settled, keepChanges)
				return err
			})
		}
		cancel() // after an error the next beat is soon enough; a lost sender is found by the next batch
	}
}

func (db *DB) beat(ctx context.Context, id int64, first bool) error {
	return db.on(ctx, func(c *pgxpool.Conn) error {
		var here bool
		err := c.QueryRow(ctx, db.sql.beat, id, db.knows(first), db.options.Announce, senderLives).Scan(&here)
		if err == nil && !here {
			db.sender.now.CompareAndSwap(id, 0)
			if first {
				err = errVersion
			}
		}
		return err
	})
}

// leave takes the sender's row away. Where that fails it ends by itself.
func (db *DB) leave() {
	id := db.sender.now.Load()
	if id == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), min(db.options.Try, time.Second))
	defer cancel()
	_ = db.on(ctx, func(c *pgxpool.Conn) error {
		_, err := c.Exec(ctx, db.sql.leave, id)
		return err
	})
}

// Processes gives what each process on the schema has announced, and nil for each that has announced
// nothing. A process is there that has written, or holds a share, until its lease is over.
func (db *DB) Processes(ctx context.Context) (all [][]byte, err error) {
	err = db.View(ctx, func(r kv.Reader) error {
		all = nil
		return r.(*snapshot).read(db.options.Try, db.sql.processes, nil, func(row pgx.Rows) error {
			var announced []byte
			err := row.Scan(&announced)
			all = append(all, announced)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("asking who is there: %w", err)
	}
	return all, nil
}

// Size is the bytes of the schema's tables with their indexes.
func (db *DB) Size(ctx context.Context) (bytes int64, err error) {
	run, done, err := db.begin(ctx)
	if err != nil {
		return 0, err
	}
	defer done()
	err = db.ask(run, func(ctx context.Context) error {
		return db.reads.QueryRow(ctx, db.sql.size, db.options.Schema).Scan(&bytes)
	})
	return bytes, db.outcome(ctx, err)
}
