package discord

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"tengen/bot/chat"
	"tengen/bot/discord/pace"
	"tengen/bot/standin"
	"tengen/bot/standin/schema"
	"tengen/game/venue"
	"tengen/internal/testkit"
)

// echo is a small bot on an adapter: it answers each command in a different way.
type echo struct {
	d    *Adapter
	mu   sync.Mutex
	news []string
	held chan struct{} // with it, "slow" is answered once it is closed
}

func (e *echo) note(text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.news = append(e.news, text)
}

func (e *echo) heard(text string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Contains(e.news, text)
}

func (e *echo) Came(_ context.Context, a chat.Arrival)               { e.note(fmt.Sprint("came ", a.Server)) }
func (e *echo) Joined(_ context.Context, server uint64)              { e.note(fmt.Sprint("joined ", server)) }
func (e *echo) Removed(_ context.Context, server uint64)             { e.note(fmt.Sprint("left ", server)) }
func (e *echo) Missed(_ context.Context, servers []uint64)           { e.missed(servers) }
func (e *echo) Present(context.Context, []uint64, func(uint64) bool) {}
func (e *echo) ChannelGone(_ context.Context, p venue.Place)         { e.note(fmt.Sprint("gone ", p.Channel)) }

// missed asks after each server that a list lacks.
func (e *echo) missed(servers []uint64) {
	for _, id := range servers {
		if in, err := e.d.In(context.Background(), id); err == nil && !in {
			e.note(fmt.Sprint("left ", id))
		}
	}
}

func shown(title string, buttons ...chat.Button) chat.Message {
	m := chat.Message{Accent: 0x336699, Blocks: []chat.Block{{Text: title},
		{Picture: &chat.Picture{Name: "board.png", Data: tinyPNG, Alt: "board of " + title}}}}
	if len(buttons) > 0 {
		m.Blocks = append(m.Blocks, chat.Block{Row: buttons})
	}
	return m
}

func (e *echo) Spoken(r chat.Request) string { return r.Name + r.Custom }

func (e *echo) Handle(ctx context.Context, r chat.Request) (remark string) {
	k := r.Ticket()
	answer := func(a chat.Answer) uint64 {
		id, err := e.d.Answer(ctx, k, a)
		if err != nil {
			remark = chat.TroubleOf(err).String()
		}
		return id
	}
	switch {
	case r.Kind == chat.Complete:
		answer(chat.Answer{Kind: chat.Offer, Choices: []chat.Choice{{Label: "H8 of " + r.Options["at"].Text, Value: "h8"}}})
	case r.Name == "play":
		answer(chat.Answer{Kind: chat.Say, Message: shown("game "+r.Text("game", "none"),
			chat.Button{ID: "m:1", Label: "H8"}, chat.Button{ID: "form", Label: "Type"})})
	case r.Name == "move":
		answer(chat.Answer{Kind: chat.Say, Message: chat.Private("no game, " + r.Text("at", ""))})
	case r.Name == "slow" && e.held != nil:
		e.note("held")
		<-e.held
		answer(chat.Answer{Kind: chat.Say, Message: shown("slow board")})
	case r.Name == "slow":
		time.Sleep(patience + behind)
		answer(chat.Answer{Kind: chat.Say, Message: shown("slow board")})
		e.d.Send(ctx, chat.To{Token: r.Token}, shown("slow board"))
	case r.Name == "panic":
		panic("on purpose with " + r.Token)
	case r.Name == "thread":
		answer(chat.Answer{Kind: chat.DeferSay})
		thread, err := e.d.Thread(ctx, chat.ThreadPlace{Channel: r.Place.Channel, News: r.News}, "a game")
		if err != nil {
			e.note(err.Error())
		}
		if _, err := e.d.Send(ctx, chat.To{Channel: thread, Nonce: "n1"}, shown("in the thread")); err != nil {
			e.note(err.Error())
		}
		e.d.Send(ctx, chat.To{Token: r.Token, Original: true}, chat.Private("opened"))
	case r.Name == "post":
		id := answer(chat.Answer{Kind: chat.Say, Message: chat.Private("posting")})
		e.note(fmt.Sprint("answer ", id != 0))
		id, err := e.d.Send(ctx, chat.To{Channel: r.Place.Channel, Nonce: fmt.Sprint(r.ID)}, shown("posted"))
		if err == nil {
			_, err = e.d.Send(ctx, chat.To{Channel: r.Place.Channel, Message: id}, chat.Text("edited"))
		}
		e.note(fmt.Sprint("post ", err))
	case r.Kind == chat.UserMenu:
		m := chat.Text(fmt.Sprintf("<@%d> and <@%d>", r.Target.ID, r.By))
		m.Mention = r.Target.ID
		answer(chat.Answer{Kind: chat.Say, Message: m})
	case r.Custom == "m:1":
		answer(chat.Answer{Kind: chat.Replace, Message: shown("played", chat.Button{ID: "m:2", Label: "J9"})})
	case r.Custom == "m:2":
		time.Sleep(patience + behind)
		answer(chat.Answer{Kind: chat.Replace, Message: shown("played late")})
	case r.Custom == "form":
		answer(chat.Answer{Kind: chat.Ask, Form: chat.Form{ID: "typed", Title: "Type a move",
			Fields: []chat.Field{{ID: "at", Label: "Move", Max: 4}}}})
	case r.Kind == chat.Submit:
		answer(chat.Answer{Kind: chat.Replace, Message: chat.Text("typed " + r.Text("at", ""))})
	}
	return remark
}

// behind is how much later than the watchdog an answer comes here: more than a busy machine keeps the watchdog waiting.
const behind = time.Second

// tinyPNG is enough of a picture for a stand-in.
var tinyPNG = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU")

func echoTable() []chat.Command {
	plain := func(name string) chat.Command { return chat.Command{Name: name, Alone: true} }
	return []chat.Command{
		{Name: "play", Alone: true,
			Options: []chat.OptionSpec{
				{Name: "game", Type: chat.TextOption, Choices: []chat.Choice{{Label: "Renju", Value: "renju"}}}}},
		{Name: "move", Alone: true, Options: []chat.OptionSpec{{Name: "at", Type: chat.TextOption, Required: true, Complete: true}}},
		plain("slow"), plain("panic"), plain("thread"), plain("post"),
		{Name: "Challenge", Menu: chat.UserMenu},
	}
}

// adapterOf is an adapter on a stand-in, with a log that nobody reads unless the options have one.
func adapterOf(s *standin.Server, o Options) *Adapter {
	o.Token = s.Token()
	if o.Transport == nil {
		o.Transport = s.Transport()
	}
	if o.Dialer == nil && o.Endpoint == nil {
		o.Dialer = s.Dialer()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return testkit.Got(New(o))
}

// runs lets an adapter run until the test ends, or end is called, which gives what Run gave.
func runs(t *testing.T, d *Adapter, h chat.Handler) (end func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx, h) }()
	end = sync.OnceValue(func() error { cancel(); return <-done })
	t.Cleanup(func() { end() })
	return end
}

func register(t *testing.T, d *Adapter) {
	testkit.Got(d.Register(t.Context(), echoTable(), about, nil, 0))
}

// online is an adapter that runs against a stand-in until the test ends.
type online struct {
	*echo
	s   *standin.Server
	log *testkit.Log
	end func() error
}

// connect connects an adapter to a new stand-in. h may change the adapter, and gives the handler; nil
// means the echo.
func connect(t *testing.T, o standin.Options, h func(*Adapter) chat.Handler) *online {
	t.Helper()
	return connectTo(t, standin.New(t, o), h)
}

func connectTo(t *testing.T, s *standin.Server, h func(*Adapter) chat.Handler) *online {
	t.Helper()
	on := &online{s: s, log: &testkit.Log{}, echo: &echo{}}
	d := adapterOf(s, Options{Log: slog.New(slog.NewTextHandler(on.log, nil))})
	on.d = d
	handler := chat.Handler(on.echo)
	if h != nil {
		if own := h(d); own != nil {
			handler = own
		}
	}
	end := runs(t, d, handler)
	on.end = sync.OnceValue(func() error {
		err := end()
		if text := on.log.String(); strings.Contains(text, s.Token()) {
			t.Errorf("the bot's token is in the log:\n%s", text)
		}
		return err
	})
	t.Cleanup(func() { on.end() })
	return on
}

func (on *online) register(t *testing.T) {
	t.Helper()
	register(t, on.d)
	on.s.Ready(1)
}

func TestAdapter(t *testing.T) {
	t.Parallel()
	on := connect(t, standin.Options{Checker: schema.Shared(t)}, nil)
	on.register(t)
	ann, bob := on.s.Member("ann"), on.s.Member("bob")

	ann.Slash("#gomoku", "/play game:renju")
	if got, want := bob.Sees("#gomoku"), "tengen (to ann's /play):\n    | game renju\n"+
		"    | {picture: board of game renju}\n    | [H8] [Type]\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := ann.Types("#gomoku", "/move", standin.Opt{"at", "H"}); len(got) != 1 || got[0].Name != "H8 of H" {
		t.Errorf("autocomplete: %v", got)
	}
	ann.Press("#gomoku", "Type").Submit(standin.Opt{"Move", "K10"})
	ann.Waits("#gomoku", "typed K10")
	bob.Slash("#gomoku", "/move at:h8")
	if strings.Contains(ann.Sees("#gomoku"), "no game") ||
		!strings.Contains(bob.Sees("#gomoku"), "only you):\n    no game, h8") {
		t.Error("a private message is seen by others, or not by its member")
	}
	ann.UserMenu("#renju", "Challenge", bob)
	if len(bob.Pings()) != 1 || len(ann.Pings()) != 0 {
		t.Errorf("pings: bob %d, ann %d", len(bob.Pings()), len(ann.Pings()))
	}

	ann.Slash("#reversi", "/post")
	ann.Waits("#reversi", "edited")
	if got := ann.Sees("#reversi"); strings.Contains(got, "picture") {
		t.Errorf("an old picture stays after an edit:\n%s", got)
	}
	testkit.Eventually(t, "post done", func() bool { return on.heard("answer true") && on.heard("post <nil>") })
	ann.Slash("#general", "/thread")
	ann.Waits("#general/a game", "in the thread")
	ann.Waits("#general", "opened")

	ann.Slash("@bot", "/play game:renju")
	ann.Press("@bot", "H8")
	ann.Press("@bot", "J9") // two seconds of thinking
	ann.Waits("@bot", "played late")
	ann.Slash("#general", "/slow")
	ann.Waits("#general", "slow board")
	ann.Waits("#general", "Done.")
	if strings.Contains(bob.Sees("#general"), "Done.") || !strings.Contains(bob.Sees("#general"), "slow board") {
		t.Errorf("bob sees\n%s", bob.Sees("#general"))
	}
	a := ann.Slash("#general", "/panic")
	if a.Message == nil || !strings.Contains(ann.Sees("#general"), "Something went wrong") {
		t.Errorf("no apology: %v", a)
	}
	if text := on.log.String(); !strings.Contains(text, "adapter_test.go") || strings.Contains(text, "aW50") {
		t.Errorf("log:\n%s", text)
	}

	on.s.AddGuild("Second", true, "there")
	on.s.DeleteChannel("#general/a game")
	on.s.DeleteChannel("#renju")
	on.s.KickBot("Second")
	testkit.Eventually(t, "news", func() bool {
		on.mu.Lock()
		defer on.mu.Unlock()
		return len(on.news) >= 8
	})
	var kinds []string
	for _, n := range on.news[len(on.news)-5:] {
		kinds = append(kinds, strings.Fields(n)[0])
	}
	if !slices.Equal(kinds, []string{"joined", "came", "gone", "gone", "left"}) {
		t.Errorf("news: %v", on.news)
	}
	testkit.Check(t, on.end())
	testkit.Want(t, "interactions without an answer", on.s.Stats().Failures, 0)
}

func TestRegisteredOnce(t *testing.T) {
	t.Parallel()
	on := connect(t, standin.Options{Checker: schema.Shared(t)}, nil)
	for i, want := range []bool{true, false, false} {
		wrote, err := on.d.Register(t.Context(), echoTable(), func(key, locale string) string {
			return cmp.Or(map[string]string{"command.play zh-CN": "对局"}[key+" "+locale], about(key, locale))
		}, []string{"zh-CN"}, 0)
		if err != nil || wrote != want {
			t.Errorf("start %d: wrote %v, %v", i, wrote, err)
		}
	}
	changed := echoTable()[1:]
	if wrote, err := on.d.Register(t.Context(), changed, about, nil, 0); err != nil || !wrote {
		t.Errorf("a changed table: wrote %v, %v", wrote, err)
	}
	a, err := on.d.Application(t.Context())
	if err != nil || fmt.Sprint(a.ID) != on.s.AppID() || !strings.Contains(a.InviteServer(), "client_id="+on.s.AppID()) {
		t.Errorf("%+v %v", a, err)
	}
}

// The gateway comes up again after every kind of failure, and every interaction after that is
// answered.
func TestGatewayComesUpAgain(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		events standin.EventFaults
		befall func(s *standin.Server)
	}{
		{"sockets break", standin.EventFaults{}, func(s *standin.Server) { s.DropSockets() }},
		{"op 7", standin.EventFaults{}, func(s *standin.Server) { s.Reconnect() }},
		{"op 9, not resumable", standin.EventFaults{}, func(s *standin.Server) { s.Invalidate(false) }},
		{"close code 4000", standin.EventFaults{}, func(s *standin.Server) { s.CloseSockets(4000) }},
		{"close code 4009", standin.EventFaults{}, func(s *standin.Server) { s.CloseSockets(4009) }},
		{"breaks before HELLO, before and after READY", standin.EventFaults{DropHello: 1, DropIdentify: 1, DropReady: 1}, nil},
		{"breaks before RESUMED", standin.EventFaults{DropResume: 1}, func(s *standin.Server) { s.DropSockets() }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			on := connect(t, standin.Options{Plan: standin.Plan{Events: test.events}}, func(d *Adapter) chat.Handler {
				d.identifyGap, d.options.Pause = 50*time.Millisecond, 20*time.Millisecond
				return nil
			})
			on.register(t)
			ann := on.s.Member("ann")
			if test.befall != nil {
				ann.Slash("#gomoku", "/move at:h8")
				before := on.s.Stats()
				test.befall(on.s)
				testkit.Eventually(t, "another session", func() bool {
					now := on.s.Stats()
					return now.Identifies+now.Resumes > before.Identifies+before.Resumes && on.d.Up()
				})
			}
			testkit.Eventually(t, "connection up", on.d.Up)
			testkit.Eventually(t, "an answer", func() bool { return ann.Try().Slash("#gomoku", "/move at:h9").Failed == "" })
			testkit.Check(t, on.end())
		})
	}
}

func TestFatalCloseCodes(t *testing.T) {
	t.Parallel()
	t.Run("wrong token", func(t *testing.T) {
		t.Parallel()
		s := standin.New(t, standin.Options{})
		d, _ := New(Options{Token: "wrong", Transport: s.Transport(), Dialer: s.Dialer(), Log: slog.New(slog.DiscardHandler)})
		err := d.Run(t.Context(), &echo{})
		if err == nil || !strings.Contains(err.Error(), "does not accept the token") ||
			strings.Contains(err.Error(), "wrong\"") {
			t.Errorf("%v", err)
		}
	})
	for _, code := range []int{4004, 4010, 4011, 4012, 4013, 4014} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			t.Parallel()
			s := standin.New(t, standin.Options{})
			g := fatalGateway{code: code}
			// chosen by the operator: TestOutgrown has the other case
			d, _ := New(Options{Token: s.Token(), Transport: s.Transport(), Dialer: g.dialer(t), Shards: 1,
				Log: slog.New(slog.DiscardHandler)})
			err := d.Run(t.Context(), &echo{})
			if err == nil || !strings.Contains(err.Error(), fatalCodes[code]) {
				t.Errorf("%v", err)
			}
			testkit.Want(t, "connections", g.dials.Load(), 1)
		})
	}
}

// Where Discord chooses the number of shards, both codes that refuse a shard make the bot ask for the number again
// and take the new one.
func TestShardRefused(t *testing.T) {
	t.Parallel()
	for _, code := range []int{4010, 4011} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			t.Parallel()
			s := standin.New(t, standin.Options{})
			g := fatalGateway{code: code}
			bad, good := g.dialer(t), s.Dialer()
			d := adapterOf(s, Options{Dialer: &websocket.Dialer{
				NetDialTLSContext: func(ctx context.Context, network, address string) (net.Conn, error) {
					if g.dials.Load() > 0 {
						return good.NetDialTLSContext(ctx, network, address)
					}
					s.Outgrow(3)
					return bad.NetDialTLSContext(ctx, network, address)
				}}})
			d.identifyGap = 10 * time.Millisecond
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { done <- d.Run(ctx, &echo{}) }()
			testkit.Eventually(t, "three shards, or an end", func() bool {
				return len(done) > 0 || d.up.Load() == 3 && d.Up()
			})
			cancel()
			testkit.Check(t, <-done)
		})
	}
}

// With 80 ms for each call, 200 interactions are acknowledged within a second.
func TestAcknowledgementsAtLatency(t *testing.T) {
	l := testkit.Got(net.Listen("tcp", "127.0.0.1:0"))
	var mu sync.Mutex
	var first, last time.Time
	acks := 0
	on := connect(t, standin.Options{Listener: l, Latency: 80 * time.Millisecond, Unchecked: true,
		Sent: func(_ string, at time.Time) {
			mu.Lock()
			defer mu.Unlock()
			if first.IsZero() {
				first = at
			}
		},
		Called: func(c standin.Call) {
			mu.Lock()
			defer mu.Unlock()
			if strings.Contains(c.Route, "callback") {
				acks++
				last = c.Answered
			}
		}}, nil)
	on.register(t)
	on.s.Member("ann")
	for i := range 200 {
		testkit.Got(on.s.Act(t.Context(), standin.Action{Do: "slash", As: "ann", At: "#gomoku",
			Name: fmt.Sprint("/move at:", i), NoWait: true}))
	}
	testkit.Eventually(t, "200 acknowledgements", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return acks == 200
	})
	mu.Lock()
	took := last.Sub(first)
	mu.Unlock()
	t.Logf("200 acknowledgements at 80 ms a call: %v from the first event to the last answer",
		took.Round(time.Millisecond))
	// The aim is a second on an idle machine. One call after the other would take sixteen.
	limit := 10 * time.Second
	if testkit.Dose("TENGEN_PRESSES", 0) > 0 {
		limit = time.Second
	}
	if took > limit {
		t.Errorf("took %v", took)
	}
}

// 10,000 interactions leave nothing behind: over real sockets no goroutines and no buckets, and over
// a transport that keeps nothing itself no memory.
func TestNothingIsLeftBehind(t *testing.T) {
	n := testkit.Dose("TENGEN_INTERACTIONS", 400)
	on := connect(t, standin.Options{Unchecked: true, Keep: 10, KeepInteractions: 100, ResumeEvents: 100}, nil)
	on.register(t)
	on.s.Member("ann")
	batch := func(n int) {
		for range n / 50 {
			var all sync.WaitGroup
			for range 50 {
				all.Go(func() {
					on.s.Act(t.Context(), standin.Action{Do: "slash", As: "ann", At: "#gomoku", Name: "/move at:h8"})
				})
			}
			all.Wait()
		}
		on.d.work.Wait()
		on.d.wire.session.Client.CloseIdleConnections()
	}
	batch(200)
	before, _ := testkit.Settled()
	batch(n)
	testkit.Eventually(t, "goroutines end", func() bool { return runtime.NumGoroutine() <= before+5 })
	after, _ := testkit.Settled()
	t.Logf("after %d interactions: goroutines %d -> %d, rate limits %d, tickets %d", n, before, after, on.d.pacer.Limits(),
		len(on.d.tickets.open))
	if len(on.d.tickets.open)+len(on.d.tickets.token) > 0 || on.d.pacer.Limits() > 3 {
		t.Error("something is left behind")
	}
}

func TestNoMemoryIsLeftBehind(t *testing.T) {
	n := testkit.Dose("TENGEN_INTERACTIONS", 400)
	d := testkit.Got(New(Options{Token: botToken, Transport: forgetful{}, Log: slog.New(slog.DiscardHandler)}))
	d.now = func() time.Time { return flakeTime(0) }
	d.life, d.handler = t.Context(), handlerFunc(func(ctx context.Context, r chat.Request) {
		_, err := d.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Say, Message: shown("x")})
		testkit.Check(t, err)
		_, err = d.Send(ctx, chat.To{Token: r.Token, Original: true}, shown("y"))
		testkit.Check(t, err)
	})
	id := 0
	batch := func(n int) {
		for range n {
			id++
			d.dispatch(interaction(id, 2))
			d.work.Wait()
		}
	}
	batch(manySeen + 100) // the ring of ids is full
	goroutines, heap := testkit.Settled()
	batch(n)
	goroutinesAfter, heapAfter := testkit.Settled()
	t.Logf("after %d more interactions: goroutines %d -> %d, heap %d kB -> %d kB", n, goroutines, goroutinesAfter,
		heap>>10, heapAfter>>10)
	if heapAfter > heap+512<<10 || goroutinesAfter > goroutines {
		t.Error("something is left behind")
	}
}

// forgetful is a transport that answers and keeps nothing.
type forgetful struct{}

func (forgetful) RoundTrip(*http.Request) (*http.Response, error) {
	return say(200, `{"id":"77","resource":{"message":{"id":"88"}}}`), nil
}

// Whatever goes wrong with calls and sockets, every interaction is answered or its failure is in the
// log, and no token is. Interactions that no process could see, since they came without a
// connection and were not repeated, are counted apart.
func TestFaults(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testkit.Dose("TENGEN_FAULTS", 2)) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			faults := []standin.CallFault{}
			for _, k := range []standin.FaultKind{standin.RateUser, standin.RateHTML, standin.ServerError,
				standin.BadGateway, standin.Unavailable,
				standin.ErrorAfter, standin.DropBefore, standin.DropAfter, standin.Slow, standin.TimeoutBefore,
				standin.TimeoutAfter} {
				faults = append(faults, standin.CallFault{Kind: k, Route: "/", P: 0.05, For: 100 * time.Millisecond})
			}
			on := connect(t, standin.Options{}, nil)
			on.register(t)
			rng := rand.New(rand.NewPCG(seed, 5))
			mishaps := []func(){on.s.DropSockets, on.s.Reconnect, func() { on.s.Invalidate(true) },
				func() { on.s.Invalidate(false) }, func() { on.s.CloseSockets(4000) }, func() { on.s.CloseSockets(4009) }}
			ann := on.s.Member("ann").Try()
			var failed []*standin.Answer
			note := func(a *standin.Answer) {
				if a.Failed != "" {
					failed = append(failed, a)
				}
			}
			for i := range testkit.Dose("TENGEN_FAULT_ACTS", 5) {
				on.s.SetPlan(standin.Plan{Seed: seed<<8 + uint64(i), Calls: faults, Events: standin.EventFaults{
					Duplicate: 0.2, Delay: 0.2, Reorder: 0.2,
					DropHello: rng.IntN(8) / 7, DropIdentify: rng.IntN(8) / 7, DropReady: rng.IntN(8) / 7,
					DropResume: rng.IntN(4) / 3}})
				if rng.IntN(5) == 0 {
					mishaps[rng.IntN(len(mishaps))]()
				}
				note(ann.Slash("#gomoku", "/move at:h8"))
				note(ann.Slash("#gomoku", "/post"))
			}
			on.s.SetPlan(standin.Plan{})
			testkit.Eventually(t, "the connection", on.d.Up)
			testkit.Eventually(t, "an answer in peace", func() bool { return ann.Slash("#gomoku", "/move at:h9").Failed == "" })
			testkit.Check(t, on.end())
			text, unseen := on.log.String(), 0
			for _, a := range failed {
				switch {
				case !strings.Contains(text, "id="+a.Interaction):
					unseen++
				case !regexp.MustCompile("id=" + a.Interaction + " .*outcome=(lapsed|unanswered)").MatchString(text):
					t.Errorf("interaction %s failed (%s), and the log does not say so", a.Interaction, a.Failed)
				}
			}
			for _, m := range regexp.MustCompile("msg=interaction id=([0-9]+)").FindAllStringSubmatch(text, -1) {
				if strings.Count(text, "msg=interaction id="+m[1]) > 1 {
					t.Errorf("interaction %s was handled twice", m[1])
				}
			}
			if regexp.MustCompile(`aW50ZXJhY3Rpb2[0-9A-Za-z_-]{20}`).MatchString(text) {
				t.Error("an interaction's token is in the log")
			}
			t.Logf("%d of 40 interactions failed, %d of them never came, %d calls had a fault", len(failed), unseen,
				on.s.Stats().Faults)
		})
	}
}

// Discord's answer on a place becomes the trouble that the bot acts on.
func TestTroublesOfPlaces(t *testing.T) {
	t.Parallel()
	on := connect(t, standin.Options{}, nil)
	on.register(t)
	ann := on.s.Member("ann")
	ann.Slash("#gomoku", "/post")
	ann.Waits("#gomoku", "edited")
	m := ann.Last("#gomoku")
	channel, message := parseID(m.ChannelID), parseID(m.ID)
	send := func(to chat.To) chat.Trouble {
		_, err := on.d.Send(t.Context(), to, chat.Text("x"))
		if err == nil {
			return 0
		}
		return chat.TroubleOf(err)
	}
	testkit.Want(t, "an edit", send(chat.To{Channel: channel, Message: message}), 0)
	on.s.DeleteMessage(m.ID)
	testkit.Want(t, "message gone", send(chat.To{Channel: channel, Message: message}), chat.Gone)
	if err := on.d.Delete(t.Context(), chat.To{Channel: channel, Message: message}); err != nil {
		t.Errorf("deleting what is gone: %v", err)
	}
	on.s.Deny("#gomoku", "bot", standin.PermSendMessages)
	testkit.Want(t, "may not send", send(chat.To{Channel: channel}), chat.Locked)
	on.s.Deny("#gomoku", "bot", standin.PermViewChannel)
	testkit.Eventually(t, "news of the permissions", func() bool {
		return on.d.refused.Of(pace.CallKind{Channel: channel}, time.Now()) == nil
	})
	testkit.Want(t, "may not see", send(chat.To{Channel: channel}), chat.NoPlace)
	on.s.DeleteChannel("#gomoku")
	testkit.Want(t, "channel gone", send(chat.To{Channel: channel}), chat.NoPlace)
	testkit.Want(t, "no such token", send(chat.To{Token: "aW50ZXJhY3Rpb246bm90aGluZw"}), chat.Lapsed)
}

func parseID(s string) uint64 {
	var f flake
	f.UnmarshalJSON([]byte(s))
	return uint64(f)
}

// A connection that drops again and again, but lasts longer than the pause, comes up at once each
// time: it resumes its session, which Discord does not count.
func TestSocketsDropOften(t *testing.T) {
	t.Parallel()
	s := standin.New(t, standin.Options{})
	d := adapterOf(s, Options{Pause: 50 * time.Millisecond})
	register(t, d)
	runs(t, d, &echo{d: d})
	s.Ready(1)
	var down time.Duration
	for range 11 {
		time.Sleep(300 * time.Millisecond) // longer than the first pauses
		before, begun := s.Stats().Resumes, time.Now()
		s.DropSockets()
		for s.Stats().Resumes == before && time.Since(begun) < time.Minute {
			time.Sleep(time.Millisecond)
		}
		s.Ready(1)
		down += time.Since(begun)
	}
	if down > 10*time.Second { // doubling pauses would add up to half a minute
		t.Errorf("down for %v after eleven drops", down)
	}
	testkit.Want(t, "identifications", s.Stats().Identifies, 1)
}

// The bot has missed that it came to a server. It learns that from the first interaction
// there, and hears of its removal all the same. Events that come twice do no harm.
func TestEventsMissedAndTwice(t *testing.T) {
	t.Parallel()
	on := connect(t, standin.Options{}, nil)
	on.register(t)
	ann := on.s.Member("ann")
	for _, name := range []string{"Second", "Third"} {
		on.s.SetPlan(standin.Plan{Events: standin.EventFaults{Miss: 1}})
		on.s.AddGuild(name, true, "there")
		on.s.SetPlan(standin.Plan{Events: standin.EventFaults{Twice: 1}})
		if name == "Second" {
			ann.Slash("Second#there", "/move at:h8")
			testkit.Eventually(t, "the bot knows the server", func() bool { return len(on.d.listed()) == 2 })
		}
		before := on.count("left")
		on.s.KickBot(name)
		testkit.Eventually(t, "the bot hears that it was removed", func() bool { return on.count("left") > before })
	}
	on.s.AddGuild("Fourth", true, "there")
	on.s.DeleteChannel("Fourth#there")
	testkit.Eventually(t, "the news", func() bool { return on.count("gone") > 0 })
	if n := on.count("joined"); n != 2 { // Second, which was asked for, and Fourth
		t.Errorf("%d times joined: %v", n, on.news)
	}
}

// count counts the news that begin with a word.
func (e *echo) count(word string) (n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, text := range e.news {
		if strings.HasPrefix(text, word) {
			n++
		}
	}
	return n
}
