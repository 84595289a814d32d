package bolt

import (
	"bytes"
	"fmt"
	"runtime/debug"

	"go.etcd.io/bbolt"

	"tengen/storage/kv"
)

// reader is the kv.Reader of one transaction.
type reader struct{ tx *bbolt.Tx }

// Get is kv.Reader.Get.
func (r reader) Get(key []byte) (value []byte, err error) {
	if err := kv.CheckKey(key); err != nil {
		return nil, err
	}
	defer caught(&err)()
	table := r.tx.Bucket(key[:1])
	if table == nil {
		return nil, nil
	}
	stored := table.Get(key)
	if stored == nil {
		return nil, nil
	}
	// The copy is made before the check: what was checked is what is handed out.
	return kv.CutChecksum(key, bytes.Clone(stored))
}

// Scan is kv.Reader.Scan.
func (r reader) Scan(from, to []byte, fn func(key, value []byte) bool) error {
	c := cursor{tx: r.tx}
	for key, value, err := c.seek(from); ; key, value, err = c.next() {
		if err != nil {
			return err
		}
		if key == nil || to != nil && bytes.Compare(key, to) >= 0 || !fn(key, value) {
			return nil
		}
	}
}

// cursor walks the rows of all tables in the order of their keys and gives copies.
type cursor struct {
	tx     *bbolt.Tx
	tables *bbolt.Cursor
	rows   *bbolt.Cursor
	name   byte // of the table that rows walks
}

func (c *cursor) seek(from []byte) (key, value []byte, err error) {
	defer caught(&err)()
	c.tables = c.tx.Cursor()
	name, _ := c.tables.Seek(from[:min(1, len(from))])
	return c.first(name, from)
}

// first gives the first row from a key on, in a table or those behind it.
func (c *cursor) first(name, from []byte) (key, value []byte, err error) {
	for ; name != nil; name, _ = c.tables.Next() {
		if len(name) != 1 {
			continue
		}
		c.rows, c.name = c.tx.Bucket(name).Cursor(), name[0]
		if k, v := c.rows.Seek(from); k != nil {
			return c.copied(k, v)
		}
	}
	c.rows = nil
	return nil, nil, nil
}

func (c *cursor) next() (key, value []byte, err error) {
	defer caught(&err)()
	if c.rows == nil {
		return nil, nil, nil
	}
	if k, v := c.rows.Next(); k != nil {
		return c.copied(k, v)
	}
	name, _ := c.tables.Next()
	return c.first(name, nil)
}

func (c *cursor) copied(k, v []byte) (key, value []byte, err error) {
	if k[0] != c.name { // Get would not find it
		return nil, nil, fmt.Errorf("%w: row %x stands in table %q", kv.ErrDamaged, k, rune(c.name))
	}
	row := append(append(make([]byte, 0, len(k)+len(v)), k...), v...)
	key = row[:len(k):len(k)]
	value, err = kv.CutChecksum(key, row[len(k):])
	return key, value, err
}

// caught turns the panics and page faults with which bbolt meets a damaged page into
// an error: `defer caught(&err)()`.
func caught(err *error) func() {
	was := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(was)
		if r := recover(); r != nil {
			*err = fmt.Errorf("%w: %s", kv.ErrDamaged, unfit(fmt.Sprint(r)))
		}
	}
}
