package demo

import (
	"bytes"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"tengen/bot/standin"
	"tengen/bot/texts"
)

// Bounds of actions and of feeds.
const (
	maxBody      = standin.MaxFileSize/3*4 + smallBody // a file, in base64
	smallBody    = 64 << 10                            // an action without a file
	smallRoom    = 64                                  // actions at a time
	largeRoom    = 2                                   // of these with a file: each may hold 25 MB
	bodyLimit    = 5 * time.Second                     // for an action to come
	crowdedLimit = time.Second                         // the same, where half of the room is taken
	maxFeeds     = 100
)

// acts are what a member can do from the page. What changes the place itself stays with
// the tests.
var acts = []string{"slash", "type", "user-menu", "message-menu", "press", "choose", "submit", "say",
	"delete-message", "locale", "launch", "close-activity", "authorize", "activities"}

// world tells the page who is there and which places the member sees.
func (p *Page) world(w http.ResponseWriter, r *http.Request) {
	me, ok := p.member(r)
	if !ok {
		me = p.people[0] // somebody who has not chosen yet, or wrote the address by hand
	}
	places, err := p.server.Act(r.Context(), standin.Action{Do: "places", As: me.Name})
	if err != nil {
		fail(w, http.StatusInternalServerError, err.Error())
		return
	}
	there, err := p.server.Act(r.Context(), standin.Action{Do: "people"})
	if err != nil {
		fail(w, http.StatusInternalServerError, err.Error())
		return
	}
	people := slices.Clone(p.people)
	for i := range people {
		people[i].Away = slices.Contains(there.IDs, people[i].ID)
		people[i].Answers = p.watch != nil && i > 0 && !people[i].Bot
	}
	answer(w, map[string]any{"me": me, "people": people, "server": serverName, "places": places.Places})
}

// words serves what the page itself says in a language.
func (p *Page) words(w http.ResponseWriter, r *http.Request) {
	answer(w, texts.In(r.URL.Query().Get("locale")).Page())
}

// read serves what a member sees at a place.
func (p *Page) read(what string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		me, ok := p.member(r)
		if !ok {
			fail(w, http.StatusNotFound, "There is no such member.")
			return
		}
		res, err := p.server.Act(r.Context(), standin.Action{Do: what, As: me.Name, At: r.URL.Query().Get("at")})
		if err != nil {
			fail(w, http.StatusNotFound, err.Error())
			return
		}
		if what == "commands" {
			answer(w, res.Commands)
			return
		}
		answer(w, res.Messages)
	}
}

// do does one thing as a member and waits for the bot's answer.
func (p *Page) do(w http.ResponseWriter, r *http.Request) {
	me, ok := p.member(r)
	if !ok {
		fail(w, http.StatusNotFound, "There is no such member.")
		return
	}
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		fail(w, http.StatusUnsupportedMediaType, "An action is JSON.")
		return
	}
	room := p.small
	if r.ContentLength < 0 || r.ContentLength > smallBody {
		room = p.large
	}
	select {
	case room <- struct{}{}:
		defer func() { <-room }()
	default:
		refuse(w, http.StatusServiceUnavailable, "refused.busy")
		return
	}
	body, status, why := receive(w, r, 2*len(room) > cap(room))
	if status != 0 {
		refuse(w, status, why)
		return
	}
	var a standin.Action
	if err := json.Unmarshal(body, &a); err != nil {
		fail(w, http.StatusBadRequest, "This is no action: "+err.Error())
		return
	}
	if !slices.Contains(acts, a.Do) {
		fail(w, http.StatusBadRequest, "A member cannot do this here.")
		return
	}
	a.As, a.NoWait = me.Name, false
	// A client sends the press of a button that it shows, even where the message has changed
	// meanwhile: the bot finds out which presses are stale.
	a.Raw = a.Do == "press"
	res, err := p.server.Act(r.Context(), a)
	switch {
	case r.Context().Err() != nil:
		return
	case err != nil:
		fail(w, http.StatusConflict, strings.TrimPrefix(err.Error(), "refused: "))
		return
	}
	answer(w, res)
}

// receive reads a body. A status other than 0 refuses the body, and why is the page's word for the reason.
func receive(w http.ResponseWriter, r *http.Request, crowded bool) (body []byte, status int, why string) {
	limit := bodyLimit
	if crowded { // slow senders would keep quick ones out
		limit = crowdedLimit
	}
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Now().Add(limit)) // a server of a test may have none
	body = make([]byte, 0, min(max(r.ContentLength, 0), maxBody)+1)
	into := bytes.NewBuffer(body)
	_, err := into.ReadFrom(http.MaxBytesReader(w, r.Body, maxBody))
	// The deadline ends with the body: later it would break the connection while the bot answers.
	_ = c.SetReadDeadline(time.Time{})
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, http.StatusRequestEntityTooLarge, "refused.large"
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, http.StatusRequestTimeout, "refused.slow"
	case err != nil:
		return nil, http.StatusBadRequest, "refused.cut"
	}
	return into.Bytes(), 0, ""
}

// refuse fails a request, with a word of the page. Its body may not have been read: a new connection is cheaper.
func refuse(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Connection", "close")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]string{"word": why, "error": texts.In("en").Page()[why]})
}

// inline are the kinds of files that a browser shows itself; all others are saved.
var inline = []string{"image/png", "image/gif", "image/jpeg", "image/webp"}

// file serves an attachment. It comes from a member or from the bot, so nothing in it may
// run here.
func (p *Page) file(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	r2 := r.Clone(r.Context())
	r2.URL.Path = "/attachments/" + r.PathValue("channel") + "/" + r.PathValue("id") + "/" + name
	w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
	if r.Header.Get("Sec-Fetch-Dest") == "image" {
		w = &picture{ResponseWriter: w}
	}
	p.server.ServeMedia(&download{ResponseWriter: w, name: name, save: r.URL.Query().Has("save")}, r2)
}

// emoji serves the picture of an emoji, in which nothing may run either.
func (p *Page) emoji(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
	if r.Header.Get("Sec-Fetch-Dest") == "image" {
		w = &picture{ResponseWriter: w}
	}
	p.server.ServeEmoji(w, r)
}

// download names a file when its headers are written, since only then its kind is known.
type download struct {
	http.ResponseWriter
	name  string
	save  bool
	wrote bool
}

func (d *download) WriteHeader(status int) {
	if !d.wrote {
		d.wrote = true
		how := "inline"
		if d.save || !slices.Contains(inline, d.Header().Get("Content-Type")) {
			how = "attachment"
		}
		if status == http.StatusOK {
			d.Header().Set("Content-Disposition", mime.FormatMediaType(how, map[string]string{"filename": d.name}))
		}
	}
	d.ResponseWriter.WriteHeader(status)
}

func (d *download) Write(b []byte) (int, error) {
	if !d.wrote {
		d.WriteHeader(http.StatusOK)
	}
	return d.ResponseWriter.Write(b)
}

// picture serves a blank in place of a picture that an edit has replaced since the page heard
// of it: the page is about to hear of the newer one.
type picture struct {
	http.ResponseWriter
	blank bool
}

// blankGIF is one transparent point.
const blankGIF = "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\x00\x00\x00" +
	"!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x01D\x00;"

func (p *picture) WriteHeader(status int) {
	if status == http.StatusNotFound {
		p.blank = true
		p.Header().Set("Content-Type", "image/gif")
		p.Header().Del("Content-Length")
		p.Header().Set("Cache-Control", "no-store")
		status = http.StatusOK
	}
	p.ResponseWriter.WriteHeader(status)
}

func (p *picture) Write(b []byte) (int, error) {
	if !p.blank {
		return p.ResponseWriter.Write(b)
	}
	if _, err := p.ResponseWriter.Write([]byte(blankGIF)); err != nil {
		return 0, err
	}
	return len(b), nil
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	json.NewEncoder(w).Encode(v)
}

func fail(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]string{"error": text})
}
