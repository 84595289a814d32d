package pg

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"tengen/storage/kv"
	"tengen/storage/lease"
)

// A share is a part of a lease.Group that this process holds. Each process in the group has a row
// of its own, which lives until a time of the server's clock, and each held slot has a row that names its holder.
// Each process computes from the members' rows which slots it is to hold, takes those that
// are free, and gives up the others. The number with which a slot was taken is the fence of what is written under it.
type share struct {
	db    *DB
	group lease.Group

	life context.Context
	end  context.CancelFunc
	done sync.WaitGroup

	mu    sync.Mutex
	until time.Time     // the member's row lives at least until then, by this process's clock
	held  map[int]int64 // slot -> the number with which it was taken

	name int64 // of this process among the members; run alone changes it after Join
}

// shareEvery is how often a process looks for slots to take or to give.
const shareEvery = 500 * time.Millisecond

// Join is lease.Leases.Join.
func (db *DB) Join(ctx context.Context, g lease.Group) (lease.Share, error) {
	if g.Slots <= 0 || g.Name == "" {
		return nil, fmt.Errorf("a group %q of %d", g.Name, g.Slots)
	}
	run, done, err := db.begin(ctx) // Close waits for Join too
	if err != nil {
		return nil, fmt.Errorf("joining %s: %w", g.Name, err)
	}
	defer done()
	s := &share{db: db, group: g, held: map[int]int64{}}
	s.life, s.end = context.WithCancel(db.life)
	s.name = rand.Int64N(1<<62) + 1
	err = db.ask(run, func(ctx context.Context) error {
		_, err := s.look(ctx, true)
		return err
	})
	if err != nil {
		s.end()
		return nil, fmt.Errorf("joining %s: %w", g.Name, err)
	}
	s.done.Add(1)
	db.runs.Go(func() { defer s.done.Done(); s.run() })
	return s, nil
}

// Shared is lease.Share.Shared.
func (s *share) Shared() bool { return true }

// Holds is lease.Share.Holds.
func (s *share) Holds(slot int) bool { return s.taken(slot) != 0 }

// taken is the number with which a held slot was taken, 0 where the slot is not held.
func (s *share) taken(slot int) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !time.Now().Before(s.until) {
		return 0
	}
	return s.held[slot]
}

// Under is lease.Share.Under.
func (s *share) Under(ctx context.Context, slot int) (context.Context, bool) {
	made := s.taken(slot) // 0 is no slot's
	return kv.Under(ctx, fence{s.group.Name, int32(slot), made}), made != 0
}

// Close is lease.Share.Close.
func (s *share) Close() {
	s.end()
	s.done.Wait()
}

// run takes and gives slots until the share is closed, and then gives up all.
func (s *share) run() {
	defer s.depart()
	every := min(shareEvery, s.db.options.Lease/5)
	for wait := time.Duration(0); s.sleep(wait); wait = every {
		s.mu.Lock()
		over := !time.Now().Before(s.until)
		s.mu.Unlock()
		if over {
			s.drop(slices.Sorted(maps.Keys(s.held)))
		}
		ctx, cancel := context.WithTimeout(s.life, min(s.db.options.Try, s.db.options.Lease/2))
		g, err := s.look(ctx, false)
		if errors.Is(err, errGone) {
			s.drop(slices.Sorted(maps.Keys(s.held)))
			s.name = rand.Int64N(1<<62) + 1
			g, err = s.look(ctx, true)
		}
		if err == nil {
			s.reconcile(ctx, g)
		}
		cancel()
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

// errGone says that the servers did not hear of a member for as long as its lease.
var errGone = errors.New("the lease has ended")

// group is the rows of a group.
type group struct {
	members []string
	slots   map[int]hold
}

// hold is the row of a held slot.
type hold struct{ holder, made int64 }

// look keeps the member's row, or makes it, and reads the group.
func (s *share) look(ctx context.Context, first bool) (g group, err error) {
	began := time.Now()
	g.slots = map[int]hold{}
	err = s.db.on(ctx, func(c *pgxpool.Conn) error {
		rows, err := c.Query(ctx, s.db.sql.share, s.group.Name, s.name, s.db.knows(first),
			s.db.options.Announce, s.db.options.Lease)
		if err != nil {
			return err
		}
		var slot int
		var h hold
		_, err = pgx.ForEachRow(rows, []any{&slot, &h.holder, &h.made}, func() error {
			if slot < 0 {
				g.members = append(g.members, member(h.holder))
			} else {
				g.slots[slot] = h
			}
			return nil
		})
		return err
	})
	if err != nil {
		return g, err
	}
	s.db.answered()
	switch here := slices.Contains(g.members, member(s.name)); {
	case !here && first:
		return g, errVersion
	case !here:
		return g, errGone
	}
	s.mu.Lock()
	s.until = began.Add(s.db.options.Lease)
	s.mu.Unlock()
	return g, nil
}

// member is a member's name for lease.Assign.
func member(name int64) string { return fmt.Sprintf("%x", name) }

// reconcile takes and gives slots as the rows of the group have it.
func (s *share) reconcile(ctx context.Context, g group) {
	var lost, free, gained, give []int
	for slot, made := range s.held {
		if g.slots[slot] != (hold{s.name, made}) {
			lost = append(lost, slot)
		}
	}
	slices.Sort(lost)
	s.drop(lost)
	for slot, meant := range lease.Assign(g.members, s.group.Slots) {
		h, held := g.slots[slot]
		switch mine := held && h.holder == s.name; {
		case mine && meant != member(s.name):
			give = append(give, slot)
		case mine:
			if s.hold(slot, h.made) { // an earlier try that nobody answered
				gained = append(gained, slot)
			}
		case meant == member(s.name) && !held:
			free = append(free, slot)
		}
	}
	gained = append(gained, s.take(ctx, free)...)
	if len(gained) > 0 && s.group.Gained != nil {
		s.group.Gained(s, gained)
	}
	s.give(ctx, give)
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

// take takes free slots, and gives those that it got. Without an answer the next look finds their rows.
func (s *share) take(ctx context.Context, free []int) (gained []int) {
	if len(free) == 0 {
		return nil
	}
	number := rand.Int64N(1<<62) + 1
	err := s.db.on(ctx, func(c *pgxpool.Conn) error {
		rows, err := c.Query(ctx, s.db.sql.take, s.group.Name, s.name, free, number)
		if err == nil {
			gained, err = pgx.CollectRows(rows, pgx.RowTo[int])
		}
		return err
	})
	if err != nil {
		return nil
	}
	slices.Sort(gained)
	for _, slot := range gained {
		s.hold(slot, number)
	}
	return gained
}

// give hands slots over that others are to hold. Without an answer the next look finds the rows, and gives them
// again.
func (s *share) give(ctx context.Context, slots []int) {
	if len(slots) == 0 {
		return
	}
	var told []int
	for _, slot := range slots {
		if _, held := s.held[slot]; held {
			told = append(told, slot)
		}
	}
	if len(told) > 0 && s.group.Lost != nil {
		s.group.Lost(s, told)
	}
	s.mu.Lock()
	for _, slot := range slots {
		delete(s.held, slot)
	}
	s.mu.Unlock()
	_ = s.db.on(ctx, func(c *pgxpool.Conn) error {
		_, err := c.Exec(ctx, s.db.sql.give, s.group.Name, s.name, slots)
		return err
	})
}

// depart gives everything up at once, so that nobody has to wait for the lease to end.
func (s *share) depart() {
	if slots := slices.Sorted(maps.Keys(s.held)); len(slots) > 0 && s.group.Lost != nil {
		s.group.Lost(s, slots)
	}
	s.mu.Lock()
	clear(s.held)
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), min(s.db.options.Try, time.Second))
	defer cancel()
	_ = s.db.on(ctx, func(c *pgxpool.Conn) error {
		_, err := c.Exec(ctx, s.db.sql.depart, s.group.Name, s.name)
		return err
	})
}
