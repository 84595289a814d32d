package bolt

import (
	"bytes"
	"io"
	"os"

	"tengen/storage/kv"
)

// NewestTaken is the newest backup that takes accepts; takes is given a reader of its rows. False:
// there is none.
func NewestTaken(path, dir string, takes func(row func(key []byte) ([]byte, error)) bool) (Backup, bool) {
	backups, _ := Backups(path, dir) // a folder that cannot be read holds none
	for _, b := range backups {
		if takes(func(key []byte) ([]byte, error) { return Row(b.Path, key) }) {
			return b, true
		}
	}
	return Backup{}, false
}

// Row gives a row of a file that nobody writes to, nil where there is none. It reads as readLast
// does, and checks nothing but the row.
func Row(path string, key []byte) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	stored, err := valueIn(f, key[:1], key)
	if stored == nil || err != nil {
		return nil, err
	}
	return kv.CutChecksum(key, bytes.Clone(stored))
}

// valueIn looks a key up in a bucket of a file; nil where there is none.
func valueIn(r io.ReaderAt, bucket, key []byte) ([]byte, error) {
	p := pages{file: r}
	root, err := p.newest()
	if err != nil {
		return nil, err
	}
	page, err := p.read(root)
	if err != nil {
		return nil, err
	}
	own, err := p.find(page, bucket, maxDepth)
	if own == nil || err != nil {
		return nil, err
	}
	// A bucket is the number of its page, or 0 and, after its counter, the page itself.
	if len(own) < 16 {
		return nil, errNoPage
	}
	page = own[16:]
	if root := native.Uint64(own); root != 0 {
		if page, err = p.read(root); err != nil {
			return nil, err
		}
	}
	return p.find(page, key, maxDepth)
}
