package storage

import (
	"context"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// get is the value of a key; where there is no row, what the key alone says.
func get[T any, P codec.Value[T]](r kv.Reader, k []byte) (v T, err error) {
	value, err := r.Get(k)
	if err != nil || value != nil {
		if err == nil {
			v, err = codec.Decode[T, P](k, value)
		}
		return v, err
	}
	codec.Keys[T, P](k, &v)
	return v, nil
}

// need is get where there must be a row: else it is ErrNotFound.
func need[T any, P codec.Value[T]](r kv.Reader, k []byte) (v T, err error) {
	value, err := r.Get(k)
	if err == nil && value == nil {
		err = ErrNotFound
	}
	if err != nil {
		return v, err
	}
	return codec.Decode[T, P](k, value)
}

// lookAt is get in a transaction of its own.
func lookAt[T any, P codec.Value[T]](ctx context.Context, s *Store, k []byte) (T, error) {
	return look(ctx, s, func(r kv.Reader) (T, error) { return get[T, P](r, k) })
}

// scan gives f the values of the rows from a key up to another, until f is false.
func scan[T any, P codec.Value[T]](r kv.Reader, from, to []byte, f func(k []byte, v T) bool) error {
	var bad error
	err := r.Scan(from, to, func(k, value []byte) bool {
		var v T
		v, bad = codec.Decode[T, P](k, value)
		return bad == nil && f(k, v)
	})
	return firstOf(bad, err)
}

// allUnder are the values of the rows whose keys begin with prefix.
func allUnder[T any, P codec.Value[T]](r kv.Reader, prefix []byte) (all []T, err error) {
	err = scan[T, P](r, prefix, kv.After(prefix), func(_ []byte, v T) bool {
		all = append(all, v)
		return true
	})
	return all, err
}
