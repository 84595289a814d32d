package main

import (
	"fmt"
	"net/http"
	"runtime/pprof"
	"runtime/trace"
	"strconv"
	"strings"
	"time"
)

// profiler serves what Go's own net/http/pprof does, except for the names of addresses and the
// difference of two profiles: these would add a parser of profiles to the program.
func profiler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/{$}", func(w http.ResponseWriter, _ *http.Request) {
		for _, p := range pprof.Profiles() {
			fmt.Fprintf(w, "%s %d\n", p.Name(), p.Count())
		}
		fmt.Fprint(w, "profile?seconds=30\ntrace?seconds=1\n")
	})
	mux.HandleFunc("GET /debug/pprof/profile", during(30, func(w http.ResponseWriter) (func(), error) {
		return pprof.StopCPUProfile, pprof.StartCPUProfile(w)
	}))
	mux.HandleFunc("GET /debug/pprof/trace", during(1, func(w http.ResponseWriter) (func(), error) {
		return trace.Stop, trace.Start(w)
	}))
	mux.HandleFunc("GET /debug/pprof/{name}", func(w http.ResponseWriter, r *http.Request) {
		p := pprof.Lookup(r.PathValue("name"))
		if p == nil {
			http.NotFound(w, r)
			return
		}
		debug, _ := strconv.Atoi(r.FormValue("debug"))
		w.Header().Set("Content-Type", "application/octet-stream")
		if debug > 0 {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		}
		_ = p.WriteTo(w, debug) // the client has gone
	})
	return mux
}

// during starts a recording and stops it after the seconds that the request asks for.
func during(seconds int, start func(http.ResponseWriter) (stop func(), err error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		n := seconds
		if s := strings.TrimSpace(r.FormValue("seconds")); s != "" {
			var err error
			if n, err = strconv.Atoi(s); err != nil || n < 1 || n > 600 {
				http.Error(w, "seconds: 1 to 600", http.StatusBadRequest)
				return
			}
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		stop, err := start(w)
		if err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
			return
		}
		defer stop()
		select {
		case <-time.After(time.Duration(n) * time.Second):
		case <-r.Context().Done():
		}
	}
}
