package standin

import (
	"encoding/json"
	"net/http"
)

// outcome is how an action ends, over HTTP.
type outcome struct {
	Result
	Error   string `json:"error,omitempty"`
	Refused bool   `json:"refused,omitempty"`
}

// Control serves the World over HTTP, for a Client in another process: it takes
// an Action at /act and answers with its Result, with "error" when it went wrong.
//
// Whoever reaches it can act as anyone: it belongs on the loopback interface.
// Requests of other sites' pages are refused.
func (s *Server) Control() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /act", s.serveAct)
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
