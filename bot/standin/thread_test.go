package standin_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tengen/bot/standin"
)

// A thread is archived some time after its last message. Edits keep no thread awake; a message, and
// whoever is in the thread and may speak there, open it again.
func TestThreadDozes(t *testing.T) {
	t.Parallel()
	s := standin.New(t, standin.Options{OldEdits: 100})
	b := raw(t, s)
	b.commands(goTable)
	ann := s.Member("ann")
	th := b.call("POST", "/channels/"+channel(t, s, "#gomoku")+"/threads",
		`{"name":"a","type":11,"auto_archive_duration":10080}`).want(t, 201, 0)
	has(t, string(th.body), `"auto_archive_duration":10080`)
	at := "/channels/" + th.ID
	in := b.call("POST", at+"/messages", `{"content":"board"}`).want(t, 200, 0)
	for range 6 {
		s.Advance(24 * time.Hour)
		b.call("PATCH", at+"/messages/"+in.ID, `{"content":"x"}`).want(t, 200, 0)
	}
	s.Advance(25 * time.Hour)
	b.call("PATCH", at+"/messages/"+in.ID, `{"content":"x"}`).want(t, 400, 50083)
	if a := ann.Try().Slash(th.ID, "/go"); !strings.Contains(a.Failed, "archived") {
		t.Errorf("a command: %+v", a)
	}
	b.call("PATCH", at, `{"archived":false}`).want(t, 200, 0)
	b.call("PATCH", at+"/messages/"+in.ID, `{"content":"x"}`).want(t, 200, 0)

	s.Archive("#gomoku/a")
	b.call("PUT", at+"/thread-members/1", "").want(t, 400, 50083)
	s.Deny("#gomoku", "bot", standin.PermSendInThreads)
	b.call("PATCH", at, `{"archived":false}`).want(t, 403, 50013)
	s.Permit("#gomoku", "bot")
	b.call("DELETE", at+"/thread-members/@me", "").want(t, 400, 50083)
	b.call("PATCH", at, `{"archived":false}`).want(t, 200, 0)
	b.call("DELETE", at+"/thread-members/@me", "").want(t, 204, 0)
	s.Archive("#gomoku/a")
	b.call("PATCH", at, `{"archived":false}`).want(t, 403, 50013)
	b.call("POST", at+"/messages", `{"content":"opens it"}`).want(t, 200, 0)
	b.call("PATCH", at+"/messages/"+in.ID, `{"content":"x"}`).want(t, 200, 0)
	s.Archive("#gomoku/a")
	b.call("DELETE", at+"/messages/"+in.ID, "").want(t, 204, 0)

	s.Lock("#gomoku/a")
	b.call("PATCH", at, `{"archived":false}`).want(t, 403, 50013)
	b.call("POST", at+"/messages", `{"content":"x"}`).want(t, 400, 50083)
}

// Each kind of channel has threads of its own kind.
func TestKindsOfThreads(t *testing.T) {
	t.Parallel()
	s := standin.New(t, standin.Options{})
	b := raw(t, s)
	s.AddNewsChannel("#news")
	for _, test := range []struct {
		at           string
		kind, status int
	}{{"#news", standin.NewsThread, 201}, {"#news", standin.PublicThread, 400}, {"#gomoku", standin.NewsThread, 400},
		{"#gomoku", standin.PublicThread, 201}} {
		code := 0
		if test.status == 400 {
			code = 50024
		}
		th := b.call("POST", "/channels/"+channel(t, s, test.at)+"/threads",
			fmt.Sprintf(`{"name":"a","type":%d}`, test.kind)).want(t, test.status, code)
		if test.status == 201 {
			has(t, string(th.body), fmt.Sprintf(`"type":%d`, test.kind))
		}
	}
}

// The lists of servers come empty or cut short where the plan says so, and one server is told
// of all the same.
func TestWrongLists(t *testing.T) {
	t.Parallel()
	s := standin.New(t, standin.Options{})
	b := raw(t, s)
	s.AddGuild("Salon", true, "hall")
	for _, test := range []struct {
		kind standin.FaultKind
		n    int
	}{{"", 2}, {standin.ListEmpty, 0}, {standin.ListPartial, 1}} {
		p := standin.Plan{}
		if test.kind != "" {
			p.Calls = []standin.CallFault{{Kind: test.kind, Route: "/users/@me/guilds"}}
		}
		s.SetPlan(p)
		list := unjson[[]struct{ ID string }](t, b.call("GET", "/users/@me/guilds", "").want(t, 200, 0).body)
		if len(list) != test.n {
			t.Errorf("%q: %d servers", test.kind, len(list))
		}
		b.call("GET", "/guilds/"+s.ServerID("Salon"), "").want(t, 200, 0)
	}
}

// So does READY.
func TestWrongReady(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		events standin.EventFaults
		n      int
	}{"whole": {standin.EventFaults{}, 2}, "empty": {standin.EventFaults{EmptyReady: 1}, 0},
		"partial": {standin.EventFaults{PartialReady: 1}, 1}} {
		s := standin.New(t, standin.Options{Plan: standin.Plan{Events: test.events}})
		s.AddGuild("Salon", true, "hall")
		k := raw(t, s).dial()
		k.send(`{"op":2,"d":{"token":%q,"intents":1,"properties":{}}}`, s.Token())
		ready := unjson[struct{ Guilds []struct{ ID string } }](t, k.next("READY").D)
		if len(ready.Guilds) != test.n {
			t.Errorf("%s: %d servers", name, len(ready.Guilds))
		}
	}
}
