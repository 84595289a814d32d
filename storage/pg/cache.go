package pg

import (
	"bytes"
	"strings"
	"sync"
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

func (c *cache) get(key string) (row, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.young[key]
	if !ok {
		if r, ok = c.old[key]; ok {
			c.add(key, r)
		}
	}
	return r, ok
}

// put notes a row as it was at the revision at. An absent row has none, so it may take the place
// of a newer one: that is a wrong guess, no more.
func (c *cache) put(key string, r row, at int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, rows := range []map[string]row{c.young, c.old} {
		if had, ok := rows[key]; ok && had.at > at {
			return
		}
	}
	r.at, r.guessed = at, false
	c.add(key, r)
}

func (c *cache) add(key string, r row) {
	if len(c.young) >= cacheRows || c.young == nil {
		c.young, c.old = map[string]row{}, c.young
	}
	c.young[key] = r
}

func (c *cache) drop(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.young, key)
	delete(c.old, key)
}

// guess gives a row from the cache. The commit has to find out whether it is still so.
func (s *snapshot) guess(key []byte) (r row, ok bool) {
	if !s.warm {
		return row{}, false
	}
	r, ok = s.db.cache.get(string(key))
	if !ok {
		ok = strings.IndexByte(s.db.options.Absent, key[0]) >= 0
		r = row{}
	}
	if ok {
		r.guessed, s.guessed = true, true
		s.rows[string(key)] = r
	}
	return r, ok
}

// learn caches a written row for the next transaction; at is its revision, 0 for unknown.
func (c *cache) learn(key, value []byte, at int64) {
	switch {
	case at == 0:
		c.drop(string(key))
	case value == nil:
		c.put(string(key), row{}, at)
	default:
		c.put(string(key), row{value: bytes.Clone(value), revision: at}, at)
	}
}

// unlearn takes the guessed rows out of the cache, since they may be wrong.
func (s *snapshot) unlearn() {
	for key, r := range s.rows {
		if r.guessed {
			s.db.cache.drop(key)
		}
	}
}
