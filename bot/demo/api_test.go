package demo_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"tengen/bot/demo"
	"tengen/bot/standin"
	"tengen/internal/testkit"
)

// gives checks the status of an answer; see ask.
func (s site) gives(t *testing.T, what string, status int, method, path, body string, header ...string) {
	t.Helper()
	got, _, _ := s.ask(t, method, path, body, header...)
	testkit.Want(t, what, got, status)
}

// ask sends a request with a body, "" for none, and gives status and answer.
func (s site) ask(t *testing.T, method, path, body string, header ...string) (int, string, http.Header) {
	req := testkit.Got(http.NewRequest(method, s.URL+path, strings.NewReader(body)))
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
			continue
		}
		req.Header.Set(header[i], header[i+1])
	}
	resp := testkit.Got(http.DefaultClient.Do(req))
	defer resp.Body.Close()
	return resp.StatusCode, string(testkit.Got(io.ReadAll(resp.Body))), resp.Header
}

func TestWorld(t *testing.T) {
	t.Parallel() // ending a session takes a second
	s := open(t)
	var world struct {
		Me     struct{ Name string }
		People []struct {
			ID, Name string
			Bot      bool
		}
		Places []standin.Place
	}
	_, body, _ := s.ask(t, "GET", "/api/world?as=Ben", "")
	testkit.Must(t, json.Unmarshal([]byte(body), &world))
	if world.Me.Name != "Ben" || len(world.People) != 4 || !world.People[3].Bot {
		t.Errorf("me %q, people %v", world.Me.Name, world.People)
	}
	var places []string
	for _, p := range world.Places {
		places = append(places, p.Name)
	}
	testkit.Want(t, "places", strings.Join(places, " "), "#gomoku #renju #reversi @tengen")
	if _, body, _ := s.ask(t, "GET", "/api/world?as=Nobody", ""); !strings.Contains(body,
		`"me":{"id":"`+world.People[0].ID) {
		t.Errorf("a stranger is not the first member: %s", body)
	}
}

func TestDo(t *testing.T) {
	t.Parallel() // ending a session takes a second
	s := open(t)
	for _, c := range []struct {
		name, as, body string
		status         int
		want           string
	}{
		{"a command", "Ann", `{"do":"slash","at":"#gomoku","name":"/move","options":[{"name":"at","value":"H8"}]}`, 200, "moved to H8"},
		{"what is proposed", "Ann", `{"do":"type","at":"#gomoku","name":"/move","options":[{"name":"at","value":"h"}]}`, 200, `"name":"H9"`},
		{"a member as an option", "Ann", `{"do":"slash","at":"#gomoku","name":"/ask member","options":[{"name":"opponent","value":"@Ben"}]}`, 200, "opponent="},
		{"a file as an option", "Ann", `{"do":"slash","at":"#gomoku","name":"/import","options":[{"name":"file","file":{"name":"a.sgf","data":"KDtHTVs0XSk="}}]}`, 200, "got a.sgf of 8 bytes"},
		{"no such command", "Ann", `{"do":"slash","at":"#gomoku","name":"/nothing"}`, 409, "there is no command"},
		{"a missing option", "Ann", `{"do":"slash","at":"#gomoku","name":"/move"}`, 409, "required"},
		{"no such member", "Zoe", `{"do":"say","at":"#gomoku","text":"x"}`, 404, "no such member"},
		{"the bot", "tengen", `{"do":"say","at":"#gomoku","text":"x"}`, 404, "no such member"},
		{"for somebody else", "Ann", `{"do":"say","as":"Ben","at":"#gomoku","text":"x"}`, 200, `"username":"Ann"`},
		{"an act of the tests", "Ann", `{"do":"delete-channel","at":"#gomoku"}`, 400, "cannot do this"},
		{"broken", "Ann", `{"do":`, 400, "no action"},
		{"a press of nothing", "Ann", `{"do":"press","at":"123","name":"x"}`, 409, "sees no message"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, body, _ := s.ask(t, "POST", "/api/do?as="+c.as, c.body)
			if status != c.status || !strings.Contains(body, c.want) {
				t.Errorf("%d %s, want %d with %s", status, body, c.status, c.want)
			}
		})
	}
	s.gives(t, "plain text", 415, "POST", "/api/do?as=Ann", `{"do":"say"}`, "Content-Type", "text/plain")
}

// Other sites' pages, and other names for this machine, are kept out.
func TestGuard(t *testing.T) {
	t.Parallel() // ending a session takes a second
	s := open(t)
	say := `{"do":"say","at":"#gomoku","text":"x"}`
	s.gives(t, "a foreign origin", 403, "POST", "/api/do?as=Ann", say, "Origin", "https://example.com")
	s.gives(t, "a foreign site", 403, "POST", "/api/do?as=Ann", say, "Sec-Fetch-Site", "cross-site")
	for _, host := range []string{"example.com", "localhost.example.com", "192.0.2.1:8080", "localhost..",
		"notlocalhost", ""} {
		if status, _, _ := s.ask(t, "GET", "/api/world", "", "Host", host); host != "" && status != 421 {
			t.Errorf("host %q: %d, want 421", host, status)
		}
	}
	for _, host := range []string{"localhost", "localhost:8080", "127.0.0.1:1", "[::1]:8080", "LOCALHOST:8080",
		"localhost.", "Page.LocalHost.:8080"} {
		if status, _, _ := s.ask(t, "GET", "/", "", "Host", host); status != 200 {
			t.Errorf("host %q: %d, want 200", host, status)
		}
	}
	public := testkit.Got(demo.New(t.Context(), s.world, "tengen", demo.Options{Public: true}))
	s.Config.Handler = public
	s.gives(t, "a public page under a name", 200, "GET", "/", "", "Host", "example.com")
	s.gives(t, "a public page, a foreign origin", 403, "POST", "/api/do?as=Ann", say, "Host", "example.com", "Origin",
		"https://example.org")
	feed := "ws" + strings.TrimPrefix(s.URL, "http") + "/api/feed?as=Ann"
	if _, resp, err := websocket.DefaultDialer.Dial(feed, http.Header{"Origin": {"https://example.com"}}); err == nil ||
		resp == nil || resp.StatusCode != 403 {
		t.Errorf("a feed for another site: %v %v, want 403", resp, err)
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel() // ending a session takes a second
	s := open(t)
	_, body, h := s.ask(t, "GET", "/", "")
	for _, want := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'",
		"trusted-types 'none'"} {
		if !strings.Contains(h.Get("Content-Security-Policy"), want) {
			t.Errorf("the policy lacks %s: %s", want, h.Get("Content-Security-Policy"))
		}
	}
	_, _, h2 := s.ask(t, "GET", "/", "", "Host", "localhost;script-src:*")
	if p := h2.Get("Content-Security-Policy"); strings.Contains(p, "*") {
		t.Errorf("a host writes the policy: %s", p)
	}
	for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"X-Frame-Options": "DENY", "Cross-Origin-Resource-Policy": "same-origin"} {
		testkit.Want(t, name, h.Get(name), want)
	}
	if strings.Contains(body, "http:") || strings.Contains(body, "https:") {
		t.Error("the page names an outside address")
	}
	s.gives(t, "the same page again", http.StatusNotModified, "GET", "/", "", "If-None-Match", h.Get("ETag"))
	for _, path := range []string{"/nothing", "/page/main.js", "/../go.mod", "/api/nothing"} {
		if status, _, _ := s.ask(t, "GET", path, ""); status != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", path, status)
		}
	}
}

// What members attach is saved, not shown, unless it is a picture that cannot do harm.
func TestFiles(t *testing.T) {
	t.Parallel() // ending a session takes a second
	s := open(t)
	ann := s.world.Member("Ann")
	for name, want := range map[string]string{
		"a.png": "inline", "a.html": "attachment", "a.svg": "attachment", "a.js": "attachment", "a.sgf": "attachment",
	} {
		data := []byte("<script>alert(1)</script>")
		if name == "a.png" {
			data = picture(30)
		}
		ann.Says("#gomoku", "look", standin.File{Name: name, Data: data})
		u := testkit.Got(url.Parse(ann.Last("#gomoku").Attachments[0].URL))
		path := strings.Replace(u.Path, "/attachments/", "/files/", 1)
		status, body, h := s.ask(t, "GET", path, "")
		how, _, _ := strings.Cut(h.Get("Content-Disposition"), ";")
		if status != 200 || how != want || body != string(data) ||
			!strings.Contains(h.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%s: %d, %q (want %s), policy %q", name, status, how, want, h.Get("Content-Security-Policy"))
		}
		if _, _, h := s.ask(t, "GET", path+"?save", ""); !strings.HasPrefix(h.Get("Content-Disposition"), "attachment") {
			t.Errorf("%s to be saved: %q", name, h.Get("Content-Disposition"))
		}
	}
	s.gives(t, "no such file", http.StatusNotFound, "GET", "/files/1/2/a.png", "")
	if status, _, h := s.ask(t, "GET", "/files/1/2/a.png", "", "Sec-Fetch-Dest", "image"); status != 200 ||
		h.Get("Content-Type") != "image/gif" {
		t.Errorf("no such picture: %d %s, want a blank", status, h.Get("Content-Type"))
	}
}

// A picture of the bot's own is served as one, whatever is in it.
func TestEmojiFile(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := testkit.Got(s.world.Act(t.Context(), standin.Action{Do: "add-emoji", Name: "black",
		Text: "<script>alert(1)</script>"}))
	status, _, h := s.ask(t, "GET", "/emojis/"+made.IDs[0], "")
	if status != 200 || h.Get("Content-Type") != "image/png" || h.Get("X-Content-Type-Options") != "nosniff" ||
		!strings.Contains(h.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("%d %v", status, h)
	}
	s.gives(t, "no such emoji", http.StatusNotFound, "GET", "/emojis/1", "")
	if status, _, h := s.ask(t, "GET", "/emojis/1", "", "Sec-Fetch-Dest", "image"); status != 200 ||
		h.Get("Content-Type") != "image/gif" {
		t.Errorf("no such emoji as a picture: %d %s, want a blank", status, h.Get("Content-Type"))
	}
}

// A feed brings a member what the member sees, and nothing else.
func TestFeed(t *testing.T) {
	t.Parallel() // ending a session takes a second
	s := open(t)
	dial := func(as string) *websocket.Conn {
		c, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(s.URL, "http")+"/api/feed?as="+as, nil)
		testkit.Must(t, err)
		t.Cleanup(func() { c.Close() })
		return c
	}
	next := func(c *websocket.Conn) standin.Event {
		var e standin.Event
		testkit.Must(t, c.ReadJSON(&e))
		return e
	}
	ann, ben := dial("Ann"), dial("Ben")
	if next(ann).Kind != "hello" || next(ben).Kind != "hello" {
		t.Fatal("no hello")
	}
	s.ask(t, "POST", "/api/do?as=Ann", `{"do":"slash","at":"#gomoku","name":"/private"}`)
	s.ask(t, "POST", "/api/do?as=Ann", `{"do":"say","at":"#gomoku","text":"for all"}`)
	if e := next(ann); e.Kind == "message" && !e.Message.Private() {
		t.Errorf("Ann's first event: %+v", e)
	}
	if e := next(ben); e.Kind != "message" || e.Message.Content != "for all" {
		t.Errorf("Ben's first event: %+v", e)
	}
	s.gives(t, "a stranger's feed", http.StatusNotFound, "GET", "/api/feed?as=Nobody", "")
}
