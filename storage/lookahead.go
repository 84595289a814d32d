package storage

import (
	"errors"

	"tengen/storage/kv"
)

// lookahead reads for closures that can be called again. Where its engine is one that answers many
// questions at once (kv.Firsts), it notes what it does not know yet, and gives errAhead. Once all
// closures have been called, fetch asks for what was noted, in one request.
type lookahead struct {
	kv.Reader
	engine kv.Firsts // nil: nothing is read ahead
	known  map[asked]pair
	wanted []asked
}

// asked is the question for the first row of a range.
type asked struct{ from, to string }

var errAhead = errors.New("not read yet")

func readAhead(r kv.Reader) *lookahead {
	engine, _ := r.(kv.Firsts)
	return &lookahead{Reader: r, engine: engine, known: map[asked]pair{}}
}

// first gives the first row of a range; one without a key where there is none.
func (a *lookahead) first(from, to []byte) (pair, error) {
	q := asked{string(from), string(to)}
	row, ok := a.known[q]
	if !ok {
		a.wanted = append(a.wanted, q)
		return pair{}, errAhead
	}
	return row, nil
}

// Get is kv.Reader.Get.
func (a *lookahead) Get(key []byte) ([]byte, error) {
	if a.engine == nil {
		return a.Reader.Get(key)
	}
	row, err := a.first(key, after(key))
	return row.value, err
}

// Scan is kv.Reader.Scan. Most scans end at their first row.
func (a *lookahead) Scan(from, to []byte, fn func(key, value []byte) bool) error {
	if a.engine == nil || to == nil {
		return a.Reader.Scan(from, to, fn)
	}
	row, err := a.first(from, to)
	if err != nil || row.key == nil || !fn(row.key, row.value) {
		return err
	}
	return a.Reader.Scan(after(row.key), to, fn)
}

// fetch reads what was asked for.
func (a *lookahead) fetch() error {
	if len(a.wanted) == 0 {
		return nil
	}
	var froms, tos [][]byte
	for _, q := range a.wanted {
		froms, tos = append(froms, []byte(q.from)), append(tos, []byte(q.to))
		a.known[q] = pair{}
	}
	wanted := a.wanted
	a.wanted = nil
	return a.engine.Firsts(froms, tos, func(i int, key, value []byte) { a.known[wanted[i]] = pair{key, value} })
}

// after is the key that follows a key.
func after(key []byte) []byte { return append(key[:len(key):len(key)], 0) }
