package kv

import (
	"bytes"
	"iter"
	"slices"
	"sort"
)

// Overlay is a Tx over a Reader that keeps its writes to itself until somebody takes
// them with Writes. A closure that fails is undone by forgetting its overlay.
type Overlay struct {
	under  Reader
	writes map[string][]byte // nil for what is deleted
}

// NewOverlay gives an Overlay without writes.
func NewOverlay(under Reader) *Overlay { return &Overlay{under: under} }

// Len is the number of keys written or deleted.
func (o *Overlay) Len() int { return len(o.writes) }

// Writes gives the writes in ascending order of their keys; a nil value deletes.
func (o *Overlay) Writes() iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		for _, w := range o.within(nil, nil) {
			if !yield([]byte(w.key), w.value) {
				return
			}
		}
	}
}

// Get is Reader.Get with the writes of o laid over it.
func (o *Overlay) Get(key []byte) ([]byte, error) {
	if err := CheckKey(key); err != nil {
		return nil, err
	}
	if value, ok := o.writes[string(key)]; ok {
		return clone(value), nil
	}
	return o.under.Get(key)
}

// Put sets the value of key.
func (o *Overlay) Put(key, value []byte) error {
	if err := CheckKey(key); err != nil {
		return err
	}
	if len(value) > MaxValue {
		return ErrValue
	}
	o.set(key, append([]byte{}, value...))
	return nil
}

// Delete takes key away.
func (o *Overlay) Delete(key []byte) error {
	if err := CheckKey(key); err != nil {
		return err
	}
	o.set(key, nil)
	return nil
}

func (o *Overlay) set(key, value []byte) {
	if o.writes == nil {
		o.writes = map[string][]byte{}
	}
	o.writes[string(key)] = value
}

// Scan merges the writes of o, as they are now, with what lies under it.
func (o *Overlay) Scan(from, to []byte, fn func(key, value []byte) bool) error {
	mine := o.within(from, to)
	stopped := false
	emit := func(w write) {
		if w.value != nil && !stopped {
			stopped = !fn([]byte(w.key), clone(w.value))
		}
	}
	err := o.under.Scan(from, to, func(key, value []byte) bool {
		for len(mine) > 0 && mine[0].key < string(key) {
			emit(mine[0])
			mine = mine[1:]
		}
		switch {
		case stopped:
		case len(mine) > 0 && mine[0].key == string(key):
			emit(mine[0])
			mine = mine[1:]
		default:
			stopped = !fn(key, value)
		}
		return !stopped
	})
	if err != nil {
		return err
	}
	for _, w := range mine {
		emit(w)
	}
	return nil
}

type write struct {
	key   string
	value []byte
}

func (o *Overlay) within(from, to []byte) []write {
	var ws []write
	for key, value := range o.writes {
		if key >= string(from) && (to == nil || key < string(to)) {
			ws = append(ws, write{key, value})
		}
	}
	sort.Slice(ws, func(i, j int) bool { return ws[i].key < ws[j].key })
	return ws
}

// CheckKey is ErrKey for a key that no engine takes.
func CheckKey(key []byte) error {
	if len(key) == 0 || len(key) > MaxKey {
		return ErrKey
	}
	return nil
}

// clone copies a value so that nil stays nil and empty stays empty.
func clone(value []byte) []byte {
	if value == nil {
		return nil
	}
	return append([]byte{}, value...)
}

// sorted is a list of rows in ascending order of their keys.
type sorted []write

func (s sorted) find(key []byte) (int, bool) {
	return slices.BinarySearchFunc(s, key, func(w write, key []byte) int {
		return bytes.Compare([]byte(w.key), key)
	})
}
