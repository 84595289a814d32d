package discord

import (
	"bytes"
	"cmp"
	"container/list"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tengen/bot/chat"
)

// Bounds of the endpoint.
const (
	maxInteraction   = 256 << 10        // bytes of a request: a pressed board with all its buttons has about 15,000
	maxRequests      = 256              // read at a time
	headerLimit      = 3 * time.Second  // for a request's head
	bodyLimit        = 2 * time.Second  // for its body: Discord's comes at once, and Discord waits for three seconds
	requestLimit     = 5 * time.Second  // for all of a request
	idleLimit        = 2 * time.Minute  // for the next request on a connection
	maxHeaders       = 16 << 10         // bytes
	skewEvery        = time.Minute      // between two log lines on a wrong clock
	defaultMaxAge    = time.Minute      // of a request, by its signed time
	defaultListEvery = 10 * time.Minute // between two lists of the bot's servers
)

// DefaultPath is the path of the endpoint, unless the options name another.
const DefaultPath = "/interactions"

// EndpointOptions are the options of an endpoint that Discord calls over HTTP, instead of sending
// interactions by the gateway. Only Listener is required.
type EndpointOptions struct {
	Listener net.Listener      // with TLS, or without behind a proxy; Run closes it
	Path     string            // empty: DefaultPath
	Key      ed25519.PublicKey // the application's; nil: Discord is asked
	MaxAge   time.Duration     // how far a request's signed time may be off, either way; 0: a minute
	// how long requests are still served at the end while Up is false, so that a load balancer leaves first
	Drain     time.Duration
	ListEvery time.Duration // between two lists of the bot's servers; 0: ten minutes

	drained <-chan struct{} // for tests: closed, it ends Drain at once
}

// check reports an option that cannot work.
func (o EndpointOptions) check() error {
	switch {
	case o.Listener == nil:
		return errors.New("an endpoint needs a listener")
	case o.Key != nil && len(o.Key) != ed25519.PublicKeySize:
		return fmt.Errorf("a public key of %d bytes, it has %d", len(o.Key), ed25519.PublicKeySize)
	case o.Path != "" && !strings.HasPrefix(o.Path, "/"):
		return fmt.Errorf("path %q does not begin with /", o.Path)
	}
	return nil
}

// endpoint takes interactions over HTTP. It lets through only what Discord has signed a moment ago.
// Interactions of the endpoint and of the gateway are then handled and answered alike; the HTTP
// response only says that the interaction has come.
type endpoint struct {
	path     string
	maxAge   time.Duration
	key      atomic.Pointer[ed25519.PublicKey] // nil: not known yet
	bodies   bodies
	buffers  sync.Pool
	dispatch func(raw []byte) error
	hear     func(*event) error
	now      func() time.Time
	answered func(status int)         // for the metrics
	skewed   func(late time.Duration) // hears of a genuine request whose time is far from ours

	lastSkew atomic.Int64
}

func newEndpoint(o EndpointOptions, dispatch func([]byte) error) *endpoint {
	e := &endpoint{path: cmp.Or(o.Path, DefaultPath), maxAge: cmp.Or(o.MaxAge, defaultMaxAge), dispatch: dispatch,
		bodies: bodies{limit: bodyLimit}, hear: func(*event) error { return nil },
		now: time.Now, answered: func(int) {}, skewed: func(time.Duration) {}}
	e.buffers.New = func() any { return new(bytes.Buffer) }
	if o.Key != nil {
		e.key.Store(&o.Key)
	}
	return e
}

// ServeHTTP answers 202 to an interaction that is being handled, PONG to a PING, and 204 to an event.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	status, words := e.take(w, q)
	e.answered(status)
	h := w.Header()
	switch {
	case status == http.StatusNoContent:
		h.Set("Content-Type", "application/json")
		w.WriteHeader(status)
		return
	case status == http.StatusOK:
		h.Set("Content-Type", "application/json")
	case status == http.StatusAccepted:
	default:
		// The rest of the body is not read: a new connection is cheaper.
		h.Set("Connection", "close")
		h.Set("Content-Type", "text/plain; charset=utf-8")
	}
	h.Set("Content-Length", strconv.Itoa(len(words)))
	w.WriteHeader(status)
	io.WriteString(w, words)
}

const pong = `{"type":1}`

// take checks a request, the cheap checks first, and gives the response.
func (e *endpoint) take(w http.ResponseWriter, q *http.Request) (status int, words string) {
	if status, words := e.refuse(w, q); status != 0 {
		return status, words
	}
	var signature [ed25519.SignatureSize]byte
	stamp := q.Header.Get("X-Signature-Timestamp")
	signed, ok := signedAt(stamp)
	if !ok || !unhex(signature[:], q.Header.Get("X-Signature-Ed25519")) {
		return http.StatusUnauthorized, "not signed\n"
	}
	key := e.key.Load()
	if key == nil {
		return http.StatusServiceUnavailable, "starting\n"
	}
	b := e.buffers.Get().(*bytes.Buffer)
	defer e.buffers.Put(b)
	defer e.bodies.begin(http.NewResponseController(w))()
	if status, words := read(b, stamp, q.Body); status != 0 {
		return status, words
	}
	// The sender knows the key, the signature and the text, so nothing secret is compared, and
	// the time that this takes reveals nothing.
	if !ed25519.Verify(*key, b.Bytes(), signature[:]) {
		return http.StatusUnauthorized, "wrong signature\n"
	}
	if late := e.now().Sub(signed); late > e.maxAge || late < -e.maxAge {
		e.skew(late)
		return http.StatusUnauthorized, "not of now\n"
	}
	return e.handOn(b.Bytes()[len(stamp):])
}

// bodies are the bodies that are being read, the oldest first. They bound the memory. Where there are
// too many, the one that has been read for longest is given up: Discord's bodies come at once, so
// senders who do not end theirs keep nobody out.
type bodies struct {
	limit time.Duration // for one
	mu    sync.Mutex
	read  list.List // of *http.ResponseController
}

// begin counts a body in, and gives what counts it out.
func (b *bodies) begin(c *http.ResponseController) (end func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.read.Len() == maxRequests {
		oldest := b.read.Remove(b.read.Front()).(*http.ResponseController)
		_ = oldest.SetReadDeadline(time.Unix(1, 0))
	}
	_ = c.SetReadDeadline(time.Now().Add(b.limit))
	mine := b.read.PushBack(c)
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.read.Remove(mine) // nothing, where it was given up
	}
}

// refuse gives the response to a request that cannot be an interaction; 0: it may be one.
func (e *endpoint) refuse(w http.ResponseWriter, q *http.Request) (status int, words string) {
	switch {
	case q.URL.Path != e.path:
		return http.StatusNotFound, "nothing is here\n"
	case q.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		return http.StatusMethodNotAllowed, "POST, please\n"
	case !isJSON(q.Header.Get("Content-Type")):
		return http.StatusBadRequest, "not JSON\n"
	case q.ContentLength > maxInteraction:
		return http.StatusRequestEntityTooLarge, "too large\n"
	}
	return 0, ""
}

// read fills b with what was signed: the time and, right behind it, the body. It gives the response
// where that fails; 0: it did not.
func read(b *bytes.Buffer, stamp string, body io.Reader) (status int, words string) {
	b.Reset()
	b.WriteString(stamp)
	n, err := b.ReadFrom(io.LimitReader(body, maxInteraction+1))
	switch {
	case n > maxInteraction:
		return http.StatusRequestEntityTooLarge, "too large\n"
	case errors.Is(err, os.ErrDeadlineExceeded):
		return http.StatusRequestTimeout, "too slow\n"
	case err != nil:
		return http.StatusBadRequest, "cut off\n"
	}
	return 0, ""
}

// handOn has an interaction or an event handled, and gives the response to it.
func (e *endpoint) handOn(body []byte) (status int, words string) {
	event, isEvent := asEvent(body)
	var err error
	if isEvent {
		err = e.hear(event)
	} else {
		err = e.dispatch(body)
	}
	switch {
	case err == nil && isEvent:
		return http.StatusNoContent, ""
	case err == nil:
		return http.StatusAccepted, ""
	case errors.Is(err, errPing):
		return http.StatusOK, pong
	case errors.Is(err, errEnding):
		return http.StatusServiceUnavailable, "ending\n"
	}
	return http.StatusBadRequest, "not understood\n"
}

// skew reports a wrong clock, most likely ours, since Discord has signed the request.
func (e *endpoint) skew(late time.Duration) {
	now := e.now().UnixNano()
	if last := e.lastSkew.Load(); now-last > int64(skewEvery) && e.lastSkew.CompareAndSwap(last, now) {
		e.skewed(late)
	}
}

// isJSON reports whether a content type is JSON, whatever its parameters.
func isJSON(kind string) bool {
	kind, _, _ = strings.Cut(kind, ";")
	return strings.EqualFold(strings.TrimSpace(kind), "application/json")
}

// signedAt reads the time of a signature: seconds since 1970, nothing but digits.
func signedAt(stamp string) (time.Time, bool) {
	n, err := strconv.ParseUint(stamp, 10, 62)
	return time.Unix(int64(n), 0), err == nil && len(stamp) <= 12
}

// unhex decodes s into b, and reports whether s fills it exactly.
func unhex(b []byte, s string) bool {
	if len(s) != hex.EncodedLen(len(b)) {
		return false
	}
	_, err := hex.Decode(b, []byte(s))
	return err == nil
}

// serve takes Discord's requests until ctx ends. Where the application's key is not configured,
// requests are turned away until Discord has told it.
func (d *Adapter) serve(ctx context.Context) error {
	o := *d.options.Endpoint
	e := newEndpoint(o, d.dispatch)
	e.hear, e.answered = d.hearEvent, d.metrics.Endpoint
	e.skewed = func(late time.Duration) {
		d.log.Error("an interaction was signed at another time than now: is this machine's clock right?",
			"late", late.Round(time.Second).String())
	}
	server := &http.Server{Handler: e, ReadHeaderTimeout: headerLimit, ReadTimeout: requestLimit,
		WriteTimeout: 2 * requestLimit, IdleTimeout: idleLimit, MaxHeaderBytes: maxHeaders, ErrorLog: quiet(d.log)}
	var beside sync.WaitGroup
	defer beside.Wait()
	failed := make(chan error, 1)
	beside.Go(func() {
		if err := server.Serve(o.Listener); !errors.Is(err, http.ErrServerClosed) {
			failed <- err
		}
	})
	defer server.Close()
	if o.Key != nil {
		d.setServing(true)
	}
	defer d.setServing(false)
	if err := d.prepare(ctx, d.readKey(e)); err != nil {
		return err
	}
	d.setServing(true)
	d.log.Info("taking interactions over HTTP", "address", o.Listener.Addr().String(), "path", e.path)
	beside.Go(func() { d.watchServers(ctx) })
	select {
	case err := <-failed:
		return fmt.Errorf("serving interactions: %w", err)
	case <-ctx.Done():
	}
	d.setServing(false)
	if o.Drain > 0 { // bounded by the configuration; requests are served meanwhile
		select {
		case <-time.After(o.Drain):
		case <-o.drained:
		}
	}
	last, cancel := context.WithTimeout(context.Background(), requestLimit)
	defer cancel()
	server.Shutdown(last)
	return nil
}

// readKey asks Discord for the application, and for the key by which it signs requests.
func (d *Adapter) readKey(e *endpoint) func(context.Context) error {
	return func(ctx context.Context) error {
		a, err := d.Application(ctx)
		if err != nil {
			return err
		}
		known := e.key.Load()
		switch {
		case known != nil && a.Key != nil && !bytes.Equal(*known, a.Key):
			return &Fatal{Text: "the public key in the configuration is not the application's: " +
				"copy it from the General Information page of the Developer Portal, or leave it out"}
		case known == nil && a.Key == nil:
			return &chat.Error{Trouble: chat.Failed, Text: "an application without a public key"}
		case known == nil:
			e.key.Store(&a.Key)
		}
		return nil
	}
}

func (d *Adapter) setServing(up bool) {
	d.joined.Store(up)
}

// quiet is the log of an HTTP server: mistakes of strangers are logged at the debug level alone.
func quiet(l *slog.Logger) *log.Logger { return slog.NewLogLogger(l.Handler(), slog.LevelDebug) }
