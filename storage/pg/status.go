package pg

import (
	"context"
	"sync/atomic"
	"time"

	"tengen/storage/kv"
)

// Status is how the store fares, for its operator.
type Status struct {
	Answered    bool  // the server has said the next two
	Bytes       int64 // of all tables with their indexes
	Synchronous bool  // a commit waits for a standby

	Reruns  int64         // closures that ran again, since what they had read was changed or there was no answer
	Settled int64         // batches whose answer was lost
	Waits   int64         // requests that waited for a connection
	Waited  time.Duration // all of these together
	InUse   int           // connections at work
}

// tally counts what goes on in a DB.
type tally struct{ reruns, settled atomic.Int64 }

// statusWait is how long Status waits for the server.
const statusWait = time.Second

// Status asks the server, and gives what this process knows without it where there is no answer.
func (db *DB) Status(ctx context.Context) Status {
	ctx, cancel := context.WithTimeout(ctx, statusWait)
	defer cancel()
	s := Status{Reruns: db.tally.reruns.Load(), Settled: db.tally.settled.Load()}
	s.Answered = db.reads.QueryRow(ctx, db.sql.status, db.options.Schema).Scan(&s.Bytes, &s.Synchronous) == nil
	reads, writes := db.reads.Stat(), db.writes.Stat()
	s.Waits = reads.EmptyAcquireCount() + writes.EmptyAcquireCount()
	s.Waited = reads.EmptyAcquireWaitTime() + writes.EmptyAcquireWaitTime()
	s.InUse = int(reads.AcquiredConns() + writes.AcquiredConns())
	return s
}

// counted is up to how many rows of a table are counted, by the index alone, which takes a tenth of a second. The
// statistics divide all rows into a hundred ranges, so they know a small table badly.
const counted = 1_000_000

// Count is kv.Engine.Count. Of a large table the server's statistics tell, which its autovacuum renews.
func (db *DB) Count(ctx context.Context, table byte) (rows int64, exact bool, err error) {
	run, done, err := db.begin(ctx)
	if err != nil {
		return 0, false, err
	}
	defer done()
	from, to := []byte{table}, kv.After([]byte{table})
	if to == nil {
		to = end
	}
	err = db.ask(run, func(ctx context.Context) error {
		return db.reads.QueryRow(ctx, db.sql.count, from, to, db.options.counted+1).Scan(&rows)
	})
	if err != nil || rows <= int64(db.options.counted) {
		return rows, true, db.outcome(ctx, err)
	}
	var plan []struct {
		Plan struct {
			Rows int64 `json:"Plan Rows"`
		}
	}
	err = db.ask(run, func(ctx context.Context) error {
		return db.reads.QueryRow(ctx, db.sql.about, from, to).Scan(&plan)
	})
	if err == nil && len(plan) == 1 {
		rows = max(rows, plan[0].Plan.Rows)
	}
	return rows, false, db.outcome(ctx, err)
}
