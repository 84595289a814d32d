package etcd

import (
	"context"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"tengen/internal/testkit"
	"tengen/storage/etcd/etcdtest"
	"tengen/storage/storagetest"
)

// TestAnswerAfterCompaction: Answer goes on when its connection breaks after the servers
// have compacted the revision at which it began to listen.
func TestAnswerAfterCompaction(t *testing.T) {
	t.Parallel()
	c := etcdtest.Start(t, 1)
	one, two := open(t, c), open(t, c)
	ctx, end := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- one.Answer(ctx, "echo", func(q []byte) []byte { return q }) }()
	ask := func(what string) {
		t.Helper()
		for until := time.Now().Add(time.Minute); ; {
			try, cancel := context.WithTimeout(ctx, 5*time.Second)
			got, err := two.Ask(try, "echo", []byte(what))
			cancel()
			if err == nil && string(got) == what {
				return
			}
			select {
			case err := <-done:
				t.Fatalf("the answering ended: %v", err)
			default:
			}
			if time.Now().After(until) {
				t.Fatalf("%q, %v", got, err)
			}
		}
	}
	ask("before")
	var last int64
	for n := range 20 {
		storagetest.Put(t, two, "other", []byte{byte(n)})
	}
	if resp, err := two.client.Get(ctx, "x"); err == nil {
		last = resp.Header.Revision
	}
	testkit.Got(two.client.Compact(ctx, last, clientv3.WithCompactPhysical()))
	c.Kill(t, 0)
	c.Restart(t, 0)
	ask("after")
	end()
	<-done
}

// TestAskIsPrompt: an answer comes when it is given, and not when a server next looks for what
// a watch missed, which each server does every tenth of a second. The quickest of some shows
// it on a machine with other work.
func TestAskIsPrompt(t *testing.T) {
	t.Parallel()
	c := etcdtest.Start(t, 1)
	one, two := open(t, c), open(t, c)
	ctx, end := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- one.Answer(ctx, "echo", func(q []byte) []byte { return q }) }()
	quickest := time.Minute
	for range 20 {
		began := time.Now()
		testkit.Got(two.Ask(t.Context(), "echo", []byte("?")))
		quickest = min(quickest, time.Since(began))
	}
	end()
	<-done
	if quickest > 30*time.Millisecond {
		t.Errorf("the quickest of 20 answers took %v", quickest)
	}
}
