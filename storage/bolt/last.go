package bolt

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"go.etcd.io/bbolt"

	"tengen/storage/kv"
)

// Last is what a file says of its own last change. Each commit writes it together with
// the rows, and a copy carries it: so it orders the copies of a store by what they hold,
// whatever their names and the clock say.
type Last struct {
	Epoch   uint64    // each restore and each recovery begins a new one; 0: the file says nothing
	Changes uint64    // commits so far
	At      time.Time // by the clock of then; for people, and where a name is not to be trusted
}

// compare is positive when l is the later state.
func (l Last) compare(m Last) int {
	return cmp.Or(cmp.Compare(l.Epoch, m.Epoch), cmp.Compare(l.Changes, m.Changes))
}

// String is the text for logs.
func (l Last) String() string {
	if l.Epoch == 0 {
		return "says nothing of its last change"
	}
	s := fmt.Sprintf("change %d of history %d", l.Changes, l.Epoch)
	if !l.At.IsZero() {
		s += l.At.Format(", 2006-01-02 15:04:05 MST")
	}
	return s
}

// The record stands in metaBucket under lastKey: lastMagic, the three numbers, and
// the sum that every row has. By the magic it is found in a file that is damaged.
var (
	lastKey   = []byte("last")
	lastMagic = []byte("tengen.last\x01")
)

const lastSize = 12 + 3*8 + 4

func (l Last) bytes() []byte {
	b := binary.BigEndian.AppendUint64(bytes.Clone(lastMagic), l.Epoch)
	b = binary.BigEndian.AppendUint64(b, l.Changes)
	b = binary.BigEndian.AppendUint64(b, uint64(l.At.UnixMilli()))
	return kv.AddChecksum(lastKey, b)
}

func parseLast(stored []byte) (Last, error) {
	b, err := kv.CutChecksum(lastKey, stored)
	if err != nil {
		return Last{}, fmt.Errorf("the record of the last change: %w", err)
	}
	if len(stored) != lastSize || !bytes.HasPrefix(b, lastMagic) {
		return Last{}, fmt.Errorf("the record of the last change: %w", kv.ErrDamaged)
	}
	number := func(i int) uint64 { return binary.BigEndian.Uint64(b[len(lastMagic)+8*i:]) }
	return Last{number(0), number(1), time.UnixMilli(int64(number(2))).UTC()}, nil
}

// lastOf gives the record. A file of layout 1 has none, nor has one without rows that an older
// program made. In any other file the record is missing: that is damage.
func lastOf(tx *bbolt.Tx) (Last, error) {
	own := tx.Bucket(metaBucket)
	if own == nil {
		return Last{}, nil
	}
	stored := own.Get(lastKey)
	if stored != nil {
		return parseLast(bytes.Clone(stored))
	}
	s, err := savedSums(tx)
	if s != nil && err == nil && *s != (sums{}) {
		err = fmt.Errorf("%w: the record of the last change is missing", kv.ErrDamaged)
	}
	return Last{}, err
}

func putLast(tx *bbolt.Tx, l Last) error {
	return tx.Bucket(metaBucket).Put(lastKey, l.bytes())
}

// firstLast is the record of a file in which nothing was changed yet.
func firstLast() Last { return Last{Epoch: 1, At: time.Now()} }

// touch notes a change in the transaction that makes it.
func touch(tx *bbolt.Tx) error {
	l, err := lastOf(tx)
	if err != nil {
		return err
	}
	return putLast(tx, Last{max(l.Epoch, 1), l.Changes + 1, time.Now()})
}

// last is the record of the open store.
func (db *DB) last() (l Last, err error) {
	defer caught(&err)()
	tx, err := db.bolt.Begin(false)
	if err != nil {
		return Last{}, db.named(err)
	}
	defer tx.Rollback()
	return lastOf(tx)
}

// beginEpoch writes to a finished copy that it begins an epoch, and waits until the
// whole copy is on the disk.
func beginEpoch(path string, epoch uint64) (err error) {
	db, err := bbolt.Open(path, fileMode, &bbolt.Options{Timeout: openTimeout, NoSync: true,
		FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	err = db.Update(func(tx *bbolt.Tx) error {
		return errors.Join(addSums(tx), raise(tx, epoch))
	})
	if err != nil {
		return err
	}
	return db.Sync()
}

// raise begins an epoch in a transaction.
func raise(tx *bbolt.Tx, epoch uint64) error {
	l, err := lastOf(tx)
	if err != nil {
		return err
	}
	l.Epoch = epoch
	return putLast(tx, l)
}

// olderFile says that a file is an older copy of a store: a backup holds a change that came later.
type olderFile struct {
	Path   string
	Last   Last
	Backup Backup // the latest
}

// Error also tells what an operator can do.
func (o *olderFile) Error() string {
	return fmt.Sprintf("an older copy of the store stands in its place: it ends with %v, and the backup %s with %v; "+
		"take the later one (tengen store restore), or go on with the older one and give up what came after it "+
		"(--accept-older with tengen run or tengen demo)", o.Last, o.Backup.Path, o.Backup.Last)
}

// olderThan gives the latest backup of the store at path, which was checked, where that backup
// holds a later change than the store. Where the folder cannot be read nothing can be said: no new
// backup comes there either, and that is an error by itself.
func olderThan(path string, o Options) (*olderFile, error) {
	listed, err := Backups(path, o.Backups)
	if err != nil {
		o.Log.Warn("the backups cannot be read: one of them may be later than the store", "err", err)
	}
	if len(listed) == 0 {
		return nil, nil
	}
	l, err := readLast(path)
	l.Epoch = max(l.Epoch, 1) // a file without a record gets this one
	if err != nil || listed[0].Last.compare(l) <= 0 {
		return nil, err
	}
	return &olderFile{path, l, listed[0]}, nil
}

// nextEpoch is higher than the epoch of each backup, of the file that takes a store's place
// and of the file that was there: what is stored from now on is later than all of them.
func nextEpoch(path, backups, from, old string) (uint64, error) {
	listed, err := Backups(path, backups)
	if err != nil {
		return 0, err
	}
	l, _ := readLast(from) // from was checked; a file without a record is of layout 1
	known := max(l.Epoch, scanEpoch(old))
	for _, b := range listed {
		known = max(known, b.Last.Epoch)
	}
	return max(known, known+1), nil
}

// scanEpoch is the highest epoch of all records that can still be found in a file,
// whatever became of it. What cannot be read is passed over.
func scanEpoch(path string) (highest uint64) {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	block := make([]byte, 1<<20)
	// so that no record is cut in two
	for at, size := int64(0), sizeOf(path); at < size; at += int64(len(block) - lastSize) {
		n, _ := f.ReadAt(block, at)
		for b := block[:n]; ; b = b[1:] {
			i := bytes.Index(b, lastMagic)
			if i < 0 || len(b)-i < lastSize {
				break
			}
			b = b[i:]
			if l, err := parseLast(b[:lastSize]); err == nil {
				highest = max(highest, l.Epoch)
			}
		}
	}
	return highest
}

// readLast reads the record of a file that nobody writes to. bbolt would map the file and
// may die of a damaged one, and a process to do it in would be too dear for a list of
// backups. So this looks the one key up in the pages itself, and reads nothing else.
func readLast(path string) (Last, error) {
	f, err := os.Open(path)
	if err != nil {
		return Last{}, err
	}
	defer f.Close()
	return lastIn(f)
}

func lastIn(r io.ReaderAt) (Last, error) {
	stored, err := valueIn(r, metaBucket, lastKey)
	if stored == nil || err != nil {
		return Last{}, err
	}
	return parseLast(stored)
}
