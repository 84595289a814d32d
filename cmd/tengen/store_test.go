package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sync/errgroup"

	"tengen/bot/standin"
	"tengen/game"
	"tengen/game/record"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/bolt"
	"tengen/storage/kv"
	"tengen/storage/storagetest"
)

// The scripts of testdata/store have some commands beside tengen: `mkstore FILE N` plays N
// games to their end in a store, `damage FILE` overwrites the middle of a file, and
// `redate DIR N AGE` names the N-th backup of a folder as if it had been made AGE from now.
func TestStoreScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/store",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"mkstore": func(ts *testscript.TestScript, _ bool, args []string) {
				n, err := strconv.Atoi(args[1])
				ts.Check(err)
				ts.Check(makeStore(context.Background(), ts.MkAbs(args[0]), n))
			},
			"damage": func(ts *testscript.TestScript, _ bool, args []string) {
				f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_RDWR, 0)
				ts.Check(err)
				_, err = f.WriteAt(bytes.Repeat([]byte("damage"), 4000), 8192)
				ts.Check(err)
				ts.Check(f.Close())
			},
			"redate": func(ts *testscript.TestScript, _ bool, args []string) {
				found, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), "*.db"))
				ts.Check(err)
				n, err := strconv.Atoi(args[1])
				ts.Check(err)
				age, err := time.ParseDuration(args[2])
				ts.Check(err)
				name := time.Now().UTC().Add(age).Format("tengen-20060102T150405.000Z.db")
				ts.Check(os.Rename(found[n-1], filepath.Join(ts.MkAbs(args[0]), name)))
			},
		},
	})
}

var march = testkit.At("2026-03-01 12:00")

// openFile opens the store of a file.
func openFile(ctx context.Context, path string) (*bolt.DB, *storage.Store, error) {
	db, err := bolt.Open(ctx, path, bolt.Options{Log: slog.New(slog.DiscardHandler), Grows: storage.Grows,
		Omit: storage.Omit})
	if err != nil {
		return nil, nil, err
	}
	s, err := storage.Open(ctx, db, storage.Options{})
	return db, s, err
}

func makeStore(ctx context.Context, path string, games int) error {
	db, s, err := openFile(ctx, path)
	if err != nil {
		return err
	}
	var next atomic.Int64
	var players errgroup.Group
	for range 1 + min(games/100, 63) { // a commit waits for the disk, many go together
		players.Go(func() error {
			for i := next.Add(1) - 1; i < int64(games); i = next.Add(1) - 1 {
				if err := playOne(ctx, s, int(i)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return errors.Join(players.Wait(), db.Close())
}

// playOne is a game of six moves that black resigns.
func playOne(ctx context.Context, s *storage.Store, i int) error {
	at := march.Add(time.Duration(i) * time.Minute)
	rules := game.AllRules[i%len(game.AllRules)]
	cause := storage.Cause{At: at, Token: "secret-token", Expires: at.Add(time.Hour)}
	rec, err := s.Create(ctx, cause, venue.Place{Server: 1, Channel: 2}, func(id game.MatchID) (game.Match, error) {
		return game.NewMatch(id, game.Terms{Rules: rules, First: game.Black}, 5, game.SeatFor(5), game.SeatFor(6), at,
			at.Add(time.Hour))
	})
	if err != nil {
		return err
	}
	_, err = s.Update(ctx, rec.ID, cause, func(m game.Match) (game.Match, error) {
		m, err := m.Accept(6, at)
		for n := 0; n < 6 && err == nil; n++ {
			at = at.Add(4 * time.Second)
			m, err = m.Play(m.Seats[m.ToMove()].Member, m.Game().Legal().Points()[0], at)
		}
		if err != nil {
			return m, err
		}
		return m.Resign(5, at)
	})
	return err
}

func TestStoreHeld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tengen.db")
	db := testkit.Got(bolt.Open(t.Context(), path, bolt.Options{Name: "tengen run"}))
	defer db.Close()
	for _, args := range [][]string{{"check"}, {"backup"}, {"compact"}, {"stats"}, {"export"}, {"restore", path}} {
		code, _, stderr := tengen(t, append(append([]string{"store"}, args...), "--data", path)...)
		if code != 1 || !strings.Contains(stderr, "in use by process "+strconv.Itoa(os.Getpid())+" (tengen run") {
			t.Errorf("store %v on a store in use: code %d, %s", args, code, stderr)
		}
	}
}

func tengen(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, text bytes.Buffer
	code = run(t.Context(), args, streams{in: strings.NewReader(""), out: &out, err: &text})
	return code, out.String(), text.String()
}

// An export reads back: as JSON, and as SGF with the same games.
func TestStoreExport(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tengen.db")
	testkit.Must(t, makeStore(t.Context(), path, 12))
	code, out, stderr := tengen(t, "store", "export", "--data", path)
	if code != 0 {
		t.Fatal(stderr)
	}
	lines := 0
	for line := range strings.Lines(out) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil || v["kind"] != "match" {
			t.Errorf("%v: %s", err, line)
		}
		lines++
	}
	if lines != 12 || strings.Contains(out, "secret-token") {
		t.Errorf("%d lines", lines)
	}
	code, out, stderr = tengen(t, "store", "export", "--data", path, "--format", "sgf")
	if code != 0 {
		t.Fatal(stderr)
	}
	file := filepath.Join(t.TempDir(), "out.jsonl")
	if code, _, stderr := tengen(t, "store", "export", "--data", path, file); code != 0 {
		t.Fatal(stderr)
	}
	isPrivate(t, file)
	rec, err := record.Read([]byte(out), record.Hints{})
	if err != nil || rec.Game.Len() != 6 || !strings.HasPrefix(rec.Black, "member ") || strings.Count(out, "(;") != 12 {
		t.Errorf("the collection of games: %v, %+v", err, rec)
	}
}

// A store of a newer tengen is refused.
func TestStoreOfNewer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tengen.db")
	testkit.Must(t, makeStore(t.Context(), path, 1))
	withStore(t, path, func(db *bolt.DB) { storagetest.Put(t, db, "mschema", []byte{1, 77}) })
	if code, _, stderr := tengen(t, "store", "stats", "--data", path); code != 1 ||
		!strings.Contains(stderr, "schema 77") {
		t.Errorf("stats of a newer schema: %d, %s", code, stderr)
	}
}

// A command that is interrupted leaves no half file and ends with the code of the signal.
func TestStoreInterrupted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tengen.db")
	testkit.Must(t, makeStore(t.Context(), path, 12))
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{
		{"export", filepath.Join(dir, "out.jsonl")}, {"export", "--format", "sgf", filepath.Join(dir, "out.sgf")},
		{"backup", filepath.Join(dir, "out.db")}, {"check"}, {"compact"}, {"restore", path},
	} {
		args = append(append([]string{"store"}, args...), "--data", path)
		if code := run(ctx, args, streams{in: strings.NewReader(""), out: discard{}, err: discard{}}); code != 130 {
			t.Errorf("%v ended with %d", args, code)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if hidden, _ := filepath.Glob(filepath.Join(dir, ".*")); len(hidden) > 0 {
		t.Errorf("left behind: %v", hidden)
	}
	for _, pattern := range []string{"*.part", "*.next", "*.new", "*.damaged*"} {
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), pattern)); len(left) > 0 {
			t.Errorf("left beside the store: %v", left)
		}
	}
	if code, out, stderr := tengen(t, "store", "check", "--data", path); code != 0 {
		t.Errorf("afterwards: %s%s", out, stderr)
	}
}

// An older program names what it does not know, both versions, and the newest backup that it can take.
func TestRunOnNewerStore(t *testing.T) {
	t.Parallel()
	s := tcpStandin(t, standin.Options{})
	file := filepath.Join(t.TempDir(), "games.db")
	testkit.Must(t, makeStore(t.Context(), file, 3))
	command := func(args ...string) (int, string) {
		var out, errs output
		code := run(t.Context(), append([]string{"store"}, args...), streams{nil, &out, &errs})
		return code, out.String() + errs.String()
	}
	backup := func() string {
		code, said := command("backup", "--data", file)
		if code != 0 {
			t.Fatal(said)
		}
		path, _, _ := strings.Cut(said, ",")
		return path
	}
	old := backup()
	withStore(t, file, func(db *bolt.DB) { // as a program of the next year would have left it
		testkit.Must(t, db.Update(t.Context(), func(tx kv.Tx) error {
			row := []byte("mkinds")
			value, err := tx.Get(row)
			line := "\x01?" + "\x07" + "\x05chess" + "\x04v9.9" + "\x00" // row, version, name, program, no time
			value[2]++                                                   // lines
			return errors.Join(err, tx.Put(row, append(value, append([]byte{byte(len(line))}, line...)...)))
		}))
	})
	newer := backup()
	says := []string{"v9.9", "chess (? 7)", rowsVersion(), old}
	check := func(what string, code, want int, said string) {
		t.Helper()
		if code != want {
			t.Errorf("%s: code %d", what, code)
		}
		for _, want := range says {
			if !strings.Contains(said, want) {
				t.Errorf("%s: %q is missing in\n%s", what, want, said)
			}
		}
		if strings.Contains(said, newer) {
			t.Errorf("%s: names the backup that it cannot take\n%s", what, said)
		}
	}
	r := start(t, s, fmt.Sprintf("token: %s\nstore:\n  file: %s\n", s.Token(), file))
	check("run", r.wait(t), exitSetup, r.log.String())
	for _, name := range []string{"stats", "export", "check"} {
		code, said := command(name, "--data", file)
		check(name, code, 1, said)
	}
	if code, said := command("restore", "--data", file); code != 0 || !strings.Contains(said, "is now "+old) ||
		!strings.Contains(said, newer+" was written by a newer tengen") {
		t.Fatal(code, said)
	}
	r = start(t, s, fmt.Sprintf("token: %s\nstore:\n  file: %s\n", s.Token(), file))
	s.Ready(1)
	r.end()
}

// What a member deleted is in no free page after the next start.
func TestRunRewrites(t *testing.T) {
	t.Parallel()
	s := tcpStandin(t, standin.Options{})
	file := filepath.Join(t.TempDir(), "games.db")
	testkit.Must(t, makeStore(t.Context(), file, 40))
	const member = 0x0123_4567_89AB_CDEF
	id := []byte{0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF}
	names := func() bool {
		text := testkit.Read(t, file)
		return bytes.Contains(text, id)
	}
	withStore(t, file, func(db *bolt.DB) {
		store := storagetest.Store(t, db)
		testkit.Got(store.SetMember(t.Context(), member, func(m storage.Member) (storage.Member, error) {
			m.More = map[string]string{"zone": "UTC"}
			return m, nil
		}))
		testkit.Must(t, store.Forget(t.Context(), member, time.Now()))
	})
	if !names() {
		t.Fatal("the file does not name the member before: this tests nothing")
	}
	config := fmt.Sprintf("token: %s\nstore:\n  file: %s\n", s.Token(), file)
	for _, want := range []bool{true, false} { // the second start has nothing to do
		r := start(t, s, config)
		s.Ready(1)
		if r.end(); strings.Contains(r.log.String(), "was written anew") != want {
			t.Errorf("written anew: want %v\n%s", want, r.log)
		}
		if names() {
			t.Error("the file still names the member")
		}
	}
	if code := run(t.Context(), []string{"store", "check", "--data", file},
		streams{nil, &output{}, &output{}}); code != 0 {
		t.Error("the file is not good any more")
	}
}

func withStore(t *testing.T, file string, f func(db *bolt.DB)) {
	t.Helper()
	db, err := bolt.Open(t.Context(), file, bolt.Options{Log: slog.New(slog.DiscardHandler), Grows: storage.Grows,
		Omit: storage.Omit, Mark: storage.WipedRow()})
	testkit.Must(t, err)
	f(db)
	testkit.Must(t, db.Close())
}
