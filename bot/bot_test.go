package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tengen/ai"
	"tengen/ai/puzzle"
	"tengen/ai/review"
	"tengen/bot/discord"
	"tengen/bot/standin"
	"tengen/bot/texts"
	"tengen/game"
	openings "tengen/game/opening"
	"tengen/internal/pulse"
	"tengen/internal/testkit"
	"tengen/render"
	"tengen/storage"
	"tengen/storage/bolt"
	"tengen/storage/kv"
)

// house is a bot on a stand-in for Discord, with a store that outlives the bot.
type house struct {
	*standin.Server
	t      *testing.T
	engine kv.Engine
	store  *storage.Store
	change []func(*Config)
	heard  heard        // the changes that the bot tells of
	ahead  atomic.Int64 // how far the bot's clock is ahead, as a duration
	seeds  atomic.Uint64
	thinks atomic.Int64 // how long the engine thinks, as a duration
	lag    atomic.Int64 // how long a transaction takes, as a duration

	door     *door         // takes interactions over HTTP; nil: they come by the gateway
	through  wrapping      // what stands between the bot and Discord; nil: nothing
	patience time.Duration // for an answer; 0: as at Discord
	secret   string        // the application's client secret; empty: it has none

	bot     *Bot
	discord *discord.Adapter
	stop    func()
}

// open starts a bot on a new stand-in and waits until it takes commands.
func open(t *testing.T, o standin.Options, change ...func(*Config)) *house {
	t.Helper()
	return openBy(t, nil, o, change...)
}

// openBy is open with a door for interactions over HTTP, or none.
func openBy(t *testing.T, d *door, o standin.Options, change ...func(*Config)) *house {
	t.Helper()
	return openThrough(t, d, nil, o, change...)
}

// openThrough is openBy with something between the bot and Discord, or nothing.
func openThrough(t *testing.T, d *door, between wrapping, o standin.Options, change ...func(*Config)) *house {
	t.Helper()
	if d != nil && d.pipes {
		o.EndpointDial = d.dial
	}
	o.Outdated = outdated(t)
	h := &house{Server: standin.New(t, o), t: t, change: change, door: d, through: between, patience: o.AnswerWithin,
		secret: o.ClientSecret}
	engine := kv.NewMemory()
	h.engine = lagging{engine, &h.lag}
	h.start()
	rows := watching(t, engine)
	t.Cleanup(func() { h.stop(); h.heard.same(t, rows) })
	return h
}

// outdated are the commands as they were before there was one door to each thing, which clients may still show.
func outdated(t testing.TB) (before []standin.Command) {
	t.Helper()
	testkit.Must(t, json.Unmarshal(testkit.Read(t, "testdata/golden/commands-before.json"), &before))
	for i := range before {
		before[i].ID = fmt.Sprint(1<<60 + i)
	}
	return before
}

// start starts a bot over the store.
func (h *house) start() {
	h.t.Helper()
	level := slog.LevelError
	if testing.Verbose() {
		level = slog.LevelInfo
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
	var err error
	h.store, err = storage.Open(context.Background(), h.engine,
		storage.Options{Limits: storage.DefaultLimits})
	testkit.Must(h.t, err)
	o := discord.Options{Store: h.store, Token: h.Token(), Transport: h.Transport(), Dialer: h.Dialer(), Log: log,
		Patience: 2900 * time.Millisecond}
	if h.patience > 0 {
		o.Patience, o.AnswerIn = h.patience, h.patience
	}
	o.ClientSecret = h.secret
	o.Listen = h.door == nil
	if h.door != nil {
		o.Endpoint = h.door.open(h.t)
	}
	d := testkit.Got(discord.New(o))
	h.discord = d
	c := Config{
		Store: h.store, Log: log, Fetch: discord.Fetch(h.Transport()), Think: h.think, Decide: simplyDecide,
		Balanced: plainOpening, Puzzles: fewPuzzles, Pulse: h.pulse(),
		Draw:    drawn,
		Random:  func() uint64 { return h.seeds.Add(1) },
		Options: Options{ReviewMeans: review.Means{Nodes: 1500}},
		Told:    h.heard.hear,
	}
	for _, f := range h.change {
		f(&c)
	}
	line := Line(d)
	if h.through != nil {
		line = h.through(h, d)
	}
	service := serve(d, line, c)
	h.bot = service.Bot
	h.stop = func() {
		testkit.Check(h.t, service.Close())
	}
	if h.door != nil {
		h.door.show(h.t, &h.Server.World)
	}
	h.Ready(1)
}

// wrapping makes a line around that to Discord.
type wrapping func(*house, *discord.Adapter) Line

// serve registers the commands and puts a bot to work on a line.
func serve(d *discord.Adapter, line Line, c Config) *Service {
	testkit.Got(d.Register(context.Background(), Commands(c.Guests != nil), texts.Local, texts.Locales(), 0))
	return testkit.Got(Serve(context.Background(), line, c))
}

// restart ends the bot and starts another over the same store.
func (h *house) restart() {
	h.t.Helper()
	h.stop()
	h.start()
}

// live are the matches that are offered or played.
func (h *house) live() (recs []storage.Record) {
	h.t.Helper()
	testkit.Must(h.t, h.store.Live(h.t.Context(), func(rec storage.Record) bool {
		recs = append(recs, rec)
		return true
	}))
	return recs
}

// pulse shows the stand-in's time, which later puts forward. It takes no gap for a stop of the bot.
func (h *house) pulse() *pulse.Pulse {
	began, ahead := time.Now(), h.ahead.Load()
	return pulse.New(pulse.Options{Gap: -1,
		Wall: func() time.Time { return time.Now().Add(time.Duration(h.ahead.Load())) },
		Ran:  func() time.Duration { return time.Since(began) + time.Duration(h.ahead.Load()-ahead) }})
}

// later puts the clocks of Discord and of the bot forward.
func (h *house) later(d time.Duration) {
	h.Advance(d)
	h.ahead.Add(int64(d))
}

// settle waits until the bot has nothing left to do.
func (h *house) settle() {
	h.t.Helper()
	deadline := time.Now().Add(time.Minute)
	for calm := 0; calm < 3; {
		if time.Now().After(deadline) {
			h.t.Fatal("the bot does not come to rest")
		}
		waiting, thinking := h.bot.desk.Size()
		if h.thinks.Load() > 0 {
			thinking = 0 // it may go on
		}
		waiting += h.discord.InHand() + h.bot.desk.Reviews() + h.bot.reviews.Judging() + h.bot.events.Busy()
		sending := h.bot.screens.Busy()
		if waiting+thinking+sending == 0 {
			calm++
		} else {
			calm = 0
		}
		time.Sleep(2 * time.Millisecond) // a poll of a condition that has no event
	}
}

// lagging is a store whose transactions take a while.
type lagging struct {
	kv.Engine
	lag *atomic.Int64
}

func (l lagging) Update(ctx context.Context, fn func(kv.Tx) error) error {
	if d := l.lag.Load(); d > 0 {
		time.Sleep(time.Duration(d))
	}
	return l.Engine.Update(ctx, fn)
}

// think is simple, after thinks.
func (h *house) think(ctx context.Context, g game.Game, l ai.Limits) (ai.Report, error) {
	if d := h.thinks.Load(); d > 0 {
		select {
		case <-time.After(time.Duration(d)):
		case <-ctx.Done():
			return ai.Report{}, ctx.Err()
		}
	}
	return simple(ctx, g, l)
}

// apart is the distance of two points in steps.
func apart(p, q game.Point) int {
	return max(max(p.Col()-q.Col(), q.Col()-p.Col()), max(p.Row()-q.Row(), q.Row()-p.Row()))
}

// simple is an engine that plays the first legal point beside the last move, so that a
// conversation is the same every time.
func simple(_ context.Context, g game.Game, _ ai.Limits) (ai.Report, error) {
	m := ai.Report{Depth: 2, Nodes: 1234, Win: .5}
	for p := range g.Legal().All() {
		if m.Move == 0 || g.Last() != game.NoPoint && apart(p, g.Last()) == 1 {
			m.Move = p
			if g.Last() != game.NoPoint && apart(p, g.Last()) == 1 {
				break
			}
		}
	}
	m.Line = []game.Point{m.Move}
	m.Candidates = []ai.Candidate{{Move: m.Move, Win: .5}}
	return m, nil
}

// simplyDecide is an engine that gives the last answer that an opening allows, or the first point beside
// the last stone.
func simplyDecide(_ context.Context, _ game.Rules, s openings.State, _ ai.Limits) (game.Decision, ai.Report, error) {
	q, r := s.Question(), ai.Report{Depth: 2, Nodes: 1234, Win: .5}
	if len(q.Options) > 0 {
		return q.Options[len(q.Options)-1], r, nil
	}
	stones := append(s.Position.Stones[0].Points(), s.Position.Stones[1].Points()...)
	for p := range q.Points.All() {
		for _, stone := range stones {
			if apart(p, stone) == 1 {
				return q.At(p), r, nil
			}
		}
	}
	return q.At(q.Points.Points()[q.Points.Len()/2]), r, nil
}

func TestMain(m *testing.M) {
	bolt.Child()
	if addr := os.Getenv(procEnv); addr != "" {
		botProcess(addr, os.Getenv(storeEnv))
		return
	}
	if text := os.Getenv(clusterEnv); text != "" {
		clusterProcess(text)
		return
	}
	slog.SetLogLoggerLevel(slog.LevelError) // each end of a bot breaks a connection, of which the library warns
	testkit.Wide(4)
	warm(context.Background(), drawn)
	os.Exit(m.Run())
}

// drawn draws each board once, and keeps its picture: most tests, and most times that a story is told,
// begin alike. TestGolden of package render looks at pictures.
func drawn(g game.Game, o render.Options) ([]byte, error) {
	key := fmt.Sprintf("%v %v %v %+v", g.Rules(), g.Start(), g.Moves(), o)
	album.Lock()
	png, ok := album.drawn[key]
	album.Unlock()
	if ok {
		return png, nil
	}
	png, err := render.PNG(g, o)
	if err != nil {
		return nil, err
	}
	album.Lock()
	defer album.Unlock()
	if len(album.drawn) < mostDrawn {
		album.drawn[key] = png
	}
	return png, nil
}

// mostDrawn is how many boards drawn keeps: 20 MB.
const mostDrawn = 2000

var album = struct {
	sync.Mutex
	drawn map[string][]byte
}{drawn: map[string][]byte{}}

// fewPuzzles is a collection that does not change with the program's: the first that there was.
var fewPuzzles = sync.OnceValue(func() []puzzle.Puzzle {
	data, err := os.ReadFile(filepath.Join("testdata", "puzzles.bin"))
	if err != nil {
		panic(err)
	}
	list, err := puzzle.Decode(data)
	if err != nil {
		panic(err)
	}
	return list
})

// plainOpening is an opening that does not change with the engine.
func plainOpening(r game.Rules, _ uint64) []game.Point {
	g := game.New(r)
	for g.Len() < 4 {
		g, _ = g.Play(g.Legal().Points()[0])
	}
	return g.Moves()
}
