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
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"tengen/storage"
)

// relay stands between a discordgo session and Discord's gateway, for one connection. discordgo dials
// the relay and takes it for Discord. The relay reads every message, so that
//
//   - shards identify in turn: discordgo identifies at once, again and again, whenever Discord
//     says that a session is invalid;
//   - a connection resumes the session of an earlier one, of this process or another:
//     discordgo knows only its own;
//   - a closed session can be resumed: Discord keeps a session after our close code, and drops
//     it after discordgo's;
//   - a dead connection ends soon: discordgo goes on for minutes without an acknowledgement;
//   - the first heartbeats of many connections do not come at once: discordgo sends its first right away.
type relay struct {
	dialer  *websocket.Dialer // to Discord
	ctx     context.Context   // of the connection
	sending func() bool       // called before an IDENTIFY is sent; false: its turn is over
	said    func(data []byte) // hears the messages of members, which discordgo is spared

	mu      sync.Mutex
	session storage.Session // the one to resume; later the one of READY, and how far it is
	conn    net.Conn        // to discordgo
	every   time.Duration   // between two heartbeats
	beat    time.Time       // of the oldest heartbeat that Discord has not acknowledged; zero: none
	cause   error           // why we end the connection; nil: we do not
	begun   bool            // heartbeats have begun

	writing sync.Mutex // one message at a time to Discord

	answered chan struct{} // closed when the first event comes: Discord has let the session begin or go on
	done     chan struct{} // closed when Discord's side is over
	err      error         // why it is over, once done is closed
	passed   atomic.Bool   // discordgo takes the connection for open, or is about to
	hungUp   atomic.Bool   // discordgo has closed its side
}

// Reasons for which a connection ends.
var (
	errReconnect = errors.New("told by Discord to connect again")
	errInvalid   = errors.New("session unknown to Discord")
	errTurn      = errors.New("the turn to identify was over before the connection was up")
	errSilent    = errors.New("a heartbeat without an acknowledgement")
)

// keepsSession is a close code after which Discord keeps the session, so that it can be resumed.
const keepsSession = 4000

// maxInflated bounds one event of the gateway.
const maxInflated = 64 << 20

// kept is the session for the next connection to resume.
func (r *relay) kept() storage.Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.session
}

// keep changes that session.
func (r *relay) keep(f func(*storage.Session)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f(&r.session)
}

// causeOfEnd is why we have ended the connection; nil where we have not.
func (r *relay) causeOfEnd() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.cause
}

// isAnswered reports whether an event has come.
func (r *relay) isAnswered() bool {
	select {
	case <-r.answered:
		return true
	default:
		return false
	}
}

// near is the dialer for discordgo. It connects to the relay.
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

// cut breaks the connection to discordgo while it opens. Once it is open, discordgo must close it
// itself: its reader would meet the end while it waits for a lock that discordgo holds.
func (r *relay) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.conn != nil {
		r.conn.Close()
	}
}

// run serves discordgo's side until that is closed. It closes done as soon as Discord's side is
// over.
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
	if cause := r.causeOfEnd(); cause != nil {
		r.err = cause
	}
	r.leave(up)
	close(r.done)
	<-gone
}

// connect dials Discord and then accepts discordgo's connection.
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

// address is the address that discordgo asked for, or the one at which Discord lets a session be
// resumed.
func (r *relay) address(q *http.Request) string {
	to := url.URL{Scheme: "wss", Host: q.Host, Path: q.URL.Path, RawQuery: q.URL.RawQuery}
	if s := r.kept(); s.ID != "" {
		if u, err := url.Parse(s.URL); err == nil && u.Scheme == "wss" && u.Host != "" {
			to.Host = u.Host
		}
	}
	return to.String()
}

// taken is an accepted connection in the form that the upgrader wants.
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

// leave closes Discord's side so that Discord keeps the session.
func (r *relay) leave(up *websocket.Conn) {
	up.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(keepsSession, ""), time.Now().Add(time.Second))
	up.Close()
}

// packet is the part of a gateway message that the relay reads.
type packet struct {
	Op   int             `json:"op"`
	Seq  int64           `json:"s"`
	Type string          `json:"t"`
	Data json.RawMessage `json:"d"`

	cut bool // Data is a part of what Discord said
}

func readPacket(data []byte) (p packet, err error) {
	if bytes.Contains(data[:min(len(data), 64)], []byte(`"GUILD_CREATE"`)) {
		p, err = readListing(data)
	} else {
		err = json.Unmarshal(data, &p)
	}
	if err != nil {
		err = fmt.Errorf("a message of the gateway: %w", err)
	}
	return p, err
}

// readListing reads the listing of a server, which may have hundreds of kilobytes, for the little that we need of it.
func readListing(data []byte) (p packet, err error) {
	var listing struct {
		packet
		Data struct {
			ID          json.RawMessage `json:"id"`
			Unavailable bool            `json:"unavailable"`
			Joined      json.RawMessage `json:"joined_at"`
			Notices     json.RawMessage `json:"system_channel_id"`
			Locale      json.RawMessage `json:"preferred_locale"`
		} `json:"d"`
	}
	if err := json.Unmarshal(data, &listing); err != nil {
		return p, err
	}
	p, p.cut = listing.packet, true
	p.Data, err = json.Marshal(listing.Data)
	return p, err
}

// downward brings Discord's messages to discordgo until the connection ends.
func (r *relay) downward(up, down *websocket.Conn) error {
	for {
		kind, data, err := up.ReadMessage()
		if err == nil && kind == websocket.BinaryMessage {
			data, err = inflate(data)
		}
		if err != nil {
			return err
		}
		p, err := readPacket(data)
		if err != nil {
			return err
		}
		switch {
		case p.Op == 10:
			var hello struct {
				Interval int64 `json:"heartbeat_interval"` // ms
			}
			if json.Unmarshal(p.Data, &hello) == nil && hello.Interval < 1e12 {
				r.pace(time.Duration(hello.Interval) * time.Millisecond)
			}
		case p.Op == 1: // to be answered at once
			r.beginBeats()
		case p.Op == 11:
			r.acknowledged()
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
		if p.Op != 10 {
			r.passed.Store(true)
		}
		switch {
		case p.cut:
			if data, err = json.Marshal(p); err != nil {
				return err
			}
			fallthrough
		case p.Op != 0 || !strings.HasPrefix(p.Type, "MESSAGE_"):
			if err := down.WriteMessage(websocket.TextMessage, data); err != nil {
				return err
			}
		case p.Type == "MESSAGE_CREATE":
			r.said(p.Data)
		}
		if p.Op == 0 && p.Seq > 0 { // discordgo or we have it
			r.keep(func(s *storage.Session) { s.Seq = p.Seq })
		}
		if p.Op == 0 && !r.isAnswered() {
			close(r.answered)
		}
	}
}

// pace notes how often Discord wants a heartbeat.
func (r *relay) pace(every time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.every = every
}

// acknowledged notes that Discord has heard the last heartbeat.
func (r *relay) acknowledged() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.beat = time.Time{}
}

// beats notes that a heartbeat is sent. It is false where Discord has not acknowledged the one
// before: then the connection is dead. A heartbeat that Discord has asked for may follow
// another at once, before Discord can have acknowledged that.
func (r *relay) beats() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.beat.IsZero() {
		r.beat = time.Now()
		return true
	}
	return time.Since(r.beat) < r.every/2
}

// inflaters are used again, not made for each message.
var inflaters sync.Pool

// inflate decompresses a message.
func inflate(data []byte) ([]byte, error) {
	z, _ := inflaters.Get().(io.ReadCloser)
	var err error
	if z == nil {
		z, err = zlib.NewReader(bytes.NewReader(data))
	} else {
		err = z.(zlib.Resetter).Reset(bytes.NewReader(data), nil)
	}
	if err != nil {
		return nil, err
	}
	defer inflaters.Put(z)
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
			r.hungUp.Store(true)
			r.leave(up)
			io.Copy(io.Discard, down.UnderlyingConn()) // until discordgo has closed it; see cut
			return
		}
		if r.isFirstBeat(data) {
			defer time.AfterFunc(r.jitter(), func() { r.send(up, data) }).Stop()
			continue
		}
		r.send(up, data)
	}
}

// send sends one of discordgo's messages to Discord, or ends the connection.
func (r *relay) send(up *websocket.Conn, data []byte) {
	data, err := r.rewrite(data)
	if err == nil {
		r.writing.Lock()
		err = up.WriteMessage(websocket.TextMessage, data)
		r.writing.Unlock()
	}
	if err != nil {
		r.mu.Lock()
		r.cause = err
		r.mu.Unlock()
		r.leave(up)
	}
}

// isFirstBeat reports whether a message is the first heartbeat of the connection, unasked.
func (r *relay) isFirstBeat(data []byte) bool {
	p, err := readPacket(data)
	return err == nil && p.Op == 1 && r.beginBeats()
}

// beginBeats notes that heartbeats have begun, and reports whether they had not.
func (r *relay) beginBeats() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	was := r.begun
	r.begun = true
	return !was
}

// jitter is how long the first heartbeat waits: up to the time between two.
func (r *relay) jitter() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return rand.N(max(r.every, 1))
}

// rewrite changes discordgo's messages for Discord. discordgo knows only this connection, and so
// identifies on each one, where a session is to be resumed.
func (r *relay) rewrite(data []byte) ([]byte, error) {
	var p packet
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, err
	}
	s := r.kept()
	switch {
	case p.Op == 1 && !r.beats():
		return nil, errSilent
	case p.Op == 1 && s.Seq > 0:
		return json.Marshal(map[string]any{"op": 1, "d": s.Seq})
	case p.Op == 2 && s.ID != "":
		return resume(p.Data, s)
	case p.Op == 2 && !r.sending():
		return nil, errTurn
	case p.Op == 2:
		return identify(p.Data)
	}
	return data, nil
}

// resume is the message that resumes a session in place of an IDENTIFY.
func resume(identify []byte, s storage.Session) ([]byte, error) {
	var who struct {
		Token string `json:"token"`
	}
	if err := json.Unmarshal(identify, &who); err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"op": 6, "d": map[string]any{"token": who.Token, "session_id": s.ID, "seq": s.Seq}})
}

// identify is an IDENTIFY with our properties, under the names that Discord has for them now.
func identify(from []byte) ([]byte, error) {
	var d map[string]any
	if err := json.Unmarshal(from, &d); err != nil {
		return nil, err
	}
	delete(d, "presence") // discordgo's has not the documented form, and the bot has none
	d["properties"] = map[string]string{"os": runtime.GOOS, "browser": "tengen", "device": "tengen"}
	return json.Marshal(map[string]any{"op": 2, "d": d})
}
