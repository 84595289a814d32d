package storagetest

import (
	"testing"

	"tengen/storage"
	"tengen/storage/kv"
)

// Memory is a new store in memory.
func Memory(t testing.TB) *storage.Store {
	t.Helper()
	return Store(t, kv.NewMemory())
}

// Store is the store that an engine holds. Without options it has no limits.
func Store(t testing.TB, engine kv.Engine, o ...storage.Options) *storage.Store {
	t.Helper()
	s, err := storage.Open(t.Context(), engine, append(o, storage.Options{})[0])
	if err != nil {
		t.Fatal(err)
	}
	return s
}
