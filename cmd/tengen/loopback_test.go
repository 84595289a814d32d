package main

import (
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tengen/bot/standin"
	"tengen/internal/testkit"
	"tengen/storage/pg/pgtest"
)

// TestLoopback brings up by deploy/loopback.sh what docs/scaling.md describes, kills the primary, a bot and the
// monitor one after the other, and goes on playing. In the end nothing is left but the folder.
func TestLoopback(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts PostgreSQL, bots and a balancer")
	}
	for _, what := range []string{"pg_autoctl", "haproxy"} {
		if _, err := exec.LookPath(what); err != nil {
			t.Skipf("no %s here", what)
		}
	}
	dir := pgtest.Dir(t)
	program, err := exec.LookPath("tengen") // TestMain's
	testkit.Must(t, err)
	s := tcpStandin(t, standin.Options{})
	port := freePorts(t, 8)
	loopback := func(args ...string) *exec.Cmd {
		c := exec.Command("../../deploy/loopback.sh", append([]string{dir}, args...)...)
		c.Env = append(os.Environ(), "DISCORD_TOKEN="+s.Token(), "PUBLIC_KEY="+hex.EncodeToString(s.PublicKey()),
			"TENGEN="+program, "PORT="+strconv.Itoa(port), "STANDIN="+s.Addr())
		return c
	}
	do := func(args ...string) string {
		t.Helper()
		out, err := loopback(args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v %s", args, err, out)
		}
		return string(out)
	}
	up, log := loopback(), &output{}
	up.Stdout, up.Stderr = log, log
	testkit.Must(t, up.Start())
	down := sync.OnceFunc(func() {
		up.Process.Signal(syscall.SIGTERM)
		if err := up.Wait(); err != nil {
			t.Errorf("the end: %v", err)
		}
	})
	t.Cleanup(func() {
		down()
		if t.Failed() {
			logs, _ := filepath.Glob(filepath.Join(dir, "*.log"))
			for _, name := range logs {
				text, _ := os.ReadFile(name)
				t.Logf("%s:\n%s", filepath.Base(name), text[max(0, len(text)-3000):])
			}
		}
	})
	log.awaits(t, "load balancer on (.*);")
	state := func(want string) {
		t.Helper()
		testkit.Eventually(t, want, func() bool { return regexp.MustCompile(want).MatchString(do("state")) })
	}
	ready := func(bots ...int) {
		t.Helper()
		for _, i := range bots {
			testkit.Eventually(t, fmt.Sprintf("bot%d is ready", i), func() bool {
				p, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/readyz", port+4+i))
				if err != nil {
					return false
				}
				p.Body.Close()
				return p.StatusCode == 200
			})
		}
	}
	// answers waits until the balancer hands requests on: a bot refuses one that is not signed.
	answers := func() {
		t.Helper()
		testkit.Eventually(t, "the balancer has a bot", func() bool {
			p, err := http.Post(fmt.Sprintf("http://127.0.0.1:%d/interactions", port+7), "application/json", nil)
			if err != nil {
				return false
			}
			p.Body.Close()
			return p.StatusCode == 401
		})
	}
	state(`n2 .* secondary \|`)
	state(`n1 .* primary \|`)
	ready(1, 2)
	testkit.Eventually(t, "Discord takes the endpoint", func() bool {
		err = s.SetEndpoint(fmt.Sprintf("http://127.0.0.1:%d/interactions", port+7))
		return err == nil
	})
	s.Ready(1)
	ann := firstMove(s)

	// The primary's machine is gone. What was acknowledged is on the standby, and it goes on.
	did := time.Now()
	do("kill", "n1")
	state(`n2 .* wait_primary \|`)
	ready(1, 2)
	answers()
	ann.Slash("#gomoku", "/move at:A15")
	ann.Waits("#gomoku", "move 5 ")
	t.Logf("a move again %v after the primary was killed", time.Since(did).Round(100*time.Millisecond))
	do("start", "n1")
	state(`n1 .* secondary \|`)
	state(`n2 .* primary \|`)

	do("kill", "bot1")
	ann.Slash("#gomoku", "/move at:O1")
	ann.Waits("#gomoku", "move 7 ")
	do("start", "bot1")
	ready(1)

	// Without the monitor nobody fails over, and play goes on.
	do("kill", "monitor")
	ann.Slash("#gomoku", "/move at:O15")
	ann.Waits("#gomoku", "move 9 ")
	if n := strings.Count(ann.Sees("#gomoku"), "{picture:"); n != 1 {
		t.Errorf("%d boards:\n%s", n, ann.Sees("#gomoku"))
	}
	down()
	if left, _ := exec.Command("pgrep", "-f", dir).Output(); len(left) > 0 {
		t.Errorf("processes are left: %s", left)
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
