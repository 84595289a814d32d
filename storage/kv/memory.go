package kv

import (
	"context"
	"slices"
	"sync"
)

// Memory is an Engine that forgets everything when the process ends. It is for
// tests: an insertion moves what lies behind it, so it suits some ten thousand rows.
type Memory struct {
	mu      sync.RWMutex
	rows    sorted
	closed  bool
	watches map[*watch]bool
}

type watch struct {
	from, to string
	fn       func(key, value []byte)
}

// NewMemory gives an empty Memory.
func NewMemory() *Memory { return &Memory{} }

// View is Engine.View.
func (m *Memory) View(ctx context.Context, fn func(Reader) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		return ErrClosed
	}
	return fn(m.rows)
}

// Update is Engine.Update.
func (m *Memory) Update(ctx context.Context, fn func(Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	tx := NewOverlay(m.rows)
	if err := fn(tx); err != nil {
		return err
	}
	if f, ok := FenceOf(ctx).(interface{ Held() bool }); ok && !f.Held() {
		return ErrFenced
	}
	for key, value := range tx.Writes() {
		m.rows = m.rows.with(key, value)
		for w := range m.watches {
			if value != nil && w.from <= string(key) && string(key) < w.to {
				w.fn(key, clone(value))
			}
		}
	}
	return nil
}

// Count is Engine.Count.
func (m *Memory) Count(ctx context.Context, table byte) (rows int64, exact bool, err error) {
	err = m.View(ctx, func(r Reader) error {
		return r.Scan([]byte{table}, After([]byte{table}), func(_, _ []byte) bool { rows++; return true })
	})
	return rows, true, err
}

// Watch is Watcher.Watch.
func (m *Memory) Watch(ctx context.Context, from, to []byte, fn func(key, value []byte)) error {
	w := &watch{string(from), string(to), fn}
	m.mu.Lock()
	if m.watches == nil {
		m.watches = map[*watch]bool{}
	}
	m.watches[w] = true
	m.mu.Unlock()
	<-ctx.Done()
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.watches, w)
	return ctx.Err()
}

// Close is Engine.Close. A second one does nothing.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}

func (s sorted) with(key, value []byte) sorted {
	i, found := s.find(key)
	switch {
	case value == nil && found:
		return slices.Delete(s, i, i+1)
	case value == nil:
		return s
	case found:
		s[i].value = value
		return s
	}
	return slices.Insert(s, i, write{string(key), value})
}

// Get is Reader.Get.
func (s sorted) Get(key []byte) ([]byte, error) {
	if err := CheckKey(key); err != nil {
		return nil, err
	}
	if i, found := s.find(key); found {
		return clone(s[i].value), nil
	}
	return nil, nil
}

// Scan is Reader.Scan.
func (s sorted) Scan(from, to []byte, fn func(key, value []byte) bool) error {
	i, _ := s.find(from)
	for ; i < len(s) && (to == nil || s[i].key < string(to)); i++ {
		if !fn([]byte(s[i].key), clone(s[i].value)) {
			break
		}
	}
	return nil
}
