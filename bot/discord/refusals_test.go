package discord

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tengen/bot/chat"
	"tengen/bot/discord/pace"
	"tengen/bot/metrics"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage/storagetest"
)

// made is the number of calls so far.
func (f *fakeAPI) made() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.calls)
}

// figure is the sum of a counter over its labels.
func figure(from *prometheus.Registry, name string) (sum float64) {
	for _, family := range testkit.Got(from.Gather()) {
		if family.GetName() == name {
			for _, m := range family.Metric {
				sum += m.Counter.GetValue()
			}
		}
	}
	return sum
}

func refusing(status int, body string, headers ...string) *fakeAPI {
	return &fakeAPI{answer: func(int, *http.Request, string) (*http.Response, error) {
		return say(status, body, headers...), nil
	}}
}

// A place that refused a message is left alone for some minutes: the same try is not made again,
// other tries are. What Discord says of the place ends that.
func TestRefusedPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := refusing(403, `{"code":50013,"message":"Missing Permissions"}`)
		d := newFake(t, f)
		board := chat.Message{Blocks: []chat.Block{{Picture: &chat.Picture{Name: "b.png", Data: tinyPNG, Alt: "b"}}}}
		calls := func(to chat.To, m chat.Message) int {
			before := f.made()
			if _, err := d.Send(t.Context(), to, m); chat.TroubleOf(err) != chat.Locked {
				t.Fatalf("%+v: %v", to, err)
			}
			return f.made() - before
		}
		here, old := chat.To{Channel: 2, Nonce: "n"}, chat.To{Channel: 2, Message: 5}
		want := func(what string, got, want int) {
			t.Helper()
			if got != want {
				t.Errorf("%s: %d calls, want %d", what, got, want)
			}
		}
		want("with a file", calls(here, board), 1)
		want("again with a file", calls(here, board), 0)
		want("without a file", calls(here, chat.Text("x")), 1)
		want("again without a file", calls(here, chat.Text("x")), 0)
		want("an edit", calls(old, chat.Text("x")), 1)
		want("an edit again, with a file", calls(old, board), 0)
		want("another place", calls(chat.To{Channel: 3}, chat.Text("x")), 1)
		time.Sleep(pace.RefusedFor - time.Second)
		want("minutes later", calls(here, chat.Text("x")), 0)
		time.Sleep(2 * time.Second)
		want("after some minutes", calls(here, chat.Text("x")), 1)

		may := chat.Request{Place: venue.Place{Server: 1, Channel: 2}, Installed: true, Allowed: chat.Permissions{View: true}}
		d.refused.Heard(may)
		want("an interaction where the bot may not speak", calls(here, chat.Text("x")), 0)
		may.Allowed.Send = true
		d.refused.Heard(may)
		want("where it may send no files", calls(here, board), 0)
		want("where it may speak", calls(here, chat.Text("x")), 1)
		d.refused.Forget(2, true)
		want("news of the channel", calls(here, board), 1)
	})
}

// A message that is gone, or another application's, says nothing of its place.
func TestRefusedMessage(t *testing.T) {
	for _, body := range []string{`{"code":10008}`, `{"code":50005}`} {
		synctest.Test(t, func(t *testing.T) {
			f := refusing(403, body)
			d := newFake(t, f)
			for message := range uint64(3) {
				if _, err := d.Send(t.Context(), chat.To{Channel: 2, Message: message + 1},
					chat.Text("x")); chat.TroubleOf(err) != chat.Gone {
					t.Errorf("%s: %v", body, err)
				}
			}
			if n := f.made(); n != 3 {
				t.Errorf("%s: %d calls for three messages", body, n)
			}
		})
	}
}

// A place that lets nothing be deleted is left alone too, until there is news of it. What is in an
// archived thread is deleted once the thread is awake.
func TestRefusedDelete(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := refusing(403, `{"code":50001,"message":"Missing Access"}`)
		d := newFake(t, f)
		want := func(what string, to chat.To, want int) {
			t.Helper()
			before := f.made()
			if err := d.Delete(t.Context(), to); chat.TroubleOf(err) != chat.NoPlace {
				t.Errorf("%s: %v", what, err)
			}
			if n := f.made() - before; n != want {
				t.Errorf("%s: %d calls, want %d", what, n, want)
			}
		}
		want("a message", chat.To{Channel: 2, Server: 1, Message: 5}, 1)
		want("another", chat.To{Channel: 2, Server: 1, Message: 6}, 0)
		want("another place", chat.To{Channel: 3, Server: 1, Message: 7}, 1)
		d.refused.Forget(2, false)
		want("news of the channel", chat.To{Channel: 2, Server: 1, Message: 5}, 1)
		d.refused.ForgetServer(1)
		want("news of the server", chat.To{Channel: 2, Server: 1, Message: 5}, 1)
		time.Sleep(pace.RefusedFor)
		want("after some minutes", chat.To{Channel: 2, Server: 1, Message: 5}, 1)
	})
	archived := true
	f := &fakeAPI{answer: func(_ int, q *http.Request, _ string) (*http.Response, error) {
		switch {
		case q.Method == http.MethodPatch:
			archived = false
		case archived:
			return say(400, `{"code":50083,"message":"Thread is archived"}`), nil
		}
		return say(204, ""), nil
	}}
	d := newFake(t, f)
	if err := d.Delete(t.Context(), chat.To{Channel: 2, Message: 5}); err != nil || archived || f.made() != 3 {
		t.Errorf("in an archived thread: %v, %d calls", err, f.made())
	}
}

// A place that takes no files but takes text is asked for that at once.
func TestRefusedFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeAPI{answer: func(_ int, q *http.Request, _ string) (*http.Response, error) {
			if strings.HasPrefix(q.Header.Get("Content-Type"), "multipart/") {
				return say(403, `{"code":50013}`), nil
			}
			return say(200, `{"id":"77"}`), nil
		}}
		d := newFake(t, f)
		board := chat.Message{Blocks: []chat.Block{{Picture: &chat.Picture{Name: "b.png", Data: tinyPNG, Alt: "b"}}}}
		for range 3 {
			if _, err := d.Send(t.Context(), chat.To{Channel: 2}, board); chat.TroubleOf(err) != chat.Locked {
				t.Fatal(err)
			}
			testkit.Got(d.Send(t.Context(), chat.To{Channel: 2}, chat.Text("x")))
		}
		testkit.Want(t, "calls", f.made(), 4)
	})
}

// meteredOver is an adapter over f, whose figures and log can be read.
func meteredOver(t *testing.T, f *fakeAPI) (*Adapter, *prometheus.Registry, *bytes.Buffer) {
	var log bytes.Buffer
	registry := prometheus.NewRegistry()
	d := testkit.Got(New(Options{Token: botToken, Transport: f, Log: slog.New(slog.NewTextHandler(&log, nil)),
		Metrics: metrics.New(registry)}))
	d.life = t.Context()
	d.app.Store(9)
	return d, registry, &log
}

// However many places refuse the bot, it stays far below Discord's limit of invalid requests: in an hour of
// calls, each in another place, and however the hour is cut into ten minutes. Members are answered all the
// same, and the way to the gateway stays open.
func TestInvalidBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := refusing(403, `{"code":50013}`)
		d, registry, log := meteredOver(t, f)
		most := 0
		var at []int
		for second := range 3600 {
			for range 8 {
				d.Send(t.Context(), chat.To{Channel: uint64(len(at) + 1e6)}, chat.Text("x"))
				at = append(at, f.made())
			}
			time.Sleep(time.Second)
			if n := len(at); second >= 600 {
				most = max(most, at[n-1]-at[n-1-8*600])
			}
		}
		if got := figure(registry, "tengen_discord_invalid_total"); int(got) != f.made() {
			t.Errorf("the figure says %v, refused were %d", got, f.made())
		}
		if most > pace.InvalidBudget || most < pace.InvalidBudget/2 {
			t.Errorf("%d invalid requests in ten minutes", most)
		}
		if n := strings.Count(log.String(), "Discord has refused too many calls"); n == 0 || n > 12 {
			t.Errorf("the log says so %d times", n)
		}
		ctx, one := t.Context(), chat.To{Channel: 1}
		handlers := context.WithValue(ctx, ticketKey{}, &ticket{})
		for _, call := range []struct {
			what string
			make func()
			made int
		}{
			{"a call for which nobody waits", func() { d.Send(ctx, one, chat.Text("x")) }, 0},
			{"the call of a handler", func() { d.Send(handlers, one, chat.Text("x")) }, 1},
			{"what a token shows", func() { d.Send(ctx, chat.To{Token: pressToken}, chat.Text("x")) }, 1},
			{"the way to the gateway", func() { d.advice(ctx) }, 1},
		} {
			before := f.made()
			if call.make(); f.made()-before != call.made {
				t.Errorf("%s: %d calls, want %d", call.what, f.made()-before, call.made)
			}
		}
	})
}

// Discord's own codes alone say that the bot is not in a server.
func TestIn(t *testing.T) {
	for _, test := range []struct {
		status int
		body   string
		in     bool
		said   bool
	}{
		{200, `{"id":"5"}`, true, true},
		{404, `{"code":10004,"message":"Unknown Guild"}`, false, true},
		{403, `{"code":50001,"message":"Missing Access"}`, false, true},
		{403, `<html>blocked</html>`, false, false},
		{403, `{"code":40333,"message":"internal network error"}`, false, false},
		{404, `{"code":0,"message":"404: Not Found"}`, false, false},
		{500, ``, false, false},
	} {
		testkit.Bubble(t, fmt.Sprint(test.status, test.body), func(t *testing.T) {
			d := newFake(t, refusing(test.status, test.body))
			d.servers.add(5)
			in, err := d.In(t.Context(), 5)
			if in != test.in || (err == nil) != test.said {
				t.Errorf("%v %v", in, err)
			}
			if d.servers.has(5) != (in || err != nil) {
				t.Error("what is known of it")
			}
		})
	}
}

// A store that belongs to another application ends Run, and says which is which.
func TestAnothersStore(t *testing.T) {
	store := storagetest.Memory(t)
	testkit.Got(store.Belongs(t.Context(), 4321))
	d := testkit.Got(New(Options{Token: botToken, Store: store, Transport: refusing(200, `{"id":"1234"}`),
		Log: slog.New(slog.DiscardHandler)}))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	err := d.Run(ctx, handlerFunc(nil))
	var fatal *Fatal
	if !errors.As(err, &fatal) || !strings.Contains(err.Error(), "4321") || !strings.Contains(err.Error(), "1234") ||
		!strings.Contains(err.Error(), "--adopt") {
		t.Errorf("%v", err)
	}
}

// missedBy counts how often a handler is told that each server is missed.
type missedBy struct {
	handlerFunc
	mu    sync.Mutex
	times map[uint64]int
}

func (m *missedBy) Missed(_ context.Context, servers []uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range servers {
		m.times[id]++
	}
}

// pageOf is the page of the bot's servers that a request asks for, of servers with the ids from 1 on.
func pageOf(servers int, q *http.Request) *http.Response {
	after, _ := strconv.Atoi(q.URL.Query().Get("after"))
	var page []string
	for id := after + 1; id <= min(after+serversPage, servers); id++ {
		page = append(page, fmt.Sprintf(`{"id":"%d"}`, id))
	}
	return say(200, "["+strings.Join(page, ",")+"]")
}

// lists has an adapter without a gateway list its servers until end is called, and tell the handler.
func lists(t *testing.T, d *Adapter) (ctx context.Context, end func()) {
	d.options.Endpoint = &EndpointOptions{}
	ctx, cancel := context.WithCancel(t.Context())
	var beside sync.WaitGroup
	beside.Go(d.tell)
	beside.Go(func() { d.watchServers(ctx) })
	return ctx, func() { cancel(); d.news.add(nil); beside.Wait() }
}

// Over HTTP a bot in 5,000 servers makes few calls to know where it is: in ten minutes in which a member acts in each
// of them, from the start on; in any ten minutes later; and in those in which a list is empty.
func TestCallsToKnowServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const servers = 5000
		var there atomic.Int64
		there.Store(servers)
		f := &fakeAPI{answer: func(_ int, q *http.Request, _ string) (*http.Response, error) {
			time.Sleep(100 * time.Millisecond)
			if strings.HasSuffix(q.URL.Path, "/users/@me/guilds") {
				return pageOf(int(there.Load()), q), nil
			}
			return nil, nil
		}}
		d := newFake(t, f)
		d.handler = &echo{d: d}
		_, end := lists(t, d)
		calls := func(acts bool) (n int) {
			before := f.made()
			for server := range servers {
				if acts {
					id := server + 1
					d.dispatch(fmt.Appendf(nil, `{"id":"%d","token":"%s","type":2,"guild_id":"%d","channel_id":"2",
						"authorizing_integration_owners":{"0":"%[3]d"},"member":{"user":{"id":"3"}},"data":{"name":"move"}}`,
						id, pressToken, id))
				}
				time.Sleep(10 * time.Minute / servers)
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			for _, call := range f.calls[before:] {
				if strings.HasPrefix(call, "GET ") {
					n++
				}
			}
			return n
		}
		busy, calm := calls(true), calls(false)
		there.Store(0)
		without := calls(false)
		end()
		d.work.Wait()
		t.Logf("%d servers, calls in ten minutes: %d at the start, %d later, %d with an empty list",
			servers, busy, calm, without)
		if pages := servers/serversPage + 1; busy > 2*pages || calm != pages || without > servers+1 {
			t.Errorf("%d, %d and %d calls", busy, calm, without)
		}
	})
}

// Over HTTP a channel that is gone puts its server alone in doubt, and not at every call: of 5,000
// servers none is listed for it.
func TestMissingChannelOverHTTP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeAPI{answer: func(_ int, q *http.Request, _ string) (*http.Response, error) {
			if !strings.HasSuffix(q.URL.Path, "/users/@me/guilds") {
				return say(404, `{"code":10003,"message":"Unknown Channel"}`), nil
			}
			return pageOf(5000, q), nil
		}}
		d := newFake(t, f)
		told := &missedBy{times: map[uint64]int{}}
		d.handler = told
		ctx, end := lists(t, d)
		synctest.Wait()
		before := f.made()
		for channel := range 590 { // another channel each time, for nine minutes and fifty seconds
			d.Send(ctx, chat.To{Server: 7, Channel: uint64(channel) + 1, Message: 3}, chat.Text("x"))
			time.Sleep(time.Second)
		}
		testkit.Want(t, "calls beside the 590", f.made()-before-590, 0)
		told.mu.Lock()
		if n := told.times[7]; n < 10 || n > 20 || len(told.times) != 1 {
			t.Errorf("in doubt: %v", told.times)
		}
		told.mu.Unlock()
		end()
	})
}
