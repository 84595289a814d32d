package page_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"tengen/bot/act"
	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/bot/web/page"
	"tengen/game"
	"tengen/internal/testkit"
)

// house is a server of one game, as the page meets it. The game is a real one: its acts are judged by package act. In
// place of secrets and passes stand the names of the members.
type house struct {
	*httptest.Server
	t *testing.T

	mu      sync.Mutex
	m       game.Match
	version int
	told    fields            // the state as it was told last
	more    fields            // fields of the state that a test sets
	answers map[string]string // what came of each act, by its number
	applied []string          // the numbers of the acts that were applied, in order
	pages   map[*visitor]bool
	reviews int

	confirm  bool
	lang     string
	lose     int    // so many acts are applied, and the line is cut before their answer
	skip     bool   // the next change is not sent
	deaf     bool   // no socket opens
	mute     bool   // sockets are closed without a word
	full     bool   // too many pages are open
	ended    bool   // there is nothing to see
	sdk      string // a document by the official SDK
	away     int    // so many links are answered that the server is not there
	requests map[string]int
}

type fields = map[string]any

// visitor is one page on its socket.
type visitor struct {
	conn *websocket.Conn
	seat int
	mu   sync.Mutex
}

func (v *visitor) send(m any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.conn.WriteJSON(m)
}

var (
	members = []string{"ann", "bob"}
	noon    = testkit.At("2026-03-01 12:00")
)

const ann, bob game.MemberID = 1, 2

// open serves a game of those terms. Ann is Black at its beginning.
func open(t *testing.T, terms game.Terms, moves ...string) *house {
	terms.First = game.Black
	m, err := game.NewMatch(7, terms, ann, game.SeatFor(ann), game.SeatFor(bob), noon, noon.Add(time.Hour))
	testkit.Must(t, err)
	m, err = m.Accept(bob, noon)
	testkit.Must(t, err)
	h := &house{t: t, m: m, version: 1, answers: map[string]string{}, pages: map[*visitor]bool{}, more: fields{},
		requests: map[string]int{}, lang: "en"}
	for _, s := range moves {
		d, ok := game.ParseDecision(s)
		if p, stone := d.Stone(); ok && stone {
			d = h.m.Question().At(p)
		}
		by := []game.MemberID{ann, bob}[h.m.ToMove()]
		h.m, err = h.m.Decide(by, d, noon)
		testkit.Must(t, err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /board", h.document(page.Member))
	mux.HandleFunc("GET /g/shared", h.document(page.Watch))
	mux.HandleFunc("GET /activity/", h.document(page.Activity))
	mux.HandleFunc("GET /client", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, client)
	})
	mux.HandleFunc("GET /sdk/", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, h.sdk) })
	mux.HandleFunc("POST /pass", h.pass)
	mux.HandleFunc("POST /poll", h.poll)
	mux.HandleFunc("GET /live", h.live)
	h.Server = httptest.NewServer(mux)
	t.Cleanup(h.Close)
	h.told = h.state()
	return h
}

func (h *house) document(way string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		defer h.mu.Unlock()
		b := page.Boot{Way: way, Lang: h.lang, App: "77"}
		if way == page.Watch {
			state, err := json.Marshal(h.told)
			if err != nil {
				panic(err)
			}
			b.State, b.Title = state, "A game"
		}
		w.Header().Set("Content-Security-Policy", page.Policy("ws://"+r.Host)+"; frame-ancestors 'self'")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(page.Document(b))
	}
}

func (h *house) pass(w http.ResponseWriter, r *http.Request) {
	var ask struct{ Secret string }
	json.NewDecoder(r.Body).Decode(&ask)
	h.mu.Lock()
	h.away--
	away := h.away >= 0
	h.mu.Unlock()
	if away {
		http.Error(w, "come again", http.StatusServiceUnavailable)
		return
	}
	if !slices.Contains(members, ask.Secret) {
		http.NotFound(w, r)
		return
	}
	json.NewEncoder(w).Encode(fields{"match": ask.Secret})
}

// state is the whole state, as all who look are told it.
func (h *house) state() fields {
	m := h.m
	var moves []string
	for _, p := range m.Game().Plies() {
		moves = append(moves, letter(p.Color)+strings.ToLower(p.Point.String()))
	}
	for _, p := range m.Question().Offered {
		moves = append(moves, "o"+strings.ToLower(p.String()))
	}
	s := fields{"t": "state", "v": h.version, "stamp": m.Stamp(), "match": "M7", "game": m.Rules.Name(),
		"name": view.In(h.lang).Rules(m.Rules), "size": m.Rules.Size(), "moves": strings.Join(moves, " "),
		"given": len(m.Given), "turn": letter(m.Game().Turn()), "says": "Black to move",
		"seats": []string{"Black", "White"}, "lang": h.lang,
		"phase": []string{"offered", "playing", "over"}[m.Phase], "theme": "wood", "numbers": false}
	if m.Game().Turn() == game.White {
		s["says"] = "White to move"
	}
	if m.Rules == game.Reversi {
		s["theme"] = "felt"
	}
	if !m.Deadline.IsZero() {
		s["clock"] = fields{"deadline": m.Deadline.UnixMilli(), "now": noon.UnixMilli(), "rested": false}
	}
	if m.Phase == game.Over {
		r := m.Result()
		says := "The game is over."
		if r.Winner != game.Empty {
			says = map[game.Color]string{game.Black: "Black has won.", game.White: "White has won."}[r.Winner]
		}
		var line []string
		for p := range r.Line.All() {
			line = append(line, strings.ToLower(p.String()))
		}
		s["says"], s["turn"], s["end"] = says, "", fields{"says": says, "line": strings.Join(line, " ")}
	}
	maps.Copy(s, h.more)
	return s
}

func letter(c game.Color) string { return [...]string{"", "b", "w"}[c] }

// you is what one member is told.
func (h *house) you(seat int) fields {
	m := h.m
	y := fields{"t": "you", "seat": seat, "confirm": h.confirm, "acts": []fields{}, "legal": "all", "forbidden": fields{},
		"turn": false}
	if seat < 0 {
		return y
	}
	y["color"] = letter(m.ColorOf(seat))
	y["names"] = []string{"Ann", "Bob"}
	if m.ColorOf(0) == game.White {
		y["color"] = letter(m.ColorOf(seat))
		y["names"] = []string{"Bob", "Ann"}
	}
	if m.Phase == game.Over {
		y["acts"] = []fields{{"verb": "rematch", "label": "Rematch", "style": "primary"}}
		return y
	}
	acts := []fields{}
	if m.Undoing.Open && int(m.Undoing.By) != seat {
		acts = append(acts, fields{"verb": "undoyes", "label": "Allow", "style": "success"},
			fields{"verb": "undono", "label": "Refuse", "style": "danger"})
	} else {
		acts = append(acts, fields{"verb": "undo", "label": "Take back", "style": "secondary"})
	}
	acts = append(acts, fields{"verb": "resignsure", "label": "Resign", "style": "danger",
		"sure": "Do you really want to resign?"})
	y["acts"] = acts
	if m.ToMove() != seat {
		return y
	}
	y["turn"] = true
	switch q := m.Question(); q.Kind {
	case game.AskNothing:
		if m.Rules == game.Reversi {
			y["legal"] = names(m.Game().Legal())
		}
		bad := fields{}
		for _, r := range m.Game().Forbidden() {
			bad[strings.ToLower(r.Point.String())] = r.Error()
		}
		y["forbidden"] = bad
	case game.AskPlace, game.AskOffer, game.AskSelect:
		y["legal"] = names(q.Points)
		if q.Kind != game.AskPlace {
			y["asks"] = fields{"text": "Offer or choose a fifth stone", "choices": []fields{}}
		}
	default:
		choices := []fields{}
		for _, d := range q.Options {
			choices = append(choices, fields{"verb": "decide", "arg": d.String(), "label": "Choose " + d.String()})
		}
		y["asks"], y["legal"] = fields{"text": "How shall it go on?", "choices": choices}, ""
	}
	return y
}

func names(s game.Set) string {
	var all []string
	for p := range s.All() {
		all = append(all, strings.ToLower(p.String()))
	}
	return strings.Join(all, " ")
}

var upgrader = websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}

// ask is a message of a page.
type ask struct {
	T, Way, Match, Share, N, Verb, Arg string
	Instance, Pass, Code               string
	Stamp                              uint32
	Have                               int
}

func (h *house) live(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	deaf := h.deaf
	h.requests["live"]++
	h.mu.Unlock()
	if deaf {
		http.NotFound(w, r)
		return
	}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	v := &visitor{conn: conn, seat: -1}
	defer func() {
		h.mu.Lock()
		delete(h.pages, v)
		h.mu.Unlock()
		conn.Close()
	}()
	for {
		var m ask
		if conn.ReadJSON(&m) != nil {
			return
		}
		h.mu.Lock()
		h.requests[m.T]++
		if m.T == "hello" {
			if h.mute {
				h.mu.Unlock()
				return
			}
			if h.full {
				v.send(fields{"t": "bye", "says": "You have too many boards open.", "retry": true})
				h.mu.Unlock()
				return
			}
			v.seat = slices.Index(members, m.Match)
			if m.Way == page.Activity {
				h.requests["instance "+m.Instance]++
				h.requests["pass "+m.Pass]++
				v.seat = slices.Index(members, strings.TrimPrefix(m.Pass, "p-"))
			}
			if v.seat < 0 && m.Way == page.Member || h.ended {
				v.send(fields{"t": "none"})
				h.mu.Unlock()
				return
			}
			h.pages[v] = true
			if m.Have != h.version {
				v.send(h.told)
			}
			if v.seat >= 0 {
				v.send(h.you(v.seat))
			}
		}
		if m.T == "code" {
			v.seat = slices.Index(members, m.Code)
			v.send(fields{"t": "pass", "pass": "p-" + m.Code})
			v.send(h.you(v.seat))
		}
		cut := false
		for _, reply := range h.take(v.seat, m) {
			if h.lose > 0 && m.T == "act" {
				h.lose--
				cut = true
				break
			}
			v.send(reply)
		}
		h.mu.Unlock()
		if cut {
			return
		}
	}
}

// take does what a message asks for, and gives what is answered. Call it with mu held.
func (h *house) take(seat int, m ask) []any {
	switch m.T {
	case "state":
		return []any{h.told}
	case "review":
		h.reviews++
		if h.reviews == 1 {
			return []any{fields{"t": "review", "busy": true}}
		}
		return []any{h.review()}
	case "share":
		return []any{fields{"t": "shared", "url": h.URL + "/g/shared"}}
	case "unshare":
		return []any{fields{"t": "shared", "url": ""}}
	case "act":
		if m.Verb == "try" {
			return []any{h.tries(m)}
		}
		no, known := h.answers[m.N]
		if !known && seat >= 0 {
			no = h.act(seat, m)
			h.answers[m.N] = no
		}
		done := fields{"t": "done", "n": m.N}
		if no != "" {
			done["no"] = no
		}
		return []any{done}
	}
	return nil
}

func (h *house) act(seat int, m ask) string {
	r := chat.Request{By: game.MemberID(seat + 1), At: noon}
	a := act.Pressed(r, view.Press{Match: 7, Stamp: m.Stamp, Verb: m.Verb, Arg: m.Arg})
	next, err := a.Do(h.m)
	if err != nil {
		return err.Error()
	}
	h.applied = append(h.applied, m.N)
	h.m = next
	h.tell()
	return ""
}

// tell tells all pages what has changed. Call it with mu held.
func (h *house) tell() {
	from := h.version
	h.version++
	old, now := h.told, h.state()
	h.told = now
	change := fields{"t": "change", "v": h.version, "from": from}
	for k, v := range now {
		if k != "t" && k != "moves" && k != "v" && !reflect.DeepEqual(old[k], v) {
			change[k] = v
		}
	}
	for k := range old {
		if _, still := now[k]; !still {
			change[k] = nil
		}
	}
	before, after := strings.Fields(old["moves"].(string)), strings.Fields(now["moves"].(string))
	same := 0
	for same < len(before) && same < len(after) && before[same] == after[same] {
		same++
	}
	if len(before) > same {
		change["back"] = len(before) - same
	}
	if len(after) > same {
		change["add"] = strings.Join(after[same:], " ")
	}
	skipped := h.skip
	h.skip = false
	for v := range h.pages {
		if !skipped {
			v.send(change)
			if v.seat >= 0 {
				v.send(h.you(v.seat))
			}
		}
	}
}

// poll answers a page that has no socket.
func (h *house) poll(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.requests["poll"]++
	var m ask
	json.NewDecoder(r.Body).Decode(&m)
	out := []any{}
	if m.Have != h.version {
		out = append(out, h.told)
	}
	out = append(out, h.you(slices.Index(members, m.Match)))
	out = append(out, h.take(0, m)...)
	json.NewEncoder(w).Encode(out)
}

// review is one of the house's making.
func (h *house) review() fields {
	var chances []int
	for i := range h.m.Game().Len() {
		chances = append(chances, 500+(i*137%5-2)*40+i*8)
	}
	return fields{"t": "review", "chances": chances, "try": 7, "notes": []fields{
		{"move": 4, "word": "mistake", "best": "g7", "line": "g7 f6 h9", "says": "Move 4 was a mistake. G7 was better."},
		{"move": 7, "word": "blunder", "best": "f9", "line": "f9 g9", "says": "Move 7 let a win through."}}}
}

// tries answers a second try at the fourth move or the seventh, as a judge of the house's making. A point that is
// taken is refused.
func (h *house) tries(m ask) fields {
	part := strings.SplitN(m.Arg, ".", 3)
	t := fields{"move": 4, "says": "White to move. Find a better move.", "next": 7}
	color, reply := "w", "bg6"
	if part[0] == "7" {
		t = fields{"move": 7, "says": "Black to move. There is a win.", "next": 4}
		color, reply = "b", "wg6"
	}
	switch part[1] {
	case "hint":
		t["says"], t["hinted"] = "Hint: look at row 7.", true
	case "show":
		t["says"], t["line"], t["at"] = "The move was G7.", color+"g7 "+reply, 1
	case "at":
		p, err := game.ParsePoint(part[2], h.m.Rules.Size())
		if err == nil {
			err = h.m.Game().Check(p)
		}
		if err != nil && h.m.Rules == game.Gomoku15 && h.m.Game().Position().At(p) != game.Empty {
			return fields{"t": "done", "n": m.N, "no": part[2] + " is already taken."}
		}
		t["right"], t["says"] = part[2] == "G7", part[2]+" is not it. ▶ shows why."
		if part[2] == "G7" {
			t["says"] = "G7 is right."
		}
		t["line"], t["at"] = color+strings.ToLower(part[2])+" "+reply+" "+color+"g5", 2
	}
	return fields{"t": "done", "n": m.N, "tried": t}
}

// do makes a change of the house, such as a move of somebody elsewhere.
func (h *house) do(change func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change()
}

// play makes a move of a seat, past the page.
func (h *house) play(seat int, points ...string) {
	h.t.Helper()
	h.do(func() {
		for _, s := range points {
			if no := h.act(seat, ask{Verb: "play", Arg: s, Stamp: h.m.Stamp(), N: "0"}); no != "" {
				h.t.Errorf("%s: %s", s, no)
			}
			seat = h.m.ToMove()
		}
	})
}

// cut cuts all sockets.
func (h *house) cut() {
	h.do(func() {
		for v := range h.pages {
			v.conn.Close()
		}
	})
}

// moves are the moves that stand.
func (h *house) moves() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.told["moves"].(string)
}

// until waits until the house stands as a test wants it.
func (h *house) until(what string, ok func() bool) {
	h.t.Helper()
	for end := time.Now().Add(90 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		h.mu.Lock()
		is := ok()
		h.mu.Unlock()
		if is {
			return
		}
	}
	h.t.Fatalf("it is not so: %s; moves: %s", what, h.moves())
}

func fieldsOf(moves string) []string { return strings.Fields(moves) }
