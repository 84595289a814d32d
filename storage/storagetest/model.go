package storagetest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tengen/storage/kv"
)

// runModel runs random transactions on an engine and on a map, and compares.
func runModel(t *testing.T, o Open) {
	e := open(t, o)
	rapid.Check(t, func(rt *rapid.T) {
		m := &model{t: t, e: e, want: map[string]string{}}
		m.clear()
		rt.Repeat(map[string]func(*rapid.T){"": m.compare, "update": m.update, "scan": m.scan})
	})
}

// restarts is runModel with the engine closed and opened again in between.
func restarts(t *testing.T, fresh func(testing.TB) Open) {
	o := fresh(t)
	m := &model{t: t, e: o(t), want: map[string]string{}}
	defer func() { m.e.Close() }()
	rapid.Check(t, func(rt *rapid.T) {
		m.clear()
		rt.Repeat(map[string]func(*rapid.T){
			"":       m.compare,
			"update": m.update,
			"restart": func(rt *rapid.T) {
				if !rapid.Bool().Draw(rt, "really") { // a restart costs more than the rest
					return
				}
				if err := m.e.Close(); err != nil {
					rt.Fatal(err)
				}
				m.e = o(t)
			},
		})
	})
}

type model struct {
	t    *testing.T
	e    kv.Engine
	want map[string]string
}

// Short keys of few letters meet each other often.
var keys = rapid.StringOfN(rapid.RuneFrom([]rune{'a', 'b', 'c', 0, 127}), 1, 3, -1)

func (m *model) clear() {
	m.want = map[string]string{}
	err := m.e.Update(m.t.Context(), func(tx kv.Tx) error {
		var err error
		scan := tx.Scan(nil, nil, func(key, _ []byte) bool {
			err = tx.Delete(key)
			return err == nil
		})
		return errors.Join(scan, err)
	})
	if err != nil {
		m.t.Fatal(err)
	}
}

var errAborted = errors.New("aborted")

func (m *model) update(rt *rapid.T) {
	type op struct {
		kind       string
		key, value string
	}
	ops := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) op {
		return op{
			rapid.SampledFrom([]string{"put", "put", "put", "delete", "get", "scan"}).Draw(rt, "op"),
			keys.Draw(rt, "key"), rapid.StringN(0, 20, 3000).Draw(rt, "value"),
		}
	}), 0, 8).Draw(rt, "ops")
	abort := rapid.IntRange(0, 4).Draw(rt, "abort") == 0
	next := maps.Clone(m.want)
	err := m.e.Update(m.t.Context(), func(tx kv.Tx) error {
		next = maps.Clone(m.want) // the closure may run again
		for _, op := range ops {
			switch op.kind {
			case "put":
				if err := tx.Put([]byte(op.key), []byte(op.value)); err != nil {
					return err
				}
				next[op.key] = op.value
			case "delete":
				if err := tx.Delete([]byte(op.key)); err != nil {
					return err
				}
				delete(next, op.key)
			case "get":
				v, err := tx.Get([]byte(op.key))
				if want, ok := next[op.key]; err != nil || string(v) != want || (v != nil) != ok {
					return fmt.Errorf("Get(%q) in the transaction gives %q, %v; want %q, %v", op.key, v, err, want, ok)
				}
			case "scan":
				got, err := list(tx, []byte(op.key), nil)
				if want := rowsOf(next, op.key, ""); err != nil || !slices.Equal(got, want) {
					return fmt.Errorf("Scan(%q) in the transaction gives %q, %v; want %q", op.key, got, err, want)
				}
			}
		}
		if abort {
			return errAborted
		}
		return nil
	})
	switch {
	case abort && errors.Is(err, errAborted):
	case err != nil:
		rt.Fatal(err)
	default:
		m.want = next
	}
}

func (m *model) scan(rt *rapid.T) {
	from, to := keys.Draw(rt, "from"), keys.Draw(rt, "to")
	err := m.e.View(m.t.Context(), func(r kv.Reader) error {
		got, err := list(r, []byte(from), []byte(to))
		if want := rowsOf(m.want, from, to); !slices.Equal(got, want) {
			return fmt.Errorf("Scan(%q, %q) gives %q, want %q", from, to, got, want)
		}
		return err
	})
	if err != nil {
		rt.Fatal(err)
	}
}

func (m *model) compare(rt *rapid.T) {
	if got, want := All(m.t, m.e), rowsOf(m.want, "", ""); !slices.Equal(got, want) {
		rt.Fatalf("the rows are %q, want %q", got, want)
	}
}

func rowsOf(m map[string]string, from, to string) (rows []string) {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if key >= from && (to == "" || key < to) {
			rows = append(rows, key+"="+m[key])
		}
	}
	return rows
}
