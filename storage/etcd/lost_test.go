package etcd

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"tengen/internal/testkit"
	"tengen/storage/etcd/etcdtest"
	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

// TestLostAnswers loses requests, their answers, or lets them arrive late, and counts.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	c := etcdtest.Start(t, 1)
	if want, got, l := count(t, c); got != want {
		t.Errorf("the counters hold %d after %d additions (%d requests lost, %d answers, %d late)", got, want,
			l.requests.Load(), l.answers.Load(), l.late.Load())
	} else {
		t.Logf("%d additions; lost: %d requests, %d answers; late: %d", want, l.requests.Load(),
			l.answers.Load(), l.late.Load())
	}
}

func count(t *testing.T, c *etcdtest.Cluster) (want, got uint64, l *losses) {
	const workers, each, keys = 8, 60, 4
	l = &losses{}
	// Only losses makes answers fail: a slow machine must not end a try or an addition.
	db := open(t, c, Options{Try: time.Minute, Patience: time.Hour,
		dial: []grpc.DialOption{grpc.WithChainUnaryInterceptor(l.intercept)}})
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range each {
				testkit.Check(t, add(t.Context(), db, fmt.Appendf(nil, "counter%d", (w+i)%keys)))
			}
		})
	}
	wg.Wait()
	l.off.Store(true)
	l.wait.Wait()
	for k := range keys {
		n, _ := binary.Uvarint(storagetest.Get(t, db, fmt.Appendf(nil, "counter%d", k)))
		got += n
	}
	return workers * each, got, l
}

// add adds one to a counter.
func add(ctx context.Context, db *DB, key []byte) error {
	return db.Update(ctx, func(tx kv.Tx) error {
		v, err := tx.Get(key)
		if err != nil {
			return err
		}
		n, _ := binary.Uvarint(v)
		return tx.Put(key, binary.AppendUvarint(nil, n+1))
	})
}

// losses spoils about every third transaction in one of three ways.
type losses struct {
	requests, answers, late atomic.Int64
	off                     atomic.Bool
	wait                    sync.WaitGroup
}

func (l *losses) intercept(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn,
	invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	n := rand.IntN(9)
	if method != "/etcdserverpb.KV/Txn" || n >= 3 || l.off.Load() {
		return invoke(ctx, method, req, reply, cc, opts...)
	}
	gone := status.Error(codes.Unavailable, "the connection broke")
	switch n {
	case 0:
		l.requests.Add(1)
	case 1:
		l.answers.Add(1)
		_ = invoke(ctx, method, req, reply, cc, opts...)
	case 2:
		l.late.Add(1)
		late := context.WithoutCancel(ctx)
		into := new(pb.TxnResponse)
		l.wait.Go(func() {
			ctx, cancel := context.WithTimeout(late, 5*time.Second)
			defer cancel()
			_ = invoke(ctx, method, req, into, cc) // opts would write to what the caller has by now
		})
	}
	return gone
}
