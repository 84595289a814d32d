package storage

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"time"

	"tengen/game"
	"tengen/game/daily"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// What a day allows a member is counted in rows that name the member. When the member's data is
// deleted these counts stay until their day is over, or a deletion would give the day's allowance
// again. They stay under a hash of the ids with a key that is made for the day and deleted with
// it. No backup has the key or the counts (Omit).

// What is counted in the rows that outlive a deletion.
const (
	outliveAsked  = 'l' // reviews asked for
	outlivePair   = 'k' // rated games of a pair
	outliveTaking = 'I' // tries at the daily puzzle of a server
)

const (
	saltSize  = 32 // bytes
	daysAhead = 2  // how far ahead a day may lie on which a count ends
)

// salt is the key of the hashes of a day.
type salt [saltSize]byte

func (s *salt) Fields(f *codec.Fields) {
	f.Format(1, 1)
	for i := range s {
		codec.Small(f, "", &s[i], 255)
	}
}

// outlivedKey is the row of a count of a day; nil where no count of that day outlived a deletion.
func outlivedKey(r kv.Reader, day uint64, what byte, ids ...uint64) ([]byte, error) {
	s, err := get[salt](r, key(tSalt, day))
	if s == (salt{}) || err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, s[:])
	mac.Write(key(what, ids...))
	sum := mac.Sum(nil)
	return key(tOutlived, day, uint64(what), binary.BigEndian.Uint64(sum), binary.BigEndian.Uint64(sum[8:])), nil
}

// outlived is the value of a count of a day that outlived a deletion, nil where there is none.
func outlived(r kv.Reader, day uint64, what byte, ids ...uint64) ([]byte, error) {
	k, err := outlivedKey(r, day, what, ids...)
	if k == nil || err != nil {
		return nil, err
	}
	return r.Get(k)
}

// countOf is a row's count together with what of it outlived a deletion; own is the row's alone.
func countOf(r kv.Reader, k []byte, day uint64, what byte, ids ...uint64) (own, all uint64, err error) {
	count, err := get[counter](r, k)
	if err != nil {
		return 0, 0, err
	}
	value, err := outlived(r, day, what, ids...)
	if err != nil || value == nil {
		return count.n, count.n, err
	}
	more, err := codec.Decode[counter](k, value)
	return count.n, count.n + more.n, err
}

// outlive keeps the counts of a member, of rows that are about to be deleted, until their day is
// over. fresh is for a day that has no key yet.
func outlive(tx kv.Tx, rows [][]byte, now time.Time, fresh *salt) error {
	today := dayOf(now)
	for _, k := range rows {
		value, err := tx.Get(k)
		if err != nil {
			return err
		}
		if value == nil {
			continue
		}
		day, what, ids := part(k, 0), byte(0), []uint64(nil)
		switch k[0] {
		case tAsked:
			what, ids = outliveAsked, []uint64{part(k, 2)}
		case tPair:
			what, ids = outlivePair, []uint64{part(k, 1), part(k, 2)}
		case tTaking:
			t, err := codec.Decode[Taking](k, value)
			if err != nil {
				return err
			}
			day, what, ids = endsOn(t.Begins), outliveTaking, []uint64{part(k, 0), part(k, 1)}
			is := daily.Taking{Begins: t.Begins, Tries: t.Tries, Interaction: t.Interaction}
			value = codec.Encode(Taking{Taking: is})
		default:
			continue
		}
		if day < today || day > today+daysAhead { // its day is over; or a clock was wrong
			continue
		}
		if err := keepCount(tx, value, *fresh, day, what, ids); err != nil {
			return err
		}
	}
	return nil
}

// keepCount adds a count to what of it outlived an earlier deletion.
func keepCount(tx kv.Tx, value []byte, fresh salt, day uint64, what byte, ids []uint64) error {
	k, err := outlivedKey(tx, day, what, ids...)
	if err == nil && k == nil {
		if err = tx.Put(key(tSalt, day), codec.Encode(fresh)); err == nil {
			k, err = outlivedKey(tx, day, what, ids...)
		}
	}
	if err != nil {
		return err
	}
	if what != outliveTaking {
		now, err := codec.Decode[counter](k, value)
		if err != nil {
			return err
		}
		before, err := get[counter](tx, k)
		if err != nil {
			return err
		}
		value = codec.Encode(counter{before.n + now.n})
	}
	return tx.Put(k, value)
}

// endsOn is the day (UTC) on which the day of a daily puzzle ends.
func endsOn(begins time.Time) uint64 { return dayOf(begins.Add(24 * time.Hour)) }

// tookBefore is how a member fared with the daily puzzle of the day before the member's data was
// deleted.
func tookBefore(r kv.Reader, member game.MemberID, d Daily) (t Taking, err error) {
	t = Taking{d.Server, daily.Taking{Member: member}}
	value, err := outlived(r, endsOn(d.Day.Begins), outliveTaking, uint64(member), d.Server)
	if value == nil || err != nil {
		return t, err
	}
	return codec.Decode[Taking](takingKey(member, d.Server), value)
}

func newSalt() *salt {
	var s salt
	_, _ = rand.Read(s[:]) // never fails
	return &s
}

// WipedRow says that data of a member or a server was deleted. In a file it still stands in pages
// that are free, until the file is written anew, without this row.
func WipedRow() []byte { return metaKey("wiped") }

// wiped notes a deletion in a store of one file. PostgreSQL forgets by itself.
func (s *Store) wiped(tx kv.Tx) error {
	if s.options.Peers != nil {
		return nil
	}
	return tx.Put(WipedRow(), none)
}

// Wiped reports whether data was deleted since the file was last written anew.
func (s *Store) Wiped(ctx context.Context) (bool, error) {
	return look(ctx, s, func(r kv.Reader) (bool, error) {
		value, err := r.Get(WipedRow())
		return value != nil, err
	})
}
