package storage

import (
	"bytes"
	"context"
	"time"

	"tengen/storage/kv"
)

// Session is a connection to Discord's gateway that can be taken up where it was left, by
// this process or another one.
type Session struct {
	ID  string // empty: none
	Seq int64  // of the last event that was dealt with
	URL string // where Discord wants it taken up
}

func (v Session) encode() []byte {
	w := &writer{}
	w.byte(1)
	w.int(v.Seq)
	w.text(v.ID)
	w.text(v.URL)
	return w.b
}

func decodeSession(value []byte) (v Session, err error) {
	d := open(value, 1)
	v.Seq, v.ID, v.URL = d.int(), d.text(), d.text()
	return v, d.end()
}

// sessionKey is the row of one shard of so many; turnKey that of a bucket of shards, of
// which one may identify at a time.
func sessionKey(shards, shard int) []byte { return key(tSession, uint64(shards), uint64(shard)) }
func turnKey(bucket int) []byte           { return key(tTurn, uint64(bucket)) }

// Session gives what was kept of a shard's connection; the zero value where nothing was.
func (s *Store) Session(ctx context.Context, shards, shard int) (v Session, err error) {
	err = s.kv.View(ctx, func(r kv.Reader) error {
		value, err := r.Get(sessionKey(shards, shard))
		if err != nil || value == nil {
			v = Session{}
			return err
		}
		v, err = decodeSession(value)
		return err
	})
	return v, err
}

// SetSession keeps a shard's connection; the zero value forgets it.
func (s *Store) SetSession(ctx context.Context, shards, shard int, v Session) error {
	return s.kv.Update(ctx, func(tx kv.Tx) error {
		if v.ID == "" {
			return tx.Delete(sessionKey(shards, shard))
		}
		return tx.Put(sessionKey(shards, shard), v.encode())
	})
}

// TakeTurn takes the turn of a bucket from now until hold is over, for all processes on
// the store. Where another process has the turn it gives the time at which that turn ends.
func (s *Store) TakeTurn(ctx context.Context, bucket int, now time.Time, hold time.Duration) (free time.Time, err error) {
	err = s.kv.Update(ctx, func(tx kv.Tx) error {
		free = time.Time{}
		value, err := tx.Get(turnKey(bucket))
		if err != nil {
			return err
		}
		if value != nil {
			d := open(value, 1)
			until := d.time()
			if err := d.end(); err != nil {
				return err
			}
			// A time far ahead was written by a clock that was wrong.
			if until.After(now) && until.Before(now.Add(time.Hour)) {
				free = until
				return nil
			}
		}
		return tx.Put(turnKey(bucket), encodeTurn(now.Add(hold)))
	})
	return free, err
}

// EndTurn ends the turn of a bucket at until. The caller took the turn until mine; where
// another process has it by now, nothing changes.
func (s *Store) EndTurn(ctx context.Context, bucket int, mine, until time.Time) error {
	return s.kv.Update(ctx, func(tx kv.Tx) error {
		value, err := tx.Get(turnKey(bucket))
		if err != nil || !bytes.Equal(value, encodeTurn(mine)) {
			return err
		}
		return tx.Put(turnKey(bucket), encodeTurn(until))
	})
}

func encodeTurn(until time.Time) []byte {
	w := &writer{}
	w.byte(1)
	w.time(until)
	return w.b
}
