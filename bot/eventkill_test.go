package bot

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/discord"
	"tengen/bot/standin"
	"tengen/bot/texts"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/event"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
	"tengen/storage/lease"
)

// A tournament is played on the stand-in while the bot dies again and again: in the middle of a
// transaction, of a call, of a round that is being paired, of its own start. TENGEN_EVENT_KILLS says
// how often; from 100 on, the fields are large. Some members vanish, one leaves, and one comes late
// where the kind allows it. Who wins follows from who plays, so that the same Swiss event or knockout
// without a death must end with the same standings. Whom an arena pairs follows from when games end, which
// deaths change: check looks at what must hold of each.
func TestEventKilled(t *testing.T) {
	t.Parallel()
	kills := testkit.Dose("TENGEN_EVENT_KILLS", 2)
	for _, c := range cupsFor(kills) {
		t.Run(c.kind, func(t *testing.T) {
			t.Parallel()
			survives(t, c, kills)
		})
	}
}

// cup is a tournament that is to be played.
type cup struct {
	kind            string
	members, rounds int           // rounds of a Swiss event
	length          time.Duration // of an arena
}

// pace is the time for a game, as the form names it.
func (c cup) pace() string {
	if c.kind == "arena" {
		return "1m"
	}
	return "r1d"
}

// cupsFor are tournaments that last for so many deaths.
func cupsFor(kills int) []cup {
	if kills >= 100 {
		return []cup{{"swiss", 64, 7, 0}, {"knockout", 32, 0, 0}, {"arena", 100, 0, time.Hour}}
	}
	return []cup{{"swiss", 9, 3, 0}, {"knockout", 8, 0, 0}, {"arena", 6, 0, 10 * time.Minute}}
}

// endsAs checks that a tournament with so many deaths ended as the calm one.
func (p played) endsAs(t *testing.T, c cup, calm played, kills int) {
	t.Helper()
	if c.kind != "arena" && !slices.Equal(calm.standings, p.standings) {
		t.Errorf("standings after %d deaths:\n%v\nwithout:\n%v", p.deaths, p.standings, calm.standings)
	}
	if p.deaths < kills {
		t.Errorf("only %d deaths of %d: the tournament was over", p.deaths, kills)
	}
}

// survives has a tournament played without a death, and with kills of them.
func survives(t *testing.T, c cup, kills int) {
	calm := playEvent(t, c, 0)
	killed := playEvent(t, c, kills)
	if t.Failed() {
		return
	}
	killed.endsAs(t, c, calm, kills)
	if killed.unborn == 0 && kills >= 8 {
		t.Error("it never died on its way up")
	}
	t.Logf("%s, %d members, %d rounds, %d deaths, %d of them at the start; without them %d calls in all, "+
		"%d in the busiest round, at most %d in a second",
		c.kind, c.members, killed.rounds, killed.deaths, killed.unborn, calm.calls, calm.busiest, calm.burst)
	if calm.closest < 5*time.Second {
		t.Errorf("its message was edited twice within %v", calm.closest)
	}
	if calm.burst > burstOfEvents {
		t.Errorf("%d calls in a second: %v", calm.burst, calm.rush)
	}
}

// Where the clocks of a wave run out together, their reminders and their ends make no more calls in a second
// than they may.
func TestArenaClocks(t *testing.T) {
	t.Parallel()
	contest(t, 16, "arena", "1m", func(x *tourney) {
		time.Sleep(5 * time.Second)
		from, began := len(x.noted()), x.procs[0].bot.now()
		x.later(45 * time.Second)
		time.Sleep(5 * time.Second)
		x.later(15 * time.Second)
		time.Sleep(15 * time.Second)
		if calls := busiest(x.noted()[from:]); len(calls) > burstOfEvents {
			t.Errorf("%d calls in a second: %v", len(calls), calls)
		}
		for _, boards := range x.event().Paired {
			for _, b := range boards {
				if b.Open() && b.Began.Before(began) {
					t.Errorf("a clock has not run out: %+v", b)
				}
			}
		}
	})
}

// starts presses Start, with the number of rounds that the host chose, where that is asked.
func (x *tourney) starts(host *standin.Member) {
	host.Press("#gomoku", "Manage")
	host.Choose("#gomoku", manageMenu, "start")
	rounds := min(x.event().Rounds, event.MostRounds(len(x.event().Entrants)))
	label := fmt.Sprintf("Play %d rounds", rounds)
	if rounds == 1 {
		label = "Play 1 round"
	}
	if strings.Contains(host.Sees("#gomoku"), label) {
		host.Press("#gomoku", label)
	}
}

// burstOfEvents is how many calls the bot makes unasked in any second at most.
const burstOfEvents = 10

// played is how a tournament went.
type played struct {
	standings             []event.Standing
	rounds                int
	deaths, unborn        int           // all, and those before the bot was ready
	calls, busiest, burst int           // with the bot's token: in all, in a round, in a second
	rush                  []sent        // those of that second
	closest               time.Duration // between two edits of its message
}

// tourney is a tournament on a stand-in, with a bot that may die.
type tourney struct {
	*house
	procs   []*process                              // nil: it is dead and buried
	ground  func(i int, p *process) discord.Options // what a process stands on: its store, its share, its line
	settled func()                                  // waits until the living have shared the work
	truth   *storage.Store                          // reads what is stored, whoever lives
	rng     *rand.Rand
	kills   int
	steps   int // from one death to the next at most
	deaths  int
	unborn  int

	messages map[uint64]bool // that have shown it
	mu       sync.Mutex
	calls    []sent
}

// process is one of the bot's processes, which may die.
type process struct {
	*mortal
	leases lease.Leases // nil: it is alone
	leave  func()       // takes it away from its ground, dead or not
	store  *storage.Store
	bot    *Bot
	end    func()
}

// sent is a call with the bot's own token.
type sent struct {
	at   time.Time
	what string
}

func playEvent(t *testing.T, c cup, kills int) (p played) {
	synctest.Test(t, func(t *testing.T) {
		x := newTourney(t, kills)
		defer x.close()
		if c.kind == "knockout" { // it is over soon
			x.steps = 15
		}
		p = x.play(c)
		p.deaths, p.unborn = x.deaths, x.unborn
		_, err := storage.Verify(t.Context(), x.engine)
		testkit.Check(t, err)
	})
	return p
}

// newTourney starts a stand-in and a bot on it.
func newTourney(t *testing.T, kills int) *tourney {
	x := newGround(t, kills, standin.Options{})
	memory := kv.NewMemory()
	x.stands(memory, 1, func(_ int, p *process) discord.Options {
		p.Engine, p.leave = memory, func() {}
		return discord.Options{Dialer: tardy(x.Dialer())}
	})
	return x
}

// newGround starts a stand-in for a tournament.
func newGround(t *testing.T, kills int, o standin.Options) *tourney {
	today()
	x := &tourney{rng: rand.New(rand.NewPCG(uint64(testkit.Dose("TENGEN_SEED", 1)), 22)), kills: kills, steps: 40,
		settled: func() {}, messages: map[uint64]bool{}}
	o.Lenient, o.Heartbeat, o.Called, o.Outdated = true, 1000*time.Hour, x.called, outdated(t)
	x.house = &house{Server: standin.Start(o), t: t}
	return x
}

// stands starts so many processes on the ground that is given, and a reader of the engine.
func (x *tourney) stands(engine kv.Engine, processes int, ground func(int, *process) discord.Options) {
	x.engine, x.procs, x.ground = engine, make([]*process, processes), ground
	var err error
	x.truth, err = storage.Open(x.t.Context(), engine, storage.Options{})
	testkit.Must(x.t, err)
	for i := range x.procs {
		x.rise(i)
	}
	x.settled()
}

// close ends the bot and the stand-in.
func (x *tourney) close() {
	time.Sleep(3 * time.Second)
	for _, p := range x.procs {
		if p != nil {
			p.end()
			p.leave()
		}
	}
	x.Server.Close()
}

// closest is the shortest time between two edits of the message.
func (x *tourney) closest() time.Duration {
	last, least := time.Time{}, time.Hour
	for _, c := range x.noted() {
		id, _ := strconv.ParseUint(c.what[strings.LastIndex(c.what, "/")+1:], 10, 64)
		if !strings.HasPrefix(c.what, "PATCH ") || !x.messages[id] {
			continue
		}
		if !last.IsZero() {
			least = min(least, c.at.Sub(last))
		}
		last = c.at
	}
	return least
}

// called notes the calls with the bot's own token.
func (x *tourney) called(c standin.Call) {
	if strings.Contains(c.Path, "/channels/") {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.calls = append(x.calls, sent{time.Now(), c.Method + " " + c.Path})
	}
}

// rise starts a process. While deaths are left, it dies after some steps: on its way up, or later.
func (x *tourney) rise(i int) {
	for {
		p, up := x.start(i)
		if x.procs[i] = p; up {
			return
		}
		x.unborn++
		x.bury(i)
	}
}

// bury ends what is left of a dead process.
func (x *tourney) bury(i int) {
	x.deaths++
	x.procs[i].end()
	x.procs[i].leave()
	x.procs[i] = nil
}

// start starts a process. It is false when the process died on its way.
func (x *tourney) start(i int) (p *process, up bool) {
	p = &process{mortal: &mortal{next: x.Transport(), died: make(chan struct{}), fell: func() {}, seen: func(string) {},
		wait: func() (before, after time.Duration) { return time.Millisecond, time.Millisecond }}}
	o := x.ground(i, p)
	switch {
	case x.kills > x.deaths && x.deaths%4 == 1: // it dies on its way up
		p.fuse.Store(int64(1 + x.rng.IntN(4)))
	case len(x.procs) == 1:
		x.arm(p)
	}
	ctx, stop := context.WithCancel(context.Background())
	p.end = stop
	level := slog.LevelError + 1
	if testing.Verbose() {
		level = slog.LevelWarn
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
	var err error
	kept := storage.Options{Limits: storage.DefaultLimits, Node: i, Chunk: 50}
	if p.store, err = storage.Open(ctx, p.mortal, kept); err != nil {
		return p, x.died(p, err)
	}
	o.Store, o.Token, o.Transport, o.Log, o.Grace = p.store, x.Token(), p.mortal, log, time.Second
	d, err := discord.New(o)
	if err != nil {
		return p, x.died(p, err)
	}
	if p.bot, err = newBot(Config{Store: p.store, Chat: d, Log: log, Think: simple, Draw: drawn, Pulse: x.pulse(),
		Random: func() uint64 { return x.seeds.Add(1) }, Leases: p.leases,
		Options: Options{ReviewMeans: quickReview}}); err != nil {
		return p, x.died(p, err)
	}
	p.end = func() { stop(); p.bot.close() }
	if _, err = d.Register(ctx, Commands(false), texts.Local, texts.Locales(), 0); err != nil {
		return p, x.died(p, err)
	}
	if err := p.bot.upkeep.Start(ctx); err != nil {
		return p, x.died(p, err)
	}
	p.bot.desk.Open()
	p.bot.tasks.Go(p.bot.upkeep.Sweep)
	p.bot.tasks.Go(p.bot.events.Run)
	ran := make(chan error, 1)
	go func() { ran <- d.Run(ctx, p.bot) }()
	p.end = func() { stop(); <-ran; p.bot.close() }
	for !p.dead.Load() {
		if _, err := x.Act(ctx, standin.Action{Do: "ready", Count: 1, For: 5 * time.Second}); err == nil {
			break
		}
	}
	return p, true
}

// arm has a process die after some steps, while deaths are left.
func (x *tourney) arm(p *process) {
	if x.kills > x.deaths {
		p.fuse.Store(int64(1 + x.rng.IntN(x.steps)))
	}
}

// died reports an error of a start that no death explains.
func (x *tourney) died(p *process, err error) bool {
	if !p.dead.Load() {
		x.t.Fatal(err)
	}
	return false
}

// live buries the dead, and starts again who was buried before. Where nobody lives, it starts at once.
func (x *tourney) live() {
	changed := false
	for i, p := range x.procs {
		switch {
		case p == nil:
			x.rise(i)
		case p.dead.Load():
			x.CloseSockets(standin.CloseTimeout)
			time.Sleep(3 * time.Second) // see tardyConn
			if x.bury(i); !slices.ContainsFunc(x.procs, (*process).lives) {
				x.rise(i)
			}
		default:
			continue
		}
		changed = true
	}
	if changed {
		x.settled()
	}
}

func (p *process) lives() bool { return p != nil && !p.dead.Load() }

// event is the tournament as it is stored.
func (x *tourney) event() (e storage.Event) {
	testkit.Must(x.t, x.truth.Events(x.t.Context(), func(found storage.Event) bool { e = found; return true }))
	return e
}

// until has somebody act until what they want is stored.
func (x *tourney) until(what string, done func(storage.Event) bool, act func()) {
	x.t.Helper()
	for range 200 {
		if done(x.event()) {
			return
		}
		x.live()
		act()
		time.Sleep(7 * time.Second)
	}
	x.t.Fatalf("%s: never done", what)
}

// vanishes says which members do not move any more from the second round on.
func vanishes(n int) bool { return n%8 == 5 }

func nameOf(n int) string { return fmt.Sprintf("m%02d", n) }

// play plays a tournament to its end, and checks what must hold of it.
func (x *tourney) play(c cup) (p played) {
	host := x.host()
	x.until("making it", func(e storage.Event) bool { return e.ID != 0 && e.Message != 0 }, func() {
		if x.event().ID == 0 {
			x.make(host, c.kind, c.pace())
		}
	})
	if _, err := x.truth.UpdateEvent(x.t.Context(), x.event().ID, storage.Cause{At: time.Now()},
		func(e storage.Event) (storage.Event, error) {
			if e.Rounds = max(c.rounds, 1); c.length > 0 {
				e.Length = c.length
			}
			return e, nil
		}); err != nil {
		x.t.Fatal(err)
	}
	numbers := map[game.MemberID]int{}
	join := func(n int) {
		x.join(n)
		numbers[x.event().Entrants[n-1].Seat.Member] = n
	}
	late := 1 // the last one comes late
	if c.kind == "knockout" {
		late = 0
	}
	for n := 1; n <= c.members-late; n++ {
		join(n)
	}
	x.begins(host)
	if late > 0 {
		join(c.members)
	}
	left := false
	marks := []int{0}
	for e := x.event(); !e.Ended; e = x.event() {
		x.live()
		x.messages[e.Message] = true
		x.oneGameEach(e)
		if len(e.Paired) == len(marks)+1 {
			marks = append(marks, len(x.noted()))
		}
		if len(e.Paired) == 2 && !left {
			m := x.Member(nameOf(3)).Try()
			x.until("leaving", func(e storage.Event) bool { return e.Entrants[2].State == event.Gone }, func() {
				m.Press("#gomoku", "My games")
				m.Press("#gomoku", "Leave")
				m.Press("#gomoku", "Leave")
			})
			left = true
		}
		if x.gamesOn(e, numbers) == 0 && c.kind != "arena" {
			x.later(5 * time.Hour)
		}
		time.Sleep(20 * time.Second)
		if time.Now().After(testkit.At("2026-03-01")) {
			x.t.Fatalf("it does not end: %+v", e.Paired[len(e.Paired)-1])
		}
	}
	x.until("showing the end", func(e storage.Event) bool { return !e.Late() }, func() {})
	x.rest()
	e := x.event()
	x.check(e, c)
	calls := x.noted()
	p.standings, p.calls, p.rounds = e.Standings(), len(calls), len(e.Paired)
	p.closest = x.closest()
	for i, from := range marks {
		to := len(calls)
		if i+1 < len(marks) {
			to = marks[i+1]
		}
		p.busiest = max(p.busiest, to-from)
	}
	p.rush = busiest(calls)
	p.burst = len(p.rush)
	return p
}

// busiest are the calls of the busiest second.
func busiest(calls []sent) (rush []sent) {
	for i := range calls {
		n := 1
		for i+n < len(calls) && calls[i+n].at.Sub(calls[i].at) < time.Second {
			n++
		}
		if n > len(rush) {
			rush = calls[i : i+n]
		}
	}
	return rush
}

// rest has nobody die any more, and waits until what was left behind is done.
func (x *tourney) rest() {
	x.live()
	for i, p := range x.procs {
		if p == nil {
			x.rise(i)
		} else {
			p.fuse.Store(0)
		}
	}
	x.settled()
	for _, p := range x.procs {
		p.fuse.Store(0)
	}
	time.Sleep(3 * time.Minute)
}

// noted are the calls up to now.
func (x *tourney) noted() []sent {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.calls)
}

// host is a member who may make events.
func (x *tourney) host() *standin.Member {
	host := x.Member("host").Try()
	host.Moderates("", standin.PermManageGuild)
	return host
}

// make fills in the form of a tournament.
func (x *tourney) make(host *standin.Member, kind, pace string) {
	host.Slash("#gomoku", "/event create").Submit(standin.Opt{"name", "Long Cup"}, standin.Opt{"game", "gomoku9"},
		standin.Opt{"kind", kind}, standin.Opt{"pace", pace})
}

// join has the n-th member join.
func (x *tourney) join(n int) {
	m := x.Member(nameOf(n)).Try()
	x.until("joining", func(e storage.Event) bool { return len(e.Entrants) >= n }, func() { m.Press("#gomoku", "Join") })
}

// begins has the host start it.
func (x *tourney) begins(host *standin.Member) {
	x.until("starting", func(e storage.Event) bool { return len(e.Paired) > 0 }, func() { x.starts(host) })
}

// oneGameEach fails where somebody plays two games at once.
func (x *tourney) oneGameEach(e storage.Event) {
	busy := map[int]bool{}
	for r, boards := range e.Paired {
		for i, b := range boards {
			if b.Open() && (busy[b.White] || busy[b.Black]) {
				x.t.Fatalf("round %d, board %d: somebody plays two games: %+v", r+1, i+1, b)
			}
			if b.Open() {
				busy[b.White], busy[b.Black] = true, true
			}
		}
	}
}

// gamesOn has the losers of the running games resign, and tells how many games somebody will still end.
func (x *tourney) gamesOn(e storage.Event, numbers map[game.MemberID]int) (open int) {
	for round, boards := range e.Paired {
		for i, b := range boards {
			if !b.Open() {
				continue
			}
			loser := numbers[e.Entrants[b.White-1].Seat.Member]
			if other := numbers[e.Entrants[b.Black-1].Seat.Member]; beats(loser, other) {
				loser = other
			}
			if vanishes(loser) && round > 0 {
				continue
			}
			open++
			x.resigns(loser, e.Matches[round][i].Match)
		}
	}
	return open
}

// resigns has a member resign a match that is being played.
func (x *tourney) resigns(n int, id game.MatchID) {
	rec, err := x.truth.Match(x.t.Context(), id)
	if id == 0 || err != nil || rec.Phase != game.Playing {
		return
	}
	m := x.Member(nameOf(n)).Try()
	place := x.placeOf(m, rec.Place.Channel)
	x.live()
	m.Slash(place, "/game do:resign game:"+fmt.Sprint("#", keyOf(id)))
	m.Press(place, "Forfeit")
	time.Sleep(time.Second) // the calls of one member's act are not those of another's
}

// keyOf is a match as an option names it.
func keyOf(id game.MatchID) string { return view.Key(id) }

// beats says who wins: the same in every run.
func beats(a, b int) bool {
	h := fnv.New32a()
	fmt.Fprint(h, min(a, b), "-", max(a, b))
	return (h.Sum32()%2 == 0) == (a < b)
}

// placeOf is the name of a channel or thread.
func (x *tourney) placeOf(m *standin.Member, channel uint64) string {
	for _, p := range m.Places() {
		if p.ID == fmt.Sprint(channel) {
			return p.Name
		}
	}
	return "#gomoku"
}

// check looks for what no tournament may do.
func (x *tourney) check(e storage.Event, c cup) {
	if c.rounds > 0 && len(e.Paired) != c.rounds {
		x.t.Errorf("%d rounds of %d", len(e.Paired), c.rounds)
	}
	seen := map[game.MatchID]bool{}
	met := map[[2]int]int{}
	most := map[string]int{"swiss": 1, "knockout": 3, "arena": 1000}[c.kind] // games of two entrants
	for r, boards := range e.Paired {
		for i, b := range boards {
			if b.Black == 0 {
				continue
			}
			if b.Open() && c.kind == "arena" { // its time was over
				continue
			}
			id := e.Matches[r][i].Match
			forfeit := b.Results[0] == event.ForfeitLoss || b.Results[0] == event.ForfeitWin
			if b.Open() || id != 0 && seen[id] || id == 0 && !forfeit { // who has left gets no match
				x.t.Errorf("round %d, board %d: match %d, %+v", r+1, i+1, id, b)
			}
			if pair := [2]int{min(b.White, b.Black), max(b.White, b.Black)}; !forfeit {
				if met[pair]++; met[pair] > most {
					x.t.Errorf("%v met %d times", pair, met[pair])
				}
				x.kept(e, b, id)
			}
			seen[id] = true
		}
	}
	for _, p := range x.Member("host").Places() {
		if !strings.HasPrefix(p.Name, "#gomoku/") {
			continue
		}
		if in := x.Member("host").Messages(p.ID); len(in) > 1 {
			x.t.Errorf("%s has %d messages: a board is there once", p.Name, len(in))
			for _, m := range in {
				x.t.Logf("%s %v %.600v", m.ID, m.Timestamp, fmt.Sprint(m.Components))
			}
			for _, c := range x.noted() {
				if strings.Contains(c.what, "/channels/"+p.ID) {
					x.t.Log(c.at, c.what)
				}
			}
		}
	}
	shown := 0
	for _, m := range x.Member("host").Messages("#gomoku") {
		if strings.Contains(fmt.Sprint(m.Components), "🏆 Long Cup") && m.Flags&64 == 0 {
			shown++
		}
	}
	testkit.Want(x.t, "messages show it", shown, 1)
}

// kept fails where a board does not say how its match ended. Matches that ended long ago are not stored
// any more.
func (x *tourney) kept(e storage.Event, b event.Board, id game.MatchID) {
	rec, err := x.truth.Match(x.t.Context(), id)
	if errors.Is(err, storage.ErrNotFound) {
		return
	}
	if err != nil || rec.Phase != game.Over {
		x.t.Errorf("match %d is not over: %v", id, err)
		return
	}
	winner := rec.Seats[0].Member
	if rec.ColorOf(1) == rec.Result().Winner {
		winner = rec.Seats[1].Member
	}
	side := b.White
	if b.Results[1] == event.Win {
		side = b.Black
	}
	if e.Entrants[side-1].Seat.Member != winner {
		x.t.Errorf("match %d was won by %d, and the board says %+v", id, winner, b)
	}
}
