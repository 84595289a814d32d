package main

import (
	"fmt"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tengen/bot/standin"
	"tengen/internal/testkit"
	"tengen/storage/pg/pgtest"
)

// balancer sends requests to the processes behind it in turn.
type balancer struct {
	*httptest.Server
	mu     sync.Mutex
	behind []string
	next   int
}

func newBalancer(t *testing.T) *balancer {
	b := &balancer{}
	b.Server = httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.next++
		r.SetURL(&url.URL{Scheme: "http", Host: b.behind[b.next%len(b.behind)]})
	}})
	t.Cleanup(b.Close)
	return b
}

func (b *balancer) to(addresses ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.behind = addresses
}

// TestTwoProcessesOverHTTP: behind a load balancer either takes what comes, one of them thinks, and
// there is one board for each game.
func TestTwoProcessesOverHTTP(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	s := tcpStandin(t, standin.Options{})
	config := onPostgres(s, pgtest.Address(server)) + "discord:\n  transport: http\nhttp:\n  address: 127.0.0.1:0\n"
	one, two := start(t, s, config), start(t, s, config)
	one.log.awaits(t, `"msg":"slots","gained"`)
	two.log.awaits(t, `"msg":"slots","gained"`)
	b := newBalancer(t)
	at := []string{one.log.awaits(t, `over HTTP","address":"([^"]+)"`),
		two.log.awaits(t, `over HTTP","address":"([^"]+)"`)}
	b.to(at...)
	testkit.Must(t, s.SetEndpoint(b.URL+"/interactions"))
	s.Ready(1)
	ann := threeMoves(t, s)
	for _, r := range []*running{one, two} {
		r.log.awaits(t, `"msg":"interaction".*"outcome":"answered"`)
	}
	b.to(at[1])
	one.end()
	ann.Slash("#gomoku", "/move at:A1")
	ann.Waits("#gomoku", "move 9 ") // whoever thought here, the other does now
	oneBoard(t, ann)
	if st := s.Stats(); st.Failures != 0 || st.Identifies != 0 {
		t.Errorf("%+v", st)
	}
}

// TestShardsOfProcesses: two processes share the connections to the gateway; when one ends
// or dies, the other resumes its sessions and starts none anew.
func TestShardsOfProcesses(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	s := tcpStandin(t, standin.Options{Shards: 4, Limits: standin.Limits{On: true, Concurrency: 4}})
	places := sixServers(s)
	config := onPostgres(s, pgtest.Address(server))
	one := start(t, s, config)
	s.Ready(4)
	two := start(t, s, config)
	two.log.awaits(t, `"msg":"gateway connection up","shard":\d,"how":"resumed".*\n(?s:.*)"how":"resumed"`)
	one.log.awaits(t, `"msg":"shards given up"`)
	ann := s.Member("ann")
	for _, place := range places {
		ann.Slash(place, "/help")
	}
	one.end()
	s.Ready(4)
	for _, place := range places {
		ann.Slash(place, "/help")
	}
	if st := s.Stats(); st.Failures != 0 || st.Identifies != 4 || st.TooFast != 0 {
		t.Errorf("%+v", st)
	}
}

// startApart is start in a process of its own, which can be killed.
func startApart(t *testing.T, s interface{ Addr() string }, config string) (log *output, kill func()) {
	t.Helper()
	return startProgram(t, os.Args[0], s, config)
}

// startProgram is startApart for a program of another version.
func startProgram(t *testing.T, program string, s interface{ Addr() string }, config string) (log *output,
	kill func()) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.yaml")
	testkit.Write(t, file, []byte(config))
	log = &output{}
	p := exec.Command(program)
	p.Args = []string{"tengen", "run", "--config", file, "--stand-in", s.Addr()} // by that name the test is the program
	p.Stderr = log
	testkit.Must(t, p.Start())
	kill = sync.OnceFunc(func() {
		p.Process.Kill()
		p.Wait()
	})
	t.Cleanup(kill)
	return log, kill
}

// TestShardsOfKilled: a process that is killed with -9 leaves its
// shards to the other within ten seconds of its death, by resuming their sessions.
func TestShardsOfKilled(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a server and two bots")
	}
	server := pgtest.Start(t)
	s := tcpStandin(t, standin.Options{Shards: 4, Limits: standin.Limits{On: true, Concurrency: 4}})
	places := sixServers(s)
	config := strings.Replace(onPostgres(s, pgtest.Address(server)), "    lease: 2s\n", "", 1) // as it is without a word
	one, _ := startApart(t, s, config)
	s.Ready(4)
	two, kill := startApart(t, s, config)
	resumed := func(log *output) int { return strings.Count(log.String(), `"how":"resumed"`) }
	await := func(what string, ok func() bool) time.Duration {
		t.Helper()
		for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
			if ok() {
				return time.Since(began)
			}
			if time.Since(began) > time.Minute {
				t.Fatalf("not within a minute: %s\none:\n%s\ntwo:\n%s", what, one, two)
			}
		}
	}
	await("two of the shards are the second's", func() bool { return resumed(two) == 2 })
	ann := s.Member("ann")
	for _, place := range places {
		ann.Slash(place, "/help")
	}
	kill()
	took := await("the first has all", func() bool { return resumed(one) == 2 })
	if took > testkit.Limit(30*time.Second) {
		t.Errorf("taken over after %v", took)
	}
	t.Logf("taken over %v after the death", took.Round(10*time.Millisecond))
	for _, place := range places {
		ann.Slash(place, "/help")
	}
	if st := s.Stats(); st.Failures != 0 || st.Identifies != 4 || st.TooFast != 0 {
		t.Errorf("%+v", st)
	}
}

// sixServers adds servers, so that every one of four shards has some, and gives a channel of each.
func sixServers(s *standin.Server) (places []string) {
	for i := range 6 {
		name := fmt.Sprint("Server", i)
		s.AddGuild(name, true, "there")
		places = append(places, name+"#there")
	}
	return places
}
