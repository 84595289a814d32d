package standin_test

import (
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tengen/bot/standin"
	"tengen/internal/testkit"
)

// TestEndpoint: which endpoints the Developer Portal accepts, and what becomes of
// interactions that the endpoint does not accept.
func TestEndpoint(t *testing.T) {
	t.Parallel()
	s := standin.New(t, standin.Options{AnswerWithin: 500 * time.Millisecond})
	b := raw(t, s)
	b.commands(goTable)
	if !strings.Contains(string(b.get("/applications/@me").body), hex.EncodeToString(s.PublicKey())) {
		t.Error("the application does not show its key")
	}
	verified := func(r *http.Request, body []byte) bool {
		sig, err := hex.DecodeString(r.Header.Get("X-Signature-Ed25519"))
		return err == nil && ed25519.Verify(s.PublicKey(),
			append([]byte(r.Header.Get("X-Signature-Timestamp")), body...), sig)
	}
	posts := 0
	serve := func(answer func(w http.ResponseWriter, good, ping bool)) string {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			var kind struct{ Type int }
			json.Unmarshal(body, &kind)
			ping := kind.Type == 1
			if !ping {
				posts++
			}
			answer(w, verified(r, body), ping)
		}))
		t.Cleanup(srv.Close)
		return srv.URL
	}
	pong := func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"type":1}`)
	}
	for name, url := range map[string]string{
		"takes what is forged": serve(func(w http.ResponseWriter, _, _ bool) { pong(w) }),
		"knows no PONG":        serve(func(w http.ResponseWriter, _, _ bool) { w.WriteHeader(202) }),
		"is not there":         "http://127.0.0.1:1/",
		"is elsewhere":         "http://192.0.2.1/",
		"is no URL":            "here",
	} {
		if err := s.SetEndpoint(url); !standin.Refused(err) {
			t.Errorf("an endpoint that %s: %v", name, err)
		}
	}
	status := 202
	good := serve(func(w http.ResponseWriter, good, ping bool) {
		switch {
		case !good:
			w.WriteHeader(401)
		case ping:
			pong(w)
		default:
			w.WriteHeader(status)
		}
	})
	testkit.Must(t, s.SetEndpoint(good))
	ann := s.Member("ann").Try()
	for _, c := range []struct {
		status int
		late   bool
	}{{202, true}, {401, false}, {500, false}, {200, false}} {
		status, posts = c.status, 0
		start := time.Now()
		if a := ann.Slash("#gomoku", "/go"); !strings.Contains(a.Failed, "did not respond") {
			t.Errorf("%d: %v", c.status, a)
		}
		if took := time.Since(start); c.late != (took >= 500*time.Millisecond) {
			t.Errorf("%d: failed after %v", c.status, took)
		}
		if posts != 1 {
			t.Errorf("%d: posted %d times", c.status, posts)
		}
	}
	if st := s.Stats(); st.Posts[202] != 1 || st.Posts[500] != 1 || st.Failures != 4 {
		t.Errorf("%+v", st)
	}
}
