// Package peer is a page without a browser: it trades a link for a pass, opens a socket, acts, and hears what the
// server says. The load and tests of the program are such pages. Start from Site.
package peer

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

// Site is a server of pages.
type Site struct {
	URL  string // as browsers know it
	Addr string // where it listens, without a certificate
}

// From is an address of this machine, of which a loopback has many: the server counts by address.
func From(n int) net.IP { return net.IPv4(127, byte(n>>16), byte(n>>8), byte(n)) }

func dialer(from net.IP) *net.Dialer {
	return &net.Dialer{LocalAddr: &net.TCPAddr{IP: from}, Timeout: 10 * time.Second}
}

// Trade gives the cookie that a link of /board is good for.
func (s Site) Trade(ctx context.Context, from net.IP, link string) (cookie string, err error) {
	_, secret, _ := strings.Cut(link, "#")
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.Addr+"/pass",
		strings.NewReader(`{"secret":"`+secret+`"}`))
	if err != nil {
		return "", err
	}
	r.Header.Set("Origin", s.URL)
	t := &http.Transport{DialContext: dialer(from).DialContext, DisableKeepAlives: true}
	res, err := t.RoundTrip(r)
	if err != nil {
		return "", err
	}
	res.Body.Close()
	cookie, _, _ = strings.Cut(res.Header.Get("Set-Cookie"), ";")
	if cookie == "" {
		return "", fmt.Errorf("a link gives no pass: %s", res.Status)
	}
	return cookie, nil
}

// Page is an open socket.
type Page struct{ *websocket.Conn }

// Open opens a socket, which has not said hello. A member's has a cookie.
func (s Site) Open(ctx context.Context, from net.IP, cookie string) (*Page, error) {
	d := websocket.Dialer{NetDialContext: dialer(from).DialContext, HandshakeTimeout: 10 * time.Second,
		ReadBufferSize: 1024, WriteBufferSize: 1024}
	h := http.Header{"Origin": {s.URL}}
	if cookie != "" {
		h.Set("Cookie", cookie)
	}
	conn, _, err := d.DialContext(ctx, "ws://"+s.Addr+"/live", h)
	if err != nil {
		return nil, fmt.Errorf("opening a socket: %w", err)
	}
	return &Page{conn}, nil
}

// Hello is the first message of a page.
type Hello struct {
	T     string `json:"t"`
	V     int    `json:"v"`
	Way   string `json:"way"` // member or watch
	Match string `json:"match,omitempty"`
	Share string `json:"share,omitempty"`
}

// Join opens a socket and says hello.
func (s Site) Join(ctx context.Context, from net.IP, cookie string, h Hello) (*Page, error) {
	p, err := s.Open(ctx, from, cookie)
	if err != nil {
		return nil, err
	}
	h.T, h.V = "hello", 1
	if err := p.WriteJSON(h); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// Act is what a page asks for.
type Act struct {
	T     string `json:"t"`
	N     string `json:"n"` // by which the server knows it when it comes again
	Match string `json:"match"`
	Stamp uint32 `json:"stamp"`
	Verb  string `json:"verb"`
	Arg   string `json:"arg"`
}

// Send sends an act.
func (p *Page) Send(a Act) error {
	a.T = "act"
	return p.WriteJSON(a)
}

// Share asks for the link of those who watch.
func (p *Page) Share() error { return p.WriteJSON(Hello{T: "share"}) }

// Number is the text of an act's number.
func Number(n uint64) string { return strconv.FormatUint(n, 10) }

// Heard is a message of the server, as far as a peer reads it.
type Heard struct {
	T        string
	N, No    string // of an act that is done: its number, and why it was refused
	V, Stamp uint32
	Match    string
	Moves    string
	URL      string // of a match that is shared
	Add      string
	Turn     any // of a state a color, of what a member alone is told whether it is theirs
}

// Hear waits for the next message.
func (p *Page) Hear() (h Heard, err error) {
	_, data, err := p.ReadMessage()
	if err == nil {
		err = json.Unmarshal(data, &h)
	}
	return h, err
}
