package etcdtest

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// apart is a network of its own for each member, so that one can be cut off from the
// others and from all clients. It needs root on Linux, and ip.
type apart struct{ id int }

// StartApart is Start with each member in a network namespace of its own, for Cut. The
// second result is false, and the members are on loopback, where this machine does not
// allow it.
func StartApart(t testing.TB, n int, args ...string) (*Cluster, bool) {
	t.Helper()
	if _, err := exec.LookPath("etcd"); err != nil {
		t.Skip("no etcd here (Debian: etcd-server)")
	}
	a := &apart{id: os.Getpid() % 50000}
	t.Cleanup(a.remove)
	if err := a.make(n); err != nil {
		t.Logf("no network namespaces here: %v", err)
		return Start(t, n, args...), false
	}
	return start(t, n, a, args...), true
}

// Cut cuts member i off; Mend connects it again.
func (c *Cluster) Cut(t testing.TB, i int) { t.Helper(); c.link(t, i, "down") }

// Mend is the end of Cut.
func (c *Cluster) Mend(t testing.TB, i int) { t.Helper(); c.link(t, i, "up") }

func (c *Cluster) link(t testing.TB, i int, state string) {
	t.Helper()
	if c.apart == nil {
		t.Fatal("the members are not apart")
	}
	if err := ip("link", "set", c.apart.outer(i), state); err != nil {
		t.Fatal(err)
	}
}

// Names of interfaces have at most 15 characters.
func (a *apart) bridge() string     { return fmt.Sprintf("tg%xb", a.id) }
func (a *apart) outer(i int) string { return fmt.Sprintf("tg%xo%d", a.id, i) }
func (a *apart) inner(i int) string { return fmt.Sprintf("tg%xi%d", a.id, i) }
func (a *apart) space(i int) string { return fmt.Sprintf("tengen%x-%d", a.id, i) }
func (a *apart) host(n int) string  { return fmt.Sprintf("10.%d.%d.%d", 200+a.id/256%50, a.id%256, n) }

func (a *apart) url(i, port int) string { return fmt.Sprintf("http://%s:%d", a.host(10+i), port) }

// make makes a bridge with an address of ours, and a wire from it to each namespace.
func (a *apart) make(n int) error {
	steps := [][]string{
		{"link", "add", a.bridge(), "type", "bridge"},
		{"addr", "add", a.host(1) + "/24", "dev", a.bridge()},
		{"link", "set", a.bridge(), "up"},
	}
	for i := range n {
		steps = append(steps,
			[]string{"netns", "add", a.space(i)},
			[]string{"link", "add", a.outer(i), "type", "veth", "peer", "name", a.inner(i)},
			[]string{"link", "set", a.inner(i), "netns", a.space(i)},
			[]string{"link", "set", a.outer(i), "master", a.bridge(), "up"},
			[]string{"-n", a.space(i), "addr", "add", a.host(10+i) + "/24", "dev", a.inner(i)},
			[]string{"-n", a.space(i), "link", "set", "lo", "up"},
			[]string{"-n", a.space(i), "link", "set", a.inner(i), "up"})
	}
	for _, s := range steps {
		if err := ip(s...); err != nil {
			return err
		}
	}
	return nil
}

func (a *apart) remove() {
	for i := range 9 {
		_ = ip("link", "del", a.outer(i))
		_ = ip("netns", "del", a.space(i))
	}
	_ = ip("link", "del", a.bridge())
}

func ip(args ...string) error {
	out, err := exec.Command("ip", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("ip %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}
