package etcd

import (
	"context"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// heart keeps leases alive on one stream, beat by beat, so that it is known from when on a
// lease lives. KeepAliveOnce of the client opens a stream each time, and asks for a token
// with each where there is a password, for which the servers take a tenth of a second of
// a core on purpose.
type heart struct {
	db     *DB
	stream pb.Lease_LeaseKeepAliveClient // nil: none yet, or broken
	stop   context.CancelFunc            // of the stream
}

// beat renews a lease and gives for how long it lives from then on; 0 where it is over.
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
