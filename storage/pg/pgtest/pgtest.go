// Package pgtest starts PostgreSQL in a folder of its own for tests. Start from Start.
package pgtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/internal/testkit"
)

// Server is a server that listens at a socket in its folder, and ends with the test.
type Server struct {
	Dir   string
	data  string
	args  []string
	run   *exec.Cmd
	ended chan struct{} // closed at the end of run
}

// Start starts a server with further settings such as "fsync=on"; without them it writes nothing to the disk in
// time. The test skips where there is no PostgreSQL.
func Start(t testing.TB, settings ...string) *Server {
	t.Helper()
	s := &Server{Dir: Dir(t)}
	s.data = filepath.Join(s.Dir, "data")
	command(t, "initdb", "-D", s.data, "-U", "bot", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale", "C")
	s.with(append([]string{"fsync=off"}, settings...))
	s.Restart(t)
	return s
}

// Standby starts a further server that follows s. Restart s before with synchronous_standby_names to have it wait.
func (s *Server) Standby(t testing.TB, name string, settings ...string) *Server {
	t.Helper()
	f := &Server{Dir: Dir(t)}
	f.data = filepath.Join(f.Dir, "data")
	f.Follow(t, s, name, settings...)
	return f
}

// Follow makes s, which has ended, a standby of another server, with the data of that one.
func (s *Server) Follow(t testing.TB, primary *Server, name string, settings ...string) {
	t.Helper()
	testkit.Must(t, os.RemoveAll(s.data))
	command(t, "pg_basebackup", "-D", s.data, "-h", primary.Dir, "-U", "bot", "-R", "-X", "stream", "-c", "fast",
		"--no-sync")
	s.with(append([]string{"fsync=off",
		fmt.Sprintf("primary_conninfo=host=%s user=bot application_name=%s", primary.Dir, name)}, settings...))
	s.Restart(t)
}

// WaitForStandby has a primary wait for any standby with each commit, from now on.
func (s *Server) WaitForStandby(t testing.TB) {
	t.Helper()
	s.Do(t, "ALTER SYSTEM SET synchronous_standby_names = '*'")
	s.Do(t, "SELECT pg_reload_conf()")
	for s.Do(t, "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") != "1" {
		time.Sleep(10 * time.Millisecond)
	}
}

// Backup takes a base backup into a folder that goes with the test.
func (s *Server) Backup(t testing.TB) (dir string) {
	t.Helper()
	dir = filepath.Join(Dir(t), "backup")
	command(t, "pg_basebackup", "-D", dir, "-h", s.Dir, "-U", "bot", "-X", "stream", "-c", "fast", "--no-sync")
	return dir
}

func (s *Server) with(settings []string) {
	s.args = []string{"-D", s.data}
	// Memory in files of the data goes with it, also where the server is killed.
	for _, set := range append([]string{"listen_addresses=", "unix_socket_directories=" + s.Dir, "shared_buffers=64MB",
		"max_connections=60", "logging_collector=off", "dynamic_shared_memory_type=mmap"}, settings...) {
		s.args = append(s.args, "-c", set)
	}
}

// Address is where the servers are, for pgx; the first that can be written counts.
func Address(servers ...*Server) string {
	var dirs []string
	for _, s := range servers {
		dirs = append(dirs, s.Dir)
	}
	return at(dirs)
}

func at(dirs []string) string {
	return fmt.Sprintf("host=%s user=bot dbname=postgres connect_timeout=2", strings.Join(dirs, ","))
}

// Kill kills the server with SIGKILL, if it runs. The processes that it has started end by themselves.
func (s *Server) Kill(t testing.TB) {
	if s.run == nil {
		return
	}
	if err := s.run.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Error(err)
	}
	<-s.ended
	s.run = nil
}

// Halt stops the server and what it has started without ending them: connections stay open, and nothing answers. Kill
// ends them.
func (s *Server) Halt(t testing.TB) {
	t.Helper()
	halt(t, s.run.Process.Pid)
}

// Restart starts the server, which keeps its data, and waits until it answers. Further settings replace older ones.
func (s *Server) Restart(t testing.TB, settings ...string) {
	t.Helper()
	s.Kill(t)
	for _, set := range settings {
		s.args = append(s.args, "-c", set)
	}
	t.Cleanup(func() { s.Kill(t) })
	ready := find(t, "pg_isready")
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if s.run == nil {
			s.start(t)
		}
		select {
		case <-s.ended: // while processes of the one that was killed are still there
			s.run = nil
		default:
			if exec.Command(ready, "-q", "-h", s.Dir).Run() == nil {
				return
			}
		}
	}
	text, _ := os.ReadFile(s.log())
	t.Fatalf("PostgreSQL does not answer; its log:\n%s", text)
}

func (s *Server) start(t testing.TB) {
	t.Helper()
	_ = os.Remove(filepath.Join(s.data, "postmaster.pid")) // of the one that was killed
	log, err := os.OpenFile(s.log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	testkit.Must(t, err)
	defer log.Close()
	run, ended := as(exec.Command(find(t, "postgres"), s.args...)), make(chan struct{})
	run.Stdout, run.Stderr = log, log
	testkit.Must(t, run.Start())
	go func() {
		_ = run.Wait() // "signal: killed"
		close(ended)
	}()
	s.run, s.ended = run, ended
}

func (s *Server) log() string { return filepath.Join(s.Dir, "log") }

// Promote makes a standby the primary.
func (s *Server) Promote(t testing.TB) {
	t.Helper()
	command(t, "pg_ctl", "promote", "-D", s.data, "-w")
}

// LogAt moves the write-ahead log of the server, which has ended, into an empty folder.
func (s *Server) LogAt(t testing.TB, dir string) {
	t.Helper()
	was := filepath.Join(s.data, "pg_wal")
	command(t, "cp", "-a", was+"/.", dir)
	testkit.Must(t, os.RemoveAll(was))
	testkit.Must(t, os.Symlink(dir, was))
}

// Do runs a statement and gives its answer.
func (s *Server) Do(t testing.TB, statement string) string {
	t.Helper()
	return strings.TrimSpace(command(t, "psql", "-h", s.Dir, "-U", "bot", "-d", "postgres", "-qAtc", statement))
}

func command(t testing.TB, name string, args ...string) string {
	t.Helper()
	c := as(exec.Command(find(t, name), args...))
	c.Dir = "/"
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return string(out)
}

// find looks for a program where Debian has it, which is no folder of PATH.
func find(t testing.TB, name string) string {
	t.Helper()
	places, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	sbin, _ := filepath.Glob("/usr/sbin/" + name)
	places = append(places, sbin...)
	slices.Sort(places)
	if len(places) > 0 {
		return places[len(places)-1]
	}
	program, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("no %s here (Debian: postgresql, pgbouncer)", name)
	}
	return program
}

// Write makes a file that the server alone reads.
func Write(t testing.TB, path string, data []byte) {
	t.Helper()
	testkit.Write(t, path, data)
	testkit.Must(t, Own(path))
}

// Dir is a folder for a server: in memory, where there is such a place, or in the folder that PGTEST_DIR names.
func Dir(t testing.TB) (dir string) {
	t.Helper()
	find(t, "initdb") // skips
	if where := os.Getenv("PGTEST_DIR"); where != "" {
		var err error
		dir, err = os.MkdirTemp(where, "tengen")
		testkit.Must(t, err)
		t.Cleanup(func() { os.RemoveAll(dir) })
	} else {
		dir = testkit.Scratch(t)
	}
	testkit.Must(t, Own(dir))
	return dir
}
