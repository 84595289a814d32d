package bot

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"tengen/bot/discord"
	"tengen/bot/standin"
	"tengen/bot/view"
	"tengen/game"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/kv"
)

// content is a checksum of a whole store.
func content(t *testing.T, e kv.Engine) [32]byte {
	t.Helper()
	h := sha256.New()
	testkit.Must(t, e.View(t.Context(), func(r kv.Reader) error {
		return r.Scan([]byte{0}, []byte{0xff}, func(k, v []byte) bool {
			// The process itself writes these rows as time passes, without a request.
			if k[0] != 'm' {
				fmt.Fprintf(h, "%x=%x\n", k, v)
			}
			return true
		})
	}))
	return [32]byte(h.Sum(nil))
}

// pressH8 is a press of ann's on a board that waits for it, as Discord would send it.
func pressH8(t *testing.T, h *house) []byte {
	t.Helper()
	ann := h.Member("ann")
	ann.Slash("#gomoku", "/play with:bot game:gomoku level:1 color:black")
	h.settle()
	rec := onlyMatch(t, h)
	m := ann.Last("#gomoku")
	place := rec.Place
	return fmt.Appendf(nil, `{"id":"%d","application_id":"%s","type":3,"token":"%s","version":1,"guild_id":"%d","channel_id":"%d","context":0,
		"authorizing_integration_owners":{"0":"%d"},"member":{"user":{"id":"%d"},"permissions":"8"},"app_permissions":"8","message":{"id":"%s"},
		"data":{"component_type":2,"custom_id":"%s"}}`,
		uint64(time.Now().UnixMilli()-discord.Epoch)<<22, h.AppID(), "made-by-the-test", place.Server, place.Channel,
		place.Server, rec.Seats[0].Member+rec.Seats[1].Member, m.ID, view.On(rec.Match, "play", "H8"))
}

func onlyMatch(t *testing.T, h *house) (only storage.Record) {
	t.Helper()
	n := 0
	err := h.store.Live(t.Context(), func(rec storage.Record) bool { only = rec; n++; return true })
	if err != nil || n != 1 {
		t.Fatalf("%d matches, %v", n, err)
	}
	return only
}

// A request that is forged, replayed, cut off, too large or no interaction is refused, and
// changes nothing in the store.
func TestEndpointRefuses(t *testing.T) {
	h := openBy(t, &door{}, standin.Options{Lenient: true})
	body := pressH8(t, h)
	before := content(t, h.engine)
	url := h.door.url()
	signed := func(body []byte, at time.Time) *http.Request {
		return testkit.Got(h.Sign(t.Context(), url, body, at))
	}
	other := func() *http.Request {
		_, key, _ := ed25519.GenerateKey(nil)
		r := signed(body, time.Now())
		stamp := r.Header.Get("X-Signature-Timestamp")
		r.Header.Set("X-Signature-Ed25519", hex.EncodeToString(ed25519.Sign(key, append([]byte(stamp), body...))))
		return r
	}
	changed := func(f func(*http.Request)) *http.Request {
		r := signed(body, time.Now())
		f(r)
		return r
	}
	with := func(b []byte) func(*http.Request) {
		return func(r *http.Request) { r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b)) }
	}
	huge := append(bytes.Clone(body), bytes.Repeat([]byte(" "), 1<<20)...)
	tests := []struct {
		name string
		r    *http.Request
		want int
	}{
		{"another's key", other(), 401},
		{"another body", changed(with(bytes.Replace(body, []byte("H8"), []byte("A1"), 1))), 401},
		{"one byte less", changed(with(body[:len(body)-1])), 401},
		{"one byte more", changed(with(append(bytes.Clone(body), ' '))), 401},
		{"another time", changed(func(r *http.Request) {
			r.Header.Set("X-Signature-Timestamp", strconv.FormatInt(time.Now().Unix()+1, 10))
		}), 401},
		{"no signature", changed(func(r *http.Request) { r.Header.Del("X-Signature-Ed25519") }), 401},
		{"a short signature", changed(func(r *http.Request) { r.Header.Set("X-Signature-Ed25519", "00ff") }), 401},
		{"a signature that is no hex", changed(func(r *http.Request) { r.Header.Set("X-Signature-Ed25519", strings.Repeat("xy", 64)) }), 401},
		{"no time", changed(func(r *http.Request) { r.Header.Del("X-Signature-Timestamp") }), 401},
		{"a time that is none", changed(func(r *http.Request) { r.Header.Set("X-Signature-Timestamp", "-5") }), 401},
		{"an endless time", changed(func(r *http.Request) { r.Header.Set("X-Signature-Timestamp", strings.Repeat("9", 5000)) }), 401},
		{"an hour old", signed(body, time.Now().Add(-time.Hour)), 401},
		{"a minute and a half old", signed(body, time.Now().Add(-90*time.Second)), 401},
		{"of the future", signed(body, time.Now().Add(time.Hour)), 401},
		{"half of it", signed(body[:len(body)/2], time.Now()), 400},
		{"nothing", signed(nil, time.Now()), 400},
		{"no JSON", signed([]byte("hello"), time.Now()), 400},
		{"no interaction", signed([]byte(`{"id":"1"}`), time.Now()), 400},
		{"a list", signed([]byte(`[1,2]`), time.Now()), 400},
		{"an unknown type", signed([]byte(`{"id":"1","token":"x","type":77}`), time.Now()), 400},
		{"a form", changed(func(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") }), 400},
		{"no type", changed(func(r *http.Request) { r.Header.Del("Content-Type") }), 400},
		{"too large", signed(huge, time.Now()), 413},
		{"too large, of unknown length", func() *http.Request {
			r := signed(huge, time.Now())
			r.ContentLength, r.Body = -1, io.NopCloser(bytes.NewReader(huge))
			return r
		}(), 413},
		{"GET", changed(func(r *http.Request) { r.Method = "GET" }), 405},
		{"PUT", changed(func(r *http.Request) { r.Method = "PUT" }), 405},
		{"elsewhere", changed(func(r *http.Request) { r.URL.Path = "/" }), 404},
	}
	client := &http.Client{}
	defer client.CloseIdleConnections()
	for _, test := range tests {
		p, err := client.Do(test.r)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		p.Body.Close()
		testkit.Want(t, test.name, p.StatusCode, test.want)
		h.settle()
		if content(t, h.engine) != before {
			t.Fatalf("%s: the store has changed", test.name)
		}
	}

	// The genuine request is carried out, once. Repeating it does nothing more.
	for i := range 3 {
		p, err := client.Do(signed(body, time.Now()))
		if err != nil || p.StatusCode != 202 {
			t.Fatalf("%v %v", p, err)
		}
		p.Body.Close()
		h.settle()
		after := content(t, h.engine)
		if i == 0 && after == before {
			t.Error("a good request changed nothing")
		}
		if i > 0 && after != before {
			t.Error("a replay changed the store")
		}
		before = after
	}
	// Behind a load balancer a replay may reach another process, or come after a restart.
	h.restart()
	before = content(t, h.engine)
	r, _ := h.Sign(t.Context(), h.door.url(), body, time.Now())
	if p, err := client.Do(r); err != nil || p.StatusCode != 202 {
		t.Fatal(p, err)
	}
	h.settle()
	if content(t, h.engine) != before {
		t.Error("a replay after a restart changed the store")
	}
	if rec := onlyMatch(t, h); game.MoveList(rec.Game().Moves())[:2] != "h8" || rec.Played() != 2 {
		t.Errorf("moves %s", game.MoveList(rec.Game().Moves()))
	}
}
