package bot

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/discord"
	"tengen/bot/standin"
	"tengen/bot/upkeep"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
	"tengen/storage/lease"
	"tengen/storage/pg"
	"tengen/storage/pg/pgtest"
)

// slowly is how long PostgreSQL may take for an answer where the test is not about that.
const slowly = 20 * time.Second

// A tournament is played on two processes that share a server of PostgreSQL, behind a load balancer, while the
// process that owns the channel is killed again and again. The other takes its work over. A dead
// process rises later, and takes a part of the work back; on its way it may die too. Time is fake, and stands
// still during a request to PostgreSQL and while shares change hands. It ends as it does on one process
// that nobody kills. TENGEN_EVENT_KILLS says how many deaths; from 100 on, the fields are large.
func TestEventOnPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server")
	}
	t.Parallel()
	address := pgtest.Address(pgtest.Start(t))
	kills := testkit.Dose("TENGEN_EVENT_KILLS", 1)
	for _, one := range cupsFor(kills) {
		if one.kind != "swiss" && kills < 4 {
			continue // TENGEN_EVENT_KILLS=8 plays them all
		}
		if one.kind == "knockout" && kills >= 100 {
			one.members = 64 // one of 32 is over after some 180 deaths
		}
		t.Run(one.kind, func(t *testing.T) {
			t.Parallel()
			calm := playEvent(t, one, 0)
			killed := playTwins(t, address, one, kills)
			if t.Failed() {
				return
			}
			killed.endsAs(t, one, calm, kills)
			t.Logf("%s, %d members, %d rounds, %d deaths, %d of them at the start; at most %d calls in a second",
				one.kind, one.members, killed.rounds, killed.deaths, killed.unborn, killed.burst)
		})
	}
}

// playTwins plays a tournament on two processes over PostgreSQL.
func playTwins(t *testing.T, address string, c cup, kills int) (p played) {
	wire()
	calls := staff()
	defer close(calls)
	steps := 15
	if c.kind == "knockout" { // it is over soon
		steps = 5
	}
	synctest.Test(t, func(t *testing.T) {
		x := newTwins(t, outside{calls: calls}, pg.Options{Address: address, Schema: c.kind, Lease: time.Minute,
			Try: slowly, Patience: 10 * slowly, Absent: storage.Once}, kills, steps)
		defer func() {
			x.close()
			x.engine.(*abroad).shut()
		}()
		p = x.play(c)
		p.deaths, p.unborn = x.deaths, x.unborn
		_, err := storage.Verify(t.Context(), x.engine)
		testkit.Check(t, err)
	})
	return p
}

// newTwins starts a stand-in and two processes on it, with clients of PostgreSQL outside the bubble. A lease
// lasts until it is given back: the one of a dead process is, once that is buried.
func newTwins(t *testing.T, o outside, options pg.Options, kills, steps int) *tourney {
	var doors [2]atomic.Pointer[standin.Pipes]
	x := newGround(t, kills, standin.Options{Endpoint: "http://endpoint.test" + discord.DefaultPath,
		EndpointDial: balance(&doors)})
	x.steps = steps // of the owner alone
	open := func() *abroad {
		a := &abroad{outside: o}
		var err error
		o.do(func() { a.db, err = pg.Open(context.Background(), options) })
		if a.engine = a.db; err != nil {
			t.Fatal(err)
		}
		return a
	}
	x.settled = func() { x.shareOut(o) }
	x.stands(open(), 2, func(i int, p *process) discord.Options {
		pipes, a := standin.NewPipes(), open()
		doors[i].Store(pipes)
		p.Engine, p.leases, p.leave = a, a, a.shut
		return discord.Options{Endpoint: &discord.EndpointOptions{Listener: pipes}}
	})
	return x
}

// balance is a load balancer. A connection serves for a while, so that both processes get something to do.
func balance(doors *[2]atomic.Pointer[standin.Pipes]) func(context.Context) (net.Conn, error) {
	return func(ctx context.Context) (c net.Conn, err error) {
		first := rand.IntN(2)
		for i := range doors {
			if to := doors[(first+i)%2].Load(); to != nil {
				if c, err = to.Dial(ctx); err == nil {
					time.AfterFunc(3*time.Second, func() { c.Close() })
					return c, nil
				}
			}
		}
		return nil, fmt.Errorf("nobody is there: %w", err)
	}
}

// shareOut waits until the living share the slots evenly, and has the owner of the channel die some steps
// later.
func (x *tourney) shareOut(o outside) {
	x.t.Helper()
	even := func(each int) bool {
		for _, p := range x.procs {
			if p != nil && p.leases.(*abroad).share.count() != each {
				return false
			}
		}
		return true
	}
	living := 0
	for _, p := range x.procs {
		if p != nil {
			living++
		}
	}
	for tries := 0; !even(upkeep.Slots / living); tries++ {
		if tries > 1500 {
			x.t.Fatal("the slots are not shared out")
		}
		o.do(func() { time.Sleep(20 * time.Millisecond) }) // real time, for the clients of PostgreSQL
		time.Sleep(pollEvery)
	}
	place := x.place()
	for _, p := range x.procs {
		switch {
		case p == nil:
		case !p.bot.upkeep.Owns(place):
			p.fuse.Store(0)
		case p.fuse.Load() <= 0:
			x.arm(p)
		}
	}
}

// place is the channel of the tournament.
func (x *tourney) place() venue.Place {
	for _, p := range x.Member("host").Places() {
		if p.Name == "#gomoku" {
			id, _ := strconv.ParseUint(p.ID, 10, 64)
			return venue.Place{Channel: id}
		}
	}
	x.t.Fatal("no channel")
	return venue.Place{}
}

// abroad is a client of PostgreSQL outside the bubble: an engine, and leases.
type abroad struct {
	outside
	db    *pg.DB
	share *foreign // of the channels
}

func (a *abroad) shut() { a.do(func() { a.db.Close() }) }

// pollEvery is how often the bubble asks for news from outside. A channel would make time stand still.
const pollEvery = 100 * time.Millisecond

// inbox has what comes from outside until the bubble asks for it.
type inbox struct {
	mu     sync.Mutex
	closed bool
	news   []func()
	heard  []chan struct{}
}

// put adds news. It waits until they were heard, if wait says so.
func (b *inbox) put(f func(), wait bool) {
	done := make(chan struct{}) // of the outside
	b.mu.Lock()
	b.news, b.heard = append(b.news, f), append(b.heard, done)
	wait = wait && !b.closed
	b.mu.Unlock()
	if wait {
		<-done
	}
}

// empty hears the news, in the bubble. After the last time nobody waits any more.
func (b *inbox) empty(last bool) {
	b.mu.Lock()
	news, heard := b.news, b.heard
	b.news, b.heard, b.closed = nil, nil, b.closed || last
	b.mu.Unlock()
	for i, f := range news {
		f()
		close(heard[i])
	}
}

// Watch implements kv.Watcher.
func (a *abroad) Watch(ctx context.Context, from, to []byte, fn func(key, value []byte)) error {
	var box inbox
	var over atomic.Pointer[error]
	var end context.CancelFunc
	a.do(func() {
		var life context.Context
		life, end = context.WithCancel(context.Background())
		go func() {
			err := a.db.Watch(life, from, to, func(k, v []byte) { box.put(func() { fn(k, v) }, false) })
			over.Store(&err)
		}()
	})
	defer func() { a.do(end) }()
	for ctx.Err() == nil && over.Load() == nil {
		box.empty(false)
		time.Sleep(pollEvery)
	}
	if err := over.Load(); err != nil {
		return *err
	}
	return ctx.Err()
}

// Join implements lease.Leases.
func (a *abroad) Join(_ context.Context, g lease.Group) (lease.Share, error) {
	s := &foreign{outside: a.outside, over: make(chan struct{})}
	told := func(f func(lease.Share, []int), wait bool) func(lease.Share, []int) {
		return func(_ lease.Share, slots []int) { s.put(func() { f(s, slots) }, wait) }
	}
	var err error
	a.do(func() {
		s.share, err = a.db.Join(context.Background(),
			lease.Group{Name: g.Name, Slots: g.Slots, Gained: told(g.Gained, false), Lost: told(g.Lost, true)})
	})
	if err != nil {
		return nil, err
	}
	a.share = s
	go func() {
		for {
			select {
			case <-time.After(pollEvery):
				s.empty(false)
			case <-s.over:
				return
			}
		}
	}()
	return s, nil
}

// foreign is a share of a client outside the bubble.
type foreign struct {
	outside
	inbox
	share lease.Share
	over  chan struct{}
}

func (s *foreign) Holds(slot int) (holds bool) {
	s.do(func() { holds = s.share.Holds(slot) })
	return holds
}

// count is how many slots it holds.
func (s *foreign) count() (n int) {
	s.do(func() {
		for slot := range upkeep.Slots {
			if s.share.Holds(slot) {
				n++
			}
		}
	})
	return n
}

func (s *foreign) Under(ctx context.Context, slot int) (under context.Context, ok bool) {
	s.do(func() { under, ok = s.share.Under(ctx, slot) })
	return under, ok
}

func (s *foreign) Shared() bool { return true }

func (s *foreign) Close() {
	close(s.over)
	s.empty(true)
	s.do(s.share.Close)
	s.empty(true)
}

var _ kv.Watcher = (*abroad)(nil)
