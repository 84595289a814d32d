package discord

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/standin"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
	"tengen/storage/lease"
	"tengen/storage/storagetest"
)

// convoy is several processes of an echo bot on one store and one stand-in, in fake time.
type convoy struct {
	*standin.Server
	t     *testing.T
	store *storage.Store
	table *lease.Table
	log   io.Writer     // of the next processes; nil: where they write by themselves
	late  time.Duration // after which leases tell what they hold
}

// lateLeases are Leases that tell what they hold only after Join has returned, as PostgreSQL's do.
type lateLeases struct {
	lease.Leases
	late time.Duration
}

func (l lateLeases) Join(ctx context.Context, g lease.Group) (lease.Share, error) {
	gained := g.Gained
	g.Gained = func(s lease.Share, slots []int) { time.AfterFunc(l.late, func() { gained(s, slots) }) }
	return l.Leases.Join(ctx, g)
}

func newConvoy(t *testing.T, o standin.Options) *convoy {
	t.Helper()
	standin.EnterBubble()
	o.Heartbeat = 1000 * time.Hour // discordgo's beat wants a lock that it holds for a second when it closes
	store := storagetest.Memory(t)
	return &convoy{Server: standin.New(t, o), t: t, store: store, table: lease.NewTable()}
}

// ship is one process of a convoy.
type ship struct {
	*echo
	dead func() // makes the other processes take it for dead
	end  func()
}

func (f *convoy) launch() *ship {
	f.t.Helper()
	leases, dead := f.table.Process()
	if f.late > 0 {
		leases = lateLeases{leases, f.late}
	}
	level := slog.LevelError + 1
	if testing.Verbose() {
		level = slog.LevelInfo
	}
	log := io.Writer(os.Stderr)
	if f.log != nil {
		log, level = f.log, slog.LevelInfo
	}
	d := adapterOf(f.Server, Options{Store: f.store,
		Leases: leases, Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: level}))})
	s := &ship{echo: &echo{d: d}, dead: dead}
	end := runs(f.t, d, s.echo)
	register(f.t, d)
	s.end = sync.OnceFunc(func() { testkit.Check(f.t, end()) })
	f.t.Cleanup(s.end)
	time.Sleep(100 * time.Millisecond) // its first beat is over; see newConvoy
	return s
}

// soon waits for something, in fake time, and gives how long that took.
func soon(t *testing.T, limit time.Duration, what string, f func() bool) time.Duration {
	t.Helper()
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if f() {
			return time.Since(began)
		}
		if time.Since(began) > limit {
			t.Fatalf("%v waited in vain for: %s", limit, what)
		}
	}
}

// upOf lists how many shards each process has up.
func upOf(ships ...*ship) (text string) {
	for _, s := range ships {
		text += fmt.Sprint(s.d.up.Load(), " ")
	}
	return strings.TrimSpace(text)
}

// Two processes identify six shards in two buckets: never two of a bucket within five
// seconds, and no faster than that needs either.
func TestIdentifyInTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newConvoy(t, standin.Options{Shards: 6, Limits: standin.Limits{On: true, Concurrency: 2}})
		began := time.Now()
		a, b := f.launch(), f.launch()
		soon(t, time.Minute, "six shards", func() bool { return a.d.up.Load()+b.d.up.Load() == 6 })
		took := time.Since(began)
		if st := f.Stats(); st.TooFast != 0 || st.Identifies != 6 {
			t.Errorf("%+v", st)
		}
		if took < 10*time.Second || took > 20*time.Second {
			t.Errorf("took %v", took)
		}
		if !a.d.Up() || !b.d.Up() {
			t.Error("not up")
		}
		// Discord says at a bad moment that all sessions are void: in turn again.
		f.Invalidate(false)
		soon(t, time.Minute, "six shards again", func() bool {
			return f.Stats().Identifies >= 12 && a.d.up.Load()+b.d.up.Load() == 6
		})
		if st := f.Stats(); st.TooFast != 0 || st.Identifies != 12 {
			t.Errorf("after all sessions were void: %+v", st)
		}
		f.Member("ann").Slash("#gomoku", "/move at:h8")
	})
}

// The adapter does not start more sessions than a day has, since Discord then resets the token.
// Connections that are up stay up, and the others come when Discord allows it.
func TestStartsOfTheDay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newConvoy(t, standin.Options{Shards: 4, Limits: standin.Limits{On: true, Starts: 3}})
		a, b := f.launch(), f.launch()
		up := func() int32 { return a.d.up.Load() + b.d.up.Load() }
		soon(t, time.Minute, "three shards", func() bool { return up() == 3 })
		time.Sleep(23 * time.Hour)
		if st := f.Stats(); st.Identifies != 3 || up() != 3 {
			t.Errorf("%d up, %+v", up(), st)
		}
		// A broken connection resumes, which is no new session.
		before := f.Stats().Resumes
		f.DropSockets()
		soon(t, time.Minute, "three shards again", func() bool { return f.Stats().Resumes == before+3 && up() == 3 })
		soon(t, 2*time.Hour, "the fourth shard", func() bool { return up() == 4 })
	})
}

// A process that is started again and again, and finds no session to resume, counts its identifications anew each
// time. What Discord says is left today keeps them within the day's all the same.
func TestStartsOverRestarts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newConvoy(t, standin.Options{Limits: standin.Limits{On: true, Starts: 5}})
		for n := range 8 {
			f.store = storagetest.Memory(t)
			a := f.launch()
			time.Sleep(30 * time.Second)
			if st := f.Stats(); st.Identifies != min(n+1, 5) || a.d.Up() != (n < 5) {
				t.Errorf("start %d: up %v, %+v", n+1, a.d.Up(), st)
			}
			a.end()
		}
	})
}

// The last sessions of the day are left to the processes that may be starting them at this moment, and half
// of them to shards that start.
func TestStartsLeftToOthers(t *testing.T) {
	for _, test := range []struct {
		remaining int
		again     bool
		waits     bool
	}{{0, false, true}, {1, false, true}, {2, false, false}, {2, true, true}, {49, true, true}, {50, true, false}} {
		f := &fakeAPI{answer: func(int, *http.Request, string) (*http.Response, error) {
			const limit = `{"shards":1,"session_start_limit":` +
				`{"total":100,"remaining":%d,"reset_after":1000,"max_concurrency":2}}`
			return say(200, fmt.Sprintf(limit, test.remaining)), nil
		}}
		d := newFake(t, f)
		if at, err := d.mayStart(t.Context(), test.again); err != nil || at.IsZero() == test.waits {
			t.Errorf("%+v: once more at %v, %v", test, at, err)
		}
	}
}

// Discord ends the sessions of a bot of many shards again and again. That costs half of what it allows a
// day: with the other half the bot can be started anew, and all shards come up.
func TestIdentifyBudgetOfManyShards(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const shards, starts = 100, 1000
		f := newConvoy(t, standin.Options{Shards: shards,
			Limits: standin.Limits{On: true, Starts: starts, Concurrency: 16}})
		var log testkit.Log
		f.log = &log
		a := f.launch()
		soon(t, 5*time.Minute, "all shards", func() bool { return upOf(a) == "100" })
		for range 30 {
			f.Invalidate(false)
			time.Sleep(4 * time.Minute)
		}
		used := f.Stats().Identifies
		if used > starts/2+16 {
			t.Errorf("%d identifications of %d in two hours", used, starts)
		}
		if !strings.Contains(log.String(), "few gateway sessions are left today") {
			t.Error("nothing is said")
		}
		a.end()
		a = f.launch()
		soon(t, 5*time.Minute, "all shards again", func() bool { return upOf(a) == "100" })
		if n := f.Stats().Identifies - used; n > shards {
			t.Errorf("%d identifications", n)
		}
		a.end()
	})
}

// Shards go from process to process while members play. Each interaction is answered, and no new
// session is started.
func TestHandOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newConvoy(t, standin.Options{Shards: 4, Latency: 40 * time.Millisecond})
		var places []string
		for i := range 12 {
			name := fmt.Sprint("Server", i)
			f.AddGuild(name, true, "there")
			places = append(places, name+"#there")
		}
		a := f.launch()
		soon(t, time.Minute, "four shards", func() bool { return upOf(a) == "4" })
		time.Sleep(time.Second)
		identifies := f.Stats().Identifies

		var members sync.WaitGroup
		over := make(chan struct{})
		ann := f.Member("ann")
		asked := 0
		members.Go(func() {
			for {
				select {
				case <-over:
					return
				case <-time.After(7 * time.Millisecond):
				}
				place := places[asked%len(places)]
				asked++
				members.Go(func() {
					if got := ann.Try().Slash(place, "/move at:h8"); got.Failed != "" {
						t.Errorf("%s: %s", place, got.Failed)
					}
				})
			}
		})
		time.Sleep(time.Second)
		b := f.launch()
		soon(t, time.Minute, "two and two", func() bool { return upOf(a, b) == "2 2" })
		time.Sleep(time.Second)
		a.end() // a goes as it should
		soon(t, time.Minute, "all at b", func() bool { return upOf(b) == "4" })
		time.Sleep(time.Second)
		c := f.launch()
		soon(t, time.Minute, "two and two", func() bool { return upOf(b, c) == "2 2" })
		time.Sleep(time.Second)
		close(over)
		members.Wait()
		st := f.Stats()
		if st.Identifies != identifies || st.Failures != 0 {
			t.Errorf("%+v, %d sessions before", st, identifies)
		}
		t.Logf("%d interactions, %d resumes", asked, st.Resumes)
		// The adapter asks for what the resumed sessions did not list: the bot's servers.
		if calls := strings.Count(fmt.Sprint(f.Calls()), "/guilds/{guild_id}"); calls > 3*len(places) {
			t.Errorf("asked for servers %d times", calls)
		}
		for _, s := range []*ship{b, c} {
			for _, id := range s.d.listed() {
				if !s.d.isIn(id, true) {
					t.Errorf("not in %d", id)
				}
			}
		}
	})
}

// A process that has lost its leases closes its connections, and the store refuses its notes on them.
func TestLostLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newConvoy(t, standin.Options{Shards: 2})
		a := f.launch()
		soon(t, time.Minute, "two shards", func() bool { return upOf(a) == "2" })
		time.Sleep(time.Second)
		b := f.launch()
		soon(t, time.Minute, "one and one", func() bool { return upOf(a, b) == "1 1" })
		time.Sleep(time.Second)
		a.dead() // b takes all; a still thinks that it holds one
		soon(t, time.Minute, "all at b", func() bool { return upOf(b) == "2" })
		resumes := f.Stats().Resumes
		time.Sleep(time.Minute)
		if n := f.Stats().Resumes; n != resumes || upOf(b) != "2" {
			t.Errorf("%d resumes after %d, %s up at b", n, resumes, upOf(b))
		}
		// Discord's session has gone to b, which closes a's connection. When a comes back, b's
		// notes stand.
		before, err := f.store.Session(t.Context(), 2, 0)
		if err != nil || before.ID == "" {
			t.Fatal(before, err)
		}
		a.end()
		if after, _ := f.store.Session(t.Context(), 2, 0); after.ID != before.ID || after.Seq < before.Seq {
			t.Errorf("%+v after %+v", after, before)
		}
		f.Member("ann").Slash("#gomoku", "/move at:h8")
	})
}

// elsewhere is a share whose slots others hold.
type elsewhere struct{ lease.Share }

func (elsewhere) Under(ctx context.Context, _ int) (context.Context, bool) { return ctx, false }

// A process notes no session of a shard that another holds.
func TestNoteOfAnothersShard(t *testing.T) {
	d := newFake(t, &fakeAPI{})
	g := &gateway{d: d, share: elsewhere{}, shards: 2}
	g.note(storage.Session{ID: "x", Seq: 5})
	if s, err := d.options.Store.Session(t.Context(), 2, 0); err != nil || s.ID != "" {
		t.Errorf("%+v, %v", s, err)
	}
}

// A shard is given up once its connection is down and its session noted.
func TestGivenUpOnceNoted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFake(t, &fakeAPI{})
		l := newHeldShards(t.Context(), d, 1, nil)
		g := &gateway{released: make(chan struct{}), stop: func() {}}
		l.held[0] = g
		time.AfterFunc(time.Second, func() { close(g.released) })
		began := time.Now()
		if l.lost(nil, []int{0}); time.Since(began) != time.Second {
			t.Errorf("given up after %v", time.Since(began))
		}
	})
}

// After a restart the session is resumed, and the bot hears what happened meanwhile, and nothing
// twice. After a longer time Discord has forgotten the session, and another is started.
func TestResumeAfterRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newConvoy(t, standin.Options{})
		f.AddGuild("Second", true, "there")
		f.AddChannel("#lost")
		a := f.launch()
		soon(t, time.Minute, "up", a.d.Up)
		time.Sleep(time.Second)
		f.Member("ann").Slash("#gomoku", "/move at:h8")
		a.end()
		f.KickBot("Second")
		f.DeleteChannel("#lost")
		time.Sleep(20 * time.Second)
		a = f.launch()
		soon(t, 5*time.Second, "news of while it was away", func() bool {
			all := a.all()
			return strings.Contains(all, "left") && strings.Contains(all, "gone")
		})
		a.d.tickets.mu.Lock()
		again := len(a.d.tickets.seen)
		a.d.tickets.mu.Unlock()
		testkit.Want(t, "interactions are heard again", again, 0)
		if st := f.Stats(); st.Identifies != 1 || st.Resumes != 1 {
			t.Errorf("%+v", st)
		}
		f.Member("ann").Slash("#gomoku", "/post")
		soon(t, time.Minute, "the bot knows where it is", func() bool {
			return len(a.d.listed()) == 1 && a.heard("post <nil>")
		})
		a.end()
		time.Sleep(10 * time.Minute)
		a = f.launch()
		soon(t, time.Minute, "another session", func() bool { return a.d.Up() && f.Stats().Identifies == 2 })
		f.Member("ann").Slash("#gomoku", "/move at:h8")
	})
}

// away is a kv.Engine whose next reads of a session fail, as many as reads says.
type away struct {
	kv.Engine
	reads *atomic.Int64
}

func (a away) View(ctx context.Context, fn func(kv.Reader) error) error {
	return a.Engine.View(ctx, func(r kv.Reader) error { return fn(awayReader{r, a.reads}) })
}

type awayReader struct {
	kv.Reader
	reads *atomic.Int64
}

func (r awayReader) Get(key []byte) ([]byte, error) {
	const sessions = 'n' // their table
	if key[0] == sessions && r.reads.Add(-1) >= 0 {
		return nil, errors.New("not now")
	}
	return r.Reader.Get(key)
}

// A store that does not answer for a moment costs no session: the adapter asks it again.
func TestResumeWhenTheStoreIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newConvoy(t, standin.Options{})
		var reads atomic.Int64
		var err error
		f.store, err = storage.Open(t.Context(), away{kv.NewMemory(), &reads}, storage.Options{})
		testkit.Must(t, err)
		a := f.launch()
		soon(t, time.Minute, "up", a.d.Up)
		time.Sleep(time.Second)
		a.end()
		time.Sleep(5 * time.Second)
		reads.Store(2)
		a = f.launch()
		soon(t, time.Minute, "up again", func() bool { return a.d.Up() && a.d.up.Load() == 1 })
		if st := f.Stats(); st.Identifies != 1 || st.Resumes != 1 {
			t.Errorf("%+v", st)
		}
	})
}

// A connection that ends while it comes up may take its turn to identify and give it back at once.
// Only one of the two happens, and the next shard waits where the turn was taken.
func TestTurnTakenAndGivenBack(t *testing.T) {
	store := storagetest.Memory(t)
	d := &Adapter{options: Options{Store: store}, life: t.Context(), identifyGap: identifyGap}
	for bucket := range 200 {
		mine := &permit{d: d, bucket: bucket, since: time.Now()}
		if free, err := store.TakeTurn(t.Context(), bucket, mine.since, turnLimit); err != nil || !free.IsZero() {
			t.Fatal(free, err)
		}
		var taken bool
		var both sync.WaitGroup
		both.Go(func() { taken = mine.take() })
		both.Go(mine.giveBack)
		both.Wait()
		free := testkit.Got(store.TakeTurn(t.Context(), bucket, time.Now(), turnLimit))
		if taken == free.IsZero() {
			t.Fatalf("try %d: taken %v, the next may go at %v", bucket, taken, free)
		}
	}
	once := &permit{d: d, bucket: 200, since: time.Now()}
	late := &permit{d: d, bucket: 201, since: time.Now().Add(-turnLimit)}
	if !once.take() || once.take() || late.take() {
		t.Error("a turn is taken twice, or after its time")
	}
}

// A bot whose number of shards Discord does not accept any more takes the number that Discord wants,
// and another one that it wants before the bot has changed.
// Meanwhile the servers of the shards that were not refused are heard, and after it all are.
func TestOutgrown(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		processes int
		late      time.Duration
		again     bool
	}{
		{1, 0, false}, {2, 0, false}, {1, 300 * time.Millisecond, false}, {2, 300 * time.Millisecond, false},
		{1, 0, true}, {2, 0, true}, {1, 300 * time.Millisecond, true},
	} {
		t.Run(fmt.Sprintf("%+v", test), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newConvoy(t, standin.Options{Shards: 3, Latency: 40 * time.Millisecond})
				f.late = test.late
				var others, all []string // servers of the shards 1 and 2, and all of them
				for i := range 12 {
					name := fmt.Sprint("Server", i)
					f.AddGuild(name, true, "there")
					id, _ := strconv.ParseUint(f.ServerID(name), 10, 64)
					if all = append(all, name+"#there"); !ofShard(id, 0, 3) {
						others = append(others, name+"#there")
					}
				}
				if len(others) == 0 || len(others) == len(all) {
					t.Fatalf("%d of %d servers are on other shards", len(others), len(all))
				}
				var ships []*ship
				up := func(n int32) func() bool {
					return func() (yes bool) {
						sum := int32(0)
						for _, s := range ships {
							sum += s.d.up.Load()
						}
						return sum == n
					}
				}
				for range test.processes {
					ships = append(ships, f.launch())
				}
				soon(t, time.Minute, "three shards", up(3))
				ann := f.Member("ann")
				play := func(places []string) {
					for _, place := range places {
						if got := ann.Try().Slash(place, "/move at:h8"); got.Failed != "" {
							t.Errorf("%s: %s", place, got.Failed)
						}
					}
				}
				time.Sleep(time.Second)
				f.Outgrow(5)
				want := int32(5)
				if test.again {
					time.Sleep(8 * time.Second)
					if up(5)() {
						t.Error("it has changed already")
					}
					f.Outgrow(7)
					want = 7
				}
				soon(t, 5*time.Minute, "as many shards as Discord wants, and no other", func() bool {
					play(others)
					return up(want)()
				})
				time.Sleep(time.Minute)
				play(all)
				if st := f.Stats(); st.Failures != 0 || !up(want)() {
					t.Errorf("%+v", st)
				}
			})
		})
	}
}

// A process for which there is no shard waits for one no longer than others need to give theirs up.
func TestUpWithoutShards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFake(t, &fakeAPI{})
		l := newHeldShards(t.Context(), d, 1, nil)
		l.joined = time.Now()
		time.Sleep(toldWithin - time.Second)
		if l.up() {
			t.Error("up before it was told of shards")
		}
		if time.Sleep(time.Second); !l.up() {
			t.Error("waits for ever")
		}
	})
}
