package pg

import (
	"context"
	"sync/atomic"
	"time"
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
