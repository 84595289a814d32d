package discord

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"tengen/bot/standin"
	"tengen/internal/testkit"
)

// words are what Discord may say on a connection: a message of the gateway, a close code, "wait" for
// the bot's next message, or "break" without a word.
var words = []string{
	`{"op":10,"d":{"heartbeat_interval":41250}}`,
	`{"op":0,"s":1,"t":"READY","d":{"session_id":"x","resume_gateway_url":"wss://gateway.discord.gg","user":{"id":"9"},"guilds":[]}}`,
	`{"op":0,"s":2,"t":"RESUMED","d":{}}`,
	`{"op":1,"d":null}`,
	`{"op":7,"d":null}`,
	`{"op":9,"d":true}`,
	`{"op":9,"d":false}`,
	"wait", "wait", "wait", "break",
	"1000", "1001", "4000", "4001", "4002", "4003", "4005", "4007", "4008", "4009",
}

// anOrder draws an order of words: as often as not one that begins as Discord does.
func anOrder(r *rand.Rand) (order []string) {
	if r.IntN(2) == 0 {
		order = append(order, words[0], "wait", words[1+r.IntN(2)])
	}
	for range 1 + r.IntN(4) {
		order = append(order, words[r.IntN(len(words))])
	}
	return order
}

// sayOrder says an order on a connection.
func sayOrder(c *websocket.Conn, order []string) {
	for _, w := range order {
		code, err := strconv.Atoi(w)
		switch {
		case w == "wait":
			c.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
			if _, _, err := c.ReadMessage(); err != nil {
				return
			}
		case w == "break":
			return
		case err == nil:
			c.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(time.Second))
			return
		default:
			c.WriteMessage(websocket.TextMessage, []byte(w))
		}
	}
}

// double is a gateway that says on its connections what next gives, or does what serve says. It notes
// when the bot dialed.
type double struct {
	pipes *standin.Pipes
	next  func() []string
	serve func(*websocket.Conn)

	mu    sync.Mutex
	dials []time.Time
}

func newDouble(t *testing.T, next func() []string) *double {
	g := &double{pipes: standin.NewPipes(), next: next}
	up := websocket.Upgrader{}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if c, err := up.Upgrade(w, q, nil); err == nil {
			defer c.Close()
			if g.serve != nil {
				g.serve(c)
				return
			}
			g.mu.Lock()
			order := g.next()
			g.mu.Unlock()
			sayOrder(c, order)
		}
	})}
	go server.Serve(g.pipes)
	t.Cleanup(func() { server.Close() })
	return g
}

func (g *double) dialer() *websocket.Dialer {
	return &websocket.Dialer{NetDialTLSContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		g.mu.Lock()
		g.dials = append(g.dials, time.Now())
		g.mu.Unlock()
		return g.pipes.Dial(ctx)
	}}
}

// dialed gives the times at which the bot dialed.
func (g *double) dialed() []time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]time.Time(nil), g.dials...)
}

// Whatever Discord says, and in whatever order, a shard that does not stay connected rests: after its
// third connection it makes no two within five seconds. TENGEN_ORDERS says how many orders are tried.
func TestOrders(t *testing.T) {
	t.Parallel()
	n, _ := strconv.Atoi(os.Getenv("TENGEN_ORDERS"))
	n = max(n, 100)
	const workers = 20
	for w := range workers {
		t.Run(fmt.Sprint(w), func(t *testing.T) {
			t.Parallel()
			world := standin.New(t, standin.Options{})
			for i := w; i < n; i += workers {
				keepsRests(t, world, i)
			}
		})
	}
}

// keepsRests plays one order on all connections, or, for every third seed, another on each.
func keepsRests(t *testing.T, world *standin.Server, seed int) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(seed), 0))
	fixed := anOrder(r)
	var said [][]string
	g := newDouble(t, func() []string {
		order := fixed
		if seed%3 == 0 {
			order = anOrder(r)
		}
		said = append(said, order)
		return order
	})
	const second = time.Millisecond // of the bot's
	d := adapterOf(world, Options{Dialer: g.dialer(), Shards: 1,
		Pause: second, OpenIn: 100 * second})
	d.identifyGap = second
	ctx, cancel := context.WithTimeout(t.Context(), 60*second)
	defer cancel()
	if err := d.Run(ctx, &echo{}); err != nil {
		t.Errorf("seed %d: %v", seed, err)
	}
	dials := g.dialed()
	for i := 3; i < len(dials); i++ {
		if gap := dials[i].Sub(dials[i-1]); gap < 5*second {
			t.Fatalf("seed %d: connection %d follows after %v, of %d within %v: %q", seed, i+1, gap, len(dials),
				dials[len(dials)-1].Sub(dials[0]), said)
		}
	}
}

// Connections that end soon, one after the other, make the pauses longer, up to half a minute. One that has lived
// makes them short again: the next try is made at once.
func TestPausesGrow(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*standin.Server){
		"op 7": func(s *standin.Server) { s.Reconnect() }, "a break": func(s *standin.Server) { s.DropSockets() },
		"close 4000": func(s *standin.Server) { s.CloseSockets(standin.CloseUnknown) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newConvoy(t, standin.Options{})
				a := f.launch()
				soon(t, time.Minute, "up", a.d.Up)
				resumed := 0
				away := func() time.Duration { // until the session goes on, after a connection has ended
					end(f.Server)
					resumed++
					return soon(t, 5*time.Minute, "the session to go on", func() bool {
						return f.Stats().Resumes == resumed && a.d.Up()
					})
				}
				for range 2 {
					for i, usual := range []time.Duration{0, 2, 7, 8, 16, 30, 30, 30} {
						got := away()
						if usual *= time.Second; got < usual/2 || got > usual*3/2+time.Second {
							t.Errorf("away for %v after %d connections that ended soon, want about %v", got, i+1, usual)
						}
					}
					time.Sleep(lived)
					if got := away(); got > time.Second {
						t.Errorf("away for %v after a connection that lived", got)
					}
				}
				if st := f.Stats(); st.Identifies != 1 {
					t.Errorf("%+v", st)
				}
			})
		})
	}
}

// A gateway that answers every IDENTIFY with op 7 costs a bot its budget of an hour, not the day's
// identifications.
func TestIdentifyBudget(t *testing.T) {
	t.Parallel()
	const starts, second = 240, 200 * time.Microsecond // 5 an hour, which is 720 ms
	world := standin.New(t, standin.Options{Limits: standin.Limits{On: true, Starts: starts}})
	g := newDouble(t, func() []string { return []string{words[0], "wait", `{"op":7,"d":null}`} })
	var log testkit.Log
	d := adapterOf(world, Options{Dialer: g.dialer(), Shards: 1,
		Pause: second, Log: slog.New(slog.NewTextHandler(&log, nil))})
	d.identifyGap = second
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 3*3600*second)
	defer cancel()
	testkit.Check(t, d.Run(ctx, &echo{}))
	hours := 1 + int(time.Since(began)/(3600*second))
	if n := len(g.dialed()); n > hours*starts/24/2 {
		t.Errorf("%d identifications in less than %d hours", n, hours)
	}
	if !strings.Contains(log.String(), "has used its identifications of an hour") {
		t.Error(log.String())
	}
}
