package etcd

import (
	"context"
	"errors"
	"slices"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"tengen/storage/kv"
)

const (
	firstPage = 32   // rows of a scan's first request; most scans are short or stop early
	lastPage  = 8192 // rows of the largest request; each is eight times the one before
	// rows from which a page may take longer: servers of 3.4 walk over the rest of the range for each page
	slowPage  = 2048
	slowTries = 4 // times the usual wait, for such a page
	fewRows   = 8 // a scan of at most so many rows is guarded row by row
)

// snapshot reads one revision. Where reads is not nil it keeps what a commit must compare.
type snapshot struct {
	ctx      context.Context
	db       *DB
	revision int64 // 0 before the first read
	reads    map[string]row
	ranges   []span
	err      error // the first error of etcd, whatever the closure does with it
	warm     bool  // it may guess from the cache
	guessed  bool  // it has guessed
	wrong    bool  // a guess is known to be wrong
}

// row is what was read under a key; an absent row has revision 0.
type row struct {
	value    []byte
	revision int64
	at       int64 // in the cache: the revision at which the row was so
	guessed  bool  // it comes from the cache
}

// span is a range of full keys that a scan passed over.
type span struct {
	from, to string
	rows     []string // the rows in it, at most fewRows
	many     bool     // there were more
}

// again says whether a new snapshot may help.
func (s *snapshot) again() bool { return s.ctx.Err() == nil && passing(s.err) }

// result is the closure's error, or etcd's where the closure did not pass that on.
func (s *snapshot) result(err error) error {
	if s.err == nil || errors.Is(err, s.err) {
		return err
	}
	return s.err
}

// Get is Reader.Get.
func (s *snapshot) Get(key []byte) ([]byte, error) {
	if err := kv.CheckKey(key); err != nil {
		return nil, err
	}
	full := s.db.keys.row(key)
	if r, ok := s.reads[full]; ok {
		return slices.Clone(r.value), nil
	}
	if r, ok := s.guess(full, key); ok {
		return slices.Clone(r.value), nil
	}
	resp, err := s.read(full)
	if err != nil {
		return nil, err
	}
	var r row
	if len(resp.Kvs) > 0 {
		r.revision = resp.Kvs[0].ModRevision
		if r.value, err = kv.CutChecksum(key, resp.Kvs[0].Value); err != nil {
			return nil, err
		}
	}
	if s.reads != nil {
		s.reads[full] = r
		s.db.cache.put(full, r, s.revision)
	}
	return slices.Clone(r.value), nil
}

// Scan is Reader.Scan.
func (s *snapshot) Scan(from, to []byte, fn func(key, value []byte) bool) error {
	start, end := s.db.keys.row(from), s.db.keys.end()
	if to != nil {
		end = s.db.keys.row(to)
	}
	if start >= end {
		return nil
	}
	seen := span{from: start, to: end}
	for limit := int64(firstPage); ; limit = min(8*limit, lastPage) {
		try := s.db.options.Try
		if limit >= slowPage {
			try *= slowTries
		}
		resp, err := s.readFor(try, start, clientv3.WithRange(end), clientv3.WithLimit(limit))
		if err != nil {
			return err
		}
		for _, e := range resp.Kvs {
			full, key := string(e.Key), s.db.keys.plain(e.Key)
			value, err := kv.CutChecksum(key, e.Value)
			if err != nil {
				return err
			}
			start = full + "\x00"
			if s.reads != nil {
				if had, ok := s.reads[full]; ok && had.revision != e.ModRevision {
					s.wrong = true
				}
				s.reads[full] = row{value: value, revision: e.ModRevision}
				seen.add(full)
			}
			if !fn(key, slices.Clone(value)) {
				seen.to = start
				s.keep(seen)
				return nil
			}
		}
		if !resp.More {
			s.keep(seen)
			return nil
		}
	}
}

func (s *span) add(full string) {
	if len(s.rows) == fewRows {
		s.many = true
		return
	}
	s.rows = append(s.rows, full)
}

func (s *snapshot) keep(seen span) {
	if s.reads != nil {
		s.ranges = append(s.ranges, seen)
	}
}

// read asks for a key or a range until there is an answer. The first read is of the newest
// revision, the others of the same one. All reads go through the leader: a member that lags
// behind may not know the revision yet.
func (s *snapshot) read(key string, options ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	return s.readFor(s.db.options.Try, key, options...)
}

// readFor is read with another wait for each answer.
func (s *snapshot) readFor(try time.Duration, key string, options ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	if s.err != nil {
		return nil, s.err
	}
	if s.revision != 0 {
		options = append(options, clientv3.WithRev(s.revision))
	}
	var resp *clientv3.GetResponse
	s.err = s.db.askFor(s.ctx, try, func(ctx context.Context) (err error) {
		resp, err = s.db.client.Get(ctx, key, options...)
		return err
	})
	if s.err != nil {
		return nil, s.err
	}
	if s.revision == 0 {
		s.revision = resp.Header.Revision
	}
	return resp, nil
}

// guards are the comparisons that hold as long as nothing that was read has changed.
func (s *snapshot) guards() []clientv3.Cmp {
	single := map[string]bool{}
	tables := map[byte]bool{}
	var guards []clientv3.Cmp
	for _, r := range s.ranges {
		guards = append(guards, clientv3.Compare(clientv3.ModRevision(r.from).WithRange(r.to), "<", s.revision+1))
		for _, full := range r.rows {
			single[full] = true
		}
		if r.many {
			first, last := s.db.keys.tables(r)
			for t := int(first); t <= int(last); t++ {
				tables[byte(t)] = true
			}
		}
	}
	for full, r := range s.reads {
		if single[full] || r.guessed || !s.scanned(full) {
			guards = append(guards, clientv3.Compare(clientv3.ModRevision(full), "=", r.revision))
		}
	}
	if len(tables) > 16 { // a scan of everything: one comparison over all marks, which are never deleted
		first, last := s.db.keys.gone(0), s.db.keys.receipt("")
		return append(guards, clientv3.Compare(clientv3.ModRevision(first).WithRange(last), "<", s.revision+1))
	}
	for t := range tables {
		guards = append(guards, clientv3.Compare(clientv3.ModRevision(s.db.keys.gone(t)), "<", s.revision+1))
	}
	return guards
}

// scanned says whether the guard of a range covers what was read under the key.
func (s *snapshot) scanned(full string) bool {
	return slices.ContainsFunc(s.ranges, func(r span) bool {
		return r.from <= full && full < r.to && (r.many || s.reads[full].revision == 0)
	})
}
