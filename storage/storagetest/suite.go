// Package storagetest is what every engine of package kv must do, alone and under a store: one suite,
// run on each of them. Start from Run.
package storagetest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"tengen/storage/kv"
)

// Open opens an engine on the place that belongs to t. A second call opens what the
// first one wrote if the engine keeps anything, and never while the first is open.
type Open func(t testing.TB) kv.Engine

// Run runs the whole suite: rows, then events, puzzles, ladders and gatherings on them. fresh gives an Open with a
// place of its own; keeps says that what was written is still there after Close and Open.
func Run(t *testing.T, fresh func(t testing.TB) Open, keeps bool) {
	part := func(name string, run func(t *testing.T)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t)
		})
	}
	for _, c := range []struct {
		name string
		run  func(t *testing.T, open Open)
	}{
		{"rows", rows}, {"scans", scans}, {"scan over own writes", ownWrites}, {"failing closure", failing},
		{"panicking closure", panicking}, {"what is read is the caller's", owned}, {"limits", limits},
		{"cancelled", cancelled}, {"closed", closed}, {"counters", counters}, {"one state", oneState},
		{"neighbours that fail", neighbours}, {"model", runModel},
		{"a round of fifty", largeRound}, {"results at once", resultsAtOnce}, {"once by many", onceByMany},
		{"puzzles", puzzles}, {"a clock ahead", ahead},
		{"ladder", shared("ladder", ladder)}, {"together", shared("crowd", playTogether)},
		{"simul", shared("simul", playSimul)},
	} {
		part(c.name, func(t *testing.T) { c.run(t, fresh(t)) })
	}
	if keeps {
		part("kept", func(t *testing.T) { kept(t, fresh(t)) })
		part("model with restarts", func(t *testing.T) { restarts(t, fresh) })
	}
}

// B is a key or value of text.
func B(format string, args ...any) []byte { return fmt.Appendf(nil, format, args...) }

// Put writes one row.
func Put[K, V ~string | ~[]byte](t testing.TB, e kv.Engine, key K, value V) {
	t.Helper()
	put := func(tx kv.Tx) error { return tx.Put([]byte(key), []byte(value)) }
	if err := e.Update(t.Context(), put); err != nil {
		t.Fatalf("Put %q: %v", key, err)
	}
}

// Get reads one row.
func Get(t testing.TB, e kv.Engine, key []byte) (value []byte) {
	t.Helper()
	err := e.View(t.Context(), func(r kv.Reader) (err error) {
		value, err = r.Get(key)
		return err
	})
	if err != nil {
		t.Fatalf("Get %q: %v", key, err)
	}
	return value
}

// All gives all rows as text, in the order in which the engine gives them.
func All(t testing.TB, e kv.Engine) (rows []string) {
	t.Helper()
	err := e.View(t.Context(), func(r kv.Reader) (err error) {
		rows, err = list(r, nil, nil)
		return err
	})
	if err != nil {
		t.Fatalf("Scan: %v", err)
	}
	return rows
}

// Holds checks that an engine has these rows.
func Holds(t testing.TB, e kv.Engine, want []string) {
	t.Helper()
	if got := All(t, e); !slices.Equal(got, want) {
		t.Errorf("there are %d rows, want %d: %.300q", len(got), len(want), got)
	}
}

func list(r kv.Reader, from, to []byte) (rows []string, err error) {
	err = r.Scan(from, to, func(key, value []byte) bool {
		rows = append(rows, fmt.Sprintf("%s=%s", key, value))
		return true
	})
	return rows, err
}

func open(t *testing.T, o Open) kv.Engine {
	e := o(t)
	t.Cleanup(func() { e.Close() })
	return e
}

func equal(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func rows(t *testing.T, o Open) {
	e := open(t, o)
	if v := Get(t, e, B("a")); v != nil {
		t.Errorf("an absent key gives %q, want nil", v)
	}
	Put(t, e, "a", []byte(nil))
	if v := Get(t, e, B("a")); v == nil || len(v) != 0 {
		t.Errorf("an empty value gives %v, want one that is empty and not nil", v)
	}
	Put(t, e, B("a"), B("1"))
	Put(t, e, B("a"), B("2"))
	Put(t, e, B("\x00"), B("0"))
	Put(t, e, B("\xff\xff"), B("3"))
	equal(t, "rows", All(t, e), "\x00=0", "a=2", "\xff\xff=3")
	Put(t, e, B("ab"), B("4"))
	err := e.Update(t.Context(), func(tx kv.Tx) error {
		return errors.Join(tx.Delete(B("a")), tx.Delete(B("never there")))
	})
	if err != nil {
		t.Errorf("Delete: %v", err)
	}
	for table, want := range map[byte]int64{0: 1, 'a': 1, 'b': 0, 0xff: 1} {
		if n, exact, err := e.Count(t.Context(), table); n != want || !exact || err != nil {
			t.Errorf("Count(%q): %d rows, exact: %v, %v", table, n, exact, err)
		}
	}
	Put(t, e, B("ab"), B("5"))
	equal(t, "rows after Delete", All(t, e), "\x00=0", "ab=5", "\xff\xff=3")
}

func scans(t *testing.T, o Open) {
	e := open(t, o)
	for _, k := range []string{"ba", "b", "a", "c", "bb", "a\x00", "d\xff", "d\xff\xff"} {
		Put(t, e, B("%s", k), B("."))
	}
	for _, c := range []struct {
		from, to []byte
		want     []string
	}{
		{nil, nil, []string{"a=.", "a\x00=.", "b=.", "ba=.", "bb=.", "c=.", "d\xff=.", "d\xff\xff=."}},
		{B("a"), B("b"), []string{"a=.", "a\x00=."}},
		{B("b"), kv.After(B("b")), []string{"b=.", "ba=.", "bb=."}},
		{B("ba"), B("bb"), []string{"ba=."}},
		{B("a\x00"), B("ba"), []string{"a\x00=.", "b=."}},
		{B("d\xff"), kv.After(B("d\xff")), []string{"d\xff=.", "d\xff\xff=."}},
		{B("bz"), B("c"), nil},
		{B("x"), nil, nil},
		{B("c"), B("a"), nil},
	} {
		err := e.View(t.Context(), func(r kv.Reader) error {
			got, err := list(r, c.from, c.to)
			equal(t, fmt.Sprintf("Scan(%q, %q)", c.from, c.to), got, c.want...)
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	seen := 0
	err := e.View(t.Context(), func(r kv.Reader) error {
		return r.Scan(nil, nil, func(_, _ []byte) bool { seen++; return seen < 3 })
	})
	if err != nil || seen != 3 {
		t.Errorf("a scan that is stopped at 3 saw %d rows, err %v", seen, err)
	}
}

func ownWrites(t *testing.T, o Open) {
	e := open(t, o)
	for _, k := range []string{"a", "c", "e"} {
		Put(t, e, B("%s", k), B("old"))
	}
	err := e.Update(t.Context(), func(tx kv.Tx) error {
		err := errors.Join(tx.Put(B("b"), B("new")), tx.Put(B("c"), B("new")), tx.Delete(B("e")), tx.Put(B("f"), nil),
			tx.Delete(B("g")))
		got, err2 := list(tx, nil, nil)
		equal(t, "a scan that sees its own writes", got, "a=old", "b=new", "c=new", "f=")
		v, err3 := tx.Get(B("e"))
		if v != nil {
			t.Errorf("a key deleted in the transaction gives %q", v)
		}
		// What the scan's own function writes is not seen by that scan.
		var during []string
		err4 := tx.Scan(nil, nil, func(key, _ []byte) bool {
			during = append(during, string(key))
			return tx.Put(append(B("z"), key...), B("late")) == nil && tx.Delete(B("f")) == nil
		})
		equal(t, "a scan under writing", during, "a", "b", "c", "f")
		stop := 0
		err5 := tx.Scan(nil, nil, func(_, _ []byte) bool { stop++; return stop < 2 })
		if stop != 2 {
			t.Errorf("a scan that is stopped at 2 saw %d rows", stop)
		}
		return errors.Join(err, err2, err3, err4, err5)
	})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "rows", All(t, e), "a=old", "b=new", "c=new", "za=late", "zb=late", "zc=late", "zf=late")
}

func failing(t *testing.T, o Open) {
	e := open(t, o)
	Put(t, e, B("a"), B("1"))
	mine := errors.New("mine")
	err := e.Update(t.Context(), func(tx kv.Tx) error {
		return errors.Join(tx.Put(B("a"), B("2")), tx.Put(B("b"), B("2")), tx.Delete(B("a")), mine)
	})
	if !errors.Is(err, mine) {
		t.Errorf("the closure's own error comes back as %v", err)
	}
	equal(t, "rows after a closure failed", All(t, e), "a=1")
}

func panicking(t *testing.T, o Open) {
	e := open(t, o)
	func() {
		defer func() {
			if r := recover(); r != "boom" {
				t.Errorf("a panic of the closure reaches its caller as %v", r)
			}
		}()
		_ = e.Update(t.Context(), func(tx kv.Tx) error {
			_ = tx.Put(B("a"), B("1"))
			panic("boom")
		})
	}()
	Put(t, e, B("b"), B("1"))
	equal(t, "rows after a panic", All(t, e), "b=1")
}

func owned(t *testing.T, o Open) {
	e := open(t, o)
	value := B("good")
	key := B("k1")
	err := e.Update(t.Context(), func(tx kv.Tx) error {
		err := tx.Put(key, value)
		copy(value, "evil")
		copy(key, "k2")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	err = e.Update(t.Context(), func(tx kv.Tx) error {
		for _, what := range []string{"was there", "was put"} {
			v, err := tx.Get(B("k1"))
			if err != nil {
				return err
			}
			copy(v, "evil")
			if v, err = tx.Get(B("k1")); string(v) != "good" {
				t.Errorf("what %s became %q, %v", what, v, err)
			}
			if err := tx.Put(B("k1"), B("good")); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	got := Get(t, e, B("k1"))
	var k, v []byte
	err = e.View(t.Context(), func(r kv.Reader) error {
		return r.Scan(nil, nil, func(key, value []byte) bool { k, v = key, value; return true })
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range [][]byte{got, k, v} {
		for i := range b {
			b[i] = 'x'
		}
		_ = append(b, "more"...)
	}
	equal(t, "rows after the caller wrote over what he was given", All(t, e), "k1=good")
}

func limits(t *testing.T, o Open) {
	e := open(t, o)
	long := bytes.Repeat([]byte("k"), kv.MaxKey)
	big := bytes.Repeat([]byte("v"), kv.MaxValue)
	Put(t, e, long, big)
	if got := Get(t, e, long); !bytes.Equal(got, big) {
		t.Errorf("the largest row comes back with %d bytes", len(got))
	}
	for _, c := range []struct {
		what string
		do   func(tx kv.Tx) error
		want error
	}{
		{"an empty key", func(tx kv.Tx) error { return tx.Put(nil, B("v")) }, kv.ErrKey},
		{"a key too long", func(tx kv.Tx) error { return tx.Put(append(long, 'k'), B("v")) }, kv.ErrKey},
		{"a value too long", func(tx kv.Tx) error { return tx.Put(B("k"), append(big, 'v')) }, kv.ErrValue},
		{"deleting an empty key", func(tx kv.Tx) error { return tx.Delete(nil) }, kv.ErrKey},
		{"getting an empty key", func(tx kv.Tx) error { _, err := tx.Get(nil); return err }, kv.ErrKey},
	} {
		if err := e.Update(t.Context(), c.do); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.what, err, c.want)
		}
	}
}

func cancelled(t *testing.T, o Open) {
	e := open(t, o)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ran := false
	if err := e.Update(ctx, func(tx kv.Tx) error {
		ran = true
		return tx.Put(B("a"), B("1"))
	}); !errors.Is(err, context.Canceled) || ran {
		t.Errorf("Update with an ended context: %v, ran %v", err, ran)
	}
	if err := e.View(ctx, func(kv.Reader) error { ran = true; return nil }); !errors.Is(err, context.Canceled) || ran {
		t.Errorf("View with an ended context: %v, ran %v", err, ran)
	}
	equal(t, "rows", All(t, e))
}

func closed(t *testing.T, o Open) {
	e := o(t)
	if err := errors.Join(e.Close(), e.Close()); err != nil {
		t.Errorf("Close twice: %v", err)
	}
	if err := e.Update(t.Context(), func(kv.Tx) error { return nil }); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("Update after Close: %v", err)
	}
	if err := e.View(t.Context(), func(kv.Reader) error { return nil }); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("View after Close: %v", err)
	}
}

// counters lets many goroutines add to few counters: every addition must be there.
func counters(t *testing.T, o Open) {
	e := open(t, o)
	const workers, each, keys = 16, 40, 3
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range each {
				key := B("counter%d", (w+i)%keys)
				err := e.Update(t.Context(), func(tx kv.Tx) error {
					v, err := tx.Get(key)
					if err != nil {
						return err
					}
					return tx.Put(key, binary.AppendUvarint(nil, number(v)+1))
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	total := uint64(0)
	for k := range keys {
		total += number(Get(t, e, B("counter%d", k)))
	}
	if total != workers*each {
		t.Errorf("the counters hold %d, want %d", total, workers*each)
	}
}

func number(v []byte) uint64 {
	n, _ := binary.Uvarint(v)
	return n
}

// oneState moves an amount between two rows while readers look: the sum never changes.
func oneState(t *testing.T, o Open) {
	e := open(t, o)
	Put(t, e, B("left"), binary.AppendUvarint(nil, 1000))
	Put(t, e, B("right"), binary.AppendUvarint(nil, 0))
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				var left, right []byte
				err := e.View(t.Context(), func(r kv.Reader) (err error) {
					if left, err = r.Get(B("left")); err != nil {
						return err
					}
					right, err = r.Get(B("right"))
					return err
				})
				if err != nil || number(left)+number(right) != 1000 {
					t.Errorf("a reader saw %d and %d, err %v", number(left), number(right), err)
					return
				}
			}
		})
	}
	for range 200 {
		err := e.Update(t.Context(), func(tx kv.Tx) error {
			left, err := tx.Get(B("left"))
			right, err2 := tx.Get(B("right"))
			return errors.Join(err, err2,
				tx.Put(B("left"), binary.AppendUvarint(nil, number(left)-1)),
				tx.Put(B("right"), binary.AppendUvarint(nil, number(right)+1)))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	close(done)
	wg.Wait()
}

// neighbours runs closures that fail, panic and succeed at the same time: each gets
// its own outcome.
func neighbours(t *testing.T, o Open) {
	e := open(t, o)
	mine := errors.New("mine")
	var wg sync.WaitGroup
	for w := range 32 {
		wg.Go(func() {
			defer func() {
				if r := recover(); (r != nil) != (w%4 == 3) {
					t.Errorf("closure %d panicked: %v", w, r)
				}
			}()
			for i := range 10 {
				err := e.Update(t.Context(), func(tx kv.Tx) error {
					if err := tx.Put(B("%02d/%02d", w, i), B("x")); err != nil {
						return err
					}
					switch w % 4 {
					case 2:
						return mine
					case 3:
						panic("boom")
					}
					return nil
				})
				if (err != nil) != (w%4 == 2) {
					t.Errorf("closure %d: %v", w, err)
				}
			}
		})
	}
	wg.Wait()
	if n := len(All(t, e)); n != 16*10 {
		t.Errorf("%d rows, want those of the 16 that succeeded: %d", n, 16*10)
	}
}

func kept(t *testing.T, o Open) {
	e := o(t)
	for i := range 500 {
		Put(t, e, B("%c%d", 'a'+i%5, i), bytes.Repeat(B("%d,", i), i%50))
	}
	want := All(t, e)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = open(t, o)
	equal(t, "rows after a restart", All(t, e), want...)
}
