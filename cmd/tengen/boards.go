package main

import (
	"context"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"

	"tengen/bot/web"
	"tengen/game"
	"tengen/storage"
)

// demoBoards are the boards of the demo as pages. Browsers share the cookies of a host among its ports, and one visitor
// is several members: links lead each member to a port of their own, whose cookie has another name. Only this machine
// reaches these ports.
type demoBoards struct {
	*web.Server
	listener net.Listener

	mu    sync.Mutex
	sites map[game.MemberID]*http.Server
}

// openBoards opens the port of the boards. Serve begins.
func openBoards(store *storage.Store, log *slog.Logger) (*demoBoards, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return &demoBoards{web.New(web.Config{Store: store, URL: "http://" + l.Addr().String(), Log: log}), l, sync.Mutex{},
		map[game.MemberID]*http.Server{}}, nil
}

// serve begins to serve, for a bot.
func (b *demoBoards) serve(h web.House) {
	b.Host(h)
	b.Serve(b.listener)
}

// address is where the boards are.
func (b *demoBoards) address() *url.URL {
	return &url.URL{Scheme: "http", Host: b.listener.Addr().String()}
}

func (b *demoBoards) close() {
	b.mu.Lock()
	for _, site := range b.sites {
		site.Close()
	}
	b.mu.Unlock()
	b.Close()
	b.listener.Close() // where it was not served
}

// Link gives a link to a member's own port.
func (b *demoBoards) Link(ctx context.Context, by game.MemberID, id game.MatchID) (string, error) {
	link, err := b.Server.Link(ctx, by, id)
	if err != nil {
		return "", err
	}
	site, err := b.site(by)
	return site + strings.TrimPrefix(link, b.URL), err
}

// site opens a member's own port, once, and gives its address.
func (b *demoBoards) site(by game.MemberID) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if site := b.sites[by]; site != nil {
		return "http://" + site.Addr, nil
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	at := l.Addr().String()
	site := &http.Server{Addr: at, Handler: memberSite(b.address(), at), ReadHeaderTimeout: headerLimit,
		IdleTimeout: idleLimit, MaxHeaderBytes: maxHeaders}
	b.sites[by] = site
	go site.Serve(l) // until close
	return "http://" + at, nil
}

// boardCookie is the name of the pages' cookie.
const boardCookie = "__Host-tengen"

// memberSite leads from the port of a member to the boards. The cookie loses what http does not allow.
func memberSite(to *url.URL, at string) http.Handler {
	_, port, _ := net.SplitHostPort(at)
	own := "tengen-" + port
	return &httputil.ReverseProxy{
		ErrorLog: log.New(io.Discard, "", 0),
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.Header.Del("Cookie")
			if c, err := r.In.Cookie(own); err == nil {
				r.Out.AddCookie(&http.Cookie{Name: boardCookie, Value: c.Value})
			}
			if r.In.Host == at && r.In.Header.Get("Origin") == "http://"+at {
				r.Out.Header.Set("Origin", to.String())
			}
		},
		ModifyResponse: func(r *http.Response) error {
			cookies := r.Cookies()
			r.Header.Del("Set-Cookie")
			for _, c := range cookies {
				c.Name, c.Secure = own, false
				r.Header.Add("Set-Cookie", c.String())
			}
			policy := r.Header.Get("Content-Security-Policy")
			r.Header.Set("Content-Security-Policy", strings.ReplaceAll(policy, to.Host, at))
			return nil
		},
	}
}
