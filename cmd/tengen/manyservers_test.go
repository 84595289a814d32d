package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"tengen/bot/discord"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/bolt"
)

// vast is a Discord whose bot is in many servers: its gateway lists them as fast as the bot reads, each with
// a listing as long as that of a real one, and members use commands all the while. Of its other calls it knows
// as much as a start needs.
type vast struct {
	*httptest.Server
	servers, shards, turns int
	padding                string

	mu          sync.Mutex
	connections int
	identifies  int
	unanswered  int                  // connections that ended because the bot sent no heartbeat
	ready       map[int]*vastSocket  // by shard
	listed      map[int]int          // servers by shard
	asked       map[string]time.Time // by interaction
	waits       []time.Duration      // until the answer
}

// vastSocket is a connection; one message at a time is written to it.
type vastSocket struct {
	*websocket.Conn
	mu sync.Mutex
}

func (s *vastSocket) say(text []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.WriteMessage(websocket.TextMessage, text)
}

func newVast(t *testing.T, servers, shards, turns int) *vast {
	c := &vast{servers: servers, shards: shards, turns: turns, ready: map[int]*vastSocket{}, listed: map[int]int{},
		asked: map[string]time.Time{}}
	for i := range 60 { // channels and roles
		c.padding += fmt.Sprintf(`,{"id":"%d","type":0,"name":"channel-%d","position":%d,"permission_overwrites":[],"parent_id":null,"topic":null}`, 7000+i, i, i)
	}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

// Addr is the address for --stand-in.
func (c *vast) Addr() string { return c.Listener.Addr().String() }

var callback = regexp.MustCompile(`/interactions/(\d+)/[^/]+/callback`)

func (c *vast) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	say := func(v any) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(v)
	}
	m := callback.FindStringSubmatch(q.URL.Path)
	switch {
	case websocket.IsWebSocketUpgrade(q):
		c.gateway(w, q)
	case m != nil:
		c.mu.Lock()
		if at, ok := c.asked[m[1]]; ok {
			c.waits = append(c.waits, time.Since(at))
			delete(c.asked, m[1])
		}
		c.mu.Unlock()
		w.WriteHeader(http.StatusNoContent)
	case strings.HasSuffix(q.URL.Path, "/gateway/bot"):
		say(map[string]any{"url": "wss://gateway.discord.gg", "shards": c.shards, "session_start_limit": map[string]any{
			"total": 1000, "remaining": 1000, "reset_after": 0, "max_concurrency": c.turns}})
	case strings.HasSuffix(q.URL.Path, "/applications/@me"):
		say(map[string]any{"id": "5", "name": "tengen", "integration_types_config": map[string]any{"0": map[string]any{}}})
	case strings.HasSuffix(q.URL.Path, "/emojis") && q.Method == http.MethodGet:
		say(map[string]any{"items": []any{}})
	case strings.HasSuffix(q.URL.Path, "/emojis"):
		w.WriteHeader(http.StatusInternalServerError)
	case strings.HasSuffix(q.URL.Path, "/commands"):
		say([]any{})
	default:
		say(map[string]any{"id": "6"})
	}
	io.Copy(io.Discard, q.Body)
}

const vastBeat = 5 * time.Second // between two heartbeats

func (c *vast) gateway(w http.ResponseWriter, q *http.Request) {
	up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	conn, err := up.Upgrade(w, q, nil)
	if err != nil {
		return
	}
	defer conn.Close()
	s := &vastSocket{Conn: conn}
	c.mu.Lock()
	c.connections++
	c.mu.Unlock()
	s.say(fmt.Appendf(nil, `{"op":10,"d":{"heartbeat_interval":%d}}`, vastBeat.Milliseconds()))
	shard := -1
	for {
		conn.SetReadDeadline(time.Now().Add(2 * vastBeat))
		_, data, err := conn.ReadMessage()
		if err != nil {
			c.mu.Lock()
			if os.IsTimeout(err) {
				c.unanswered++
			}
			if c.ready[shard] == s {
				delete(c.ready, shard)
			}
			c.mu.Unlock()
			return
		}
		var p struct {
			Op int `json:"op"`
			D  json.RawMessage
		}
		json.Unmarshal(data, &p)
		switch p.Op {
		case 1:
			s.say([]byte(`{"op":11}`))
		case 2:
			var d struct{ Shard [2]int }
			json.Unmarshal(p.D, &d)
			shard = d.Shard[0]
			c.mu.Lock()
			c.identifies++
			c.mu.Unlock()
			go c.list(s, shard)
		case 6:
			s.say([]byte(`{"op":0,"s":1,"t":"RESUMED","d":{}}`))
		}
	}
}

// list tells a shard of its servers.
func (c *vast) list(s *vastSocket, shard int) {
	var ids []string
	for i := shard; i < c.servers; i += c.shards {
		ids = append(ids, strconv.FormatUint(uint64(i)<<22|1, 10))
	}
	var there bytes.Buffer
	for i, id := range ids {
		if i > 0 {
			there.WriteByte(',')
		}
		fmt.Fprintf(&there, `{"id":"%s","unavailable":true}`, id)
	}
	s.say(fmt.Appendf(nil, `{"op":0,"s":1,"t":"READY","d":{"v":9,"session_id":"s%d","resume_gateway_url":"wss://gateway.discord.gg","user":{"id":"9"},"guilds":[%s]}}`, shard, &there))
	c.mu.Lock()
	c.ready[shard] = s
	c.mu.Unlock()
	for i, id := range ids {
		err := s.say(fmt.Appendf(nil, `{"t":"GUILD_CREATE","s":%d,"op":0,"d":{"id":"%s","name":"Server","roles":[],"channels":[{"id":"1","type":0}%s],"members":[],"unavailable":false}}`, i+2, id, c.padding))
		if err != nil {
			return
		}
		c.mu.Lock()
		c.listed[shard]++
		c.mu.Unlock()
	}
}

// ask has a member use a command in a server whose shard is connected.
func (c *vast) ask() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.ready) == 0 {
		return
	}
	shards := make([]int, 0, len(c.ready))
	for n := range c.ready {
		shards = append(shards, n)
	}
	slices.Sort(shards)
	shard := shards[rand.N(len(shards))]
	id := strconv.FormatUint(uint64(time.Now().UnixMilli()-discord.Epoch)<<22|uint64(rand.N(1<<22)), 10)
	server := strconv.FormatUint(uint64(shard)<<22|1, 10)
	c.asked[id] = time.Now()
	go c.ready[shard].say(fmt.Appendf(nil, `{"op":0,"s":100000,"t":"INTERACTION_CREATE","d":{"id":"%s","application_id":"5","type":2,"token":"t%s","version":1,"locale":"en-US",`+
		`"guild_id":"%s","channel_id":"77","channel":{"id":"77","type":0},"app_permissions":"309237697536","authorizing_integration_owners":{"0":"%[3]s"},"context":0,`+
		`"member":{"user":{"id":"3","username":"ann"},"permissions":"0"},"data":{"id":"1","name":"help","type":1}}}`, id, id, server))
}

// progress is how many servers are listed, how many connections are up, and how many commands were answered.
func (c *vast) progress() (listed, up, answered int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.listed {
		listed += n
	}
	return listed, len(c.ready), len(c.waits)
}

// A bot that is in many servers starts without losing a connection, answers members all the while, and notes all
// its servers. TENGEN_SERVERS says in how many it is.
func TestManyServers(t *testing.T) {
	t.Parallel()
	servers, _ := strconv.Atoi(os.Getenv("TENGEN_SERVERS"))
	servers = max(servers, 2000)
	shards := max(servers/1000, 4)
	c := newVast(t, servers, shards, min(shards, 16))
	dir := t.TempDir()
	file := filepath.Join(dir, "config.yaml")
	os.WriteFile(file, []byte("token: some-token\nstore:\n  file: "+dir+"/a.db\n"), 0o600)
	log := &output{}
	p := exec.Command(os.Args[0])
	p.Args = []string{"tengen", "run", "--config", file, "--stand-in", c.Addr()}
	p.Stderr = log
	testkit.Must(t, p.Start())
	t.Cleanup(func() { p.Process.Kill(); p.Wait() })
	began := time.Now()
	took := time.Duration(0)
	peak := 0
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for limit := time.After(9 * time.Minute); took == 0; {
		select {
		case <-tick.C:
			c.ask()
			peak = max(peak, resident(p.Process.Pid))
			if listed, up, answered := c.progress(); listed == servers && up == shards && answered >= 5 {
				took = time.Since(began)
			}
		case <-limit:
			listed, up, _ := c.progress()
			t.Fatalf("%d of %d servers, %d of %d shards\n%s", listed, servers, up, shards, log)
		}
	}
	p.Process.Signal(os.Interrupt)
	state, _ := p.Process.Wait()
	if n := serversIn(t, dir+"/a.db"); n != servers {
		t.Errorf("the store has %d servers, want %d", n, servers)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	slices.Sort(c.waits)
	slowest := c.waits[len(c.waits)-1]
	t.Logf("%d servers, %d shards: listed after %v, CPU %v, %d MB resident at most, %d commands, median %v, "+
		"slowest %v, unanswered %d",
		servers, shards, took.Round(time.Millisecond), (state.UserTime() + state.SystemTime()).Round(time.Millisecond),
		peak>>20, len(c.waits), c.waits[len(c.waits)/2], slowest, len(c.asked))
	if c.connections != shards || c.identifies != shards || c.unanswered != 0 {
		t.Errorf("%d connections, %d identified, %d without a heartbeat; want %d of each of the first and none of the last",
			c.connections, c.identifies, c.unanswered, shards)
	}
	if slowest > 20*time.Second { // on a busy machine; the figures are in docs/performance.md
		t.Errorf("the slowest answer took %v", slowest)
	}
}

// serversIn counts the servers in a store.
func serversIn(t *testing.T, file string) (n int) {
	t.Helper()
	db, err := bolt.Open(t.Context(), file, bolt.Options{})
	testkit.Must(t, err)
	defer db.Close()
	store, err := storage.Open(t.Context(), db, storage.Options{})
	if err == nil {
		err = store.Servers(t.Context(), func(storage.Server) bool { n++; return true })
	}
	testkit.Check(t, err)
	return n
}

// resident is the memory of a process in bytes.
func resident(pid int) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	var size, pages int
	fmt.Sscan(string(text), &size, &pages)
	return pages * os.Getpagesize()
}
