package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tengen/bot/standin"
	"tengen/internal/testkit"
	"tengen/storage/kv"
	"tengen/storage/pg"
	"tengen/storage/pg/pgtest"
	"tengen/storage/storagetest"
)

func onPostgres(s *standin.Server, address string) string {
	return fmt.Sprintf("token: %s\nstore:\n  engine: postgres\n  postgres:\n    address: %s\n"+
		"    schema: one\n    lease: 2s\n"+
		"operations:\n  address: 127.0.0.1:0\nlog:\n  format: json\n", s.Token(), address)
}

// TestRunOnPostgres: two lines of configuration, and the games are on PostgreSQL.
func TestRunOnPostgres(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	s := tcpStandin(t, standin.Options{})
	config := onPostgres(s, pgtest.Address(server))
	r := start(t, s, config)
	s.Ready(1)
	ann := firstMove(s)
	if code := r.end(); code != 0 {
		t.Fatalf("ended with %d: %s", code, r.log)
	}
	// The next process goes on.
	r = start(t, s, config)
	ops := r.log.awaits(t, `"for":"operations","address":"([^"]+)"`)
	r.log.awaits(t, `"how":"resumed"`)
	ann.Slash("#gomoku", "/move at:A1")
	ann.Waits("#gomoku", "move 5")
	for path, want := range map[string]string{"/healthz": "ok", "/readyz": "ok",
		"/metrics": "tengen_postgres_synchronous 0\n"} {
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
	server := pgtest.Start(t)
	s := tcpStandin(t, standin.Options{})
	config := onPostgres(s, pgtest.Address(server))
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

// TestRunBeforePostgres: a process that starts before PostgreSQL, as after a loss of power,
// waits for it, and ends when it is told to.
func TestRunBeforePostgres(t *testing.T) {
	t.Parallel() // most of it waits for PostgreSQL
	server := pgtest.Start(t)
	s := tcpStandin(t, standin.Options{})
	server.Kill(t)
	r, ends := start(t, s, onPostgres(s, pgtest.Address(server))), start(t, s, onPostgres(s, pgtest.Address(server)))
	ends.log.awaits(t, `"level":"WARN","msg":"PostgreSQL is not ready: trying again"`)
	if code := ends.end(); code != 0 {
		t.Errorf("ended with %d: %s", code, ends.log)
	}
	r.log.awaits(t, "trying again")
	server.Restart(t)
	r.log.awaits(t, `"msg":"started"`)
	s.Ready(1)
	if testing.Short() {
		return
	}

	// A process that loses PostgreSQL says so, and says when it is back.
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
	server.Kill(t)
	says("/readyz", 503, "PostgreSQL has not answered for")
	says("/healthz", 503, "PostgreSQL has not answered for 1")
	server.Restart(t)
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

func TestCheckOnPostgres(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	check := func(text string) (int, string) {
		testkit.Write(t, file, []byte("token: MTAw.x.y\nstore:\n  engine: postgres\n  postgres:\n"+text))
		code, out, errs := tengen(t, "run", "--check", "--config", file, "--stand-in", nobody)
		return code, out + errs
	}
	address := "    address: postgres://bot@10.0.0.1,10.0.0.2/games\n"
	if code, text := check(address); code != 0 || !strings.Contains(text, "10.0.0.1,10.0.0.2/games, schema tengen") {
		t.Errorf("%d %s", code, text)
	}
	if code, text := check(address + "    password_file: " + file + ".none\n"); code != exitSetup ||
		!strings.Contains(text, "reading the password of PostgreSQL") {
		t.Errorf("%d %s", code, text)
	}
}

// A process beside one of before the list keeps the schema that the older one knows, and raises it
// when the older one is gone. A program that knows less than the store holds does not start.
func TestUpdateOneAfterTheOther(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	s := tcpStandin(t, standin.Options{})
	before, err := pg.Open(t.Context(), pg.Options{Address: pgtest.Address(server), Schema: "one"}) // announces nothing
	testkit.Must(t, err)
	storagetest.Put(t, before, "mschema", []byte{1, 1})
	place := pgPrefix + pgtest.Address(server) + "#one"
	stats := func() string {
		t.Helper()
		code, out, stderr := tengen(t, "store", "stats", "--data", place)
		if code != 0 {
			t.Fatal(stderr)
		}
		return out
	}
	r := start(t, s, onPostgres(s, pgtest.Address(server)))
	r.log.awaits(t, "older programs have the store open")
	s.Ready(1)
	firstMove(s)
	if got := stats(); !strings.Contains(got, "schema           1\n") {
		t.Errorf("beside an older program:\n%s", got)
	}
	r.end() // before the older one goes: it would raise the schema itself
	before.Close()

	r = start(t, s, onPostgres(s, pgtest.Address(server)))
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

	after := testkit.Got(pg.Open(t.Context(), pg.Options{Address: pgtest.Address(server), Schema: "one"}))
	defer after.Close()
	storagetest.Put(t, after, "mschema", []byte{1, 3})
	r = start(t, s, onPostgres(s, pgtest.Address(server)))
	if code := r.wait(t); code != exitSetup || !strings.Contains(r.log.String(), "schema 3") {
		t.Errorf("on a newer store: code %d\n%s", code, r.log)
	}
}

// TestStoreOnPostgres copies a store to PostgreSQL, looks at it there, and copies it back: the same games.
func TestStoreOnPostgres(t *testing.T) {
	t.Parallel()
	const games = 40
	server := pgtest.Start(t)
	dir := t.TempDir()
	first, last := filepath.Join(dir, "first.db"), filepath.Join(dir, "last.db")
	testkit.Must(t, makeStore(t.Context(), first, games))
	testkit.Must(t, putAway(t.Context(), first))
	good := func(args ...string) string {
		t.Helper()
		code, out, errs := tengen(t, append([]string{"store"}, args...)...)
		if code != 0 || strings.Contains(out+errs, "hunter2") {
			t.Fatalf("%v: %d %s %s", args, code, out, errs)
		}
		return out
	}
	place := "pg:" + pgtest.Address(server) + " password=hunter2#one"
	good("copy", "--from", "bolt:"+first, "--to", place)
	if out := good("check", "--data", place); !strings.Contains(out, "is good: ") {
		t.Error(out)
	}
	if out := good("stats", "--data", place); !strings.Contains(out, "finished games   40\n") ||
		!strings.Contains(out, "PostgreSQL  ") {
		t.Error(out)
	}
	good("copy", "--from", place, "--to", "bolt:"+last)
	want := good("export", "--data", first)
	if good("export", "--data", place) != want || good("export", "--data", last) != want {
		t.Error("the exports differ")
	}

	// What is damaged is found, and where nothing is there is no store.
	db := testkit.Got(pg.Open(t.Context(), pg.Options{Address: pgtest.Address(server), Schema: "one"}))
	testkit.Check(t, db.Update(t.Context(), func(tx kv.Tx) error { return tx.Put([]byte{'a', 1}, []byte{1}) }))
	testkit.Check(t, db.Close())
	if code, out, errs := tengen(t, "store", "check", "--json", "--data", place); code != 1 ||
		!strings.Contains(out, `"good":false`) {
		t.Errorf("%d %s %s", code, out, errs)
	}
	if code, _, errs := tengen(t, "store", "stats", "--data", "pg:"+pgtest.Address(server)+"#three"); code != 1 ||
		!strings.Contains(errs, "nothing in it yet") {
		t.Errorf("%d %s", code, errs)
	}
}
