package standin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"tengen/bot/standin"
	"tengen/internal/testkit"
)

// TestFeed: what a page learns, and that a private message stays private.
func TestFeed(t *testing.T) {
	t.Parallel()
	s, b, k := talking(t, standin.Options{}, goTable)
	ctx, cancel := context.WithCancel(t.Context())
	ann, bob := s.Feed(ctx, "ann"), s.Feed(ctx, "bob")
	e := b.ask(k, "ann", "#gomoku")
	b.callback(e, `{"type":4,"data":{"content":"for you","flags":64}}`).want(204)
	b.post(b.hook(e, ""), `{"content":"for all"}`).want(200)
	b.patch(b.hook(e, "/messages/@original"), `{"content":"changed"}`).want(200)
	b.call("DELETE", b.hook(e, "/messages/@original"), ``).want(204)
	b.callback(b.ask(k, "ann", "#gomoku"), `{"type":9,"data":{"custom_id":"m","title":"T","components":[{"type":1,"components":[{"type":4,"custom_id":"f","label":"F","style":1}]}]}}`).want(204)
	s.AddChannel("#chess")
	cancel()
	kinds := func(f *standin.Feed) (out []string) {
		for e := range f.C {
			what := e.Kind
			if e.Message != nil {
				what += " " + e.Message.Content
			}
			if e.Answer != nil && e.Answer.Modal != nil {
				what += " " + e.Answer.Modal.Title
			}
			out = append(out, what)
		}
		return out
	}
	if diff := cmp.Diff([]string{"message for you", "answer", "message for all", "edit changed", "delete", "answer T",
		"places"}, kinds(ann)); diff != "" {
		t.Errorf("ann (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"message for all", "places"}, kinds(bob)); diff != "" {
		t.Errorf("bob (-want +got)\n%s", diff)
	}
}

// TestControl: the same world over HTTP, and not from another site's page.
func TestControl(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	web := httptest.NewServer(s.Control())
	defer web.Close()
	post := func(origin string, a standin.Action) (int, map[string]any) {
		b, _ := json.Marshal(a)
		req, _ := http.NewRequest("POST", web.URL+"/act", bytes.NewReader(b))
		if origin != "" {
			req.Header.Set("Origin", origin)
		}
		resp := testkit.Got(http.DefaultClient.Do(req))
		defer resp.Body.Close()
		var m map[string]any
		json.NewDecoder(resp.Body).Decode(&m)
		return resp.StatusCode, m
	}
	if code, _ := post("", standin.Action{Do: "say", As: "ann", At: "#gomoku", Text: "hello"}); code != 200 {
		t.Errorf("%d", code)
	}
	if _, m := post("", standin.Action{Do: "see", As: "bob", At: "#gomoku"}); m["text"] != "ann:\n    hello\n" {
		t.Errorf("%v", m)
	}
	if _, m := post("", standin.Action{Do: "slash", As: "ann", At: "#gomoku", Name: "/none"}); m["refused"] != true {
		t.Errorf("%v", m)
	}
	if code, _ := post("https://example.org",
		standin.Action{Do: "see", As: "bob", At: "#gomoku"}); code != http.StatusForbidden {
		t.Errorf("another site: %d", code)
	}
}

// TestStableIDs: what a bot stored about places and members stays true.
func TestStableIDs(t *testing.T) {
	t.Parallel()
	one, two := fresh(t), fresh(t)
	if one.AppID() != two.AppID() || channel(t, one, "#gomoku") != channel(t, two, "#gomoku") {
		t.Error("a second start has other ids")
	}
	before := channel(t, one, "#gomoku")
	one.DeleteChannel("#gomoku")
	one.AddChannel("#gomoku")
	if channel(t, one, "#gomoku") == before {
		t.Error("a deleted channel came back")
	}
	seen := map[string]bool{}
	for range 100 {
		for _, u := range two.People() {
			seen[u.ID] = true
		}
		two.Member(strings.Repeat("x", len(seen)))
	}
	if len(seen) != len(two.People())-1 {
		t.Errorf("%d ids for %d people", len(seen), len(two.People()))
	}
}

func TestModeration(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	b := raw(t, s)
	b.commands(`[{"name":"go","description":"Go"},{"name":"clean","description":"Clean","default_member_permissions":"8192"}]`)
	ann, mod := s.Member("ann"), s.Member("mod")
	mod.Moderates("", standin.PermManageMessages)
	names := func(m *standin.Member, place string) string {
		var out []string
		for _, c := range m.Commands(place) {
			out = append(out, c.Name)
		}
		return strings.Join(out, " ")
	}
	testkit.Want(t, "ann has", names(ann, "#gomoku"), "go")
	testkit.Want(t, "the moderator has", names(mod, "#gomoku"), "go clean")
	s.Deny("#gomoku", "ann", standin.PermUseCommands)
	testkit.Want(t, "ann has", names(ann, "#gomoku"), "")
	s.Deny("#gomoku", "everyone", standin.PermViewChannel)
	if r, err := s.Act(t.Context(), standin.Action{Do: "see", As: "ann", At: "#gomoku"}); err == nil {
		t.Errorf("ann sees %q", r.Text)
	}
	id := ann.Says("#renju", "hello")
	if _, err := s.Act(t.Context(), standin.Action{Do: "delete-message", As: "bob", At: id}); !standin.Refused(err) {
		t.Errorf("bob deletes ann's message: %v", err)
	}
	mod.Deletes(id)
	testkit.Want(t, "deleted, but", ann.Sees("#renju"), "")
}

// TestBounded: many interactions leave nothing behind beyond the bounds.
func TestBounded(t *testing.T) {
	before := runtime.NumGoroutine()
	s := standin.Start(standin.Options{Keep: 10, KeepBytes: 1 << 12, KeepInteractions: 100, ResumeEvents: 50})
	b := raw(t, s)
	b.commands(goTable)
	k := b.identify()
	for range 500 {
		e := b.ask(k, "ann", "#gomoku")
		b.form("POST", "/interactions/"+e.ID+"/"+e.Token+"/callback", `{"type":4,"data":{"content":"x"}}`,
			"a.png").want(204)
	}
	st := s.Stats()
	if st.Messages != 10 || st.AttachedBytes > 1<<12 || st.Interactions != 500 || st.Failures != 0 {
		t.Errorf("%+v", st)
	}
	k.ws.Close()
	b.http.CloseIdleConnections()
	s.Close()
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond) // the runtime takes its time to end them
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}

// TestRender: every kind of component in the text that tests read.
func TestRender(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	b := raw(t, s)
	at := "/channels/" + channel(t, s, "#gomoku") + "/messages"
	b.post(at, `{"flags":32768,"allowed_mentions":{"parse":[]},"components":[
		{"type":10,"content":"to move: <@`+s.AppID()+`> in <#`+channel(t, s, "#renju")+`>, see </play bot:123>"},
		{"type":17,"components":[
			{"type":9,"components":[{"type":10,"content":"two\nlines"}],"accessory":{"type":2,"style":2,"label":"Accept","custom_id":"a"}},
			{"type":12,"items":[{"media":{"url":"https://example.org/a.png"},"description":"a board"},{"media":{"url":"https://example.org/b.png"}}]},
			{"type":14},
			{"type":1,"components":[{"type":2,"style":1,"label":"H8","custom_id":"b"},{"type":2,"style":1,"label":"J9","custom_id":"c","disabled":true},{"type":2,"style":2,"emoji":{"name":"⬅"},"custom_id":"d"},{"type":2,"style":5,"label":"Help","url":"https://example.org"}]},
			{"type":1,"components":[{"type":3,"custom_id":"e","placeholder":"Level","options":[{"label":"Easy","value":"1","default":true},{"label":"Hard","value":"2"}]}]},
			{"type":1,"components":[{"type":5,"custom_id":"f","placeholder":"Opponent"}]}]}]}`).want(200)
	b.post(at, `{"content":"old style","embeds":[{"title":"Title","description":"Text","fields":[{"name":"Turn","value":"ann"}],"footer":{"text":"foot"}}]}`).want(200)
	b.form("POST", at, `{"attachments":[{"id":"0","filename":"a.png","description":"alt"}]}`, "a.png",
		"b.txt").want(200)
	see(t, `
tengen:
    to move: @tengen in #renju, see `+"`/play bot`"+`
    | two
    | lines
    | [Accept]
    | {picture: a board}
    | {picture b.png, without alt text}
    | ---
    | [H8] [J9, off] [⬅] [Help -> https://example.org]
    | <Level: *Easy | Hard>
    | <Opponent: members>
tengen:
    old style
    | Title
    | Text
    | Turn: ann
    | foot
tengen:
    {picture a.png: alt}
    {file b.txt}
`, s.Member("ann").Sees("#gomoku"))
}

// TestSelects: strings, members and how many of them.
func TestSelects(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	b := raw(t, s)
	b.post("/channels/"+channel(t, s, "#gomoku")+"/messages", `{"content":"x","components":[
		{"type":1,"components":[{"type":3,"custom_id":"level","placeholder":"Level","min_values":1,"max_values":2,"options":[{"label":"Easy","value":"1"},{"label":"Hard","value":"2"},{"label":"Off","value":"3"}]}]},
		{"type":1,"components":[{"type":5,"custom_id":"who","placeholder":"Who"}]},
		{"type":1,"components":[{"type":2,"style":1,"label":"No","custom_id":"no","disabled":true}]}]}`).want(200)
	k := b.identify()
	s.Member("bob")
	for _, c := range []struct{ sel, values, want string }{
		{"Level", "Hard,1", `"values":["2","1"]`},
		{"who", "bob", `"username":"bob"`},
	} {
		go s.Member("ann").Try().Choose("#gomoku", c.sel, strings.Split(c.values, ",")...)
		e := k.interaction()
		has(t, string(e.Data), c.want)
		b.callback(e, `{"type":6}`).want(204)
	}
	ann := s.Member("ann").Try()
	for _, a := range []*standin.Answer{ann.Choose("#gomoku", "Level"), ann.Choose("#gomoku", "Level", "1", "2", "3"),
		ann.Choose("#gomoku", "Level", "Medium"),
		ann.Press("#gomoku", "No"), ann.Press("#gomoku", "Level"), ann.Choose("#gomoku", "No", "x")} {
		if a.Failed == "" {
			t.Errorf("not refused: %+v", a)
		}
	}
	// A press on a button that the member still sees, but the message has lost.
	go ann.PressStale(ann.Last("#gomoku").ID, "gone")
	has(t, string(k.interaction().Data), `"custom_id":"gone"`)
}

// TestOddActions: no action, however incomplete, stops the stand-in.
func TestOddActions(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	s.Member("bob")
	for _, do := range strings.Fields("slash type press choose submit user-menu message-menu say delete-message see " +
		"messages places commands people pings member install locale close-dms moderate role add-guild add-channel " +
		"delete-channel archive lock deny allow permit kick-bot invite-bot system-channel outage " +
		"drop reconnect invalidate close " +
		"advance plan replay calls violations stats nothing") {
		for _, a := range []standin.Action{{}, {As: "ann"}, {As: "ann", At: "#gomoku"}, {As: "ann", At: "@bob", Name: "/x"},
			{At: "1", Name: "Club", Target: "x"}} {
			a.Do, a.NoWait = do, true
			s.Act(t.Context(), a) // most are refused
		}
	}
	ann := s.Member("ann")
	s.AddChannel("#after")
	id := ann.Says("#after", "still here")
	if m := s.Messages("#after"); len(m) != 1 || m[0].ID != id {
		t.Errorf("%v", m)
	}
	if p := s.Places(); p[len(p)-1].Type != standin.DirectMessage {
		t.Errorf("%v", p)
	}
}

// TestWaiting: the error of a wait in vain.
func TestWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		probe := &failing{T: t}
		s := standin.New(probe, standin.Options{})
		start := time.Now()
		_, err := s.Act(t.Context(), standin.Action{Do: "wait", As: "ann", At: "#gomoku", Text: "never",
			For: 7 * time.Second})
		if err == nil || !strings.Contains(err.Error(), `ann does not see "never" at #gomoku`) ||
			time.Since(start) != 7*time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		if _, err := s.Act(t.Context(), standin.Action{Do: "ready", Count: 1, For: time.Second}); err == nil {
			t.Error("nobody is there, but ready")
		}
		s.Member("ann").Press("#gomoku", "H8")
		if len(probe.errors) != 1 || !strings.Contains(probe.errors[0], `sees no "H8"`) {
			t.Errorf("%q", probe.errors)
		}
		start = time.Now()
		if a := s.Member("ann").Try().Press("#gomoku", "H8"); a.Failed == "" || time.Since(start) != 0 {
			t.Errorf("%v after %v", a, time.Since(start))
		}
	})
}

// TestSlowFeed: a reader that falls behind is told so.
func TestSlowFeed(t *testing.T) {
	t.Parallel()
	s := standin.New(t, standin.Options{Keep: 10})
	f := s.Feed(t.Context(), "ann")
	bob := s.Member("bob")
	for range 1100 {
		bob.Says("#gomoku", "x")
	}
	<-f.C
	<-f.C
	bob.Says("#gomoku", "last")
	s.Close()
	n, lost, last := 0, 0, ""
	for e := range f.C {
		n++
		switch {
		case e.Kind == "lost":
			lost++
		default:
			last = e.Message.Content
		}
	}
	if n != 1000 || lost != 1 || last != "last" {
		t.Errorf("%d events, %d times lost, last %q", n, lost, last)
	}
	after := s.Feed(t.Context(), "ann")
	if _, open := <-after.C; open {
		t.Error("a feed of a closed stand-in")
	}
}
