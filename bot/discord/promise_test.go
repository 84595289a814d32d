package discord

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/chat"
	"tengen/internal/testkit"
)

// Tests of what comments promise as safety, where no other test failed when the protection was
// switched off.

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(q *http.Request) (*http.Response, error) { return f(q) }

// A file is fetched only from Discord's own hosts, by https, without a redirect, within three
// seconds, and up to the largest size. No error holds its address.
func TestFetchedFromDiscordAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, test := range []struct {
			name, url string
			answer    roundTrip
			ok        bool
		}{
			{"a file", "https://cdn.discordapp.com/a/secret", nil, true},
			{"the other host", "https://media.discordapp.net/a/secret", nil, true},
			{"another host", "https://example.com/a/secret", nil, false},
			{"a host that ends like ours", "https://cdn.discordapp.com.example.com/secret", nil, false},
			{"another port", "https://cdn.discordapp.com:8443/secret", nil, false},
			{"no TLS", "http://cdn.discordapp.com/a/secret", nil, false},
			{"a user in the address", "https://secret@cdn.discordapp.com/a", nil, false},
			{"the largest", "https://cdn.discordapp.com/a/secret", func(*http.Request) (*http.Response, error) {
				return say(200, strings.Repeat("x", chat.LargestFile)), nil
			}, true},
			{"too large", "https://cdn.discordapp.com/a/secret", func(*http.Request) (*http.Response, error) {
				return say(200, strings.Repeat("x", chat.LargestFile+1)), nil
			}, false},
			{"endless", "https://cdn.discordapp.com/a/secret", func(*http.Request) (*http.Response, error) {
				p := say(200, "")
				p.Body = io.NopCloser(bottomless{})
				return p, nil
			}, false},
			{"redirected", "https://cdn.discordapp.com/a/secret", func(q *http.Request) (*http.Response, error) {
				if strings.HasSuffix(q.URL.Path, "b") {
					return say(200, "x"), nil
				}
				return say(302, "", "Location", "https://cdn.discordapp.com/b"), nil
			}, false},
			{"no network", "https://cdn.discordapp.com/a/secret", func(*http.Request) (*http.Response, error) {
				return nil, errors.New("no route")
			}, false},
			{"slow", "https://cdn.discordapp.com/a/secret", func(q *http.Request) (*http.Response, error) {
				select {
				case <-time.After(time.Minute):
					return say(200, "x"), nil
				case <-q.Context().Done():
					return nil, q.Context().Err()
				}
			}, false},
		} {
			began := time.Now()
			_, err := Fetch(roundTrip(func(q *http.Request) (*http.Response, error) {
				if test.answer != nil {
					return test.answer(q)
				}
				return say(200, "h8"), nil
			}))(t.Context(), chat.FileTarget{URL: test.url})
			if (err == nil) != test.ok {
				t.Errorf("%s: %v", test.name, err)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("%s: the address is told: %v", test.name, err)
			}
			if took := time.Since(began); took > fetchTime {
				t.Errorf("%s: took %v", test.name, took)
			}
		}
	})
}

// bottomless is a file without an end.
type bottomless struct{}

func (bottomless) Read(b []byte) (int, error) { return len(b), nil }

// A call whose outcome is not known is made again only where making it twice does no harm.
func TestRepeatedOnlyWhereTwiceIsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		send := func(to chat.To) func(context.Context, *Adapter) error {
			return func(ctx context.Context, d *Adapter) error { _, err := d.Send(ctx, to, chat.Text("x")); return err }
		}
		for _, test := range []struct {
			name  string
			do    func(context.Context, *Adapter) error
			again bool
		}{
			{"a message", send(chat.To{Channel: 2}), false},
			{"a message with a nonce", send(chat.To{Channel: 2, Nonce: "n"}), true},
			{"an edit", send(chat.To{Channel: 2, Message: 3}), true},
			{"a follow-up", send(chat.To{Token: pressToken}), false},
			{"an edit by token", send(chat.To{Token: pressToken, Original: true}), true},
			{"a thread", func(ctx context.Context, d *Adapter) error {
				_, err := d.Thread(ctx, chat.ThreadPlace{Channel: 2}, "x")
				return err
			}, false},
			{"a deletion", func(ctx context.Context, d *Adapter) error { return d.Delete(ctx, chat.To{Channel: 2, Message: 3}) }, true},
		} {
			f := &fakeAPI{answer: func(int, *http.Request, string) (*http.Response, error) { return say(502, ""), nil }}
			d := newFake(t, f)
			if err := test.do(t.Context(), d); err == nil {
				t.Errorf("%s: no error", test.name)
			}
			if calls := len(f.calls); (calls > 1) != test.again {
				t.Errorf("%s: %d calls", test.name, calls)
			}
		}
	})
}

// "Already answered" means our own answer only where a recent try of ours may have given it.
func TestAnsweredByAnother(t *testing.T) {
	now := uint64(time.Now().UnixMilli()-Epoch) << 22
	m := chat.Message{Blocks: []chat.Block{{Text: "x"},
		{Row: []chat.Button{{Label: "a", ID: "1:8:2:play:"}, {Label: "b", ID: "1:8:2:more:"}}}}}
	found := func(stamp int) string {
		return fmt.Sprintf(`{"id":"77","components":[{"type":10,"content":"x"},{"type":1,"components":[{"type":2,"custom_id":"1:8:%d:play:"},{"type":2,"custom_id":"1:8:%d:more:"}]}]}`, stamp, stamp)
	}
	for _, test := range []struct {
		name     string
		id       uint64
		lost     bool   // the answer to our first try
		original string // what Discord shows as the answer; empty: it is gone
		busy     int    // so often Discord does not say
		other    bool
	}{
		{"ours", now, true, found(2), 0, false},
		{"ours, said late", now, true, found(2), 1, false},
		{"ours, and gone", now, true, "", 0, false},
		{"another's, before we tried", now, false, found(2), 0, true},
		{"another's, long ago", now - uint64((2*time.Minute).Milliseconds())<<22, true, found(2), 0, true},
		{"another's, of an older board", now, true, found(1), 0, true},
		{"another's, of an older board, said late", now, true, found(1), 1, true},
		{"not said in time", now, true, found(2), 1000, true},
	} {
		busy := test.busy
		f := &fakeAPI{answer: func(n int, q *http.Request, _ string) (*http.Response, error) {
			if n == 0 && test.lost {
				return nil, errors.New("connection reset")
			}
			if q.Method == http.MethodPost {
				return say(400, `{"code":40060,"message":"Interaction has already been acknowledged."}`), nil
			}
			if busy--; q.Method == http.MethodGet && busy >= 0 {
				return say(429, `{"message":"You are being rate limited.","retry_after":0.01,"global":false}`), nil
			}
			if q.Method == http.MethodGet && test.original != "" {
				return say(200, test.original), nil
			}
			return say(404, `{"code":10008,"message":"Unknown Message"}`), nil
		}}
		d := newFake(t, f)
		if test.busy > 1 {
			d.options.AnswerIn = 200 * time.Millisecond
		}
		id, err := d.Answer(t.Context(), chat.Ticket{ID: test.id, Token: pressToken}, chat.Answer{Kind: chat.Say, Message: m})
		if (err != nil) != test.other || err != nil && chat.TroubleOf(err) != chat.Answered {
			t.Errorf("%s: %v", test.name, err)
		}
		if err == nil && test.original != "" && id != 77 {
			t.Errorf("%s: message %d", test.name, id)
		}
	}
}

// A deferral is taken for ours only where the message is the pressed one, or is "thinking".
func TestDeferredByAnother(t *testing.T) {
	for _, test := range []struct {
		name     string
		payload  answerPayload
		original string
		ours     bool
	}{
		{"a press", answerPayload{Type: 6}, `{"id":"9"}`, true},
		{"a press that another answered in words", answerPayload{Type: 6}, `{"id":"77","flags":64}`, false},
		{"a command", answerPayload{Type: 5}, `{"id":"77","flags":192}`, true},
		{"a command that another answered", answerPayload{Type: 5}, `{"id":"77","flags":64}`, false},
	} {
		f := &fakeAPI{answer: func(int, *http.Request, string) (*http.Response, error) {
			return say(200, test.original), nil
		}}
		d := newFake(t, f)
		if _, ours := d.original(t.Context(), &ticket{Ticket: chat.Ticket{Token: pressToken}, pressed: 9},
			test.payload); ours != test.ours {
			t.Errorf("%s: ours %v", test.name, ours)
		}
	}
}

// A network error does not hold the address, which contains tokens.
func TestErrorTellsNoAddress(t *testing.T) {
	f := &fakeAPI{answer: func(int, *http.Request, string) (*http.Response, error) {
		return nil, errors.New("no route") // the client puts the address before it
	}}
	d := newFake(t, f)
	_, err := d.wire.do(t.Context(), call{method: http.MethodPost, path: "webhooks/4/another-token", payload: 1})
	if err == nil || strings.Contains(err.Error(), "another-token") {
		t.Error(err)
	}
}

// Nor does an error hold the tokens that an answer repeats.
func TestErrorRepeatsNoToken(t *testing.T) {
	d := newFake(t, refusing(400, `{"code":50035,"message":"bad: `+pressToken+` `+botToken+`"}`))
	_, err := d.Send(t.Context(), chat.To{Token: pressToken}, chat.Text("x"))
	if err == nil || !strings.Contains(err.Error(), "bad: … …") {
		t.Error(err)
	}
}

// While an interaction's handler is at work, nobody else may edit its answer.
func TestAnswerOfAnotherIsNotFilledIn(t *testing.T) {
	f := &fakeAPI{}
	at, done := make(chan struct{}), make(chan struct{})
	d, _ := handledFake(t, f, func(context.Context, chat.Request) { close(at); <-done })
	testkit.Must(t, d.dispatch(interaction(5, 2)))
	<-at
	_, err := d.Send(t.Context(), chat.To{Token: pressToken, Original: true}, chat.Text("x"))
	if chat.TroubleOf(err) != chat.Busy || err == nil {
		t.Error(err)
	}
	testkit.Want(t, "sent", f.log(), "")
	close(done)
	d.work.Wait()
}
