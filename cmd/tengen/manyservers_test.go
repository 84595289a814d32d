package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
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
	bot                    int // its process

	mu          sync.Mutex
	connections int
	identifies  int
	unanswered  int                 // connections that ended because the bot sent no heartbeat
	ready       map[int]*vastSocket // by shard
	listed      map[int]int         // servers by shard
	asked       map[string]moment   // by interaction: commands without an answer
	waits       []wait
	first       time.Time // when the first answer came
}

// wait is how long a member waited for an answer.
type wait struct {
	took    time.Duration
	starved time.Duration // of that, at least, for a core: see starved
}

// isLate reports whether the bot is to blame for a wait that is too long.
func (w wait) isLate() bool { return w.took-w.starved > testkit.Limit(vastAnswer) }

func (w wait) String() string {
	took, starved := w.took.Round(time.Millisecond), w.starved.Round(time.Millisecond)
	return fmt.Sprintf("%v (%v of it for want of a core)", took, starved)
}

// moment is a time, and how long was waited for a core until then.
type moment struct {
	at      time.Time
	starved time.Duration
}

func (c *vast) moment() moment { return moment{time.Now(), starved(os.Getpid(), c.bot)} }

// since is what has passed since an earlier moment.
func (m moment) since(was moment) wait { return wait{m.at.Sub(was.at), m.starved - was.starved} }

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
		asked: map[string]moment{}}
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
		if asked, ok := c.asked[m[1]]; ok {
			if len(c.waits) == 0 {
				c.first = time.Now()
			}
			c.waits = append(c.waits, c.moment().since(asked))
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
	shards := slices.Collect(maps.Keys(c.ready))
	shard := shards[rand.N(len(shards))]
	id := strconv.FormatUint(uint64(time.Now().UnixMilli()-discord.Epoch)<<22|uint64(rand.N(1<<22)), 10)
	server := strconv.FormatUint(uint64(shard)<<22|1, 10)
	c.asked[id] = c.moment()
	go c.ready[shard].say(fmt.Appendf(nil, `{"op":0,"s":100000,"t":"INTERACTION_CREATE","d":{"id":"%s","application_id":"5","type":2,"token":"t%s","version":1,"locale":"en-US",`+
		`"guild_id":"%s","channel_id":"77","channel":{"id":"77","type":0},"app_permissions":"309237697536","authorizing_integration_owners":{"0":"%[3]s"},"context":0,`+
		`"member":{"user":{"id":"3","username":"ann"},"permissions":"0"},"data":{"id":"1","name":"help","type":1}}}`, id, id, server))
}

// progress is how many servers are listed, how many connections are up, how many commands were answered, and the
// longest wait for an answer that has not come.
func (c *vast) progress() (listed, up, answered int, open wait) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.listed {
		listed += n
	}
	now := c.moment()
	for _, asked := range c.asked {
		if w := now.since(asked); w.took > open.took {
			open = w
		}
	}
	return listed, len(c.ready), len(c.waits), open
}

// The aims of a bot that is in many servers.
const (
	vastAnswer  = 2 * time.Second // for an answer, at any moment; Discord gives up after three
	vastAnswers = 20              // that are waited for, at least
)

// vastMemory is how much memory the bot may take, in bytes: 190 MB at 100,000 servers.
func vastMemory(servers int) int { return 130e6 + servers*600 }

// A bot that is in many servers starts without losing a connection, answers every member in time from the first
// moment on, keeps within its memory, and notes all its servers. TENGEN_SERVERS says in how many it is; docs/scaling.md
// has the figures.
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
	p.Env = append(os.Environ(), "GOGC=100") // as the program has it; tests have more
	p.Stderr = log
	testkit.Must(t, p.Start())
	t.Cleanup(func() { p.Process.Kill(); p.Wait() })
	c.bot = p.Process.Pid
	began := c.moment()
	var took wait
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for limit, open := time.Now().Add(9*time.Minute), (wait{}); took.took == 0 || open.took > 0; {
		<-tick.C
		var listed, up, answered int
		listed, up, answered, open = c.progress()
		if open.isLate() || time.Now().After(limit) {
			t.Fatalf("%d of %d servers, %d of %d shards, %d answers, and one is not there after %v\n%s",
				listed, servers, up, shards, answered, open, log)
		}
		switch {
		case took.took > 0: // nobody asks any more
		case listed == servers && up == shards && answered >= vastAnswers:
			took = c.moment().since(began)
		default:
			c.ask()
		}
	}
	peak := peakMemory(c.bot)
	p.Process.Signal(os.Interrupt)
	state, _ := p.Process.Wait()
	if n := serversIn(t, dir+"/a.db"); n != servers {
		t.Errorf("the store has %d servers, want %d", n, servers)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	slices.SortFunc(c.waits, func(a, b wait) int { return cmp.Compare(a.took, b.took) })
	slowest := c.waits[len(c.waits)-1]
	t.Logf("%d servers, %d shards: listed after %v, first answer after %v, CPU %v, %d MB at most, %d commands, "+
		"median %v, slowest %v", servers, shards, took, c.first.Sub(began.at).Round(time.Millisecond),
		(state.UserTime() + state.SystemTime()).Round(time.Millisecond), peak/1e6, len(c.waits),
		c.waits[len(c.waits)/2], slowest)
	if c.connections != shards || c.identifies != shards || c.unanswered != 0 {
		t.Errorf("%d connections, %d identified, %d without a heartbeat; want %d of each of the first and none of the last",
			c.connections, c.identifies, c.unanswered, shards)
	}
	for _, w := range c.waits {
		if w.isLate() {
			t.Errorf("an answer took %v", w)
		}
	}
	if most := vastMemory(servers); peak > most && !findsRaces() {
		t.Errorf("the bot took %d MB, more than %d", peak/1e6, most/1e6)
	}
}

// serversIn counts the servers in a store.
func serversIn(t *testing.T, file string) (n int) {
	t.Helper()
	db := testkit.Got(bolt.Open(t.Context(), file, bolt.Options{}))
	defer db.Close()
	store, err := storage.Open(t.Context(), db, storage.Options{})
	if err == nil {
		err = store.Servers(t.Context(), func(storage.Server) bool { n++; return true })
	}
	testkit.Check(t, err)
	return n
}

// peakMemory is the most memory that a process has taken, in bytes.
func peakMemory(pid int) (kilobytes int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, most, _ := strings.Cut(string(text), "VmHWM:")
	fmt.Sscan(most, &kilobytes)
	return kilobytes << 10
}

// findsRaces reports whether this program was built to find races, for which it takes much memory.
func findsRaces() bool {
	info, _ := debug.ReadBuildInfo()
	return info != nil && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// starved is for how long processes have waited for a core although they had work: for so long a busy machine made
// them slow. It is the sum over their threads, divided by the cores, and 0 where the system does not tell.
func starved(pids ...int) (sum time.Duration) {
	for _, pid := range pids {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
		for _, file := range threads {
			text, _ := os.ReadFile(file)
			var ran, waited time.Duration
			fmt.Sscan(string(text), &ran, &waited)
			sum += waited
		}
	}
	return sum / time.Duration(runtime.NumCPU())
}
