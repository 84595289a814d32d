package bot

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tengen/ai"
	"tengen/bot/desk"
	"tengen/bot/discord"
	"tengen/bot/standin"
	"tengen/bot/texts"
	"tengen/bot/view"
	"tengen/game"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
)

// In the simulator members play, undo, press twice, press old buttons, bring records, resign
// and vanish, while calls fail, files are refused or come late, sockets break, sessions cannot
// be resumed, events come twice, minutes late or never, channels are deleted, the disk fills
// and the bot dies. At the end everything must be right. It runs in a bubble of fake time, so
// that waiting costs nothing. TENGEN_SEEDS is the number of seeds, and TENGEN_SEED repeats
// one.

const clockFace = "15:04:05.000"

// simulation is one seed's world.
type simulation struct {
	clock string // of the games that hurry begins; "": none
	*house
	rng      *rand.Rand
	slips    *dice // of the bot's own code
	mortal   *mortal
	alive    atomic.Pointer[mortal]        // the same, for other goroutines
	opened   atomic.Pointer[storage.Store] // the store of the process that is up, for other goroutines
	logs     *testkit.Log
	story    *testkit.Log // all that happened
	ledger   *ledger
	faulty   bool        // calls fail
	mishaps  []time.Time // when the bot died, or its sockets broke
	mishapMu sync.Mutex
	found    func(r game.Rules, before []game.Point, p game.Point) bool // the engine's move
	faults   standin.Plan
	chance   *dice // of what was added later, so that what was there before stays as it was for each seed
	clocks   *dice // of the clocks of games
	seeks    *dice // of who looks for an opponent
	rested   *dice // of vacations; nil: nobody takes one
	typing   *dice // of the members who type their points; nil: the bot does not listen
	deadly   *dice // of deaths while a member is called; nil: none but the others
	woken    woken
	shunned  shunned
	more     *rand.Rand // of the faults of Discord's own book
	noFiles  bool       // Discord refuses files
	misses   bool       // some events never come
	astray   bool       // some lists of servers are wrong
	untold   sync.Mutex
	orphans  map[string]bool // threads that were deleted with their channel
	bad      wrongs          // what was found wrong during the run
	rests    bool            // hours pass without anybody doing anything
}

// orphaned reports whether a thread was deleted with its channel.
func (s *simulation) orphaned(thread uint64) bool {
	s.untold.Lock()
	defer s.untold.Unlock()
	return s.orphans[fmt.Sprint(thread)]
}

// wrongs collects what is found wrong.
type wrongs []string

func (w *wrongs) add(format string, args ...any) { *w = append(*w, fmt.Sprintf(format, args...)) }

var simMembers = []string{"ann", "bob", "cyd", "dan", "eve", "fay", "gil", "hal"}

const simActs = 16 // of each

// simLimit is how long, in real time, the story of a seed may stay as it is. A bubble in which
// something waits for ever does not end by itself.
const simLimit = 2 * time.Minute

// guard ends the process with all its stacks once the story of a seed no longer grows. How
// long a seed takes as a whole says nothing: that depends on what else the machine does.
func guard(seed uint64, story *testkit.Log) (stop func()) {
	over := make(chan struct{})
	go func() {
		for before := -1; ; {
			select {
			case <-over:
				return
			case <-time.After(simLimit): // outside the bubble: real time
			}
			now := len(story.String())
			if now == before {
				debug.SetTraceback("all")
				panic(fmt.Sprintf("seed %d stands still: TENGEN_SEED=%d go test ./bot -run TestSimulation", seed, seed))
			}
			before = now
		}
	}()
	return func() { close(over) }
}

// simulate runs one seed and gives what went wrong. Goroutines that are left at its end
// make the bubble panic.
func simulate(t *testing.T, seed uint64) (bad wrongs) {
	return simulateOn(t, seed, nil)
}

// simulateOn is simulate on an engine from outside the bubble; nil: one in memory.
func simulateOn(t *testing.T, seed uint64, engine kv.Engine) (bad wrongs) {
	story := &testkit.Log{}
	defer guard(seed, story)()
	synctest.Test(t, func(t *testing.T) {
		if engine == nil {
			engine = kv.NewMemory()
		}
		// Discord's time begins in 2015, the bubble's in 2000.
		today()
		s := &simulation{rng: rand.New(rand.NewPCG(seed, 7)), logs: &testkit.Log{}, story: story, ledger: newLedger()}
		s.found = s.ledger.thoughtOf
		bad = s.run(t, seed, engine)
		time.Sleep(time.Minute) // what ends by itself does so now
	})
	return bad
}

func (s *simulation) run(t *testing.T, seed uint64, engine kv.Engine) (bad wrongs) {
	s.more = rand.New(rand.NewPCG(seed, 9))
	s.faults = s.plan(seed)
	s.slips = &dice{rng: rand.New(rand.NewPCG(seed, 8))}
	s.chance = &dice{rng: rand.New(rand.NewPCG(seed, 10))}
	s.clocks = &dice{rng: rand.New(rand.NewPCG(seed, 13))}
	s.seeks = &dice{rng: rand.New(rand.NewPCG(seed, 15))}
	if seed == 4 || seed >= 200 { // the same
		s.rested = &dice{rng: rand.New(rand.NewPCG(seed, 14))}
	}
	if seed%7 == 6 { // seldom, so that the seeds that are known to miss a protection stay as they are
		s.typing = &dice{rng: rand.New(rand.NewPCG(seed, 11))}
	}
	if seed%8 == 3 { // the same
		s.deadly = &dice{rng: rand.New(rand.NewPCG(seed, 12))}
	}
	if s.chance.IntN(2) == 0 { // the lists of servers are wrong
		s.faults.Events.EmptyReady, s.faults.Events.PartialReady = .4, .3
		s.astray = true
	}
	options := standin.Options{Plan: s.faults, Lenient: true, Limits: standin.Limits{On: true},
		Outdated: outdated(t), Heartbeat: 10 * time.Hour, // discordgo's needs the lock too
		Latency:  []time.Duration{0, 4, 40, 160}[s.rng.IntN(4)] * time.Millisecond,
		Activity: s.more.IntN(2) == 0, NoUserInstall: s.more.IntN(3) == 0,
		Sent: s.ledger.note, Posted: s.ledger.call,
		Called: func(c standin.Call) {
			s.called(c)
			s.trace("call", c.Method, c.Path, c.Status, c.Code, c.Fault, "of", c.Interaction, "type", c.Type)
		}}
	s.rests = s.rng.IntN(4) == 0
	server := standin.Start(options)
	defer server.Close()
	s.house = &house{Server: server, t: t, engine: engine}
	s.AddGuild(elsewhere, true, "hall")
	s.rise()
	defer func() { s.still(); s.stop() }()
	for _, name := range passing {
		s.AddChannel(name)
	}

	var acting sync.WaitGroup
	for i, name := range simMembers {
		m, rng := s.Member(name).Try(), rand.New(rand.NewPCG(seed, uint64(100+i)))
		acting.Go(func() { s.live(m, rng, &acting) })
	}
	acting.Go(func() { s.couple(s.Member("ivy").Try(), s.Member("jon").Try(), rand.New(rand.NewPCG(seed, 200))) })
	if seed%6 == 4 { // seldom, so that the seeds that are known to miss a protection stay as they are
		acting.Go(func() { s.planners(s.Member("kay").Try(), s.Member("lou").Try(), rand.New(rand.NewPCG(seed, 201))) })
	}
	over := make(chan struct{})
	go func() { acting.Wait(); close(over) }()
	s.trouble(over)

	// Nothing fails from here on, and whatever is owed must come.
	s.faults = standin.Plan{}
	s.still()
	if s.mortal.dead.Load() {
		s.fall()
		s.rise()
	}
	s.mortal.fuse.Store(-1)
	for range 3 {
		s.calm()
		time.Sleep(time.Minute + storage.AwayAfter/3) // until who is away is called
		s.bot.screens.RetryLate(s.bot.now())
	}
	s.outwait()
	bad = append(s.bad, s.verdict(s.calm, s.judge)...)
	if len(bad) > 0 { // all that happened: go test -artifacts keeps it
		testkit.Check(t, os.WriteFile(filepath.Join(t.ArtifactDir(), "story"), []byte(s.story.String()), 0o644))
	}
	for _, v := range server.Violations() {
		bad.add("a body that Discord refuses: %v", v)
	}
	return bad
}

// verdict judges the world at rest. A clock may run out meanwhile, or an event come late: then
// what is stored and what is shown belong to two moments, the bot makes calls, and both are
// judged again.
func (s *simulation) verdict(rest func(), judge func(*wrongs)) (bad wrongs) {
	for range 3 {
		rest()
		calls := s.Stats().Calls
		bad = nil
		judge(&bad)
		if len(bad) == 0 {
			break
		}
		rest()
		behind := slices.ContainsFunc(bad, func(line string) bool { return strings.Contains(line, " is shown, ") })
		if !behind && s.Stats().Calls == calls {
			break
		}
	}
	return bad
}

// passing are channels that are deleted and made again during a run; elsewhere is a server
// that the bot is thrown out of and brought back to.
var passing = []string{"Club#spring", "Club#autumn"}

const elsewhere = "Salon"

// places are where members play; the last is each one's own conversation with the bot.
var simPlaces = []string{"#gomoku", "#renju", "#reversi", passing[0], passing[1], elsewhere + "#hall", "@bot"}

// called checks an answered call. A call above the rate limit is the bot's own mistake, unless
// the plan asks for it, the bot has just started and cannot know earlier calls, or calls
// failed whose answers would have told it.
func (s *simulation) called(c standin.Call) {
	s.ledger.reacted(c)
	s.woken.note(c)
	s.shunned.note(c)
	if c.Status != 429 || c.Fault != "" || s.faulty {
		return
	}
	if s.mishapBetween(c.Answered.Add(-15*time.Second), c.Answered.Add(time.Second)) {
		return
	}
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	s.ledger.limited = append(s.ledger.limited, c.Answered.UTC().Format(clockFace)+" "+c.Method+" "+c.Path)
}

// plan is the seed's faults: a third of the seeds has none in its calls.
func (s *simulation) plan(seed uint64) standin.Plan {
	p := standin.Plan{Seed: seed}
	p.Events = standin.EventFaults{Duplicate: .1, Delay: .1, DelayBy: 40 * time.Millisecond, Reorder: .05,
		KeepForReplay: true, Twice: .1, Miss: float64(s.more.IntN(3)) / 10}
	s.misses = p.Events.Miss > 0
	p.Calls = []standin.CallFault{{Kind: standin.Slow, Route: "/attachments", P: .3,
		For: time.Duration(s.more.IntN(20)) * time.Second},
		{Kind: standin.DropBefore, Route: "/attachments", P: .1}, {Kind: standin.TimeoutBefore, Route: "/attachments", P: .1}}
	if s.noFiles = s.more.IntN(5) == 0; s.noFiles {
		p.Calls = append(p.Calls, standin.CallFault{Kind: standin.FilesRefused, P: float64(s.more.IntN(2)) * .4}) // 0: always
	}
	if s.rng.IntN(3) > 0 {
		s.faulty = true
		for _, k := range []standin.FaultKind{standin.RateUser, standin.RateShared, standin.RateGlobal, standin.RateHTML,
			standin.ServerError,
			standin.BadGateway, standin.Unavailable, standin.DropBefore, standin.DropAfter, standin.ErrorAfter,
			standin.Slow, standin.TimeoutBefore, standin.TimeoutAfter} {
			if s.rng.IntN(2) == 0 {
				p.Calls = append(p.Calls,
					standin.CallFault{Kind: k, Route: []string{"callback", "webhooks", "channels"}[s.rng.IntN(3)],
						P: .04, For: time.Duration(30+s.rng.IntN(3000)) * time.Millisecond})
			}
		}
	}
	switch s.rng.IntN(4) {
	case 0:
		p.Events.Drop = .02
	case 1:
		p.Events.Delay, p.Events.DelayBy = .03, 20*time.Minute
	}
	return p
}

// think is the engine. It takes a while, and sometimes panics. think notes what it found, and
// what the bot plays when it finds nothing.
func (s *simulation) think(ctx context.Context, g game.Game, l ai.Limits) (ai.Report, error) {
	took := time.Duration(len(g.Moves())*7919%1200) * time.Millisecond
	select {
	case <-time.After(took):
	case <-ctx.Done():
	}
	s.ledger.thinks(g, desk.Unsearched(g)) // after too many tries, of processes that died too
	if (len(g.Moves())*31+int(l.Seed))%47 == 0 && s.slips.IntN(3) > 0 {
		panic("an engine that panics")
	}
	r, err := simple(ctx, g, l)
	s.ledger.thinks(g, r)
	return r, err
}

// thinks notes what the engine found.
func (l *ledger) thinks(g game.Game, r ai.Report) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.thought[game.MoveList(append(slices.Clip(g.Moves()), r.Move))] = true
}

// thoughtOf reports whether the engine found a move after others. The caller holds l.mu.
func (l *ledger) thoughtOf(_ game.Rules, before []game.Point, p game.Point) bool {
	return l.thought[game.MoveList(append(slices.Clip(before), p))]
}

// random gives the seeds of matches, and sometimes panics where a command is carried out.
func (s *simulation) random() uint64 {
	if s.slips.IntN(40) == 0 {
		panic("a command that panics")
	}
	return s.seeds.Add(1)
}

// dice are thrown from any goroutine.
type dice struct {
	mu  sync.Mutex
	rng *rand.Rand
}

func (d *dice) IntN(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rng.IntN(n)
}

// rise starts a bot process, fall ends it as kill -9 does.
func (s *simulation) rise() {
	slow := rand.New(rand.NewPCG(s.rng.Uint64(), 1))
	sick := s.rng.IntN(4) == 0
	var mu sync.Mutex
	s.mortal = &mortal{Engine: s.engine, next: s.Transport(), died: make(chan struct{}), fell: s.mishap,
		seen: s.ledger.token, wait: func() (before, after time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			before, after = time.Duration(slow.IntN(2000))*time.Microsecond, time.Duration(slow.IntN(2000))*time.Microsecond
			if sick && slow.IntN(6) == 0 {
				before += time.Duration(slow.IntN(2500)) * time.Millisecond
			}
			return before, after
		}}
	s.alive.Store(s.mortal)
	ctx, stop := context.WithCancel(context.Background())
	log := slog.New(slog.NewTextHandler(io.MultiWriter(s.logs, s.story, watcher(s.heard)), nil))
	var err error
	if s.store, err = storage.Open(ctx, s.mortal, storage.Options{Limits: storage.DefaultLimits}); err != nil {
		s.again(err, stop)
		return
	}
	s.opened.Store(s.store)
	d := testkit.Got(discord.New(discord.Options{Store: s.store, Token: s.Token(), Transport: s.mortal,
		Dialer: tardy(s.Dialer()), Log: log, Grace: time.Second,
		Listen: s.typing != nil}))
	s.bot, err = newBot(Config{Store: s.store, Chat: d, Log: log, Think: s.think, Draw: drawn,
		Now: time.Now, Random: s.random, Fetch: discord.Fetch(s.mortal),
		Options: Options{Workers: 2, ReviewMeans: quickReview}})
	testkit.Must(s.t, err)
	bot := s.bot
	for range 20 { // registering goes by failing calls too
		if _, err = d.Register(ctx, Commands(false), texts.Local, texts.Locales(), 0); err == nil {
			break
		}
	}
	if err == nil {
		err = bot.upkeep.Resume(ctx)
	}
	if err != nil {
		s.again(err, func() {
			stop()
			bot.close()
		})
		return
	}
	bot.work()
	ran := make(chan error, 1)
	go func() { ran <- d.Run(ctx, bot) }()
	s.stop = func() {
		stop()
		<-ran
		bot.close()
	}
	s.Ready(1)
}

// again starts another process after one that died before it was up: as it took up what the one
// before had left, or because a call of the one before, which brings death, arrived so late.
func (s *simulation) again(err error, stop func()) {
	select {
	case <-s.mortal.died:
	default:
		s.t.Fatal(err)
	}
	stop()
	s.mishap()
	s.rise()
}

// watcher is a writer that is told each line.
type watcher func(line []byte)

func (w watcher) Write(p []byte) (int, error) { w(p); return len(p), nil }

// heard takes note of what the log says of the connection.
func (s *simulation) heard(line []byte) {
	if strings.Contains(string(line), "gateway connection") {
		s.mishap()
	}
	if _, after, ok := strings.Cut(string(line), `msg="panic in handler" id=`); ok {
		var id uint64
		fmt.Sscan(after, &id)
		s.ledger.mu.Lock()
		defer s.ledger.mu.Unlock()
		s.ledger.slipped[id] = true
	}
}

func (s *simulation) fall() {
	s.mishap()
	s.trace("death")
	s.mortal.die()
	<-s.mortal.died
	if s.rng.IntN(3) > 0 { // Discord forgets the session, else it sends again what came meanwhile
		s.CloseSockets(standin.CloseTimeout)
	}
	s.still()
	s.stop()
	s.SetPlan(s.faults)
	s.mishap()
}

// sever does something to the sockets, at a moment when nothing else happens to them.
func (s *simulation) sever(how func()) {
	s.mishap()
	s.still()
	how()
	time.Sleep(3 * time.Second)
	s.SetPlan(s.faults)
	s.mishap()
}

// still waits until no connection is being closed: see tardyConn.
func (s *simulation) still() {
	calls := s.faults
	calls.Events.Drop = 0
	s.SetPlan(calls)
	time.Sleep(3 * time.Second)
}

// trace notes what happened, for whoever must find out why.
func (s *simulation) trace(what ...any) {
	fmt.Fprintln(s.story, time.Now().Format(clockFace), what)
}

// told is an answer in a few words.
func told(a *standin.Answer) string {
	if a == nil {
		return "nothing"
	}
	return fmt.Sprintf("%s: type %d after %v %s", a.Interaction, a.Type, a.Took.Round(time.Millisecond), a.Failed)
}

func (s *simulation) mishap() {
	s.mishapMu.Lock()
	defer s.mishapMu.Unlock()
	s.mishaps = append(s.mishaps, time.Now())
}

// trouble troubles the world until the members are done.
func (s *simulation) trouble(over <-chan struct{}) {
	defer func() { // what was taken away comes back
		s.mortal.full.Store(false)
		for _, place := range passing {
			s.Permit(place, "tengen")
		}
		s.InviteBot(elsewhere)
	}()
	for {
		select {
		case <-over:
			return
		case <-s.mortal.died:
			time.Sleep(time.Duration(s.rng.IntN(2000)) * time.Millisecond) // nobody is there meanwhile
			s.fall()
			s.rise()
			s.mishap()
		case <-time.After(time.Duration(s.rng.IntN(12_000)) * time.Millisecond):
			s.disturb()
		}
	}
}

// deleteChannel deletes a channel, with its threads, and makes another of its name. Discord tells
// of the channel alone: the bot finds out about a thread when it next reminds the players.
func (s *simulation) deleteChannel(place string) {
	var deleted string
	for _, p := range s.Places() {
		if p.Parent == "" && strings.HasSuffix(p.Name, place[strings.Index(place, "#"):]) {
			deleted = p.ID
		}
	}
	s.untold.Lock()
	if s.orphans == nil {
		s.orphans = map[string]bool{}
	}
	for _, p := range s.Places() {
		if p.Parent != "" && p.Parent == deleted {
			s.orphans[p.ID] = true
		}
	}
	s.untold.Unlock()
	s.DeleteChannel(place)
	s.AddChannel(place)
}

// archive archives a thread, as one that nobody has written in for long.
func (s *simulation) archive() {
	if t := s.thread(); t != "" {
		s.trace("archive", t)
		s.Act(context.Background(), standin.Action{Do: "archive", At: t})
	}
}

// thread is one of the threads; "" where there is none.
func (s *simulation) thread() string {
	var all []string
	for _, p := range s.Places() {
		if p.Parent != "" {
			all = append(all, p.ID)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return all[s.chance.IntN(len(all))]
}

// woken are the calls that an archived thread refused, and those that opened one.
type woken struct {
	mu      sync.Mutex
	byToken []time.Time // refused edits by an interaction's token: the bot may not know their thread
	answers []time.Time // refused answers: the bot may not know that it is in the server, where it has missed that
	byBot   []time.Time // other refused calls
	opened  []time.Time // threads that were set open
	posted  []time.Time // new messages; a message opens its thread
}

func (w *woken) note(c standin.Call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case c.Code == 50083 && strings.HasPrefix(c.Route, "/webhooks/"):
		w.byToken = append(w.byToken, c.Answered)
	case c.Code == 50083 && strings.HasPrefix(c.Route, "/interactions/"):
		w.answers = append(w.answers, c.Answered)
	case c.Code == 50083:
		w.byBot = append(w.byBot, c.Answered)
	case c.Method == "PATCH" && c.Route == "/channels/{channel_id}":
		w.opened = append(w.opened, c.Answered)
	case c.Method == "POST" &&
		(c.Route == "/channels/{channel_id}/messages" || strings.HasPrefix(c.Route, "/webhooks/")) && c.Status == 200:
		w.posted = append(w.posted, c.Answered)
	}
}

// shut are the refusals after which no thread was opened. With unheard the bot may not know all its
// servers.
func (w *woken) shut(unheard bool) []time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	near := func(at time.Time, all []time.Time) bool { // it may have been opened just before
		return slices.ContainsFunc(all, func(t time.Time) bool { return t.Sub(at).Abs() < 10*time.Second })
	}
	var shut []time.Time
	known := w.byBot
	if !unheard {
		known = slices.Concat(known, w.answers)
	}
	for _, at := range known {
		if !near(at, w.opened) {
			shut = append(shut, at)
		}
	}
	for _, at := range w.byToken {
		if !near(at, w.opened) && !near(at, w.posted) {
			shut = append(shut, at)
		}
	}
	return shut
}

// judgeThreads checks that the bot opens each archived thread that it meets.
func (s *simulation) judgeThreads(bad *wrongs) {
	for _, at := range s.woken.shut(s.misses || s.astray) {
		if !s.mishapBetween(at.Add(-10*time.Second), at.Add(10*time.Second)) {
			bad.add("an archived thread refused a call at %s, and the bot did not open it", at.UTC().Format(clockFace))
		}
	}
}

// judgeServers checks that the bot knows in which servers it is, and that no game there was ended by
// anything but an act, a clock or the bot's removal.
func (s *simulation) judgeServers(bad *wrongs) {
	err := s.store.Servers(context.Background(), func(server storage.Server) bool {
		// A wrong list after a crash may hide that the bot came back to a server that had removed it;
		// the next list tells.
		unheard := s.misses || s.astray
		if !server.Missed.IsZero() || !server.Left.IsZero() && !unheard {
			bad.add("server %d is missed since %v, left since %v, and the bot is there", server.ID, server.Missed, server.Left)
		}
		return true
	})
	if err != nil {
		bad.add("servers: %v", err)
	}
	away := s.ServerID(elsewhere)
	err = s.store.Archive(context.Background(), func(rec storage.Record) bool {
		ran := rec.Clock.Each > 0 && rec.Ended.Sub(rec.Turned) >= rec.Clock.Each
		if rec.Result().Termination == game.Aborted && fmt.Sprint(rec.Place.Server) != away && !ran &&
			!s.ledger.actedIn(rec.Ended) {
			bad.add("match %s was ended at %s, and nobody did it", view.Key(rec.ID), rec.Ended.UTC().Format(clockFace))
		}
		return true
	})
	if err != nil {
		bad.add("reading: %v", err)
	}
}

// actedIn reports whether a member acted in the second of a time.
func (l *ledger) actedIn(at time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for ms := range l.acted {
		if ms/1000 == at.Unix() {
			return true
		}
	}
	return false
}

// strand lets the session be resumed no more, or not at its own address. Within a minute the
// bot must be back, and a row of connections that ended soon may have it rest for as long before.
func (s *simulation) strand() {
	s.still()
	s.mishap()
	n := 1 + s.more.IntN(6)
	events := []standin.EventFaults{{MuteResume: n}, {DeadURL: n}, {MuteURL: n}, {DeadURL: n, MuteResume: n},
		{MuteResume: 1000}, {DeadURL: 1000}, {MuteURL: 1000}}[s.more.IntN(7)]
	calls := s.faults
	calls.Events = events
	s.SetPlan(calls)
	s.trace("strand", events.MuteResume, events.DeadURL, events.MuteURL)
	s.DropSockets()
	time.Sleep(5 * time.Second)
	for began := time.Now(); ; time.Sleep(time.Second) {
		s.mishap()
		_, err := s.Act(context.Background(), standin.Action{Do: "ready", Count: 1, For: time.Millisecond})
		if err == nil || s.mortal.dead.Load() {
			break
		}
		if time.Since(began) > 2*time.Minute {
			s.bad.add("the bot does not come back when its session cannot be resumed: %v", err)
			break
		}
	}
	s.SetPlan(s.faults)
	time.Sleep(3 * time.Second)
	s.mishap()
}

// disturb does something to the world.
func (s *simulation) disturb() {
	if s.chance.IntN(3) == 0 {
		s.archive()
	}
	if s.more.IntN(12) == 0 {
		s.strand()
		return
	}
	place, trouble := passing[s.rng.IntN(len(passing))], s.rng.IntN(14)
	s.trace("trouble", trouble, "at", place)
	switch trouble {
	case 0:
		s.fall()
		s.rise()
		s.mishap()
	case 1, 2, 3:
		s.mortal.fuse.Store(1 + s.rng.Int64N(30))
	case 4:
		s.sever(s.DropSockets)
	case 5:
		s.sever(s.Reconnect)
	case 6:
		s.sever(func() { s.Invalidate(true) })
	case 7:
		at := []string{"#gomoku", "#renju", "#reversi"}[s.rng.IntN(3)]
		if ms := s.Member("ann").Messages(at); len(ms) > 0 {
			m := ms[s.rng.IntN(len(ms))]
			s.ledger.delete(m)
			s.Act(context.Background(), standin.Action{Do: "delete-message", At: m.ID})
		}
	case 8:
		s.deleteChannel(place)
	case 9:
		s.Deny(place, "tengen", []uint64{standin.PermSendMessages, standin.PermViewChannel}[s.rng.IntN(2)])
		time.Sleep(time.Duration(s.rng.IntN(20_000)) * time.Millisecond)
		s.Permit(place, "tengen")
	case 10:
		s.mishap()
		m := s.mortal
		m.full.Store(true)
		time.Sleep(time.Duration(s.rng.IntN(4000)) * time.Millisecond)
		m.full.Store(false)
		s.mishap()
	case 11:
		s.mishap() // an archived thread there stays so meanwhile
		s.KickBot(elsewhere)
		time.Sleep(time.Duration(s.rng.IntN(10_000)) * time.Millisecond)
		s.InviteBot(elsewhere)
		s.mishap()
	default:
		if id := s.ledger.any(s.rng); id != "" {
			s.Act(context.Background(), standin.Action{Do: "replay", At: id})
		}
	}
}

// live is one member's life: some acts with time to think between them, until they vanish.
func (s *simulation) live(m *standin.Member, rng *rand.Rand, acting *sync.WaitGroup) {
	if rng.IntN(4) == 0 {
		s.fickle(m, rng)
		return
	}
	hasty := rng.IntN(3) == 0
	for range simActs {
		pause := time.Duration(rng.ExpFloat64() * float64(4*time.Second))
		if hasty {
			pause /= 10
		}
		if s.rests && rng.IntN(20) == 0 {
			pause += time.Duration(rng.IntN(90)) * time.Minute
		}
		time.Sleep(pause)
		if rng.IntN(60) == 0 {
			return
		}
		s.ledger.actedBy(m.Name)
		a := s.act(m, rng, acting)
		s.ledger.actedBy(m.Name)
		s.trace(m.Name, "acted", told(a))
		s.heed(a)
		if s.typing != nil {
			s.typePoint(m)
		}
		if s.rested != nil && s.rested.IntN(6) == 0 {
			s.vacation(m)
		}
	}
}

// vacation has a member begin a vacation, or end one.
func (s *simulation) vacation(m *standin.Member) {
	days := max(0, s.rested.IntN(6)-2)
	a := m.Slash(simPlaces[s.rested.IntN(len(simPlaces))], fmt.Sprint("/settings vacation:", days))
	s.trace(m.Name, "took", days, "days off", told(a))
	s.heed(a)
}

// seated reports whether a member plays in a match, as far as the store tells.
func (s *simulation) seated(m *standin.Member, id game.MatchID) bool {
	rec, err := s.opened.Load().Match(context.Background(), id)
	if err != nil {
		return false
	}
	for _, u := range s.People() {
		by, _ := strconv.ParseUint(u.ID, 10, 64)
		if _, ok := rec.Match.SeatOf(game.MemberID(by)); ok && u.Username == m.Name {
			return true
		}
	}
	return false
}

// typePoint has a member type a point that some board offers them, to the bot or as a reply to the board.
func (s *simulation) typePoint(m *standin.Member) {
	place := simPlaces[s.typing.IntN(len(simPlaces))]
	r, err := s.Act(context.Background(), standin.Action{Do: "messages", As: m.Name, At: place})
	if err != nil {
		return
	}
	type target struct{ message, point string }
	var targets []target
	for _, msg := range r.Messages {
		for _, p := range buttonsOf(msg.Components) {
			if p.Verb == "play" && (s.seated(m, p.Match) || s.typing.IntN(20) == 0) {
				targets = append(targets, target{msg.ID, p.Arg})
			}
		}
	}
	if len(targets) == 0 {
		return
	}
	t := targets[s.typing.IntN(len(targets))]
	a := standin.Action{Do: "say", As: m.Name, At: place, Text: "@tengen " + t.point}
	if s.typing.IntN(2) == 0 {
		a.Text, a.Target = t.point, t.message
	}
	if r, err = s.Act(context.Background(), a); err == nil && len(r.Messages) > 0 {
		s.trace(m.Name, "typed", a.Text, "to", a.Target, "in", r.Messages[0].ID)
		s.ledger.typePoint(r.Messages[0].ID)
	}
}

// fickle is a member who plays the bot alone in a channel, takes back what they played
// while it thinks, and plays elsewhere.
func (s *simulation) fickle(m *standin.Member, rng *rand.Rand) {
	place := "Club#" + m.Name
	s.AddChannel(place)
	for range 2 * simActs {
		time.Sleep(time.Duration(rng.IntN(700)) * time.Millisecond)
		var all []func()
		for _, msg := range m.Messages(place) {
			for _, id := range customIDs(msg.Components, ":play:") {
				all = append(all, func() { s.finger(m, msg.ID, id) })
			}
		}
		switch {
		case len(all) > 0:
			all[rng.IntN(len(all))]()
		case strings.Contains(m.Sees(place), "{picture:"):
			s.heed(m.Slash(place, "/undo"))
		default:
			s.heed(m.Slash(place, "/play with:bot game:gomoku9 level:1 color:black"))
		}
	}
}

// couple are two members who play each other in a channel of their own, with pauses in which one
// of them goes away, and with others who talk between the moves.
func (s *simulation) couple(one, two *standin.Member, rng *rand.Rand) {
	const place = "Club#couple"
	s.AddChannel(place)
	for turn := range 2 * simActs {
		pause := time.Duration(rng.IntN(6000)) * time.Millisecond
		if rng.IntN(5) == 0 {
			pause += time.Duration(rng.IntN(240)) * time.Second
		}
		dies := s.deadly != nil && s.deadly.IntN(2) == 0
		if dies {
			pause += storage.AwayAfter
		}
		time.Sleep(pause)
		if dies {
			s.alive.Load().fuse.Store(int64(2 + s.deadly.IntN(20)))
		}
		if rng.IntN(4) == 0 {
			s.Member("hal").Try().Says(place, "And now?")
		}
		m := []*standin.Member{one, two}[turn%2]
		s.ledger.actedBy(m.Name)
		message, button := "", ""
		for _, msg := range m.Messages(place) {
			for _, verb := range []string{":play:", ":accept:", ":undoyes:", ":drawno:"} {
				if all := customIDs(msg.Components, verb); len(all) > 0 {
					message, button = msg.ID, all[rng.IntN(len(all))]
				}
			}
		}
		switch {
		case button != "":
			s.finger(m, message, button)
		default:
			s.heed(m.Slash(place, "/play opponent:@"+[]string{two.Name, one.Name}[turn%2]+" game:gomoku9"))
		}
		s.ledger.actedBy(m.Name)
	}
}

// planners are two members who play each other with a day for each move, and lay down what they answer.
func (s *simulation) planners(one, two *standin.Member, rng *rand.Rand) {
	const place = "Club#planners"
	s.AddChannel(place)
	for turn := range 12 * simActs {
		time.Sleep(time.Duration(rng.IntN(3000)) * time.Millisecond)
		m := []*standin.Member{one, two}[turn/8%2]
		s.ledger.actedBy(m.Name)
		wanted := []string{":accept:", ".at.", ".lay.", ":ifthen:", ":more:"} // the first of them that is there
		if turn%8 == 0 {
			wanted = []string{":accept:", ":play:", ":undono:", ":drawno:"}
		}
		message, button := "", ""
		for _, msg := range m.Messages(place) {
			for _, verb := range slices.Backward(wanted) {
				if ids := customIDs(msg.Components, verb); len(ids) > 0 {
					message, button = msg.ID, ids[rng.IntN(len(ids))]
				}
			}
		}
		switch {
		case button != "":
			s.finger(m, message, button)
		case turn%8 == 0:
			other := []string{two.Name, one.Name}[turn/8%2]
			s.heed(m.Slash(place, "/play opponent:@"+other+" game:reversi color:black clock:1d"))
		}
		s.ledger.actedBy(m.Name)
	}
}

// customIDs are the ids of the buttons that can be pressed and do what verb says.
func customIDs(cs []standin.Component, verb string) (all []string) {
	for c := range each(cs) {
		if strings.Contains(c.CustomID, verb) && !c.Disabled {
			all = append(all, c.CustomID)
		}
	}
	return all
}

var simKinds = []string{"gomoku", "gomoku9", "standard", "standard9", "renju", "reversi"}

// simClocks are clocks of all kinds, the shortest one twice, and one with odds.
var simClocks = []string{"1m", "1m", "5+10", "10+5", "30+20 odds:5+10", "1h", "1d+5d"}

// act is one act of a member.
func (s *simulation) act(m *standin.Member, rng *rand.Rand, acting *sync.WaitGroup) *standin.Answer {
	place := simPlaces[rng.IntN(len(simPlaces))]
	if s.chance.IntN(4) == 0 {
		if thread := s.thread(); thread != "" {
			place = thread
		}
	}
	kind := simKinds[rng.IntN(len(simKinds))]
	clock := ""
	if rng.IntN(3) == 0 {
		clock = " clock:" + simClocks[s.clocks.IntN(len(simClocks))]
	}
	switch n := rng.IntN(41); {
	case n == 40:
		// more would count as moves that members saw
		return m.Slash(place, "/import", standin.Opt{"file", standin.File{Name: "game.txt", Data: []byte("renju h8")}})
	case n == 39:
		return m.Slash(place, "/"+[]string{"resign", "abort", "stats", "help"}[rng.IntN(4)])
	default:
		return s.use(m, place, n/2, kind, clock, rng, acting)
	}
}

// use is one of the usual acts of a member.
func (s *simulation) use(m *standin.Member, place string, n int, kind, clock string, rng *rand.Rand,
	acting *sync.WaitGroup) *standin.Answer {
	switch {
	case n < 2:
		line := "/play with:bot game:" + kind + fmt.Sprintf(" level:%d", 1+rng.IntN(8)) + clock
		if s.chance.IntN(2) == 0 {
			line += " thread:true"
		}
		return m.Slash(place, line)
	case n < 3:
		with := []string{"anyone", "strength"}[s.seeks.IntN(2)]
		return m.Slash(place, "/play with:"+with+" game:"+kind+clock)
	case n < 4:
		return m.Slash(place, "/play opponent:@"+simMembers[rng.IntN(len(simMembers))]+" game:"+kind+clock)
	case n < 5:
		return m.Slash(place, "/undo")
	case n < 6:
		return m.Slash(place, "/"+[]string{"games", "history", "board", "draw", "hint"}[rng.IntN(5)])
	case n < 7:
		if games := m.Types(place, "/game do:board game:"); len(games) > 0 {
			return m.Slash(place, "/game do:board game:"+fmt.Sprint(games[rng.IntN(len(games))].Value))
		}
		return nil
	case n < 9:
		if points := m.Types(place, "/move at:"); len(points) > 0 {
			return m.Slash(place, fmt.Sprint("/move at:", points[rng.IntN(len(points))].Value))
		}
		return nil
	}
	return s.press(m, place, rng, acting)
}

// press presses some button that the member sees, sometimes twice at once, sometimes one
// that may be gone meanwhile.
func (s *simulation) press(m *standin.Member, place string, rng *rand.Rand, acting *sync.WaitGroup) *standin.Answer {
	r, err := s.Act(context.Background(), standin.Action{Do: "messages", As: m.Name, At: place})
	if err != nil {
		return nil
	}
	type target struct{ message, id string }
	var targets []target
	for _, msg := range r.Messages {
		s.ledger.see(msg.Components)
		for c := range each(msg.Components) {
			sure := strings.Contains(c.CustomID, ":resignsure:") // a game is to last for a while
			if c.CustomID != "" && !c.Disabled && c.Type == 2 && (!sure || rng.IntN(8) == 0) {
				targets = append(targets, target{msg.ID, c.CustomID})
			}
		}
	}
	if len(targets) == 0 {
		return nil
	}
	t := targets[rng.IntN(len(targets))]
	if rng.IntN(6) == 0 {
		time.Sleep(time.Duration(rng.IntN(3000)) * time.Millisecond) // it may be stale by now
	}
	if rng.IntN(4) == 0 {
		acting.Go(func() { s.finger(m, t.message, t.id) }) // the same finger, twice
	}
	return s.finger(m, t.message, t.id)
}

func (s *simulation) finger(m *standin.Member, message, id string) *standin.Answer {
	a := m.PressStale(message, id)
	s.trace(m.Name, "pressed", id, "on", message, told(a))
	s.ledger.press(a.Interaction, id)
	s.heed(a)
	return a
}

// calm waits until the bot has nothing left to do.
func (s *simulation) calm() {
	s.t.Helper()
	for quiet, limit := 0, time.Now().Add(time.Hour); quiet < 3; time.Sleep(time.Second) {
		if time.Now().After(limit) {
			s.t.Fatalf("the bot does not come to rest\n%s", s.logs)
		}
		if quiet++; atWork(s.bot) > 0 {
			quiet = 0
		}
	}
}

// atWork counts the turns of the engine and the boards that a bot is at.
func atWork(b *Bot) int {
	waiting, thinking := b.desk.Size()
	return waiting + thinking + b.screens.Busy()
}

func TestSimulation(t *testing.T) {
	t.Parallel()
	seeds, first := 4, uint64(1)
	if n, err := strconv.Atoi(os.Getenv("TENGEN_SEEDS")); err == nil {
		seeds = n
	}
	if n, err := strconv.ParseUint(os.Getenv("TENGEN_SEED"), 10, 64); err == nil {
		first = n
		if os.Getenv("TENGEN_SEEDS") == "" {
			seeds = 1
		}
	}
	for seed := first; seed < first+uint64(seeds); seed++ {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			t.Parallel()
			if bad := simulate(t, seed); len(bad) > 0 {
				t.Fatalf("TENGEN_SEED=%d go test ./bot -run TestSimulation repeats this:\n%s", seed, strings.Join(bad, "\n"))
			}
		})
	}
}
