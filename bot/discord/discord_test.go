package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"tengen/bot/chat"
	"tengen/game/venue"
	"tengen/internal/testkit"
)

const (
	botToken   = "bot-token-of-the-test"
	pressToken = "interaction-token-of-the-test"
)

// fakeAPI is a transport that answers as a test says, and keeps the requests.
type fakeAPI struct {
	mu     sync.Mutex
	calls  []string // "METHOD path {json}"
	answer func(n int, q *http.Request, body string) (*http.Response, error)
}

func (f *fakeAPI) RoundTrip(q *http.Request) (*http.Response, error) {
	var body []byte
	if q.Body != nil {
		body, _ = io.ReadAll(q.Body)
	}
	f.mu.Lock()
	n := len(f.calls)
	f.calls = append(f.calls, q.Method+" "+strings.TrimPrefix(q.URL.Path, "/api/v9")+" "+string(body))
	f.mu.Unlock()
	if f.answer != nil {
		if p, err := f.answer(n, q, string(body)); p != nil || err != nil {
			return p, err
		}
	}
	return say(200, `{"id":"77","resource":{"message":{"id":"88"}}}`), nil
}

func (f *fakeAPI) log() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.calls, "\n")
}

func say(status int, body string, headers ...string) *http.Response {
	p := &http.Response{StatusCode: status, Status: fmt.Sprint(status), Header: http.Header{},
		Body: io.NopCloser(strings.NewReader(body))}
	for i := 0; i+1 < len(headers); i += 2 {
		p.Header.Set(headers[i], headers[i+1])
	}
	return p
}

// handlerFunc is a Handler that handles interactions alone.
type handlerFunc func(ctx context.Context, r chat.Request)

func (f handlerFunc) Handle(ctx context.Context, r chat.Request) string  { f(ctx, r); return "greeted" }
func (handlerFunc) Spoken(r chat.Request) string                         { return r.Name }
func (handlerFunc) Came(context.Context, chat.Arrival)                   {}
func (handlerFunc) Joined(context.Context, uint64)                       {}
func (handlerFunc) Removed(context.Context, uint64)                      {}
func (handlerFunc) Missed(context.Context, []uint64)                     {}
func (handlerFunc) Present(context.Context, []uint64, func(uint64) bool) {}
func (handlerFunc) ChannelGone(context.Context, venue.Place)             {}

// newFake is an adapter over a fake transport.
func newFake(t *testing.T, f *fakeAPI) *Adapter {
	d, _ := handledFake(t, f, nil)
	return d
}

// handledFake is an adapter over a fake transport, ready for dispatch, and its log.
func handledFake(t *testing.T, f *fakeAPI, h handlerFunc) (*Adapter, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	d := testkit.Got(New(Options{Token: botToken, Transport: f, Log: slog.New(slog.NewTextHandler(&log, nil))}))
	d.app.Store(4)
	d.now = func() time.Time { return flakeTime(0) } // the time of interactions with small ids
	d.handler, d.life = h, t.Context()
	t.Cleanup(func() {
		if text := log.String(); strings.Contains(text, botToken) || strings.Contains(text, pressToken) {
			t.Errorf("a token in the log:\n%s", text)
		}
	})
	return d, &log
}

// interaction is a raw event: a press (3), a slash command (2) or typing (4).
func interaction(id, kind int) []byte {
	return fmt.Appendf(nil, `{"id":"%d","token":"%s","type":%d,"guild_id":"1","channel_id":"2","member":{"user":{"id":"3"}},
		"message":{"id":"9"},"data":{"name":"move","custom_id":"m:1","component_type":2,"options":[{"name":"n","type":4,"value":"1","focused":true}]}}`,
		id, pressToken, kind)
}

func TestAnswerInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeAPI{}
		var id uint64
		d, log := handledFake(t, f, nil)
		d.handler = handlerFunc(func(ctx context.Context, r chat.Request) {
			id, _ = d.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Say, Message: chat.Private("hello")})
			_, err := d.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Say, Message: chat.Text("again")})
			if chat.TroubleOf(err) != chat.Answered {
				t.Errorf("a second answer: %v", err)
			}
		})
		d.dispatch(interaction(5, 2))
		d.work.Wait()
		d.dispatch(interaction(5, 2)) // delivered twice
		d.work.Wait()
		want := `POST /interactions/5/` + pressToken + `/callback {"type":4,"data":{"flags":32832,` +
			`"components":[{"type":10,"content":"hello"}],"allowed_mentions":{"parse":[]},"attachments":[]}}`
		if got := f.log(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		testkit.Want(t, "message", id, 88)
		for _, want := range []string{"command=move", "outcome=answered", "remark=greeted", "kind=slash"} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("no %s in %s", want, log)
			}
		}
	})
}

// An interaction is taken once as long as its id is remembered. So many ids are, and no more.
func TestSeen(t *testing.T) {
	s := newTickets()
	const many = manySeen + 10
	for id := range uint64(many) {
		k := &ticket{Ticket: chat.Ticket{ID: id + 1}}
		if !s.add(k) || s.add(k) {
			t.Fatalf("interaction %d", id+1)
		}
	}
	testkit.Want(t, "ids are remembered", len(s.seen), manySeen)
}

// An interaction that comes after its token has expired is not carried out, whether it is repeated or
// new.
func TestTooLate(t *testing.T) {
	f := &fakeAPI{}
	handled := 0
	d, log := handledFake(t, f, func(context.Context, chat.Request) { handled++ })
	d.now = time.Now
	for _, age := range []time.Duration{0, 14 * time.Minute, 16 * time.Minute, 2 * time.Hour} {
		id := (time.Now().Add(-age).UnixMilli() - Epoch) << 22
		d.dispatch(interaction(int(id), 2))
		d.work.Wait()
	}
	if handled != 2 || strings.Count(log.String(), "delivered too late") != 2 {
		t.Errorf("%d handled\n%s", handled, log)
	}
}

// At the end the handlers have some time, before their context ends.
func TestCloseWaits(t *testing.T) {
	for work, stops := range map[time.Duration]bool{time.Second: false, 6 * time.Second: true} {
		synctest.Test(t, func(t *testing.T) {
			d := newFake(t, &fakeAPI{})
			d.begin()
			time.AfterFunc(work, d.work.Done)
			began, stopped := time.Now(), false
			d.close(func() { stopped = true })
			if took := time.Since(began); took != work || stopped != stops {
				t.Errorf("%v of work: closed after %v, stopped %v", work, took, stopped)
			}
		})
	}
}

// The watchdog acknowledges, and a later answer is carried out as far as that leaves open.
func TestWatchdog(t *testing.T) {
	press, slash := 3, 2
	tests := []struct {
		name    string
		kind    int
		answer  chat.Answer
		trouble chat.Trouble
		want    []string // how the calls begin, the callback's {"type":N included
	}{
		{"press, then replace", press, chat.Answer{Kind: chat.Replace, Message: chat.Text("x")}, 0,
			[]string{`POST callback {"type":6}`, `PATCH @original {"flags":32768`}},
		{"press, then a private word", press, chat.Answer{Kind: chat.Say, Message: chat.Private("x")}, 0,
			[]string{`POST callback {"type":6}`, `POST follow-up {"flags":32832`}},
		{"press, then a board that must be the answer", press,
			chat.Answer{Kind: chat.Say, Message: chat.Text("x"), Itself: true}, chat.Answered,
			[]string{`POST callback {"type":6}`}},
		{"press, then nothing", press, chat.Answer{Kind: chat.DeferPress}, 0, []string{`POST callback {"type":6}`}},
		{"press, then a form", press, chat.Answer{Kind: chat.Ask,
			Form: chat.Form{ID: "x", Title: "x", Fields: []chat.Field{{ID: "x", Label: "x"}}}}, chat.Answered,
			[]string{`POST callback {"type":6}`}},
		{"command, then a private word", slash, chat.Answer{Kind: chat.Say, Message: chat.Private("x")}, 0,
			[]string{`POST callback {"type":5,"data":{"flags":64}}`,
				`PATCH @original {"flags":32768,"components":[{"type":10,"content":"x"}]`}},
		{"command, then a public board", slash, chat.Answer{Kind: chat.Say, Message: chat.Text("x")}, chat.Answered,
			[]string{`POST callback {"type":5,"data":{"flags":64}}`,
				`PATCH @original {"flags":32768,"components":[{"type":10,"content":"Done.`}},
		{"command, then more time", slash, chat.Answer{Kind: chat.DeferSay}, 0,
			[]string{`POST callback {"type":5,"data":{"flags":64}}`, `PATCH @original`}},
		{"typing", 4, chat.Answer{Kind: chat.Offer, Choices: []chat.Choice{{Label: "one", Value: "1"}}}, 0,
			[]string{`POST callback {"type":8,"data":{"choices":[{"name":"one","value":1}]}}`}},
	}
	for _, test := range tests {
		testkit.Bubble(t, test.name, func(t *testing.T) {
			f := &fakeAPI{}
			d, log := handledFake(t, f, nil)
			d.handler = handlerFunc(func(ctx context.Context, r chat.Request) {
				time.Sleep(2 * time.Second)
				_, err := d.Answer(ctx, r.Ticket(), test.answer)
				if err != nil && chat.TroubleOf(err) != test.trouble || err == nil && test.trouble != 0 {
					t.Errorf("got %v, want %v", err, test.trouble)
				}
			})
			d.dispatch(interaction(5, test.kind))
			d.work.Wait()
			short := strings.NewReplacer("/interactions/5/"+pressToken+"/callback", "callback",
				"/webhooks/4/"+pressToken+"/messages/@original", "@original", "/webhooks/4/"+pressToken, "follow-up")
			got := strings.Split(short.Replace(f.log()), "\n")
			if len(got) != len(test.want) {
				t.Fatalf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
			for i, want := range test.want {
				if !strings.HasPrefix(got[i], want) {
					t.Errorf("got  %s\nwant %s", got[i], want)
				}
			}
			if test.kind != 4 && !strings.Contains(log.String(), "outcome=late ack_ms=1500 ms=2000") {
				t.Error(log)
			}
		})
	}
}

// An answer that comes while the watchdog acknowledges waits for that: Discord takes one first answer.
func TestAnswerBesideTheWatchdog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeAPI{answer: func(n int, _ *http.Request, _ string) (*http.Response, error) {
			if n == 0 {
				time.Sleep(time.Second)
			}
			return nil, nil
		}}
		d := newFake(t, f)
		d.handler = handlerFunc(func(ctx context.Context, r chat.Request) {
			time.Sleep(2 * time.Second)
			d.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Say, Message: chat.Private("x")})
		})
		d.dispatch(interaction(5, 2))
		d.work.Wait()
		if n := strings.Count(f.log(), "/callback"); n != 1 {
			t.Errorf("%d first answers:\n%s", n, f.log())
		}
	})
}

// The watchdog's "is thinking" is replaced before a follow-up, which would else take its place.
func TestFollowUpAfterThinking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeAPI{}
		d := newFake(t, f)
		d.handler = handlerFunc(func(ctx context.Context, r chat.Request) {
			time.Sleep(2 * time.Second)
			d.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Say, Message: chat.Text("x")})
			d.Send(ctx, chat.To{Token: r.Token}, chat.Text("board"))
			d.Send(ctx, chat.To{Token: r.Token}, chat.Text("more"))
		})
		d.dispatch(interaction(5, 2))
		d.work.Wait()
		calls := strings.Split(f.log(), "\n")
		if len(calls) != 4 || !strings.Contains(calls[1], "@original") || !strings.Contains(calls[2], "board") ||
			!strings.Contains(calls[3], "more") {
			t.Errorf("got\n%s", f.log())
		}
	})
}

func TestPanicCostsOneApology(t *testing.T) {
	for _, answered := range []bool{false, true} {
		f := &fakeAPI{}
		d, log := handledFake(t, f, nil)
		d.handler = handlerFunc(func(ctx context.Context, r chat.Request) {
			if answered {
				d.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.DeferPress})
			}
			var nothing *chat.Picture
			_ = nothing.Alt
		})
		d.dispatch(interaction(5, 3))
		d.work.Wait()
		if strings.Count(f.log(), "Something went wrong") != 1 {
			t.Errorf("answered %v: got %s", answered, f.log())
		}
		if !strings.Contains(log.String(), "discord_test.go") || !strings.Contains(log.String(), "outcome=panic") {
			t.Errorf("no stack in %s", log)
		}
	}
}

func TestUnansweredIsAcknowledged(t *testing.T) {
	f := &fakeAPI{}
	d, log := handledFake(t, f, func(context.Context, chat.Request) {})
	for kind, want := range map[int]string{2: `{"type":4`, 3: `{"type":6}`, 4: `{"type":8,"data":{"choices":[]}}`} {
		d.dispatch(interaction(kind, kind))
		d.work.Wait()
		if !strings.Contains(f.log(), want) {
			t.Errorf("no %s in %s", want, f.log())
		}
	}
	if strings.Count(log.String(), "outcome=unanswered") != 3 {
		t.Error(log)
	}
}

// The member sees an answer once even when Discord's reply to it was lost. Discord takes only
// one, and "already answered" then means success.
func TestAnswerIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeAPI{answer: func(n int, q *http.Request, _ string) (*http.Response, error) {
			switch n {
			case 0:
				return nil, errors.New("connection reset")
			case 1:
				return say(502, "<html>bad gateway</html>"), nil
			case 2:
				return say(400, `{"code":40060,"message":"Interaction has already been acknowledged."}`), nil
			}
			return nil, nil
		}}
		d := newFake(t, f)
		id, err := d.Answer(t.Context(), chat.Ticket{ID: 5, Token: pressToken},
			chat.Answer{Kind: chat.Say, Message: chat.Text("x")})
		if err != nil || id != 77 {
			t.Errorf("%d, %v", id, err)
		}
		if got := strings.Split(f.log(), "\n"); len(got) != 4 || !strings.HasPrefix(got[3], "GET /webhooks/4/") {
			t.Error(f.log())
		}
	})
}

func TestAnswerGivesUpWhenDiscordDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeAPI{answer: func(int, *http.Request, string) (*http.Response, error) {
			return nil, &url.Error{Op: "Post", URL: "https://discord.com/" + pressToken,
				Err: errors.New("no route for " + pressToken)}
		}}
		d := newFake(t, f)
		start := time.Now()
		_, err := d.Answer(t.Context(), chat.Ticket{ID: 5, Token: pressToken}, chat.Answer{Kind: chat.DeferPress})
		if chat.TroubleOf(err) != chat.Failed || time.Since(start) > 3*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		if strings.Contains(err.Error(), pressToken) {
			t.Errorf("a token in %v", err)
		}
	})
}

func TestTroubles(t *testing.T) {
	tests := []struct {
		status int
		body   string
		want   chat.Trouble
		code   int
	}{
		{404, `{"code":10008,"message":"Unknown Message"}`, chat.Gone, 10008},
		{404, `{"code":10003,"message":"Unknown Channel"}`, chat.NoPlace, 10003},
		{404, `{"code":10062,"message":"Unknown interaction"}`, chat.Lapsed, 10062},
		{404, `{"code":10015,"message":"Unknown Webhook"}`, chat.Lapsed, 10015},
		{401, `{"code":50027,"message":"Invalid Webhook Token"}`, chat.Lapsed, 50027},
		{400, `{"code":40094,"message":"This interaction has reached the maximum number of follow-up messages."}`,
			chat.Lapsed, 40094},
		{403, `{"code":50001,"message":"Missing Access"}`, chat.NoPlace, 50001},
		{403, `{"code":50013,"message":"Missing Permissions"}`, chat.Locked, 50013},
		{403, `{"code":50007,"message":"Cannot send messages to this user"}`, chat.Locked, 50007},
		{400, `{"code":50083,"message":"Thread is archived"}`, chat.Locked, 50083},
		{400, `{"code":30046,"message":"Maximum number of edits to messages older than 1 hour reached."}`, chat.TooOld, 30046},
		{400, `{"code":50035,"message":"Invalid Form Body","errors":{"components":{}}}`, chat.Refused, 50035},
		{429, `{"message":"You are being rate limited.","retry_after":7.5,"global":false}`, chat.Busy, 429},
		{429, `<html>Cloudflare</html>`, chat.Busy, 429},
		{500, `oops`, chat.Failed, 500}, {502, ``, chat.Failed, 502}, {503, `{}`, chat.Failed, 503},
		{200, `{"id":"1"}`, 0, 0}, {204, ``, 0, 0},
	}
	for _, test := range tests {
		f := &fakeAPI{answer: func(int, *http.Request, string) (*http.Response, error) {
			return say(test.status, test.body, "X-RateLimit-Reset", "soon", "X-RateLimit-Remaining", "x"), nil
		}}
		d := newFake(t, f)
		_, err := d.wire.do(t.Context(), call{method: "POST", path: "x", payload: 1})
		var e *chat.Error
		if errors.As(err, &e); test.want == 0 && err == nil {
			continue
		}
		if e == nil || e.Trouble != test.want || e.Code != test.code {
			t.Errorf("%d %s: %v", test.status, test.body, err)
		}
		if test.status == 429 && strings.Contains(test.body, "7.5") && e.After != 7500*time.Millisecond {
			t.Errorf("after %v", e.After)
		}
	}
}

func TestInteractionCallsCarryNoBotToken(t *testing.T) {
	f := &fakeAPI{answer: func(_ int, q *http.Request, _ string) (*http.Response, error) {
		with := q.Header.Get("Authorization") != ""
		if want := strings.HasPrefix(q.URL.Path, "/api/v9/channels"); with != want {
			t.Errorf("%s: authorization %v", q.URL.Path, with)
		}
		return nil, nil
	}}
	d := newFake(t, f)
	ctx := t.Context()
	d.Answer(ctx, chat.Ticket{ID: 5, Token: pressToken}, chat.Answer{Kind: chat.DeferPress})
	for _, to := range []chat.To{{Token: pressToken}, {Token: pressToken, Original: true}, {Token: pressToken, Message: 6},
		{Channel: 2}, {Channel: 2, Message: 6}} {
		if id, err := d.Send(ctx, to, chat.Text("x")); err != nil || id != 77 {
			t.Errorf("%+v: %d %v", to, id, err)
		}
		if to.Message != 0 || to.Original {
			if err := d.Delete(ctx, to); err != nil {
				t.Errorf("delete %+v: %v", to, err)
			}
		}
	}
	if id, err := d.Thread(ctx, chat.ThreadPlace{Channel: 2}, "a game"); id != 77 || err != nil {
		t.Errorf("thread: %d %v", id, err)
	}
}

// A thread is in a channel. What Discord calls the parent of a channel is only its category.
func TestParent(t *testing.T) {
	for body, want := range map[string]uint64{
		`{"id":"2","type":11,"parent_id":"9"}`: 9, `{"id":"2","type":12,"parent_id":"9"}`: 9,
		`{"id":"2","type":10,"parent_id":"9"}`: 9, `{"id":"2","type":0,"parent_id":"9"}`: 0, `{"id":"2","type":1}`: 0,
	} {
		f := &fakeAPI{answer: func(_ int, q *http.Request, _ string) (*http.Response, error) {
			if want := "GET /api/v9/channels/2"; q.Method+" "+q.URL.Path != want {
				t.Errorf("%s %s, want %s", q.Method, q.URL.Path, want)
			}
			return say(200, body), nil
		}}
		if got, err := newFake(t, f).Parent(t.Context(), 2); got != want || err != nil {
			t.Errorf("%s: %d %v, want %d", body, got, err, want)
		}
	}
	f := &fakeAPI{answer: func(int, *http.Request, string) (*http.Response, error) {
		return say(403, `{"code":50001,"message":"Missing Access"}`), nil
	}}
	if _, err := newFake(t, f).Parent(t.Context(), 2); err == nil {
		t.Error("a channel that the bot does not see has no error")
	}
}

func TestNonce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeAPI{answer: func(n int, _ *http.Request, _ string) (*http.Response, error) {
			if n%2 == 0 {
				return say(500, ""), nil
			}
			return nil, nil
		}}
		d := newFake(t, f)
		_, err := d.Send(t.Context(), chat.To{Channel: 2, Nonce: "n1"}, chat.Text("x"))
		testkit.Check(t, err)
		if got := f.log(); strings.Count(got, `"nonce":"n1","enforce_nonce":true`) != 2 {
			t.Error(got)
		}
		// Without a nonce it might be posted twice, and so is not tried again.
		if _, err := d.Send(t.Context(), chat.To{Channel: 2}, chat.Text("x")); err == nil {
			t.Error("it was tried again")
		}
	})
}

func TestBadMessageIsNotSent(t *testing.T) {
	f := &fakeAPI{}
	d := newFake(t, f)
	_, err1 := d.Send(t.Context(), chat.To{Channel: 2}, chat.Message{})
	_, err2 := d.Send(t.Context(), chat.To{Token: pressToken}, chat.Message{})
	_, err3 := d.Answer(t.Context(), chat.Ticket{ID: 5, Token: pressToken}, chat.Answer{Kind: chat.Say})
	for _, err := range []error{err1, err2, err3} {
		if chat.TroubleOf(err) != chat.Refused {
			t.Error(err)
		}
	}
	if f.log() != "" {
		t.Error(f.log())
	}
}

func TestRegisterOnlyWhatHasChanged(t *testing.T) {
	stored := `[]`
	f := &fakeAPI{}
	f.answer = func(_ int, q *http.Request, body string) (*http.Response, error) {
		if strings.HasSuffix(q.URL.Path, "/@me") {
			return say(200, `{"id":"4","integration_types_config":{"0":{},"1":{}}}`), nil
		}
		if q.Method == http.MethodPut {
			stored = body
		}
		return say(200, stored), nil
	}
	d := newFake(t, f)
	for i, want := range []bool{true, false, true} { // everywhere, again, and for a server
		wrote, err := d.Register(t.Context(), smallTable(), about, nil, uint64(i/2))
		if err != nil || wrote != want {
			t.Errorf("%d: wrote %v, %v", i, wrote, err)
		}
	}
	var list []commandBody
	if err := json.Unmarshal([]byte(stored), &list); err != nil || len(list) != 5 {
		t.Error(stored)
	}
}

func TestMain(m *testing.M) {
	testkit.Wide(4)
	os.Exit(m.Run())
}

// The log has discordgo's errors alone, and not that it cannot decode what we decode ourselves.
func TestLibraryLine(t *testing.T) {
	for _, c := range []struct {
		level  int
		format string
		args   []any
		want   string
	}{
		{discordgo.LogError, "error %s", []any{"here\n"}, "discordgo: error here"},
		{discordgo.LogWarning, "warning", nil, ""},
		{discordgo.LogError, "sending: %v", []any{websocket.ErrCloseSent}, ""},
		{discordgo.LogError, "error unmarshalling %s event, %s", []any{"INTERACTION_CREATE", errors.New("unknown component type: 18")}, ""},
		{discordgo.LogError, "error unmarshalling %s event, %s", []any{"GUILD_CREATE", errors.New("odd")}, "discordgo: error unmarshalling GUILD_CREATE event, odd"},
	} {
		if got, ok := libraryLine(c.level, c.format, c.args); got != c.want || ok != (c.want != "") {
			t.Errorf("%q %v: %q %v", c.format, c.args, got, ok)
		}
	}
}
