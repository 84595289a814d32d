package discord

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"

	"tengen/bot/chat"
	"tengen/bot/standin"
	"tengen/internal/testkit"
	"tengen/storage"
)

// A session that Discord does not let be resumed is taken up at the main address or given up, after
// a broken connection and after a restart.
func TestSessionGivenUp(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name       string
		faults     standin.EventFaults
		within     time.Duration
		identifies int
	}{
		{"nothing is wrong", standin.EventFaults{}, 5 * time.Second, 1},
		{"RESUME is not answered", standin.EventFaults{MuteResume: 1000}, 50 * time.Second, 2},
		{"two RESUMEs are not answered", standin.EventFaults{MuteResume: 2}, 35 * time.Second, 1},
		{"the address for resuming is dead", standin.EventFaults{DeadURL: 1000}, 5 * time.Second, 1},
		{"the address for resuming is silent", standin.EventFaults{MuteURL: 1000}, 15 * time.Second, 1},
		{"the address is dead, RESUME is not answered", standin.EventFaults{DeadURL: 1000, MuteResume: 1000}, 50 * time.Second, 2},
		{"connections break before RESUMED", standin.EventFaults{DropResume: 1000}, 50 * time.Second, 2},
	} {
		for _, restart := range []bool{false, true} {
			name := test.name
			if restart {
				name += ", after a restart"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					f := newConvoy(t, standin.Options{})
					a := f.launch()
					soon(t, time.Minute, "up", a.d.Up)
					time.Sleep(noteEvery)
					f.SetPlan(standin.Plan{Events: test.faults})
					began := time.Now()
					if restart {
						a.end()
						a = f.launch()
					} else {
						f.DropSockets()
					}
					soon(t, 2*time.Minute, "up again", func() bool {
						st := f.Stats()
						return st.Identifies+st.Resumes == 2 && a.d.Up() && a.d.up.Load() == 1
					})
					took := time.Since(began)
					if st := f.Stats(); took > test.within || st.Identifies != test.identifies {
						t.Errorf("%v, %d identifications, %d resumed", took, st.Identifies, st.Resumes)
					}
					f.Member("ann").Slash("#gomoku", "/move at:h8")
				})
			})
		}
	}
}

// Connections that broke soon, one after the other, have made the pauses long. The tries to
// resume keep to resumeLimit all the same, beside the rests before the first try and after the last.
func TestSessionGivenUpInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newConvoy(t, standin.Options{})
		var log testkit.Log
		f.log = &log
		a := f.launch()
		soon(t, time.Minute, "up", a.d.Up)
		for n := range 6 {
			time.Sleep(100 * time.Millisecond)
			f.DropSockets()
			soon(t, 5*time.Minute, "up again", func() bool { return f.Stats().Resumes == n+1 && a.d.up.Load() == 1 })
		}
		f.SetPlan(standin.Plan{Events: standin.EventFaults{MuteResume: 1000}})
		time.Sleep(100 * time.Millisecond)
		f.DropSockets()
		soon(t, 5*time.Minute, "a try that is not answered", func() bool {
			return strings.Contains(log.String(), fmt.Sprint("after=", resumeLimit/resumeTries))
		})
		if took := soon(t, 5*time.Minute, "another session", func() bool {
			return f.Stats().Identifies == 2 && a.d.Up()
		}); took > resumeLimit+5*time.Second {
			t.Errorf("took %v after the first try", took)
		}
	})
}

// A process that ends while it waits for an answer leaves the session, with its address, to
// the next one.
func TestResumeInterrupted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newConvoy(t, standin.Options{})
		a := f.launch()
		soon(t, time.Minute, "up", a.d.Up)
		time.Sleep(noteEvery)
		f.SetPlan(standin.Plan{Events: standin.EventFaults{MuteResume: 1000}})
		for range resumeTries + 1 {
			a.end()
			a = f.launch()
			time.Sleep(5 * time.Second)
		}
		a.end()
		if s, err := f.store.Session(t.Context(), 1, 0); err != nil || s.ID == "" || s.URL == "" {
			t.Errorf("%+v %v", s, err)
		}
		f.SetPlan(standin.Plan{})
		a = f.launch()
		soon(t, time.Minute, "up again", func() bool { return f.Stats().Resumes == 1 && a.d.up.Load() == 1 })
		testkit.Want(t, "identifications", f.Stats().Identifies, 1)
	})
}

// A heartbeat that Discord does not acknowledge ends the connection when the next is due, not minutes
// later, and the session goes on.
func TestHeartbeatNotAcknowledged(t *testing.T) {
	t.Parallel()
	on := connect(t, standin.Options{Heartbeat: time.Second}, nil)
	on.register(t)
	// the second of two beats may follow the first at once
	on.s.SetPlan(standin.Plan{Events: standin.EventFaults{MuteBeats: 2}})
	testkit.Eventually(t, "the connection to end", func() bool {
		return strings.Contains(on.log.String(), errSilent.Error())
	})
	testkit.Eventually(t, "the session to go on", func() bool { return on.s.Stats().Resumes > 0 && on.d.Up() })
}

// A heartbeat that Discord asks for may follow another at once.
func TestBeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &relay{}
		r.pace(40 * time.Second)
		var got []bool
		beat := func(after time.Duration) { time.Sleep(after); got = append(got, r.beats()) }
		beat(0)
		beat(time.Second) // asked for
		r.acknowledged()
		beat(39 * time.Second)
		r.acknowledged()
		beat(40 * time.Second)
		beat(time.Second)
		beat(39 * time.Second)
		if diff := cmp.Diff([]bool{true, true, true, true, true, false}, got); diff != "" {
			t.Error(diff)
		}
	})
}

// IDENTIFY names its properties as Discord's documents do.
func TestIdentifyProperties(t *testing.T) {
	t.Parallel()
	said := make(chan []byte, 1)
	address := greeting(t, func(c *websocket.Conn) {
		if _, data, err := c.ReadMessage(); err == nil {
			said <- data
		}
	})
	world := standin.New(t, standin.Options{})
	d := adapterOf(world, Options{Dialer: standin.DialerTo(address)})
	end := runs(t, d, handlerFunc(func(context.Context, chat.Request) {}))
	got := string(<-said)
	end()
	for _, want := range []string{`"op":2`, `"properties":{"browser":"tengen","device":"tengen","os":"` + runtime.GOOS +
		`"}`, `"intents":1`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, strings.ReplaceAll(got, world.Token(), "TOKEN"))
		}
	}
	if strings.Contains(got, "$") || strings.Contains(got, "presence") {
		t.Errorf("a property with its old name, or a presence: %s", strings.ReplaceAll(got, world.Token(), "TOKEN"))
	}
}

// The address for resuming is kept with the session until it fails.
func TestResumeAddress(t *testing.T) {
	g := &gateway{d: &Adapter{log: slog.New(slog.DiscardHandler)}}
	now, late := time.Now(), time.Now().Add(-resumeLimit)
	s := storage.Session{ID: "x", Seq: 5, URL: "wss://there"}
	main := storage.Session{ID: "x", Seq: 5}
	for i, step := range []struct {
		was, is  storage.Session
		answered bool
		began    time.Time
		want     storage.Session
	}{
		{storage.Session{}, s, true, now, s}, // identified
		{s, s, true, now, s},                 // resumed
		{s, s, false, now, main},
		{main, main, true, now, main},
		{main, main, false, now, main},
		{main, main, false, now, main},
		{main, main, false, now, storage.Session{}},
		{storage.Session{}, storage.Session{}, false, now, storage.Session{}},
		{s, storage.Session{}, false, now, storage.Session{}}, // Discord does not know the session
		{s, s, false, now, main},
		{main, main, true, now, main},
		{main, main, false, late, storage.Session{}},
	} {
		if got := g.tried(step.was, step.is, step.answered, step.began); got != step.want {
			t.Errorf("step %d: %+v, want %+v", i, got, step.want)
		}
	}
}

// A session is resumed where Discord said, and never without encryption.
func TestResumeEncrypted(t *testing.T) {
	q := httptest.NewRequest(http.MethodGet, "http://gateway.discord.gg/?v=9", nil)
	for url, want := range map[string]string{
		"wss://there.example": "wss://there.example/?v=9",
		"ws://there.example":  "wss://gateway.discord.gg/?v=9",
		"":                    "wss://gateway.discord.gg/?v=9",
	} {
		r := &relay{session: storage.Session{ID: "x", URL: url}}
		if got := r.address(q); got != want {
			t.Errorf("%q: %s, want %s", url, got, want)
		}
	}
}

// A session that Discord calls void, or that it has closed for good, is not tried again: the next
// connection identifies.
func TestVoidSession(t *testing.T) {
	t.Parallel()
	for _, end := range []string{words[6], "4007", "4009"} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			said := make(chan string, 2)
			g := newDouble(t, nil)
			g.serve = func(c *websocket.Conn) {
				c.WriteMessage(websocket.TextMessage, []byte(words[0]))
				_, data, _ := c.ReadMessage()
				select {
				case said <- string(data):
				default:
				}
				sayOrder(c, []string{words[1], end})
				c.ReadMessage() // the bot goes
			}
			world := standin.New(t, standin.Options{})
			d := adapterOf(world, Options{Dialer: g.dialer(), Shards: 1, Pause: time.Millisecond})
			d.identifyGap = time.Millisecond
			end := runs(t, d, &echo{})
			for range 2 {
				if got := <-said; !strings.Contains(got, `"op":2`) {
					t.Errorf("the bot said %s", strings.ReplaceAll(got, world.Token(), "TOKEN"))
				}
			}
			end()
		})
	}
}

// The first heartbeats of connections are spread over the time between two, and one that Discord asks
// for comes at once.
func TestFirstHeartbeat(t *testing.T) {
	t.Parallel()
	const every = 400 * time.Millisecond
	for _, asked := range []bool{false, true} {
		var mu sync.Mutex
		var waits []time.Duration
		g := newDouble(t, nil)
		g.serve = func(c *websocket.Conn) {
			say := func(text string) { c.WriteMessage(websocket.TextMessage, []byte(text)) }
			say(`{"op":10,"d":{"heartbeat_interval":400}}`)
			c.ReadMessage()
			say(`{"op":0,"s":1,"t":"READY","d":{"session_id":"x","user":{"id":"9"}}}`)
			if asked {
				say(`{"op":1,"d":null}`)
			}
			ready := time.Now()
			c.ReadMessage()
			mu.Lock()
			waits = append(waits, time.Since(ready))
			mu.Unlock()
			c.ReadMessage()
		}
		world := standin.New(t, standin.Options{})
		d := adapterOf(world, Options{Dialer: g.dialer(), Shards: 12})
		d.identifyGap = time.Millisecond
		end := runs(t, d, &echo{})
		all := func() bool { mu.Lock(); defer mu.Unlock(); return len(waits) >= 12 }
		testkit.Eventually(t, "heartbeats", all)
		end()
		mu.Lock()
		late := 0
		for _, w := range waits {
			if w > every/8 {
				late++
			}
		}
		if asked == (late > 6) { // on a busy machine some are late although they were asked for
			t.Errorf("asked for: %v, %d of %d late: %v", asked, late, len(waits), waits)
		}
		mu.Unlock()
	}
}
