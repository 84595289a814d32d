package standin

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
)

// Proxy is what Discord puts before the pages of an Activity, https://ID.discordsays.com: the application's server is
// reached by it alone, with the mappings of docs/page.md. It replaces the policy of documents by Discord's, puts the
// nonce of that on inline scripts, and drops cache headers. A frame under it is one of the address that it is served
// at.
func (s *Server) Proxy(to *url.URL) http.Handler {
	return &httputil.ReverseProxy{
		ErrorLog: log.New(io.Discard, "", 0),
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.SetXForwarded()
			if p := r.In.URL.Path; p != "/live" && p != "/poll" {
				r.Out.URL.Path = "/activity" + p
			}
			r.Out.Header.Del("Accept-Encoding") // a packed document has no scripts to find
			r.Out.Header.Del("Cookie")
			if from := r.In.Header.Get("Origin"); from == "http://"+r.In.Host || from == "https://"+r.In.Host {
				r.Out.Header.Set("Origin", "https://"+s.app+".discordsays.com")
			}
		},
		ModifyResponse: asDiscord,
	}
}

// bareScript is an inline script: Discord's nonce is for these alone.
var bareScript = regexp.MustCompile(`<script\b([^>]*)>`)

// safeArea is what the client on a phone does to a page: it says late which of its edges are covered.
const safeArea = `<script>addEventListener("message", (e) => e.source === parent && e.data?.safeTop &&
document.documentElement.style.setProperty("--discord-safe-area-inset-top", e.data.safeTop + "px"))</script>`

// asDiscord makes of an application's answer what Discord's proxy gives.
func asDiscord(r *http.Response) error {
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err != nil {
		return err
	}
	r.Body.Close()
	if r.Request.URL.Query().Get("platform") == "mobile" {
		text = bytes.Replace(text, []byte("</head>"), []byte(safeArea+"</head>"), 1)
	}
	nonce, host := rand.Text(), r.Request.Header.Get("X-Forwarded-Host")
	text = bareScript.ReplaceAllFunc(text, func(tag []byte) []byte {
		if bytes.Contains(tag, []byte(" src=")) {
			return tag
		}
		return append([]byte(`<script nonce="`+nonce+`"`), tag[len("<script"):]...)
	})
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	r.Header.Set("Content-Length", fmt.Sprint(len(text)))
	r.Header.Set("Content-Security-Policy", strings.Join([]string{
		"default-src 'self'", "script-src 'self' 'unsafe-eval' 'nonce-" + nonce + "' blob:",
		"style-src 'self' 'unsafe-inline'", "img-src 'self' data: blob:",
		"connect-src 'self' ws://" + host + " wss://" + host, "frame-ancestors 'self'"}, "; "))
	for _, name := range []string{"Cache-Control", "ETag", "Expires", "Last-Modified"} {
		r.Header.Del(name)
	}
	return nil
}
