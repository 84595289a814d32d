package etcd

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"tengen/storage/kv"
)

const (
	shortPause = time.Millisecond // before a second try; doubled for each further one
	longPause  = 64 * time.Millisecond
)

// ask asks until there is an answer or ctx ends. It may ask twice: question must allow that.
func (db *DB) ask(ctx context.Context, question func(context.Context) error) error {
	return db.askFor(ctx, db.options.Try, question)
}

// askFor is ask with another wait for each answer.
func (db *DB) askFor(ctx context.Context, wait time.Duration, question func(context.Context) error) error {
	for n := 0; ; n++ {
		try, cancel := context.WithTimeout(ctx, wait)
		err := question(try)
		cancel()
		if err == nil {
			db.answered()
		}
		if err == nil || again(err) || !passing(err) && err != errRenew || !pause(ctx, n) {
			return err
		}
	}
}

// again says that the revision asked for cannot be had: only another one helps.
func again(err error) bool {
	return errors.Is(err, rpctypes.ErrCompacted) || errors.Is(err, rpctypes.ErrFutureRev)
}

// passing says that the next try may go well, with another server.
func passing(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) || again(err) {
		return true
	}
	code, ok := codeOf(err)
	if !ok {
		return false
	}
	switch code {
	case codes.DeadlineExceeded, codes.Unavailable, codes.Canceled, codes.Aborted, codes.Internal,
		codes.Unknown: // servers of 3.4 say so of a change that they could not finish in time
		return true
	case codes.ResourceExhausted:
		return errors.Is(err, rpctypes.ErrTooManyRequests)
	}
	return false
}

// Unreachable reports whether an error says that the servers could not be reached, or not in
// time: the same may go well later.
func Unreachable(err error) bool { return passing(err) }

// codeOf is the gRPC code of an error of etcd or of the connection to it.
func codeOf(err error) (codes.Code, bool) {
	var e rpctypes.EtcdError
	if errors.As(err, &e) {
		return e.Code(), true
	}
	var s interface{ GRPCStatus() *status.Status }
	if errors.As(err, &s) {
		return s.GRPCStatus().Code(), true
	}
	return codes.OK, false
}

// pause waits for a random moment, so that two processes seldom meet again; false when ctx
// ends. n counts the tries so far.
func pause(ctx context.Context, n int) bool {
	longest := longPause
	if n < 6 {
		longest = shortPause << n
	}
	timer := time.NewTimer(longest/2 + rand.N(longest))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// outcome words an error for the caller of View or Update.
func (db *DB) outcome(caller context.Context, err error) error {
	_, theirs := codeOf(err)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, rpctypes.ErrNoSpace):
		return fmt.Errorf("%w: %w", kv.ErrFull, err)
	case !theirs && !passing(err) && !errors.Is(err, errUnknown):
		return err // the closure's own
	case caller.Err() != nil:
		return fmt.Errorf("%w: %w", caller.Err(), err)
	case db.life.Err() != nil:
		return fmt.Errorf("%w: %w", kv.ErrClosed, err)
	}
	return fmt.Errorf("asking etcd: %w", err)
}
