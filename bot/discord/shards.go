package discord

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"tengen/internal/tasks"
	"tengen/storage/lease"
)

// Discord spreads the bot's servers over several gateway connections, the shards. Leases spread the
// shards over the processes that share a store. A new process takes some shards over, and a
// process that ends gives its own up: it closes the connection so that Discord keeps the session,
// and notes in the store how far the session is. The process that takes the shard resumes the
// session and hears what was missed. An interaction that is heard twice is handled once.

// heldShards are the shards that this process holds, of a number of shards.
type heldShards struct {
	d        *Adapter
	shards   int
	share    lease.Share
	outgrown chan struct{} // Discord refuses the number of shards
	ctx      context.Context
	stop     context.CancelFunc
	fail     func(error) // ends Run
	wait     sync.WaitGroup

	joined time.Time // when this process began to take part

	mu   sync.Mutex
	told bool // that it holds shards: leases may tell later than they let it join
	held map[int]*gateway
}

// toldWithin is how soon a process that takes part is told of its shards, or there are none for it: other
// processes give theirs up within the life of a lease.
const toldWithin = 10 * time.Second

func newHeldShards(ctx context.Context, d *Adapter, shards int, fail func(error)) *heldShards {
	l := &heldShards{d: d, shards: shards, outgrown: make(chan struct{}, 1), fail: fail, held: map[int]*gateway{}}
	l.ctx, l.stop = context.WithCancel(ctx)
	return l
}

// group is the lease group of the shards. Processes with another number of shards form a group of
// their own. Until the older processes have ended, both groups then hear everything.
func (l *heldShards) group() lease.Group {
	return lease.Group{Name: fmt.Sprintf("shards-%d", l.shards), Slots: l.shards, Gained: l.gained, Lost: l.lost}
}

// gained opens the connections of shards that are now this process's.
func (l *heldShards) gained(s lease.Share, shards []int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told = true
	for _, n := range shards {
		if l.held[n] != nil || l.ctx.Err() != nil {
			continue
		}
		g := &gateway{d: l.d, share: s, shard: n, shards: l.shards, released: make(chan struct{})}
		if l.d.options.Shards == 0 {
			g.outgrown = l.ask
		}
		ctx, stop := context.WithCancel(l.ctx)
		g.stop = stop
		l.held[n] = g
		l.d.shards.Add(1)
		l.wait.Go(func() {
			defer stop()
			defer l.d.shards.Add(-1)
			if err := g.run(ctx); err != nil {
				l.fail(err)
			}
		})
	}
	if s.Shared() {
		l.d.log.Info("shards taken", "shards", shards, "of", l.shards)
	}
}

// lost closes connections, and returns when other processes may open them.
func (l *heldShards) lost(_ lease.Share, shards []int) {
	l.mu.Lock()
	var gone []*gateway
	for _, n := range shards {
		if g := l.held[n]; g != nil {
			gone = append(gone, g)
			delete(l.held, n)
			g.stop()
		}
	}
	l.mu.Unlock()
	limit := time.NewTimer(noteLimit + time.Second)
	defer limit.Stop()
	for _, g := range gone {
		select {
		case <-g.released:
		case <-limit.C:
			return
		}
	}
	l.d.log.Info("shards given up", "shards", shards, "of", l.shards)
}

// ask makes listen ask Discord for the number of shards.
func (l *heldShards) ask() { poke(l.outgrown) }

// up reports whether this process has been told of its shards, and the connections of all of them are up.
func (l *heldShards) up() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.told && time.Since(l.joined) < toldWithin {
		return false
	}
	for _, g := range l.held {
		if !g.isUp() {
			return false
		}
	}
	return true
}

// comesUp waits until all is up, or ctx ends. It is false where Discord refuses the number of shards first.
func (l *heldShards) comesUp(ctx context.Context) bool {
	for !l.up() {
		select {
		case <-l.outgrown:
			return false
		case <-ctx.Done():
			return true
		case <-time.After(l.d.options.Pause / 4):
		}
	}
	return true
}

// leave closes and notes all sessions, so that other processes can resume them, and then gives up
// the leases.
func (l *heldShards) leave() {
	l.stop()
	l.share.Close() // which waits for the notes; see lost
	l.wait.Wait()
}

// permit is the right to identify a shard, for turnLimit.
type permit struct {
	d      *Adapter
	bucket int
	since  time.Time
	over   atomic.Bool // taken or given back; a connection that ends while it comes up tries both at once
	taken  atomic.Bool
}

// permit waits until this process may identify a shard. From all processes together, Discord takes
// one identification at a time of each bucket of shards, and a limited number a day. Half of these are
// for shards that start: again says that this one has had its own of them.
func (d *Adapter) permit(ctx context.Context, shard int, again bool) (*permit, error) {
	for told := false; ; {
		bucket := shard % max(int(d.concurrency.Load()), 1)
		now := time.Now()
		free, err := d.options.Store.TakeTurn(ctx, bucket, now, turnLimit)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			d.log.Warn("waiting for the turn to identify", "shard", shard, "error", err)
			free = now.Add(time.Second)
		case free.IsZero():
			mine := &permit{d: d, bucket: bucket, since: now}
			if free, err = d.mayStart(ctx, again); err != nil {
				return nil, err
			}
			if free.IsZero() {
				return mine, nil
			}
			mine.giveBack() // a shard that may start need not wait
			if !told {
				what := "no gateway sessions are left today"
				if again {
					what = "few gateway sessions are left today, and are for shards that start"
				}
				d.log.Error(what+": waiting until Discord allows more", "shard", shard, "at", free.UTC().Format(time.RFC3339))
				told = true
			}
		default: // the turn may be given back early
			free = earlier(free, now.Add(d.identifyGap/4))
		}
		if err := tasks.Sleep(ctx, time.Until(free)+rand.N(d.identifyGap/20+1)); err != nil {
			return nil, err
		}
	}
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// take uses the turn, right before an IDENTIFY is sent, and lets the next shard of the bucket go
// identifyGap later. It is false where it comes too late, since another process may have the turn.
func (t *permit) take() bool {
	if t == nil || time.Since(t.since) > turnLimit-time.Second || t.over.Swap(true) {
		return false
	}
	t.taken.Store(true)
	t.end(time.Now().Add(t.d.identifyGap))
	return true
}

// isTaken reports whether the turn was used.
func (t *permit) isTaken() bool { return t != nil && t.taken.Load() }

// giveBack ends a turn that was not used.
func (t *permit) giveBack() {
	if t != nil && time.Since(t.since) < turnLimit-time.Second && !t.over.Swap(true) {
		t.end(time.Now())
	}
}

func (t *permit) end(at time.Time) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.d.life), noteLimit)
	defer cancel()
	if err := t.d.options.Store.EndTurn(ctx, t.bucket, t.since.Add(turnLimit), at); err != nil {
		t.d.log.Warn("ending the turn to identify", "error", err) // it expires by itself
	}
}

// mayStart asks Discord whether one more session may be started today, again or by a shard that starts.
// Where not, it gives the time at which to ask once more.
func (d *Adapter) mayStart(ctx context.Context, again bool) (at time.Time, err error) {
	err = d.prepare(ctx, func(ctx context.Context) error {
		a, err := d.advice(ctx)
		if err != nil {
			return err
		}
		// Other processes may be starting as many as Concurrency at this moment: those are left
		// to them.
		least := a.Start.Concurrency
		if again {
			least = max(least, a.Start.Total/2)
		}
		if n := a.Start.Remaining; n != nil && *n < least {
			at = time.Now().Add(min(max(time.Duration(a.Start.After)*time.Millisecond, time.Second), 10*time.Minute))
		}
		return nil
	})
	return at, err
}
