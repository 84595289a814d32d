package storage

import (
	"context"
	"time"

	"tengen/storage/codec"
	"tengen/storage/kv"
)

// A server is welcomed when the bot comes there. A program that has just been brought up to date finds servers that
// an older one came to, and welcomes none of them: the store keeps since when servers are welcomed.

var welcomesRow = metaKey("welcomes")

// WelcomesSince is when a program that welcomes servers first ran on the store: now, where none did.
func (s *Store) WelcomesSince(ctx context.Context, now time.Time) (since time.Time, err error) {
	known, err := lookAt[moment](ctx, s, welcomesRow)
	if err != nil || !known.time.IsZero() && !isAhead(known.time, now) {
		return known.time, err
	}
	err = s.kv.Update(ctx, func(tx kv.Tx) error {
		was, err := get[moment](tx, welcomesRow)
		if since = was.time; err != nil || !since.IsZero() && !isAhead(since, now) { // another process was first
			return err
		}
		since = millis(now.UnixMilli())
		return tx.Put(welcomesRow, codec.Encode(moment{since}))
	})
	return since, err
}
