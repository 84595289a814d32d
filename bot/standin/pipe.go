package standin

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// Pipes is a listener whose connections are pairs of net.Pipe: no socket, so
// that it can be used inside a testing/synctest bubble.
type Pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

// NewPipes returns a listener without an address.
func NewPipes() *Pipes {
	return &Pipes{conns: make(chan net.Conn), done: make(chan struct{})}
}

// Accept waits for a Dial.
func (p *Pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

// Dial connects to the listener.
func (p *Pipes) Dial(ctx context.Context) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.conns <- there:
		return here, nil
	case <-p.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close ends Accept and Dial; connections made before stay open.
func (p *Pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

// Addr gives a name, since a pipe has no address.
func (p *Pipes) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "stand-in" }

type dialFunc func(ctx context.Context) (net.Conn, error)

func dialTCP(addr string) dialFunc {
	return func(ctx context.Context) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", addr)
	}
}

// rewrite sends every request to the stand-in, whatever host it names.
type rewrite struct{ to *http.Transport }

// RoundTrip leaves the host name in place, so that the stand-in knows whether
// the API or the store of attachments is meant.
func (t rewrite) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Host = r.URL.Host
	r.URL.Scheme = "http"
	return t.to.RoundTrip(r)
}

// CloseIdleConnections lets an http.Client close what it keeps open.
func (t rewrite) CloseIdleConnections() { t.to.CloseIdleConnections() }

// always dials the same way, whatever the address.
func (dial dialFunc) always(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) }

func transport(dial dialFunc) rewrite {
	return rewrite{&http.Transport{
		DialContext:         dial.always,
		MaxIdleConnsPerHost: 256,
		IdleConnTimeout:     90 * time.Second,
		DisableCompression:  true,
	}}
}

func dialer(dial dialFunc) *websocket.Dialer {
	return &websocket.Dialer{NetDialContext: dial.always, NetDialTLSContext: dial.always,
		HandshakeTimeout: 10 * time.Second}
}

// TransportTo is for the Transport of an http.Client whose requests to Discord
// shall go to a stand-in at a TCP address.
func TransportTo(addr string) http.RoundTripper { return transport(dialTCP(addr)) }

// DialerTo is the same for a gateway connection.
func DialerTo(addr string) *websocket.Dialer { return dialer(dialTCP(addr)) }
