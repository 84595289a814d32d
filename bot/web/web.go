// Package web serves the board as a page: the documents, one socket for each page that is open, and what lets members
// and watchers in. It reads games from the store and encodes each version once, however many look. What a member does
// goes to the bot (House) like a press. It draws no page itself: package page has the document. Start from New.
package web

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// House is what the pages need of the bot.
type House interface {
	// Tap carries out what a member does on a page, once for each number. said is what the board does not say.
	Tap(ctx context.Context, by game.MemberID, at time.Time, p view.Press, number uint64) (said string, err error)
	// AskReview has the review of a match made, for a member who played in it. Asking again changes nothing.
	AskReview(ctx context.Context, by game.MemberID, at time.Time, id game.MatchID) error
	// TryAgain does what a press (view.Try) on the trial board of a review does, for a member who played in the match.
	// A verdict may take minutes.
	TryAgain(ctx context.Context, t view.Tongue, by game.MemberID, p view.Press) (view.Tried, error)
}

// Config is what a Server needs. Only Store and URL are required.
type Config struct {
	Store    *storage.Store
	URL      string         // where browsers reach it, such as https://games.example.org
	App      func() uint64  // the application's id; of an Activity alone, as the next
	Proxies  []netip.Prefix // are believed about where a request comes from
	Activity chat.Activity  // nil: there is none
	// Name asks for what a member is called in a server, or outside of servers (0). nil: nobody has a name.
	Name func(ctx context.Context, server uint64, by game.MemberID) (string, error)
	Log  *slog.Logger
	Now  func() time.Time
}

// Server is the board as a page. Any number of goroutines may call its methods.
type Server struct {
	Config
	http   *http.Server
	life   context.Context
	end    context.CancelFunc
	wait   sync.WaitGroup // the listeners
	work   sync.WaitGroup // sockets and boards
	house  House
	boards boards
	bounds bounds
	passes passes
	drawn  drawn
	called called

	activities activities
}

// New makes a Server. It listens to nothing before Serve, and carries nothing out before Host.
func New(c Config) *Server {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	c.URL = strings.TrimSuffix(c.URL, "/")
	s := &Server{Config: c, boards: boards{all: map[game.MatchID]*board{}}}
	s.life, s.end = context.WithCancel(context.Background())
	s.http = &http.Server{Handler: s.routes(), ReadHeaderTimeout: helloWithin, ReadTimeout: 2 * helloWithin,
		WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(c.Log.Handler(), slog.LevelDebug)}
	return s
}

// Host gives the server the bot that carries acts out. Call it before Serve.
func (s *Server) Host(h House) { s.house = h }

// Serve serves what comes to l, until Close.
func (s *Server) Serve(l net.Listener) {
	s.wait.Go(func() {
		if err := s.http.Serve(l); err != nil && !errors.Is(err, http.ErrServerClosed) {
			s.Log.Error("serving pages", "err", err)
		}
	})
}

// Close tells the pages that are open to come again, and ends the server.
func (s *Server) Close() {
	s.boards.each(func(c *client) { c.bye("bye.again", true) })
	s.end()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	defer context.AfterFunc(ctx, func() { s.boards.each((*client).cut) })() // those that read too slowly
	if s.http.Shutdown(ctx) != nil {
		s.http.Close()
	}
	s.wait.Wait()
	s.work.Wait()
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /board", s.memberPage)
	mux.HandleFunc("GET /activity", s.activityPage) // as Discord maps its /
	mux.HandleFunc("GET /activity/{$}", s.activityPage)
	mux.HandleFunc("GET /g/{secret}", s.sharedPage)
	mux.HandleFunc("POST /pass", s.pass)
	mux.HandleFunc("GET /live", s.live)
	mux.HandleFunc("POST /poll", s.poll)
	mux.HandleFunc("/", notFound)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		h.Set("X-Robots-Tag", "noindex, nofollow")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if strings.HasPrefix(s.URL, "https:") {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		if _, pattern := mux.Handler(r); pattern == "" { // another method
			notFound(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// notFound is the one answer to whatever is not there, or not for who asks.
func notFound(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write([]byte("not found\n"))
}
