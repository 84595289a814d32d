package demo

import (
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"strings"
)

// ServeHTTP serves the site, with the headers that keep the page to itself.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if inner, ok := p.framed(r); ok && (p.opts.Public || loopback(r.Host)) {
		inner.ServeHTTP(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", policy(r.Host))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("X-Frame-Options", "DENY")
	if !p.opts.Public && !loopback(r.Host) {
		// A foreign name that was made to point at this machine: another site's script
		// would be speaking.
		http.Error(w, "This page answers to localhost only.", http.StatusMisdirectedRequest)
		return
	}
	if err := http.NewCrossOriginProtection().Check(r); err != nil {
		http.Error(w, "This request comes from another site.", http.StatusForbidden)
		return
	}
	p.mux.ServeHTTP(w, r)
}

// framed serves what the frames of boards ask for. It has headers of its own. The frame has the address of this page:
// an Activity listens to Discord, and to a parent of its own address.
func (p *Page) framed(r *http.Request) (http.Handler, bool) {
	switch {
	case p.frames == nil:
		return nil, false
	case r.URL.Path == "/live" || r.URL.Path == "/poll":
		return p.frames, true
	}
	return http.StripPrefix("/activity", p.frames), r.URL.Path == "/activity/"
}

var plainHost = regexp.MustCompile(`^[A-Za-z0-9.\-]+(:[0-9]+)?$|^\[[0-9A-Fa-f:]+\](:[0-9]+)?$`)

// policy lets the page load what we serve and nothing else, and makes the browser refuse
// text that would become markup. The address of the feed is named because not every
// browser counts ws: as 'self'.
func policy(host string) string {
	connect := "'self'"
	if plainHost.MatchString(host) {
		connect += " ws://" + host + " wss://" + host
	}
	return strings.Join([]string{
		"default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src " + connect,
		"frame-src 'self'",
		"base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
		"require-trusted-types-for 'script'", "trusted-types 'none'",
	}, "; ")
}

// loopback reports whether a Host header names this machine to itself.
func loopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	// as names compare; a dot at the end is the root's
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback()
}
