package bot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"tengen/storage/kv"
)

// mortal is the store and the network of a bot process that can die. After its death nothing that the
// process does reaches the store or Discord. Its fuse counts down at every transaction and call, so
// that the process may die before or after any of them.
type mortal struct {
	kv.Engine
	next http.RoundTripper
	dead atomic.Bool
	full atomic.Bool
	fuse atomic.Int64
	slow atomic.Int64 // how long the store takes to read, as a duration
	died chan struct{}
	fell func()
	wait func() (before, after time.Duration) // of the disk
	seen func(token string)                   // interaction tokens in addresses
}

var errDead = errors.New("dead")

func (m *mortal) die() {
	if !m.dead.Swap(true) {
		m.fell()
		close(m.died)
	}
}

// step is a moment at which the process may die; it reports whether it lives.
func (m *mortal) step() bool {
	if m.fuse.Add(-1) == 0 {
		m.die()
	}
	return !m.dead.Load()
}

func (m *mortal) Update(ctx context.Context, fn func(kv.Tx) error) error {
	before, after := m.wait()
	time.Sleep(before)
	if !m.step() {
		return errDead
	}
	if m.full.Load() {
		return fmt.Errorf("writing: %w", kv.ErrFull)
	}
	err := m.Engine.Update(ctx, func(tx kv.Tx) error {
		if m.dead.Load() {
			return errDead
		}
		return fn(tx)
	})
	time.Sleep(after)
	if !m.step() {
		return errDead
	}
	return err
}

func (m *mortal) View(ctx context.Context, fn func(kv.Reader) error) error {
	if d := m.slow.Load(); d > 0 {
		time.Sleep(time.Duration(d))
	}
	if m.dead.Load() {
		return errDead
	}
	return m.Engine.View(ctx, fn)
}

// Watch hears of changes where the engine tells them.
func (m *mortal) Watch(ctx context.Context, from, to []byte, fn func(key, value []byte)) error {
	w, ok := m.Engine.(kv.Watcher)
	if !ok {
		return kv.ErrNoWatch
	}
	return w.Watch(ctx, from, to, fn)
}

func (m *mortal) RoundTrip(r *http.Request) (*http.Response, error) {
	if !m.step() {
		return nil, errDead
	}
	if f := strings.Split(r.URL.Path, "/"); len(f) > 5 && (f[3] == "interactions" || f[3] == "webhooks") {
		m.seen(f[5]) // /api/v10/webhooks/1/TOKEN
	}
	p, err := m.next.RoundTrip(r)
	if err == nil && !m.step() {
		p.Body.Close()
		return nil, errDead
	}
	return p, err
}

// tardyConn reports the end of a connection late. discordgo holds its lock for a second when
// it closes a connection, and while the next one comes up, and its reader wants that lock when
// it meets the end. In a bubble of fake time both would wait for ever.
type tardyConn struct {
	net.Conn
	rising *atomic.Int64 // connections that are coming up
	reads  atomic.Int64
	ended  atomic.Bool
}

// opening is how many reads a connection makes while it comes up: the answer to the upgrade,
// HELLO, and READY or RESUMED. discordgo holds its lock meanwhile.
const opening = 3

func (c *tardyConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	over := err != nil || n > 0 && b[0] == 0x88 // a close frame
	if over && c.reads.Load() < opening {
		c.settle()
		return n, err
	}
	if over {
		late := 1100 * time.Millisecond
		if errors.Is(err, io.ErrClosedPipe) { // closed by ourselves
			late = time.Millisecond
		}
		for time.Sleep(late); c.rising.Load() > 0; {
			time.Sleep(50 * time.Millisecond)
		}
	}
	if c.reads.Add(1) == opening {
		c.settle()
	}
	return n, err
}

func (c *tardyConn) Close() error {
	c.settle()
	return c.Conn.Close()
}

// settle notes, once, that the connection is up or will not come up.
func (c *tardyConn) settle() {
	if !c.ended.Swap(true) {
		c.rising.Add(-1)
	}
}

func tardy(d *websocket.Dialer) *websocket.Dialer {
	slow := *d
	var rising atomic.Int64
	dial := func(next func(context.Context, string, string) (net.Conn, error)) func(context.Context, string,
		string) (net.Conn, error) {
		return func(ctx context.Context, network, addr string) (net.Conn, error) {
			rising.Add(1)
			c, err := next(ctx, network, addr)
			if err != nil {
				rising.Add(-1)
				return nil, err
			}
			return &tardyConn{Conn: c, rising: &rising}, nil
		}
	}
	slow.NetDialContext, slow.NetDialTLSContext = dial(d.NetDialContext), dial(d.NetDialTLSContext)
	return &slow
}
