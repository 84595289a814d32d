package bolt

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"tengen/storage/kv"
)

var errNoPage = fmt.Errorf("%w: a page that is none", kv.ErrDamaged)

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

// header is one of the first two pages of a file, which transactions write by turns.
type header struct {
	pageSize uint32
	root     uint64 // the page of the root bucket
	change   uint64 // the number of its transaction
}

// readHeader reads the header at a place of a file; false: there is no whole one.
func readHeader(file io.ReaderAt, at int64) (header, bool) {
	m := make([]byte, metaSum+8)
	if _, err := file.ReadAt(m, at+pageHead); err != nil {
		return header{}, false
	}
	whole := native.Uint32(m) == boltMagic && native.Uint32(m[4:]) == boltVersion &&
		native.Uint64(m[metaSum:]) == fnv1a(fnvBasis, m[:metaSum])
	return header{pageSize: native.Uint32(m[8:]), root: native.Uint64(m[16:]), change: native.Uint64(m[48:])}, whole
}

// checkHeaders reads both headers. bbolt opens a file with one good header; where that is
// the older one, the last transaction is gone.
func checkHeaders(path string, pageSize int) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var both [2]header
	for i := range both {
		var whole bool
		if both[i], whole = readHeader(f, int64(i*pageSize)); !whole || both[i].change%2 != uint64(i) {
			return fmt.Errorf("%w: header %d cannot be read, so the last transaction may be missing", kv.ErrDamaged, i)
		}
	}
	if d := int64(both[0].change - both[1].change); d != 1 && d != -1 {
		return fmt.Errorf("%w: the headers are of transactions %d and %d, so others are missing", kv.ErrDamaged,
			both[0].change, both[1].change)
	}
	return nil
}

// newest finds the root of the newest state, as bbolt does: in the header that is whole and
// has the higher transaction.
func (p *pages) newest() (root uint64, err error) {
	var newest uint64
	for at := uint32(0); at <= 64<<10; at = max(2*at, 1<<10) {
		h, whole := readHeader(p.file, int64(at))
		if whole && (at == 0 || at == h.pageSize) && h.change >= newest {
			root, newest, p.size = h.root, h.change, h.pageSize
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
