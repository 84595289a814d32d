package kv_test

import (
	"bytes"
	"errors"
	"testing"

	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

func TestMemory(t *testing.T) {
	storagetest.Run(t, func(testing.TB) storagetest.Open {
		return func(testing.TB) kv.Engine { return kv.NewMemory() }
	}, false)
}

func TestAfter(t *testing.T) {
	for _, c := range []struct{ prefix, want string }{
		{"a", "b"}, {"a\xff", "b"}, {"a\xff\xff", "b"}, {"ab", "ac"}, {"\xff", ""}, {"\xff\xff", ""}, {"", ""},
	} {
		if got := kv.After([]byte(c.prefix)); string(got) != c.want {
			t.Errorf("After(%q) = %q, want %q", c.prefix, got, c.want)
		}
	}
}

// FuzzAfter holds After against its meaning: the keys in [prefix, After(prefix)) are
// those that begin with prefix.
func FuzzAfter(f *testing.F) {
	f.Add([]byte("a\xff"), []byte("a\xff\x00"))
	f.Fuzz(func(t *testing.T, prefix, key []byte) {
		end := kv.After(prefix)
		inside := bytes.Compare(key, prefix) >= 0 && (end == nil || bytes.Compare(key, end) < 0)
		if inside != bytes.HasPrefix(key, prefix) {
			t.Errorf("prefix %x, key %x: in the range %v", prefix, key, inside)
		}
	})
}

// FuzzChecksum: a value comes back, and one changed byte of key or value never passes.
func FuzzChecksum(f *testing.F) {
	f.Add([]byte("key"), []byte("value"), 3, byte(1))
	f.Add([]byte("key"), []byte("value"), 1, byte(1))
	f.Fuzz(func(t *testing.T, key, value []byte, at int, flip byte) {
		stored := kv.AddChecksum(key, value)
		got, err := kv.CutChecksum(key, stored)
		if err != nil || !bytes.Equal(got, value) {
			t.Fatalf("CutChecksum gives %x, %v; want %x", got, err, value)
		}
		if flip == 0 {
			return
		}
		row := append(bytes.Clone(key), stored...)
		row[uint(at)%uint(len(row))] ^= flip
		if _, err := kv.CutChecksum(row[:len(key)], row[len(key):]); !errors.Is(err, kv.ErrDamaged) {
			t.Errorf("a changed byte passes: %v", err)
		}
	})
}

// FuzzCutChecksum: CutChecksum panics on no bytes.
func FuzzCutChecksum(f *testing.F) {
	f.Add([]byte("key"), []byte("valu"))
	f.Fuzz(func(t *testing.T, key, stored []byte) {
		if value, err := kv.CutChecksum(key, stored); err == nil && !bytes.Equal(kv.AddChecksum(key, value), stored) {
			t.Errorf("%x passes and is not what AddChecksum makes", stored)
		}
	})
}
