package etcd

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// leaseSeconds is how long the receipts of a process outlive it.
const leaseSeconds = 60

// receipt is a row that one sender at a time changes with each of its requests.
type receipt struct {
	key      string
	revision int64 // of its last change; 0: it is gone with its lease
	count    int   // of the values that requests gave it
	at       int64 // the revision of its last request; 0: not made, or not known
}

func (s *receipt) unchanged() clientv3.Cmp {
	return clientv3.Compare(clientv3.ModRevision(s.key), "=", s.revision)
}

func (s *receipt) mark(value string) clientv3.Op {
	return clientv3.OpPut(s.key, value, clientv3.WithIgnoreLease())
}

func (s *receipt) value() string { return strconv.Itoa(s.count) }
func (s *receipt) next() string  { s.count++; return s.value() }

// seen notes the receipt as a refused request found it, and gives its value.
func (s *receipt) seen(resp *clientv3.TxnResponse) string {
	s.revision = 0
	rows := resp.Responses[0].GetResponseRange().Kvs
	if len(rows) == 0 {
		return ""
	}
	s.revision = rows[0].ModRevision
	return string(rows[0].Value)
}

// receipts are the unused receipts of this process, and their lease.
type receipts struct {
	renewing chan struct{} // holds one while somebody asks for a lease

	mu    sync.Mutex
	lease clientv3.LeaseID // 0: none yet, or lost
	free  []*receipt
	made  int
}

func (ss *receipts) give(s *receipt) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if s.revision != 0 {
		ss.free = append(ss.free, s)
	}
}

func (ss *receipts) pop() *receipt {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	n := len(ss.free)
	if n == 0 {
		return nil
	}
	s := ss.free[n-1]
	ss.free = ss.free[:n-1]
	return s
}

// name gives the lease, 0 for none, and a key for a new receipt.
func (ss *receipts) name() (clientv3.LeaseID, string) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.made++
	return ss.lease, fmt.Sprintf("%x/%d", ss.lease, ss.made)
}

// swap puts lease in the place of the lease old, unless that was replaced already.
func (ss *receipts) swap(old, lease clientv3.LeaseID) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if ss.lease == old {
		ss.lease, ss.free = lease, nil
	}
}

// takeReceipt gives a free receipt, or makes one.
func (db *DB) takeReceipt(ctx context.Context) (s *receipt, err error) {
	if s := db.receipts.pop(); s != nil {
		return s, nil
	}
	err = db.ask(ctx, func(ctx context.Context) error {
		lease, name := db.receipts.name()
		if lease == 0 {
			if err := db.renew(ctx); err != nil {
				return err
			}
			lease, name = db.receipts.name()
		}
		s = &receipt{key: db.keys.receipt(name)}
		resp, err := db.client.Put(ctx, s.key, s.value(), clientv3.WithLease(lease))
		if errors.Is(err, rpctypes.ErrLeaseNotFound) {
			db.receipts.swap(lease, 0)
			return errRenew
		}
		if err == nil {
			s.revision = resp.Header.Revision
		}
		return err
	})
	return s, err
}

// The errors of a process that the servers did not hear of for as long as its lease.
var (
	errRenew = errors.New("the lease has ended, another is needed")
	errLost  = errors.New("the lease has ended, and the receipt is gone with it")
)

// renew gets a lease that lives as long as db does, unless there is one.
func (db *DB) renew(ctx context.Context) error {
	select {
	case db.receipts.renewing <- struct{}{}:
		defer func() { <-db.receipts.renewing }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if lease, _ := db.receipts.name(); lease != 0 {
		return nil
	}
	lease, err := db.client.Grant(ctx, leaseSeconds)
	if err != nil {
		return err
	}
	if db.options.Announce != nil { // before the first receipt: no process writes that is not known
		name := fmt.Sprintf("%x/%s", lease.ID, announced)
		if _, err := db.client.Put(ctx, db.keys.receipt(name), string(db.options.Announce),
			clientv3.WithLease(lease.ID)); err != nil {
			return err
		}
	}
	alive, err := db.client.KeepAlive(db.life, lease.ID)
	if err != nil {
		return err
	}
	db.runs.Go(func() {
		for range alive { // until the lease or db ends
		}
	})
	db.receipts.swap(0, lease.ID)
	return nil
}

// announced is the name, among the receipts of a process, of the row that it announces itself by.
const announced = "program"

// Processes gives what each process on the prefix has announced, and nil for each that has announced
// nothing. A process is there that has written, or holds a share, until its lease is over.
func (db *DB) Processes(ctx context.Context) (all [][]byte, err error) {
	run, done, err := db.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	var receipts, shares *clientv3.GetResponse
	err = db.ask(run, func(ctx context.Context) (err error) {
		if receipts, err = db.client.Get(ctx, db.keys.receipt(""), clientv3.WithPrefix()); err == nil {
			shares, err = db.client.Get(ctx, db.keys.share(""), clientv3.WithPrefix())
		}
		return err
	})
	if err != nil {
		return nil, db.outcome(ctx, err)
	}
	leases := map[string][]byte{}
	for _, row := range receipts.Kvs {
		lease, name, _ := strings.Cut(strings.TrimPrefix(string(row.Key), db.keys.receipt("")), "/")
		if leases[lease] == nil {
			leases[lease] = nil // a receipt alone announces nothing
		}
		if name == announced {
			leases[lease] = row.Value
		}
	}
	for _, announcement := range leases {
		all = append(all, announcement)
	}
	for _, row := range shares.Kvs {
		parts := strings.Split(strings.TrimPrefix(string(row.Key), db.keys.share("")), "/")
		if len(parts) == 3 && parts[1] == "m" { // keys.go
			all = append(all, row.Value)
		}
	}
	for i, announcement := range all {
		if len(announcement) == 0 {
			all[i] = nil
		}
	}
	return all, nil
}

// leave deletes the receipts by revoking their lease. Where that fails the lease ends by itself.
func (db *DB) leave() {
	if db.receipts.lease == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), min(db.options.Try, time.Second))
	defer cancel()
	_, _ = db.client.Revoke(ctx, db.receipts.lease)
}
