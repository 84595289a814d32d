// Package etcdtest starts etcd on loopback for tests. Start from Start.
package etcdtest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"tengen/internal/testkit"
)

// Cluster is one or more etcd processes, which end with the test.
type Cluster struct {
	Endpoints []string
	members   []*member
	apart     *apart // nil: all on loopback
}

type member struct {
	args []string
	log  string
	run  *exec.Cmd
}

// Start starts n members with the further arguments, and waits until they answer; with
// --cert-file, which makes the endpoints https, until they listen. The test skips where there
// is no etcd.
func Start(t testing.TB, n int, args ...string) *Cluster {
	t.Helper()
	return start(t, n, nil, args...)
}

func start(t testing.TB, n int, net *apart, args ...string) *Cluster {
	t.Helper()
	program, err := exec.LookPath("etcd")
	if err != nil {
		t.Skip("no etcd here (Debian: etcd-server)")
	}
	dir := Dir(t)
	scheme := "http://"
	if slices.Contains(args, "--cert-file") {
		scheme = "https://"
	}
	var clients, peers []string
	if net == nil {
		clients, peers = ports(t, scheme, n), ports(t, "http://", n)
	}
	for i := range n {
		if net != nil {
			clients, peers = append(clients, net.url(i, 2379)), append(peers, net.url(i, 2380))
		}
	}
	var all []string
	for i, p := range peers {
		all = append(all, fmt.Sprintf("m%d=%s", i, p))
	}
	c := &Cluster{Endpoints: clients, apart: net}
	for i := range n {
		command := []string{program}
		if net != nil {
			command = []string{"ip", "netns", "exec", net.space(i), program}
		}
		m := &member{log: filepath.Join(dir, fmt.Sprintf("m%d.log", i)), args: append(append(command,
			"--name", fmt.Sprintf("m%d", i), "--data-dir", filepath.Join(dir, fmt.Sprintf("m%d", i)),
			"--listen-client-urls", clients[i], "--advertise-client-urls", clients[i],
			"--listen-peer-urls", peers[i], "--initial-advertise-peer-urls", peers[i],
			"--initial-cluster", strings.Join(all, ","), "--initial-cluster-token", filepath.Base(dir),
			"--heartbeat-interval", "20", "--election-timeout", "200", // a fifth of the usual
			"--logger", "zap", "--log-level", "error",
		), args...)}
		c.members = append(c.members, m)
		c.Restart(t, i)
	}
	t.Cleanup(func() {
		for i := range c.members {
			c.Kill(t, i)
		}
	})
	c.wait(t)
	return c
}

// Kill kills member i with SIGKILL, if it runs.
func (c *Cluster) Kill(t testing.TB, i int) {
	m := c.members[i]
	if m.run == nil {
		return
	}
	if err := m.run.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = m.run.Wait() // "signal: killed"
	m.run = nil
}

// Restart starts member i, which keeps its data.
func (c *Cluster) Restart(t testing.TB, i int) {
	t.Helper()
	m := c.members[i]
	log, err := os.OpenFile(m.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	m.run = exec.Command(m.args[0], m.args[1:]...)
	m.run.Stdout, m.run.Stderr = log, log
	m.run.Env = append(os.Environ(), "ETCD_UNSUPPORTED_ARCH=arm64")
	if err := m.run.Start(); err != nil {
		t.Fatal(err)
	}
}

// Leader waits until a member leads, and gives its number.
func (c *Cluster) Leader(t testing.TB) int {
	t.Helper()
	client := c.client(t)
	defer client.Close()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		for i, endpoint := range c.Endpoints {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			s, err := client.Status(ctx, endpoint)
			cancel()
			if err == nil && s.Leader == s.Header.MemberId {
				return i
			}
		}
	}
	t.Fatal("no member leads")
	return 0
}

func (c *Cluster) client(t testing.TB) *clientv3.Client {
	t.Helper()
	client, err := clientv3.New(clientv3.Config{Endpoints: c.Endpoints, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func (c *Cluster) wait(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for _, endpoint := range c.Endpoints { // a client that comes too early waits a second
		for ctx.Err() == nil {
			conn, err := net.Dial("tcp", endpoint[strings.LastIndex(endpoint, "/")+1:])
			if err == nil {
				conn.Close()
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	if strings.HasPrefix(c.Endpoints[0], "https") {
		return
	}
	client := c.client(t)
	defer client.Close()
	for ctx.Err() == nil {
		try, stop := context.WithTimeout(ctx, 2*time.Second)
		_, err := client.Get(try, "x")
		stop()
		if err == nil {
			return
		}
	}
	log, _ := os.ReadFile(c.members[0].log)
	t.Fatalf("etcd does not answer; its log:\n%s", log)
}

// given are the ports that tests of this process have got. A port stays its member's for good, since a
// member that is killed comes back to it.
var given sync.Map

// ports gives n addresses that are free now. They lie below the range (usually from 32768
// on) from which a system hands out ports by itself, so that no other process gets one of
// them before a member starts, or while a member is killed. Nothing listens at them to find that
// out: a process that another test starts would hold such a port until it has become its program.
func ports(t testing.TB, scheme string, n int) (urls []string) {
	t.Helper()
	for tries := 0; len(urls) < n; tries++ {
		if tries > 1000 {
			t.Fatal("no ports are free")
		}
		port := 10_000 + rand.IntN(11_000)
		if _, taken := given.LoadOrStore(port, true); taken {
			continue
		}
		address := fmt.Sprintf("127.0.0.1:%d", port)
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
			continue
		}
		urls = append(urls, scheme+address)
	}
	return urls
}

// Dir is a folder where the members keep their data: in memory, where there is such a
// place, or in the folder that ETCDTEST_DIR names.
func Dir(t testing.TB) string {
	if where := os.Getenv("ETCDTEST_DIR"); where != "" {
		dir, err := os.MkdirTemp(where, "tengen")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		return dir
	}
	return testkit.Scratch(t)
}
