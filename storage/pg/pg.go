// Package pg is the storage engine on PostgreSQL: the rows of one bot in a schema of their own, with
// optimistic transactions. Many processes may have the same schema open. It knows rows, not what is
// in them. Start from Open.
//
// # Transactions
//
// A closure reads one snapshot, and rows that this process has kept from before. What it read, with the
// revisions, goes to the server together with its writes. The server makes the writes if
// nothing that was read has changed; otherwise the closure runs again. One goroutine sends: it takes all changes that
// wait at that moment, and they are one request and one commit. So that changes have one order, a
// request locks a table until its commit is durable; schema.sql has the functions that do it.
//
// # Requests that nobody answered
//
// A change that was made leaves a receipt, a row of the table changes. Without an answer the sender asks for
// its receipts by a request that writes as well: it raises the sender's epoch, and what was sent under an older
// epoch is not made any more. Reading the receipts would not be enough. A commit whose wait for a standby was
// cancelled can be seen and may still be lost with the server; a commit after it that was acknowledged shows
// that the standby has both.
//
// # Poolers
//
// Nothing hangs on a session: a read is one transaction, a change one statement, and statements have no names.
package pg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"tengen/storage/kv"
)

const (
	writers     = 4               // connections for changes and leases, which must not wait for slow reads
	senderLives = time.Minute     // for which a process is known after its last sign
	dialWait    = 2 * time.Second // for one host, where the address gives no connect_timeout; less than Try
)

// The errors beside those of package kv. They come wrapped.
var (
	errUnknown = errors.New("PostgreSQL did not say whether the change was made")
	errWarned  = errors.New("PostgreSQL made a change and warned of it: it may not be on the standby")
	errVersion = errors.New("the schema is of another tengen")
)

// Options are the choices of Open. Address must be given, the rest may be zero.
type Options struct {
	Address  string // as PostgreSQL's programs take it: postgres://bot@10.0.0.1,10.0.0.2/games, or host=... dbname=...
	Schema   string // one for each bot; empty: tengen
	Password string // empty: that of the address, of PGPASSWORD or of a password file

	Connections int // at most, for reads; 0: 12

	Try      time.Duration // longest wait for one answer; 0: 3 s
	Patience time.Duration // longest time for one View or Update with all its tries; 0: 10 s
	Lease    time.Duration // how long the slots of a process (Join) outlive it; 0: 5 s

	Absent   string // tables (first bytes of keys) whose rows a transaction mostly does not find before it writes them
	Announce []byte // what the other processes on the schema are to know of this one: Processes; nil: nothing

	dial    pgconn.DialFunc // for tests
	cold    bool            // for tests: nothing is cached
	steps   []string        // for tests: those after steps
	counted int             // for tests; 0: counted
}

func (o Options) withDefaults() Options {
	o.Schema = cmp.Or(o.Schema, "tengen")
	o.Connections = cmp.Or(o.Connections, 12)
	o.Try = cmp.Or(o.Try, 3*time.Second)
	o.Patience = cmp.Or(o.Patience, 10*time.Second)
	o.Lease = cmp.Or(o.Lease, 5*time.Second)
	o.counted = cmp.Or(o.counted, counted)
	return o
}

// Check refuses an address or a name of a schema that cannot be used. It connects to nothing.
func (o Options) Check() error {
	if len(o.Schema) > 63 { // PostgreSQL cuts longer names, so that two could be one
		return fmt.Errorf("the name of the schema has %d bytes, and 63 is the most", len(o.Schema))
	}
	_, err := o.withDefaults().config(1)
	return err
}

// Place names the servers and the schema for people, without a password.
func (o Options) Place() string {
	c, err := pgx.ParseConfig(o.Address)
	if err != nil {
		return "an address that cannot be read"
	}
	hosts := []string{c.Host}
	for _, f := range c.Fallbacks {
		if f.Host != hosts[len(hosts)-1] {
			hosts = append(hosts, f.Host)
		}
	}
	return fmt.Sprintf("%s/%s, schema %s", strings.Join(hosts, ","), c.Database, o.withDefaults().Schema)
}

// config is that of a pool of at most so many connections.
func (o Options) config(most int) (*pgxpool.Config, error) {
	c, err := pgxpool.ParseConfig(o.Address)
	if err != nil {
		return nil, unreadable(err)
	}
	c.MaxConns, c.MinConns = int32(most), 0
	conn := c.ConnConfig
	if o.Password != "" {
		conn.Password = o.Password
	}
	if conn.ConnectTimeout == 0 {
		conn.ConnectTimeout = dialWait
	}
	conn.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite // of several hosts the one for writes
	conn.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe               // a pooler knows no statements by name
	if o.dial != nil {
		conn.DialFunc = o.dial
	}
	conn.OnNotice = func(c *pgconn.PgConn, n *pgconn.Notice) {
		if n.SeverityUnlocalized == "WARNING" {
			c.CustomData()[warned] = true
		}
	}
	return c, nil
}

// unreadable says what is wrong with an address and quotes none of it: a password may stand anywhere.
func unreadable(err error) error {
	var address *pgconn.ParseConfigError
	if !errors.As(err, &address) {
		return err
	}
	quote := pgconn.NewParseConfigError(address.ConnString, "", nil).Error()
	why := strings.TrimPrefix(err.Error(), quote)
	if strings.HasPrefix(why, "failed to parse") {
		why = "it is neither postgres://ROLE@HOST/DATABASE nor host=HOST user=ROLE dbname=DATABASE"
	}
	return fmt.Errorf("the address cannot be read: %s", why)
}

// warned is the name, in the data of a connection, of the mark that its server has sent a warning.
const warned = "warned"

// DB is an open store. It is a kv.Engine, safe for use by many goroutines.
type DB struct {
	options       Options
	sql           statements
	reads, writes *pgxpool.Pool
	requests      chan *request
	sender        sender
	cache         cache
	tally         tally

	opened time.Time
	heard  atomic.Int64 // when the servers last answered, in nanoseconds since opened

	mu     sync.Mutex // guards closed, so that runs.Add never follows Close
	closed bool
	life   context.Context
	end    context.CancelFunc
	runs   sync.WaitGroup // what Close waits for
	writer sync.WaitGroup // what it then ends
	quit   chan struct{}
}

// Open connects to the servers, and makes the schema where there is none.
func Open(ctx context.Context, o Options) (*DB, error) {
	if err := o.Check(); err != nil {
		return nil, fmt.Errorf("opening PostgreSQL: %w", err)
	}
	o = o.withDefaults()
	db := &DB{options: o, sql: statementsOf(o.Schema, append(steps, o.steps...)),
		requests: make(chan *request), quit: make(chan struct{}), opened: time.Now()}
	db.life, db.end = context.WithCancel(context.Background())
	for pool, most := range map[**pgxpool.Pool]int{&db.reads: o.Connections, &db.writes: writers} {
		config, err := o.config(most)
		if err == nil {
			*pool, err = pgxpool.NewWithConfig(db.life, config)
		}
		if err != nil {
			db.end()
			return nil, fmt.Errorf("opening PostgreSQL: %w", err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, o.Patience)
	defer cancel()
	err := db.prepare(ctx)
	db.writer.Go(db.write)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening PostgreSQL at %s: %w", o.Place(), err), db.Close())
	}
	return db, nil
}

// Close ends what is running with kv.ErrClosed, waits for it, and disconnects. A second
// one does nothing.
func (db *DB) Close() error {
	db.mu.Lock()
	closed := db.closed
	db.closed = true
	db.mu.Unlock()
	if closed {
		return nil
	}
	db.end()
	db.runs.Wait()
	close(db.quit)
	db.writer.Wait()
	db.leave()
	db.reads.Close()
	db.writes.Close()
	return nil
}

// begin gives the context of one View or Update, which ends with that of the caller,
// with Close, and when patience is over.
func (db *DB) begin(ctx context.Context) (context.Context, func(), error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return nil, nil, kv.ErrClosed
	}
	db.runs.Add(1)
	run, cancel := context.WithTimeout(ctx, db.options.Patience)
	stop := context.AfterFunc(db.life, cancel)
	return run, func() { stop(); cancel(); db.runs.Done() }, nil
}

// View is Engine.View. Its reads are of one snapshot, the newest at the first of them.
func (db *DB) View(ctx context.Context, fn func(kv.Reader) error) error {
	run, done, err := db.begin(ctx)
	if err != nil {
		return err
	}
	defer done()
	var before error // of the tries before the last: that one may only have had no time
	for try := 0; ; try++ {
		s := &snapshot{ctx: run, db: db}
		err := s.run(func() error { return fn(s) })
		if s.err == nil {
			return db.outcome(ctx, err)
		}
		if !s.again() || !pause(run, try) {
			return db.outcome(ctx, errors.Join(s.result(err), before))
		}
		before = s.err
	}
}

// Update is Engine.Update. The first transaction to commit wins, of this process or another,
// and the closures of those that it overtook run again.
func (db *DB) Update(ctx context.Context, fn func(kv.Tx) error) error {
	run, done, err := db.begin(ctx)
	if err != nil {
		return err
	}
	defer done()
	var before error // of the tries before the last: that one may only have had no time
	for try := 0; ; try++ {
		if try > 0 {
			db.tally.reruns.Add(1)
		}
		s := &snapshot{ctx: run, db: db, rows: map[string]row{}, warm: try == 0 && !db.options.cold}
		tx := kv.NewOverlay(s)
		err := s.run(func() error { return fn(tx) })
		switch {
		case s.guessed && (s.wrong || s.err == nil && (tx.Len() == 0 || err != nil)):
			s.unlearn()
			continue
		case s.err != nil && !s.again():
			return db.outcome(ctx, errors.Join(s.result(err), before))
		case s.err != nil: // the result of fn does not count
			before = s.err
		case err != nil || tx.Len() == 0:
			return err
		default:
			made, err := db.commit(run, s, tx)
			if made || err != nil {
				return db.outcome(ctx, err)
			}
			if s.unlearn(); s.guessed {
				continue
			}
		}
		if !pause(run, try) {
			return db.outcome(ctx, errors.Join(s.err, before, run.Err()))
		}
	}
}
