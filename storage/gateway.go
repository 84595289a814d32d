package storage

import (
	"bytes"
	"context"
	"time"

	"tengen/storage/codec"
	"tengen/storage/kv"
)

// Session is a connection to Discord's gateway that can be taken up where it was left, by
// this process or another one.
type Session struct {
	ID  string // empty: none
	Seq int64  // of the last event that was dealt with
	URL string // where Discord wants it taken up
}

func (v *Session) Fields(f *codec.Fields) {
	f.Format(1, 1)
	f.Signed(&v.Seq)
	f.Text("", &v.ID, codec.AnyLength)
	f.Text("", &v.URL, codec.AnyLength)
}

// moment is a time, such as until when nobody else may identify.
type moment struct{ time time.Time }

func (v *moment) Fields(f *codec.Fields) {
	f.Format(1, 1)
	f.Time("", &v.time)
}

// sessionKey is the row of one shard of so many; turnKey that of a bucket of shards, of
// which one may identify at a time.
func sessionKey(shards, shard int) []byte { return key(tSession, uint64(shards), uint64(shard)) }
func turnKey(bucket int) []byte           { return key(tTurn, uint64(bucket)) }

// Session gives what was kept of a shard's connection; the zero value where nothing was.
func (s *Store) Session(ctx context.Context, shards, shard int) (Session, error) {
	return lookAt[Session](ctx, s, sessionKey(shards, shard))
}

// SetSession keeps a shard's connection; the zero value forgets it.
func (s *Store) SetSession(ctx context.Context, shards, shard int, v Session) error {
	return s.kv.Update(ctx, func(tx kv.Tx) error {
		if v.ID == "" {
			return tx.Delete(sessionKey(shards, shard))
		}
		return tx.Put(sessionKey(shards, shard), codec.Encode(v))
	})
}

// TakeTurn takes the turn of a bucket, which is the right to identify one of its shards to the gateway, from
// now until hold is over, for all processes on the store. Where another process has the turn it gives the time
// at which that turn ends.
func (s *Store) TakeTurn(ctx context.Context, bucket int, now time.Time,
	hold time.Duration) (free time.Time, err error) {
	err = s.kv.Update(ctx, func(tx kv.Tx) error {
		free = time.Time{}
		taken, err := get[moment](tx, turnKey(bucket))
		if err != nil {
			return err
		}
		// A time far ahead was written by a clock that was wrong.
		if taken.time.After(now) && taken.time.Before(now.Add(time.Hour)) {
			free = taken.time
			return nil
		}
		return tx.Put(turnKey(bucket), codec.Encode(moment{now.Add(hold)}))
	})
	return free, err
}

// EndTurn ends the turn of a bucket at until. The caller took the turn until mine; where
// another process has it by now, nothing changes.
func (s *Store) EndTurn(ctx context.Context, bucket int, mine, until time.Time) error {
	return s.kv.Update(ctx, func(tx kv.Tx) error {
		value, err := tx.Get(turnKey(bucket))
		if err != nil || !bytes.Equal(value, codec.Encode(moment{mine})) {
			return err
		}
		return tx.Put(turnKey(bucket), codec.Encode(moment{until}))
	})
}
