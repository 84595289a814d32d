package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"tengen/bot/standin"
	"tengen/internal/testkit"
)

// demoProcess is a `tengen demo` in a process of its own, which can be killed.
type demoProcess struct {
	*exec.Cmd
	address string
	errs    *output
	match   string // whose boards are looked at; "": those of all
}

func demoIn(t *testing.T, dir string) *demoProcess {
	t.Helper()
	var out output
	p := &demoProcess{Cmd: exec.Command("tengen", "demo", "--addr", "127.0.0.1:0", "--data", dir), errs: &output{}}
	p.Stdout, p.Stderr = &out, p.errs
	testkit.Must(t, p.Start())
	t.Cleanup(func() { p.Process.Kill(); p.Wait() })
	p.address = out.awaits(t, `http://\S+/`)
	return p
}

func (p *demoProcess) end(t *testing.T, s syscall.Signal) {
	t.Helper()
	testkit.Must(t, p.Process.Signal(s))
	p.Wait()
}

// asks sends Ann's request and gives the answer.
func (p *demoProcess) asks(t *testing.T, path, body string) []byte {
	t.Helper()
	var resp *http.Response
	var err error
	if body == "" {
		resp, err = http.Get(p.address + path)
	} else {
		resp, err = http.Post(p.address+path, "application/json", strings.NewReader(body))
	}
	testkit.Must(t, err)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || bytes.Contains(data, []byte(`"failed"`)) {
		t.Fatalf("%s %s: %d %s %v", path, body, resp.StatusCode, data, err)
	}
	return data
}

// places are those that Ann sees, by name.
func (p *demoProcess) places(t *testing.T) map[string]string {
	t.Helper()
	var world struct{ Places []standin.Place }
	testkit.Must(t, json.Unmarshal(p.asks(t, "api/world?as=Ann", ""), &world))
	places := map[string]string{}
	for _, place := range world.Places {
		places[place.Name] = place.ID
	}
	return places
}

// board waits for the board of the game at a place and gives a point that can be pressed.
func (p *demoProcess) board(t *testing.T, place string, move int) (message, press string) {
	t.Helper()
	point := regexp.MustCompile(`^[A-O]\d+$`)
	var seen []byte
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		seen = p.asks(t, "api/messages?as=Ann&at="+url.QueryEscape(place), "")
		var messages []standin.Message
		testkit.Must(t, json.Unmarshal(seen, &messages))
		for _, m := range messages {
			text, _ := json.Marshal(m.Components)
			if !bytes.Contains(text, fmt.Appendf(nil, "move %d ", move)) {
				continue
			}
			var walk func([]standin.Component)
			walk = func(list []standin.Component) {
				for _, c := range list {
					if point.MatchString(c.Label) && !c.Disabled && strings.Contains(c.CustomID, p.match) {
						message, press = m.ID, c.CustomID
					}
					walk(c.Components)
				}
			}
			if walk(m.Components); press != "" {
				return message, press
			}
		}
	}
	t.Fatalf("no board at move %d in %s:\n%s\n%s", move, place, seen, p.errs)
	return "", ""
}

// moves presses a point of the board, waits for the bot's answer and gives the match.
func (p *demoProcess) moves(t *testing.T, place string, move int) string {
	t.Helper()
	message, press := p.board(t, place, move)
	p.asks(t, "api/do?as=Ann", fmt.Sprintf(`{"do":"press","at":%q,"name":%q}`, message, press))
	p.board(t, place, move+2)
	return strings.Split(press, ":")[1]
}

// begins begins a game against the bot, with Black.
func (p *demoProcess) begins(t *testing.T, place, more string) {
	t.Helper()
	p.asks(t, "api/do?as=Ann",
		fmt.Sprintf(`{"do":"slash","at":%q,"name":"/play with:bot game:gomoku9 level:1 color:black%s"}`, place, more))
}

// The games of the store run on when conversations are damaged or lost: in a channel, in a
// thread of their own and in direct messages. TENGEN_EVERY_LOSS=1 tries every loss, not every second one.
func TestDemoSurvives(t *testing.T) {
	t.Parallel()
	type loss struct {
		name   string
		signal syscall.Signal
		damage func(t *testing.T, file string)
		warns  string
	}
	write := func(text string) func(*testing.T, string) {
		return func(t *testing.T, file string) {
			testkit.Write(t, file, []byte(text))
		}
	}
	change := func(f func(world map[string]any)) func(*testing.T, string) {
		return func(t *testing.T, file string) {
			data := testkit.Read(t, file)
			var world map[string]any
			testkit.Must(t, json.Unmarshal(data, &world))
			f(world)
			data, _ = json.Marshal(world)
			write(string(data))(t, file)
		}
	}
	for i, c := range []loss{
		{"killed at once", syscall.SIGKILL, func(*testing.T, string) {}, ""},
		{"nothing lost", syscall.SIGTERM, func(*testing.T, string) {}, ""},
		{"cut off", syscall.SIGTERM, func(t *testing.T, file string) { os.Truncate(file, 5000) }, "set aside"},
		{"empty", syscall.SIGTERM, write(""), "set aside"},
		{"removed", syscall.SIGTERM, func(t *testing.T, file string) { os.Remove(file) }, ""},
		{"a folder", syscall.SIGTERM, func(t *testing.T, file string) { os.Remove(file); os.Mkdir(file, 0o700) }, "set aside"},
		{"kicked", syscall.SIGTERM, change(func(w map[string]any) { w["Guilds"].([]any)[0].(map[string]any)["Bot"] = false }), ""},
		{"no servers", syscall.SIGTERM, change(func(w map[string]any) { w["Guilds"], w["Directs"] = []any{}, []any{} }), ""},
		{"no channels", syscall.SIGTERM, change(func(w map[string]any) { w["Guilds"].([]any)[0].(map[string]any)["Channels"] = []any{} }), ""},
		{"no world", syscall.SIGTERM, write(`{"Version":1}`), "set aside"},
	} {
		if i%testkit.Dose("TENGEN_EVERY_LOSS", 4) != 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			one := demoIn(t, dir)
			one.begins(t, "#gomoku", "")
			one.begins(t, "#renju", " thread:true")
			one.begins(t, "@tengen", "")
			at := []string{}
			for name, id := range one.places(t) {
				if name == "#gomoku" || name == "@tengen" || strings.HasPrefix(name, "#renju/") {
					at = append(at, id)
				}
			}
			if len(at) != 3 {
				t.Fatalf("places %v", at)
			}
			for _, place := range at {
				one.moves(t, place, 1)
			}
			one.end(t, c.signal)
			c.damage(t, filepath.Join(dir, "conversations.json"))

			two := demoIn(t, dir)
			for _, place := range at {
				two.moves(t, place, 3)
			}
			two.end(t, syscall.SIGTERM)
			if said := two.errs.String(); !strings.Contains(said, c.warns) || c.warns == "" && said != "" {
				t.Errorf("the demo says %q, want %q", said, c.warns)
			}
		})
	}
}

// Boards that were saved before the last moves come up to date.
func TestDemoSavedEarlier(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	world := filepath.Join(dir, "conversations.json")
	p := demoIn(t, dir)
	p.begins(t, "#gomoku", "")
	p.board(t, "#gomoku", 1)
	p.end(t, syscall.SIGTERM)
	early := testkit.Read(t, world)
	p = demoIn(t, dir)
	p.moves(t, "#gomoku", 1)
	p.end(t, syscall.SIGTERM)
	testkit.Write(t, world, early)
	p = demoIn(t, dir)
	p.moves(t, "#gomoku", 3)
	p.end(t, syscall.SIGTERM)
}

// Conversations of another folder, and conversations without their games, are no harm.
func TestDemoMixedUp(t *testing.T) {
	t.Parallel()
	here, there, world := t.TempDir(), t.TempDir(), "conversations.json"
	match := ""
	for _, dir := range []string{there, here} {
		p := demoIn(t, dir)
		p.begins(t, "#gomoku", "")
		match = p.moves(t, "#gomoku", 1)
		p.end(t, syscall.SIGTERM)
	}
	testkit.Must(t, os.Rename(filepath.Join(there, world), filepath.Join(here, world)))
	p := demoIn(t, here)
	p.match = match
	p.moves(t, "#gomoku", 3)
	p.end(t, syscall.SIGTERM)

	alone := t.TempDir()
	testkit.Must(t, os.Rename(filepath.Join(here, world), filepath.Join(alone, world)))
	p = demoIn(t, alone)
	p.begins(t, "#renju", "")
	p.moves(t, "#renju", 1)
	p.end(t, syscall.SIGTERM)
	testkit.Want(t, "the demo says", p.errs.String(), "")
}

// The demo is killed at any moment, again and again: the game runs on. TENGEN_DEMO_KILLS
// is how often.
func TestDemoKilled(t *testing.T) {
	t.Parallel()
	kills, seed := 3, uint64(time.Now().UnixNano())
	if n, err := strconv.Atoi(os.Getenv("TENGEN_DEMO_KILLS")); err == nil {
		kills = n
	}
	if n, err := strconv.ParseUint(os.Getenv("TENGEN_SEED"), 10, 64); err == nil {
		seed = n
	}
	t.Logf("TENGEN_SEED=%d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	p := demoIn(t, dir)
	p.begins(t, "#gomoku", "")
	for n := range kills {
		p.board(t, "#gomoku", 1)
		// This makes the demo write; the kill may come first.
		done := make(chan bool)
		go func() {
			defer close(done)
			for i := 0; ; i++ {
				resp, err := http.Post(p.address+"api/do?as=Ben", "application/json",
					strings.NewReader(`{"do":"say","at":"#gomoku","text":"x"}`))
				if err != nil {
					return
				}
				resp.Body.Close()
				time.Sleep(5 * time.Millisecond)
			}
		}()
		time.Sleep(time.Duration(rng.IntN(1500)) * time.Millisecond)
		p.end(t, syscall.SIGKILL)
		<-done
		p = demoIn(t, dir)
		if said := p.errs.String(); strings.Contains(said, "level=ERROR") {
			t.Errorf("start %d: %s", n+2, said)
		}
	}
	p.moves(t, "#gomoku", 1)
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 1 {
		t.Errorf("left behind: %v", left)
	}
}

// Uploaded files are kept within a bound, each written once and none for longer than its
// message. The figures are in the log: TENGEN_DEMO_FILES=30 go test -v.
func TestDemoFiles(t *testing.T) {
	t.Parallel()
	n, size := 8, 9_000_000
	if v, err := strconv.Atoi(os.Getenv("TENGEN_DEMO_FILES")); err == nil {
		n = v
	}
	dir := t.TempDir()
	p := demoIn(t, dir)
	data := base64.StdEncoding.EncodeToString(make([]byte, size))
	for i := range n {
		p.asks(t, "api/do?as=Ann", fmt.Sprintf(`{"do":"say","at":"#gomoku","text":"file %d","files":[{"name":"a.bin","data":"%s"}]}`, i, data))
	}
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
	peak := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	p.end(t, syscall.SIGTERM)
	sizes := func() (kept int64, times map[string]time.Time) {
		times = map[string]time.Time{}
		for _, f := range testkit.Got(os.ReadDir(filepath.Join(dir, filesName))) {
			info := testkit.Got(f.Info())
			kept += info.Size()
			times[f.Name()] = info.ModTime()
		}
		return kept, times
	}
	kept, before := sizes()
	if kept > keepFiles || kept < keepFiles-int64(size) {
		t.Errorf("%d bytes of files are kept, the bound is %d", kept, keepFiles)
	}
	world, err := os.Stat(filepath.Join(dir, worldName))
	if err != nil || world.Size() > 1<<20 {
		t.Errorf("the conversations have %d bytes: %v", world.Size(), err)
	}
	isPrivate(t, filepath.Join(dir, worldName))
	t.Logf("%d files of %d bytes: %d bytes of files, %d of conversations, peak memory %s kB", n, size, kept,
		world.Size(), peak[1])

	p = demoIn(t, dir)
	p.asks(t, "api/do?as=Ann", `{"do":"say","at":"#gomoku","text":"one more"}`)
	messages := string(p.asks(t, "api/messages?as=Ann&at=%23gomoku", ""))
	p.end(t, syscall.SIGTERM)
	_, after := sizes()
	for name, at := range after {
		if !at.Equal(before[name]) {
			t.Errorf("file %s was written again", name)
		}
		if !strings.Contains(messages, name) {
			t.Errorf("file %s belongs to nothing", name)
		}
	}
}
