package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"

	"tengen/storage/kv"
)

// The checksum of a row shows that the row is whole. The row of sums in metaBucket shows that no
// row is missing or older than it should be: for each table it has the count of rows and the
// sum of a number made from each row. The transaction that changes rows changes the sums
// with them, by the difference alone, so that a row which a damaged page hides stays missed
// for ever.
type sums [256]sum // by table

// sum is the count of rows and the sum of their numbers, modulo 2^64: their order does
// not matter.
type sum struct {
	rows, sum uint64
}

func (s *sum) add(key, stored []byte) { s.rows++; s.sum += rowNumber(key, stored) }

// replace takes the value as it was stored for the one that comes; nil is none.
func (s *sum) replace(key, was, is []byte) {
	if was != nil {
		s.rows--
		s.sum -= rowNumber(key, was)
	}
	if is != nil {
		s.add(key, is)
	}
}

// rowNumber is the number of a row. The checksum stands for the value.
func rowNumber(key, stored []byte) uint64 {
	h := fnv1a(fnv1a(fnvBasis, key), stored[max(0, len(stored)-kv.ChecksumSize):])
	// Numbers of neighbouring keys differ by little; mixed, their sums do not.
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// fnv1a goes on with the 64-bit FNV-1a hash h, which begins with fnvBasis. For the few
// bytes here hash/fnv would be slower.
func fnv1a(h uint64, b []byte) uint64 {
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

const fnvBasis = 14695981039346656037

var sumsKey = []byte("sums")

// sumsKeyOf is the key in the checksum of the row of sums. It holds the layout, so that a
// damaged layout does not match its sums.
func sumsKeyOf(layout []byte) []byte { return append(bytes.Clone(sumsKey), layout...) }

// save writes the row of sums: table, rows and sum of each table that has any.
func (s *sums) save(tx *bbolt.Tx) error {
	var row []byte
	var none sum
	for table, of := range s {
		if of != none {
			row = append(row, byte(table))
			row = binary.BigEndian.AppendUint64(row, of.rows)
			row = binary.BigEndian.AppendUint64(row, of.sum)
		}
	}
	return tx.Bucket(metaBucket).Put(sumsKey, kv.AddChecksum(sumsKeyOf(currentLayout), row))
}

// savedSums reads the row of sums. It is nil in a file of the layout that had none.
func savedSums(tx *bbolt.Tx) (*sums, error) {
	own := tx.Bucket(metaBucket)
	if own == nil {
		return nil, errForeign
	}
	stored := own.Get(sumsKey)
	if stored == nil && bytes.Equal(own.Get(layoutKey), sumlessLayout) {
		return nil, nil
	}
	row, err := kv.CutChecksum(sumsKeyOf(currentLayout), bytes.Clone(stored))
	if err != nil || len(row)%17 != 0 {
		return nil, fmt.Errorf("%w: the sums of the tables are missing", kv.ErrDamaged)
	}
	s := &sums{}
	for ; len(row) > 0; row = row[17:] {
		s[row[0]] = sum{binary.BigEndian.Uint64(row[1:]), binary.BigEndian.Uint64(row[9:])}
	}
	return s, nil
}

// missed compares the rows that were found with the sums that were saved.
func (s *sums) missed(found *sums) error {
	for table := range s {
		saved, there := s[table], found[table]
		switch {
		case saved == there:
		case saved.rows != there.rows:
			return fmt.Errorf("%w: table %q has %d rows instead of %d", kv.ErrDamaged, rune(table), there.rows, saved.rows)
		default:
			return fmt.Errorf("%w: of the %d rows of table %q not all are those that were written last", kv.ErrDamaged,
				saved.rows, rune(table))
		}
	}
	return nil
}

// summed reports whether the file at path has sums. It is for a file that is unchanged since
// its close: a damaged file could end the process here.
func summed(path string) (has bool) {
	var err error
	defer caught(&err)()
	db, err := bbolt.Open(path, fileMode, &bbolt.Options{ReadOnly: true, Timeout: openTimeout})
	if err != nil {
		return false
	}
	defer db.Close()
	_ = db.View(func(tx *bbolt.Tx) error {
		own := tx.Bucket(metaBucket)
		has = own != nil && own.Get(sumsKey) != nil
		return nil
	})
	return has
}

// tally counts rows as they are walked over, in the order of their keys.
type tally struct {
	sums
	last []byte
}

func (t *tally) add(key, stored []byte) error {
	// A walk finds a row that is out of order; its key does not.
	if bytes.Compare(t.last, key) >= 0 {
		return fmt.Errorf("%w: row %x stands after row %x", kv.ErrDamaged, key, t.last)
	}
	t.last = append(t.last[:0], key...)
	t.sums[key[0]].add(key, stored)
	return nil
}

// count walks over all rows and verifies each. every is called now and then and may end
// the walk.
func count(tx *bbolt.Tx, every func() error) (*sums, error) {
	t := tally{}
	n := 0
	err := tx.ForEach(func(name []byte, table *bbolt.Bucket) error {
		switch {
		case table == nil || len(name) != 1 && !bytes.Equal(name, metaBucket):
			return fmt.Errorf("%w: %x is no table", kv.ErrDamaged, name)
		case len(name) != 1:
			return nil
		}
		return table.ForEach(func(key, stored []byte) error {
			if len(key) == 0 || key[0] != name[0] {
				return fmt.Errorf("%w: row %x stands in table %q", kv.ErrDamaged, key, rune(name[0]))
			}
			if _, err := kv.CutChecksum(key, stored); err != nil {
				return err
			}
			if n++; n%1000 == 0 {
				if err := every(); err != nil {
					return err
				}
			}
			return t.add(key, stored)
		})
	})
	return &t.sums, err
}

// addSums brings a file of the layout without sums, whose rows were checked before, to
// the present one. A program that knows no sums would change rows and not their sums; so
// the layout has another number, which such a program refuses.
func addSums(tx *bbolt.Tx) (err error) {
	defer caught(&err)()
	saved, err := savedSums(tx)
	if saved != nil || err != nil {
		return err
	}
	found, err := count(tx, func() error { return nil })
	if err == nil {
		err = found.save(tx)
	}
	if err != nil {
		return err
	}
	own := tx.Bucket(metaBucket)
	if own.Get(lastKey) == nil {
		err = putLast(tx, firstLast())
	}
	return errors.Join(err, own.Put(layoutKey, currentLayout))
}
