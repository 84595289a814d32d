package browser

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// WebKit is the engine of iPhones, as Debian's webkit2gtk-driver and xvfb have it. Where they are missing the test is
// skipped. Each tab is a program with cookies of its own, at least 450 wide. It has a mouse and keys, but no fingers.
func WebKit(t testing.TB) *Browser {
	t.Helper()
	for _, name := range []string{"WebKitWebDriver", "Xvfb"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("there is no %s on this machine (Debian: webkit2gtk-driver, xvfb)", name)
		}
	}
	if testing.Short() {
		t.Skip("a browser takes long to start")
	}
	screen, told, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer screen.Close()
	cmd := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1400x1000x24", "-nolisten", "tcp")
	cmd.ExtraFiles = []*os.File{told}
	begin(t, cmd)
	told.Close()
	number, err := bufio.NewReader(screen).ReadString('\n')
	if err != nil {
		t.Fatalf("Xvfb names no display: %v", err)
	}
	return &Browser{t: t, display: ":" + strings.TrimSpace(number)}
}

// begin starts a program that ends with the test.
func begin(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
}

// webkit drives a tab by the protocol of WebDriver, https://www.w3.org/TR/webdriver2/.
type webkit struct{ session string } // its address

// inWebKit begins a tab in WebKit.
func (tab *Tab) inWebKit(display string) {
	tab.t.Helper()
	programs, _ := filepath.Glob("/usr/lib/*/webkit2gtk-4.*/MiniBrowser")
	if len(programs) == 0 {
		tab.t.Skip("there is no MiniBrowser on this machine (Debian: webkit2gtk-driver)")
	}
	ctx, cancel := context.WithCancel(context.Background())
	tab.ctx = ctx
	root := driven(tab, display)
	w := &webkit{root + "/session"}
	var made struct{ SessionID string }
	err := tab.try(func(ctx context.Context) error {
		options := object{"binary": programs[0],
			"args": []string{"--automation", "--enable-write-console-messages-to-stdout=true"}}
		return w.post(ctx, "", object{"capabilities": object{"alwaysMatch": object{"acceptInsecureCerts": true,
			"timeouts": object{"script": patience.Milliseconds()}, "webkitgtk:browserOptions": options}}}, &made)
	})
	if err != nil {
		tab.t.Fatalf("%s: WebKit: %v", tab.name, err)
	}
	w.session += "/" + made.SessionID
	tab.driver = w
	tab.stop = sync.OnceFunc(func() {
		_ = tab.try(func(ctx context.Context) error { return w.send(ctx, http.MethodDelete, "", nil, nil) })
		cancel()
	})
}

// driven starts a driver, and gives its address once it answers.
func driven(tab *Tab, display string) string {
	tab.t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tab.t.Fatal(err)
	}
	addr := free.Addr().(*net.TCPAddr)
	free.Close()
	cmd := exec.Command("WebKitWebDriver", fmt.Sprint("--port=", addr.Port))
	cmd.Env = append(os.Environ(), "DISPLAY="+display, "GDK_BACKEND=x11", "LIBGL_ALWAYS_SOFTWARE=1")
	cmd.Stdout = &console{tab: tab}
	begin(tab.t, cmd)
	root := "http://" + addr.String()
	err = tab.try(func(ctx context.Context) error {
		for {
			if err := (&webkit{root}).send(ctx, http.MethodGet, "/status", nil, nil); err == nil || ctx.Err() != nil {
				return err
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
	if err != nil {
		tab.t.Fatalf("WebKitWebDriver does not answer: %v", err)
	}
	return root
}

// console reads what a page says on its console.
type console struct {
	tab  *Tab
	rest []byte
}

func (c *console) Write(b []byte) (int, error) {
	c.rest = append(c.rest, b...)
	for {
		line, rest, whole := bytes.Cut(c.rest, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		c.rest = rest
		if bytes.HasPrefix(line, []byte("CONSOLE")) {
			c.tab.fault(string(line))
		}
	}
}

type object = map[string]any

func (w *webkit) post(ctx context.Context, path string, body, value any) error {
	return w.send(ctx, http.MethodPost, path, body, value)
}

// send gives the value of the answer to value, if that is not nil.
func (w *webkit) send(ctx context.Context, method, path string, body, value any) error {
	var in io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return err
		}
		in = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, w.session+path, in)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var answer struct{ Value json.RawMessage }
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s", method, path, answer.Value)
	}
	if value == nil {
		return nil
	}
	return json.Unmarshal(answer.Value, value)
}

func (w *webkit) open(ctx context.Context, address string) error {
	return w.post(ctx, "/url", object{"url": address}, nil)
}

func (w *webkit) evaluate(ctx context.Context, js string) (json.RawMessage, error) {
	var got struct {
		Value json.RawMessage
		Fault string
	}
	script := "const done = arguments[0]; Promise.resolve().then(() => (" + js + "\n)).then((value) => done({ value }), " +
		"(e) => done({ fault: String(e) }))"
	err := w.post(ctx, "/execute/async", object{"script": script, "args": []any{}}, &got)
	if err == nil && got.Fault != "" {
		err = errors.New(got.Fault)
	}
	return got.Value, err
}

// act runs the steps of one device, one after the other.
func (w *webkit) act(ctx context.Context, device object, steps ...object) error {
	device["id"], device["actions"] = device["type"], steps
	return w.post(ctx, "/actions", object{"actions": []object{device}}, nil)
}

func (w *webkit) click(ctx context.Context, x, y float64) error {
	return w.act(ctx, object{"type": "pointer", "parameters": object{"pointerType": "mouse"}},
		object{"type": "pointerMove", "duration": 0, "x": int(x), "y": int(y)},
		object{"type": "pointerDown", "button": 0}, object{"type": "pointerUp", "button": 0})
}

// named are the keys that have no character, as WebDriver calls them.
var named = map[string]string{Enter: "\uE007", Tabs: "\uE004", Escape: "\uE00C", Left: "\uE012", Up: "\uE013",
	Right: "\uE014", Down: "\uE015"}

func (w *webkit) keys(ctx context.Context, keys string) error {
	var steps []object
	for _, r := range keys {
		key := string(r)
		if name, ok := named[key]; ok {
			key = name
		}
		steps = append(steps, object{"type": "keyDown", "value": key}, object{"type": "keyUp", "value": key})
	}
	return w.act(ctx, object{"type": "key"}, steps...)
}

// resize makes the window so large that the page has that size, as far as windows go.
func (w *webkit) resize(ctx context.Context, width, height int) error {
	const bar = 38 // of the window, over the page
	return w.post(ctx, "/window/rect", object{"x": 0, "y": 0, "width": width, "height": height + bar}, nil)
}

func (w *webkit) shot(ctx context.Context) ([]byte, error) {
	var png string
	if err := w.send(ctx, http.MethodGet, "/screenshot", nil, &png); err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(png)
}

// Inside looks into a frame of the page from here on, whatever its origin. Only WebKit can.
func (tab *Tab) Inside(selector string) {
	tab.t.Helper()
	w, ok := tab.driver.(*webkit)
	if !ok {
		tab.t.Fatal("only WebKit looks into frames")
	}
	err := tab.try(func(ctx context.Context) error {
		var frame any
		if err := w.post(ctx, "/element", object{"using": "css selector", "value": selector}, &frame); err != nil {
			return err
		}
		return w.post(ctx, "/frame", object{"id": frame}, nil)
	})
	if err != nil {
		tab.fatal("looking into %s: %v", selector, err)
	}
}
