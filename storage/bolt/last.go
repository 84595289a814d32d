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

// Compare is positive when l is the later state.
func (l Last) Compare(m Last) int {
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

func (l Last) sealed() []byte {
	b := binary.BigEndian.AppendUint64(bytes.Clone(lastMagic), l.Epoch)
	b = binary.BigEndian.AppendUint64(b, l.Changes)
	b = binary.BigEndian.AppendUint64(b, uint64(l.At.UnixMilli()))
	return kv.Seal(lastKey, b)
}

func unsealLast(sealed []byte) (Last, error) {
	b, err := kv.Unseal(lastKey, sealed)
	if err != nil {
		return Last{}, fmt.Errorf("the record of the last change: %w", err)
	}
	if len(sealed) != lastSize || !bytes.HasPrefix(b, lastMagic) {
		return Last{}, fmt.Errorf("the record of the last change: %w", kv.ErrDamaged)
	}
	number := func(i int) uint64 { return binary.BigEndian.Uint64(b[len(lastMagic)+8*i:]) }
	return Last{number(0), number(1), time.UnixMilli(int64(number(2))).UTC()}, nil
}

// lastOf gives the record. A file of layout 1, and a new one, have none.
func lastOf(tx *bbolt.Tx) (Last, error) {
	own := tx.Bucket(metaBucket)
	if own == nil {
		return Last{}, nil
	}
	sealed := own.Get(lastKey)
	if sealed == nil {
		return Last{}, nil
	}
	return unsealLast(bytes.Clone(sealed))
}

// putLast writes the record, unless the file had none.
func putLast(tx *bbolt.Tx, l Last) error {
	if l.Epoch == 0 {
		return nil
	}
	return tx.Bucket(metaBucket).Put(lastKey, l.sealed())
}

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
	db, err := bbolt.Open(path, fileMode, &bbolt.Options{Timeout: openTimeout, NoSync: true, FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	err = db.Update(func(tx *bbolt.Tx) error {
		l, err := lastOf(tx)
		if err = errors.Join(err, addSums(tx)); err != nil {
			return err
		}
		l.Epoch = epoch
		return putLast(tx, l)
	})
	if err != nil {
		return err
	}
	return db.Sync()
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
	for at, size := int64(0), sizeOf(path); at < size; at += int64(len(block) - lastSize) { // so that no record is cut in two
		n, _ := f.ReadAt(block, at)
		for b := block[:n]; ; b = b[1:] {
			i := bytes.Index(b, lastMagic)
			if i < 0 || len(b)-i < lastSize {
				break
			}
			b = b[i:]
			if l, err := unsealLast(b[:lastSize]); err == nil {
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

var errNoPage = fmt.Errorf("%w: a page that is none", kv.ErrDamaged)

func lastIn(r io.ReaderAt) (Last, error) {
	p := pages{file: r}
	root, err := p.newest()
	if err != nil {
		return Last{}, err
	}
	page, err := p.read(root)
	if err != nil {
		return Last{}, err
	}
	own, err := p.find(page, metaBucket, maxDepth)
	if own == nil || err != nil {
		return Last{}, err
	}
	// A bucket is the number of its page, or 0 and, after its counter, the page itself.
	if len(own) < 16 {
		return Last{}, errNoPage
	}
	page = own[16:]
	if root := native.Uint64(own); root != 0 {
		if page, err = p.read(root); err != nil {
			return Last{}, err
		}
	}
	sealed, err := p.find(page, lastKey, maxDepth)
	if sealed == nil || err != nil {
		return Last{}, err
	}
	return unsealLast(sealed)
}

// What bbolt's files look like, as far as the way to one key needs it. FuzzLast holds it
// against bbolt.
const (
	boltMagic   = 0xED0CDAED
	boltVersion = 2
	metaSum     = 56 // where the sum of a meta page stands, over all before it
	pageHead    = 16 // number (8 bytes), kind (2), elements (2), further pages (4)
	elementSize = 16
	branchPage  = 1
	leafPage    = 2
	maxDepth    = 16      // of a tree
	maxPage     = 1 << 20 // bytes that are read for a page
)

var native = binary.NativeEndian

type pages struct {
	file io.ReaderAt
	size uint32 // of a page
}

// newest finds the page of the newest state, as bbolt does: by the one of the first two
// pages that is whole and has the higher transaction.
func (p *pages) newest() (root uint64, err error) {
	var newest uint64
	for at := uint32(0); at <= 64<<10; at = max(2*at, 1<<10) {
		m := make([]byte, metaSum+8)
		if _, err := p.file.ReadAt(m, int64(at)+pageHead); err != nil {
			continue
		}
		size, change := native.Uint32(m[8:]), native.Uint64(m[48:])
		if native.Uint32(m) == boltMagic && native.Uint32(m[4:]) == boltVersion && native.Uint64(m[metaSum:]) == fnv1a(fnvBasis, m[:metaSum]) &&
			(at == 0 || at == size) && change >= newest {
			root, newest, p.size = native.Uint64(m[16:]), change, size
		}
	}
	if p.size < 1<<10 || p.size > 64<<10 {
		return 0, fmt.Errorf("%w: it does not begin as a store does", kv.ErrDamaged)
	}
	return root, nil
}

func (p *pages) read(n uint64) ([]byte, error) {
	if n > 1<<47 {
		return nil, errNoPage
	}
	at, head := int64(n)*int64(p.size), make([]byte, pageHead)
	if _, err := p.file.ReadAt(head, at); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoPage, err)
	}
	size := (1 + int64(native.Uint32(head[12:]))) * int64(p.size)
	if native.Uint64(head) != n || size > maxPage {
		return nil, errNoPage
	}
	page := make([]byte, size)
	if _, err := p.file.ReadAt(page, at); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoPage, err)
	}
	return page, nil
}

// find gives the value of a key in the tree under a page, or nil.
func (p *pages) find(page, key []byte, depth int) ([]byte, error) {
	if len(page) < pageHead || depth == 0 {
		return nil, errNoPage
	}
	kind, count := native.Uint16(page[8:]), int(native.Uint16(page[10:]))
	if kind != leafPage && kind != branchPage || len(page) < pageHead+count*elementSize {
		return nil, errNoPage
	}
	next := uint64(0)
	for i := range count {
		here := pageHead + i*elementSize
		e := page[here:]
		at, size, value := native.Uint32(e[4:]), native.Uint32(e[8:]), native.Uint32(e[12:]) // leaf: kind first
		if kind == branchPage {
			at, size, value = native.Uint32(e), native.Uint32(e[4:]), 0 // and the number of a page
		}
		from, end := uint64(here)+uint64(at), uint64(here)+uint64(at)+uint64(size)
		if end+uint64(value) > uint64(len(page)) {
			return nil, errNoPage
		}
		switch order := bytes.Compare(page[from:end], key); {
		case kind == leafPage && order == 0:
			return page[end : end+uint64(value)], nil
		case kind == branchPage && (order <= 0 || i == 0):
			next = native.Uint64(e[8:])
		}
	}
	if kind == leafPage {
		return nil, nil
	}
	page, err := p.read(next)
	if err != nil {
		return nil, err
	}
	return p.find(page, key, depth-1)
}
