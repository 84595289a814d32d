package bot

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/discord"
	"tengen/bot/standin"
	"tengen/internal/testkit"
)

// door is the address at which a bot in a test takes interactions over HTTP: on the loopback
// interface, or over pipes, which work in fake time. It outlives the bot behind it.
type door struct {
	pipes   bool
	behind  atomic.Pointer[standin.Pipes]
	address string
}

// open gives a starting bot a new listener.
func (d *door) open(t *testing.T) *discord.EndpointOptions {
	t.Helper()
	if d.pipes {
		p := standin.NewPipes()
		d.behind.Store(p)
		d.address = "endpoint.test"
		return &discord.EndpointOptions{Listener: p}
	}
	l := testkit.Listen(t)
	d.address = l.Addr().String()
	return &discord.EndpointOptions{Listener: l}
}

func (d *door) dial(ctx context.Context) (net.Conn, error) { return d.behind.Load().Dial(ctx) }

func (d *door) url() string { return "http://" + d.address + discord.DefaultPath }

// show tells Discord the address, as soon as the bot behind it answers.
func (d *door) show(t *testing.T, w *standin.World) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		err := w.SetEndpoint(d.url())
		if err == nil {
			testkit.Must(t, w.SetEvents(d.url())) // as docs/operating.md advises
			return
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// The conversations pass over HTTP word for word as they do by the gateway: in fake time, over
// pipes. TENGEN_EVERY_TALK=1 takes all.
func TestConversationsOverHTTP(t *testing.T) {
	t.Parallel()
	for i, f := range conversations(t) {
		if i%testkit.Dose("TENGEN_EVERY_TALK", 5) != 0 {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) {
			if data, err := os.ReadFile(f); err != nil || strings.HasPrefix(string(data), "# By the gateway:") {
				t.Skip("it tells of what the gateway alone tells")
			}
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				standin.EnterBubble()
				converse(t, f, &door{pipes: true}, standin.Options{}, nil)
			})
		})
	}
}

// Some conversations pass in real time, over loopback sockets, by either transport; none that
// waits, in which two press at one moment, that shows seconds of a clock, or in which a setting makes a
// call due that then comes at the next second. TENGEN_TALKS says how many.
func TestConversationsOverSockets(t *testing.T) {
	t.Parallel()
	files := slices.DeleteFunc(conversations(t), func(f string) bool {
		data, err := os.ReadFile(f)
		timed := regexp.MustCompile(`\n(wait|at once) | calls:true\n| has \d+:\d\d left`)
		return err != nil || timed.Match(data)
	})
	some := files[:min(len(files), testkit.Dose("TENGEN_TALKS", 4))]
	for transport, open := range map[string]func() *door{"gateway": func() *door { return nil },
		"http": func() *door { return &door{} }} {
		for _, f := range some {
			t.Run(transport+" "+strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) {
				t.Parallel()
				l := testkit.Listen(t)
				// The test waits long in real time: the text counts, not how busy the machine is.
				converse(t, f, open(), standin.Options{Listener: l, AnswerWithin: time.Minute}, nil)
			})
		}
	}
}
