package standin

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// outcome is how an action ends, over HTTP.
type outcome struct {
	Result
	Error   string `json:"error,omitempty"`
	Refused bool   `json:"refused,omitempty"`
}

// Control serves the World over HTTP, for a Client in another process and for
// a page:
//
//	POST /act           an Action; a Result, with "error" when it went wrong
//	GET  /feed?as=ann   server-sent events, each an Event of the member
//	GET  /about         the bot's token, the application id, addresses
//	GET  /attachments/  files of messages
//
// Whoever reaches it can act as anyone: it belongs on the loopback interface.
// Requests of other sites' pages are refused.
func (s *Server) Control() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /act", s.serveAct)
	mux.HandleFunc("GET /feed", s.serveFeed)
	mux.HandleFunc("GET /about", func(w http.ResponseWriter, r *http.Request) {
		json.NewEncoder(w).Encode(s.about(r.Host))
	})
	mux.HandleFunc("GET /attachments/", s.ServeMedia)
	return http.NewCrossOriginProtection().Handler(mux)
}

type about struct {
	Token, App, Addr, Control string
}

func (s *Server) serveAct(w http.ResponseWriter, r *http.Request) {
	var a Action
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 32<<20)).Decode(&a); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	res, err := s.act(r.Context(), a)
	out := outcome{Result: res}
	if err != nil {
		out.Error, out.Refused = err.Error(), Refused(err)
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(out)
}

func (s *Server) serveFeed(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	feed := s.Feed(ctx, r.URL.Query().Get("as"))
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	out := http.NewResponseController(w)
	w.Write([]byte(": open\n\n"))
	out.Flush()
	alive := time.NewTicker(20 * time.Second)
	defer alive.Stop()
	for {
		select {
		case e, ok := <-feed.C:
			if !ok {
				return
			}
			w.Write([]byte("data: "))
			w.Write(raw(e))
			w.Write([]byte("\n\n"))
		case <-alive.C:
			w.Write([]byte(": still here\n\n"))
		}
		if out.Flush() != nil {
			return
		}
	}
}
