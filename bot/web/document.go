package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"tengen/bot/view"
	"tengen/bot/web/page"
	"tengen/game"
	"tengen/storage"
)

// memberPage is the document for a member in their own browser. It holds nothing: the secret of the link stands behind
// the #.
func (s *Server) memberPage(w http.ResponseWriter, r *http.Request) {
	s.document(w, r, page.Boot{V: 1, Way: page.Member, Lang: language(r)}, "'none'")
}

// activityPage is the document for the Activity: the only one that may stand in a frame. It holds nothing.
func (s *Server) activityPage(w http.ResponseWriter, r *http.Request) {
	boot := page.Boot{V: 1, Way: page.Activity, Lang: language(r)}
	if s.App != nil {
		boot.App = fmt.Sprint(s.App())
	}
	s.document(w, r, boot, "*")
}

// document answers with the page, packed where the browser takes that: it is the longest thing that a
// page gets. ancestors are who may frame it.
func (s *Server) document(w http.ResponseWriter, r *http.Request, b page.Boot, ancestors string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", page.Policy(socketOf(s.URL))+"; frame-ancestors "+ancestors)
	if ancestors == "'none'" {
		h.Set("X-Frame-Options", "DENY")
	}
	h.Set("Vary", "Accept-Encoding")
	doc := page.Document(b)
	if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		_, _ = w.Write(doc)
		return
	}
	h.Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(w)
	_, _ = z.Write(doc)
	_ = z.Close()
}

// socketOf is the address of the sockets of a site.
func socketOf(site string) string { return "ws" + strings.TrimPrefix(site, "http") }

// language is the first language that a browser asks for.
func language(r *http.Request) string {
	first, _, _ := strings.Cut(r.Header.Get("Accept-Language"), ",")
	first, _, _ = strings.Cut(first, ";")
	return view.In(strings.TrimSpace(first)).Lang
}

// sharedPage is a shared match as a document, a picture or a file. None of them names anybody.
func (s *Server) sharedPage(w http.ResponseWriter, r *http.Request) {
	secret, kind, _ := strings.Cut(r.PathValue("secret"), ".")
	if !s.bounds.ask(s.address(r), s.Now()) {
		tooMany(w)
		return
	}
	rec, err := s.shared(r.Context(), secret)
	if err != nil {
		s.missing(w, r, "showing a shared match", err)
		return
	}
	switch kind {
	case "":
		at := s.URL + "/g/" + secret
		t, state := view.In(language(r)), stateOf(rec, s.Now())
		s.document(w, r, page.Boot{V: 1, Way: page.Watch, Lang: t.Lang, State: raw(state),
			Title: t.PageTitle(rec.Match), About: t.PageSays(rec.Match), Image: at + ".png?v=" + version(rec)}, "'none'")
	case "png":
		s.picture(w, r, rec)
	case "sgf":
		s.file(w, r, rec)
	default:
		notFound(w, r)
	}
}

func version(rec storage.Record) string { return strconv.FormatUint(uint64(rec.Version), 10) }

func tooMany(w http.ResponseWriter) { http.Error(w, "too many requests", http.StatusTooManyRequests) }

// unavailable is the answer while the store fails: whoever asks comes again.
func unavailable(w http.ResponseWriter) {
	http.Error(w, "come again", http.StatusServiceUnavailable)
}

// picture answers with the board of a match. Its address holds the version, so that it may be kept for a while.
func (s *Server) picture(w http.ResponseWriter, r *http.Request, rec storage.Record) {
	png := s.drawn.of(rec, func() []byte {
		p := view.Painter{Log: s.Log}
		if b := p.Board(view.In(rec.Look.Language), rec, view.Options{}); b.Picture != nil {
			return b.Picture.Data
		}
		return nil
	})
	if png == nil {
		notFound(w, r)
		return
	}
	if r.FormValue("v") == version(rec) {
		w.Header().Set("Cache-Control", "public, max-age=300")
	}
	w.Header().Set("Content-Type", "image/png")
	_, _ = w.Write(png)
}

// file answers with a match as an SGF record.
func (s *Server) file(w http.ResponseWriter, r *http.Request, rec storage.Record) {
	m := rec.Match
	for i, seat := range m.Seats {
		if seat.Kind != game.EngineSeat {
			m.Seats[i] = game.Seat{}
		}
	}
	data, err := view.File(m, "sgf")
	if err != nil { // such as a position that the format cannot hold
		notFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/x-go-sgf")
	w.Header().Set("Content-Disposition", `attachment; filename="tengen-`+strings.ToLower(view.Name(m.ID))+`.sgf"`)
	_, _ = w.Write(data)
}

// drawn are the pictures of the newest versions.
type drawn struct {
	mu  sync.Mutex
	all map[game.MatchID]drawing
}

type drawing struct {
	version uint32
	png     []byte
}

// mostDrawn bounds them.
const mostDrawn = 64

// of gives the picture of a match, which draw makes where there is none of this version. One is drawn at a time.
func (d *drawn) of(rec storage.Record, draw func() []byte) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	if one := d.all[rec.ID]; one.version == rec.Version && one.png != nil {
		return one.png
	}
	png := draw()
	if d.all == nil || len(d.all) >= mostDrawn {
		d.all = map[game.MatchID]drawing{}
	}
	d.all[rec.ID] = drawing{rec.Version, png}
	return png
}

// poll is for a page without a socket: one message comes, and the answers go, those to a hello with them. The message
// has the fields of a hello beside its own; without a way it is a member's.
func (s *Server) poll(w http.ResponseWriter, r *http.Request) {
	addr := s.address(r)
	var m message
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostMessage))
	if err != nil || !s.mayCome(r) || len(body) > 0 && json.Unmarshal(body, &m) != nil {
		notFound(w, r)
		return
	}
	if r.Header.Get("Origin") == "null" { // a frame without an origin reads what is allowed to such a one alone
		w.Header().Set("Access-Control-Allow-Origin", "null")
	}
	may := s.bounds.ask
	if m.Way == wayActivity { // whose address is Discord's
		may = func(_ netip.Addr, now time.Time) bool { return s.bounds.poll(m.Instance, now) }
	}
	if !may(addr, s.Now()) {
		tooMany(w)
		return
	}
	if m.Way == "" {
		m.Way = wayMember
	}
	by, pass, err := s.bearer(r)
	if err != nil {
		unavailable(w)
		return
	}
	if by != 0 {
		http.SetCookie(w, s.cookie(pass))
	}
	c := &client{s: s, addr: addr, pass: pass, who: viewer{by: by}, wake: make(chan struct{}, 1)}
	defer c.close()
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	if c.hello(ctx, m) && m.T != "hello" {
		c.hear(ctx, m)
		if b := c.looksAt(); b != nil {
			b.show() // what the message has changed
		}
	}
	var all [][]byte
	some, _ := c.next()
	for _, p := range some {
		all = append(all, p.data)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte("[" + string(bytes.Join(all, []byte(","))) + "]"))
}
