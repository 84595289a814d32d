//go:build unix

package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"

	"tengen/internal/testkit"
	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

// What becomes of the file under an open store gives errors: no reader gets a wrong value,
// and neither a reader nor the writer dies of it.
func TestDamageUnderneath(t *testing.T) {
	all := func(change func(b []byte)) func(t *testing.T, f *os.File) {
		return func(t *testing.T, f *os.File) {
			b := testkit.Read(t, f.Name())
			change(b)
			testkit.Got(f.WriteAt(b[2*page:], 2*page))
		}
	}
	for name, damage := range map[string]func(t *testing.T, f *os.File){
		"values changed": all(func(b []byte) { copy(b, bytes.ReplaceAll(b, []byte("now-7"), []byte("now-8"))) }),
		"pages of no kind": all(func(b []byte) {
			for n := 2; n < len(b)/page; n++ {
				if p := b[n*page:]; isLeaf(p) && ownNumber(p, n) {
					binary.NativeEndian.PutUint16(p[8:], 0)
				}
			}
		}),
		"cut off": func(t *testing.T, f *os.File) {
			testkit.Must(t, f.Truncate(3*page))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := newPath(t)
			db := open(t, path)
			defer db.Close()
			fill(t, db, "now")
			want := storagetest.All(t, db)
			f := testkit.Got(os.OpenFile(path, os.O_RDWR, 0))
			defer f.Close()
			damage(t, f)
			damaged := 0
			for _, row := range want {
				key, value, _ := strings.Cut(row, "=")
				err := db.View(t.Context(), func(r kv.Reader) error {
					got, err := r.Get([]byte(key))
					if err == nil && string(got) != value {
						t.Errorf("row %s is %.20q", key, got)
					}
					return err
				})
				if errors.Is(err, kv.ErrDamaged) {
					damaged++
				} else if err != nil {
					t.Errorf("row %s: %v", key, err)
				}
			}
			scan := db.View(t.Context(), func(r kv.Reader) error {
				return r.Scan(nil, nil, func(_, _ []byte) bool { return true })
			})
			if damaged == 0 || !errors.Is(scan, kv.ErrDamaged) {
				t.Errorf("%d of %d rows are damaged; a scan: %v", damaged, len(want), scan)
			}
			put := db.Update(t.Context(), func(tx kv.Tx) error {
				for _, row := range want {
					key, _, _ := strings.Cut(row, "=")
					if err := tx.Put([]byte(key), nil); err != nil {
						return err
					}
				}
				return nil
			})
			if name != "values changed" && !errors.Is(put, kv.ErrBroken) {
				t.Errorf("a write: %v", put)
			}
		})
	}
}
