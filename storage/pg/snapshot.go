package pg

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"tengen/storage/kv"
)

const (
	firstPage = 32   // rows of a scan's first request; most scans are short or stop early
	lastPage  = 8192 // rows of the largest request; each is eight times the one before
	slowPage  = 2048 // rows from which a page may take longer
	slowTries = 4    // times the usual wait, for such a page
)

// end is behind all keys.
var end = bytes.Repeat([]byte{0xFF}, kv.MaxKey+1)

// snapshot reads one state, in a read-only transaction that begins with the first read. Where rows is
// not nil it keeps what a commit must compare.
type snapshot struct {
	ctx     context.Context
	db      *DB
	conn    *pgxpool.Conn // nil before the first read
	rows    map[string]row
	spans   []span
	err     error // the first error of the server, whatever the closure does with it
	warm    bool  // it may guess from the cache
	guessed bool  // it has guessed
	wrong   bool  // a guess is known to be wrong
}

// row is what was read under a key; an absent row has revision 0.
type row struct {
	value    []byte
	revision int64
	at       int64 // in the cache: the revision at which the row was so
	guessed  bool  // it comes from the cache
}

// span is a range that a scan passed over. A row that is written gets a revision above all others,
// so the number of rows and the newest revision are the same only if nothing has changed.
type span struct {
	from, to    []byte
	count, last int64
}

// run runs a closure, and ends the transaction of its reads. A closure that panics after it guessed counts
// as wrong: its rows may be of several states and contradict one another. It runs again without guesses.
func (s *snapshot) run(fn func() error) error {
	defer func() {
		s.release()
		if s.guessed && recover() != nil {
			s.wrong = true
		}
	}()
	return fn()
}

// release gives the connection back. Nobody waits for the end of the transaction.
func (s *snapshot) release() {
	conn := s.conn
	if s.conn = nil; conn == nil {
		return
	}
	if s.err != nil {
		_ = conn.Conn().Close(s.ctx)
		conn.Release()
		return
	}
	s.db.runs.Go(func() { // the caller has a run of its own, so that Close waits for this one too
		defer conn.Release()
		ctx, cancel := context.WithTimeout(context.Background(), s.db.options.Try)
		defer cancel()
		if _, err := conn.Exec(ctx, "ROLLBACK"); err != nil {
			_ = conn.Conn().Close(ctx)
		}
	})
}

// again says whether a new snapshot may help.
func (s *snapshot) again() bool { return s.ctx.Err() == nil && passing(s.err) }

// result is the closure's error, or the server's where the closure did not pass that on.
func (s *snapshot) result(err error) error {
	if s.err == nil || errors.Is(err, s.err) {
		return err
	}
	return s.err
}

// Get is Reader.Get.
func (s *snapshot) Get(key []byte) ([]byte, error) {
	if err := kv.CheckKey(key); err != nil {
		return nil, err
	}
	if r, ok := s.rows[string(key)]; ok {
		return slices.Clone(r.value), nil
	}
	if r, ok := s.guess(key); ok {
		return slices.Clone(r.value), nil
	}
	var r row
	err := s.read(s.db.options.Try, s.db.sql.get, []any{key}, func(rows pgx.Rows) error {
		var stored []byte
		err := rows.Scan(&stored, &r.revision)
		if err == nil {
			r.value, err = kv.CutChecksum(key, stored)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if s.rows != nil {
		s.rows[string(key)] = r
		s.db.cache.put(string(key), r, r.revision)
	}
	return slices.Clone(r.value), nil
}

// Scan is Reader.Scan.
func (s *snapshot) Scan(from, to []byte, fn func(key, value []byte) bool) error {
	if to == nil {
		to = end
	}
	if bytes.Compare(from, to) >= 0 {
		return nil
	}
	seen := span{from: bytes.Clone(from), to: bytes.Clone(to)}
	if seen.from == nil {
		seen.from = []byte{}
	}
	start := seen.from
	for limit := firstPage; ; limit = min(8*limit, lastPage) {
		wait := s.db.options.Try
		if limit >= slowPage {
			wait *= slowTries
		}
		var page []found
		err := s.read(wait, s.db.sql.scan, []any{start, seen.to, limit}, func(rows pgx.Rows) error {
			var f found
			var stored []byte
			if err := rows.Scan(&f.key, &stored, &f.revision); err != nil {
				return err
			}
			var err error
			f.value, err = kv.CutChecksum(f.key, stored)
			page = append(page, f)
			return err
		})
		if err != nil {
			return err
		}
		for _, f := range page {
			if had, ok := s.rows[string(f.key)]; ok && had.revision != f.revision {
				s.wrong = true
			}
			seen.count, seen.last = seen.count+1, max(seen.last, f.revision)
			start = append(bytes.Clone(f.key), 0)
			if !fn(f.key, f.value) {
				seen.to = start
				s.keep(seen)
				return nil
			}
		}
		if len(page) < limit {
			s.keep(seen)
			return nil
		}
	}
}

// Firsts is kv.Firsts.Firsts.
func (s *snapshot) Firsts(froms, tos [][]byte, fn func(i int, key, value []byte)) error {
	args := []any{froms, tos}
	return s.read(slowTries*s.db.options.Try, s.db.sql.firsts, args, func(rows pgx.Rows) error {
		var n int
		var key, stored []byte
		if err := rows.Scan(&n, &key, &stored); err != nil {
			return err
		}
		value, err := kv.CutChecksum(key, stored)
		if err == nil {
			fn(n-1, key, value)
		}
		return err
	})
}

// found is a row of a scan.
type found struct {
	key, value []byte
	revision   int64
}

func (s *snapshot) keep(seen span) {
	if s.rows != nil {
		s.spans = append(s.spans, seen)
	}
}

// read sends a query and calls each for its rows. The first one begins the transaction, in the same request.
func (s *snapshot) read(wait time.Duration, text string, args []any, each func(pgx.Rows) error) error {
	if s.err != nil {
		return s.err
	}
	began := time.Now()
	try, cancel := context.WithTimeout(s.ctx, wait)
	defer cancel()
	var bad error // what each has found is not the server's error
	take := func(rows pgx.Rows) error {
		for rows.Next() {
			if bad == nil {
				bad = each(rows)
			}
		}
		return rows.Err()
	}
	if s.conn != nil {
		rows, err := s.conn.Query(try, text, args...)
		if err == nil {
			err = take(rows)
		}
		s.err = reached(err)
	} else {
		s.err = reached(s.first(try, text, args, take))
	}
	if s.err != nil {
		s.db.forget(began, s.err)
		return s.err
	}
	s.db.answered()
	return bad
}

func (s *snapshot) first(ctx context.Context, text string, args []any, take func(pgx.Rows) error) (err error) {
	if s.conn, err = s.db.reads.Acquire(ctx); err != nil {
		return err
	}
	var batch pgx.Batch
	batch.Queue("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
	// A page of a scan follows the index, however little the server knows of a table that has just been filled.
	batch.Queue("SELECT pg_is_in_recovery(), set_config('statement_timeout', $1, true), "+
		"set_config('idle_in_transaction_session_timeout', $2, true), set_config('enable_sort', 'off', true), "+
		"set_config('enable_bitmapscan', 'off', true), set_config('enable_seqscan', 'off', true)",
		milliseconds(slowTries*s.db.options.Try), milliseconds(2*s.db.options.Patience))
	batch.Queue(text, args...)
	results := s.conn.SendBatch(ctx, &batch)
	standby := false
	if _, err = results.Exec(); err == nil {
		err = results.QueryRow().Scan(&standby, nil, nil, nil, nil, nil)
	}
	if err == nil && standby { // a pooler leads where it will, also after a connection to it was found good
		err = errStandby
	}
	var rows pgx.Rows
	if err == nil {
		rows, err = results.Query()
	}
	if err == nil {
		err = take(rows)
	}
	return errors.Join(err, results.Close())
}

var errStandby = errors.New("the server is a standby")

func milliseconds(d time.Duration) string { return fmt.Sprint(d.Milliseconds()) }
