package standin_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"tengen/bot/standin"
	"tengen/internal/testkit"
)

// rawBot speaks REST and gateway by hand, to see what is really sent.
type rawBot struct {
	t     *testing.T
	s     *standin.Server
	http  *http.Client
	api   string // "": v9
	agent string // "": a good one
}

// fresh is a stand-in without anything special.
func fresh(t *testing.T) *standin.Server { t.Helper(); return standin.New(t, standin.Options{}) }

func raw(t *testing.T, s *standin.Server) *rawBot {
	return &rawBot{t: t, s: s, http: &http.Client{Transport: s.Transport()}}
}

// talking is a stand-in with a rawBot that has registered a table of commands and holds a session.
func talking(t *testing.T, o standin.Options, table string) (*standin.Server, *rawBot, *socket) {
	t.Helper()
	s := standin.New(t, o)
	b := raw(t, s)
	b.commands(table)
	return s, b, b.identify()
}

// answer is a REST answer.
type answer struct {
	t      *testing.T
	status int
	header http.Header
	body   []byte
	Code   int             `json:"code"`
	ID     string          `json:"id"`
	Errors json.RawMessage `json:"errors"`
}

func (b *rawBot) do(method, path, ctype string, body []byte) (*answer, error) {
	req, err := http.NewRequest(method, "https://discord.com/api/"+cmp.Or(b.api, "v9")+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bot "+b.s.Token())
	req.Header.Set("User-Agent", cmp.Or(b.agent, "DiscordBot (https://example.org, 1)"))
	if len(body) > 0 {
		req.Header.Set("Content-Type", ctype)
	}
	resp, err := b.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	a := &answer{t: b.t, status: resp.StatusCode, header: resp.Header}
	if a.body, err = io.ReadAll(resp.Body); err != nil {
		return nil, err
	}
	json.Unmarshal(a.body, a)
	return a, nil
}

func (b *rawBot) call(method, path, body string) *answer {
	b.t.Helper()
	a, err := b.do(method, path, "application/json", []byte(body))
	if err != nil {
		b.t.Fatalf("%s %s: %v", method, path, err)
	}
	return a
}

func (b *rawBot) get(path string) *answer         { b.t.Helper(); return b.call("GET", path, "") }
func (b *rawBot) delete(path string) *answer      { b.t.Helper(); return b.call("DELETE", path, "") }
func (b *rawBot) post(path, body string) *answer  { b.t.Helper(); return b.call("POST", path, body) }
func (b *rawBot) put(path, body string) *answer   { b.t.Helper(); return b.call("PUT", path, body) }
func (b *rawBot) patch(path, body string) *answer { b.t.Helper(); return b.call("PATCH", path, body) }

// want fails the test unless the answer has the status and Discord's code; most answers have no code.
func (a *answer) want(status int, code ...int) *answer {
	a.t.Helper()
	if c := append(code, 0)[0]; a.status != status || a.Code != c {
		a.t.Errorf("got %d %s, want %d with code %d", a.status, a.body, status, c)
	}
	return a
}

func formBody(payload string, files ...string) (ctype string, body []byte) {
	var buf bytes.Buffer
	w := multipart.NewWriter(&buf)
	w.WriteField("payload_json", payload)
	for i, name := range files {
		f, _ := w.CreateFormFile(fmt.Sprintf("files[%d]", i), name)
		f.Write(picture())
	}
	w.Close()
	return w.FormDataContentType(), buf.Bytes()
}

func (b *rawBot) form(method, path, payload string, files ...string) *answer {
	ctype, body := formBody(payload, files...)
	return testkit.Got(b.do(method, path, ctype, body))
}

func (b *rawBot) commands(table string) {
	b.t.Helper()
	b.put("/applications/"+b.s.AppID()+"/commands", table).want(200)
}

// socket is a gateway connection by hand.
type socket struct {
	t   *testing.T
	ws  *websocket.Conn
	seq int
	id  string
}

type packet struct {
	Op int             `json:"op"`
	S  int             `json:"s"`
	T  string          `json:"t"`
	D  json.RawMessage `json:"d"`
}

func (b *rawBot) dial() *socket {
	b.t.Helper()
	ws, _, err := b.s.Dialer().DialContext(context.Background(), "wss://gateway.discord.gg/?v=9&encoding=json", nil)
	testkit.Must(b.t, err)
	b.t.Cleanup(func() { ws.Close() })
	return &socket{t: b.t, ws: ws}
}

func (k *socket) send(format string, args ...any) {
	k.t.Helper()
	testkit.Must(k.t, k.ws.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, format, args...)))
}

func (k *socket) read() (packet, error) {
	var p packet
	k.ws.SetReadDeadline(time.Now().Add(time.Minute))
	err := k.ws.ReadJSON(&p)
	if p.S > 0 {
		k.seq = p.S
	}
	return p, err
}

// next reads on until an event of that name, or an opcode as "op 7".
func (k *socket) next(want string) packet {
	k.t.Helper()
	for {
		p, err := k.read()
		if err != nil {
			k.t.Fatalf("waiting for %s: %v", want, err)
		}
		if p.T == want || p.T == "" && fmt.Sprint("op ", p.Op) == want {
			return p
		}
	}
}

// closed reads until the connection is closed and gives the code.
func (k *socket) closed() int {
	k.t.Helper()
	for {
		if _, err := k.read(); err != nil {
			if c, ok := err.(*websocket.CloseError); ok {
				return c.Code
			}
			return 0
		}
	}
}

// identify connects a session; it holds READY.
func (b *rawBot) identify() *socket {
	b.t.Helper()
	k := b.dial()
	k.next("op 10")
	k.send(`{"op":2,"d":{"token":"Bot %s","intents":1,"properties":{}}}`, b.s.Token())
	ready := k.next("READY")
	k.id = unjson[struct {
		SessionID string `json:"session_id"`
	}](b.t, ready.D).SessionID
	return k
}

// event is an INTERACTION_CREATE.
type event struct {
	ID, Token string
	Type      int
	Context   int
	GuildID   string `json:"guild_id"`
	Perms     string `json:"app_permissions"`
	Owners    map[string]string
	Data      json.RawMessage
	Message   *standin.Message
}

func (k *socket) interaction() event {
	k.t.Helper()
	d := k.next("INTERACTION_CREATE").D
	e := unjson[event](k.t, d)
	e.Owners = unjson[struct {
		O map[string]string `json:"authorizing_integration_owners"`
	}](k.t, d).O
	return e
}

func (b *rawBot) callback(e event, body string) *answer {
	b.t.Helper()
	return b.post("/interactions/"+e.ID+"/"+e.Token+"/callback", body)
}

func (b *rawBot) hook(e event, rest string) string {
	return "/webhooks/" + b.s.AppID() + "/" + e.Token + rest
}

// ask lets a member use /go without waiting, and returns what the bot hears.
func (b *rawBot) ask(k *socket, member, place string) event {
	b.t.Helper()
	testkit.Got(b.s.Act(b.t.Context(), standin.Action{Do: "slash", As: member, At: place, Name: "/go",
		NoWait: true}))
	return k.interaction()
}

const goTable = `[{"name":"go","description":"Go","integration_types":[0,1],"contexts":[0,1,2]}]`

// channel gives the id of a place, through a message there.
func channel(t *testing.T, s *standin.Server, place string) string {
	t.Helper()
	for _, p := range s.Member("looker").Places() {
		if p.Name == place {
			return p.ID
		}
	}
	t.Fatalf("no place %s", place)
	return ""
}

func has(t *testing.T, got, want string) {
	t.Helper()
	if !strings.Contains(got, want) {
		t.Errorf("%q is not in\n%s", want, got)
	}
}
