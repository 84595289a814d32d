package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tengen/ai"
	"tengen/ai/review"
	"tengen/bot"
	"tengen/bot/discord"
	"tengen/bot/standin"
	"tengen/bot/texts"
	"tengen/game"
	"tengen/storage"
	"tengen/storage/bolt"
)

// loadCmd plays many games at once through a stand-in for Discord in the same process,
// gateway, REST and disk included, and tells how long members wait.
type loadCmd struct {
	Games   int           `default:"1000" help:"Games against the bot."`
	Pairs   int           `default:"200" help:"Games between members."`
	Think   time.Duration `default:"5s" help:"Shortest time that a member thinks."`
	Most    time.Duration `default:"60s" help:"Longest time that a member thinks."`
	Rush    bool          `help:"Members who play one another do not think at all."`
	Game    string        `default:"gomoku" help:"The game."`
	Levels  []int         `default:"6" help:"The bot's levels, which the games share out; as 1,2,3,4,5,6,7,8."`
	Warm    time.Duration `default:"2m" help:"Time before the measurement: in its first half the games begin, in its second they settle."`
	For     time.Duration `default:"3m" help:"Length of the measurement."`
	Burst   int           `default:"0" help:"More games against the bot that all begin within two seconds, at half time."`
	Reviews bool          `help:"Members who play the bot ask for the review of each game that has ended, as many as a day allows."`
	Abuse   int           `help:"Silent sockets that open on the pages in every second twelfth of the measurement, with slow readers and long messages."`
	Latency time.Duration `default:"0" help:"Time that each call to Discord takes."`
	Seed    uint64        `default:"1" help:"Seed of what members do."`
	Dir     string        `help:"Folder for the store, which is deleted at the end; temporary if not given."`
}

type bench struct {
	loadCmd
	server *standin.Server
	abused *abused // nil: there are no pages
	begun  time.Time

	mu      sync.Mutex
	sent    map[string]time.Time     // by interaction
	alone   map[string]bool          // interactions of games against the bot
	edited  map[string]time.Duration // until the first edit by an interaction's token
	samples map[string][]sample
	turns   []thought
	failed  atomic.Int64
	reviews atomic.Int64     // made
	counted atomic.Int64     // moves of members so far
	byBot   map[string]int64 // calls about messages with the bot's token so far, by what they do
}

// sample is how long something took, and when.
type sample struct{ at, took time.Duration }

// thought is one turn of the engine.
type thought struct {
	at, budget, took time.Duration
	level            int
	cut              bool
}

// Run starts the bot, lets the members play and reports.
func (c *loadCmd) Run(ctx context.Context) error {
	dir, err := os.MkdirTemp(c.Dir, "load")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{loadCmd: *c, samples: map[string][]sample{}, begun: time.Now(),
		sent: map[string]time.Time{}, alone: map[string]bool{}, edited: map[string]time.Duration{}, byBot: map[string]int64{}}
	b.server = standin.Start(standin.Options{NoGuild: true, Unchecked: true, Lenient: true, Latency: c.Latency,
		Limits: standin.Limits{On: true}, Keep: 8, KeepBytes: 64 << 20, KeepInteractions: 20_000, Sent: b.wasSent,
		Called: b.wasCalled})
	defer b.server.Close()
	end, err := b.open(ctx, filepath.Join(dir, "load.db"))
	if err != nil {
		return err
	}
	defer end()

	if len(c.Levels) == 0 || slices.Min(c.Levels) < 1 || slices.Max(c.Levels) > 8 {
		return fmt.Errorf("levels are 1 to 8")
	}
	ctx, cancel := context.WithTimeout(ctx, c.Warm+c.For)
	defer cancel()
	var members sync.WaitGroup
	b.people(ctx, &members)
	b.begun = time.Now().Add(c.Warm)
	cpu := b.watch(ctx)
	if c.Abuse > 0 {
		if err := b.strangers(ctx, c.Abuse); err != nil {
			return err
		}
	}
	members.Wait()
	b.report(os.Stdout, cpu())
	if c.Abuse > 0 {
		b.reportAbuse(os.Stdout)
	}
	return nil
}

// open starts the bot over a store of its own.
func (b *bench) open(ctx context.Context, path string) (end func(), err error) {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	db, err := bolt.Open(ctx, path, bolt.Options{Log: log})
	if err != nil {
		return nil, err
	}
	limits := storage.DefaultLimits
	store, err := storage.Open(ctx, db, storage.Options{Limits: limits})
	if err != nil {
		return nil, err
	}
	d, err := discord.New(discord.Options{Token: b.server.Token(), Transport: b.server.Transport(),
		Dialer: b.server.Dialer(), Log: log})
	if err != nil {
		return nil, err
	}
	if _, err := d.Register(ctx, bot.Commands(false), texts.Local, texts.Locales(), 0); err != nil {
		return nil, err
	}
	c := bot.Config{Store: store, Log: log, Think: b.search, Review: b.review}
	if b.Abuse > 0 {
		if b.abused, err = servePages(ctx, store); err != nil {
			return nil, err
		}
		c.Page, c.Told = b.abused.pages, b.abused.pages.Told
	}
	service, err := bot.Serve(ctx, d, c)
	if err != nil {
		return nil, err
	}
	if b.abused != nil {
		b.abused.host(service)
	}
	b.server.Ready(1)
	return func() {
		if b.abused != nil {
			b.abused.pages.Close()
		}
		service.Close()
		db.Close()
	}, nil
}

// search is the engine, with each turn noted.
func (b *bench) search(ctx context.Context, g game.Game, l ai.Limits) (ai.Report, error) {
	start := time.Now()
	r, err := ai.Search(ctx, g, l)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turns = append(b.turns, thought{time.Since(b.begun), l.Time, time.Since(start), l.Level, r.Cut})
	return r, err
}

func (b *bench) review(ctx context.Context, g game.Game, o review.Options) (review.Review, error) {
	r, err := review.Game(ctx, g, o)
	if err == nil {
		b.reviews.Add(1)
	}
	return r, err
}

// wasSent and wasCalled are the two ends of every measured time, which begins as the frame of
// the gateway is written and ends as the body of the answering call has arrived.
func (b *bench) wasSent(interaction string, at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent[interaction] = at
}

func (b *bench) wasCalled(c standin.Call) {
	if c.Interaction == "" && strings.HasPrefix(c.Route, "/channels/") {
		b.mu.Lock()
		b.byBot[c.Method+" "+c.Route]++
		b.mu.Unlock()
	}
	if c.Interaction == "" || c.Status >= 300 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	at, ok := b.sent[c.Interaction]
	took := c.Received.Sub(at)
	switch {
	case !ok:
	case strings.Contains(c.Route, "callback"):
		b.add("acknowledged", took)
	case c.Method == "PATCH" && b.edited[c.Interaction] == 0:
		b.edited[c.Interaction] = took
		if b.alone[c.Interaction] {
			b.add("engine's answer", took)
		}
	}
}

// against notes that an interaction was a move against the bot: the edit that follows is the
// engine's answer.
func (b *bench) against(a *standin.Answer) {
	b.answered(a)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.alone[a.Interaction] = true
	if took := b.edited[a.Interaction]; took > 0 {
		b.add("engine's answer", took)
	}
}

// add keeps a sample; the caller holds b.mu.
func (b *bench) add(kind string, took time.Duration) {
	b.samples[kind] = append(b.samples[kind], sample{time.Since(b.begun), took})
}

func (b *bench) note(kind string, took time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(kind, took)
}

// people lets the members in.
func (b *bench) people(ctx context.Context, members *sync.WaitGroup) {
	const perServer = 200 // channels
	channel := func(n int) string {
		guild := fmt.Sprint("S", n/perServer)
		if n%perServer == 0 {
			b.server.AddGuild(guild, true)
		}
		place := fmt.Sprintf("%s#c%d", guild, n)
		b.server.AddChannel(place)
		return place
	}
	n := 0
	enter := func(after, within time.Duration, life func(place string, rng *rand.Rand)) {
		place, rng := channel(n), rand.New(rand.NewPCG(b.Seed, uint64(n)))
		n++
		members.Go(func() {
			if wait(ctx, after+time.Duration(rng.Int64N(int64(within)))) {
				life(place, rng)
			}
		})
	}
	for i := range b.Games {
		enter(0, b.Warm/2, func(place string, rng *rand.Rand) {
			b.solo(ctx, place, fmt.Sprint("solo", i), b.Levels[i%len(b.Levels)], rng, "black")
		})
	}
	for i := range b.Pairs {
		enter(0, b.Warm/2, func(place string, rng *rand.Rand) {
			b.pair(ctx, place, fmt.Sprint("left", i), fmt.Sprint("right", i), rng)
		})
	}
	for i := range b.Burst {
		enter(b.Warm+b.For/2, 2*time.Second, func(place string, rng *rand.Rand) {
			b.solo(ctx, place, fmt.Sprint("burst", i), b.Levels[i%len(b.Levels)], rng, "white")
		})
	}
}

func wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (b *bench) think(ctx context.Context, rng *rand.Rand) bool {
	return wait(ctx, b.loadCmd.Think+time.Duration(rng.Int64N(int64(max(1, b.Most-b.loadCmd.Think)))))
}

// solo is a member who plays the bot, game after game.
func (b *bench) solo(ctx context.Context, place, name string, level int, rng *rand.Rand, color string) {
	m := b.server.Member(name).Try()
	for ctx.Err() == nil {
		b.against(m.Slash(place, fmt.Sprintf("/play with:bot game:%s level:%d color:%s", b.Game, level, color)))
		for b.think(ctx, rng) {
			message, button := points(m.Messages(place), rng)
			if button == "" {
				break // the game is over, or its end is so near that the pad is full
			}
			b.against(m.PressStale(message, button))
			b.counted.Add(1)
		}
		if ctx.Err() == nil {
			m.Slash(place, "/game do:abort") // of a board without free points in sight
			m.Slash(place, "/game do:resign")
			press(m, place, ":resignsure:")
			if b.Reviews {
				press(m, place, ":review:")
			}
		}
	}
}

// pair is two members who play each other by buttons, game after game.
func (b *bench) pair(ctx context.Context, place, left, right string, rng *rand.Rand) {
	one, two := b.server.Member(left).Try(), b.server.Member(right).Try()
	for ctx.Err() == nil {
		b.answered(one.Slash(place, fmt.Sprintf("/play opponent:@%s game:%s color:black", right, b.Game)))
		press(two, place, ":accept:")
		for turn := 0; b.Rush && ctx.Err() == nil || b.think(ctx, rng); turn++ {
			m := []*standin.Member{one, two}[turn%2]
			message, button := points(m.Messages(place), rng)
			if button == "" {
				break
			}
			start := time.Now()
			a := m.PressStale(message, button)
			if b.answered(a) {
				b.note("member's move", a.Took)
				b.note("member's move, the board read", time.Since(start))
				b.counted.Add(1)
			}
		}
		if ctx.Err() == nil {
			one.Slash(place, "/game do:resign")
			press(one, place, ":resignsure:")
		}
	}
}

// answered counts the acts that Discord told members to have failed.
func (b *bench) answered(a *standin.Answer) bool {
	if a.Failed != "" {
		b.failed.Add(1)
		return false
	}
	return true
}

// points picks a point of the newest board on the screen.
func points(ms []standin.Message, rng *rand.Rand) (message, button string) {
	message, all := find(ms, ":play:")
	if len(all) == 0 {
		return "", ""
	}
	return message, all[rng.IntN(len(all))]
}

// press presses the first button of a verb in the newest message that has one.
func press(m *standin.Member, place, verb string) {
	if message, all := find(m.Messages(place), verb); len(all) > 0 {
		m.PressStale(message, all[0])
	}
}

// find gives the newest message with buttons of a verb.
func find(ms []standin.Message, verb string) (message string, all []string) {
	for _, m := range slices.Backward(ms) {
		if all := buttons(m.Components, verb, nil); len(all) > 0 {
			return m.ID, all
		}
	}
	return "", nil
}

func buttons(cs []standin.Component, verb string, all []string) []string {
	for _, c := range cs {
		if strings.Contains(c.CustomID, verb) && !c.Disabled {
			all = append(all, c.CustomID)
		}
		all = buttons(c.Components, verb, all)
	}
	return all
}

// usage is what the process used while it was measured.
type usage struct {
	cpu      time.Duration
	took     time.Duration
	heap     uint64 // bytes, the highest that was seen
	resident uint64 // bytes of memory, the highest
	moves    int64
	byBot    map[string]int64 // calls about messages with the bot's token
	loadFrom string
	loadTo   string
}

// watch shows progress. The function that it returns waits for the end and tells what was used
// since the warm-up.
func (b *bench) watch(ctx context.Context) func() usage {
	var u usage
	done := make(chan struct{})
	go func() {
		defer close(done)
		if !wait(ctx, time.Until(b.begun)) {
			return
		}
		u.loadFrom = machineLoad()
		start, cpu, moves, byBot := time.Now(), cpuTime(), b.counted.Load(), b.botCalls()
		for wait(ctx, 5*time.Second) {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			u.heap, u.resident = max(u.heap, m.HeapAlloc), max(u.resident, resident())
			at := time.Since(b.begun).Round(time.Second)
			fmt.Fprintf(os.Stderr, "%5s of %s: %6.1f moves/s, acknowledged p99 %v, engine's answer p99 %v, "+
				"CPU %.0f %%, heap %d MB\n",
				at, b.For, float64(b.counted.Load()-moves)/time.Since(start).Seconds(),
				quantile(b.since("acknowledged", at-5*time.Second), .99),
				quantile(b.since("engine's answer", at-5*time.Second), .99),
				100*(cpuTime()-cpu).Seconds()/time.Since(start).Seconds(), m.HeapAlloc>>20)
		}
		u.cpu, u.took, u.moves, u.loadTo = cpuTime()-cpu, time.Since(start), b.counted.Load()-moves, machineLoad()
		u.byBot = b.botCalls()
		for what, n := range byBot {
			u.byBot[what] -= n
		}
	}()
	return func() usage { <-done; return u }
}

// botCalls are the calls about messages with the bot's token so far.
func (b *bench) botCalls() map[string]int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.byBot)
}

// machineLoad is the load average of the machine, which tells what else it had to do.
func machineLoad() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "?"
	}
	return strings.Fields(string(text))[0]
}

// resident is the memory of this process that is in use, in bytes.
func resident() uint64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, pages uint64
	fmt.Sscan(string(text), &size, &pages)
	return pages * uint64(os.Getpagesize())
}

// since gives the times of a kind from a moment on.
func (b *bench) since(kind string, from time.Duration) []time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.samples[kind]
	var took []time.Duration
	for i := len(all) - 1; i >= 0 && all[i].at >= from; i-- {
		took = append(took, all[i].took)
	}
	slices.Sort(took)
	return took
}

// quantile is of sorted values.
func quantile[T cmp.Ordered](sorted []T, q float64) T {
	var none T
	if len(sorted) == 0 {
		return none
	}
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}
