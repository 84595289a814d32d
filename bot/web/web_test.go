package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"tengen/ai/review"
	"tengen/bot/act"
	"tengen/bot/chat"
	"tengen/bot/standin"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/tasks"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

const (
	ann = game.MemberID(1001)
	bob = game.MemberID(1002)
	cat = game.MemberID(1003)

	site = "https://games.example.org"
)

// counting counts what is read of a store, which may break.
type counting struct {
	kv.Engine
	views  atomic.Int64
	broken atomic.Bool
}

var errBroken = errors.New("the disk is away")

func (c *counting) Update(ctx context.Context, f func(kv.Tx) error) error {
	if c.broken.Load() {
		return errBroken
	}
	return c.Engine.Update(ctx, f)
}

func (c *counting) View(ctx context.Context, f func(kv.Reader) error) error {
	if c.broken.Load() {
		return errBroken
	}
	c.views.Add(1)
	return c.Engine.View(ctx, f)
}

// house is a bot that knows nothing but acts.
type house struct{ store *storage.Store }

func (h house) Tap(ctx context.Context, by game.MemberID, at time.Time, p view.Press, number uint64) (string, error) {
	_, err := h.store.Update(ctx, p.Match, storage.Cause{Number: number, By: by, At: at},
		act.Pressed(chat.Request{By: by, At: at}, p).Do)
	return "", err
}

func (h house) AskReview(ctx context.Context, by game.MemberID, at time.Time, id game.MatchID) error {
	return h.store.AskReview(ctx, id, by, venue.Place{}, at)
}

// TryAgain judges no move: it takes a minute over each, and says which it was.
func (h house) TryAgain(ctx context.Context, _ view.Tongue, by game.MemberID, p view.Press) (view.Tried, error) {
	_, move, _ := strings.Cut(p.Arg, ".at.")
	if move == "" {
		return view.Tried{Move: 1, Says: p.Arg}, nil
	}
	return view.Tried{Move: 1, Says: move, Right: true}, tasks.Sleep(ctx, time.Minute)
}

// bench is a server in a bubble of time, with a match of ann, who has black, and bob.
type bench struct {
	*Server
	t      *testing.T
	store  *storage.Store
	engine *counting
	pipes  *standin.Pipes
	web    *http.Client
	rec    storage.Record
}

// in runs a test on a bench.
func in(t *testing.T, f func(b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(testkit.At("2026-03-01 12:00")))
		b := &bench{t: t, engine: &counting{Engine: kv.NewMemory()}, pipes: standin.NewPipes()}
		b.store = storagetest.Store(t, b.engine)
		b.Server = New(Config{Store: b.store, URL: site, App: func() uint64 { return 77 }})
		b.Host(house{b.store})
		b.store.Tell(b.Told)
		b.Serve(b.pipes)
		dial := func(ctx context.Context, _, _ string) (net.Conn, error) { return b.pipes.Dial(ctx) }
		b.web = &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}
		defer b.Close()
		b.rec = b.begin(game.Gomoku15)
		f(b)
	})
}

func (b *bench) begin(r game.Rules) storage.Record {
	b.t.Helper()
	rec, err := b.store.Create(b.t.Context(), storage.Cause{At: time.Now()}, venue.Place{Server: 5, Channel: 6},
		func(id game.MatchID) (game.Match, error) {
			return game.NewMatch(id, game.Terms{Rules: r, First: game.Black}, ann, game.SeatFor(ann), game.SeatFor(bob),
				time.Now(), time.Now().Add(time.Hour))
		})
	testkit.Must(b.t, err)
	return b.do(rec, func(m game.Match) (game.Match, error) { return m.Accept(bob, time.Now()) })
}

// do changes a match as somebody in the channel would.
func (b *bench) do(rec storage.Record, f func(game.Match) (game.Match, error)) storage.Record {
	b.t.Helper()
	rec, err := b.store.Update(b.t.Context(), rec.ID, storage.Cause{At: time.Now()}, f)
	testkit.Must(b.t, err)
	return rec
}

func (b *bench) play(points ...string) {
	b.t.Helper()
	for _, name := range points {
		p, err := game.ParsePoint(name, 15)
		testkit.Must(b.t, err)
		b.do(b.rec, func(m game.Match) (game.Match, error) { return m.Play(m.Seats[m.ToMove()].Member, p, time.Now()) })
	}
}

func (b *bench) match() game.Match {
	b.t.Helper()
	rec, err := b.store.Match(b.t.Context(), b.rec.ID)
	testkit.Must(b.t, err)
	return rec.Match
}

// ask makes a request with headers, each "Name: value".
func (b *bench) ask(method, path, body string, headers ...string) (*http.Response, string) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, "http://games"+path, strings.NewReader(body))
	testkit.Must(b.t, err)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	res, err := b.web.Do(r)
	testkit.Must(b.t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	testkit.Must(b.t, err)
	return res, string(text)
}

// pass gives the cookie of a member, got by a link.
func (b *bench) passOf(by game.MemberID) (cookie string) {
	b.t.Helper()
	link, err := b.Link(b.t.Context(), by, b.rec.ID)
	testkit.Must(b.t, err)
	res, text := b.ask("POST", "/pass", secretOf(link), "Origin: "+site)
	if res.StatusCode != 200 || !strings.Contains(text, view.Key(b.rec.ID)) {
		b.t.Fatalf("a link gives %v %q", res.Status, text)
	}
	cookie, _, _ = strings.Cut(res.Header.Get("Set-Cookie"), ";")
	return cookie
}

// secretOf is what the page sends of a link.
func secretOf(link string) string {
	_, secret, _ := strings.Cut(link, "#")
	return `{"secret":"` + secret + `"}`
}

// socket is a page's.
type socket struct {
	*websocket.Conn
	b      *bench
	passed []map[string]any // messages that came before the answer to an act
}

// dial opens a socket with headers. It is nil where the server refuses it.
func (b *bench) dial(headers ...string) *socket {
	b.t.Helper()
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) { return b.pipes.Dial(ctx) }
	d := websocket.Dialer{NetDialContext: dial}
	h := http.Header{}
	for _, one := range headers {
		name, value, _ := strings.Cut(one, ": ")
		h.Set(name, value)
	}
	conn, _, err := d.Dial("ws://games/live", h)
	if err != nil {
		return nil
	}
	b.t.Cleanup(func() { conn.Close() })
	return &socket{Conn: conn, b: b}
}

// open is the socket of a member's page, which has said hello and heard how the match stands.
func (b *bench) open(by game.MemberID) *socket {
	b.t.Helper()
	c := b.dial("Origin: "+site, "Cookie: "+b.passOf(by))
	c.says(`{"t":"hello","v":1,"way":"member","match":"` + view.Key(b.rec.ID) + `"}`)
	c.hears("state")
	c.hears("you")
	return c
}

// watch is the socket of a page that watches, likewise.
func (b *bench) watch() *socket {
	b.t.Helper()
	c := b.dial("Origin: null")
	c.says(`{"t":"hello","v":1,"way":"watch","share":"` + b.share() + `"}`)
	c.hears("state")
	return c
}

// looking counts the pages that show the match.
func (b *bench) looking() (n int) {
	b.boards.each(func(c *client) {
		if c.at() == b.rec.ID {
			n++
		}
	})
	return n
}

// share is the secret of the match, shared by ann.
func (b *bench) share() string {
	b.t.Helper()
	url, err := b.Shared(b.t.Context(), ann, b.rec.ID, true)
	testkit.Must(b.t, err)
	return strings.TrimPrefix(url, site+"/g/")
}

func (c *socket) says(text string) {
	c.b.t.Helper()
	testkit.Must(c.b.t, c.WriteMessage(websocket.TextMessage, []byte(text)))
}

// next is the next message; nil once the socket is closed.
func (c *socket) next() map[string]any {
	if len(c.passed) > 0 {
		m := c.passed[0]
		c.passed = c.passed[1:]
		return m
	}
	return c.read()
}

func (c *socket) read() (m map[string]any) {
	c.b.t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	_, data, err := c.ReadMessage()
	if err != nil {
		return nil
	}
	testkit.Must(c.b.t, json.Unmarshal(data, &m))
	return m
}

// hears gives the next message of a kind.
func (c *socket) hears(kind string) map[string]any {
	c.b.t.Helper()
	var heard []any
	for begun := time.Now(); time.Since(begun) < 10*time.Minute; { // pings go on for ever
		m := c.next()
		if m == nil {
			break
		}
		if m["t"] == kind {
			return m
		}
		heard = append(heard, m)
	}
	c.b.t.Fatalf("the page hears no %q, but %v", kind, heard)
	return nil
}

// act sends an act and gives the answer; empty: it was done.
func (c *socket) act(n uint64, stamp uint32, verb, arg string) (no string) {
	c.b.t.Helper()
	c.says(string(raw(map[string]any{"t": "act", "n": uintText(n), "match": view.Key(c.b.rec.ID), "stamp": stamp,
		"verb": verb, "arg": arg})))
	for m := c.read(); m != nil; m = c.read() {
		if m["t"] == "done" {
			no, _ = m["no"].(string)
			return no
		}
		c.passed = append(c.passed, m)
	}
	c.b.t.Fatal("an act is not answered")
	return ""
}

func uintText(n uint64) string { return string(raw(n)) }

func TestPlay(t *testing.T) {
	in(t, func(b *bench) {
		one, other, third := b.open(ann), b.open(bob), b.watch()
		n := storage.NumberAt(time.Now())
		if no := one.act(n, b.match().Stamp(), "play", "h8"); no != "" {
			t.Errorf("a move is refused: %s", no)
		}
		for i, c := range []*socket{one, other, third} {
			if m := c.hears("change"); m["add"] != "bh8" || m["turn"] != "w" || m["from"] != float64(b.rec.Version) {
				t.Errorf("page %d hears %v", i, m)
			}
		}
		if m := other.hears("you"); m["turn"] != true || m["seat"] != 1.0 || m["color"] != "w" || m["legal"] != "all" {
			t.Errorf("the other is told %v", m)
		}
		// The answer is lost with the socket, and the page sends the act again.
		one.Close()
		again := b.open(ann)
		before := b.match().Version
		if no := again.act(n, b.rec.Stamp(), "play", "h8"); no != "" || b.match().Version != before {
			t.Errorf("an act that is sent again is refused, %q, or applied twice", no)
		}
		// The same number of another member is their own.
		if no := other.act(n, b.match().Stamp(), "play", "h9"); no != "" {
			t.Errorf("the other's move is refused: %s", no)
		}
		if m := third.hears("change"); m["add"] != "wh9" {
			t.Errorf("a watcher hears %v", m)
		}
	})
}

func TestStale(t *testing.T) {
	in(t, func(b *bench) {
		c := b.open(ann)
		stamp, n := b.match().Stamp(), storage.NumberAt(time.Now())
		b.play("h8", "h9")
		before := b.match()
		if no := c.act(n, stamp, "play", "a1"); no == "" || b.match().Version != before.Version {
			t.Errorf("a stale act is answered %q", no)
		}
		if m := c.hears("state"); m["moves"] != "bh8 wh9" {
			t.Errorf("a stale act is answered with %v", m)
		}
		for _, a := range []struct{ verb, arg string }{{"abortsure", ""}, {"stop", ""}, {"nonsense", ""}, {"play", "z99"}} {
			n++
			if a.verb == "abortsure" || a.verb == "stop" {
				continue // the bot's to refuse: see TestTap there
			}
			if no := c.act(n, b.match().Stamp(), a.verb, a.arg); no == "" || b.match().Version != before.Version {
				t.Errorf("%s %s is answered %q", a.verb, a.arg, no)
			}
			time.Sleep(time.Second)
		}
	})
}

// Numbers of acts that would be forgotten at once, or never, are refused.
func TestNumbers(t *testing.T) {
	in(t, func(b *bench) {
		c := b.open(ann)
		for _, off := range []time.Duration{-time.Hour, time.Hour, -1000000 * time.Hour} {
			n := storage.NumberAt(time.Now().Add(off)) + 1
			if no := c.act(n, b.match().Stamp(), "play", "h8"); !strings.Contains(no, "clock") {
				t.Errorf("a number that is off by %v is answered %q", off, no)
			}
			time.Sleep(time.Second)
		}
		if b.match().Version != b.rec.Version {
			t.Error("it was applied")
		}
	})
}

func TestLetIn(t *testing.T) {
	in(t, func(b *bench) {
		key := view.Key(b.rec.ID)
		annsPass := b.passOf(ann)
		hello := `{"t":"hello","v":1,"way":"member","match":"` + key + `"}`
		ended := b.passOf(ann)
		share := b.share()
		for _, c := range []struct {
			what, hello, want string
			headers           []string
		}{
			{"a member", hello, "state", []string{"Origin: " + site, "Cookie: " + annsPass}},
			{"a member without a cookie", hello, "none", []string{"Origin: " + site}},
			{"a forged cookie", hello, "none", []string{"Origin: " + site, "Cookie: " + cookieName + "=" + strings.Repeat("A", 43)}},
			{"a cookie of another form", hello, "none", []string{"Origin: " + site, "Cookie: " + cookieName + "=ann"}},
			{"a member who does not play", hello, "none", []string{"Origin: " + site, "Cookie: " + b.passOf(cat)}},
			{"a match that there is not", `{"t":"hello","way":"member","match":"ABCDEFGH"}`, "none", []string{"Origin: " + site, "Cookie: " + annsPass}},
			{"a cookie in a frame without an origin", hello, "none", []string{"Origin: null", "Cookie: " + annsPass}},
			{"a cookie from no browser", hello, "none", []string{"Cookie: " + annsPass}},
			{"a watcher", `{"t":"hello","way":"watch","share":"` + share + `"}`, "state", []string{"Origin: null"}},
			{"a made-up share", `{"t":"hello","way":"watch","share":"` + strings.Repeat("A", 22) + `"}`, "none", []string{"Origin: null"}},
			{"a share of another form", `{"t":"hello","way":"watch","share":"` + share + `A"}`, "none", []string{"Origin: null"}},
			{"no Activity", `{"t":"hello","way":"activity","instance":"i-1"}`, "none", []string{"Origin: null"}},
			{"no way", `{"t":"hello"}`, "none", []string{"Origin: null"}},
			{"the Activity's own origin", `{"t":"hello","way":"watch","share":"` + share + `"}`, "state", []string{"Origin: https://77.discordsays.com"}},
		} {
			s := b.dial(c.headers...)
			if s == nil {
				t.Errorf("%s: there is no socket", c.what)
				continue
			}
			s.says(c.hello)
			if m := s.next(); m == nil || m["t"] != c.want {
				t.Errorf("%s: hears %v, want %s", c.what, m, c.want)
			}
			s.Close()
		}
		for _, origin := range []string{"https://evil.example", "http://games.example.org", site + ".evil.example",
			"https://78.discordsays.com"} {
			if b.dial("Origin: "+origin, "Cookie: "+annsPass) != nil {
				t.Errorf("a page of %s has a socket", origin)
			}
		}
		time.Sleep(storage.PassLife)
		s := b.dial("Origin: "+site, "Cookie: "+ended)
		s.says(hello)
		if m := s.next(); m["t"] != "none" {
			t.Errorf("a pass that is over: hears %v", m)
		}
	})
}

func TestLinks(t *testing.T) {
	in(t, func(b *bench) {
		link, err := b.Link(t.Context(), ann, b.rec.ID)
		testkit.Must(t, err)
		old, err := b.Link(t.Context(), ann, b.rec.ID)
		testkit.Must(t, err)
		for range 2 { // a crawler, or Discord's own look at it
			res, text := b.ask("GET", strings.TrimPrefix(link, site), "")
			if res.StatusCode != 200 || strings.Contains(text, "1001") {
				t.Errorf("the document is %v %q", res.Status, text)
			}
		}
		refused := func(what, body string, headers ...string) {
			t.Helper()
			if res, text := b.ask("POST", "/pass", body, headers...); res.StatusCode != 404 || text != "not found\n" ||
				res.Header.Get("Set-Cookie") != "" {
				t.Errorf("%s: %v %q", what, res.Status, text)
			}
		}
		refused("from another site", secretOf(link), "Origin: https://evil.example")
		refused("from a frame without an origin", secretOf(link), "Origin: null")
		refused("from no browser", secretOf(link))
		refused("a made-up secret", `{"secret":"`+strings.Repeat("A", 43)+`"}`, "Origin: "+site)
		refused("broken", `{"secret":`, "Origin: "+site)
		refused("large", `{"secret":"`+strings.Repeat("A", 1<<20)+`"}`, "Origin: "+site)
		res, _ := b.ask("POST", "/pass", secretOf(link), "Origin: "+site)
		if c := res.Header.Get("Set-Cookie"); res.StatusCode != 200 || !strings.HasPrefix(c, cookieName+"=") ||
			!strings.Contains(c, "Path=/; Max-Age=604800; HttpOnly; Secure; SameSite=Strict") {
			t.Errorf("a good link: %v, cookie %q", res.Status, c)
		}
		refused("a second time", secretOf(link), "Origin: "+site)
		lost, err := b.Link(t.Context(), ann, b.rec.ID)
		testkit.Must(t, err)
		numbered := func(n string) string {
			return strings.TrimSuffix(secretOf(lost), "}") + `,"n":"` + strings.Repeat(n, 22) + `"}`
		}
		one, text := b.ask("POST", "/pass", numbered("A"), "Origin: "+site)
		two, again := b.ask("POST", "/pass", numbered("A"), "Origin: "+site)
		if one.StatusCode != 200 || text != again || one.Header.Get("Set-Cookie") != two.Header.Get("Set-Cookie") {
			t.Errorf("an answer that was lost: %v %q, then %v %q", one.Status, text, two.Status, again)
		}
		refused("by another browser", numbered("Q"), "Origin: "+site)
		time.Sleep(storage.LinkLife)
		refused("too late", secretOf(old), "Origin: "+site)
	})
}

// A socket that says nothing, or something odd, is closed.
func TestOddSockets(t *testing.T) {
	in(t, func(b *bench) {
		hello := `{"t":"hello","way":"watch","share":"` + b.share() + `"}`
		for _, c := range []struct {
			what string
			say  []string
		}{
			{"nothing", nil},
			{"no hello first", []string{`{"t":"state"}`}},
			{"broken", []string{`{"t":`}},
			{"no object", []string{`[1]`}},
			{"a large hello", []string{`{"t":"hello","way":"` + strings.Repeat("x", mostMessage) + `"}`}},
			{"a large message", []string{hello, `{"t":"state","way":"` + strings.Repeat("x", 1<<20) + `"}`}},
			{"a second hello", []string{hello, hello}},
			{"broken after the hello", []string{hello, `{`}},
			{"an act without a number", []string{hello, `{"t":"act","verb":"play"}`}},
			{"too much", append([]string{hello}, slices.Repeat([]string{`{"t":"seen"}`}, 2*mostMessages)...)},
		} {
			s, begun := b.dial("Origin: null"), time.Now()
			go func() {
				for _, m := range c.say {
					_ = s.WriteMessage(websocket.TextMessage, []byte(m)) // it may be closed by now
				}
			}()
			for m := s.next(); m != nil && !t.Failed(); m = s.next() { // pings go on for ever
				if m["t"] != "state" {
					t.Errorf("%s: hears %v", c.what, m)
				}
			}
			if took := time.Since(begun); took > helloWithin {
				t.Errorf("%s: the socket is closed after %v", c.what, took)
			}
		}
	})
}

// A page that goes on answering pings stays; one that is cut off goes.
func TestSilence(t *testing.T) {
	in(t, func(b *bench) {
		c := b.watch()
		for range 10 {
			c.hears("ping")
		}
		b.play("h8")
		c.hears("change")
		if n := b.looking(); n != 1 {
			t.Errorf("%d pages look", n)
		}
		time.Sleep(5 * time.Minute) // nobody reads, and so nobody answers
		if b.looking() != 0 {
			t.Error("the board of a page that is gone stays open")
		}
	})
}

// Who reads too slowly is dropped, and nobody else waits.
func TestSlow(t *testing.T) {
	in(t, func(b *bench) {
		slow, quick := b.watch(), b.watch()
		heard := make(chan int)
		go func() {
			n := 0
			for m := quick.next(); m != nil; m = quick.next() {
				if m["t"] == "change" {
					n++
				}
			}
			heard <- n
		}()
		const moves = 600
		for range moves / 2 {
			b.play("h8")
			synctest.Wait()
			b.do(b.rec, func(m game.Match) (game.Match, error) { return m.Undo(ann, time.Now()) })
			synctest.Wait()
			b.do(b.rec, func(m game.Match) (game.Match, error) { return m.AnswerUndo(bob, true, time.Now()) })
			synctest.Wait()
		}
		if n := b.looking(); n != 1 {
			t.Errorf("%d pages look, want the one that reads", n)
		}
		slow.Close()
		b.Close()
		if n := <-heard; n < moves {
			t.Errorf("the other heard %d changes, want %d", n, moves*3/2)
		}
	})
}

// A version is read and encoded once, however many look.
func TestOneRead(t *testing.T) {
	in(t, func(b *bench) {
		var all []*socket
		for range 15 {
			all = append(all, b.watch())
		}
		before := b.engine.views.Load()
		b.play("h8")
		for _, c := range all {
			c.hears("change")
		}
		if n := b.engine.views.Load() - before; n != 0 {
			t.Errorf("15 watchers cost %d reads of the store", n)
		}
	})
}

func TestLimits(t *testing.T) {
	in(t, func(b *bench) {
		hello := `{"t":"hello","way":"member"}`
		cookie := b.passOf(ann)
		for i := range mostOfMember + 1 {
			s := b.dial("Origin: "+site, "Cookie: "+cookie)
			s.says(hello)
			m := s.next()
			if (m["t"] == "state") != (i < mostOfMember) || (m["t"] == "bye" && m["retry"] == true) != (i == mostOfMember) {
				t.Errorf("socket %d of a member hears %v", i+1, m)
			}
		}
		share := b.share()
		for i := range mostOfAddress + 1 {
			s := b.dial("Origin: null")
			s.says(`{"t":"hello","way":"watch","share":"` + share + `"}`)
			if m := s.next(); (m["t"] == "state") != (i < mostOfAddress) {
				t.Errorf("watcher %d of an address hears %v", i+1, m)
			}
		}
		c := b.open(bob)
		n := storage.NumberAt(time.Now())
		for i := range actsASecond + 1 {
			if no := c.act(n+uint64(i), 0, "draw", ""); strings.Contains(no, "too fast") != (i == actsASecond) {
				t.Errorf("act %d is answered %q", i+1, no)
			}
		}
	})
}

// Two members use one browser, and have one cookie: a page of the first does not become the second's.
func TestTwoMembersOneBrowser(t *testing.T) {
	in(t, func(b *bench) {
		one := b.dial("Origin: "+site, "Cookie: "+b.passOf(ann))
		hello := `{"t":"hello","way":"member","match":"` + view.Key(b.rec.ID) + `"`
		one.says(hello + `}`)
		me, _ := one.hears("you")["me"].(string)
		back := b.dial("Origin: "+site, "Cookie: "+b.passOf(ann))
		back.says(hello + `,"me":"` + me + `"}`)
		back.hears("you")
		other := b.dial("Origin: "+site, "Cookie: "+b.passOf(bob))
		other.says(hello + `,"me":"` + me + `"}`)
		if m := other.next(); m["t"] != "bye" || m["again"] != false {
			t.Errorf("the page of the first hears %v", m)
		}
	})
}

func TestEnd(t *testing.T) {
	in(t, func(b *bench) {
		cookie := b.passOf(ann)
		one, other := b.open(ann), b.open(bob)
		testkit.Must(t, b.End(t.Context(), ann))
		if m := one.hears("bye"); m["again"] != false {
			t.Errorf("the page is told %v", m)
		}
		s := b.dial("Origin: "+site, "Cookie: "+cookie)
		s.says(`{"t":"hello","way":"member"}`)
		if m := s.next(); m["t"] != "none" {
			t.Errorf("an ended pass: hears %v", m)
		}
		// Another process ends a pass: the next act says so.
		testkit.Must(t, b.store.EndPasses(t.Context(), bob, time.Now()))
		other.says(string(raw(map[string]string{"t": "act", "n": uintText(storage.NumberAt(time.Now())),
			"match": view.Key(b.rec.ID), "verb": "resignsure"})))
		other.hears("bye")
		if b.match().Phase != game.Playing {
			t.Error("an act under an ended pass was done")
		}
	})
}

// Where a server wants no links those of before end, and stay ended when it wants them again.
func TestLinksOff(t *testing.T) {
	in(t, func(b *bench) {
		c, secret := b.watch(), b.share()
		testkit.Must(t, b.LinksOff(t.Context(), b.rec.Place.Server+1))
		c.says(`{"t":"state"}`)
		c.hears("state")
		testkit.Must(t, b.LinksOff(t.Context(), b.rec.Place.Server))
		c.hears("none")
		if res, _ := b.ask("GET", "/g/"+secret, ""); res.StatusCode != 404 {
			t.Errorf("the link of before: %v", res.Status)
		}
	})
}

// What is deleted, or shared no more, is gone from the pages.
func TestGone(t *testing.T) {
	in(t, func(b *bench) {
		c := b.watch()
		_, err := b.Shared(t.Context(), ann, b.rec.ID, false)
		testkit.Must(t, err)
		c.hears("none")
		c = b.watch()
		testkit.Must(t, b.store.Unshare(t.Context(), b.rec.ID)) // by another process
		c.hears("none")
		one, other := b.open(ann), b.watch()
		testkit.Must(t, b.store.Forget(t.Context(), ann, time.Now()))
		one.hears("none")
		if m := other.hears("change"); m["phase"] != "over" || strings.Contains(string(raw(m)), "former") {
			t.Errorf("a watcher is told %v", m)
		}
		b.Told(storage.Record{Match: game.Match{ID: b.rec.ID}})
		other.hears("none")
	})
}

func TestShared(t *testing.T) {
	in(t, func(b *bench) {
		if _, err := b.Shared(t.Context(), cat, b.rec.ID, true); err == nil {
			t.Error("somebody who does not play shares a match")
		}
		b.play("h8", "h9")
		path := "/g/" + b.share()
		for _, ext := range []string{"", ".png", ".sgf"} {
			res, text := b.ask("GET", path+ext, "", "Cookie: "+cookieName+"=x")
			h := res.Header
			if res.StatusCode != 200 || h.Get("Set-Cookie") != "" || !strings.Contains(h.Get("X-Robots-Tag"), "noindex") {
				t.Errorf("%s: %v, %v", ext, res.Status, res.Header)
			}
			for _, id := range []string{"1001", "1002", "member"} {
				if ext != "" && strings.Contains(text, id) || strings.Contains(text, "100"+id) {
					t.Errorf("%s: has %s: %s", ext, id, text)
				}
			}
			policy := h.Get("Content-Security-Policy")
			if ext == "" && !strings.HasSuffix(policy, "frame-ancestors 'none'") {
				t.Errorf("the policy is %q", policy)
			}
		}
		_, text := b.ask("GET", path, "")
		for _, want := range []string{`bh8 wh9`, `og:image" content="` + site + path + `.png?v=`, `"Black","White"`} {
			if !strings.Contains(text, want) {
				t.Errorf("the document lacks %s: %s", want, text)
			}
		}
		_, err := b.store.SetServer(t.Context(), 5, func(s storage.Server) (storage.Server, error) {
			s.More = map[string]string{"links": linksOff}
			return s, nil
		})
		testkit.Must(t, err)
		if res, _ := b.ask("GET", path, ""); res.StatusCode != 404 {
			t.Errorf("a server without links: %v", res.Status)
		}
		if _, err := b.Shared(t.Context(), ann, b.rec.ID, true); err == nil {
			t.Error("a match of a server without links is shared")
		}
	})
}

// A challenge is not shared: there is nothing to watch, and nobody has a color.
func TestNotShared(t *testing.T) {
	in(t, func(b *bench) {
		rec, err := b.store.Create(t.Context(), storage.Cause{At: time.Now()}, venue.Place{Server: 5, Channel: 6},
			func(id game.MatchID) (game.Match, error) {
				return game.NewMatch(id, game.Terms{Rules: game.Renju}, ann, game.SeatFor(ann), game.SeatFor(bob), time.Now(),
					time.Now().Add(time.Hour))
			})
		testkit.Must(t, err)
		if _, err := b.Shared(t.Context(), ann, rec.ID, true); !view.IsRefused(err, "refused.notShared") {
			t.Errorf("a challenge is shared: %v", err)
		}
	})
}

// All that is not there has one answer.
func TestNotFound(t *testing.T) {
	in(t, func(b *bench) {
		for _, one := range [][2]string{{"GET", "/"}, {"GET", "/g/x"}, {"GET", "/g/" + strings.Repeat("A", 22)},
			{"POST", "/board"}, {"GET", "/g/" + b.share() + ".exe"},
			{"GET", "/pass"}, {"DELETE", "/live"}, {"GET", "/activity/x"}} {
			if res, text := b.ask(one[0], one[1], ""); res.StatusCode != 404 || text != "not found\n" {
				t.Errorf("%v: %v %q", one, res.Status, text)
			}
		}
		for _, path := range []string{"/activity", "/activity/"} {
			res, _ := b.ask("GET", path, "")
			p := res.Header.Get("Content-Security-Policy")
			if res.StatusCode != 200 || !strings.HasSuffix(p, "frame-ancestors *") {
				t.Errorf("the Activity's document at %s: %v, %q", path, res.Status, p)
			}
		}
	})
}

// The document comes packed to whoever takes that, and its sockets may be opened where 'self' does not mean them.
func TestDocument(t *testing.T) {
	in(t, func(b *bench) {
		res, plain := b.ask("GET", "/board", "", "Accept-Encoding: br")
		packed, text := b.ask("GET", "/board", "", "Accept-Encoding: gzip, br")
		z, err := gzip.NewReader(strings.NewReader(text))
		testkit.Must(t, err)
		if whole := string(testkit.Got(io.ReadAll(z))); whole != plain || packed.Header.Get("Content-Encoding") != "gzip" ||
			res.Header.Get("Content-Encoding") != "" || !strings.Contains(plain, `id="boot"`) {
			t.Errorf("packed %v, plain %v, %d and %d bytes", packed.Header, res.Header, len(whole), len(plain))
		}
		if len(text) > 60_000 {
			t.Errorf("%d bytes come over the line", len(text))
		}
		p := res.Header.Get("Content-Security-Policy")
		if !strings.Contains(p, "connect-src 'self' wss://games.example.org;") {
			t.Errorf("the policy is %s", p)
		}
	})
}

// Who played reads the review, after the end alone; it is asked for where there is none.
func TestReview(t *testing.T) {
	in(t, func(b *bench) {
		one, third := b.open(ann), b.watch()
		b.play("a1", "h8")
		one.says(`{"t":"review"}`) // which has no answer
		synctest.Wait()
		b.do(b.rec, func(m game.Match) (game.Match, error) { return m.Resign(bob, time.Now()) })
		synctest.Wait()
		for one.hears("change")["end"] == nil {
		}
		one.says(`{"t":"review"}`)
		if m := one.hears("review"); m["busy"] != true || len(testkit.Got(b.store.OwedReviews(t.Context()))) != 1 {
			t.Errorf("where there is none: %v", m)
		}
		one.says(`{"t":"review","again":true}`)
		if m := one.hears("review"); m["busy"] != true {
			t.Errorf("while it is made: %v", m)
		}
		for range 100 { // it fails until it is given up
			if _, err := b.store.TryReview(t.Context(), b.rec.ID); err != nil {
				break
			}
		}
		one.says(`{"t":"review","again":true}`)
		if m := one.hears("review"); m["busy"] == true || m["no"] == nil ||
			len(testkit.Got(b.store.OwedReviews(t.Context()))) != 0 {
			t.Errorf("where it has failed: %v", m)
		}
		rec := testkit.Got(b.store.Match(t.Context(), b.rec.ID))
		made, err := review.Game(b.t.Context(), rec.Game(), review.Options{Means: review.Means{Nodes: 100}})
		testkit.Must(t, err)
		testkit.Must(t, b.store.PutReview(t.Context(),
			storage.Review{Match: rec.ID, Stamp: rec.Stamp(), Data: review.Pack(made)}))
		one.says(`{"t":"review"}`)
		if m := one.hears("review"); len(m["chances"].([]any)) != 2 {
			t.Errorf("the review is %v", m)
		}
		third.says(`{"t":"review"}`)
		third.says(`{"t":"state"}`)
		for m := third.next(); m["t"] != "state"; m = third.next() {
			if m["t"] == "review" {
				t.Errorf("a watcher reads %v", m)
			}
		}
	})
}

// A second try is answered like an act. While it is judged the page is heard, and when the page goes it ends.
func TestTryAgain(t *testing.T) {
	in(t, func(b *bench) {
		one, third := b.open(ann), b.watch()
		number := storage.NumberAt(time.Now())
		send := func(c *socket, arg string) string {
			number++
			c.says(string(raw(map[string]any{"t": "act", "n": uintText(number), "match": view.Key(b.rec.ID), "verb": "try",
				"arg": arg})))
			return uintText(number)
		}
		send(one, "1.ask")
		if m := one.hears("done"); m["tried"].(map[string]any)["says"] != "1.ask" {
			t.Errorf("the trial board: %v", m)
		}
		send(third, "1.ask")
		if m := third.hears("done"); m["no"] == nil || m["tried"] != nil {
			t.Errorf("a watcher's try: %v", m)
		}
		begun, n := time.Now(), send(one, "1.at.h8")
		one.says(`{"t":"state"}`)
		one.hears("state")
		if d := time.Since(begun); d > time.Second {
			t.Errorf("the page is heard after %v", d)
		}
		m := one.hears("done")
		if tried := m["tried"].(map[string]any); m["n"] != n || tried["says"] != "h8" || tried["right"] != true {
			t.Errorf("the verdict is %v", m)
		}
		send(one, "1.at.i9")
		synctest.Wait()
		begun = time.Now()
		one.Close()
		b.Close() // waits for what is judged
		if d := time.Since(begun); d > 10*time.Second {
			t.Errorf("a page that has gone is served for %v", d)
		}
	})
}

func TestPoll(t *testing.T) {
	in(t, func(b *bench) {
		cookie := b.passOf(ann)
		poll := func(body string) (kinds []string, text string) {
			t.Helper()
			res, text := b.ask("POST", "/poll", body, "Origin: "+site, "Cookie: "+cookie)
			var all []map[string]any
			if err := json.Unmarshal([]byte(text), &all); err != nil || res.StatusCode != 200 {
				t.Fatalf("%v %q: %v", res.Status, text, err)
			}
			for _, m := range all {
				kinds = append(kinds, m["t"].(string))
			}
			return kinds, text
		}
		want := func(what string, got []string, kinds ...string) {
			t.Helper()
			if slices.Sort(got); !slices.Equal(got, kinds) { // in whatever order
				t.Errorf("%s: hears %v, want %v", what, got, kinds)
			}
		}
		got, _ := poll("")
		want("nothing", got, "state", "you")
		key, have := view.Key(b.rec.ID), b.rec.Version
		got, _ = poll(string(raw(map[string]any{"t": "hello", "match": key, "have": have})))
		want("nothing new", got, "you")
		act := string(raw(map[string]any{"t": "act", "n": uintText(storage.NumberAt(time.Now())), "match": key,
			"stamp": b.rec.Stamp(), "verb": "play", "arg": "h8", "have": have}))
		got, text := poll(act)
		if want("an act", got, "change", "done", "you", "you"); strings.Contains(text, `"no"`) {
			t.Errorf("the act is refused: %s", text)
		}
		got, text = poll(act)
		if want("the act again", got, "done", "state", "you"); strings.Contains(text, `"no"`) || b.match().Played() != 1 {
			t.Errorf("the act again: %s", text)
		}
		res, _ := b.ask("POST", "/poll", `{"t":"state"}`, "Origin: https://evil.example", "Cookie: "+cookie)
		if res.StatusCode != 404 {
			t.Errorf("a poll of another site: %v", res.Status)
		}
		cookie = ""
		got, _ = poll("")
		want("nobody", got, "none")
	})
}

func TestOpen(t *testing.T) {
	in(t, func(b *bench) {
		open := func(want bool) {
			t.Helper()
			synctest.Wait()
			if got := b.Open(ann, b.rec.ID); got != want {
				t.Errorf("open is %v, want %v", got, want)
			}
		}
		open(false)
		c := b.open(ann)
		open(true)
		go func() {
			for c.next() != nil {
			}
		}()
		c.says(`{"t":"seen","visible":false}`)
		time.Sleep(hiddenFor / 4)
		open(true)
		time.Sleep(hiddenFor)
		open(false)
		c.says(`{"t":"seen","visible":true}`)
		open(true)
		c.Close()
		open(false)
	})
}

func TestClose(t *testing.T) {
	in(t, func(b *bench) {
		c := b.watch()
		go b.Close()
		if m := c.hears("bye"); m["again"] != true {
			t.Errorf("a page is told %v", m)
		}
		if m := c.next(); m != nil {
			t.Errorf("after the end a page hears %v", m)
		}
	})
}

func TestAddress(t *testing.T) {
	s := New(Config{URL: site, Proxies: prefixes(t, "10.0.0.0/8", "::1/128")})
	for _, c := range []struct{ from, said, want string }{
		{"192.0.2.1:5", "", "192.0.2.1"},
		{"192.0.2.1:5", "198.51.100.7", "192.0.2.1"},
		{"10.1.1.1:5", "198.51.100.7", "198.51.100.7"},
		{"10.1.1.1:5", "1.2.3.4, 198.51.100.7, 10.2.2.2", "198.51.100.7"},
		{"10.1.1.1:5", "1.2.3.4, nonsense", "10.1.1.1"},
		{"[::1]:5", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"},
		{"[::ffff:10.1.1.1]:5", "198.51.100.7", "198.51.100.7"},
	} {
		r := &http.Request{RemoteAddr: c.from, Header: http.Header{}}
		if c.said != "" {
			r.Header.Set("X-Forwarded-For", c.said)
		}
		if got := s.address(r).String(); got != c.want {
			t.Errorf("%v: %s, want %s", c, got, c.want)
		}
	}
}

// A state is small, and a change makes the one before it the one after it.
func TestState(t *testing.T) {
	in(t, func(b *bench) {
		for _, r := range game.AllRules {
			b.rec = b.begin(r)
			before := stateOf(b.rec, time.Now())
			for n := 0; ; n++ {
				rec, err := b.store.Match(t.Context(), b.rec.ID)
				testkit.Must(t, err)
				after := stateOf(rec, time.Now())
				if size := len(raw(after)); size > mostState {
					t.Fatalf("%s: a state of %d bytes after %d moves", r.Name(), size, n)
				}
				if n > 0 {
					if got := applied(t, before, before.change(after)); got != string(raw(after)) {
						t.Fatalf("%s, move %d: %s\nwant %s", r.Name(), n, got, raw(after))
					}
				}
				before = after
				legal := rec.Game().Legal().Points()
				if len(legal) == 0 || rec.Phase == game.Over {
					break
				}
				seat := rec.Match.Seats[rec.ToMove()].Member
				b.do(rec, func(m game.Match) (game.Match, error) {
					if n%7 == 6 {
						m, err := m.Undo(ann, time.Now())
						if err == nil {
							return m.AnswerUndo(bob, true, time.Now())
						}
					}
					return m.Play(seat, legal[(n*37)%len(legal)], time.Now())
				})
				if n > 400 {
					break
				}
			}
		}
	})
}

// applied is what a page makes of a state and a change.
func applied(t *testing.T, s State, change []byte) string {
	t.Helper()
	var c struct {
		From, Back int
		Add        string
	}
	testkit.Must(t, json.Unmarshal(change, &c))
	if c.From != int(s.V) {
		t.Errorf("a change from version %d for version %d", c.From, s.V)
	}
	moves := strings.Fields(s.Moves)
	moves = append(moves[:len(moves)-c.Back], strings.Fields(c.Add)...)
	testkit.Must(t, json.Unmarshal(change, &s))
	s.T, s.Moves = "state", strings.Join(moves, " ")
	return string(raw(s))
}

// FuzzMessage: nothing that a page sends makes the server panic, or changes a match of others.
func FuzzMessage(f *testing.F) {
	for _, s := range []string{`{"t":"hello","way":"watch"}`, `{"t":"act","n":"1","verb":"play","arg":"h8"}`, `{"t":"open","match":"ABC"}`,
		`{"t":"seen","visible":true}`, `{"t":"share"}`, `{"t":"code","code":"x"}`, `{"t":`, `[]`, `{"t":"hello","have":-1}`} {
		f.Add([]byte(s))
	}
	store := storagetest.Memory(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		s := New(Config{Store: store, URL: site})
		defer s.end()
		var m message
		if json.NewDecoder(bytes.NewReader(data)).Decode(&m) != nil {
			return
		}
		c := &client{s: s, way: m.Way, wake: make(chan struct{}, 1)}
		c.hear(t.Context(), m)
		c.close()
	})
}

func prefixes(t *testing.T, texts ...string) (all []netip.Prefix) {
	t.Helper()
	for _, text := range texts {
		p, err := netip.ParsePrefix(text)
		testkit.Must(t, err)
		all = append(all, p)
	}
	return all
}
