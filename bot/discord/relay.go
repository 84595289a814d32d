package discord

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"tengen/storage"
)

// relay stands between a session of discordgo and Discord's gateway, for one connection:
// discordgo dials it and takes it for Discord. What passes is seen, so that
//
//   - nobody identifies but in turn: discordgo would do so at once, and again and again,
//     whenever Discord says that a session is invalid;
//   - a session that an earlier connection left, of this process or another, is taken up
//     again: discordgo knows only its own;
//   - the way down is ours: Discord keeps a session that is closed by our code, and it
//     ends by discordgo's.
type relay struct {
	dialer  *websocket.Dialer // to Discord
	ctx     context.Context   // of the connection
	silence time.Duration     // without a byte, before the connection is given up; HELLO may ask for more
	sending func() bool       // an IDENTIFY is about to go; false: its turn is over

	mu      sync.Mutex
	session storage.Session // to be taken up; what READY told, and how far we are
	conn    net.Conn        // to discordgo

	done chan struct{} // Discord's side is over
	err  error         // why, once done
	left atomic.Bool   // discordgo has closed by itself
}

// Ends of a connection that are Discord's wish.
var (
	errReconnect = errors.New("asked by Discord to connect again")
	errInvalid   = errors.New("the session is not known to Discord any more")
	errTurn      = errors.New("the turn to identify was over before the connection was up")
)

// leaving is the close code by which Discord keeps the session for whoever takes it up.
const leaving = 4000

// maxInflated bounds one event of the gateway.
const maxInflated = 64 << 20

func (r *relay) kept() storage.Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.session
}

func (r *relay) keep(f func(*storage.Session)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f(&r.session)
}

// near is the dialer for discordgo: it ends here.
func (r *relay) near() *websocket.Dialer {
	dial := func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		r.mu.Lock()
		r.conn = there
		r.mu.Unlock()
		go r.run(there)
		return here, nil
	}
	return &websocket.Dialer{NetDialContext: dial, NetDialTLSContext: dial}
}

// cut breaks the connection to discordgo, while it opens; once it is open discordgo must
// close it: its reader, when it hears of the end, waits for a lock that is held meanwhile.
func (r *relay) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.conn != nil {
		r.conn.Close()
	}
}

// run serves discordgo's end until it is closed; done is closed as soon as Discord's side
// is over.
func (r *relay) run(near net.Conn) {
	defer near.Close()
	up, down, err := r.connect(near)
	if err != nil {
		r.err = err
		close(r.done)
		return
	}
	defer context.AfterFunc(r.ctx, func() { r.leave(up) })()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		r.upward(down, up)
	}()
	r.err = r.downward(up, down)
	r.leave(up)
	close(r.done)
	<-gone
}

// connect dials Discord and then takes discordgo's own dial.
func (r *relay) connect(near net.Conn) (up, down *websocket.Conn, err error) {
	in := bufio.NewReader(near)
	q, err := http.ReadRequest(in)
	if err != nil {
		return nil, nil, err
	}
	if up, _, err = r.dialer.DialContext(r.ctx, r.address(q), nil); err != nil {
		return nil, nil, err
	}
	u := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	if down, err = u.Upgrade(taken{near, in}, q, nil); err != nil {
		up.Close()
		return nil, nil, err
	}
	down.SetCloseHandler(func(int, string) error { return nil })
	return up, down, nil
}

// address is where discordgo meant to go, or where Discord wants the session taken up.
func (r *relay) address(q *http.Request) string {
	to := url.URL{Scheme: "wss", Host: q.Host, Path: q.URL.Path, RawQuery: q.URL.RawQuery}
	if s := r.kept(); s.ID != "" {
		if u, err := url.Parse(s.URL); err == nil && u.Scheme == "wss" && u.Host != "" {
			to.Host = u.Host
		}
	}
	return to.String()
}

// taken is a connection as the upgrader wants it.
type taken struct {
	conn net.Conn
	in   *bufio.Reader
}

func (t taken) Header() http.Header         { return http.Header{} }
func (t taken) Write(b []byte) (int, error) { return t.conn.Write(b) }
func (t taken) WriteHeader(int)             {}
func (t taken) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return t.conn, bufio.NewReadWriter(t.in, bufio.NewWriter(t.conn)), nil
}

// leave closes Discord's side in the way that keeps the session.
func (r *relay) leave(up *websocket.Conn) {
	up.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(leaving, ""), time.Now().Add(time.Second))
	up.Close()
}

// packet is what is read of a message of the gateway.
type packet struct {
	Op   int             `json:"op"`
	Seq  int64           `json:"s"`
	Type string          `json:"t"`
	Data json.RawMessage `json:"d"`
}

// downward brings Discord's messages to discordgo until the connection ends.
func (r *relay) downward(up, down *websocket.Conn) error {
	for {
		up.SetReadDeadline(time.Now().Add(r.silence))
		kind, data, err := up.ReadMessage()
		if err == nil && kind == websocket.BinaryMessage {
			data, err = inflate(data)
		}
		if err != nil {
			return err
		}
		var p packet
		if err := json.Unmarshal(data, &p); err != nil {
			return fmt.Errorf("a message of the gateway: %w", err)
		}
		switch {
		case p.Op == 10:
			var hello struct {
				Interval int64 `json:"heartbeat_interval"` // ms
			}
			if json.Unmarshal(p.Data, &hello) == nil && hello.Interval < 1e12 {
				r.silence = max(r.silence, 3*time.Duration(hello.Interval)*time.Millisecond)
			}
		case p.Op == 7:
			return errReconnect
		case p.Op == 9:
			if string(bytes.TrimSpace(p.Data)) != "true" {
				r.keep(func(s *storage.Session) { *s = storage.Session{} })
			}
			return errInvalid
		case p.Type == "READY":
			var ready struct {
				ID  string `json:"session_id"`
				URL string `json:"resume_gateway_url"`
			}
			if err := json.Unmarshal(p.Data, &ready); err != nil {
				return fmt.Errorf("READY: %w", err)
			}
			r.keep(func(s *storage.Session) { *s = storage.Session{ID: ready.ID, URL: ready.URL} })
		}
		if err := down.WriteMessage(websocket.TextMessage, data); err != nil {
			return err
		}
		if p.Op == 0 && p.Seq > 0 { // discordgo has it
			r.keep(func(s *storage.Session) { s.Seq = p.Seq })
		}
	}
}

// inflate gives a compressed message as it was.
func inflate(data []byte) ([]byte, error) {
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	var b bytes.Buffer
	if _, err := io.Copy(&b, io.LimitReader(z, maxInflated+1)); err != nil {
		return nil, err
	}
	if b.Len() > maxInflated {
		return nil, errors.New("a message of the gateway is too large")
	}
	return b.Bytes(), nil
}

// upward brings discordgo's messages to Discord until discordgo closes.
func (r *relay) upward(down, up *websocket.Conn) {
	for {
		_, data, err := down.ReadMessage()
		if err != nil {
			r.left.Store(true)
			r.leave(up)
			io.Copy(io.Discard, down.UnderlyingConn()) // until it has closed; see cut
			return
		}
		if data, err = r.rewrite(data); err == nil {
			err = up.WriteMessage(websocket.TextMessage, data)
		}
		if err != nil {
			r.leave(up)
		}
	}
}

// rewrite makes of what discordgo says what is to be said: it knows only of this
// connection, and so identifies on each.
func (r *relay) rewrite(data []byte) ([]byte, error) {
	var p packet
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, err
	}
	s := r.kept()
	switch {
	case p.Op == 1 && s.Seq > 0:
		return json.Marshal(map[string]any{"op": 1, "d": s.Seq})
	case p.Op == 2 && s.ID != "":
		var who struct {
			Token string `json:"token"`
		}
		if err := json.Unmarshal(p.Data, &who); err != nil {
			return nil, err
		}
		return json.Marshal(map[string]any{"op": 6, "d": map[string]any{"token": who.Token, "session_id": s.ID, "seq": s.Seq}})
	case p.Op == 2 && !r.sending():
		return nil, errTurn
	}
	return data, nil
}
