package etcd

import (
	"context"
	"errors"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"

	"tengen/storage/kv"
)

// commit sends the writes of tx. When it gives neither made nor an error, the closure must
// run again.
func (db *DB) commit(ctx context.Context, s *snapshot, tx *kv.Overlay) (made bool, err error) {
	guards, puts, size := s.guards(), []clientv3.Op(nil), 0
	gone := map[byte]bool{}
	for key, value := range tx.Writes() {
		full := db.keys.row(key)
		size += len(full) + len(value)
		if value != nil {
			puts = append(puts, clientv3.OpPut(full, string(kv.AddChecksum(key, value))))
			continue
		}
		if r, ok := s.reads[full]; ok && r.revision == 0 {
			continue // the row is absent
		}
		puts = append(puts, clientv3.OpDelete(full))
		if !gone[key[0]] {
			gone[key[0]] = true
			puts = append(puts, clientv3.OpPut(db.keys.gone(key[0]), ""))
		}
	}
	for _, g := range guards {
		size += 2 * len(g.KeyBytes()) // it may have an end, which is about as long
	}
	const receiptOps, overhead = 1, 16 // operations; bytes of an operation beside key and value
	if f, ok := fenceOf(ctx); ok {
		guards = append(guards, f.holds())
		size += len(f.key)
	}
	size += overhead * (len(guards) + len(puts))
	if n := max(len(guards), len(puts)) + receiptOps; n > db.options.MaxOps || size > db.options.MaxBytes {
		return false, fmt.Errorf("%w: %d comparisons and %d writes of %d bytes in all; "+
			"the servers take %d operations (--max-txn-ops) and %d bytes (--max-request-bytes)",
			errLarge, len(guards)+receiptOps, len(puts)+receiptOps, size, db.options.MaxOps, db.options.MaxBytes)
	}
	receipt, err := db.takeReceipt(ctx)
	if err != nil {
		return false, err
	}
	made, err = db.send(ctx, receipt, guards, puts)
	if at := receipt.at; made || err != nil { // with an error it may have been made
		for key, value := range tx.Writes() {
			s.learn(db.keys.row(key), value, at)
		}
	}
	if !errors.Is(err, errUnknown) { // that receipt is left to its lease
		db.receipts.give(receipt)
	}
	return made, err
}

// send makes the request with the receipt in it, and finds out what became of it.
func (db *DB) send(ctx context.Context, receipt *receipt, guards []clientv3.Cmp,
	puts []clientv3.Op) (made bool, err error) {
	receipt.at = 0
	guards = append(guards, receipt.unchanged())
	puts = append(puts, receipt.mark(receipt.next()))
	try, cancel := context.WithTimeout(ctx, db.options.Try)
	defer cancel()
	looks := []clientv3.Op{clientv3.OpGet(receipt.key)}
	f, fenced := fenceOf(ctx)
	if fenced {
		looks = append(looks, f.get())
	}
	resp, err := db.client.Txn(try).If(guards...).Then(puts...).Else(looks...).Commit()
	switch {
	case err == nil && resp.Succeeded:
		receipt.revision, receipt.at = resp.Header.Revision, resp.Header.Revision
		return true, nil
	case err == nil:
		receipt.seen(resp)
		if fenced && !f.stands(resp) {
			return false, kv.ErrFenced
		}
		return false, nil
	case !passing(err):
		return false, err
	}
	return db.resolve(ctx, receipt)
}

// resolve finds out what became of a request without an answer. It changes the receipt that
// the request changes too, so that one of the two is made and the other never will be.
func (db *DB) resolve(ctx context.Context, receipt *receipt) (made bool, err error) {
	sent, probe := receipt.value(), receipt.next()
	err = db.ask(ctx, func(ctx context.Context) error {
		resp, err := db.client.Txn(ctx).If(receipt.unchanged()).Then(receipt.mark(probe)).Else(
			clientv3.OpGet(receipt.key)).Commit()
		if err != nil {
			return err
		}
		if resp.Succeeded {
			receipt.revision = resp.Header.Revision
			return nil
		}
		switch receipt.seen(resp) {
		case sent:
			made = true
			return nil
		case probe: // an earlier try of the probe, which nobody answered either
			return nil
		}
		return errLost
	})
	if err != nil {
		return false, fmt.Errorf("%w: %w", errUnknown, err)
	}
	return made, nil
}
