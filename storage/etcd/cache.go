package etcd

import (
	"bytes"
	"sync"

	"tengen/storage/kv"
)

// cache keeps rows as this process last saw them. A transaction reads the cache first, so
// that a further move in the same match needs one request, the commit. The commit compares
// the revision of each row that was read: where the cache was behind, nothing is made, and
// the closure runs again on the servers' rows. A closure that gives an error or writes
// nothing after it read the cache runs again as well, so that no member is refused because
// of an old row. So does one that panics: an old row beside a new one may be what its code
// rules out.
type cache struct {
	mu         sync.Mutex
	young, old map[string]row
}

// cacheRows is how many rows one of the two generations takes; a row is some hundred bytes.
const cacheRows = 8192

func (c *cache) get(full string) (row, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.young[full]
	if !ok {
		if r, ok = c.old[full]; ok {
			c.add(full, r)
		}
	}
	return r, ok
}

// put notes a row as it was at the revision at.
func (c *cache) put(full string, r row, at int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, rows := range []map[string]row{c.young, c.old} {
		if had, ok := rows[full]; ok && had.at > at {
			return
		}
	}
	r.at, r.guessed = at, false
	c.add(full, r)
}

func (c *cache) add(full string, r row) {
	if len(c.young) >= cacheRows || c.young == nil {
		c.young, c.old = map[string]row{}, c.young
	}
	c.young[full] = r
}

func (c *cache) drop(full string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.young, full)
	delete(c.old, full)
}

// guess gives a row from the cache. The commit has to find out whether it is still so.
func (s *snapshot) guess(full string, key []byte) (r row, ok bool) {
	if !s.warm || s.reads == nil {
		return row{}, false
	}
	r, ok = s.db.cache.get(full)
	if !ok {
		ok = bytes.IndexByte([]byte(s.db.options.Absent), key[0]) >= 0
		r = row{}
	}
	if ok {
		r.guessed, s.guessed = true, true
		s.reads[full] = r
	}
	return r, ok
}

// run runs a closure. One that panics after it guessed counts as wrong: its rows may be of several
// revisions and contradict one another. It runs again without guesses.
func (s *snapshot) run(fn func(kv.Tx) error, tx kv.Tx) (err error) {
	defer func() {
		if s.guessed && recover() != nil {
			s.wrong = true
		}
	}()
	return fn(tx)
}

// learn caches a written row for the next transaction; at is its revision, 0 for unknown.
func (s *snapshot) learn(full string, value []byte, at int64) {
	switch {
	case at == 0:
		s.db.cache.drop(full)
	case value == nil:
		s.db.cache.put(full, row{}, at)
	default:
		s.db.cache.put(full, row{value: bytes.Clone(value), revision: at}, at)
	}
}

// unlearn takes the guessed rows out of the cache, since they may be wrong.
func (s *snapshot) unlearn() {
	for full, r := range s.reads {
		if r.guessed {
			s.db.cache.drop(full)
		}
	}
}
