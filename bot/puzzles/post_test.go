package puzzles

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/chat"
	"tengen/bot/host"
	"tengen/bot/room"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/daily"
	"tengen/game/venue"
	"tengen/internal/tasks"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
	"tengen/storage/lease"
	"tengen/storage/storagetest"
)

// The daily message, while everything around its moment goes wrong: in fake time two processes over
// one store share the channel. One of them is killed before or after any of its transactions or
// calls, or is paused in the middle and taken for dead; Discord fails; the clock is set back; the
// server changes its hour and its zone. No day is ever posted twice, none is posted later than two
// minutes after it began, and each message is in the store before it is sent.
//
// TENGEN_DAILY_KILLS is the number of days (unset: 40).

const (
	club    = 900
	square  = 901
	nonceOf = 3 * time.Minute // how long the Discord of this test knows a nonce
)

var errDead = errors.New("this process is dead")

// post is a message in the channel of this test.
type post struct {
	begins uint32 // the day that its button names
	at     time.Time
	gone   bool
}

// A press on another puzzle than that of the day, or of the step of a run, counts for nothing, even if
// all else in its id is right. In a run it brings the puzzle of the step: the bot may have come back
// with other puzzles, or other ratings, and the run goes on.
func TestForgedPuzzle(t *testing.T) {
	store := storagetest.Memory(t)
	var shown answers
	p := New(Config{Base: room.Base{House: home{}, Store: store, Chat: &shown,
		Paint: view.Painter{Log: slog.New(slog.DiscardHandler)}, Now: func() time.Time { return noon }},
		Host: host.New(host.Config{Base: room.Base{Store: store}}), Random: func() uint64 { return 7 }})
	r := chat.Request{By: 5, Place: venue.Place{Server: club, Channel: square}, At: noon}
	v, err := store.UpdateRun(t.Context(), r.By, 0, func(v storage.Run) (storage.Run, error) {
		v.Kind, v.Rules, v.Seed, v.Puzzle = storage.StreakRun, game.Renju, 3, 9
		return v, nil
	})
	d, err2 := p.today(t.Context(), club)
	testkit.Must(t, errors.Join(err, err2))
	day := board{id: d.Day.Puzzle, mode: ofDay, stamp: uint32(d.Day.Begins.Unix())}
	step := board{id: "r00009", mode: inRun, stamp: stampOf(v)}
	for _, b := range []board{day, step} {
		if fits, err := p.current(t.Context(), r, b); !fits || err != nil {
			t.Errorf("%c: the right puzzle is refused: %v", b.mode, err)
		}
		b.id = "r00010"
		if fits, err := p.current(t.Context(), r, b); fits || b.mode == ofDay && err == nil || b.mode == inRun && err != nil {
			t.Errorf("%c: another puzzle is taken, %v", b.mode, err)
		}
	}
	if len(shown.with) != 1 || !strings.Contains(shown.with[0], "r00009") {
		t.Errorf("instead of another puzzle: %q", shown.with)
	}

	// The new collection lacks the puzzle, or an older program began the run, which did not say which
	// puzzle it was at: another one takes the place.
	for _, number := range []int{99999, 0} {
		v, err = store.UpdateRun(t.Context(), r.By, 0, func(v storage.Run) (storage.Run, error) {
			v.Puzzle = number
			return v, nil
		})
		testkit.Must(t, err)
		fits, err := p.current(t.Context(), r, step)
		after, err2 := store.Run(t.Context(), r.By)
		if _, there := p.present(after); fits || err != nil || err2 != nil || !there || after.Step != v.Step {
			t.Errorf("a run at puzzle %d: %v, %+v, %v", number, fits, after, errors.Join(err, err2))
		}
	}

	// It is shorter than the way of the run, too: the run ends there, and its result stands.
	v = testkit.Got(store.UpdateRun(t.Context(), r.By, 0, func(v storage.Run) (storage.Run, error) {
		v.Step, v.Solved, v.Puzzle = 5000, 5000, 99999
		return v, nil
	}))
	fits, err := p.current(t.Context(), r, step)
	after, err2 := store.Run(t.Context(), r.By)
	if fits || err != nil || err2 != nil || after.Kind != storage.NoRun || len(after.Bests) != 1 ||
		after.Bests[0].Ever != 5000 {
		t.Errorf("a run that is through: %v, %+v, %v", fits, after, errors.Join(err, err2))
	}
}

// answers keeps the messages that are shown.
type answers struct {
	chat.Chat
	with []string
	last chat.Message
	then func() // happens once, while a message is shown
}

// Send is for the goroutine that waits for the end of a storm: it may find out late that a test has moved
// the clock.
func (a *answers) Send(context.Context, chat.To, chat.Message) (uint64, error) { return 1, nil }

func (a *answers) Answer(_ context.Context, _ chat.Ticket, m chat.Answer) (uint64, error) {
	a.with, a.last = append(a.with, fmt.Sprint(m.Message)), m.Message
	if do := a.then; do != nil {
		a.then = nil
		do()
	}
	return 1, nil
}

// slowly is a Discord that takes ten seconds for each message.
type slowly struct {
	chat.Chat
	sent atomic.Int64
}

func (s *slowly) Send(context.Context, chat.To, chat.Message) (uint64, error) {
	time.Sleep(10 * time.Second)
	return uint64(s.sent.Add(1)), nil
}

type home struct{ room.House }

func (home) Under(ctx context.Context, _ venue.Place) (context.Context, bool) { return ctx, true }
func (home) Tongue(chat.Request) view.Tongue                                  { return view.In("en") }

// keep sweeps as the bot does.
func (p *Puzzles) keep() {
	for p.Tasks.Sleep(time.Second) {
		p.Sweep()
	}
}

// Many days begin at the same hour. No channel waits for the others until its day is missed.
func TestSameHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := storagetest.Memory(t)
		const servers = 30
		for server := range uint64(servers) {
			testkit.Got(store.UpdateDaily(t.Context(), 1+server, func(d storage.Daily) (storage.Daily, error) {
				return chosen(d, 100+server, "here", "01:00", "", time.Now()), nil
			}))
		}
		discord := &slowly{}
		p := New(Config{Base: room.Base{House: home{}, Store: store, Chat: discord, Tasks: tasks.New(nil),
			Log: slog.New(slog.DiscardHandler), Now: time.Now}, Random: rand.Uint64})
		p.Tasks.Go(p.keep)
		time.Sleep(time.Hour + 5*time.Minute)
		if n := discord.sent.Load(); n != servers {
			t.Errorf("%d of %d were posted", n, servers)
		}
		p.Tasks.End()
		p.Tasks.Wait()
	})
}

// Who wants to stand in no list is not named the day after.
func TestDayAfter(t *testing.T) {
	store := storagetest.Memory(t)
	testkit.Got(store.SetMember(t.Context(), 6, func(m storage.Member) (storage.Member, error) {
		m.More = map[string]string{view.MoreHidden: "1"}
		return m, nil
	}))
	p := New(Config{Base: room.Base{House: home{}, Store: store, Now: func() time.Time { return noon }}})
	before := daily.Day{Puzzle: dailies(p.Collection)[0].ID(), First: []game.MemberID{6, 5}}
	d := storage.Daily{Server: club, Daily: daily.Daily{Before: before}}
	said, err := p.yesterday(t.Context(), view.In("en"), d)
	if err != nil || !strings.Contains(said, view.Mention(5)) || strings.Contains(said, view.Mention(6)) {
		t.Errorf("%s, %v", said, err)
	}
}

// In a server that the bot has left no puzzle is posted any more.
func TestNoPuzzleWhereNobodyIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := storagetest.Memory(t)
		chat := &slowly{}
		p := New(Config{Base: room.Base{House: home{}, Store: store, Chat: chat, Tasks: tasks.New(nil),
			Log: slog.New(slog.DiscardHandler), Now: time.Now}, Random: rand.Uint64})
		testkit.Got(store.UpdateDaily(t.Context(), club, func(d storage.Daily) (storage.Daily, error) {
			return chosen(d, square, "here", "01:00", "", time.Now()), nil
		}))
		testkit.Must(t, store.ServerLeft(t.Context(), club, time.Now()))
		time.Sleep(time.Hour)
		err := p.post(t.Context(), club)
		if d, e := store.Daily(t.Context(), club); err != nil || e != nil || d.Channel != 0 || chat.sent.Load() > 0 {
			t.Errorf("%d were posted: %+v, %v, %v", chat.sent.Load(), d, err, e)
		}
	})
}

// fileless is a Discord that takes no files.
type fileless struct {
	chat.Chat
	sent []chat.Message
}

func (f *fileless) Send(_ context.Context, _ chat.To, m chat.Message) (uint64, error) {
	if _, files := m.Plain(); files {
		return 0, &chat.Error{Trouble: chat.Locked}
	}
	f.sent = append(f.sent, m)
	return 1, nil
}

// Where the bot may not attach files the puzzle of the day goes as text.
func TestDailyAsText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, err := storage.Open(t.Context(), kv.NewMemory(), storage.Options{})
		if err != nil {
			t.Fatal(err)
		}
		discord := &fileless{}
		p := New(Config{Base: room.Base{House: home{}, Store: store, Chat: discord, Log: slog.New(slog.DiscardHandler),
			Now: time.Now}, Random: rand.Uint64})
		if _, err := store.UpdateDaily(t.Context(), club, func(d storage.Daily) (storage.Daily, error) {
			return chosen(d, square, "here", "01:00", "", time.Now()), nil
		}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		err = p.post(t.Context(), club)
		d, err2 := store.Daily(t.Context(), club)
		if errors.Join(err, err2) != nil || d.Day.State != daily.Posted || len(discord.sent) != 1 {
			t.Errorf("%d were sent: %+v, %v, %v", len(discord.sent), d.Day, err, err2)
		}
	})
}

// town is a Discord with one channel, the store, and the processes.
type town struct {
	t      *testing.T
	plan   *rand.Rand // of the test alone: the days
	engine kv.Engine
	leases *lease.Table
	back   atomic.Int64 // by how much the clocks of the processes were set back, in nanoseconds
	bad    []string

	mu     sync.Mutex
	rng    *rand.Rand // of the processes
	posts  map[uint64]*post
	nonces map[string]uint64
	marks  map[uint32]uint64
	fails  int // so many of the next calls fail
}

func (w *town) now() time.Time { return time.Now().Add(-time.Duration(w.back.Load())) }

func (w *town) wrong(format string, args ...any) {
	w.bad = append(w.bad, fmt.Sprintf("day %d: ", len(w.posts))+fmt.Sprintf(format, args...))
}

// process is one of the bot's.
type process struct {
	room.House
	*Puzzles
	town  *town
	share lease.Share
	lost  func() // makes the others take it for dead

	mu    sync.Mutex
	fuse  int  // it dies, or is paused, at its fuse-th act; 0: never
	after bool // it dies after the act instead of before it
	pause time.Duration
	dead  bool
}

// act is an act of a process: a transaction or a call.
func (p *process) act(do func() error) error {
	p.mu.Lock()
	p.fuse--
	burns, pause := p.fuse == 0, p.pause
	p.dead = p.dead || burns && pause == 0 && !p.after
	dead := p.dead
	p.mu.Unlock()
	if dead {
		return errDead
	}
	if burns && pause > 0 {
		p.lost()
		time.Sleep(pause) // the process is stopped meanwhile
	}
	err := do()
	if burns && pause == 0 {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.dead = true
		return errDead
	}
	return err
}

// Update is a transaction of a process.
func (e burning) Update(ctx context.Context, fn func(kv.Tx) error) error {
	return e.p.act(func() error { return e.Engine.Update(ctx, fn) })
}

type burning struct {
	kv.Engine
	p *process
}

// Tongue and Under are the process as a House.
func (p *process) Tongue(chat.Request) view.Tongue { return view.In("en") }
func (p *process) Under(ctx context.Context, at venue.Place) (context.Context, bool) {
	return p.share.Under(ctx, lease.SlotOf(at.Channel, 64))
}

// line is Discord as a process sees it.
type line struct {
	chat.Chat
	p *process
}

func (l line) call(ctx context.Context, do func() error) error {
	return l.p.act(func() error {
		if err := ctx.Err(); err != nil {
			return err
		}
		w := l.p.town
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.fails--; w.fails >= 0 && w.rng.IntN(2) == 0 {
			return &chat.Error{Trouble: chat.Failed}
		}
		err := do()
		if w.fails >= 0 && err == nil {
			err = &chat.Error{Trouble: chat.Failed} // it was made, and the answer is lost
		}
		return err
	})
}

func (l line) Send(ctx context.Context, to chat.To, m chat.Message) (id uint64, err error) {
	return id, l.call(ctx, func() error { id = l.p.town.posted(to, m); return nil })
}

func (l line) Delete(ctx context.Context, to chat.To) error {
	return l.call(ctx, func() error { l.p.town.posts[to.Message].gone = true; return nil })
}

func (l line) Find(ctx context.Context, _ uint64, mark uint32, _ time.Time) (id uint64, err error) {
	return id, l.call(ctx, func() error { id = l.p.town.marks[mark]; return nil })
}

// posted is what Discord makes of a new message.
func (w *town) posted(to chat.To, m chat.Message) uint64 {
	if id, known := w.nonces[to.Nonce]; known && time.Since(w.posts[id].at) < nonceOf {
		return id
	}
	var begins uint32
	for _, b := range m.Blocks {
		for _, button := range b.Row {
			v, err := view.ParsePress(button.ID)
			if err != nil {
				w.wrong("%v", err)
			}
			begins = v.Stamp
		}
	}
	if m.Mention != 0 || m.Private || !m.Silent {
		w.wrong("the message pings, or is private: %+v", m)
	}
	for _, p := range w.posts {
		if p.begins == begins {
			w.wrong("day %d is posted twice, at %v and at %v", begins, p.at, time.Now())
		}
		if gap := time.Unix(int64(begins), 0).Sub(time.Unix(int64(p.begins), 0)).Abs(); gap > 0 && gap < daily.Shortest {
			w.wrong("two days are %v apart", gap)
		}
	}
	if late := w.now().Sub(time.Unix(int64(begins), 0)); late > 2*postIn+slack {
		w.wrong("a day is made up: %v late", late)
	}
	s := storagetest.Store(w.t, w.engine)
	if d, err := s.Daily(w.t.Context(), club); err != nil || uint32(d.Day.Begins.Unix()) != begins {
		w.wrong("the message comes before its row: %v %v", d.Day, err)
	}
	id := uint64(len(w.posts) + 1)
	w.posts[id] = &post{begins: begins, at: time.Now()}
	w.nonces[to.Nonce], w.marks[m.Mark] = id, id
	return id
}

// rise starts a process.
func (w *town) rise() *process {
	leases, lost := w.leases.Process()
	p := &process{town: w, lost: lost}
	var err error
	p.share, err = leases.Join(w.t.Context(), lease.Group{Name: "channels", Slots: 64})
	testkit.Must(w.t, err)
	store := storagetest.Store(w.t, burning{w.engine, p})
	p.Puzzles = New(Config{Base: room.Base{House: p, Store: store, Chat: line{p: p}, Tasks: tasks.New(nil),
		Log: slog.New(slog.DiscardHandler), Now: w.now}, Random: w.random})
	p.Tasks.Go(p.keep)
	return p
}

func (w *town) random() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rng.Uint64()
}

// end ends a process, and makes the others take it for dead.
func (p *process) end() {
	p.mu.Lock()
	p.dead = true
	p.mu.Unlock()
	p.Tasks.End()
	p.Tasks.Wait()
	p.lost()
}

// change changes what the managers chose.
func (w *town) change(hour, zone string) storage.Daily {
	s := storagetest.Store(w.t, w.engine)
	d := testkit.Got(s.UpdateDaily(w.t.Context(), club, func(d storage.Daily) (storage.Daily, error) {
		if hour+zone == "" {
			return d, nil
		}
		return chosen(d, square, "here", hour, zone, w.now()), nil
	}))
	return d
}

// day lets one day begin, with what goes wrong.
func (w *town) day() {
	rng := w.plan
	if rng.IntN(4) == 0 {
		w.change(fmt.Sprintf("%02d:00", rng.IntN(24)), zones[rng.IntN(len(zones))])
	}
	due := w.change("", "").Next
	down := -20 * time.Second // nobody is at work
	if rng.IntN(6) == 0 {
		down = time.Duration(rng.IntN(3600)) * time.Second // not even when the day begins
	}
	time.Sleep(due.Sub(w.now()) + down)
	two := []*process{w.rise(), w.rise()}
	for _, p := range two {
		p.mu.Lock()
		switch rng.IntN(4) {
		case 0, 1: // it dies
			p.fuse, p.after = 1+rng.IntN(6), rng.IntN(2) == 0
		case 2: // it is stopped
			p.fuse, p.pause = 1+rng.IntN(6), time.Duration(rng.IntN(600))*time.Second
		}
		p.mu.Unlock()
	}
	w.mu.Lock()
	w.fails = max(0, rng.IntN(8)-3)
	w.mu.Unlock()
	time.Sleep(20*time.Second + time.Duration(rng.IntN(5000))*time.Millisecond)
	if rng.IntN(4) == 0 {
		w.back.Add(int64(time.Duration(rng.IntN(10800)) * time.Second))
	}
	if rng.IntN(4) == 0 {
		w.change(fmt.Sprintf("%02d:00", rng.IntN(24)), zones[rng.IntN(len(zones))])
	}
	time.Sleep(time.Duration(rng.IntN(60)) * time.Second)
	for i, p := range two { // who is dead comes back, at once or later
		p.mu.Lock()
		dead := p.dead
		p.mu.Unlock()
		if dead {
			p.end()
			time.Sleep(time.Duration(rng.IntN(300)) * time.Second)
			two[i] = w.rise()
		}
	}
	time.Sleep(15 * time.Minute)
	for _, p := range two {
		p.end()
	}
	last := w.rise() // in peace
	w.mu.Lock()
	w.fails = 0
	w.mu.Unlock()
	time.Sleep(4 * time.Minute)
	last.end()
	standing := 0
	for _, p := range w.posts {
		if !p.gone {
			standing++
		}
	}
	if d := w.change("", ""); standing > 1 || d.Day.State == daily.Owed {
		w.wrong("%d messages stand in the channel at %v: %+v", standing, w.now(), d)
	}
}

// days lets so many days begin, and gives what went wrong and how many were posted.
func days(t *testing.T, n int, seed uint64) (bad []string, posts int) {
	synctest.Test(t, func(t *testing.T) {
		w := &town{t: t, plan: rand.New(rand.NewPCG(seed, 1)), rng: rand.New(rand.NewPCG(seed, 2)),
			engine: kv.NewMemory(), leases: lease.NewTable(),
			posts: map[uint64]*post{}, nonces: map[string]uint64{}, marks: map[uint32]uint64{}}
		w.change("9:00", "Europe/Berlin")
		for range n {
			w.day()
		}
		bad, posts = w.bad, len(w.posts)
	})
	return bad, posts
}

func TestDailyKills(t *testing.T) {
	n := testkit.Dose("TENGEN_DAILY_KILLS", 40)
	seed := uint64(testkit.Dose("TENGEN_SEED", 1))
	bad, posts := days(t, n, seed)
	if len(bad) > 0 {
		t.Errorf("seed %d: %d things went wrong: %s", seed, len(bad), strings.Join(bad[:min(len(bad), 5)], "\n"))
	}
	t.Logf("%d of %d days were posted", posts, n)
	if posts < n/2 {
		t.Errorf("only %d of %d days were posted", posts, n)
	}
}
