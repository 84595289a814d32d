package pgtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tengen/internal/testkit"
)

// Pooler is pgbouncer: its clients share connections to a server, a transaction at a time. It ends with the test.
type Pooler struct {
	dir      string
	settings []string
	run      *exec.Cmd
}

// NewPooler starts a pooler in front of a server, with settings as "key = value" beside its own. The test skips where
// there is no pgbouncer.
func NewPooler(t testing.TB, s *Server, settings ...string) *Pooler {
	t.Helper()
	p := &Pooler{dir: Dir(t), settings: settings}
	p.configure(t, s)
	p.run = as(exec.Command(find(t, "pgbouncer"), "-q", p.file("ini")))
	p.run.Dir = p.dir
	testkit.Must(t, p.run.Start())
	t.Cleanup(func() {
		testkit.Check(t, p.run.Process.Kill())
		_ = p.run.Wait() // "signal: killed"
	})
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if exec.Command(find(t, "pg_isready"), "-q", "-h", p.dir, "-p", "6432").Run() == nil {
			return p
		}
		if time.Now().After(end) {
			text, _ := os.ReadFile(p.file("log"))
			t.Fatalf("pgbouncer does not answer; its log:\n%s", text)
		}
	}
}

// Address is where the pooler is, for pgx.
func (p *Pooler) Address() string {
	return fmt.Sprintf("host=%s port=6432 user=bot dbname=postgres connect_timeout=2", p.dir)
}

// Lead has the pooler lead to another server from now on: clients keep their connections to the pooler, and their next
// transactions go there.
func (p *Pooler) Lead(t testing.TB, s *Server) {
	t.Helper()
	p.configure(t, s)
	testkit.Must(t, p.run.Process.Signal(syscall.SIGHUP))
}

func (p *Pooler) configure(t testing.TB, s *Server) {
	t.Helper()
	Write(t, p.file("ini"), fmt.Appendf(nil, "[databases]\npostgres = host=%s user=bot\n[pgbouncer]\nauth_type = any\n"+
		"listen_port = 6432\nunix_socket_dir = %s\npool_mode = transaction\nlogfile = %s\n%s\n", s.Dir, p.dir, p.file("log"),
		strings.Join(p.settings, "\n")))
}

func (p *Pooler) file(name string) string { return filepath.Join(p.dir, "pgbouncer."+name) }
