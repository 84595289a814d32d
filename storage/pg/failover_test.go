package pg

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"tengen/game"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
	"tengen/storage/pg/pgtest"
	"tengen/storage/storagetest"
)

// pair is a primary that waits for its standby.
func pair(t *testing.T, settings ...string) (primary, standby *pgtest.Server) {
	primary = pgtest.Start(t, settings...)
	standby = primary.Standby(t, "b", settings...)
	primary.Restart(t, "synchronous_standby_names=b")
	testkit.Eventually(t, "the primary waits for its standby", func() bool { // a moment after its start it does not yet
		return primary.Do(t, "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == "1"
	})
	return primary, standby
}

// load is members who each add to a counter of their own, until its end.
type load struct {
	t            *testing.T
	db           *DB
	stop         context.CancelFunc
	wait         sync.WaitGroup
	acknowledged []int64
	made, most   atomic.Int64
}

func loaded(t *testing.T, db *DB, members int) *load {
	ctx, stop := context.WithCancel(t.Context())
	l := &load{t: t, db: db, stop: stop, acknowledged: make([]int64, members)}
	for w := range l.acknowledged {
		l.wait.Go(func() {
			for ctx.Err() == nil {
				began := time.Now()
				if err := add(t.Context(), db, fmt.Appendf(nil, "counter%d", w)); err != nil {
					t.Errorf("an addition: %v", err)
					return
				}
				l.acknowledged[w]++
				l.made.Add(1)
				if took := int64(time.Since(began)); took > l.most.Load() {
					l.most.Store(took)
				}
			}
		})
	}
	return l
}

// end ends the load and gives how many additions were acknowledged. Each counter holds its own.
func (l *load) end() (total int64) {
	l.t.Helper()
	l.stop()
	l.wait.Wait()
	for w, want := range l.acknowledged {
		got, _ := binary.Uvarint(storagetest.Get(l.t, l.db, fmt.Appendf(nil, "counter%d", w)))
		if total += want; int64(got) != want {
			l.t.Errorf("counter %d holds %d after %d acknowledged additions", w, got, want)
		}
	}
	return total
}

func (l *load) slowest() time.Duration { return time.Duration(l.most.Load()).Round(time.Millisecond) }

// TestFailover kills the primary under load and promotes the standby: what was acknowledged is there, and once, and
// finished games are read again within ten seconds.
func TestFailover(t *testing.T) {
	t.Parallel()
	table := "additions, games acknowledged | games lost | doubled | slowest addition | longest without a finished game"
	for n := range testkit.Dose("TENGEN_PG_FAILOVERS", 1) {
		t.Run(fmt.Sprint(n+1), func(t *testing.T) {
			primary, standby := pair(t)
			db := open(t, primary, Options{Address: pgtest.Address(primary, standby), Patience: 30 * time.Second})
			a := archiving(t, storagetest.Store(t, db))
			l := loaded(t, db, 8)
			going := func(more int64) func() bool {
				made, games := l.made.Load()+100*more, a.made.Load()+more
				return func() bool { return l.made.Load() > made && a.made.Load() > games }
			}
			testkit.Eventually(t, "the load is on", going(3))
			primary.Kill(t)
			standby.Promote(t)
			testkit.Eventually(t, "the load goes on", going(3))
			lost, doubled := a.end()
			gap := time.Duration(a.gap.Load())
			if lost+doubled > 0 || gap > testkit.Limit(10*time.Second) {
				t.Errorf("%d finished games are lost and %d doubled, and %v passed without one", lost, doubled, gap)
			}
			table += fmt.Sprintf("\n%d, %d | %d | %d | %v | %v", l.end(), a.made.Load(), lost, doubled, l.slowest(),
				gap.Round(time.Millisecond))
		})
	}
	t.Log(table)
}

// archive is two members who finish one game after the other, while somebody reads the finished ones.
type archive struct {
	store *storage.Store
	stop  context.CancelFunc
	wait  sync.WaitGroup
	games []game.MatchID // acknowledged
	made  atomic.Int64   // the number of these
	gap   atomic.Int64   // the longest time between two answers to the reader, in nanoseconds
}

// archivist is the member whose finished games are read.
const archivist game.MemberID = 77

func archiving(t *testing.T, s *storage.Store) *archive {
	ctx, stop := context.WithCancel(t.Context())
	a := &archive{store: s, stop: stop}
	a.wait.Go(func() {
		for ctx.Err() == nil {
			rec, err := storagetest.Finished(t.Context(), s, archivist)
			if err != nil {
				t.Errorf("a finished game: %v", err)
				return
			}
			a.games = append(a.games, rec.ID)
			a.made.Add(1)
		}
	})
	a.wait.Go(func() {
		for last := time.Now(); ctx.Err() == nil; last = time.Now() {
			_, err := s.History(t.Context(), archivist, 0, 10)
			testkit.Check(t, err)
			a.gap.Store(max(a.gap.Load(), int64(time.Since(last))))
		}
	})
	return a
}

// end gives how many of the acknowledged games are not in the history, and how many are there that nobody finished.
func (a *archive) end() (lost, doubled int) {
	a.stop()
	a.wait.Wait()
	there := map[game.MatchID]int{}
	for _, rec := range testkit.Got(a.store.History(context.Background(), archivist, 0, len(a.games)+99)) {
		there[rec.ID]++
	}
	for _, id := range a.games {
		if there[id]--; there[id] < 0 {
			lost++
		}
	}
	for _, n := range there {
		doubled += max(n, 0)
	}
	return lost, doubled
}

// TestCutOff: the standby is gone when a change commits, and its wait for the standby is cancelled. The change
// can be seen then, and is not acknowledged; the standby is promoted without it, and the change is made there.
func TestCutOff(t *testing.T) {
	t.Parallel()
	primary, standby := pair(t)
	db := open(t, primary, Options{Address: pgtest.Address(primary, standby), Patience: time.Minute, Try: time.Minute})
	testkit.Must(t, add(t.Context(), db, []byte("counter")))
	standby.Kill(t)
	testkit.Eventually(t, "the standby's processes are gone", func() bool { // they outlive it for a moment, and answer
		return primary.Do(t, "SELECT count(*) FROM pg_stat_replication") == "0"
	})
	done := make(chan error)
	go func() { done <- add(t.Context(), db, []byte("counter")) }()
	waits := "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
	testkit.Eventually(t, "the commit waits for the standby", func() bool { return primary.Do(t, waits) == "1" })
	primary.Do(t, "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
	// The sender settles, by a commit that waits in its turn.
	testkit.Eventually(t, "the settling waits for the standby", func() bool {
		select {
		case err := <-done:
			t.Fatalf("acknowledged while it is on one server alone: %v", err)
		default:
		}
		return primary.Do(t, waits+" AND query LIKE '%settle%'") == "1"
	})
	if seen := primary.Do(t, "SELECT count(*) FROM tengen.changes WHERE revision > 0"); seen != "2" {
		t.Errorf("%s changes can be seen, want 2: the test cancels nothing", seen)
	}
	primary.Kill(t)
	standby.Restart(t)
	standby.Promote(t)
	if err := <-done; err != nil {
		t.Errorf("the addition: %v", err)
	}
	if n, _ := binary.Uvarint(storagetest.Get(t, db, []byte("counter"))); n != 2 {
		t.Errorf("the counter holds %d after 2 additions", n)
	}
}

// TestTerminated: a server that ends a connection in the middle of a commit's wait has made it.
func TestTerminated(t *testing.T) {
	t.Parallel()
	primary, standby := pair(t)
	db := open(t, primary, Options{Patience: time.Minute, Try: time.Minute})
	testkit.Must(t, add(t.Context(), db, []byte("counter")))
	standby.Kill(t)
	done := make(chan error)
	go func() { done <- add(t.Context(), db, []byte("counter")) }()
	waits := "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
	testkit.Eventually(t, "the commit waits for the standby", func() bool { return primary.Do(t, waits) == "1" })
	primary.Do(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
	standby.Restart(t)
	if err := <-done; err != nil {
		t.Errorf("the addition: %v", err)
	}
	if n, _ := binary.Uvarint(storagetest.Get(t, db, []byte("counter"))); n != 2 {
		t.Errorf("the counter holds %d after 2 additions", n)
	}
}

// TestWatch: what another process writes is told, in order; what is deleted or outside is not.
func TestWatch(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t)
	one, two := open(t, s), open(t, s)
	storagetest.Put(t, two, []byte("m0"), []byte("before"))
	ctx, cancel := context.WithCancel(t.Context())
	told, done := make(chan string, 99), make(chan error)
	go func() {
		done <- one.Watch(ctx, []byte("m"), []byte("n"), func(k, v []byte) { told <- fmt.Sprintf("%s=%s", k, v) })
	}()
	testkit.Eventually(t, "the watch has begun", func() bool {
		storagetest.Put(t, two, []byte("m1"), []byte("x"))
		return len(told) > 0
	})
	testkit.Must(t, two.Update(t.Context(), func(tx kv.Tx) error {
		return errors.Join(tx.Put([]byte("m3"), []byte("3")), tx.Put([]byte("o"), []byte("4")), tx.Delete([]byte("m1")))
	}))
	storagetest.Put(t, two, []byte("m2"), []byte("2"))
	var got []string
	for last := ""; last != "m2=2"; {
		if last = <-told; last != "m1=x" {
			got = append(got, last)
		}
	}
	if fmt.Sprint(got) != "[m3=3 m2=2]" {
		t.Errorf("told of %q", got)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("the end of a watch: %v", err)
	}
}

// TestPrune: changes that are settled go after a while, the newest stays.
func TestPrune(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t)
	db := open(t, s)
	for i := range 5 {
		storagetest.Put(t, db, []byte("k"), fmt.Append(nil, i))
	}
	before := "1|" + s.Do(t, "SELECT max(revision) FROM tengen.changes")
	s.Do(t, "UPDATE tengen.changes SET at = at - interval '1 hour'")
	testkit.Must(t, db.on(t.Context(), func(c *pgxpool.Conn) error {
		_, err := c.Exec(t.Context(), db.sql.prune, db.sender.id, db.sender.batch.Load(), keepChanges)
		return err
	}))
	if got := s.Do(t, "SELECT count(*), max(revision) FROM tengen.changes"); got != before {
		t.Errorf("left are %s, want %s", got, before)
	}
	storagetest.Put(t, db, []byte("k"), []byte("6"))
	newer := "SELECT count(*) FROM tengen.changes WHERE revision > " + strings.TrimPrefix(before, "1|")
	if got := s.Do(t, newer); got != "1" {
		t.Errorf("%s changes are newer than those of before, want 1", got)
	}
}
