package etcd

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"tengen/storage/kv"
	"tengen/storage/lease"
)

// A share is a part of a lease.Group that this process holds. Each process in the group has
// a row of its own, and each held slot has a row that names its holder; both hang on a lease
// of etcd and go with it. Each process computes from the members' rows which slots it is to
// hold, takes those that are free, and gives up the others. The revision that made a slot's
// row is the fence of what is written under the slot: it differs each time that the slot is
// taken.
type share struct {
	db    *DB
	group lease.Group

	life context.Context
	end  context.CancelFunc
	done sync.WaitGroup

	mu    sync.Mutex
	until time.Time     // the lease lives at least until then, by this process's clock
	held  map[int]int64 // slot -> the revision that made its row

	// Changed with mu held.
	lease clientv3.LeaseID // 0: none
	name  string           // of this process among the members
}

// shareEvery is how often a process looks for slots to take or to give.
const shareEvery = 500 * time.Millisecond

// Join is lease.Leases.Join.
func (db *DB) Join(ctx context.Context, g lease.Group) (lease.Share, error) {
	if g.Slots <= 0 || strings.ContainsAny(g.Name, "/\x00") {
		return nil, fmt.Errorf("a group %q of %d", g.Name, g.Slots)
	}
	db.mu.Lock()
	if db.closed {
		db.mu.Unlock()
		return nil, fmt.Errorf("joining %s: %w", g.Name, kv.ErrClosed)
	}
	db.runs.Add(1) // Close waits for Join too, which does not hold the lock meanwhile
	db.mu.Unlock()
	defer db.runs.Done()
	s := &share{db: db, group: g, held: map[int]int64{}}
	s.life, s.end = context.WithCancel(db.life)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	if err := s.enter(ctx); err != nil {
		s.end()
		return nil, fmt.Errorf("joining %s: %w", g.Name, err)
	}
	s.done.Add(2)
	db.runs.Go(func() { defer s.done.Done(); s.run() })
	db.runs.Go(func() { defer s.done.Done(); s.keep() })
	return s, nil
}

// Shared is lease.Share.Shared.
func (s *share) Shared() bool { return true }

// Holds is lease.Share.Holds.
func (s *share) Holds(slot int) bool { return s.revisionOf(slot) != 0 }

// revisionOf is the revision that made the row of a held slot, 0 where the slot is not held.
func (s *share) revisionOf(slot int) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.alive() {
		return 0
	}
	return s.held[slot]
}

func (s *share) alive() bool {
	return time.Now().Before(s.until)
}

// Under is lease.Share.Under.
func (s *share) Under(ctx context.Context, slot int) (context.Context, bool) {
	made := s.revisionOf(slot)
	if made == 0 {
		return withFence(ctx, fence{s.slotKey(slot), -1}), false // 0 would hold while nobody has the slot
	}
	return withFence(ctx, fence{s.slotKey(slot), made}), true
}

// Close is lease.Share.Close.
func (s *share) Close() {
	s.end()
	s.done.Wait()
}

func (s *share) slotKey(slot int) string {
	return s.db.keys.share(fmt.Sprintf("%s/s/%05d", s.group.Name, slot))
}

// enter gets a lease and writes the member's row. However often it has to ask, it writes the
// row of one lease: the other processes would leave slots to each further row.
func (s *share) enter(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.db.options.Patience)
	defer cancel()
	var l *clientv3.LeaseGrantResponse
	var until time.Time
	err := s.db.ask(ctx, func(ctx context.Context) (err error) {
		began := time.Now()
		if l, err = s.db.client.Grant(ctx, int64(max(s.db.options.Lease/time.Second, 1))); err == nil {
			until = began.Add(time.Duration(l.TTL) * time.Second)
		}
		return err
	})
	if err != nil {
		return err
	}
	name := strconv.FormatUint(uint64(l.ID), 16)
	err = s.db.ask(ctx, func(ctx context.Context) error {
		_, err := s.db.client.Put(ctx, s.db.keys.share(s.group.Name+"/m/"+name), string(s.db.options.Announce),
			clientv3.WithLease(l.ID))
		return err
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lease, s.name, s.until = l.ID, name, until
	return nil
}

// keep keeps the lease alive. Only what the servers have confirmed counts.
func (s *share) keep() {
	every := s.db.options.Lease / 5
	heart := heart{db: s.db}
	for wait := time.Duration(0); s.sleep(wait); {
		wait = every
		s.mu.Lock()
		id := s.lease
		s.mu.Unlock()
		if id == 0 {
			continue
		}
		began := time.Now()
		lives, err := heart.beat(s.life, id)
		s.mu.Lock()
		switch {
		case s.lease != id:
		case err != nil:
			wait = every / 4
		case lives > 0:
			s.until = began.Add(lives)
		default:
			s.lease, s.until = 0, time.Time{}
		}
		s.mu.Unlock()
	}
}

// run takes and gives slots until the share is closed, and then gives up all.
func (s *share) run() {
	defer s.leave()
	for wait := time.Duration(0); s.sleep(wait); wait = shareEvery {
		s.mu.Lock()
		gone, alive := s.lease == 0, s.alive()
		s.mu.Unlock()
		if !alive {
			s.drop(slices.Sorted(maps.Keys(s.held)))
		}
		if gone && s.enter(s.life) != nil {
			continue
		}
		if s.reconcile() != nil {
			continue // without answers the lease ends, and the slots are dropped
		}
	}
}

// sleep waits; false when the share is closed.
func (s *share) sleep(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return s.life.Err() == nil
	case <-s.life.Done():
		return false
	}
}

// reconcile reads the rows of the group, and takes and gives slots accordingly.
func (s *share) reconcile() error {
	try, cancel := context.WithTimeout(s.life, s.db.options.Try)
	defer cancel()
	prefix := s.db.keys.share(s.group.Name + "/")
	resp, err := s.db.client.Get(try, prefix, clientv3.WithPrefix())
	if err != nil {
		return err
	}
	s.db.answered()
	var members []string
	holder, made := map[int]string{}, map[int]int64{}
	for _, row := range resp.Kvs {
		kind, name, _ := strings.Cut(string(row.Key[len(prefix):]), "/")
		if kind == "m" {
			members = append(members, name)
			continue
		}
		slot, err := strconv.Atoi(name)
		if err != nil {
			return err
		}
		holder[slot], made[slot] = string(row.Value), row.CreateRevision
	}
	if !slices.Contains(members, s.name) { // the lease is over; keep will notice
		return nil
	}
	var gained, lost, free []int
	give := map[int]int64{}
	s.mu.Lock()
	for slot := range s.held {
		if holder[slot] != s.name || made[slot] != s.held[slot] {
			lost = append(lost, slot)
		}
	}
	s.mu.Unlock()
	s.drop(lost)
	for slot, meant := range lease.Assign(members, s.group.Slots) {
		mine := holder[slot] == s.name
		switch {
		case mine && meant != s.name:
			give[slot] = made[slot]
		case mine:
			if s.hold(slot, made[slot]) { // an earlier try that nobody answered
				gained = append(gained, slot)
			}
		case meant == s.name && holder[slot] == "":
			free = append(free, slot)
		}
	}
	for some := range slices.Chunk(free, shareOps) {
		gained = append(gained, s.grab(some)...)
	}
	if len(gained) > 0 && s.group.Gained != nil {
		s.group.Gained(s, gained)
	}
	s.give(give)
	return nil
}

// hold notes that a slot is held; true where that is new.
func (s *share) hold(slot int, made int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, had := s.held[slot]
	s.held[slot] = made
	return !had
}

// drop notes that slots are lost, and calls Lost.
func (s *share) drop(slots []int) {
	if len(slots) == 0 {
		return
	}
	s.mu.Lock()
	for _, slot := range slots {
		delete(s.held, slot)
	}
	s.mu.Unlock()
	if s.group.Lost != nil {
		s.group.Lost(s, slots)
	}
}

// shareOps is how many slots are taken or given up in one request.
const shareOps = 100

// grab takes free slots, all or none. Without an answer the next reconcile finds their rows.
func (s *share) grab(slots []int) (gained []int) {
	s.mu.Lock()
	id := s.lease
	s.mu.Unlock()
	if id == 0 {
		return nil
	}
	var still []clientv3.Cmp
	var puts []clientv3.Op
	for _, slot := range slots {
		key := s.slotKey(slot)
		still = append(still, clientv3.Compare(clientv3.CreateRevision(key), "=", 0))
		puts = append(puts, clientv3.OpPut(key, s.name, clientv3.WithLease(id)))
	}
	try, cancel := context.WithTimeout(s.life, s.db.options.Try)
	defer cancel()
	resp, err := s.db.client.Txn(try).If(still...).Then(puts...).Commit()
	if err != nil || !resp.Succeeded {
		return nil
	}
	for _, slot := range slots {
		s.hold(slot, resp.Header.Revision)
	}
	return slots
}

// give hands slots over that others are to hold; rows has the revision that made each slot's
// row. Without an answer the next reconcile finds the rows, and gives them again.
func (s *share) give(rows map[int]int64) {
	var mine []int
	s.mu.Lock()
	for slot := range rows {
		if _, held := s.held[slot]; held {
			mine = append(mine, slot)
		}
	}
	s.mu.Unlock()
	slices.Sort(mine)
	if len(mine) > 0 && s.group.Lost != nil {
		s.group.Lost(s, mine)
	}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(rows)), shareOps) {
		var still []clientv3.Cmp
		var deletes []clientv3.Op
		s.mu.Lock()
		for _, slot := range some {
			delete(s.held, slot)
			key := s.slotKey(slot)
			still = append(still, clientv3.Compare(clientv3.CreateRevision(key), "=", rows[slot]))
			deletes = append(deletes, clientv3.OpDelete(key))
		}
		s.mu.Unlock()
		try, cancel := context.WithTimeout(s.life, s.db.options.Try)
		_, _ = s.db.client.Txn(try).If(still...).Then(deletes...).Commit()
		cancel()
	}
}

// leave gives everything up at once, so that nobody has to wait for the lease to end.
func (s *share) leave() {
	if slots := slices.Sorted(maps.Keys(s.held)); len(slots) > 0 && s.group.Lost != nil {
		s.group.Lost(s, slots)
	}
	s.mu.Lock()
	id := s.lease
	clear(s.held)
	s.mu.Unlock()
	if id == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.db.options.Try)
	defer cancel()
	_, _ = s.db.client.Revoke(ctx, id)
}
