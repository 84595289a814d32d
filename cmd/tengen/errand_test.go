package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"tengen/bot/standin"
	"tengen/internal/testkit"
	"tengen/storage"
)

// ofRunning is a bot at work on a store with some games, and how commands are given to it.
type ofRunning struct {
	*running
	s            *standin.Server
	file, config string
}

func startOn(t *testing.T, games int, more string) *ofRunning {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no errands here")
	}
	s := tcpStandin(t, standin.Options{})
	file := filepath.Join(t.TempDir(), "games.db")
	testkit.Must(t, makeStore(t.Context(), file, games))
	text := fmt.Sprintf("token: %s\nstore:\n  file: %s\n  backup_every: 0s\n%s", s.Token(), file, more)
	config := filepath.Join(t.TempDir(), "config.yaml")
	testkit.Write(t, config, []byte(text))
	r := start(t, s, text)
	s.Ready(1)
	r.log.awaits(t, "msg=started version=")
	return &ofRunning{r, s, file, config}
}

// asks runs a command beside the bot.
func (r *ofRunning) asks(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	if args[0] == "store" {
		args = append(args, "--data", r.file)
	} else {
		args = append(args, "--config", r.config)
	}
	return tengen(t, args...)
}

// While the bot runs, what looks at the store is done by the bot, and says the same as without it.
func TestErrands(t *testing.T) {
	t.Parallel()
	r := startOn(t, 12, "")
	socket := r.file + ".socket"
	if info, err := os.Stat(socket); err != nil || info.Mode().Perm() != 0o600 || info.Mode().Type() != os.ModeSocket {
		t.Fatalf("the socket: %v, %v", info, err)
	}
	ann := r.s.Member("ann")
	ann.Slash("#gomoku", "/play with:bot game:gomoku9 level:1 color:black")
	ann.Waits("#gomoku", "move 1 ")

	code, out, errs := r.asks(t, "store", "check")
	if code != 0 || !strings.Contains(out, "games.db is good: ") {
		t.Errorf("check: %d %s %s", code, out, errs)
	}
	code, out, errs = r.asks(t, "store", "stats", "--json")
	var stats struct {
		storage.Stats
		Size int64
	}
	if err := json.Unmarshal([]byte(out), &stats); code != 0 || err != nil || stats.Archived != 12 || stats.Playing != 1 ||
		stats.Size == 0 {
		t.Errorf("stats: %d %s %s", code, out, errs)
	}
	code, out, errs = r.asks(t, "store", "export")
	if code != 0 || strings.Count(out, `"kind":"match"`) != 13 || strings.Contains(out, "secret-token") {
		t.Errorf("export: %d %s %s", code, out, errs)
	}
	if code, out, errs = r.asks(t, "store", "event"); code != 0 || out != "" {
		t.Errorf("event: %d %s %s", code, out, errs)
	}
	to := filepath.Join(t.TempDir(), "games.sgf")
	if code, out, errs = r.asks(t, "store", "export", "--format", "sgf", to); code != 0 || out != "" ||
		bytes.Count(testkit.Read(t, to), []byte("(;")) != 12 {
		t.Errorf("export to a file: %d %s %s", code, out, errs)
	}
	isPrivate(t, to)

	// A backup among the bot's own, and one where the asker wants it.
	code, out, errs = r.asks(t, "store", "backup")
	made, _, _ := strings.Cut(out, ",")
	if code != 0 || filepath.Dir(made) != r.file+".backups" || !strings.HasSuffix(out, " verified\n") {
		t.Fatalf("backup: %d %s %s", code, out, errs)
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	if code, out, errs = r.asks(t, "store", "backup", copied); code != 0 || !strings.HasPrefix(out, copied+", ") {
		t.Fatalf("backup: %d %s %s", code, out, errs)
	}
	isPrivate(t, copied)
	if code, _, errs := r.asks(t, "store", "backup", copied); code != 1 || !strings.Contains(errs, "exists already") {
		t.Errorf("over a file: %d %s", code, errs)
	}
	for _, backup := range []string{made, copied} {
		if code, out, errs := tengen(t, "store", "check", "--data", backup); code != 0 {
			t.Errorf("%s: %s %s", backup, out, errs)
		}
		if bytes.Contains(testkit.Read(t, backup), []byte("secret-token")) {
			t.Errorf("%s holds tokens", backup)
		}
	}
	r.log.awaits(t, `msg=errand command="store backup" code=0`)

	// What needs the file alone goes on to be refused, and the bot does nothing else for whoever asks.
	for _, args := range [][]string{{"store", "compact"}, {"store", "restore", copied}} {
		if code, _, errs := r.asks(t, args...); code != 1 || !strings.Contains(errs, "in use by process") {
			t.Errorf("%v: %d %s", args, code, errs)
		}
	}
	for _, args := range []arguments{{"version"}, {"run"}, {"store", "compact", "--data", "x"}, {"render", "x"}, {}} {
		if code, said := sendErrand(t, socket, args); code != 2 {
			t.Errorf("%v: %d %s", args, code, said)
		}
	}
	if r.end() != 0 {
		t.Error(r.log)
	}
	if _, err := os.Lstat(socket); err == nil {
		t.Error("the socket is left")
	}
	if code, out, errs := r.asks(t, "store", "check"); code != 0 {
		t.Errorf("after the end: %s %s", out, errs)
	}
}

// sendErrand gives an errand past the command line.
func sendErrand(t *testing.T, socket string, args arguments) (code int, said string) {
	t.Helper()
	conn := testkit.Got(net.Dial("unix", socket))
	defer conn.Close()
	testkit.Must(t, json.NewEncoder(conn).Encode(args))
	var out bytes.Buffer
	err := receive(t.Context(), conn, &out, &out, &out)
	var e exit
	if err != nil && !errors.As(err, &e) {
		t.Errorf("%v: %v", args, err)
	}
	return e.code, out.String()
}

// An errand that is cut off, on either side, leaves no file, no copy and no transaction behind.
func TestErrandCutOff(t *testing.T) {
	t.Parallel()
	r := startOn(t, 40, "")
	socket := r.file + ".socket"

	// Whoever asked goes after the first bytes.
	for _, args := range []arguments{{"store", "backup", "x"}, {"store", "export"}} {
		conn := testkit.Got(net.Dial("unix", socket))
		testkit.Must(t, json.NewEncoder(conn).Encode(append(args, "--data", r.file)))
		testkit.Got(io.ReadFull(conn, make([]byte, 10)))
		conn.Close()
	}
	r.log.awaits(t, `(?s)command="store (backup|export)".*command="store (backup|export)"`)
	if left, _ := filepath.Glob(r.file + ".backups/*"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}

	// The bot goes: the asker has no file, and says so.
	dir := t.TempDir()
	bot := filepath.Join(dir, "s")
	l, _, err := listenAt(bot)
	testkit.Must(t, err)
	defer l.Close()
	var gone sync.WaitGroup
	gone.Go(func() {
		conn := testkit.Got(l.Accept())
		defer conn.Close()
		testkit.Got(conn.Read(make([]byte, 10)))
		json.NewEncoder(conn).Encode(part{File: []byte("half a backup")})
	})
	out := filepath.Join(dir, "copy.db")
	err = ask(t.Context(), bot, nil, storeBackupCmd{Out: out}, streams{out: io.Discard, err: io.Discard})
	if gone.Wait(); err == nil || !strings.Contains(err.Error(), "broke off") {
		t.Errorf("the bot goes: %v", err)
	}
	gone.Go(func() {
		conn := testkit.Got(l.Accept())
		defer conn.Close()
		json.NewEncoder(conn).Encode(part{File: []byte("half a backup")})
		io.Copy(io.Discard, conn)
	})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	err = ask(ctx, bot, nil, storeBackupCmd{Out: out}, streams{out: io.Discard, err: io.Discard})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a signal: %v", err)
	}
	gone.Wait()
	if all, _ := filepath.Glob(dir + "/*copy*"); len(all) > 0 {
		t.Errorf("left: %v", all)
	}
}

// A socket takes the place of one that nobody listens at any more, and of nothing else.
func TestListenAt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, _, err := listenAt(path)
	testkit.Must(t, err)
	if _, _, err := listenAt(path); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("twice: %v", err)
	}
	l.Close() // as a process that died leaves it
	testkit.Must(t, os.Mkdir(path+".new", 0o700))
	again, _, err := listenAt(path)
	testkit.Must(t, err)
	again.Close()
	file := filepath.Join(t.TempDir(), "file")
	testkit.Write(t, file, []byte("precious"))
	if _, _, err := listenAt(file); err == nil || string(testkit.Read(t, file)) != "precious" {
		t.Errorf("over a file: %v", err)
	}
	if _, _, err := listenAt(filepath.Join(t.TempDir(), strings.Repeat("x", 100))); err == nil {
		t.Error("a path that is too long")
	}
}

// The operator's orders to the running bot.
func TestOperator(t *testing.T) {
	t.Parallel()
	r := startOn(t, 1, "")
	ann, bob := r.s.Member("ann"), r.s.Member("bob")
	id := func(name string) string {
		for _, p := range r.s.People() {
			if p.Username == name {
				return p.ID
			}
		}
		t.Fatalf("nobody is called %s", name)
		return ""
	}
	order := func(want string, args ...string) {
		t.Helper()
		if code, out, errs := r.asks(t, args...); code != 0 || !strings.Contains(out, want) {
			t.Fatalf("%v: %d %q %s", args, code, out, errs)
		}
	}
	// A line under boards, until a time.
	order("the line stands under boards until", "announce", "Back at *noon*", "--until", "90m")
	ann.Slash("#gomoku", "/play opponent:@bob game:gomoku9 color:black")
	ann.Waits("#gomoku", "challenges")
	bob.Press("#gomoku", "Accept")
	ann.Waits("#gomoku", `Back at \*noon\*`)
	order("no line stands", "announce")
	ann.Press("#gomoku", "E5")
	ann.Waits("#gomoku", "move 2 ")
	if sees := ann.Sees("#gomoku"); strings.Contains(sees, "noon") {
		t.Errorf("the line stands on:\n%s", sees)
	}
	for _, args := range [][]string{{"x"}, {"x", "--until", "soon"}, {"x", "--until", "-5m"},
		{"x\ny", "--until", "5m"}, {strings.Repeat("x", 401), "--until", "5m"}} {
		if code, out, errs := r.asks(t, append([]string{"announce"}, args...)...); code != 2 {
			t.Errorf("%v: %d %s %s", args, code, out, errs)
		}
	}
	// A member.
	order("banned the member", "member", "ban", id("ann"))
	ann.Slash("#gomoku", "/help")
	ann.Waits("#gomoku", "does not let you play")
	ann.Slash("#gomoku", "/settings data:export")
	ann.Waits("#gomoku", "tengen-data.json")
	order("erased the member", "member", "erase", id("ann"))
	ann.Waits("#gomoku", "a former member")
	ann.Slash("#gomoku", "/help") // a ban outlives the data
	ann.Waits("#gomoku", "does not let you play")
	order("no longer banned: the member", "member", "ban", "--lift", id("ann"))
	ann.Slash("#gomoku", "/play with:bot game:gomoku9 level:1 color:black")
	ann.Waits("#gomoku", "move 1 ")
	// A server.
	server := r.s.ServerID("")
	order(server, "server", "list")
	order("left the server "+server, "server", "leave", server)
	order("left 20", "server", "list")
	r.s.InviteBot("")
	testkit.Eventually(t, "the bot is back", func() bool {
		_, out, _ := r.asks(t, "server", "list")
		return strings.Contains(out, "there, ") && !strings.Contains(out, "left")
	})
	order("banned the server "+server, "server", "ban", server)
	r.s.InviteBot("")
	testkit.Eventually(t, "the bot leaves again", func() bool {
		n := 0
		for _, c := range r.s.Calls() {
			if c.Method == "DELETE" && c.Route == "/users/@me/guilds/{guild_id}" && c.Status == 204 {
				n++
			}
		}
		return n == 3
	})
	order("banned", "server", "list")
	order("no longer banned: the server "+server, "server", "ban", "--lift", server)
	r.log.awaits(t, `msg=errand command="member erase" code=0`)
	if strings.Contains(r.log.String(), id("ann")) {
		t.Error("the log names the member")
	}
	if code, _, errs := r.asks(t, "server", "leave", "12345"); code != 0 {
		t.Errorf("a server without the bot: %d %s", code, errs)
	}
	r.end()
	if code, _, errs := r.asks(t, "server", "list"); code != 1 || !strings.Contains(errs, "asking the running bot") {
		t.Errorf("without a bot: %d %s", code, errs)
	}
}

// What a configuration asks for after each backup is done, with the backup's path, and it has so long.
func TestAfterBackup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(dir, "copy.sh")
	testkit.Must(t, os.WriteFile(script, []byte("#!/bin/sh\ncp \"$2\" \"$1\" && echo $# >>\"$1.count\"\n"), 0o700))
	to := filepath.Join(dir, "elsewhere; rm *")
	r := startOn(t, 1, fmt.Sprintf("  after_backup: [%s, %q]\n", script, to))
	if code, _, errs := r.asks(t, "store", "backup"); code != 0 {
		t.Fatal(errs)
	}
	if code, out, errs := tengen(t, "store", "check", "--data", to); code != 0 ||
		string(testkit.Read(t, to+".count")) != "2\n" {
		t.Errorf("elsewhere: %s %s", out, errs)
	}
	for _, test := range []struct {
		hook hook
		want string
	}{
		{hook{[]string{"sh", "-c", "echo no room there; exit 3"}, time.Minute}, `exit status 3: "no room there"`},
		{hook{[]string{"sh", "-c", "exec sleep 60"}, 50 * time.Millisecond}, "did not end within 50ms"},
		{hook{[]string{filepath.Join(dir, "none")}, time.Minute}, "no such file"},
	} {
		if err := test.hook.run(t.Context(), "/dev/null"); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v", test.hook, err)
		}
	}
}

// A configuration's faults are told all at once, with a word for a token that cannot be one.
func TestAllFaults(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "config.yaml")
	testkit.Write(t, file, []byte("tokn: x\nlog:\n  levle: info\n  format: xml\nlimits:\n  games: many\n"+
		"  challenges: -1\nstore:\n  file: "+dir+"/none/a.db\n"))
	t.Setenv("DISCORD_TOKEN", "")
	code, _, errs := tengen(t, "run", "--check", "--config", file)
	if code != exitSetup {
		t.Errorf("code %d", code)
	}
	for _, want := range []string{file + `:1:1: there is no key "tokn"`, file + `:3:3: there is no key "levle"`,
		file + ":4:11: log.format: text or json", file + ":6:10: cannot unmarshal", file + ":7:15: limits.challenges: -1",
		"no token: set DISCORD_TOKEN", "the folder of the store"} {
		if strings.Count(errs, want) != 1 {
			t.Errorf("%q is missing in\n%s", want, errs)
		}
	}
	for word, want := range map[string]string{
		standin.DefaultToken: "", "MTAw.GabcDE.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": "",
		"123456789012345678": "application's id", strings.Repeat("0f", 32): "public key",
		"abcdefghijklmnopqrstuvwxyz012345": "client secret", "https://discord.com/api/x": "an address",
		"secret.word": "this one has 2", "c2VjcmV0.a.b": "not a bot's number", "MTAw..b": "another part is missing",
	} {
		got := unlikeToken(word)
		if (got == "") != (want == "") || !strings.Contains(got, want) || got != "" && strings.Contains(got, word) {
			t.Errorf("%q: %q", word, got)
		}
	}
	testkit.Write(t, file, []byte("token: secret.word\nstore:\n  file: "+dir+"/a.db\n"))
	code, out, errs := tengen(t, "run", "--check", "--config", file, "--stand-in", "127.0.0.1:1")
	if code != exitSetup || !strings.Contains(errs, "the token cannot be one: ") ||
		strings.Contains(out+errs, "secret.word") {
		t.Errorf("%d %s %s", code, out, errs)
	}
}

// The figures, the health and the settings say which version runs.
func TestVersionIsTold(t *testing.T) {
	t.Parallel()
	r := startOn(t, 1, "operations:\n  address: 127.0.0.1:0\n")
	at := "http://" + r.log.awaits(t, `for=operations address=(\S+)`)
	for path, want := range map[string]string{"/healthz": "ok, tengen " + version(), "/metrics": `tengen_build_info{`} {
		if code, text := get(at + path); code != 200 || !strings.Contains(text, want) {
			t.Errorf("%s: %d %s", path, code, text)
		}
	}
	ann := r.s.Member("ann")
	ann.Moderates("", 1<<5)
	ann.Slash("#gomoku", "/server")
	ann.Waits("#gomoku", "Version "+version())
}

// An errand to a bot without a file is refused, and so is an order to one that is not at work.
func TestErrandWithoutFile(t *testing.T) {
	h := &hosting{log: slog.New(slog.DiscardHandler)}
	for _, args := range [][]string{{"store", "backup", "--data", "x"}, {"store", "stats", "--data", "x"},
		{"server", "list"}} {
		var out bytes.Buffer
		if code := runIn(t.Context(), args, streams{strings.NewReader(""), &out, &out}, inside{h, &out}); code != 1 {
			t.Errorf("%v: %d %s", args, code, &out)
		}
	}
}
