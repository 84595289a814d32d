package etcd

import (
	"context"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// heart keeps leases alive on one stream, beat by beat, so that a share knows from what time
// on its lease lives. The client's KeepAliveOnce opens a stream each time and, where there
// is a password, asks for a token with each: that costs the servers a tenth of a second of
// a core, on purpose.
type heart struct {
	db     *DB
	stream pb.Lease_LeaseKeepAliveClient // nil: none yet, or broken
	stop   context.CancelFunc            // of the stream
}

// beat renews a lease and gives how long it lives from now on; 0 for a lease that is over.
func (h *heart) beat(life context.Context, id clientv3.LeaseID) (lives time.Duration, err error) {
	defer func() {
		if err != nil {
			h.stop()
			h.stream = nil
		}
	}()
	if h.stream == nil {
		life, h.stop = context.WithCancel(life)
		slow := time.AfterFunc(h.db.options.Lease/2, h.stop) // a token takes long at busy servers
		h.stream, err = pb.NewLeaseClient(h.db.client.ActiveConnection()).LeaseKeepAlive(life)
		slow.Stop()
		if err != nil {
			return 0, err
		}
	}
	// Not Try: a stream that is given up too early costs another one.
	defer time.AfterFunc(h.db.options.Lease*3/10, h.stop).Stop()
	if err := h.stream.Send(&pb.LeaseKeepAliveRequest{ID: int64(id)}); err != nil {
		return 0, err
	}
	resp, err := h.stream.Recv()
	if err != nil {
		return 0, err
	}
	return time.Duration(resp.TTL) * time.Second, nil
}
