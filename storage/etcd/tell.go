package etcd

import (
	"context"
	"errors"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"

	"tengen/storage/kv"
)

// Watch is kv.Watcher.Watch.
func (db *DB) Watch(ctx context.Context, from, to []byte, fn func(key, value []byte)) error {
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer cancel()
	defer context.AfterFunc(db.life, cancel)()
	events := db.client.Watch(ctx, db.keys.row(from), clientv3.WithRange(db.keys.row(to)), clientv3.WithFilterDelete())
	for resp := range events {
		if err := resp.Err(); err != nil {
			return fmt.Errorf("watching etcd: %w", err)
		}
		for _, e := range resp.Events {
			key := db.keys.plain(e.Kv.Key)
			if value, err := kv.CutChecksum(key, e.Kv.Value); err == nil {
				fn(key, value)
			}
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errors.New("watching etcd: the watch has ended")
}
