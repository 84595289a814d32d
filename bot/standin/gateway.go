package standin

import (
	"bytes"
	"compress/zlib"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// Gateway intents that the stand-in knows.
const (
	intentGuilds         = 1 << 0
	intentMembers        = 1 << 1
	intentPresences      = 1 << 8
	intentGuildMessages  = 1 << 9
	intentDirectMessages = 1 << 12
	intentContent        = 1 << 15
	intentAll            = 1<<26 - 1
)

// Gateway close codes.
const (
	CloseUnknown       = 4000
	CloseOpcode        = 4001
	CloseDecode        = 4002
	CloseNotIdentified = 4003
	CloseBadToken      = 4004
	CloseAlready       = 4005
	CloseSequence      = 4007
	CloseRateLimit     = 4008
	CloseTimeout       = 4009
	CloseShard         = 4010
	CloseSharding      = 4011
	CloseVersion       = 4012
	CloseIntents       = 4013
	CloseDisallowed    = 4014
)

// silently is no close code: the connection breaks without one.
const silently = -1

type frame struct {
	seq  int
	data []byte
	due  time.Time
	ia   *interaction
	zip  bool // sent compressed
}

// gatewayConn is one socket. Frames wait in a queue of its own, so that a slow
// reader holds up nobody.
type gatewayConn struct {
	ws      *websocket.Conn
	mu      sync.Mutex
	queue   []frame
	wake    chan struct{}
	done    chan struct{}
	once    sync.Once
	closing int // code to close with when the queue is empty
	words   string
	session *session
}

func (c *gatewayConn) push(f frame) {
	c.mu.Lock()
	c.queue = append(c.queue, f)
	c.mu.Unlock()
	c.rouse()
}

// op queues a packet that is no event.
func (c *gatewayConn) op(code int, data any) {
	c.push(frame{data: fmt.Appendf(nil, `{"op":%d,"s":null,"t":null,"d":%s}`, code, raw(data))})
}

// rouse wakes the writer.
func (c *gatewayConn) rouse() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// close ends the connection with a code once what is queued has been written.
func (c *gatewayConn) close(code int, words string) {
	c.mu.Lock()
	c.closing, c.words = code, words
	c.mu.Unlock()
	c.rouse()
}

// drop ends the connection without a word, as a lost network does.
func (c *gatewayConn) drop() {
	c.once.Do(func() {
		close(c.done)
		c.ws.UnderlyingConn().Close()
	})
}

func (c *gatewayConn) take() (f frame, ok bool, code int, words string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) == 0 {
		c.queue = nil
		return f, false, c.closing, c.words
	}
	f = c.queue[0]
	c.queue[0] = frame{}
	c.queue = c.queue[1:]
	return f, true, 0, ""
}

func (s *Server) serveGateway(w http.ResponseWriter, r *http.Request) {
	if r.Host == resumeHost && s.lostURL(w, r) {
		return
	}
	up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	ws, err := up.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	if _, pipes := s.listener.(*Pipes); pipes {
		ws.SetCloseHandler(func(int, string) error { return nil }) // see linger
	}
	c := &gatewayConn{ws: ws, wake: make(chan struct{}, 1), done: make(chan struct{})}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		ws.Close()
		return
	}
	s.served.Add(1)
	s.conns[c] = true
	s.mu.Unlock()
	defer s.served.Done()
	var writer sync.WaitGroup
	writer.Go(func() { s.writeFrames(c) })
	defer writer.Wait()
	defer c.drop()
	defer s.left(c)
	if v := r.URL.Query().Get("v"); v != "9" && v != "10" && v != "" {
		c.close(CloseVersion, "Invalid API version")
		<-c.done
		return
	}
	if s.faults.gatewayFault("hello") {
		return
	}
	c.op(10, map[string]any{"heartbeat_interval": s.opts.Heartbeat.Milliseconds(), "_trace": []string{"stand-in"}})
	s.readFrames(c)
}

// lostURL breaks a connection to the address for resuming, at once or after a silence, where
// the plan says so.
func (s *Server) lostURL(w http.ResponseWriter, r *http.Request) bool {
	c := &call{s: s, w: w, r: r}
	switch {
	case s.faults.gatewayFault("url"):
		c.hangUp()
	case s.faults.gatewayFault("url-silence"):
		c.hang(time.Hour)
	default:
		return false
	}
	return true
}

// left detaches a lost connection; its session stays for RESUME.
func (s *Server) left(c *gatewayConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	if c.session != nil && c.session.conn == c {
		c.session.conn, c.session.lost = nil, s.now()
	}
	s.changed()
}

func (s *Server) writeFrames(c *gatewayConn) {
	defer c.drop()
	for {
		f, ok, code, words := c.take()
		if !ok && code == silently {
			return
		}
		if !ok && code != 0 {
			c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, words), time.Now().Add(time.Second))
			return
		}
		if !ok {
			select {
			case <-c.wake:
			case <-c.done:
				return
			}
			continue
		}
		if wait := time.Until(f.due); wait > 0 && !s.pause(c, wait) {
			return
		}
		if f.ia != nil { // before the write, because the answer may come before it returns
			s.writing(f.ia)
		}
		kind, data := websocket.TextMessage, f.data
		if f.zip {
			kind, data = websocket.BinaryMessage, deflate(f.data)
		}
		if err := c.ws.WriteMessage(kind, data); err != nil {
			return
		}
	}
}

func deflate(data []byte) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	z.Write(data)
	z.Close()
	return b.Bytes()
}

func (s *Server) pause(c *gatewayConn, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-c.done:
		return false
	}
}

func (s *Server) writing(i *interaction) {
	now := time.Now()
	s.mu.Lock()
	if i.sent.IsZero() {
		i.sent = now
	}
	s.mu.Unlock()
	if s.opts.Sent != nil {
		s.opts.Sent(i.id, now)
	}
}

type packet struct {
	Op int             `json:"op"`
	D  json.RawMessage `json:"d"`
}

func (s *Server) readFrames(c *gatewayConn) {
	beat := time.AfterFunc(2*s.opts.Heartbeat, func() { c.close(CloseTimeout, "Session timed out") })
	defer beat.Stop()
	window, count := time.Now(), 0
	for {
		_, data, err := c.ws.ReadMessage()
		if err != nil {
			if websocket.IsCloseError(err, 1000, 1001) {
				s.ended(c)
			}
			if _, closed := err.(*websocket.CloseError); closed {
				s.linger(c)
			}
			return
		}
		if now := time.Now(); now.Sub(window) > time.Minute {
			window, count = now, 0
		}
		if count++; count > 120 {
			c.close(CloseRateLimit, "Rate limited")
			continue
		}
		var p packet
		if json.Unmarshal(data, &p) != nil {
			c.close(CloseDecode, "Error while decoding payload")
			continue
		}
		if p.Op == 1 {
			beat.Reset(2 * s.opts.Heartbeat)
		}
		s.packet(c, p)
	}
}

// linger keeps a connection over pipes open, after the bot's close frame, until
// the bot ends it. discordgo holds a lock for a second after that frame; where its
// reader sees the end earlier, it waits for that lock, and a goroutine that waits
// for a lock stops the clock of a testing/synctest bubble for ever.
func (s *Server) linger(c *gatewayConn) {
	if _, pipes := s.listener.(*Pipes); !pipes {
		return
	}
	conn := c.ws.UnderlyingConn()
	conn.SetReadDeadline(time.Now().Add(5 * time.Second))
	io.Copy(io.Discard, conn)
}

func (s *Server) packet(c *gatewayConn, p packet) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case p.Op == 1:
		if !s.faults.gatewayFault("beat-silence") {
			c.op(11, nil)
		}
	case p.Op == 2 && c.session != nil:
		c.close(CloseAlready, "Already authenticated.")
	case p.Op == 2:
		s.identify(c, p.D)
	case p.Op == 6:
		s.resume(c, p.D)
	case c.session == nil:
		c.close(CloseNotIdentified, "Not authenticated.")
	case p.Op == 3, p.Op == 4, p.Op == 8, p.Op == 31:
	default:
		c.close(CloseOpcode, "Unknown opcode.")
	}
}

// A session without a connection can be resumed within resumeWithin; of such
// sessions the last keepLost are kept.
const (
	resumeWithin  = 3 * time.Minute
	keepLost      = 8
	identifyEvery = 5 * time.Second // of the shards of one remainder, where rate limits are on
	startsFor     = 24 * time.Hour
)
