package standin_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/standin"
	"tengen/internal/testkit"
)

func one(kind standin.FaultKind, method, route string) standin.Plan {
	return standin.Plan{Calls: []standin.CallFault{{Kind: kind, Method: method, Route: route, Times: 1}}}
}

// TestCallFaults: what each fault answers, and whether the effect happened.
func TestCallFaults(t *testing.T) {
	for _, c := range []struct {
		kind   standin.FaultKind
		status int // 0: no answer
		done   bool
		header string
	}{
		{standin.RateUser, 429, false, "user"},
		{standin.RateShared, 429, false, "shared"},
		{standin.RateGlobal, 429, false, "global"},
		{standin.RateHTML, 429, false, ""},
		{standin.ServerError, 500, false, ""},
		{standin.BadGateway, 502, false, ""},
		{standin.Unavailable, 503, false, ""},
		{standin.ErrorAfter, 500, true, ""},
		{standin.TimeoutBefore, 0, false, ""},
		{standin.TimeoutAfter, 0, true, ""},
		{standin.DropBefore, 0, false, ""},
		{standin.DropAfter, 0, true, ""},
		{standin.Slow, 200, true, ""},
		{standin.Blocked, 403, false, ""},
	} {
		testkit.Bubble(t, string(c.kind), func(t *testing.T) {
			s := standin.New(t, standin.Options{Plan: one(c.kind, "POST", "/messages")})
			b := raw(t, s)
			defer b.http.CloseIdleConnections()
			at := "/channels/" + channel(t, s, "#gomoku") + "/messages"
			a, err := b.do("POST", at, "application/json", []byte(`{"content":"x"}`))
			if c.status == 0 {
				if err == nil {
					t.Errorf("answered %d", a.status)
				}
			} else if err != nil || a.status != c.status || a.header.Get("X-RateLimit-Scope") != c.header {
				t.Errorf("%v, %+v", err, a)
			}
			if done := len(s.Member("ann").Messages("#gomoku")) == 1; done != c.done {
				t.Errorf("the message is there: %v", done)
			}
			b.post(at, `{"content":"y"}`).want(200) // once only
			testkit.Want(t, "faults counted", s.Stats().Faults, 1)
		})
	}
}

// TestTimeoutAndNonce: a time-out after the effect, and the nonce that makes
// the second try harmless.
func TestTimeoutAndNonce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := standin.New(t, standin.Options{Plan: one(standin.TimeoutAfter, "POST", "/messages")})
		b := raw(t, s)
		defer b.http.CloseIdleConnections()
		url := "https://discord.com/api/v9/channels/" + channel(t, s, "#gomoku") + "/messages"
		body := `{"content":"board","nonce":"7","enforce_nonce":true}`
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		req, _ := http.NewRequestWithContext(ctx, "POST", url, strings.NewReader(body))
		req.Header.Set("Authorization", "Bot "+s.Token())
		req.Header.Set("User-Agent", "DiscordBot (https://example.org, 1)")
		req.Header.Set("Content-Type", "application/json")
		if _, err := b.http.Do(req); err == nil {
			t.Error("answered in spite of the fault")
		}
		b.post(strings.TrimPrefix(url, "https://discord.com/api/v9"), body).want(200)
		testkit.Want(t, "messages", len(s.Member("ann").Messages("#gomoku")), 1)
	})
}

// TestRateAnswer: the bodies of 429.
func TestRateAnswer(t *testing.T) {
	t.Parallel()
	s := standin.New(t, standin.Options{Plan: standin.Plan{Calls: []standin.CallFault{
		{Kind: standin.RateGlobal, Times: 1, For: 1500 * time.Millisecond}, {Kind: standin.RateHTML, Times: 1}}}})
	b := raw(t, s)
	a := b.get("/users/@me")
	if string(a.body) != `{"global":true,"message":"You are being rate limited.","retry_after":1.5}` ||
		a.header.Get("Retry-After") != "2" || a.header.Get("X-RateLimit-Global") != "true" {
		t.Errorf("%s %v", a.body, a.header)
	}
	a = b.get("/users/@me")
	if !strings.HasPrefix(string(a.body), "<html>") {
		t.Errorf("%s", a.body)
	}
}

// TestPlanRepeats: one seed gives the same faults in the same calls, another
// seed gives others.
func TestPlanRepeats(t *testing.T) {
	t.Parallel()
	run := func(seed uint64) string {
		s := standin.New(t, standin.Options{Plan: standin.Plan{Seed: seed, Calls: []standin.CallFault{
			{Kind: standin.ServerError, P: 0.2}, {Kind: standin.RateUser, Route: "@me", P: 0.2}}}})
		b := raw(t, s)
		out := ""
		for range 40 {
			out += fmt.Sprint(b.get("/users/@me").status, b.get("/gateway").status, " ")
		}
		return out
	}
	first := run(1)
	testkit.Want(t, "seed 1 twice", run(1), first)
	if other := run(2); other == first {
		t.Error("seed 2 is seed 1")
	}
	for _, code := range []string{"200", "429", "500"} {
		has(t, first, code)
	}
}

// TestEventFaults: interactions twice, late and out of order.
func TestEventFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := standin.New(t, standin.Options{Plan: standin.Plan{Seed: 3, Events: standin.EventFaults{Duplicate: 0.3,
			Delay: 0.3, Reorder: 0.3, DelayBy: 2 * time.Second, KeepForReplay: true}}})
		b := raw(t, s)
		defer b.http.CloseIdleConnections()
		b.commands(goTable)
		k := b.identify()
		const n = 40
		for range n {
			testkit.Got(s.Act(t.Context(), standin.Action{Do: "slash", As: "ann", At: "#gomoku", Name: "/go",
				NoWait: true}))
			time.Sleep(10 * time.Millisecond)
		}
		seen, twice, disorder, last := map[string]int{}, 0, 0, ""
		k.ws.SetReadDeadline(time.Time{})
		deadline := time.Now().Add(4 * time.Second)
		for {
			k.ws.SetReadDeadline(deadline)
			var p packet
			if err := k.ws.ReadJSON(&p); err != nil {
				break
			}
			if p.T != "INTERACTION_CREATE" {
				continue
			}
			e := unjson[event](t, p.D)
			seen[e.ID]++
			if seen[e.ID] == 2 {
				twice++
			}
			if e.ID < last {
				disorder++
			}
			last = e.ID
		}
		if len(seen) != n || twice < 5 || disorder < 5 {
			t.Errorf("%d of %d came, %d twice, %d out of order", len(seen), n, twice, disorder)
		}
	})
}

// TestReplay: an interaction that comes again after 20 minutes.
func TestReplay(t *testing.T) {
	t.Parallel()
	s, b, k := talking(t, standin.Options{Plan: standin.Plan{Events: standin.EventFaults{KeepForReplay: true}}}, goTable)
	e := b.ask(k, "ann", "#gomoku")
	b.callback(e, `{"type":4,"data":{"content":"x"}}`).want(204)
	s.Advance(20 * time.Minute)
	s.Replay(e.ID)
	again := k.interaction()
	if again.ID != e.ID || again.Token != e.Token {
		t.Errorf("another interaction: %+v", again)
	}
	b.callback(again, `{"type":4,"data":{"content":"x"}}`).want(400, 40060)
}

// TestGatewayFaults: sockets that break before HELLO, before and after READY,
// and after interactions; a real session comes through all of them.
func TestGatewayFaults(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	b := connect(t, s, player(t))
	b.register(t, table()...)
	s.SetPlan(standin.Plan{Events: standin.EventFaults{Drop: 1}})
	ann := s.Member("ann")
	ann.Slash("#gomoku", "/play bot game:renju") // sent, then the socket breaks
	s.SetPlan(standin.Plan{})
	s.Ready(1)
	ann.Press("#gomoku", "H8")
}

func TestLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := standin.New(t, standin.Options{Limits: standin.Limits{On: true}})
		b := raw(t, s)
		defer b.http.CloseIdleConnections()
		b.commands(goTable)
		at := "/channels/" + channel(t, s, "#gomoku") + "/messages"
		for i := range 5 {
			a := b.post(at, `{"content":"x"}`).want(200)
			if got := a.header.Get("X-RateLimit-Remaining"); got != fmt.Sprint(4-i) {
				t.Errorf("after %d calls %s remain", i+1, got)
			}
		}
		a := b.post(at, `{"content":"x"}`).want(429)
		if a.header.Get("X-RateLimit-Scope") != "user" || a.header.Get("Retry-After") != "5" ||
			!strings.Contains(string(a.body), `"retry_after":5`) {
			t.Errorf("%s %v", a.body, a.header)
		}
		b.post("/channels/"+channel(t, s, "#renju")+"/messages", `{"content":"x"}`).want(200)
		time.Sleep(5 * time.Second)
		b.post(at, `{"content":"x"}`).want(200)

		// Interaction calls do not count for the global limit, others do.
		k := b.identify()
		time.Sleep(time.Second)
		for range 60 {
			e := b.ask(k, "ann", "#gomoku")
			b.callback(e, `{"type":4,"data":{"content":"x"}}`).want(204)
		}
		limited := 0
		for range 51 {
			if a := b.get("/gateway"); a.status == 429 {
				limited++
				if a.header.Get("X-RateLimit-Global") != "true" || a.header.Get("X-RateLimit-Scope") != "global" {
					t.Errorf("%v", a.header)
				}
			}
		}
		testkit.Want(t, "of 51 calls in a second were refused", limited, 1)
		testkit.Want(t, "peak", s.Stats().GlobalPeak, 51)
		e := b.ask(k, "ann", "#gomoku")
		b.callback(e, `{"type":5}`).want(204)
		for range 5 {
			b.patch(b.hook(e, "/messages/@original"), `{"content":"x"}`).want(200)
		}
		b.patch(b.hook(e, "/messages/@original"), `{"content":"x"}`).want(429)
	})
}

// TestFilesRefused: a server in which uploads are limited takes messages without files.
func TestFilesRefused(t *testing.T) {
	t.Parallel()
	s := standin.New(t,
		standin.Options{Plan: standin.Plan{Calls: []standin.CallFault{{Kind: standin.FilesRefused, Times: 1}}}})
	b := raw(t, s)
	at := "/channels/" + channel(t, s, "#gomoku") + "/messages"
	b.post(at, `{"content":"x"}`).want(200)
	b.form("POST", at, `{"content":"x"}`, "a.png").want(403, 400001)
	b.form("POST", at, `{"content":"x"}`, "a.png").want(200)
}

// TestUserAgent: a call without a User-Agent of Discord's form is turned away.
func TestUserAgent(t *testing.T) {
	t.Parallel()
	b := raw(t, fresh(t))
	for agent, good := range map[string]bool{"DiscordBot (https://example.org/bot, 1.2) bot/3": true,
		"DiscordBot (bot, 1)": false, "Go-http-client/1.1": false,
		"DiscordBot (https://example.org)": false} {
		if b.agent = agent; good {
			b.get("/users/@me").want(200)
		} else {
			b.get("/users/@me").want(403, 40333)
		}
	}
}

// TestSlowDownload: a file comes late, or not at all.
func TestSlowDownload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := standin.New(t, standin.Options{Plan: standin.Plan{Calls: []standin.CallFault{
			{Kind: standin.Slow, Route: "/attachments", Times: 1, For: time.Minute},
			{Kind: standin.DropBefore, Route: "/attachments", Times: 1}}}})
		b := raw(t, s)
		defer b.http.CloseIdleConnections()
		b.form("POST", "/channels/"+channel(t, s, "#gomoku")+"/messages", `{"content":"x"}`, "a.png").want(200)
		url := s.Member("ann").Last("#gomoku").Attachments[0].URL
		began := time.Now()
		p, err := b.http.Get(url)
		if err != nil || p.StatusCode != 200 || time.Since(began) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		p.Body.Close()
		if p, err := b.http.Get(url); err == nil {
			t.Errorf("answered %d", p.StatusCode)
		}
	})
}

// TestEventsOfPlaces: what happens to servers and channels is told twice, or never.
func TestEventsOfPlaces(t *testing.T) {
	t.Parallel()
	for told, events := range map[int]standin.EventFaults{0: {Miss: 1}, 1: {}, 2: {Twice: 1}} {
		s := standin.New(t, standin.Options{Plan: standin.Plan{Events: events}})
		b := raw(t, s)
		k := b.identify()
		s.AddGuild("Second", true, "there")
		s.DeleteChannel("Second#there")
		s.KickBot("Second")
		s.Reconnect() // never twice, always
		got := map[string]int{}
		for {
			var p packet
			if err := k.ws.ReadJSON(&p); err != nil || p.Op == 7 {
				break
			}
			got[p.T]++
		}
		got["GUILD_CREATE"]-- // after READY
		for _, name := range []string{"GUILD_CREATE", "CHANNEL_DELETE", "GUILD_DELETE"} {
			if got[name] != told {
				t.Errorf("%s came %d times, want %d", name, got[name], told)
			}
		}
	}
}
