package pg

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"tengen/storage/kv"
)

// tellEvery is how often a Watch looks for changes.
const tellEvery = 250 * time.Millisecond

// Watch is kv.Watcher.Watch. Of a row that is written several times between two looks it tells the newest.
func (db *DB) Watch(ctx context.Context, from, to []byte, fn func(key, value []byte)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(db.life, cancel)()
	var last int64
	err := db.ask(ctx, func(ctx context.Context) error {
		return db.reads.QueryRow(ctx, db.sql.newest).Scan(&last)
	})
	looked := time.Now()
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	for err == nil {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		now := time.Now()
		if now.Sub(looked) > keepChanges/2 {
			return errors.New("watching PostgreSQL: changes of before may be gone")
		}
		err = db.ask(ctx, func(ctx context.Context) error {
			rows, err := db.reads.Query(ctx, db.sql.changes, last, from, to)
			if err != nil {
				return err
			}
			var key, stored []byte
			_, err = pgx.ForEachRow(rows, []any{&last, &key, &stored}, func() error {
				if value, err := kv.CutChecksum(key, stored); err == nil {
					fn(key, value)
				}
				return nil
			})
			return err
		})
		looked = now
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("watching PostgreSQL: %w", err)
}
