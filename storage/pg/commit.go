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
	var next *request // it waits for the batch before
	for {
		first := next
		if first == nil {
			select {
			case <-db.quit:
				return
			case first = <-db.requests:
			}
		}
		var batch []*request
		batch, next = db.waiting(first)
		db.make(batch)
	}
}

// waiting gives a request with those that wait behind it, up to one that has to do with a row that
// another of the batch writes.
func (db *DB) waiting(first *request) (batch []*request, next *request) {
	written, size := map[string]bool{}, 0
	for r := first; ; {
		if r.touches(written) {
			return batch, r
		}
		batch, size = append(batch, r), size+r.size
		for key := range r.tx.Writes() {
			written[string(key)] = true
		}
		if len(batch) == mostParts || size > mostBytes {
			return batch, nil
		}
		select {
		case r = <-db.requests:
		default:
			return batch, nil
		}
	}
}

// touches says whether a request has read or writes one of the keys.
func (r *request) touches(keys map[string]bool) bool {
	if len(keys) == 0 {
		return false
	}
	for key := range r.reads {
		if keys[key] {
			return true
		}
	}
	for key := range r.tx.Writes() {
		if keys[string(key)] {
			return true
		}
	}
	for _, s := range r.spans {
		for key := range keys {
			if string(s.from) <= key && key < string(s.to) {
				return true
			}
		}
	}
	return false
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
			db.tally.settled.Add(1)
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
	var readParts, spanParts, fenceParts, slots, writeParts []int32
	var readKeys, froms, tos, writeKeys, values [][]byte
	var revisions, counts, lasts, mades []int64
	var teams []string
	for i, r := range batch {
		part := int32(i + 1)
		for key, row := range r.reads {
			readParts, readKeys = append(readParts, part), append(readKeys, []byte(key))
			revisions = append(revisions, row.revision)
		}
		for _, s := range r.spans {
			spanParts, froms, tos = append(spanParts, part), append(froms, s.from), append(tos, s.to)
			counts, lasts = append(counts, s.count), append(lasts, s.last)
		}
		if f := r.fence; f != (fence{}) {
			fenceParts, teams = append(fenceParts, part), append(teams, f.team)
			slots, mades = append(slots, f.slot), append(mades, f.made)
		}
		for key, value := range r.tx.Writes() {
			if value != nil {
				value = kv.AddChecksum(key, value)
			}
			writeParts, writeKeys, values = append(writeParts, part), append(writeKeys, key), append(values, value)
		}
	}
	return []any{len(batch), readParts, readKeys, revisions, spanParts, froms, tos, counts, lasts,
		fenceParts, teams, slots, mades, writeParts, writeKeys, values}
}
