package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"tengen/bot/chat"
	"tengen/bot/discord"
	"tengen/bot/standin"
	"tengen/internal/testkit"
	"tengen/storage/bolt"
	"tengen/storage/storagetest"
)

// output is what a command writes while a test reads it.
type output struct{ testkit.Log }

// awaits waits until the output matches and gives the first group of the match.
func (o *output) awaits(t *testing.T, pattern string) string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if m := re.FindStringSubmatch(o.String()); m != nil {
			return m[len(m)-1]
		}
		if time.Now().After(end) {
			t.Fatalf("no %s in\n%s", pattern, o)
		}
	}
}

// running is `tengen run` against a stand-in.
type running struct {
	log *output
	end func() int
}

func start(t *testing.T, s *standin.Server, config string, flags ...string) *running {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.yaml")
	testkit.Write(t, file, []byte(config))
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{log: &output{}}
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, append([]string{"run", "--config", file, "--stand-in", s.Addr()}, flags...),
			streams{strings.NewReader(""), io.Discard, r.log})
	}()
	r.end = sync.OnceValue(func() int { cancel(); return <-code })
	t.Cleanup(func() { r.end() })
	return r
}

func tcpStandin(t *testing.T, o standin.Options) *standin.Server {
	t.Helper()
	l := testkit.Listen(t)
	o.Listener = l
	o.AnswerWithin = time.Minute // of real time: what is tested is not how busy the machine is
	return standin.New(t, o)
}

func get(url string) (int, string) {
	p := testkit.Got(http.Get(url))
	defer p.Body.Close()
	text, _ := io.ReadAll(p.Body)
	return p.StatusCode, string(text)
}

func TestRun(t *testing.T) {
	t.Parallel()
	s := tcpStandin(t, standin.Options{})
	store := filepath.Join(t.TempDir(), "games.db")
	config := fmt.Sprintf("token: %s\nstore:\n  file: %s\noperations:\n  address: 127.0.0.1:0\n  pprof: 127.0.0.1:0\n"+
		"log:\n  format: json\nweb:\n  address: 127.0.0.1:0\n  url: https://games.example.org\n", s.Token(), store)
	r := start(t, s, config)
	pages := r.log.awaits(t, `"for":"pages","address":"([^"]+)"`)
	ops := r.log.awaits(t, `"for":"operations","address":"([^"]+)"`)
	profiler := r.log.awaits(t, `"for":"profiler","address":"([^"]+)"`)
	s.Ready(1)
	r.log.awaits(t, `"registered_anew":true`)
	r.log.awaits(t, `client_id=`+s.AppID())
	ann := s.Member("ann")
	ann.Slash("#gomoku", "/help")
	r.log.awaits(t, `"msg":"interaction".*"command":"help","outcome":"answered"`)

	for path, want := range map[string]string{
		"/healthz": "ok", "/readyz": "ok",
		"/metrics": `tengen_interactions_total{kind="slash",outcome="answered"} 1`,
	} {
		if code, text := get("http://" + ops + path); code != 200 || !strings.Contains(text, want) {
			t.Errorf("%s: %d %s", path, code, text)
		}
	}
	for _, name := range []string{"ack_seconds", "answer_seconds", "engine_queue", "engine_busy", "store_commit_seconds",
		"gateway_up 1", "store_bytes", "go_goroutines"} {
		if _, text := get("http://" + ops + "/metrics"); !strings.Contains(text, name) {
			t.Errorf("no %s", name)
		}
	}
	if code, text := get("http://" + pages + "/board"); code != 200 || !strings.Contains(text, `"way":"member"`) {
		t.Errorf("the page: %d %s", code, text)
	}
	if code, _ := get("http://" + profiler + "/debug/pprof/"); code != 200 {
		t.Errorf("profiler: %d", code)
	}
	if code, _ := get("http://" + ops + "/debug/pprof/"); code != 404 {
		t.Errorf("profiler at the operations address: %d", code)
	}

	began := time.Now()
	code := r.end()
	if t.Logf("ended after %v", time.Since(began).Round(time.Millisecond)); code != 0 || time.Since(began) > time.Minute {
		t.Errorf("ended with %d after %v", code, time.Since(began))
	}
	if strings.Contains(r.log.String(), s.Token()) {
		t.Error("the token is in the log")
	}
	// The next start finds the commands registered and the store clean.
	again := start(t, s, config)
	again.log.awaits(t, `"registered_anew":false`)
	if strings.Contains(again.log.String(), "not closed cleanly") {
		t.Error(again.log)
	}
	// A second process on the same store is told who has it.
	second := start(t, s, config)
	if code := second.wait(t); code != exitSetup {
		t.Errorf("a second process ended with %d: %s", code, second.log)
	}
}

// A backup that fails is an error in the log and a figure; the process stays healthy.
func TestRunBackupFails(t *testing.T) {
	t.Parallel()
	s := tcpStandin(t, standin.Options{})
	dir := t.TempDir()
	wrong := filepath.Join(dir, "no-folder")
	testkit.Must(t, errors.Join(makeStore(t.Context(), filepath.Join(dir, "games.db"), 1),
		os.WriteFile(wrong, nil, 0o600)))
	r := start(t, s, fmt.Sprintf("token: %s\nstore:\n  file: %s/games.db\n  backups: %s\noperations:\n"+
		"  address: 127.0.0.1:0\nlog:\n  format: json\n", s.Token(), dir, wrong))
	ops := r.log.awaits(t, `"for":"operations","address":"([^"]+)"`)
	s.Ready(1)
	r.log.awaits(t, `"level":"ERROR","msg":"there is no new backup of the store"`)
	_, text := get("http://" + ops + "/metrics")
	for _, want := range []string{"tengen_backup_failures_total 1", "tengen_backup_overdue_seconds 0",
		"tengen_store_broken 0"} {
		if !strings.Contains(text, "\n"+want+"\n") {
			t.Errorf("no %s", want)
		}
	}
	if code, text := get("http://" + ops + "/healthz"); code != 200 {
		t.Errorf("/healthz: %d %s", code, text)
	}
	r.end()
}

// wait waits until the command ends by itself.
func (r *running) wait(t *testing.T) int {
	t.Helper()
	r.log.awaits(t, `(?m)^tengen: .*$`)
	return r.end()
}

// What is wrong is said in one line, with the exit code that says whether a person has to
// act.
func TestRunRefuses(t *testing.T) {
	t.Parallel()
	s := tcpStandin(t, standin.Options{})
	dir := t.TempDir()
	newer := filepath.Join(dir, "newer.db")
	withStore(t, newer, func(db *bolt.DB) { storagetest.Put(t, db, "mschema", []byte{1, 99}) })
	tests := []struct{ name, config, want string }{
		{"wrong token", "token: wrong\nstore:\n  file: " + dir + "/a.db\n", "Discord does not accept the token"},
		{"unknown key", "tokn: x\n", `config.yaml:1:1: there is no key "tokn"`},
		{"no token", "log:\n  level: error\n", "no token"},
		{"unreadable token file", "token_file: " + dir + "/none\n", "none: no such file"},
		{"no folder", "token: x\nstore:\n  file: " + dir + "/none/a.db\n", "the folder of the store"},
		{"a folder for a file", "token: x\nstore:\n  file: " + dir + "\n", "is not a regular file"},
		{"newer store", "token: x\nstore:\n  file: " + newer + "\n", "use a newer tengen"},
		{"address taken", "token: x\nstore:\n  file: " + dir + "/b.db\noperations:\n  address: " + s.Addr() + "\n", "address already in use"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := start(t, s, test.config)
			testkit.Want(t, "code", r.wait(t), exitSetup)
			lines := 0
			for _, line := range strings.Split(r.log.String(), "\n") {
				if strings.HasPrefix(line, "tengen: ") {
					lines++
				}
			}
			if !strings.Contains(r.log.String(), test.want) || lines != 1 {
				t.Errorf("want %s in\n%s", test.want, r.log)
			}
		})
	}
}

func TestRunCheck(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "config.yaml")
	os.WriteFile(file, []byte("token: MTAw.x.y\nstore:\n  file: "+dir+"/a.db\n"), 0o600)
	var out, errs output
	if code := run(t.Context(), []string{"run", "--check", "--config", file, "--stand-in", nobody},
		streams{nil, &out, &errs}); code != 0 || !strings.Contains(out.String(), "good") {
		t.Errorf("%d %s %s", code, &out, &errs)
	}
	if _, err := os.Stat(dir + "/a.db"); err == nil {
		t.Error("--check makes a store")
	}
	if all, _ := os.ReadDir(dir); len(all) != 1 {
		t.Errorf("--check leaves %v behind", all)
	}
	testkit.Want(t, "a missing file", run(t.Context(), []string{"run", "--check", "--config", file + "x"},
		streams{nil, &out, &errs}), exitSetup)
}

// nobody is an address where nobody listens.
const nobody = "127.0.0.1:1"

// Without network the program waits for it; with an endpoint set it says so.
func TestRunSays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "config.yaml")
	os.WriteFile(file, []byte("token: some-token\nstore:\n  file: "+dir+"/a.db\n"), 0o600)
	ctx, cancel := context.WithCancel(context.Background())
	log := &output{}
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"run", "--config", file, "--stand-in", nobody}, streams{nil, io.Discard, log})
	}()
	log.awaits(t, `reading the application.*this goes on by itself`)
	cancel()
	if c := <-code; c != 0 || strings.Contains(log.String(), "some-token") {
		t.Errorf("%d %s", c, log)
	}
}

// The way back to a backup, as the manual has it: the game in the backup goes on.
func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	s := tcpStandin(t, standin.Options{})
	file := filepath.Join(t.TempDir(), "games.db")
	config := fmt.Sprintf("token: %s\nstore:\n  file: %s\n", s.Token(), file)
	command := func(args ...string) {
		t.Helper()
		var out, errs output
		if code := run(t.Context(), args, streams{strings.NewReader(""), &out, &errs}); code != 0 {
			t.Fatalf("%v: %d %s %s", args, code, &out, &errs)
		}
	}
	r := start(t, s, config)
	s.Ready(1)
	ann := firstMove(s)
	if code := r.end(); code != 0 {
		t.Fatalf("ended with %d: %s", code, r.log)
	}
	command("store", "backup", "--data", file)

	// By hand.
	testkit.Must(t, os.Rename(file, file+".lost"))
	command("store", "restore", "--data", file)
	command("store", "check", "--data", file)
	r = start(t, s, config)
	r.log.awaits(t, "how=identified")
	ann.Slash("#gomoku", "/game do:resign")
	r.end()

	// By itself, when the file is damaged.
	text := testkit.Read(t, file)
	os.Remove(file + ".clean")
	for i := range text[:16384] {
		text[i] ^= 0x5a
	}
	testkit.Write(t, file, text)
	r = start(t, s, config)
	r.log.awaits(t, "backup has taken its place")
	r.log.awaits(t, "how=identified")
	if got := ann.Slash("#gomoku", "/games"); got.Failed != "" {
		t.Error(got.Failed)
	}
	ann.Waits("#gomoku", "move 3")
}

// An older copy of the store beside a later backup ends the start, and nothing is changed. With
// --accept-older the games go on from it, and what is stored from then on counts as later.
func TestOlderStore(t *testing.T) {
	t.Parallel()
	s := tcpStandin(t, standin.Options{})
	file := filepath.Join(t.TempDir(), "games.db")
	config := fmt.Sprintf("token: %s\nstore:\n  file: %s\n", s.Token(), file)
	begin := func(flags ...string) *running {
		r := start(t, s, config, flags...)
		r.log.awaits(t, "msg=started")
		return r
	}
	backup := func() string {
		t.Helper()
		var out, errs output
		if code := run(t.Context(), []string{"store", "backup", "--data", file}, streams{nil, &out, &errs}); code != 0 {
			t.Fatalf("%d %s", code, &errs)
		}
		return strings.Split(out.String(), ",")[0]
	}
	begin().end()
	older := testkit.Read(t, file)
	second := begin()
	s.Ready(1)
	s.Member("ann").Slash("#gomoku", "/settings confirm:true") // a change that the copy lacks
	second.end()
	later := backup()
	testkit.Must(t, errors.Join(os.WriteFile(file, older, 0o600), os.Remove(file+".clean")))
	r := start(t, s, config)
	testkit.Want(t, "ended with", r.wait(t), exitSetup)
	for _, want := range []string{"an older copy of the store", filepath.Base(later), "--accept-older"} {
		if !strings.Contains(r.log.String(), want) {
			t.Errorf("no %s in\n%s", want, r.log)
		}
	}
	if now, err := os.ReadFile(file); err != nil || string(now) != string(older) {
		t.Errorf("the file was changed: %v", err)
	}
	begin("--accept-older").end()
	begin().end()
	var out, errs output
	latest := backup()
	if run(t.Context(), []string{"store", "restore", "--list", "--data", file},
		streams{nil, &out, &errs}); !strings.Contains(strings.Split(out.String(), "\n")[0], latest) {
		t.Errorf("%s is not the first of\n%s", latest, &out)
	}
}

// While this machine's clock and Discord's disagree, nothing of the store is touched, and the log names
// both. Once they agree the bot starts, and the game is there.
func TestWrongClock(t *testing.T) {
	t.Parallel()
	for _, wrong := range []time.Duration{40 * 24 * time.Hour, -40 * 24 * time.Hour} {
		s := tcpStandin(t, standin.Options{})
		file := filepath.Join(t.TempDir(), "games.db")
		config := fmt.Sprintf("token: %s\nstore:\n  file: %s\n  backup_every: 0s\n", s.Token(), file)
		r := start(t, s, config)
		s.Ready(1)
		ann := firstMove(s)
		r.end()
		was := testkit.Read(t, file)
		s.Advance(-wrong)
		r = start(t, s, config)
		r.log.awaits(t, `this machine's clock says (\S+ \S+).* Discord's.*last sign of life.*no game is touched`)
		if is, err := os.ReadFile(file); err != nil || string(is) != string(was) {
			t.Errorf("the store was changed: %v", err)
		}
		s.Advance(wrong)
		r.log.awaits(t, "msg=started")
		s.Ready(1)
		if got := ann.Slash("#gomoku", "/games"); got.Failed != "" {
			t.Error(got.Failed)
		}
		ann.Waits("#gomoku", "move 3")
		testkit.Want(t, "ended with", r.end(), 0)
	}
}

// A clock that is far from the store's last sign of life, and that Discord does not confirm, ends no
// game. Where Discord agrees, the log says so first.
func TestFarClock(t *testing.T) {
	t.Parallel()
	s := tcpStandin(t, standin.Options{})
	file := filepath.Join(t.TempDir(), "games.db")
	withStore(t, file, func(db *bolt.DB) {
		testkit.Must(t, storagetest.Store(t, db).Sweep(t.Context(), time.Now().AddDate(0, 0, -40)))
	})
	config := "token: %s\nstore:\n  file: " + file + "\n"
	r := start(t, s, fmt.Sprintf(config, "wrong"))
	if code := r.wait(t); code != exitSetup || !strings.Contains(r.log.String(), "no game is touched") {
		t.Errorf("ended with %d:\n%s", code, r.log)
	}
	r = start(t, s, fmt.Sprintf(config, s.Token()))
	r.log.awaits(t, `(?s)far from the store's last sign of life.*msg=resumed`)
	r.end()
}

// The store is deleted under a running bot: it says so where its operator looks, and the
// next start does not begin anew.
func TestStoreTakenAway(t *testing.T) {
	t.Parallel()
	s := tcpStandin(t, standin.Options{})
	store := filepath.Join(t.TempDir(), "games.db")
	config := fmt.Sprintf("token: %s\nstore:\n  file: %s\n  backup_every: 0s\noperations:\n  address: 127.0.0.1:0\n",
		s.Token(), store)
	r := start(t, s, config)
	ops := r.log.awaits(t, `for=operations address=(\S+)`)
	s.Ready(1)
	if code, text := get("http://" + ops + "/healthz"); code != 200 {
		t.Fatalf("/healthz: %d %s", code, text)
	}
	testkit.Must(t, os.Remove(store))
	r.log.awaits(t, "the store can no longer write") // though nobody asks
	if code, text := get("http://" + ops + "/healthz"); code != 503 || !strings.Contains(text, "no longer the store") {
		t.Errorf("/healthz: %d %s", code, text)
	}
	if _, text := get("http://" + ops + "/metrics"); !strings.Contains(text, "tengen_store_broken 1") {
		t.Error("/metrics says nothing of it")
	}
	r.end()
	r = start(t, s, config)
	r.log.awaits(t, "the file of the store is gone: "+store+".lock shows")
	testkit.Want(t, "ended with", r.end(), exitSetup)
}

// A store that belongs to another application is not touched: the start ends and says which is
// which. --adopt hands the games over.
func TestAnothersStore(t *testing.T) {
	t.Parallel()
	one, two := tcpStandin(t, standin.Options{}), tcpStandin(t, standin.Options{BotName: "other"})
	dir := t.TempDir()
	config := fmt.Sprintf("token: %s\nstore:\n  file: %s/games.db\n", one.Token(), dir)
	r := start(t, one, config)
	one.Ready(1)
	firstMove(one)
	if code := r.end(); code != 0 {
		t.Fatalf("ended with %d: %s", code, r.log)
	}
	stats := func() string {
		t.Helper()
		var out, errs output
		if code := run(t.Context(), []string{"store", "stats", "--data", dir + "/games.db"},
			streams{nil, &out, &errs}); code != 0 {
			t.Fatalf("%d %s", code, &errs)
		}
		return out.String()
	}
	before := stats()
	if !strings.Contains(before, "application      "+one.AppID()+"\n") ||
		!strings.Contains(before, "running games    1,") {
		t.Errorf("the store says\n%s", before)
	}
	r = start(t, two, config)
	testkit.Want(t, "ended with", r.wait(t), exitSetup)
	for _, want := range []string{one.AppID(), two.AppID(), "--adopt"} {
		if !strings.Contains(r.log.String(), want) {
			t.Errorf("no %s in\n%s", want, r.log)
		}
	}
	testkit.Want(t, "calls under another's token", len(two.Calls()), 1)
	testkit.Want(t, "the store was changed", stats(), before)

	file := filepath.Join(dir, "config.yaml")
	os.WriteFile(file, []byte(config), 0o600)
	for _, want := range []string{"belonged to the application " + one.AppID() + "; it now belongs to " + two.AppID(),
		two.AppID() + " (other) already"} {
		var out, errs output
		if code := run(t.Context(), []string{"run", "--adopt", "--config", file, "--stand-in", two.Addr()},
			streams{nil, &out, &errs}); code != 0 || !strings.Contains(out.String(), want) {
			t.Errorf("%d %s %s, want %s", code, &out, &errs, want)
		}
	}
	r = start(t, two, config)
	two.Ready(1)
	if code := r.end(); code != 0 {
		t.Errorf("ended with %d: %s", code, r.log)
	}
	if after := stats(); !strings.Contains(after, "running games    1,") {
		t.Errorf("the game is lost:\n%s", after)
	}
}

// The commands are taken away, and the entry point of the application's Activity stays.
func TestUnregister(t *testing.T) {
	t.Parallel()
	s := tcpStandin(t, standin.Options{Activity: true})
	dir := t.TempDir()
	file := filepath.Join(dir, "config.yaml")
	os.WriteFile(file, []byte("token: "+s.Token()+"\nstore:\n  file: "+dir+"/a.db\n"), 0o600)
	r := start(t, s, "token: "+s.Token()+"\nstore:\n  file: "+dir+"/a.db\n")
	r.log.awaits(t, "registered_anew=true")
	r.end()
	for _, want := range []string{"taken away", "There were none"} {
		var out, errs output
		if code := run(t.Context(), []string{"run", "--unregister", "--config", file, "--stand-in", s.Addr()},
			streams{nil, &out, &errs}); code != 0 || !strings.Contains(out.String(), want) {
			t.Errorf("%d %s %s, want %s", code, &out, &errs, want)
		}
	}
	if left := s.Commands(""); len(left) != 1 || left[0].Name != "Launch" {
		t.Errorf("left are %+v", left)
	}
}

// The log says what an operator has to do about the application.
func TestDescribe(t *testing.T) {
	by := func(transport, url string) config {
		c := defaultConfig()
		c.Discord.Transport, c.HTTP.URL = transport, url
		return c
	}
	here := discord.Application{ID: 5, Endpoint: "https://x/interactions", Server: true, User: true}
	for _, test := range []struct {
		want string
		c    config
		a    discord.Application
	}{
		{"set discord.transport to http", by(byGateway, ""), here},
		{"tick User Install", by(byGateway, ""), discord.Application{ID: 5, Server: true}},
		{"tick Guild Install", by(byGateway, ""), discord.Application{ID: 5, User: true}},
		{"as Default Install Settings", by(byGateway, ""), discord.Application{ID: 5, Server: true, User: true, Bare: true}},
		{`link="https://discord.com/oauth2/authorize?client_id=5&scope=bot+applications.commands&permissions=309237697536&integration_type=0"`, by(byGateway, ""), discord.Application{ID: 5, Server: true}},
		{`link="https://discord.com/oauth2/authorize?client_id=5&scope=applications.commands&integration_type=1"`, by(byGateway, ""), discord.Application{ID: 5, User: true}},
		{"url=https://YOUR-HOST/interactions", by(byHTTP, ""), discord.Application{ID: 5}},
		{"no interactions endpoint URL", by(byHTTP, "https://y/i"), discord.Application{ID: 5}},
		{"here=https://y/i", by(byHTTP, "https://y/i"), here},
		{"sends interactions here", by(byHTTP, "https://x/interactions"), here},
		{"sends interactions here", by(byHTTP, ""), here},
		{"is there a proxy", by(byHTTP, ""), discord.Application{ID: 5, Endpoint: "https://x/other"}},
	} {
		log := &output{}
		h := &hosting{config: test.c, log: slog.New(slog.NewTextHandler(log, nil))}
		h.describe(test.a)
		if !strings.Contains(log.String(), test.want) {
			t.Errorf("no %s in %s", test.want, log)
		}
		for link, is := range map[string]bool{"integration_type=0": test.a.Server, "integration_type=1": test.a.User} {
			if strings.Contains(log.String(), link) != is {
				t.Errorf("a link with %s: want %v, in %s", link, is, log)
			}
		}
	}
}

// The bot over HTTP, TLS and all: Discord verifies the endpoint, members play, and the
// end is clean.
func TestRunOverHTTP(t *testing.T) {
	t.Parallel()
	s := tcpStandin(t, standin.Options{})
	dir := t.TempDir()
	config := fmt.Sprintf("token: %s\ndiscord:\n  transport: http\nhttp:\n  address: 127.0.0.1:0\n  public_key: %x\n"+
		"store:\n  file: %s/games.db\noperations:\n  address: 127.0.0.1:0\n",
		s.Token(), s.PublicKey(), dir)
	r := start(t, s, config)
	ops := r.log.awaits(t, `for=operations address=(\S+)`)
	at := r.log.awaits(t, `taking interactions over HTTP" address=(\S+)`)
	r.log.awaits(t, "registered_anew=true")
	if err := s.SetEndpoint("http://" + at + "/elsewhere"); err == nil {
		t.Error("Discord has verified what is not there")
	}
	testkit.Must(t, s.SetEndpoint("http://"+at+"/interactions"))
	r.log.awaits(t, `no interactions endpoint URL.*https://YOUR-HOST/interactions`)
	firstMove(s)
	if code, text := get("http://" + ops + "/readyz"); code != 200 {
		t.Errorf("readyz: %d %s", code, text)
	}
	if _, text := get("http://" + ops + "/metrics"); !strings.Contains(text,
		`tengen_endpoint_requests_total{status="202"} 2`) {
		t.Error("the requests are not counted")
	}
	if st := s.Stats(); st.Identifies != 0 || st.Posts[202] != 2 || st.Failures != 0 {
		t.Errorf("%+v", st)
	}
	if code := r.end(); code != 0 {
		t.Errorf("ended with %d: %s", code, r.log)
	}
	again := start(t, s, config)
	again.log.awaits(t, `ends otherwise|sends interactions here`)
}

// The port speaks TLS by the files of the configuration, and takes new ones.
func TestCertificates(t *testing.T) {
	dir := t.TempDir()
	c := defaultConfig()
	c.Discord.Transport, c.HTTP.Address = byHTTP, "127.0.0.1:0"
	c.HTTP.Cert, c.HTTP.Key = dir+"/cert.pem", dir+"/key.pem"
	if _, err := c.endpoint(); err == nil {
		t.Fatal("no certificate and no error")
	}
	writeCertificate(t, c.HTTP, "one")
	o := testkit.Got(c.endpoint())
	defer o.Listener.Close()
	go http.Serve(o.Listener, http.NotFoundHandler())
	conn := testkit.Got(tls.Dial("tcp", o.Listener.Addr().String(), &tls.Config{InsecureSkipVerify: true}))
	defer conn.Close()
	if got := conn.ConnectionState().PeerCertificates[0].Subject.CommonName; got != "one" {
		t.Error(got)
	}

	files := &certificates{cert: c.HTTP.Cert, key: c.HTTP.Key}
	name := func() string {
		files.looked = time.Time{}
		leaf, _ := x509.ParseCertificate(testkit.Got(files.get(nil)).Certificate[0])
		return leaf.Subject.CommonName
	}
	if got := name(); got != "one" {
		t.Error(got)
	}
	writeCertificate(t, c.HTTP, "two")
	later := time.Now().Add(time.Hour)
	os.Chtimes(c.HTTP.Cert, later, later)
	if got := name(); got != "two" {
		t.Error(got)
	}
	os.WriteFile(c.HTTP.Cert, []byte("half a fi"), 0o600)
	if got := name(); got != "two" {
		t.Error(got)
	}
}

func writeCertificate(t *testing.T, c httpConfig, name string) {
	t.Helper()
	key := testkit.Got(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotAfter: time.Now().Add(time.Hour)}
	der := testkit.Got(x509.CreateCertificate(rand.Reader, template, template, key.Public(), key))
	for file, block := range map[string]*pem.Block{c.Cert: {Type: "CERTIFICATE", Bytes: der},
		c.Key: {Type: "PRIVATE KEY", Bytes: testkit.Got(x509.MarshalPKCS8PrivateKey(key))}} {
		testkit.Write(t, file, pem.EncodeToMemory(block))
	}
}

func TestAdvise(t *testing.T) {
	tests := []struct {
		err      error
		want     string
		hopeless bool
	}{
		{&chat.Error{Trouble: chat.Refused, Code: 401}, "the token is not accepted", true},
		{&chat.Error{Trouble: chat.Refused, Code: 50240}, "by itself", false},
		{&chat.Error{Trouble: chat.Busy, Code: 40333, After: time.Minute}, "Cloudflare", false},
		{&chat.Error{Trouble: chat.NoPlace, Code: 50001}, "not in that server", true},
		{&chat.Error{Trouble: chat.Locked, Code: 50013}, "permission", true},
		{&chat.Error{Trouble: chat.Busy, After: 90 * time.Second}, "1m30s", false},
		{&chat.Error{Trouble: chat.Failed, Text: "dial tcp: lookup discord.com: no such host"}, "way to discord.com", false},
		{&chat.Error{Trouble: chat.Failed, Code: 500}, "by itself", false},
		{errors.New("x"), "report", true},
	}
	for _, test := range tests {
		if got, hopeless := advise(fmt.Errorf("around: %w", test.err)); !strings.Contains(got, test.want) ||
			hopeless != test.hopeless {
			t.Errorf("%v: %s %v", test.err, got, hopeless)
		}
	}
}

// A start without a network says once a try that it goes on trying.
func TestOffline(t *testing.T) {
	t.Parallel()
	l := testkit.Listen(t)
	nobody := l.Addr().String()
	l.Close()
	for _, transport := range []string{byGateway, byHTTP} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(dir, "config.yaml")
			config := fmt.Sprintf("token: MTIzNDU2Nzg5MDEyMzQ1Njc4.abcdef.abcdefghijklmnopqrstuvwxyz1\ndiscord:\n"+
				"  transport: %s\n"+
				"http:\n  address: 127.0.0.1:0\nstore:\n  file: %s/games.db\n", transport, dir)
			testkit.Write(t, file, []byte(config))
			ctx, cancel := context.WithCancel(t.Context())
			log, code := &output{}, make(chan int, 1)
			go func() {
				code <- run(ctx, []string{"run", "--config", file, "--stand-in", nobody},
					streams{strings.NewReader(""), io.Discard, log})
			}()
			log.awaits(t, `(?s)this goes on by itself.*this goes on by itself`)
			cancel()
			testkit.Want(t, "exit code", <-code, 0)
			if n := strings.Count(log.String(), "connection refused"); n != 2 {
				t.Errorf("two tries in %d lines:\n%s", n, log)
			}
		})
	}
}
