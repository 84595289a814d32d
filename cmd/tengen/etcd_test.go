package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tengen/bot/standin"
	"tengen/internal/testkit"
	"tengen/storage/etcd"
	"tengen/storage/etcd/etcdtest"
	"tengen/storage/storagetest"
)

func onCluster(s *standin.Server, endpoints []string) string {
	return fmt.Sprintf("token: %s\nstore:\n  engine: etcd\n  etcd:\n    endpoints: [%s]\n"+
		"    prefix: bots/one\n    lease: 2s\n"+
		"operations:\n  address: 127.0.0.1:0\nlog:\n  format: json\n", s.Token(), strings.Join(endpoints, ", "))
}

// TestRunOnEtcd: two lines of configuration, and the games are on the cluster.
func TestRunOnEtcd(t *testing.T) {
	t.Parallel()
	c := etcdtest.Start(t, 1)
	s := tcpStandin(t, standin.Options{})
	config := strings.Replace(onCluster(s, c.Endpoints), "    lease:", "    archive: "+t.TempDir()+"\n    lease:", 1)
	r := start(t, s, config)
	r.log.awaits(t, `"msg":"the archive is here"`)
	s.Ready(1)
	ann := firstMove(s)
	if code := r.end(); code != 0 {
		t.Fatalf("ended with %d: %s", code, r.log)
	}
	// The next process goes on, and says when the cluster is away.
	r = start(t, s, config)
	ops := r.log.awaits(t, `"for":"operations","address":"([^"]+)"`)
	r.log.awaits(t, `"how":"resumed"`)
	ann.Slash("#gomoku", "/move at:A1")
	ann.Waits("#gomoku", "move 5")
	for path, want := range map[string]string{"/healthz": "ok", "/readyz": "ok",
		"/metrics": `tengen_etcd_up{endpoint="` + c.Endpoints[0] + `"} 1`} {
		if code, text := get("http://" + ops + path); code != 200 || !strings.Contains(text, want) {
			t.Errorf("%s: %d %s", path, code, text)
		}
	}
}

// firstMove is a member who has begun a game against the bot, moved and seen its answer.
func firstMove(s *standin.Server) *standin.Member {
	ann := s.Member("ann")
	ann.Slash("#gomoku", "/play with:bot game:gomoku level:1 color:black")
	ann.Press("#gomoku", "H8")
	ann.Waits("#gomoku", "move 3 ")
	return ann
}

// threeMoves is a member who has made three moves against the bot and seen its answers.
func threeMoves(t *testing.T, s *standin.Server) *standin.Member {
	t.Helper()
	ann := firstMove(s)
	for n, at := range []string{"A15", "O1"} {
		ann.Slash("#gomoku", "/move at:"+at)
		ann.Waits("#gomoku", fmt.Sprintf("move %d ", 2*n+5))
	}
	oneBoard(t, ann)
	return ann
}

// oneBoard looks whether a member sees one board, and not one of each process.
func oneBoard(t *testing.T, ann *standin.Member) {
	t.Helper()
	if n := strings.Count(ann.Sees("#gomoku"), "{picture:"); n != 1 {
		t.Errorf("%d boards:\n%s", n, ann.Sees("#gomoku"))
	}
}

// TestTwoProcesses: one of them has the connection to Discord, one of them thinks, there is
// one board for each game, and when one ends the other does both.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	c := etcdtest.Start(t, 1)
	s := tcpStandin(t, standin.Options{})
	config := onCluster(s, c.Endpoints)
	one, two := start(t, s, config), start(t, s, config)
	one.log.awaits(t, `"msg":"slots","gained"`)
	two.log.awaits(t, `"msg":"slots","gained"`)
	s.Ready(1)
	ann := threeMoves(t, s)
	one.end()
	two.log.awaits(t, `"how":"(identified|resumed)"`)
	ann.Slash("#gomoku", "/move at:A1")
	ann.Waits("#gomoku", "move 9 ") // whoever thought here, the other does now
	oneBoard(t, ann)
}

// TestRunBeforeEtcd: a process that starts before its cluster, as after a loss of power,
// waits for it, and ends when it is told to.
func TestRunBeforeEtcd(t *testing.T) {
	t.Parallel() // most of it waits for etcd
	c := etcdtest.Start(t, 1)
	s := tcpStandin(t, standin.Options{})
	c.Kill(t, 0)
	r, ends := start(t, s, onCluster(s, c.Endpoints)), start(t, s, onCluster(s, c.Endpoints))
	ends.log.awaits(t, `"level":"WARN","msg":"etcd does not answer: trying again"`)
	if code := ends.end(); code != 0 {
		t.Errorf("ended with %d: %s", code, ends.log)
	}
	r.log.awaits(t, "trying again")
	c.Restart(t, 0)
	r.log.awaits(t, `"msg":"started"`)
	s.Ready(1)
	if testing.Short() {
		return
	}

	// A process that loses its cluster says so, and says when the cluster is back.
	ops := r.log.awaits(t, `"for":"operations","address":"([^"]+)"`)
	says := func(path string, code int, what string) {
		t.Helper()
		for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			got, text := get("http://" + ops + path)
			if got == code && strings.Contains(text, what) {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%s: %d %s", path, got, text)
			}
		}
	}
	says("/healthz", 200, "ok")
	says("/readyz", 200, "ok")
	c.Kill(t, 0)
	says("/readyz", 503, "etcd has not answered for")
	says("/healthz", 503, "etcd has not answered for 1")
	c.Restart(t, 0)
	says("/healthz", 200, "ok")
	says("/readyz", 200, "ok")
}

// TestHealth: a process that has been without Discord for long is ill. A process that holds
// some of its connections, or waits for them, is well.
func TestHealth(t *testing.T) {
	d := &fakeDiscord{}
	h := &health{store: &openStore{well: func() error { return nil }, ready: func() error { return nil }}, discord: d}
	now := time.Now()
	for _, step := range []struct {
		after     time.Duration
		connected bool
		well      bool
	}{{0, false, true}, {9 * time.Minute, false, true}, {11 * time.Minute, false, false}, {12 * time.Minute, true, true},
		{13 * time.Minute, false, true}, {22 * time.Minute, false, true}, {24 * time.Minute, false, false}} {
		d.connected = step.connected
		if err := h.connected(now.Add(step.after)); (err == nil) != step.well {
			t.Errorf("after %v: %v", step.after, err)
		}
	}
}

type fakeDiscord struct{ connected bool }

func (d *fakeDiscord) Up() bool        { return d.connected }
func (d *fakeDiscord) Connected() bool { return d.connected }

func TestCheckOnEtcd(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "config.yaml")
	check := func(text string) (int, string) {
		os.WriteFile(file, []byte("token: x\nstore:\n  engine: etcd\n  etcd:\n    endpoints: [https://127.0.0.1:1]\n"+text),
			0o600)
		code, out, errs := tengen(t, "run", "--check", "--config", file, "--stand-in", nobody)
		return code, out + errs
	}
	if code, text := check(""); code != 0 || !strings.Contains(text, "etcd at https://127.0.0.1:1, tengen") {
		t.Errorf("%d %s", code, text)
	}
	if code, text := check("    user: bot\n"); code != exitSetup || !strings.Contains(text, "no password for etcd") {
		t.Errorf("%d %s", code, text)
	}
	if code, text := check("    ca: " + dir + "/none.pem\n"); code != exitSetup || !strings.Contains(text, "none.pem") {
		t.Errorf("%d %s", code, text)
	}
}

// A process beside one of before the list keeps the schema that the older one knows, and raises it
// when the older one is gone. A program that knows less than the store holds does not start.
func TestUpdateOneAfterTheOther(t *testing.T) {
	t.Parallel()
	c := etcdtest.Start(t, 1)
	s := tcpStandin(t, standin.Options{})
	before, err := etcd.Open(t.Context(), etcd.Options{Endpoints: c.Endpoints, Prefix: "bots/one"}) // announces nothing
	testkit.Must(t, err)
	storagetest.Put(t, before, "mschema", []byte{1, 1})
	place := "etcd:" + strings.Join(c.Endpoints, ",") + "/bots/one"
	stats := func() string {
		t.Helper()
		code, out, stderr := tengen(t, "store", "stats", "--data", place)
		if code != 0 {
			t.Fatal(stderr)
		}
		return out
	}
	r := start(t, s, onCluster(s, c.Endpoints))
	r.log.awaits(t, "older programs have the store open")
	s.Ready(1)
	firstMove(s)
	if got := stats(); !strings.Contains(got, "schema           1\n") {
		t.Errorf("beside an older program:\n%s", got)
	}
	before.Close()
	r.end()

	r = start(t, s, onCluster(s, c.Endpoints))
	r.log.awaits(t, "the store has a new schema")
	s.Ready(1)
	if got := stats(); !strings.Contains(got, "schema           2\n") ||
		!strings.Contains(got, "programs of before the list: ") || !strings.Contains(got, "game 1") {
		t.Errorf("after the older program:\n%s", got)
	}
	if code, _, stderr := tengen(t, "store", "check", "--data", place); code != 0 {
		t.Error(stderr)
	}
	r.end()

	after := testkit.Got(etcd.Open(t.Context(), etcd.Options{Endpoints: c.Endpoints, Prefix: "bots/one"}))
	defer after.Close()
	storagetest.Put(t, after, "mschema", []byte{1, 3})
	r = start(t, s, onCluster(s, c.Endpoints))
	if code := r.wait(t); code != exitSetup || !strings.Contains(r.log.String(), "schema 3") {
		t.Errorf("on a newer store: code %d\n%s", code, r.log)
	}
}
