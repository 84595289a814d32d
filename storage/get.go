package storage

import (
	"context"
	"time"

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

// span is the rows from one key up to another.
type span struct{ from, to []byte }

// under is the rows of a table whose keys begin with parts.
func under(table byte, parts ...uint64) span {
	prefix := key(table, parts...)
	return span{prefix, kv.After(prefix)}
}

// below and notBelow are the rows of a table whose keys begin with a number less than first, and the others.
func below(table byte, first uint64) span    { return span{key(table), key(table, first)} }
func notBelow(table byte, first uint64) span { return span{key(table, first), key(table + 1)} }

// dueBy is the rows of a table of times that are due by now.
func dueBy(table byte, now time.Time) span { return below(table, millisOf(now)+1) }

// found gives what pick finds in the keys of rows, n at most; where n is below 0, all.
func found[T any](r kv.Reader, in span, n int, pick func(k []byte) (T, bool)) (all []T, err error) {
	err = r.Scan(in.from, in.to, func(k, _ []byte) bool {
		if one, ok := pick(k); ok && len(all) != n {
			all = append(all, one)
		}
		return len(all) != n
	})
	return all, err
}

// keysIn is found for whole keys. A nil want names all.
func keysIn(r kv.Reader, in span, n int, want func(k []byte) bool) ([][]byte, error) {
	return found(r, in, n, func(k []byte) ([]byte, bool) { return k, want == nil || want(k) })
}

// partsIn is found for the i-th parts of the keys. A nil want names all.
func partsIn[T ~uint64](r kv.Reader, in span, i, n int, want func(T) bool) ([]T, error) {
	return found(r, in, n, func(k []byte) (T, bool) { return T(part(k, i)), want == nil || want(T(part(k, i))) })
}

// scan gives f the values of rows, until f is false.
func scan[T any, P codec.Value[T]](r kv.Reader, in span, f func(k []byte, v T) bool) error {
	var bad error
	err := r.Scan(in.from, in.to, func(k, value []byte) bool {
		var v T
		v, bad = codec.Decode[T, P](k, value)
		return bad == nil && f(k, v)
	})
	return firstOf(bad, err)
}

// allIn are the values of rows.
func allIn[T any, P codec.Value[T]](r kv.Reader, in span) (all []T, err error) {
	err = scan[T, P](r, in, func(_ []byte, v T) bool {
		all = append(all, v)
		return true
	})
	return all, err
}
