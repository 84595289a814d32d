package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"golang.org/x/sync/errgroup"

	"tengen/bot/metrics"
	"tengen/bot/standin"
	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/testkit"
	"tengen/storage"
)

var program = flag.String("tengen", "", "the program to be measured")

// figures are the names of all figures on /metrics.
func figures() map[string]bool {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	metrics.New(r)
	r.MustRegister(buildInfo())
	text := fmt.Sprint(storeBytes, storeFree, storeLimit, diskFree, backupAge, backupFails, backupLate, storeBroken,
		pgSilent, pgBytes, pgSynchronous, pgReruns, pgSettled, pgInUse, pgWaits, pgWaited)
	names := map[string]bool{}
	for _, m := range regexp.MustCompile(`fqName: "(\w+)"`).FindAllStringSubmatch(text, -1) {
		names[m[1]] = true
	}
	described := make(chan *prometheus.Desc, 1000)
	r.Describe(described)
	close(described)
	for d := range described {
		names[regexp.MustCompile(`fqName: "(\w+)"`).FindStringSubmatch(d.String())[1]] = true
	}
	return names
}

// The dashboard and the manual name only figures that exist, and all of ours.
func TestFiguresAreDocumented(t *testing.T) {
	names := figures()
	for _, file := range []string{"../../deploy/grafana.json", "../../docs/operating.md"} {
		text := testkit.Read(t, file)
		if strings.HasSuffix(file, ".json") && !json.Valid(text) {
			t.Errorf("%s is no JSON", file)
		}
		said := map[string]bool{}
		for _, name := range regexp.MustCompile(`\b(tengen_\w+|process_\w+|go_\w+)\b`).FindAllString(string(text), -1) {
			base := regexp.MustCompile(`_(bucket|count|sum)$`).ReplaceAllString(name, "")
			said[base] = true
			if !names[base] {
				t.Errorf("%s speaks of %s, which there is not", file, name)
			}
		}
		for name := range names {
			if strings.HasPrefix(name, "tengen_") && !said[name] && !(strings.HasSuffix(file, ".md") &&
				name == "tengen_store_free_bytes" || name == "tengen_engine_turns_total" || name == "tengen_store_broken") {
				t.Errorf("%s says nothing of %s", file, name)
			}
		}
	}
}

// The command by which the image is made makes a static program, and nothing in the
// image's recipe is missing here.
func TestDockerfile(t *testing.T) {
	t.Parallel()
	text := testkit.Read(t, "../../deploy/Dockerfile")
	build := regexp.MustCompile(`(?m)^RUN (CGO_ENABLED=0 go build .*) -o /out/tengen (.*)$`).FindStringSubmatch(
		string(text))
	if build == nil {
		t.Fatal("no build in the Dockerfile")
	}
	for _, want := range []string{"USER 65532", "STOPSIGNAL SIGTERM", "FROM scratch", "ca-certificates.crt",
		"VOLUME /data"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s", want)
		}
	}
	if testing.Short() {
		t.Skip("builds the program")
	}
	out := filepath.Join(t.TempDir(), "tengen")
	c := exec.Command("sh", "-c", build[1]+" -o "+out+" "+build[2])
	c.Dir = "../.."
	if got, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	info := testkit.Got(os.Stat(out))
	t.Logf("%d bytes", info.Size())
	if info.Size() > 37e6 {
		t.Errorf("the program has %d bytes, 37 MB are the limit", info.Size())
	}
	if kind, err := exec.Command("file", "-b", out).Output(); err == nil &&
		!strings.Contains(string(kind), "statically linked") {
		t.Errorf("not static: %s", kind)
	}
	if got, err := exec.Command(out, "run", "--help").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, got)
	}
}

// The Compose files name what is there, and the configuration in one of them is valid.
func TestCompose(t *testing.T) {
	for file, services := range map[string]string{"compose.yaml": "bot",
		"compose.postgres.yaml": "bot1 bot2 monitor n1 n2"} {
		var c struct {
			Services map[string]struct {
				Build struct{ Context, Dockerfile string }
			}
			Configs map[string]struct{ Content string }
		}
		testkit.Must(t, yaml.Unmarshal(testkit.Read(t, "../../deploy/"+file), &c))
		if got := strings.Join(slices.Sorted(maps.Keys(c.Services)), " "); got != services {
			t.Errorf("%s has the services %s, want %s", file, got, services)
		}
		for name, s := range c.Services {
			if _, err := os.Stat(filepath.Join("../../deploy", s.Build.Context, s.Build.Dockerfile)); err != nil {
				t.Errorf("%s, %s: %v", file, name, err)
			}
		}
		for name, k := range c.Configs {
			if _, err := parseConfig([]byte(k.Content)); err != nil {
				t.Errorf("%s, %s: %v", file, name, err)
			}
		}
	}
}

func TestUnit(t *testing.T) {
	text := testkit.Read(t, "../../deploy/tengen.service")
	if !strings.Contains(string(text), fmt.Sprintf("RestartPreventExitStatus=%d\n", exitSetup)) {
		t.Error("systemd would start again what a person has to put right")
	}
	if !strings.Contains(string(text), "\nOOMPolicy=continue\n") {
		t.Error("a guest that needs too much memory would end the bot")
	}
	var limit int
	fmt.Sscan(regexp.MustCompile(`TimeoutStopSec=(\d+)`).FindStringSubmatch(string(text))[1], &limit)
	if time.Duration(limit)*time.Second < endLimit {
		t.Errorf("systemd kills after %d s", limit)
	}
}

// TestIdleMemory is run by deploy/measure.sh: the memory of a bot that has 10,000 games
// and nothing to do.
func TestIdleMemory(t *testing.T) {
	if *program == "" {
		t.Skip("run by deploy/measure.sh")
	}
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	dir := t.TempDir()
	fill(t, filepath.Join(dir, "tengen.db"), 10_000)
	s := tcpStandin(t, standin.Options{})
	c := exec.Command(*program, "run", "--stand-in", s.Addr())
	c.Dir = dir
	c.Env = append(os.Environ(), "DISCORD_TOKEN="+s.Token())
	log := &output{}
	c.Stderr = log
	testkit.Must(t, c.Start())
	defer c.Wait()
	defer c.Process.Signal(os.Interrupt)
	s.Ready(1)
	s.Member("ann").Slash("#gomoku", "/help")
	log.awaits(t, "buttons show the drawn signs") // so ends the work of the start
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Second) {
		resident, own, files := memory(t, c.Process.Pid)
		enough := resident <= 72<<10
		if enough || time.Now().After(end) {
			t.Logf("memory: %d kB resident, of these %d kB its own and %d kB of files", resident, own, files)
			if !enough {
				t.Errorf("more than 72 MB a minute after the start")
			}
			return
		}
	}
}

// memory is what a process has in memory, in kB: all, its own, and pages of files.
func memory(t *testing.T, process int) (resident, own, files int) {
	t.Helper()
	status := testkit.Read(t, fmt.Sprintf("/proc/%d/status", process))
	for name, kb := range map[string]*int{"VmRSS": &resident, "RssAnon": &own, "RssFile": &files} {
		if m := regexp.MustCompile(name + `:\s+(\d+) kB`).FindSubmatch(status); m != nil {
			fmt.Sscan(string(m[1]), kb)
		}
	}
	return resident, own, files
}

// fill puts n games of 60 moves into a new store, half of them over.
func fill(t *testing.T, file string, n int) {
	t.Helper()
	db, store, err := openFile(t.Context(), file)
	testkit.Must(t, err)
	defer db.Close()
	began := time.Now().Add(-time.Hour)
	one := func(i int) error {
		ann, bob := game.MemberID(1+i%500), game.MemberID(1000+i%499)
		place := venue.Place{Server: uint64(1 + i%20), Channel: uint64(100 + i%200)}
		rec, err := store.Create(t.Context(), storage.Cause{At: began}, place, func(id game.MatchID) (game.Match, error) {
			return scattered(id, ann, bob, began, rand.New(rand.NewPCG(1, uint64(i))))
		})
		if err == nil && i%2 == 1 && rec.Match.Phase != game.Over {
			rec, err = store.Update(t.Context(), rec.ID, storage.Cause{At: time.Now()}, func(m game.Match) (game.Match, error) {
				return m.Resign(bob, time.Now())
			})
		}
		if err == nil { // its board is on the screen, and whom it waits for was called
			_, err = store.SetScreen(t.Context(), rec.ID, func(sc storage.Screen) (storage.Screen, error) {
				sc.Channel, sc.Message, sc.Shown = place.Channel, uint64(1_000_000+i), rec.Match.Version
				if seat, ok := rec.Match.WaitsFor(); ok {
					sc = sc.Calling(rec.Match, seat, 0)
				}
				return sc, nil
			})
		}
		if errors.Is(err, storage.ErrNotFound) {
			err = nil
		}
		return err
	}
	var writers errgroup.Group
	writers.SetLimit(64)
	for i := range n {
		writers.Go(func() error { return one(i) })
	}
	testkit.Must(t, writers.Wait())
	st, err := store.Stats(t.Context())
	t.Logf("stored: %+v %v", st, err)
}

// scattered is a match of 60 moves at random points, or fewer where it ends before.
func scattered(id game.MatchID, ann, bob game.MemberID, began time.Time, dice *rand.Rand) (game.Match, error) {
	m, err := game.NewMatch(id, game.Terms{Rules: game.Gomoku15, First: game.Black}, ann, game.SeatFor(ann),
		game.SeatFor(bob), began, time.Time{})
	if err != nil {
		return m, err
	}
	m, err = m.Accept(bob, began)
	for at := began; err == nil && m.Played() < 60 && m.Phase != game.Over; {
		at = at.Add(7 * time.Second)
		p := game.At(dice.IntN(15), dice.IntN(15))
		if m.Game().Check(p) != nil {
			continue
		}
		by := ann
		if m.ToMove() == 1 {
			by = bob
		}
		m, err = m.Play(by, p, at)
	}
	return m, err
}
