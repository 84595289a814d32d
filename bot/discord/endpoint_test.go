package discord

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"tengen/bot/chat"
	"tengen/bot/standin"
	"tengen/internal/testkit"
)

// A body that comes byte by byte, or never ends, costs its sender the connection and hinders nobody
// else.
func TestEndpointSlowBody(t *testing.T) {
	t.Parallel()
	taken := make(chan []byte, 10)
	pub, key, _ := ed25519.GenerateKey(nil)
	head := func(length int) string {
		body := []byte(`{}`)
		stamp := strconv.FormatInt(time.Now().Unix(), 10)
		return fmt.Sprintf("POST /interactions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"+
			"Content-Length: %d\r\nX-Signature-Timestamp: %s\r\nX-Signature-Ed25519: %x\r\n\r\n",
			length, stamp, ed25519.Sign(key, append([]byte(stamp), body...)))
	}
	for _, test := range []struct {
		name, sends string
		limit       time.Duration
		hangUp      bool
		want        string
	}{
		{"slow", head(2) + "{", 100 * time.Millisecond, false, "408"},
		{"cut off", head(3) + "{}", time.Hour, true, "400"},
		{"whole", head(2) + "{}", time.Hour, false, "202"},
	} {
		e := newEndpoint(EndpointOptions{Key: pub}, func(raw []byte) error { taken <- bytes.Clone(raw); return nil })
		e.bodies.limit = test.limit
		s := httptest.NewServer(e)
		c := testkit.Got(net.Dial("tcp", s.Listener.Addr().String()))
		io.WriteString(c, test.sends)
		if test.hangUp {
			c.(*net.TCPConn).CloseWrite()
		}
		line, err := bufio.NewReader(c).ReadString('\n')
		if err != nil || !strings.Contains(line, test.want) {
			t.Errorf("%s: %q %v", test.name, line, err)
		}
		c.Close()
		s.Close()
	}
	testkit.Want(t, "requests were taken", len(taken), 1)
}

// Senders whose bodies never come keep nobody out: the oldest of them is given up.
func TestEndpointCrowded(t *testing.T) {
	t.Parallel()
	pub, key, _ := ed25519.GenerateKey(nil)
	e := newEndpoint(EndpointOptions{Key: pub}, func([]byte) error { return nil })
	e.bodies.limit = time.Hour
	s := httptest.NewUnstartedServer(e)
	s.Config.ReadTimeout = time.Hour
	s.Start()
	t.Cleanup(s.Close)
	stamp := strconv.FormatInt(time.Now().Unix(), 10)
	head := fmt.Sprintf("POST /interactions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"+
		"Content-Length: 2\r\nX-Signature-Timestamp: %s\r\nX-Signature-Ed25519: %x\r\n\r\n",
		stamp, ed25519.Sign(key, []byte(stamp+"{}")))
	send := func(text string) net.Conn {
		c := testkit.Got(net.Dial("tcp", s.Listener.Addr().String()))
		t.Cleanup(func() { c.Close() })
		io.WriteString(c, text)
		return c
	}
	status := func(c net.Conn) string {
		return testkit.Got(bufio.NewReader(c).ReadString('\n'))
	}
	reading := func() int {
		e.bodies.mu.Lock()
		defer e.bodies.mu.Unlock()
		return e.bodies.read.Len()
	}
	first := send(head)
	testkit.Eventually(t, "the first to be there", func() bool { return reading() == 1 })
	for range maxRequests - 1 {
		send(head)
	}
	testkit.Eventually(t, "all there", func() bool { return reading() == maxRequests })
	if got := status(send(head + "{}")); !strings.Contains(got, "202") {
		t.Errorf("beside the slow ones: %s", got)
	}
	if got := status(first); !strings.Contains(got, "408") {
		t.Errorf("the oldest: %s", got)
	}
	testkit.Want(t, "requests that are read", reading(), maxRequests-1)
	e.bodies.limit = 100 * time.Millisecond
	if got := status(send(head)); !strings.Contains(got, "408") {
		t.Errorf("one that takes too long: %s", got)
	}
}

// At the end the endpoint still answers the requests that it has taken, and refuses new ones. A load
// balancer hears of the end before.
func TestEndpointEnds(t *testing.T) {
	t.Parallel()
	const long = time.Minute // nothing here is to run out
	s := standin.New(t, standin.Options{Lenient: true, AnswerWithin: long})
	l := testkit.Got(net.Listen("tcp", "127.0.0.1:0"))
	drained := make(chan struct{})
	d := adapterOf(s, Options{Patience: long, AnswerIn: long,
		Grace: long, Endpoint: &EndpointOptions{Listener: l, Path: "/here", Drain: long, drained: drained}})
	e := &echo{d: d, held: make(chan struct{})}
	end := runs(t, d, e)
	register(t, d)
	url := "http://" + l.Addr().String() + "/here"
	testkit.Eventually(t, "the endpoint", func() bool { return s.SetEndpoint(url) == nil })
	if !d.Up() {
		t.Error("it serves and is not up")
	}
	ann := s.Member("ann").Try()
	slow := make(chan string, 1)
	go func() { slow <- ann.Slash("#gomoku", "/slow").Failed }()
	testkit.Eventually(t, "the slow one at work", func() bool { return strings.Contains(e.all(), "held") })
	go end()
	testkit.Eventually(t, "no longer up", func() bool { return !d.Up() })
	testkit.Want(t, "while it drains", ann.Slash("#gomoku", "/move at:h8").Failed, "")
	close(drained)
	testkit.Eventually(t, "the end of the endpoint", func() bool {
		c, err := net.Dial("tcp", l.Addr().String())
		if err == nil {
			c.Close()
		}
		return err != nil
	})
	close(e.held)
	testkit.Want(t, "the slow one", <-slow, "")
	testkit.Check(t, end())
	if got := ann.Slash("#gomoku", "/move at:h8").Failed; got == "" {
		t.Error("an answer from nobody")
	}
}

// Without a gateway the adapter finds out by itself in which servers the bot is.
func TestServersWithoutGateway(t *testing.T) {
	t.Parallel()
	s := standin.New(t, standin.Options{Lenient: true})
	s.AddGuild("Other", true, "there")
	l := testkit.Got(net.Listen("tcp", "127.0.0.1:0"))
	d := adapterOf(s, Options{Endpoint: &EndpointOptions{Listener: l, ListEvery: 50 * time.Millisecond}})
	e := &echo{d: d}
	runs(t, d, e)
	testkit.Eventually(t, "two servers", func() bool { return len(d.listed()) == 2 })
	s.KickBot("Other")
	testkit.Eventually(t, "news of the loss", func() bool {
		return len(d.listed()) == 1 && strings.Contains(e.all(), "left")
	})
	if strings.Contains(e.all(), "joined") {
		t.Error("the servers of the start are told as news")
	}
	s.InviteBot("Other")
	testkit.Eventually(t, "news of the return", func() bool {
		return len(d.listed()) == 2 && strings.Contains(e.all(), "joined")
	})
}

func (e *echo) all() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Join(e.news, " ")
}

// Discord lists servers in pages.
func TestServersInPages(t *testing.T) {
	const many = 2*serversPage + 3
	f := &fakeAPI{answer: func(_ int, q *http.Request, _ string) (*http.Response, error) {
		after, _ := strconv.Atoi(q.URL.Query().Get("after"))
		var list []string
		for id := after + 1; id <= many && len(list) < serversPage; id++ {
			list = append(list, fmt.Sprintf(`{"id":"%d"}`, id))
		}
		return say(200, "["+strings.Join(list, ",")+"]"), nil
	}}
	d := newFake(t, f)
	if ids, err := d.listServers(t.Context()); err != nil || len(ids) != many {
		t.Errorf("%d servers, %v", len(ids), err)
	}
}

// An interaction that comes after the end is not begun.
func TestNothingAfterTheEnd(t *testing.T) {
	d, _ := handledFake(t, &fakeAPI{}, func(context.Context, chat.Request) { t.Error("handled") })
	d.close(func() {})
	if err := d.dispatch(interaction(5, 2)); !errors.Is(err, errEnding) {
		t.Error(err)
	}
	d.work.Wait()
}

// reading is a response whose request is being read until a time.
type reading struct {
	http.ResponseWriter
	until time.Time
}

func (r *reading) SetReadDeadline(at time.Time) error { r.until = at; return nil }

// So many bodies are read at a time, each for so long. With one more, the oldest of them is given up.
func TestBodiesBounded(t *testing.T) {
	b := &bodies{limit: bodyLimit}
	begin := func() (*reading, func()) {
		r := &reading{}
		return r, b.begin(http.NewResponseController(r))
	}
	oldest, _ := begin()
	for range maxRequests {
		_, end := begin()
		end()
	}
	for range maxRequests - 1 {
		begin()
	}
	if left := time.Until(oldest.until); left <= 0 || left > bodyLimit {
		t.Errorf("the first has %v", left)
	}
	if last, _ := begin(); oldest.until.After(time.Now()) || last.until.Before(time.Now()) {
		t.Errorf("the oldest is read until %v, the last until %v", oldest.until, last.until)
	}
}

// Of a body without an end, little more is read than an interaction has.
func TestReadBounded(t *testing.T) {
	var b bytes.Buffer
	status, _ := read(&b, "", io.LimitReader(zeros{}, 64*maxInteraction))
	if status != http.StatusRequestEntityTooLarge || b.Len() > 2*maxInteraction {
		t.Errorf("%d bytes, status %d", b.Len(), status)
	}
}

// zeros never end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// The adapter believes an interaction from a server that it does not know, until it has asked.
func TestBelieved(t *testing.T) {
	var s servers
	s.compare([]uint64{1})
	for _, test := range []struct {
		id         uint64
		authorized bool
		in, ask    bool
	}{{1, false, true, false}, {2, false, false, false}, {2, true, true, true}, {2, true, true, false}} {
		if in, ask := s.believed(test.id, test.authorized); in != test.in || ask != test.ask {
			t.Errorf("%+v: %v %v", test, in, ask)
		}
	}
	s.note(2, absent)
	if in, _ := s.believed(2, true); in {
		t.Error("Discord says that the bot is not there")
	}
	s.list([]uint64{1})
	if _, ask := s.believed(2, true); !ask {
		t.Error("after a new list Discord is not asked again")
	}
	if came, lost := s.compare([]uint64{2, 3}); fmt.Sprint(came, lost) != "[2 3] [1]" {
		t.Error(came, lost)
	}
}

// A configured key that is not the application's ends the program.
func TestWrongKey(t *testing.T) {
	t.Parallel()
	s := standin.New(t, standin.Options{})
	l, _ := net.Listen("tcp", "127.0.0.1:0")
	key, _, _ := ed25519.GenerateKey(nil)
	d := adapterOf(s, Options{Endpoint: &EndpointOptions{Listener: l, Key: key}})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := d.Run(ctx, &echo{}); err == nil || !strings.Contains(err.Error(), "public key") {
		t.Error(err)
	}
}

// Every request is answered with one of the codes, and only one that was signed just now is passed on.
func FuzzEndpoint(f *testing.F) {
	seed := sha256.Sum256([]byte("fuzz"))
	key := ed25519.NewKeyFromSeed(seed[:])
	var got []byte
	n := 0
	e := newEndpoint(EndpointOptions{Key: key.Public().(ed25519.PublicKey)}, func(raw []byte) error {
		n++
		got = bytes.Clone(raw)
		_, err := decode(raw, func(uint64, bool) bool { return true })
		return err
	})
	e.now = func() time.Time { return time.Unix(1_800_000_000, 0) }
	f.Add([]byte(pong), "1800000000", "", "application/json", true)
	f.Add(interaction(5, 2), "1800000000", "", "application/json; charset=utf-8", true)
	f.Add(interaction(5, 3), "1700000000", "", "application/json", true)
	f.Add(interaction(5, 3), "1800000061", "", "application/json", true)
	f.Add(interaction(5, 4), "1800000000", strings.Repeat("5e", 64), "application/json", false)
	f.Add([]byte(`{"type":2,"id":"1","token":"t","data":{"options":[{"type":1,"options":[{"type":1,"options":[{}]}]}]}}`), "1800000000", "", "application/json", true)
	f.Add([]byte(`{"version":1,"type":0}`), "1800000000", "", "application/json", true)
	f.Add([]byte(`{"type":1,"event":{"type":"APPLICATION_AUTHORIZED","data":{"guild":{"id":"7"}}}}`), "1800000000", "", "application/json", true)
	f.Fuzz(func(t *testing.T, body []byte, stamp, signature, kind string, signed bool) {
		if signed {
			signature = hex.EncodeToString(ed25519.Sign(key, append([]byte(stamp), body...)))
		}
		q := httptest.NewRequest("POST", DefaultPath, bytes.NewReader(body))
		q.Header.Set("Content-Type", kind)
		q.Header.Set("X-Signature-Timestamp", stamp)
		q.Header.Set("X-Signature-Ed25519", signature)
		before := n
		w := httptest.NewRecorder()
		e.ServeHTTP(w, q)
		switch w.Code {
		case 200, 202, 204, 400, 401, 413:
		default:
			t.Fatalf("answered %d", w.Code)
		}
		at, _ := strconv.ParseInt(stamp, 10, 64)
		lately := time.Unix(at, 0).Sub(e.now()).Abs() <= defaultMaxAge
		if n != before && (!signed || !lately || !bytes.Equal(got, body) || len(body) > maxInteraction) {
			t.Fatalf("went on: signed %v, %q of %q", signed, got, body)
		}
		if w.Code == 204 && (n != before || !signed || !lately) {
			t.Fatalf("taken for an event: signed %v, %q", signed, body)
		}
		if w.Code == 200 && w.Body.String() != pong {
			t.Fatal(w.Body.String())
		}
	})
}

// Interactions a second through verification, without decoding and with it.
func BenchmarkEndpoint(b *testing.B) {
	pub, key, _ := ed25519.GenerateKey(nil)
	body := bytes.Replace(interaction(5, 3), []byte(`"data"`),
		[]byte(`"padding":"`+strings.Repeat("x", 4000)+`","data"`), 1)
	stamp := strconv.FormatInt(time.Now().Unix(), 10)
	signature := hex.EncodeToString(ed25519.Sign(key, append([]byte(stamp), body...)))
	run := func(name string, dispatch func([]byte) error, forged bool) {
		b.Run(name, func(b *testing.B) {
			e := newEndpoint(EndpointOptions{Key: pub, MaxAge: time.Hour}, dispatch)
			sign, want := signature, http.StatusAccepted
			if forged {
				sign, want = strings.Repeat("5e", 64), http.StatusUnauthorized
			}
			w := &blank{header: http.Header{}}
			q := httptest.NewRequest("POST", DefaultPath, nil)
			q.Header.Set("Content-Type", "application/json")
			q.Header.Set("X-Signature-Timestamp", stamp)
			q.Header.Set("X-Signature-Ed25519", sign)
			q.ContentLength = int64(len(body))
			r := bytes.NewReader(body)
			q.Body = io.NopCloser(r)
			b.ReportAllocs()
			for b.Loop() {
				r.Reset(body)
				e.ServeHTTP(w, q)
				if w.status != want {
					b.Fatal(w.status)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
		})
	}
	run("verify", func([]byte) error { return nil }, false)
	run("verify and decode", func(raw []byte) error { _, err := decode(raw, inNone); return err }, false)
	run("forged", func([]byte) error { return nil }, true)
}

// blank is a response that nobody reads.
type blank struct {
	header http.Header
	status int
}

func (w *blank) Header() http.Header         { return w.header }
func (w *blank) WriteHeader(status int)      { w.status = status }
func (w *blank) Write(b []byte) (int, error) { return len(b), nil }
