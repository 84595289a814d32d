package pg

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"tengen/storage/kv"
)

const (
	mostParts = 128     // of a batch
	mostBytes = 4 << 20 // from which on a batch takes no further part
)

// request is the change of one closure on its way to the writer.
type request struct {
	reads  map[string]row
	spans  []span
	fence  fence
	tx     *kv.Overlay
	size   int
	result chan result // has room for one
}

// result is what became of a request: its revision, or 0 if the closure must run again.
type result struct {
	revision int64
	err      error
}

// commit has the writer make the writes of tx. When it gives neither made nor an error, the closure must
// run again.
func (db *DB) commit(ctx context.Context, s *snapshot, tx *kv.Overlay) (made bool, err error) {
	r := &request{reads: s.rows, spans: s.spans, fence: fenceOf(ctx), tx: tx, result: make(chan result, 1)}
	for key, value := range tx.Writes() {
		r.size += len(key) + len(value)
	}
	select {
	case db.requests <- r:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	answer := <-r.result // the writer answers everybody within its patience
	return answer.revision > 0, answer.err
}

// write makes what closures ask for until the DB is closed.
func (db *DB) write() {
	for {
		select {
		case <-db.quit:
			return
		case first := <-db.requests:
			db.make(db.waiting(first))
		}
	}
}

// waiting gives a request with those that wait behind it.
func (db *DB) waiting(first *request) []*request {
	batch, size := []*request{first}, first.size
	for len(batch) < mostParts && size < mostBytes {
		select {
		case r := <-db.requests:
			batch, size = append(batch, r), size+r.size
		default:
			return batch
		}
	}
	return batch
}

// make sends a batch and tells each request what became of it. What was written is in the cache before
// anybody hears of it, in the order in which it was made.
func (db *DB) make(batch []*request) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(db.life), db.options.Patience)
	defer cancel()
	revisions, err := db.send(ctx, batch)
	for i, r := range batch {
		answer := result{err: err}
		if err == nil {
			answer.revision = revisions[i]
		}
		if answer.revision > 0 || err != nil { // with an error it may have been made
			for key, value := range r.tx.Writes() {
				db.cache.learn(key, value, max(answer.revision, 0))
			}
		}
		if answer.revision == fenced {
			answer = result{err: kv.ErrFenced}
		}
		r.result <- answer
	}
}

// fenced is the revision that the server gives a part whose fence does not hold.
const fenced = -1

// send makes a batch and finds out what became of it.
func (db *DB) send(ctx context.Context, batch []*request) (revisions []int64, err error) {
	if err := db.sender.enter(ctx, db); err != nil {
		return nil, err
	}
	number := db.sender.batch.Add(1)
	args := append([]any{db.sender.id, db.sender.epoch, number}, arrays(batch)...)
	for n := 0; ; n++ {
		err := db.once(ctx, func(ctx context.Context, c *pgxpool.Conn) error {
			rows, err := c.Query(ctx, db.sql.commit, args...)
			if err == nil {
				revisions, err = pgx.CollectRows(rows, pgx.RowTo[int64])
			}
			return err
		})
		switch {
		case err == nil && len(revisions) == 0: // the sender is gone, and nothing was made
			db.sender.lost()
			return make([]int64, len(batch)), nil
		case err == nil:
			return revisions, nil
		case unsure(err):
			return db.settle(ctx, number, len(batch))
		case !passing(err) || !pause(ctx, n):
			return nil, err
		}
	}
}

// settle finds out what became of a batch without an answer; a part with revision 0 was not made and never will be.
func (db *DB) settle(ctx context.Context, number int64, parts int) ([]int64, error) {
	epoch, known := db.sender.epoch+1, false
	revisions := make([]int64, parts)
	err := db.ask(ctx, func(ctx context.Context) error {
		return db.on(ctx, func(c *pgxpool.Conn) error {
			var part int
			var revision int64
			rows, err := c.Query(ctx, db.sql.settle, db.sender.id, epoch, number)
			if err != nil {
				return err
			}
			_, err = pgx.ForEachRow(rows, []any{&part, &revision}, func() error {
				known = true
				if part > 0 {
					revisions[part-1] = revision
				}
				return nil
			})
			return err
		})
	})
	if err == nil && !known {
		err = errors.New("the sender is gone")
	}
	if err != nil {
		db.sender.lost()
		return nil, fmt.Errorf("%w: %w", errUnknown, err)
	}
	db.sender.epoch = epoch
	return revisions, nil
}

// arrays are the arguments of commit in schema.sql, after the first three.
func arrays(batch []*request) []any {
	var readEnds, spanEnds, writeEnds, slots []int32
	readKeys, froms, tos, writeKeys, values := [][]byte{}, [][]byte{}, [][]byte{}, [][]byte{}, [][]byte{}
	revisions, counts, lasts, mades := []int64{}, []int64{}, []int64{}, []int64{}
	var teams []string
	for _, r := range batch {
		for key, row := range r.reads {
			readKeys, revisions = append(readKeys, []byte(key)), append(revisions, row.revision)
		}
		for _, s := range r.spans {
			froms, tos = append(froms, s.from), append(tos, s.to)
			counts, lasts = append(counts, s.count), append(lasts, s.last)
		}
		for key, value := range r.tx.Writes() {
			if value != nil {
				value = kv.AddChecksum(key, value)
			}
			writeKeys, values = append(writeKeys, key), append(values, value)
		}
		teams, slots, mades = append(teams, r.fence.team), append(slots, r.fence.slot), append(mades, r.fence.made)
		readEnds, spanEnds = append(readEnds, int32(len(readKeys))), append(spanEnds, int32(len(froms)))
		writeEnds = append(writeEnds, int32(len(writeKeys)))
	}
	return []any{readEnds, readKeys, revisions, spanEnds, froms, tos, counts, lasts, teams, slots, mades,
		writeEnds, writeKeys, values}
}
