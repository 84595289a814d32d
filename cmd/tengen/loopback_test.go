package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"tengen/bot/standin"
	"tengen/internal/testkit"
)

// TestLoopback brings up by deploy/loopback.sh what docs/scaling.md describes, plays on
// it, and goes on playing when one of the two bots is killed.
func TestLoopback(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts six processes")
	}
	for _, what := range []string{"pg_ctl", "haproxy"} {
		if _, err := exec.LookPath(what); err != nil {
			t.Skipf("no %s here", what)
		}
	}
	dir := t.TempDir()
	program, err := exec.LookPath("tengen") // TestMain's
	testkit.Must(t, err)
	s := tcpStandin(t, standin.Options{})
	port := freePorts(t, 11)
	up := exec.Command("../../deploy/loopback.sh", filepath.Join(dir, "data"))
	up.Env = append(os.Environ(), "DISCORD_TOKEN="+s.Token(), "PUBLIC_KEY="+hex.EncodeToString(s.PublicKey()),
		"TENGEN="+program, "PORT="+strconv.Itoa(port), "STANDIN="+s.Addr())
	log := &output{}
	up.Stdout, up.Stderr = log, log
	testkit.Must(t, up.Start())
	t.Cleanup(func() {
		up.Process.Signal(syscall.SIGTERM)
		up.Wait()
		if t.Failed() {
			logs, _ := filepath.Glob(filepath.Join(dir, "data", "*.log"))
			for _, name := range logs {
				text, _ := os.ReadFile(name)
				t.Logf("%s:\n%s", filepath.Base(name), text[max(0, len(text)-3000):])
			}
		}
	})
	ready := func(i int) {
		t.Helper()
		for end := time.Now().Add(60 * time.Second); ; time.Sleep(50 * time.Millisecond) {
			p, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/readyz", port+9+i))
			if err == nil {
				p.Body.Close()
				if p.StatusCode == 200 {
					return
				}
			}
			if time.Now().After(end) {
				t.Fatalf("bot %d is not ready; %s", i, log)
			}
		}
	}
	ready(0)
	ready(1)
	testkit.Eventually(t, "the load balancer sees both bots", func() bool {
		text, err := os.ReadFile(filepath.Join(dir, "data", "haproxy.log"))
		up := func(bot string) bool {
			return bytes.LastIndex(text, []byte(bot+" is DOWN")) <= bytes.LastIndex(text, []byte(bot+" is UP"))
		}
		return err == nil && up("bot0") && up("bot1")
	})
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if err = s.SetEndpoint(fmt.Sprintf("http://127.0.0.1:%d/interactions", port+8)); err == nil {
			break
		}
	}
	testkit.Must(t, err)
	s.Ready(1)
	ann := firstMove(s)
	ann.Slash("#gomoku", "/move at:A15")
	ann.Waits("#gomoku", "move 5 ")
	text := testkit.Read(t, filepath.Join(dir, "data", "bot0.pid"))
	testkit.Must(t, syscall.Kill(testkit.Got(strconv.Atoi(strings.TrimSpace(string(text)))), syscall.SIGKILL))
	ann.Slash("#gomoku", "/move at:O1")
	ann.Waits("#gomoku", "move 7 ")
	if n := strings.Count(ann.Sees("#gomoku"), "{picture:"); n != 1 {
		t.Errorf("%d boards:\n%s", n, ann.Sees("#gomoku"))
	}
}

// freePorts finds n ports in a row that nobody has at the moment, and gives the first.
func freePorts(t *testing.T, n int) int {
	t.Helper()
	for first := 21000 + os.Getpid()%8000; first < 60000; first += n {
		var held []net.Listener
		for i := range n {
			l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", first+i))
			if err != nil {
				break
			}
			held = append(held, l)
		}
		for _, l := range held {
			l.Close()
		}
		if len(held) == n {
			return first
		}
	}
	t.Fatal("no free ports")
	return 0
}
