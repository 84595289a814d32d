package etcd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// A remote call is a question to whichever process answers questions of its kind. Question and
// answer are rows of the cluster, so that processes need no connection to one another. Each
// row hangs on the lease of the process that wrote it.

// errNobody says that no process has answered.
var errNobody = errors.New("no other process answers")

// Ask sends a question and waits for its answer until ctx ends. An answer of no bytes is nil.
func (db *DB) Ask(ctx context.Context, kind string, question []byte) ([]byte, error) {
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer cancel()
	receipt, err := db.takeReceipt(ctx) // its key names this process, and it has a lease
	if err != nil {
		return nil, err
	}
	defer db.receipts.give(receipt)
	lease, _ := db.receipts.name()
	if lease == 0 {
		return nil, errNobody // the lease was lost this moment, and rows without one would stay
	}
	name := strings.TrimPrefix(receipt.key, db.keys.receipt("")) + "/" + strconv.FormatInt(db.remoteCalls.Add(1), 36)
	ask, answer := db.keys.remoteCall(kind+"/q/"+name), db.keys.remoteCall(kind+"/a/"+name)
	// The watch begins before the question is asked. A server looks only every tenth of a
	// second for what a watch missed.
	watch := db.client.Watch(ctx, answer, clientv3.WithCreatedNotify())
	if resp, ok := <-watch; !ok || resp.Err() != nil {
		return nil, fmt.Errorf("waiting for an answer: %w", cmp.Or(resp.Err(), ctx.Err(), errNobody))
	}
	err = db.ask(ctx, func(ctx context.Context) error {
		_, err := db.client.Put(ctx, ask, string(question), clientv3.WithLease(lease))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("asking another process: %w", err)
	}
	defer func() {
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), db.options.Try)
		defer cancel()
		_, _ = db.client.Txn(late).Then(clientv3.OpDelete(ask), clientv3.OpDelete(answer)).Commit()
	}()
	for resp := range watch {
		for _, e := range resp.Events {
			if e.Type == clientv3.EventTypePut {
				return e.Kv.Value, nil
			}
		}
	}
	return nil, errNobody
}

// Answer answers questions of a kind until ctx ends or there is an error that does not
// pass. Questions that were asked before the call are answered too.
func (db *DB) Answer(ctx context.Context, kind string, answer func(question []byte) []byte) error {
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer cancel()
	defer context.AfterFunc(db.life, cancel)()
	prefix := db.keys.remoteCall(kind + "/q/")
	reply := func(key, question []byte) {
		try, cancel := context.WithTimeout(ctx, db.options.Patience)
		defer cancel()
		receipt, err := db.takeReceipt(try)
		if err != nil {
			return
		}
		db.receipts.give(receipt)
		lease, _ := db.receipts.name()
		if lease == 0 {
			return
		}
		to := db.keys.remoteCall(kind + "/a/" + string(key[len(prefix):]))
		_, _ = db.client.Txn(try).If(clientv3.Compare(clientv3.CreateRevision(string(key)), ">", 0)). // still asked
														Then(clientv3.OpPut(to, string(answer(question)), clientv3.WithLease(lease))).Commit()
	}
	room := make(chan struct{}, 16)
	serve := func(key, question []byte) {
		room <- struct{}{}
		db.mu.Lock()
		defer db.mu.Unlock()
		if db.closed {
			<-room
			return
		}
		db.runs.Go(func() { defer func() { <-room }(); reply(key, question) })
	}
	for n := 0; ; n++ {
		var standing *clientv3.GetResponse
		err := db.ask(ctx, func(ctx context.Context) (err error) {
			standing, err = db.client.Get(ctx, prefix, clientv3.WithPrefix())
			return err
		})
		if err != nil {
			return fmt.Errorf("looking for questions: %w", err)
		}
		for _, row := range standing.Kvs {
			serve(row.Key, row.Value)
		}
		for resp := range db.client.Watch(ctx, prefix, clientv3.WithPrefix(), clientv3.WithFilterDelete(),
			clientv3.WithRev(standing.Header.Revision+1)) {
			if err = resp.Err(); err != nil {
				break
			}
			for _, e := range resp.Events {
				serve(e.Kv.Key, e.Kv.Value)
			}
		}
		// The client repairs a broken connection by itself. It cannot where the servers have
		// compacted the revision at which the watch began, or had no leader for a while.
		if err == nil || !passing(err) || !pause(ctx, n) {
			return fmt.Errorf("waiting for questions: %w", errors.Join(err, ctx.Err()))
		}
	}
}
