package demo_test

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"tengen/bot/standin"
	"tengen/internal/testkit"
)

// What Discord refuses, with its code, the page's server refuses too.
func TestBounds(t *testing.T) {
	t.Parallel()
	s := open(t)
	long := func(n int) string { return strings.Repeat("é", n) }
	file := func(name string, n int) string {
		return fmt.Sprintf(`{"name":%q,"data":%q}`, name, base64.StdEncoding.EncodeToString(make([]byte, n)))
	}
	say := func(text string, files ...string) string {
		return fmt.Sprintf(`{"do":"say","at":"#gomoku","text":%q,"files":[%s]}`, text, strings.Join(files, ","))
	}
	eleven := make([]string, 11)
	for i := range eleven {
		eleven[i] = file("a.txt", 1)
	}
	for _, c := range []struct {
		name, body string
		status     int
		want       string
	}{
		{"a text", say(long(2000)), 200, "messages"},
		{"a long text", say(long(2001)), 409, "50035"},
		{"nothing", say(" "), 409, "50006"},
		{"a large file", say("", file("a.txt", standin.MaxFileSize)), 200, "messages"},
		{"a larger file", say("", file("a.txt", standin.MaxFileSize+1)), 409, "40005"},
		{"far too large", say("", file("a.txt", 12<<20)), 413, "too large"},
		{"many files", say("", eleven...), 409, "50035"},
		{"a file without a name", say("", file("", 1)), 409, "50035"},
		{"a long name", say("", file(long(256), 1)), 409, "50035"},
		{"a long line", `{"do":"slash","at":"#gomoku","name":"/move at:` + long(9000) + `"}`, 409, "50035"},
		{"a long press", `{"do":"press","at":"#gomoku","name":"` + long(151) + `"}`, 409, "50035"},
		{"a long locale", `{"do":"locale","text":"` + long(11) + `"}`, 409, "50035"},
		{"a long place", `{"do":"say","at":"` + long(401) + `","text":"x"}`, 409, "50035"},
		{"a stranger", `{"do":"user-menu","at":"#gomoku","name":"Challenge to a game","target":"Zoe"}`, 409, "no member"},
		{"many options", `{"do":"slash","at":"#gomoku","name":"/move","options":[` + strings.Repeat(`{"name":"at"},`, 26) + `{}]}`, 409, "50035"},
		{"deep", strings.Repeat("[", 20_000), 400, "no action"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, body, _ := s.ask(t, "POST", "/api/do?as=Ann", c.body)
			if status != c.status || !strings.Contains(body, c.want) {
				t.Errorf("%d %.200s, want %d with %s", status, body, c.status, c.want)
			}
		})
	}
	if n := len(s.world.People()); n > 6 {
		t.Errorf("%d people", n)
	}
}

// A request whose body never comes loses its place soon, and others have room.
func TestSlowBodies(t *testing.T) {
	t.Parallel()
	s := open(t)
	send := func(length int) net.Conn {
		c := testkit.Got(net.Dial("tcp", s.Listener.Addr().String()))
		t.Cleanup(func() { c.Close() })
		c.SetReadDeadline(time.Now().Add(20 * time.Second))
		fmt.Fprintf(c, "POST /api/do?as=Ann HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+
			"Content-Length: %d\r\n\r\n{", length)
		return c
	}
	status := func(c net.Conn) string {
		text, _ := bufio.NewReader(c).ReadString('\n')
		return text
	}
	var slow []net.Conn
	for range 200 {
		slow = append(slow, send(100), send(1<<20))
	}
	took := map[string]int{}
	for _, c := range slow {
		took[strings.TrimSpace(status(c))]++
	}
	if took["HTTP/1.1 408 Request Timeout"]+took["HTTP/1.1 503 Service Unavailable"] != 400 ||
		took["HTTP/1.1 503 Service Unavailable"] == 0 {
		t.Errorf("%v", took)
	}
	if status, body, _ := s.ask(t, "POST", "/api/do?as=Ann", `{"do":"say","at":"#gomoku","text":"x"}`); status != 200 {
		t.Errorf("after the slow ones: %d %s", status, body)
	}
}

// The number of feeds is bounded, and there is room again when some are closed.
func TestManyFeeds(t *testing.T) {
	t.Parallel()
	s := open(t)
	at := "ws" + strings.TrimPrefix(s.URL, "http") + "/api/feed?as=Ann"
	var open []*websocket.Conn
	for len(open) <= 100 {
		c, resp, err := websocket.DefaultDialer.Dial(at, nil)
		if err != nil {
			if resp == nil || resp.StatusCode != 503 || len(open) != 100 {
				t.Fatalf("feed %d: %v %v", len(open)+1, resp, err)
			}
			break
		}
		t.Cleanup(func() { c.Close() })
		open = append(open, c)
	}
	if len(open) > 100 {
		t.Fatal("no bound")
	}
	for _, c := range open {
		c.Close()
	}
	for range 1000 {
		c, resp, err := websocket.DefaultDialer.Dial(at, nil)
		if err == nil {
			c.Close()
			return
		}
		io.Copy(io.Discard, resp.Body) // until the server has seen that they are gone
	}
	t.Error("no room again")
}
