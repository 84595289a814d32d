package pg

import (
	"context"

	"tengen/storage/kv"
)

// fence is a slot as its holder took it. The zero fence holds always.
type fence struct {
	team string
	slot int32
	made int64
}

// fenceOf is the fence under which a transaction is to be made.
func fenceOf(ctx context.Context) fence {
	f, _ := kv.FenceOf(ctx).(fence)
	return f
}
