package web

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"
	"time"

	"tengen/game"
	"tengen/internal/browser"
	"tengen/internal/testkit"
	"tengen/storage/storagetest"
)

// served is a game on a server that a browser reaches. link opens it for ann, and shared is its address for watchers.
func served(t *testing.T) (link func() string, shared string) {
	l := testkit.Listen(t)
	b := &bench{t: t, store: storagetest.Memory(t)}
	b.Server = New(Config{Store: b.store, URL: "http://" + l.Addr().String()})
	b.Host(house{b.store})
	b.store.Tell(b.Told)
	b.Serve(l)
	t.Cleanup(b.Close)
	b.rec = b.begin(game.Gomoku15)
	b.play("h8", "i9", "i7", "g9", "h9", "h7", "j8", "g11")
	shared = testkit.Got(b.Shared(t.Context(), ann, b.rec.ID, true))
	return func() string { return testkit.Got(b.Link(t.Context(), ann, b.rec.ID)) }, shared
}

// seen notes when the board with its stones has been painted.
const seen = `new MutationObserver((_, watch) => document.querySelector("#drawing .stones use") && (watch.disconnect(),
	requestAnimationFrame(() => setTimeout(() => { window.seen = performance.now(); })))).observe(document, { childList: true, subtree: true })`

// asked is what a page has asked for beside its document: requests, and sockets.
const asked = `const Socket = WebSocket; window.sockets = 0; window.WebSocket = class extends Socket { constructor(to) { super(to); sockets++; } }`

// How long a page takes from the address to its board, cold, on a phone's screen. TENGEN_FIGURES is how often it is
// measured; unset, not at all.
func TestFirstBoard(t *testing.T) {
	times, err := strconv.Atoi(os.Getenv("TENGEN_FIGURES"))
	if err != nil {
		t.Skip("TENGEN_FIGURES=15 measures it")
	}
	link, shared := served(t)
	b := browser.Open(t).Apart() // each tab is cold
	for _, c := range []struct {
		name    string
		address func() string
		slow    bool
		most    int // milliseconds
	}{
		{"watcher", func() string { return shared }, false, 300},
		{"member", link, false, 300},
		{"watcher, slow", func() string { return shared }, true, 800},
		{"member, slow", link, true, 1500},
	} {
		var took []int
		var requests string
		for range times {
			tab := b.Tab(c.name, "about:blank", 390, 844)
			tab.Before(asked + ";" + seen)
			if c.slow {
				tab.Slow(150*time.Millisecond, 1.6e6/8, 4)
			}
			tab.Go(c.address())
			tab.Until("window.seen")
			took = append(took, testkit.Got(strconv.Atoi(tab.Eval("Math.round(seen)"))))
			requests = tab.Eval(`performance.getEntriesByType("resource").length + " requests more, sockets " + sockets`)
			tab.Close()
		}
		slices.Sort(took)
		load, _ := os.ReadFile("/proc/loadavg")
		t.Logf("%-14s median %d ms of %v; %s; load %s", c.name, took[times/2], took, requests, load)
		if took[times/2] > c.most {
			t.Errorf("%s: the board comes after %d ms", c.name, took[times/2])
		}
	}
}

// What Lighthouse says of the pages on a phone. TENGEN_LIGHTHOUSE is its program (npm); unset, it is not asked.
func TestLighthouse(t *testing.T) {
	program := os.Getenv("TENGEN_LIGHTHOUSE")
	if program == "" {
		t.Skip("TENGEN_LIGHTHOUSE does not name the program")
	}
	link, shared := served(t)
	for name, address := range map[string]func() string{"watcher": func() string { return shared }, "member": link} {
		var speeds []float64
		for range 5 {
			c := exec.Command(program, address(), "--quiet", "--output=json", "--only-categories=performance,accessibility",
				"--chrome-flags=--headless=new --no-sandbox")
			c.Env = append(os.Environ(), "CHROME_PATH="+testkit.Got(exec.LookPath("chromium")))
			var r struct {
				Categories map[string]struct{ Score float64 }
			}
			testkit.Must(t, json.Unmarshal(testkit.Got(c.Output()), &r))
			speeds = append(speeds, 100*r.Categories["performance"].Score)
			if access := 100 * r.Categories["accessibility"].Score; access < 100 {
				t.Errorf("%s: accessibility %.0f", name, access)
			}
		}
		slices.Sort(speeds)
		load, _ := os.ReadFile("/proc/loadavg")
		t.Logf("%s: speed %v; load %s", name, speeds, load)
		if speeds[len(speeds)/2] < 95 {
			t.Errorf("%s: speed %.0f", name, speeds[len(speeds)/2])
		}
	}
}
