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
	th := b.post("/channels/"+channel(t, s, "#gomoku")+"/threads",
		`{"name":"a","type":11,"auto_archive_duration":10080}`).want(201)
	has(t, string(th.body), `"auto_archive_duration":10080`)
	at := "/channels/" + th.ID
	in := b.post(at+"/messages", `{"content":"board"}`).want(200)
	for range 6 {
		s.Advance(24 * time.Hour)
		b.patch(at+"/messages/"+in.ID, `{"content":"x"}`).want(200)
	}
	s.Advance(25 * time.Hour)
	b.patch(at+"/messages/"+in.ID, `{"content":"x"}`).want(400, 50083)
	if a := ann.Try().Slash(th.ID, "/go"); !strings.Contains(a.Failed, "archived") {
		t.Errorf("a command: %+v", a)
	}
	b.patch(at, `{"archived":false}`).want(200)
	b.patch(at+"/messages/"+in.ID, `{"content":"x"}`).want(200)

	s.Archive("#gomoku/a")
	b.put(at+"/thread-members/1", "").want(400, 50083)
	s.Deny("#gomoku", "bot", standin.PermSendInThreads)
	b.patch(at, `{"archived":false}`).want(403, 50013)
	s.Permit("#gomoku", "bot")
	b.post(at+"/messages", `{"content":"opens it"}`).want(200)
	b.patch(at+"/messages/"+in.ID, `{"content":"x"}`).want(200)
	s.Archive("#gomoku/a")
	b.delete(at + "/messages/" + in.ID).want(204)

	s.Lock("#gomoku/a")
	b.patch(at, `{"archived":false}`).want(403, 50013)
	b.post(at+"/messages", `{"content":"x"}`).want(400, 50083)
}

// Each kind of channel has threads of its own kind.
func TestKindsOfThreads(t *testing.T) {
	t.Parallel()
	s := fresh(t)
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
		th := b.post("/channels/"+channel(t, s, test.at)+"/threads",
			fmt.Sprintf(`{"name":"a","type":%d}`, test.kind)).want(test.status, code)
		if test.status == 201 {
			has(t, string(th.body), fmt.Sprintf(`"type":%d`, test.kind))
		}
	}
}

// The lists of servers come empty or cut short where the plan says so, and one server is told
// of all the same.
func TestWrongLists(t *testing.T) {
	t.Parallel()
	s := fresh(t)
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
		list := unjson[[]struct{ ID string }](t, b.get("/users/@me/guilds").want(200).body)
		if len(list) != test.n {
			t.Errorf("%q: %d servers", test.kind, len(list))
		}
		b.get("/guilds/" + s.ServerID("Salon")).want(200)
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
