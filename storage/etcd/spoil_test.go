package etcd

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"tengen/internal/testkit"
	"tengen/storage/etcd/etcdtest"
	"tengen/storage/kv"
)

// spoil stands between a store and the servers. Its function says of a request whether it
// is lost on the way, and whether its answer is.
type spoil struct {
	f atomic.Pointer[func(ctx context.Context, method string, req any) (request, answer bool)]
}

func (s *spoil) by(f func(ctx context.Context, method string, req any) (request, answer bool)) {
	s.f.Store(&f)
}

func (s *spoil) option() []grpc.DialOption {
	gone := status.Error(codes.Unavailable, "the connection broke")
	return []grpc.DialOption{grpc.WithChainUnaryInterceptor(func(ctx context.Context, method string, req, reply any,
		cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		f := s.f.Load()
		if f == nil {
			return invoke(ctx, method, req, reply, cc, opts...)
		}
		request, answer := (*f)(ctx, method, req)
		if request {
			return gone
		}
		if err := invoke(ctx, method, req, reply, cc, opts...); err != nil || !answer {
			return err
		}
		return gone
	})}
}

// TestGivenAgain: a slot whose handing over was not confirmed is handed over later.
func TestGivenAgain(t *testing.T) {
	t.Parallel()
	c := etcdtest.Start(t, 1)
	var s spoil
	one := join(t, c, Options{dial: s.option()})
	one.await(16)
	var lost atomic.Int64
	s.by(func(_ context.Context, _ string, req any) (request, answer bool) {
		if txn, ok := req.(*pb.TxnRequest); ok && txn.Success[0].GetRequestDeleteRange() != nil && lost.Load() < 5 {
			lost.Add(1)
			return true, false
		}
		return false, false
	})
	two := join(t, c, Options{})
	two.await(8)
	one.await(8)
	testkit.Want(t, "requests were lost", lost.Load(), 5)
}

// TestJoinOnce: a process whose joining gets no answer is one member and not two.
func TestJoinOnce(t *testing.T) {
	t.Parallel()
	c := etcdtest.Start(t, 1)
	var s spoil
	var lost atomic.Int64
	s.by(func(_ context.Context, method string, req any) (request, answer bool) {
		_, put := req.(*pb.PutRequest)
		return false, put && lost.Add(1) < 3
	})
	one := join(t, c, Options{dial: s.option()})
	rows, err := one.db.client.Get(t.Context(), one.db.keys.share("x/m/"), clientv3.WithPrefix())
	if err != nil || len(rows.Kvs) != 1 || lost.Load() != 3 {
		t.Errorf("%d members, %d requests, %v", len(rows.Kvs), lost.Load(), err)
	}
	one.await(16)
}

// TestJoinHoldsUpNobody: while a process waits to be let into a group its store goes on.
func TestJoinHoldsUpNobody(t *testing.T) {
	t.Parallel()
	c := etcdtest.Start(t, 1)
	var s spoil
	db := open(t, c, Options{dial: s.option()})
	ctx, end := context.WithCancel(t.Context())
	waits, done := make(chan bool, 16), make(chan error, 1)
	s.by(func(ctx context.Context, method string, _ any) (request, answer bool) {
		if method == "/etcdserverpb.Lease/LeaseGrant" {
			waits <- true
			<-ctx.Done()
			return true, false
		}
		return false, false
	})
	go func() { _, err := db.Join(ctx, group16()); done <- err }()
	<-waits
	read := make(chan error, 1)
	go func() {
		read <- db.View(t.Context(), func(r kv.Reader) error { _, err := r.Get([]byte("k")); return err })
	}()
	select {
	case err := <-read:
		testkit.Check(t, err)
	case <-done:
		t.Error("the group let it in")
	case <-time.After(time.Minute):
		t.Error("nothing can be read meanwhile")
	}
	end()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestSilent: Silent tells for how long no server has answered.
func TestSilent(t *testing.T) {
	t.Parallel()
	c := etcdtest.Start(t, 1)
	one := join(t, c, Options{})
	one.await(16)
	silent := func(longer bool, than time.Duration) {
		t.Helper()
		for end := time.Now().Add(time.Minute); one.db.Silent() > than != longer; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("silent for %v", one.db.Silent())
			}
		}
	}
	silent(false, 100*time.Millisecond)
	c.Kill(t, 0)
	silent(true, 1500*time.Millisecond)
	c.Restart(t, 0)
	silent(false, 100*time.Millisecond)
}
