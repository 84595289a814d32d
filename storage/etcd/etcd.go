// Package etcd is the storage engine for more than one machine: the rows of one bot
// under a prefix of an etcd cluster, with optimistic transactions. Many processes may
// have the same prefix open. It knows rows, not what is in them. Start from Open.
//
// # Transactions
//
// A closure reads one revision of the cluster, that of its first read, and remembers
// what it read. Its writes are sent as one request, which etcd makes only if nothing that
// the closure read has changed since; otherwise the closure runs again. One comparison over
// the range of a Scan finds changed and new rows. Deleted rows are found by a comparison of
// each row or, for long scans, by a mark of the table (first byte of the key): every
// transaction that deletes a row sets the mark of its table.
//
// # Requests that nobody answered
//
// When a server dies the client cannot know whether its last request was made. So each
// request also changes a row of its sender, a receipt, and is made only if the receipt is as
// the sender left it. Without an answer the sender changes the receipt by a request of its
// own: if that one is made, the first was not made and never will be, and the closure may
// run again; if not, the receipt says that the first was made. No write is made twice.
//
// # Limits
//
// A transaction is one request, which etcd limits to 128 comparisons, 128 writes and
// 1.5 MiB unless its servers were started with --max-txn-ops and --max-request-bytes.
// One that is larger is refused and changes nothing: it is never split,
// since the parts would not be made together.
package etcd

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"

	"tengen/storage/kv"
)

const (
	dialTimeout = 3 * time.Second
	keepAlive   = 10 * time.Second // after so long without a sign a connection is tried; gRPC allows no less
	aliveWait   = 1 * time.Second  // for the answer to that try, and for the other machine to take what is sent
)

// The errors beside those of package kv. They come wrapped.
var (
	errLarge   = errors.New("transaction too large for etcd")
	errUnknown = errors.New("etcd did not say whether the change was made")
)

// Options are the choices of Open. Endpoints must be given, the rest may be zero.
type Options struct {
	Endpoints []string // such as http://10.0.0.1:2379; all members of the cluster
	Prefix    string   // of the keys, one for each bot; empty: tengen
	User      string   // empty: no authentication
	Password  string
	TLS       *tls.Config // for https endpoints; nil: what the system trusts

	Try      time.Duration // longest wait for one answer; 0: 0.7 s
	Patience time.Duration // longest time for one View or Update with all its tries; 0: 10 s
	Lease    time.Duration // how long the slots of a process (Join) outlive it; whole seconds; 0: 5 s

	Absent string // tables (first bytes of keys) whose rows a transaction mostly does not find before it writes them

	MaxOps   int // operations that the servers take in a request, their --max-txn-ops; 0: 128
	MaxBytes int // bytes of a request, their --max-request-bytes; 0: 1.5 MiB

	Announce []byte // what the other processes on the prefix are to know of this one: Processes; nil: nothing

	Quota int64 // bytes of a server's file, its --quota-backend-bytes; servers from 3.6 on report it; 0: 2 GiB

	dial []grpc.DialOption // for tests
	cold bool              // for tests: nothing is cached
}

func (o Options) withDefaults() (Options, error) {
	if len(o.Endpoints) == 0 {
		return o, errors.New("no endpoints")
	}
	o.Prefix = strings.TrimSuffix(o.Prefix, "/")
	if o.Prefix == "" {
		o.Prefix = "tengen"
	}
	for _, c := range []byte(o.Prefix) {
		if c <= ' ' || c >= 0x7F {
			return o, fmt.Errorf("prefix %q: only visible ASCII characters, please", o.Prefix)
		}
	}
	if o.Try == 0 {
		o.Try = 700 * time.Millisecond
	}
	if o.Patience == 0 {
		o.Patience = 10 * time.Second
	}
	if o.Lease == 0 {
		o.Lease = 5 * time.Second
	}
	if o.Quota == 0 {
		o.Quota = 2 << 30
	}
	if o.MaxOps == 0 {
		o.MaxOps = 128
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 3 << 19
	}
	return o, nil
}

// DB is an open store. It is a kv.Engine, safe for use by many goroutines.
type DB struct {
	options     Options
	client      *clientv3.Client
	keys        keys
	receipts    receipts
	cache       cache
	remoteCalls atomic.Int64 // questions asked
	watch       watch

	opened time.Time
	heard  atomic.Int64 // when the servers last answered, in nanoseconds since opened

	mu     sync.Mutex // guards closed, so that runs.Add never follows Close
	closed bool
	life   context.Context
	end    context.CancelFunc
	runs   sync.WaitGroup
}

// Open connects to the cluster and asks it for one answer.
func Open(ctx context.Context, options Options) (*DB, error) {
	options, err := options.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("opening etcd: %w", err)
	}
	where := strings.Join(options.Endpoints, ",")
	config := clientv3.Config{
		Endpoints: options.Endpoints, Username: options.User, Password: options.Password, TLS: options.TLS,
		DialTimeout: dialTimeout, DialKeepAliveTime: keepAlive, DialKeepAliveTimeout: aliveWait,
		MaxCallSendMsgSize: max(2<<20, options.MaxBytes+options.MaxBytes/4),
		DialOptions:        options.dial,
		Logger:             zap.NewNop(), // what matters comes back as an error
	}
	wait, cancel := context.WithTimeout(ctx, options.Patience)
	defer cancel()
	client, err := clientv3.New(config)
	for n := 0; err != nil && passing(err) && pause(wait, n); n++ {
		config.DialTimeout *= 2 // where there is a password it asks for a token, which takes long at busy servers
		client, err = clientv3.New(config)
	}
	if err != nil {
		return nil, fmt.Errorf("opening etcd at %s: %w", where, err)
	}
	db := &DB{options: options, client: client, keys: keys{options.Prefix + "/"}, opened: time.Now()}
	db.receipts.renewing = make(chan struct{}, 1)
	db.life, db.end = context.WithCancel(context.Background())
	err = db.View(ctx, func(r kv.Reader) error {
		_, err := r.Get([]byte{0})
		return err
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening etcd at %s: %w", where, err), db.Close())
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
	db.leave()
	if err := db.client.Close(); err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("closing etcd: %w", err)
	}
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

// View is Engine.View. Its reads are of one revision, the newest at the first of them.
func (db *DB) View(ctx context.Context, fn func(kv.Reader) error) error {
	run, done, err := db.begin(ctx)
	if err != nil {
		return err
	}
	defer done()
	for try := 0; ; try++ {
		s := &snapshot{ctx: run, db: db}
		err := fn(s)
		if s.err == nil || !s.again() {
			return db.outcome(ctx, s.result(err))
		}
		if !pause(run, try) {
			return db.outcome(ctx, s.err)
		}
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
	for try := 0; ; try++ {
		s := &snapshot{ctx: run, db: db, reads: map[string]row{}, warm: try == 0 && !db.options.cold}
		tx := kv.NewOverlay(s)
		err := s.run(fn, tx)
		switch {
		case s.guessed && (s.wrong || s.err == nil && (err != nil || tx.Len() == 0)):
			s.unlearn()
			continue
		case s.err != nil && !s.again():
			return db.outcome(ctx, s.result(err))
		case s.err != nil: // the result of fn does not count
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
			return db.outcome(ctx, errors.Join(s.err, run.Err()))
		}
	}
}
