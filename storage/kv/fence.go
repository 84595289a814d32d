package kv

import (
	"context"
	"errors"
)

// ErrFenced says that a transaction was not made because its fence did not hold any more.
var ErrFenced = errors.New("the lease that the change needs is over")

// Fence is what must still hold for a transaction to be made. Each engine that is shared
// has its own, made by its leases; the others take no notice of it.
type Fence any

type fenceKey struct{}

// Under gives a context whose Updates are made only while the fence holds. The fence is in
// the context so that the functions on the way need not know of it.
func Under(ctx context.Context, f Fence) context.Context {
	return context.WithValue(ctx, fenceKey{}, f)
}

// FenceOf is the fence of a context, nil for none. It is for engines.
func FenceOf(ctx context.Context) Fence { return ctx.Value(fenceKey{}) }
