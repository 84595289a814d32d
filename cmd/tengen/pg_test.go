package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"tengen/bot/standin"
	"tengen/internal/testkit"
	"tengen/storage/pg/pgtest"
)

// TestRunOnPostgres: two lines of configuration, and the games are on PostgreSQL.
func TestRunOnPostgres(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	s := tcpStandin(t, standin.Options{})
	config := fmt.Sprintf("token: %s\nstore:\n  engine: postgres\n  postgres:\n    address: %s\n    schema: one\n"+
		"    lease: 2s\noperations:\n  address: 127.0.0.1:0\nlog:\n  format: json\n", s.Token(), pgtest.Address(server))
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
		if code != 0 {
			t.Fatalf("%v: %d %s %s", args, code, out, errs)
		}
		return out
	}
	place := "pg:" + pgtest.Address(server) + "#one"
	good("copy", "--from", "bolt:"+first, "--to", place)
	if out := good("check", "--data", place); !strings.Contains(out, "is good: ") {
		t.Error(out)
	}
	if out := good("stats", "--data", place); !strings.Contains(out, "finished games   40,") ||
		!strings.Contains(out, "PostgreSQL  ") {
		t.Error(out)
	}
	good("copy", "--from", place, "--to", "bolt:"+last)
	want := good("export", "--data", first)
	if good("export", "--data", place) != want || good("export", "--data", last) != want {
		t.Error("the exports differ")
	}
}
