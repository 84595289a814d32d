package discord

import (
	"bytes"
	"compress/zlib"
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"tengen/bot/chat"
	"tengen/bot/standin"
	"tengen/internal/testkit"
	"tengen/storage"
)

// greeting serves a gateway that says HELLO and leaves the rest of each connection to f. It gives the
// address.
func greeting(t *testing.T, f func(*websocket.Conn)) string {
	t.Helper()
	up := websocket.Upgrader{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		c, err := up.Upgrade(w, q, nil)
		if err != nil {
			return
		}
		defer c.Close()
		c.WriteMessage(websocket.TextMessage, []byte(`{"op":10,"d":{"heartbeat_interval":41250}}`))
		f(c)
	}))
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// fatalGateway is a gateway that says HELLO and, after IDENTIFY, sends one more message or
// closes with a code.
type fatalGateway struct {
	code  int
	says  string
	dials atomic.Int32
}

func (g *fatalGateway) dialer(t *testing.T) *websocket.Dialer {
	t.Helper()
	address := greeting(t, func(c *websocket.Conn) {
		c.ReadMessage()
		if g.says != "" {
			c.WriteMessage(websocket.TextMessage, []byte(g.says))
			c.ReadMessage()
			return
		}
		c.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(g.code, ""), time.Now().Add(time.Second))
	})
	return &websocket.Dialer{NetDialTLSContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		g.dials.Add(1)
		return new(net.Dialer).DialContext(ctx, "tcp", address)
	}}
}

// Op 7 before READY makes discordgo wait for a lock that it holds itself. A new session then takes
// over, as it does when the gateway stays silent.
func TestOpenThatDoesNotReturn(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]string{"op 7 before READY": `{"op":7,"d":null}`, "silence": " "} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := standin.New(t, standin.Options{})
			g := &fatalGateway{says: says}
			bad, good := g.dialer(t), s.Dialer()
			first := true
			dialer := &websocket.Dialer{NetDialTLSContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				if first {
					first = false
					return bad.NetDialTLSContext(ctx, network, address)
				}
				return good.NetDialTLSContext(ctx, network, address)
			}}
			var log testkit.Log
			d := adapterOf(s, Options{Dialer: dialer, Log: slog.New(slog.NewTextHandler(&log, nil))})
			d.options.OpenIn, d.identifyGap = 500*time.Millisecond, 50*time.Millisecond
			end := runs(t, d, &echo{})
			testkit.Eventually(t, "connection up", d.Up)
			testkit.Check(t, end())
			if !strings.Contains(log.String(), "WARN") && !strings.Contains(log.String(), "ERROR") {
				t.Error(log.String())
			}
		})
	}
}

func TestShards(t *testing.T) {
	t.Parallel()
	s := standin.New(t, standin.Options{})
	d := adapterOf(s, Options{Shards: 3})
	d.identifyGap = 10 * time.Millisecond
	e := &echo{d: d}
	end := runs(t, d, e)
	register(t, d)
	s.Ready(3)
	testkit.Eventually(t, "connections up", d.Up)
	ann := s.Member("ann")
	for _, club := range []string{"A", "B", "C", "D"} {
		s.AddGuild(club, true, "there")
		ann.Slash(club+"#there", "/move at:h8")
	}
	testkit.Eventually(t, "news", func() bool { return len(d.listed()) == 5 })
	testkit.Check(t, end())
}

// A bot whose token is reset while it runs ends, before Discord blocks its address.
func TestTokenReset(t *testing.T) {
	t.Parallel()
	s := standin.New(t, standin.Options{})
	f := &resetTransport{base: s.Transport()}
	d := adapterOf(s, Options{Transport: f})
	done := make(chan error, 1)
	go func() { done <- d.Run(t.Context(), &echo{}) }()
	testkit.Eventually(t, "connection up", d.Up)
	f.reset.Store(true)
	if _, err := d.Send(t.Context(), chat.To{Channel: 2}, chat.Text("x")); chat.TroubleOf(err) != chat.Refused {
		t.Error(err)
	}
	if err := <-done; err == nil || !strings.Contains(err.Error(), "does not accept the token") {
		t.Error(err)
	}
}

// That Discord does not know the token of an interaction says nothing of the bot's own.
func TestTokensAreToldApart(t *testing.T) {
	for _, to := range []chat.To{{Channel: 2}, {Token: pressToken}} {
		d := newFake(t, refusing(401, `{"code":50027,"message":"Invalid Webhook Token"}`))
		var ended error
		d.end = func(err error) { ended = err }
		d.Send(t.Context(), to, chat.Text("x"))
		if (ended != nil) != (to.Token == "") {
			t.Errorf("after a call by %+v: %v", to, ended)
		}
	}
}

type resetTransport struct {
	base  http.RoundTripper
	reset atomic.Bool
}

func (r *resetTransport) RoundTrip(q *http.Request) (*http.Response, error) {
	if r.reset.Load() {
		return say(401, `{"message":"401: Unauthorized","code":0}`), nil
	}
	return r.base.RoundTrip(q)
}

// News of a place lets the bot try again where it was refused. That a server is there says so
// of all places, even if the bot has never heard that it was away.
func TestNewsEndsRefusals(t *testing.T) {
	for _, test := range []struct {
		event, data string
		tries       int
	}{
		{"READY", `{"guilds":[{"id":"1"}]}`, 1},
		{"GUILD_CREATE", `{"id":"1"}`, 1}, // known
		{"GUILD_CREATE", `{"id":"7"}`, 0},
		{"GUILD_CREATE", `{"id":"1","unavailable":true}`, 0},
		{"CHANNEL_UPDATE", `{"id":"2"}`, 1},
		{"CHANNEL_UPDATE", `{"id":"3"}`, 0},
		{"CHANNEL_UPDATE", `{"id":"3","guild_id":"1"}`, 1}, // place 2 may be its thread
		{"CHANNEL_UPDATE", `{"id":"3","guild_id":"7"}`, 0},
		{"GUILD_ROLE_UPDATE", `{"guild_id":"1","role":{"id":"1","permissions":"2048"}}`, 1},
		{"GUILD_ROLE_UPDATE", `{"guild_id":"7","role":{"id":"7"}}`, 0},
		{"GUILD_ROLE_UPDATE", `{"role":{}}`, 0},
		{"GUILD_ROLE_DELETE", `{"guild_id":"1","role_id":"4"}`, 1},
		{"GUILD_MEMBER_UPDATE", `{"guild_id":"1","user":{"id":"9"},"roles":["4"]}`, 1}, // the bot itself
		{"GUILD_MEMBER_UPDATE", `{"guild_id":"1","user":{"id":"8"},"roles":["4"]}`, 0},
		{"THREAD_LIST_SYNC", `{"guild_id":"1","channel_ids":["5"],"threads":[{"id":"2"}],"members":[]}`, 1},
		{"THREAD_LIST_SYNC", `{"guild_id":"7","threads":[]}`, 0},
		{"THREAD_UPDATE", `{"id":"2"}`, 1},
		{"CHANNEL_CREATE", `{"id":"2"}`, 0},
	} {
		f := refusing(403, `{"code":50001,"message":"Missing Access"}`)
		d := newFake(t, f)
		d.servers.add(1)
		d.self.Store(9)
		send := func() { d.Send(t.Context(), chat.To{Server: 1, Channel: 2}, chat.Text("x")) }
		send()
		send()
		if n := f.made(); n != 1 {
			t.Fatalf("%d calls for two tries", n)
		}
		(&gateway{d: d}).event(&discordgo.Event{Type: test.event, RawData: []byte(test.data)})
		send()
		if n := f.made() - 1; n != test.tries {
			t.Errorf("after %s %s: %d calls, want %d", test.event, test.data, n, test.tries)
		}
	}
}

// newsTold is a Handler that notes what it is told of servers.
type newsTold struct {
	handlerFunc
	removed []uint64
	ours    []bool // of the servers 1<<22 and 2<<22, by Present
}

func (n *newsTold) Removed(_ context.Context, server uint64) { n.removed = append(n.removed, server) }
func (n *newsTold) Present(_ context.Context, _ []uint64, ours func(uint64) bool) {
	n.ours = append(n.ours, ours(1<<22), ours(2<<22))
}

// A server that Discord cannot reach for a while is not lost. A shard answers for its own servers alone.
func TestNewsOfServers(t *testing.T) {
	d := newFake(t, &fakeAPI{})
	told := &newsTold{}
	d.handler = told
	g := &gateway{d: d, shard: 1, shards: 2}
	for _, e := range []struct{ kind, data string }{
		{"READY", `{"guilds":[{"id":"1"},{"id":"5"},{"id":"6"}]}`},
		{"GUILD_DELETE", `{"id":"5","unavailable":true}`},
		{"GUILD_DELETE", `{"id":"6"}`},
	} {
		g.event(&discordgo.Event{Type: e.kind, RawData: []byte(e.data)})
	}
	d.news.add(nil)
	d.tell()
	if !slices.Equal(told.removed, []uint64{6}) || !slices.Equal(d.listed(), []uint64{1, 5}) {
		t.Errorf("removed from %v, in %v", told.removed, d.listed())
	}
	if !slices.Equal(told.ours, []bool{true, false}) {
		t.Errorf("answers for %v", told.ours)
	}
}

// An event that could not be handed on has not been heard: Discord sends it again.
func TestHeardOnceHandedOn(t *testing.T) {
	g := newDouble(t, nil)
	g.serve = func(c *websocket.Conn) {
		c.WriteMessage(websocket.TextMessage, []byte(words[2]))
		c.ReadMessage()
	}
	dial := func() *websocket.Conn {
		c, _, err := g.dialer().Dial("wss://gateway.test", nil)
		testkit.Must(t, err)
		t.Cleanup(func() { c.Close() })
		return c
	}
	up, down := dial(), dial()
	down.Close()
	r := &relay{session: storage.Session{ID: "x", Seq: 1}, answered: make(chan struct{})}
	if err := r.downward(up, down); err == nil || r.kept().Seq != 1 {
		t.Errorf("%v, heard up to %d", err, r.kept().Seq)
	}
}

// A message that unpacks into more than any listing of a server is refused.
func TestInflateBounded(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	w, _ := zlib.NewWriterLevel(&packed, zlib.BestSpeed)
	some := make([]byte, 1<<20)
	for range maxInflated/len(some) + 1 {
		w.Write(some)
	}
	w.Close()
	if data, err := inflate(packed.Bytes()); err == nil {
		t.Errorf("%d bytes", len(data))
	}
}
