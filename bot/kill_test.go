package bot

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
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
	"tengen/storage/bolt"
	"tengen/storage/storagetest"
)

// A bot process, on bbolt with fsync, is killed by kill -9 and started again, or is stopped by a signal, while many
// members play on. TENGEN_BOT_KILLS and TENGEN_BOT_PAUSES say how often.

const (
	procEnv  = "TENGEN_TEST_BOT" // the address of the stand-in: this process is a bot
	storeEnv = "TENGEN_TEST_STORE"
)

// botProcess is the process that is killed: a bot on bbolt, fsync and all.
func botProcess(addr, path string) {
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, "bot process:", err)
			os.Exit(3)
		}
	}
	ctx := context.Background()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	db, err := bolt.Open(ctx, path, bolt.Options{Log: log})
	fail(err)
	store, err := storage.Open(ctx, db, storage.Options{Limits: storage.DefaultLimits})
	fail(err)
	d, err := discord.New(discord.Options{Token: standin.DefaultToken, Transport: standin.TransportTo(addr),
		Dialer: standin.DialerTo(addr), Log: log, Patience: 2900 * time.Millisecond})
	fail(err)
	c := Config{Store: store, Log: log, Think: simple, Options: Options{ReviewMeans: quickReview}}
	fail(hasten(&c, os.Getenv(hasteEnv)))
	_, err = d.Register(ctx, Commands(false), texts.Local, texts.Locales(), 0)
	fail(err)
	resumes := time.Now() // Serve gives the time until now back, and more
	b, err := Serve(ctx, d, c)
	fail(err)
	fmt.Println("up", resumes.UnixNano())
	go func() { // answers each line once nothing is left to do
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			for late, err := store.Late(ctx, time.Time{}); err != nil ||
				len(late)+atWork(b.Bot) > 0; late, err = store.Late(ctx, time.Time{}) {
				time.Sleep(50 * time.Millisecond)
			}
			fmt.Println("at rest")
		}
	}()
	fail(b.Wait(ctx))
}

// victim is a stand-in with a bot process on it.
type victim struct {
	*standin.Server
	t     *testing.T
	store string
	db    *bolt.DB // the store that open opened
	haste string   // see hasten
	cmd   *exec.Cmd
	in    io.Writer
	out   *bufio.Scanner
	log   *os.File
	kills int

	died, resumed time.Time // the last process was dead, and its successor began to settle the clocks
}

func newVictim(t *testing.T, o standin.Options, haste string) *victim {
	o.Listener, o.Outdated = testkit.Listen(t), outdated(t)
	v := &victim{Server: standin.New(t, o), t: t, haste: haste, store: filepath.Join(t.TempDir(), "bot.db")}
	var err error
	v.log, err = os.Create(filepath.Join(t.TempDir(), "log"))
	testkit.Must(t, err)
	t.Cleanup(func() {
		v.kill()
		v.log.Close()
		data, _ := os.ReadFile(v.log.Name())
		if strings.Contains(string(data), standin.DefaultToken) {
			t.Error("the bot's token is in the log")
		}
		if t.Failed() {
			t.Logf("log of the bot:\n%s", data)
		}
	})
	v.up()
	return v
}

func (v *victim) up() {
	v.t.Helper()
	v.cmd = exec.Command(os.Args[0])
	v.cmd.Env = append(os.Environ(), procEnv+"="+v.Addr(), storeEnv+"="+v.store, hasteEnv+"="+v.haste)
	v.cmd.Stderr = v.log
	in := testkit.Got(v.cmd.StdinPipe())
	out := testkit.Got(v.cmd.StdoutPipe())
	testkit.Must(v.t, v.cmd.Start())
	v.in, v.out = in, bufio.NewScanner(out)
	v.out.Scan()
	var resumed int64
	if n, _ := fmt.Sscanf(v.out.Text(), "up %d", &resumed); n != 1 {
		v.t.Fatal("the bot process does not come up")
	}
	v.resumed = time.Unix(0, resumed)
	v.Ready(1)
}

func (v *victim) kill() {
	v.cmd.Process.Signal(syscall.SIGKILL)
	v.cmd.Wait()
	v.died = time.Now()
	v.Ready(0) // until the stand-in has noticed, so that the next connection is a new one
	v.kills++
}

// killsEach is how often a bot dies before its store is checked.
const killsEach = 50

// Many members play the bot or one another, each game in a channel of its own. They press
// twice, undo and resign, and never wait for an answer. The bot dies again and again within a
// second after it came up, or is stopped for a while. No move that a member saw is lost, none
// is made twice, the engine makes each move that it owes, and no game is lost on time in which
// no bot ran.
func TestKilledWhilePlaying(t *testing.T) {
	t.Parallel()
	kills, pauses := testkit.Dose("TENGEN_BOT_KILLS", 6), testkit.Dose("TENGEN_BOT_PAUSES", 1)
	seed := uint64(testkit.Dose("TENGEN_SEED", int(time.Now().UnixNano())))
	t.Logf("TENGEN_SEED=%d", seed)
	var sum tally
	for round := uint64(0); kills+pauses > 0 && !t.Failed(); round++ {
		n, p := min(kills, killsEach), min(pauses, killsEach)
		kills -= n
		pauses -= p
		sum.add(killRound(t, seed+round, n, p))
	}
	t.Logf("%d kills, %d of them with an interaction under way, %d stops of %v on the mean: %d acts, %d matches, "+
		"%d moves of members and %d of the engine, %d games lost on time; no move lost, none doubled, none owed, "+
		"no game lost in a stop",
		sum.kills, sum.torn, sum.pauses, (sum.paused / time.Duration(max(sum.pauses, 1))).Round(time.Millisecond),
		sum.acts, sum.matches, sum.moves, sum.engine, sum.late)
}

// tally counts what happened.
type tally struct {
	kills, torn, pauses, acts, matches, moves, engine int

	late   int // games lost on time
	paused time.Duration
}

func (t *tally) add(o tally) {
	t.kills += o.kills
	t.torn += o.torn
	t.acts += o.acts
	t.matches += o.matches
	t.moves += o.moves
	t.engine += o.engine
	t.pauses += o.pauses
	t.late += o.late
	t.paused += o.paused
}

// asSimple reports whether a move is the one of simple, the bot's engine here, or the one that
// the bot plays after several processes died in the middle of the turn.
func asSimple(r game.Rules, before []game.Point, p game.Point) bool {
	g := game.New(r)
	for _, q := range before {
		var err error
		if g, err = g.Play(q); err != nil {
			return false
		}
	}
	report, _ := simple(context.Background(), g, ai.Limits{})
	return p == report.Move || p == desk.Unsearched(g).Move
}

// Games against the bot and between members in a round of kills.
const killSolos, killPairs = 10, 6

func killRound(t *testing.T, seed uint64, kills, pauses int) (sum tally) {
	s := &simulation{clock: "1m", rng: rand.New(rand.NewPCG(seed, 7)), logs: &testkit.Log{}, story: &testkit.Log{},
		ledger: newLedger(), found: asSimple}
	var mu sync.Mutex
	open := map[string]bool{} // interactions that were delivered and not answered
	v := newVictim(t, standin.Options{Lenient: true,
		Sent: func(id string, at time.Time) {
			s.ledger.note(id, at)
			mu.Lock()
			defer mu.Unlock()
			open[id] = true
		},
		Called: func(c standin.Call) {
			if c.Type != 0 {
				mu.Lock()
				defer mu.Unlock()
				delete(open, c.Interaction)
			}
		}}, killHaste.String())
	s.house = &house{Server: v.Server, t: t}
	over := make(chan struct{})
	var acts atomic.Int64
	var down atomic.Bool // members wait: an act without a bot is lost anyway
	var members sync.WaitGroup
	enter := func(place string, names ...string) {
		s.AddChannel(place)
		rng := rand.New(rand.NewPCG(seed, uint64(len(place))<<32|uint64(sum.torn)))
		members.Go(func() {
			for {
				select {
				case <-over:
					return
				case <-time.After(time.Duration(rng.ExpFloat64() * float64(120*time.Millisecond))): // a member thinks
				}
				if down.Load() {
					continue
				}
				acts.Add(1)
				s.hurry(place, names[rng.IntN(len(names))], names[len(names)-1], rng)
			}
		})
	}
	for i := range killSolos {
		name := fmt.Sprint("solo", i)
		enter("Club#of-"+name, name)
	}
	for i := range killPairs {
		enter(fmt.Sprint("Club#pair", i), fmt.Sprint("left", i), fmt.Sprint("right", i))
	}
	var away []span // when surely no bot ran
	for left := pauses; kills+left > sum.kills; {
		time.Sleep(time.Duration(s.rng.Int64N(int64(time.Second)))) // the moment is the point of the test
		if s.rng.IntN(kills-sum.kills+left) < left {
			time.Sleep(time.Second) // for moves between two stops
			left--
			sum.pauses++
			still := v.stop(time.Duration(s.rng.Int64N(int64(2*killHaste.Clock))), func() {
				time.Sleep(actsWhileStopped)
				down.Store(true)
			})
			down.Store(false)
			if still.long() > killHaste.Gap { // less is not given back
				away = append(away, still)
			}
			sum.paused += still.long()
			if s.rng.IntN(2) == 0 || sum.kills == kills {
				continue
			} // else it dies as it wakes
		}
		sum.kills++
		v.kill()
		mu.Lock()
		if len(open) > 0 {
			sum.torn++
		}
		clear(open)
		mu.Unlock()
		down.Store(true)
		v.up()
		away = append(away, span{v.died, v.resumed})
		down.Store(false)
	}
	close(over)
	members.Wait()
	s.store = v.settled()
	var bad wrongs
	s.judgeMatches(&bad)
	if len(bad) > 0 {
		os.WriteFile(filepath.Join(t.ArtifactDir(), "story"), []byte(s.story.String()), 0o644)
		t.Errorf("TENGEN_SEED=%d, after %d kills:\n%s", seed, kills, strings.Join(bad, "\n"))
	}
	sum.acts = int(acts.Load())
	count := func(rec storage.Record) bool {
		sum.matches++
		if rec.Result().Termination == game.ByTimeout {
			sum.late++
			if had, early := ranFor(rec, away); early && rec.Undos == 0 {
				t.Errorf("TENGEN_SEED=%d: match %s was lost on time after %v in which the bot ran, of %v", seed,
					view.Key(rec.ID), had, rec.Clock.Each)
			}
		}
		for i, ply := range rec.Game().Plies() {
			if i < len(rec.Given) {
				continue
			}
			if rec.Seats[rec.SeatOfColor(ply.Color)].Kind == game.MemberSeat {
				sum.moves++
			} else {
				sum.engine++
			}
		}
		return true
	}
	testkit.Check(t, errors.Join(s.store.Live(t.Context(), count), s.store.Archive(t.Context(), count)))
	return sum
}

// hurry is one act of a member who does not wait for the answer, and sometimes does it twice.
func (s *simulation) hurry(place, name, other string, rng *rand.Rand) {
	ctx := context.Background()
	act := func(a standin.Action) {
		a.As, a.NoWait = name, true
		r, err := s.Act(ctx, a)
		if err != nil || r.Answer == nil {
			return
		}
		s.trace(name, a.Do, a.Name, "on", a.At, r.Answer.Interaction)
		s.ledger.press(r.Answer.Interaction, a.Name)
	}
	r, err := s.Act(ctx, standin.Action{Do: "messages", As: name, At: place})
	if err != nil {
		return
	}
	var plays, others []standin.Action
	for _, m := range r.Messages {
		s.ledger.see(m.Components)
		for _, p := range buttonsOf(m.Components) {
			a := standin.Action{Do: "press", At: m.ID, Name: p.ID(), Raw: true}
			switch p.Verb {
			case "play":
				plays = append(plays, a)
			case "accept", "allow", "rematch", "undo", "resign":
				others = append(others, a)
			}
		}
	}
	clock := ""
	if s.clock != "" {
		clock = " clock:" + s.clock
	}
	slash := func(line string) { act(standin.Action{Do: "slash", At: place, Name: line}) }
	switch n := rng.IntN(20); {
	case n == 0:
		slash("/undo")
	case n == 1 && len(others) > 0, len(plays) == 0 && len(others) > 0 && n < 16:
		act(others[rng.IntN(len(others))])
	case len(plays) > 0:
		a := plays[rng.IntN(len(plays))]
		act(a)
		if n < 5 {
			act(a)
		}
	case name == other && !strings.Contains(place, "pair"):
		slash("/play with:bot game:" + simKinds[rng.IntN(len(simKinds))] + " level:1" + clock)
	default:
		slash("/play opponent:@" + other + " game:" + simKinds[rng.IntN(len(simKinds))] + clock)
	}
}

// quiet waits until the bot has nothing left to do, and nothing is on its way to it.
func (v *victim) quiet() {
	v.t.Helper()
	for calls := -1; calls != v.Stats().Calls; {
		calls = v.Stats().Calls
		time.Sleep(2 * time.Second) // the stand-in may still have to deliver something
		v.rests()
	}
}

// rests waits until the bot has nothing left to do.
func (v *victim) rests() {
	v.t.Helper()
	stuck := time.AfterFunc(3*time.Minute, func() { v.cmd.Process.Kill() })
	defer stuck.Stop()
	fmt.Fprintln(v.in)
	if !v.out.Scan() {
		v.t.Fatal("the bot does not come to rest")
	}
}

// settled kills the bot once it has nothing left to do, and opens its store. Between its word
// and its death a call of members who are away may come due: then it comes up once more, and
// finishes that.
func (v *victim) settled() *storage.Store {
	v.t.Helper()
	for range 10 {
		v.quiet()
		v.kill()
		store := v.open()
		if len(testkit.Got(store.Late(v.t.Context(), time.Time{}))) == 0 {
			return store
		}
		v.db.Close()
		v.up()
	}
	v.t.Fatal("the bot does not settle")
	return nil
}

// open opens the store of the dead bot until the test ends.
func (v *victim) open() *storage.Store {
	v.t.Helper()
	db := testkit.Got(bolt.Open(context.Background(), v.store, bolt.Options{Log: slog.New(slog.DiscardHandler)}))
	v.db = db
	v.t.Cleanup(func() { db.Close() })
	store := storagetest.Store(v.t, db)
	return store
}
