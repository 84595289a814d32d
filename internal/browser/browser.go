// Package browser drives a real browser for tests of pages: tabs that look for things as a
// person does, by their words, and that fail the test on any error of the page and, in
// Chromium, on any request to elsewhere. Start from Open, or from WebKit for the engine of
// iPhones.
package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A tab looks for a thing until wait is over, on a machine that is busy with much else. patience is longer, so that the
// page itself says what it lacks.
const (
	wait     = 90 * time.Second
	patience = 2 * time.Minute
)

// Browser is one browser with an empty profile, for one test.
type Browser struct {
	t       testing.TB
	ctx     context.Context // of Chromium
	apart   bool
	display string      // where WebKit draws; empty in Chromium
	doors   *sync.Mutex // held while a tab opens or closes: one that closed has taken others with it that were opening
}

// Open starts a Chromium that ends with the test. Where there is none the test is
// skipped. DEMO_SHOTS names a folder that gets the pictures which Shot takes.
func Open(t testing.TB) *Browser {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			program = p
			break
		}
	}
	if program == "" {
		t.Skip("there is no Chromium on this machine")
	}
	if testing.Short() {
		t.Skip("a browser takes long to start")
	}
	opts := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(program), chromedp.UserDataDir(t.TempDir()), chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
		chromedp.Headless, chromedp.NoSandbox, chromedp.WSURLReadTimeout(60 * time.Second),
	}
	for _, f := range []string{"disable-gpu", "disable-quic", "disable-background-networking",
		"disable-component-update", "disable-sync", "disable-extensions", "disable-dev-shm-usage",
		"disable-default-apps", "mute-audio", "disable-background-timer-throttling",
		"disable-renderer-backgrounding", "disable-backgrounding-occluded-windows",
		"ignore-certificate-errors"} { // those of a test vouch for themselves
		opts = append(opts, chromedp.Flag(f, true))
	}
	alloc, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, leave := chromedp.NewContext(alloc)
	if err := chromedp.Do(ctx); err != nil {
		stop()
		t.Fatalf("starting %s: %v", program, err)
	}
	t.Cleanup(func() {
		// Closing in good order first, so that the profile's folder can go.
		end, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		chromedp.Cancel(end)
		leave()
		stop()
	})
	return &Browser{t: t, ctx: ctx, doors: &sync.Mutex{}}
}

// For is the browser for a part of the test: that part fails, and its end closes its tabs.
func (b *Browser) For(t testing.TB) *Browser {
	part := *b
	part.t = t
	return &part
}

// Apart is the browser with cookies of its own for each tab.
func (b *Browser) Apart() *Browser {
	apart := *b
	apart.apart = true
	return &apart
}

// driver is what differs between browsers: how a page evaluates, and how it is clicked, typed to, sized and pictured.
type driver interface {
	evaluate(ctx context.Context, js string) (json.RawMessage, error) // once a promise is kept
	click(ctx context.Context, x, y float64) error
	keys(ctx context.Context, keys string) error
	resize(ctx context.Context, width, height int) error
	shot(ctx context.Context) ([]byte, error)
	open(ctx context.Context, address string) error
}

// Tab is one page in a browser.
type Tab struct {
	driver
	t    testing.TB
	ctx  context.Context
	name string
	stop context.CancelFunc

	mu     sync.Mutex
	homes  map[string]bool // the servers that the tab was led to
	faults []string
}

// Tab opens an address in a window of that size. From a width of 500 down it is a phone.
func (b *Browser) Tab(name, address string, width, height int) *Tab {
	b.t.Helper()
	tab := &Tab{t: b.t, name: name, homes: map[string]bool{}}
	if b.display != "" {
		tab.inWebKit(b.display)
	} else {
		b.inChromium(tab)
	}
	b.t.Cleanup(func() {
		tab.stop()
		tab.mu.Lock()
		defer tab.mu.Unlock()
		for _, f := range tab.faults {
			b.t.Errorf("%s: %s", name, f)
		}
	})
	tab.Resize(width, height)
	tab.Go(address)
	return tab
}

// inChromium begins a tab in Chromium.
func (b *Browser) inChromium(tab *Tab) {
	b.t.Helper()
	b.doors.Lock()
	defer b.doors.Unlock()
	var opts []chromedp.ContextOption
	if b.apart {
		opts = append(opts, chromedp.WithNewBrowserContext())
	}
	ctx, leave := chromedp.NewContext(b.ctx, opts...)
	tab.driver, tab.ctx = chromium{}, ctx
	tab.stop = sync.OnceFunc(func() {
		b.doors.Lock()
		defer b.doors.Unlock()
		leave()
	})
	if err := chromedp.Listen(ctx, tab.heard); err != nil {
		b.t.Fatal(err)
	}
	call(tab, network.Enable, network.EnableParams{})
	call(tab, cdplog.Enable, cdp.Empty{})
	// tabs behind one another count as looked at
	call(tab, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
}

// Go leads the tab to an address.
func (tab *Tab) Go(address string) {
	tab.t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		tab.t.Fatal(err)
	}
	tab.mu.Lock()
	tab.homes[u.Host] = true
	tab.mu.Unlock()
	if err := tab.try(func(ctx context.Context) error { return tab.open(ctx, address) }); err != nil {
		tab.t.Fatalf("%s: opening %s: %v", tab.name, address, err)
	}
}

// chromium drives a tab by the context of chromedp.
type chromium struct{}

func (chromium) open(ctx context.Context, address string) error {
	return chromedp.Do(ctx, chromedp.Navigate(address))
}

func (chromium) evaluate(ctx context.Context, js string) (json.RawMessage, error) {
	return chromedp.Run(ctx, chromedp.Evaluate[json.RawMessage](js, chromedp.EvalAwaitPromise))
}

func (chromium) click(ctx context.Context, x, y float64) error {
	return chromedp.Do(ctx, chromedp.MouseClickXY(x, y))
}

func (chromium) keys(ctx context.Context, keys string) error {
	return chromedp.Do(ctx, chromedp.KeyEvent(keys))
}

func (chromium) shot(ctx context.Context) ([]byte, error) {
	return chromedp.Run(ctx, chromedp.CaptureScreenshot())
}

func (chromium) resize(ctx context.Context, width, height int) error {
	phone := width <= 500
	_, err := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: int64(width), Height: int64(height), DeviceScaleFactor: 1, Mobile: phone})
	if err != nil {
		return err
	}
	_, err = chromedp.Call(ctx, emulation.SetTouchEmulationEnabled,
		emulation.SetTouchEmulationEnabledParams{Enabled: phone})
	return err
}

// heard notes what must not happen on a page.
func (tab *Tab) heard(event any) {
	fault := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		fault = "exception: " + e.ExceptionDetails.Text + exceptionText(e.ExceptionDetails.Exception)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning ||
			e.Type == runtime.ConsoleAPICalledTypeAssert {
			words := []string{}
			for _, a := range e.Args {
				words = append(words, string(a.Value)+a.Description)
			}
			fault = "console: " + strings.Join(words, " ")
		}
	case *cdplog.EventEntryAdded:
		if e.Entry.Level == cdplog.EntryLevelError || e.Entry.Level == cdplog.EntryLevelWarning {
			fault = "log: " + e.Entry.Text + " " + e.Entry.URL
		}
	case *network.EventRequestWillBeSent:
		u, err := url.Parse(e.Request.URL)
		if err != nil || !tab.knows(u.Host) && u.Scheme != "data" && u.Scheme != "blob" {
			fault = "request to " + e.Request.URL
		}
	case *network.EventWebSocketCreated:
		if u, err := url.Parse(e.URL); err != nil || !tab.knows(u.Host) {
			fault = "socket to " + e.URL
		}
	}
	if fault != "" {
		tab.fault(fault)
	}
}

// knows is whether a server is one that the tab was led to.
func (tab *Tab) knows(host string) bool {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return tab.homes[host]
}

func (tab *Tab) fault(what string) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	tab.faults = append(tab.faults, what)
}

// Close closes the tab before the test is over.
func (tab *Tab) Close() { tab.stop() }

// Forgive drops the faults so far that contain a text, where the test itself caused them.
func (tab *Tab) Forgive(text string) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	kept := tab.faults[:0]
	for _, f := range tab.faults {
		if !strings.Contains(f, text) {
			kept = append(kept, f)
		}
	}
	tab.faults = kept
}

func exceptionText(o *runtime.RemoteObject) string {
	if o == nil {
		return ""
	}
	return " " + o.Description
}

func (tab *Tab) try(step func(context.Context) error) error {
	ctx, stop := context.WithTimeout(tab.ctx, patience)
	defer stop()
	return step(ctx)
}

// call sends one command to the tab's Chromium.
func call[P, R any](tab *Tab, cmd cdp.Command[P, R], params P) {
	tab.t.Helper()
	ctx, stop := context.WithTimeout(tab.ctx, patience)
	defer stop()
	if _, err := chromedp.Call(ctx, cmd, params); err != nil {
		tab.t.Fatalf("%s: %s: %v", tab.name, cmd.Method, err)
	}
}

// evaluate returns the value of a JavaScript expression.
func evaluate[T any](tab *Tab, js string) (T, error) {
	ctx, stop := context.WithTimeout(tab.ctx, patience)
	defer stop()
	var v T
	data, err := tab.evaluate(ctx, js)
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	return v, err
}

// fatal fails the test with a picture of what the tab shows.
func (tab *Tab) fatal(format string, args ...any) {
	tab.t.Helper()
	text, _ := evaluate[string](tab, `document.body.innerText`)
	if len(text) > 3000 {
		text = "…" + text[len(text)-3000:]
	}
	tab.Shot("failed-" + strings.ReplaceAll(tab.t.Name(), "/", "-") + "-" + tab.name)
	tab.t.Fatalf("%s: %s; the page shows:\n%s", tab.name, fmt.Sprintf(format, args...), text)
}

// Eval evaluates JavaScript and gives its value as text.
func (tab *Tab) Eval(js string) string {
	tab.t.Helper()
	v, err := evaluate[string](tab, `(async () => String(await (`+js+`)))()`)
	if err != nil {
		tab.fatal("evaluating %s: %v", js, err)
	}
	return v
}

// Until waits until a JavaScript expression is true.
func (tab *Tab) Until(js string) {
	tab.t.Helper()
	loop := fmt.Sprintf(`(async () => {
		for (const end = Date.now() + %d; Date.now() < end; await new Promise((d) => setTimeout(d, 25)))
			if (%s) return true;
		return false;
	})()`, wait.Milliseconds(), js)
	if ok, err := evaluate[bool](tab, loop); err != nil || !ok {
		tab.fatal("waiting for %s: %v", js, err)
	}
}

// Sees waits until the page shows a text.
func (tab *Tab) Sees(text string) {
	tab.t.Helper()
	tab.Until(fmt.Sprintf(`document.body.innerText.includes(%s)`, quote(text)))
}

// Misses waits until the page no longer shows a text.
func (tab *Tab) Misses(text string) {
	tab.t.Helper()
	tab.Until(fmt.Sprintf(`!document.body.innerText.includes(%s)`, quote(text)))
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always encodes
	}
	return string(b)
}

// finder looks for the last thing that a member could press and whose label or words are the
// given ones.
const finder = `(name) =>
	[...document.querySelectorAll("button, a, [role=option], [role=menuitem], [role=radio], summary")].filter((n) =>
	(n.getAttribute("aria-label") ?? n.innerText).trim() === name || n.innerText.trim().split("\n")[0] === name)
	.filter((n) => !n.disabled && n.checkVisibility({visibilityProperty: true, opacityProperty: false})).pop()`

// Click clicks with the mouse on the newest button, link or option of that name.
func (tab *Tab) Click(name string) {
	tab.t.Helper()
	tab.ClickAt(fmt.Sprintf(`(%s)(%s)`, finder, quote(name)), name)
}

// ClickAt clicks on the element that a JavaScript expression finds, once it is there.
func (tab *Tab) ClickAt(js, name string) {
	tab.t.Helper()
	// Scrolling is over when the place of the thing stays the same for two frames.
	where := fmt.Sprintf(`(async () => {
		const find = () => %s;
		const until = Date.now() + %d;
		let last;
		while (Date.now() < until) {
			const n = find();
			if (n) {
				let r = n.getBoundingClientRect();
				const on = document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2);
				// a header may stand before it
				if (!n.contains(on) && !on?.contains(n)) n.scrollIntoView({block: "center", behavior: "instant"});
				await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
				r = n.getBoundingClientRect();
				const now = [n.isConnected, r.left, r.top].join();
				if (n.isConnected && now === last) {
					const x = r.left + r.width / 2, y = r.top + r.height / 2;
					const over = document.elementFromPoint(x, y);
					const hit = n.contains(over) || over?.contains(n);
					return {X: x, Y: y, Over: hit ? "" : String(over?.outerHTML ?? "nothing").slice(0, 200)};
				}
				last = now;
			} else {
				await new Promise((done) => setTimeout(done, 30));
			}
		}
		return {X: -1, Y: -1, Over: ""};
	})()`, js, wait.Milliseconds())
	at, err := evaluate[struct {
		X, Y float64
		Over string
	}](tab, where)
	if err != nil {
		tab.fatal("looking for %q: %v", name, err)
	}
	if at.X < 0 {
		tab.fatal("there is nothing to click called %q", name)
	}
	if at.Over != "" {
		tab.fatal("%q is covered by %s", name, at.Over)
	}
	tab.Point(at.X, at.Y)
}

// Point clicks with the mouse at a place of the window.
func (tab *Tab) Point(x, y float64) {
	tab.t.Helper()
	if err := tab.try(func(ctx context.Context) error { return tab.click(ctx, x, y) }); err != nil {
		tab.fatal("clicking at %g, %g: %v", x, y, err)
	}
}

// Has reports whether there is something of that name to click now.
func (tab *Tab) Has(name string) bool {
	tab.t.Helper()
	return tab.Eval(fmt.Sprintf(`Boolean((%s)(%s))`, finder, quote(name))) == "true"
}

// Keys types on the keyboard, into the element that has it. The names of kb stand for other keys.
func (tab *Tab) Keys(keys string) {
	tab.t.Helper()
	if err := tab.try(func(ctx context.Context) error { return tab.keys(ctx, keys) }); err != nil {
		tab.fatal("typing: %v", err)
	}
}

// Paste puts a text in at once, as from a clipboard.
func (tab *Tab) Paste(text string) {
	tab.t.Helper()
	call(tab, input.InsertText, input.InsertTextParams{Text: text})
}

// Keys that tests use.
const (
	Enter  = kb.Enter
	Tabs   = kb.Tab
	Escape = kb.Escape
	Down   = kb.ArrowDown
	Up     = kb.ArrowUp
	Right  = kb.ArrowRight
	Left   = kb.ArrowLeft
)

// Downloads lets the tab save files into a folder.
func (tab *Tab) Downloads(dir string) {
	tab.t.Helper()
	ctx, stop := context.WithTimeout(tab.ctx, patience)
	defer stop()
	_, err := chromedp.CallBrowser(ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir})
	if err != nil {
		tab.fatal("downloads: %v", err)
	}
}

// Files puts files into a file chooser of the page.
func (tab *Tab) Files(selector string, paths ...string) {
	tab.t.Helper()
	err := tab.try(func(ctx context.Context) error {
		return chromedp.Do(ctx, chromedp.SetUploadFiles(chromedp.CSS(selector), paths))
	})
	if err != nil {
		tab.fatal("choosing files: %v", err)
	}
}

// Resize changes the size of the window. From a width of 500 down it is a phone.
func (tab *Tab) Resize(width, height int) {
	tab.t.Helper()
	if err := tab.try(func(ctx context.Context) error { return tab.resize(ctx, width, height) }); err != nil {
		tab.t.Fatalf("%s: resizing: %v", tab.name, err)
	}
}

// Dark makes the system of the tab a dark or a light one.
func (tab *Tab) Dark(dark bool) {
	tab.t.Helper()
	value := "light"
	if dark {
		value = "dark"
	}
	call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: value}}})
}

// Slow makes the tab's line and processor slow: a request takes the latency at least, and so many bytes come a second.
// Connecting takes no time of its own.
func (tab *Tab) Slow(latency time.Duration, rate, cpu float64) {
	tab.t.Helper()
	ms := float64(latency.Milliseconds())
	call(tab, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
		MatchedNetworkConditions: []*network.Conditions{{Latency: ms, DownloadThroughput: rate, UploadThroughput: rate}}})
	call(tab, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: cpu})
}

// Before runs JavaScript in each document before its own.
func (tab *Tab) Before(js string) {
	tab.t.Helper()
	call(tab, page.AddScriptToEvaluateOnNewDocument,
		page.AddScriptToEvaluateOnNewDocumentParams{Source: js})
}

// Finger puts a finger down at a place of the window, slides it over the places that follow, and lifts it.
func (tab *Tab) Finger(at ...[2]float64) {
	tab.t.Helper()
	for i, p := range at {
		kind := input.DispatchTouchEventTypeTouchMove
		if i == 0 {
			kind = input.DispatchTouchEventTypeTouchStart
		}
		tab.touch(kind, &input.TouchPoint{X: p[0], Y: p[1]})
	}
	tab.Lift()
}

// Hold puts a finger down at a place of the window and leaves it there until Lift.
func (tab *Tab) Hold(x, y float64) {
	tab.t.Helper()
	tab.touch(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: x, Y: y})
}

// Lift lifts the finger.
func (tab *Tab) Lift() {
	tab.t.Helper()
	tab.touch(input.DispatchTouchEventTypeTouchEnd)
}

func (tab *Tab) touch(kind input.DispatchTouchEventType, points ...*input.TouchPoint) {
	tab.t.Helper()
	if points == nil {
		points = []*input.TouchPoint{} // the protocol wants a list
	}
	call(tab, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points})
}

// Shot takes a picture of the tab into the folder that DEMO_SHOTS names, if any.
func (tab *Tab) Shot(name string) {
	tab.t.Helper()
	dir := os.Getenv("DEMO_SHOTS")
	if dir == "" {
		return
	}
	ctx, stop := context.WithTimeout(tab.ctx, patience)
	defer stop()
	png, err := tab.shot(ctx)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644)
	}
	if err != nil {
		tab.t.Errorf("picture %s: %v", name, err)
	}
}
