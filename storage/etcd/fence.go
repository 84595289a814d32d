package etcd

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"

	"tengen/storage/kv"
)

// fence is the row of a slot, as its holder made it.
type fence struct {
	key  string
	made int64 // revision
}

func withFence(ctx context.Context, f fence) context.Context { return kv.Under(ctx, f) }

// fenceOf is the fence under which a transaction is to be made, if any.
func fenceOf(ctx context.Context) (f fence, ok bool) {
	f, ok = kv.FenceOf(ctx).(fence)
	return f, ok
}

func (f fence) holds() clientv3.Cmp {
	return clientv3.Compare(clientv3.CreateRevision(f.key), "=", f.made)
}

func (f fence) get() clientv3.Op { return clientv3.OpGet(f.key, clientv3.WithKeysOnly()) }

// stands says whether a refused request found the fence's row as its holder made it.
func (f fence) stands(resp *clientv3.TxnResponse) bool {
	rows := resp.Responses[1].GetResponseRange().Kvs
	return len(rows) > 0 && rows[0].CreateRevision == f.made
}
