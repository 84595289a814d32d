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
	var last change
	err := db.ask(ctx, func(ctx context.Context) error {
		return db.reads.QueryRow(ctx, db.sql.newest).Scan(&last.revision, &last.at)
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
			err = errMissed
			break
		}
		last, err = db.tell(ctx, last, from, to, fn)
		looked = now
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("watching PostgreSQL: %w", err)
}

// change names one of the changes. After the loss of a server another change may have its revision, but not its time.
type change struct {
	revision int64
	at       time.Time
}

// errMissed says that a Watch cannot know of all changes.
var errMissed = errors.New("changes of before may be gone")

// told is a change with one of the rows that it wrote; the key is nil where none is in the range.
type told struct {
	change
	key, stored []byte
}

// tell calls fn for what was written after the change last, and gives the newest change.
func (db *DB) tell(ctx context.Context, last change, from, to []byte, fn func(key, value []byte)) (change, error) {
	var all []told // the change last is the first of them, if it is still what it was
	err := db.ask(ctx, func(ctx context.Context) error {
		rows, err := db.reads.Query(ctx, db.sql.changes, last.revision, from, to)
		if err == nil {
			all, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (t told, err error) {
				err = row.Scan(&t.revision, &t.at, &t.key, &t.stored)
				return t, err
			})
		}
		return err
	})
	if err == nil && (len(all) == 0 || all[0].revision != last.revision || !all[0].at.Equal(last.at)) {
		err = errMissed
	}
	if err != nil {
		return last, err
	}
	for _, t := range all {
		if value, err := kv.CutChecksum(t.key, t.stored); t.key != nil && err == nil {
			fn(t.key, value)
		}
	}
	return all[len(all)-1].change, nil
}
