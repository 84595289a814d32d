package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"tengen/storage/kv"
)

// What a copy reads and writes at once.
const (
	pageRows  = 2000
	pageBytes = 1 << 20
)

// Copy makes the rows of dst those of src, and compares them all in the end; nobody may
// change either meanwhile. The row that names the schema goes last, so that a copy that was
// cut short is no store; another Copy goes on where it stopped. A dst that is a store
// already is refused, and so is a src that holds what this program, of the version program, does not
// know. progress, which may be nil, is called with the rows done, first of
// copying and then of comparing.
func Copy(ctx context.Context, dst, src kv.Engine, program string, progress func(rows int64)) (rows int64, err error) {
	if progress == nil {
		progress = func(int64) {}
	}
	schema, err := (&Store{kv: &schedule{Engine: src}}).refused(ctx, currentSchema, program)
	if err == nil && schema == 0 {
		err = errors.New("there is no store to copy")
	}
	if err != nil {
		return 0, err
	}
	if schema, err := (&Store{kv: &schedule{Engine: dst}}).named(ctx); err != nil || schema != 0 {
		return 0, errors.Join(errors.New("where the copy is to go is a store already"), err)
	}
	meta, behind := []byte{tMeta}, []byte{tMeta + 1}
	for _, part := range [][2][]byte{{nil, meta}, {behind, nil}, {meta, behind}} {
		if rows, err = copyPart(ctx, dst, src, part[0], part[1], rows, progress); err != nil {
			return rows, fmt.Errorf("copying: %w", err)
		}
	}
	same := int64(0)
	return rows, pages(ctx, src, nil, nil, func(page []pair, from, to []byte) error {
		theirs, err := between(ctx, dst, from, to)
		if err != nil {
			return fmt.Errorf("comparing: %w", err)
		}
		if len(changes(page, theirs)) > 0 {
			return errors.New("comparing: the copy differs; something has changed one of the two meanwhile")
		}
		same += int64(len(page))
		progress(same)
		return nil
	})
}

// pair is a row; one without a value is to be deleted.
type pair struct{ key, value []byte }

func copyPart(ctx context.Context, dst, src kv.Engine, from, to []byte, rows int64,
	progress func(int64)) (int64, error) {
	err := pages(ctx, src, from, to, func(page []pair, from, to []byte) error {
		theirs, err := between(ctx, dst, from, to)
		if err != nil {
			return err
		}
		rows += int64(len(page))
		progress(rows)
		for some := range slices.Chunk(changes(page, theirs), pageRows) {
			if err := write(ctx, dst, some); err != nil {
				return err
			}
		}
		return nil
	})
	return rows, err
}

// pages calls fn for the rows of src, a few at a time, with the range that holds them.
// The ranges follow one another without a gap.
func pages(ctx context.Context, src kv.Engine, from, to []byte, fn func(page []pair, from, to []byte) error) error {
	for {
		var page []pair
		next := to
		err := src.View(ctx, func(r kv.Reader) error {
			page, next = nil, to
			size := 0
			return r.Scan(from, to, func(k, v []byte) bool {
				page, size = append(page, pair{k, v}), size+len(k)+len(v)
				if len(page) == pageRows || size >= pageBytes {
					next = append(bytes.Clone(k), 0)
				}
				return next == nil || bytes.Equal(next, to)
			})
		})
		if err != nil {
			return err
		}
		if err := fn(page, from, next); err != nil {
			return err
		}
		if bytes.Equal(next, to) {
			return nil
		}
		from = next
	}
}

// between gives the rows from <= key < to.
func between(ctx context.Context, e kv.Engine, from, to []byte) (rows []pair, err error) {
	err = e.View(ctx, func(r kv.Reader) error {
		rows = nil
		return r.Scan(from, to, func(k, v []byte) bool {
			rows = append(rows, pair{k, v})
			return true
		})
	})
	return rows, err
}

// changes make theirs what ours is.
func changes(ours, theirs []pair) (out []pair) {
	for len(ours) > 0 || len(theirs) > 0 {
		order := 0
		switch {
		case len(ours) == 0:
			order = 1
		case len(theirs) == 0:
			order = -1
		default:
			order = bytes.Compare(ours[0].key, theirs[0].key)
		}
		switch {
		case order > 0:
			out = append(out, pair{key: theirs[0].key})
		case order < 0 || !bytes.Equal(ours[0].value, theirs[0].value):
			out = append(out, ours[0])
		}
		if order <= 0 {
			ours = ours[1:]
		}
		if order >= 0 {
			theirs = theirs[1:]
		}
	}
	return out
}

// write makes the changes.
func write(ctx context.Context, e kv.Engine, changes []pair) error {
	return e.Update(ctx, func(tx kv.Tx) (err error) {
		for _, c := range changes {
			if c.value == nil {
				err = firstOf(err, tx.Delete(c.key))
			} else {
				err = firstOf(err, tx.Put(c.key, c.value))
			}
		}
		return err
	})
}
