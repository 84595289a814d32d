package discord

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"tengen/storage/lease"
)

// The bot's servers are spread over so many connections to the gateway, the shards, and
// the shards over the processes on one store: each is held under a lease. A process that
// comes takes over some, one that goes leaves its own: the connection is closed in the way
// that Discord keeps its session, how far it was is noted in the store, and whoever takes
// the shard resumes it and hears what it missed. What is heard twice is done once.

// lines are the shards that this process holds.
type lines struct {
	d      *Adapter
	shards int
	ctx    context.Context
	fail   context.CancelCauseFunc
	wait   sync.WaitGroup

	mu   sync.Mutex
	held map[int]*gateway
}

func newLines(ctx context.Context, d *Adapter, shards int) *lines {
	l := &lines{d: d, shards: shards, held: map[int]*gateway{}}
	l.ctx, l.fail = context.WithCancelCause(ctx)
	return l
}

// group is how the shards are shared. Processes that reckon with another number of shards
// share them in a group of their own: then both hear everything, until the older are gone.
func (l *lines) group() lease.Group {
	return lease.Group{Name: fmt.Sprintf("shards-%d", l.shards), Slots: l.shards, Gained: l.gained, Lost: l.lost}
}

func (l *lines) gained(s lease.Share, shards []int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range shards {
		if l.held[n] != nil || l.ctx.Err() != nil {
			continue
		}
		g := &gateway{d: l.d, share: s, shard: n, shards: l.shards, released: make(chan struct{})}
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

// lost closes connections and returns when others may open them.
func (l *lines) lost(_ lease.Share, shards []int) {
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

// release closes all connections.
func (l *lines) release() {
	l.fail(nil)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, g := range l.held {
		<-g.released
	}
}

// permit is the right to identify a shard, for a while.
type permit struct {
	d      *Adapter
	bucket int
	since  time.Time
	over   atomic.Bool // taken or given back: a connection that ends while it comes up tries both at a time
}

// permit waits until this process may identify a shard: Discord takes one at a time of each
// bucket of shards, and so many a day, from all processes together.
func (d *Adapter) permit(ctx context.Context, shard int) (*permit, error) {
	for told := false; ; {
		bucket := shard % max(int(d.concurrency.Load()), 1)
		now := time.Now()
		free, err := d.options.Store.TakeTurn(ctx, bucket, now, turnLimit)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			d.log.Warn("turn to identify", "shard", shard, "error", err)
			free = now.Add(time.Second)
		case free.IsZero():
			if free, err = d.startsLeft(ctx); err != nil {
				return nil, err
			}
			if free.IsZero() {
				return &permit{d: d, bucket: bucket, since: now}, nil
			}
			if !told {
				d.log.Error("the connections of this day are used up: going on when there are some again", "shard", shard, "at", free.UTC().Format(time.RFC3339))
				told = true
			}
		default: // perhaps it is given back before its time
			free = earlier(free, now.Add(d.identifyGap/4))
		}
		if err := pause(ctx, free.Add(rand.N(d.identifyGap/20+1)), nil); err != nil {
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

// take is asked right before an IDENTIFY goes, and lets the next of the bucket come a
// while after it. It is false where that is too late, and the turn may be another's.
func (t *permit) take() bool {
	if t == nil || time.Since(t.since) > turnLimit-time.Second || t.over.Swap(true) {
		return false
	}
	t.end(time.Now().Add(t.d.identifyGap))
	return true
}

// giveBack ends a turn that was not taken.
func (t *permit) giveBack() {
	if t != nil && time.Since(t.since) < turnLimit-time.Second && !t.over.Swap(true) {
		t.end(time.Now())
	}
}

func (t *permit) end(at time.Time) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.d.life), noteLimit)
	defer cancel()
	if err := t.d.options.Store.EndTurn(ctx, t.bucket, t.since.Add(turnLimit), at); err != nil {
		t.d.log.Warn("end of the turn to identify", "error", err) // it ends by itself
	}
}

// startsLeft asks Discord whether one more session may be started today. Where not it
// gives the time at which to ask again.
func (d *Adapter) startsLeft(ctx context.Context) (again time.Time, err error) {
	err = d.prepare(ctx, func(ctx context.Context) error {
		a, err := d.advice(ctx)
		if err != nil {
			return err
		}
		// As many as may be under way elsewhere at this moment are left to them.
		if n := a.Start.Remaining; n != nil && *n < a.Start.Concurrency {
			again = time.Now().Add(min(max(time.Duration(a.Start.After)*time.Millisecond, time.Second), 10*time.Minute))
		}
		return nil
	})
	return again, err
}
