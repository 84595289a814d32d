package discord

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/chat"
	"tengen/internal/testkit"
)

// Where Discord refuses the files of an answer, or of a message by an interaction's token, the
// message goes out as text. Another refusal costs no second call.
func TestFilesRefused(t *testing.T) {
	board := chat.Message{Blocks: []chat.Block{{Text: "your turn"},
		{Picture: &chat.Picture{Name: "board.png", Data: tinyPNG, Alt: "a board", Text: "the board as text"}}}}
	bare := chat.Message{Blocks: []chat.Block{{Picture: &chat.Picture{Name: "board.png", Data: tinyPNG, Alt: "a board"}}}}
	for _, test := range []struct {
		name, refusal string
		status        int
		message       chat.Message
		calls         int
		trouble       chat.Trouble // 0: sent as text
	}{
		{"uploads are limited", `{"code":400001,"message":"Access to file uploads has been limited for this guild"}`, 403, board, 2, 0},
		{"uploads are limited, by another status", `{"code":400001,"message":"x"}`, 400, board, 2, 0},
		{"no permission", `{"code":50013,"message":"Missing Permissions"}`, 403, board, 2, 0},
		{"a 403 without a code", `{"message":"x"}`, 403, board, 2, 0},
		{"too large", `{"code":40005,"message":"Request entity too large"}`, 413, board, 2, 0},
		{"no text in its place", `{"code":400001,"message":"x"}`, 403, bare, 1, chat.Locked},
		{"no files", `{"code":50013,"message":"x"}`, 403, chat.Text("x"), 1, chat.Locked},
		{"an archived thread", `{"code":50083,"message":"Thread is archived"}`, 400, board, 1, chat.Locked},
		{"a bad body", `{"code":50035,"message":"Invalid Form Body"}`, 400, board, 1, chat.Refused},
	} {
		for way, send := range map[string]func(context.Context, *Adapter) error{
			"answer": func(ctx context.Context, d *Adapter) error {
				_, err := d.Answer(ctx, chat.Ticket{ID: 5, Token: pressToken},
					chat.Answer{Kind: chat.Replace, Message: test.message})
				return err
			},
			"edit": func(ctx context.Context, d *Adapter) error {
				_, err := d.Send(ctx, chat.To{Token: pressToken, Original: true}, test.message)
				return err
			},
			"follow-up": func(ctx context.Context, d *Adapter) error {
				_, err := d.Send(ctx, chat.To{Token: pressToken}, test.message)
				return err
			},
		} {
			f := &fakeAPI{answer: func(_ int, q *http.Request, body string) (*http.Response, error) {
				if strings.Contains(body, "board.png") || test.message.Blocks[0].Text == "x" || test.trouble != 0 {
					return say(test.status, test.refusal), nil
				}
				return nil, nil
			}}
			d := newFake(t, f)
			err := send(t.Context(), d)
			if len(f.calls) != test.calls || (err != nil) != (test.trouble != 0) ||
				err != nil && chat.TroubleOf(err) != test.trouble {
				t.Errorf("%s, %s: %d calls, %v", test.name, way, len(f.calls), err)
			}
			if last := f.calls[len(f.calls)-1]; test.trouble == 0 &&
				(!strings.Contains(last, "the board as text") || !strings.Contains(last, `"attachments":[]`)) {
				t.Errorf("%s, %s: sent %s", test.name, way, last)
			}
		}
	}
}

// Calls name the library and the program as Discord's documents ask.
func TestUserAgent(t *testing.T) {
	var agent string
	f := &fakeAPI{answer: func(_ int, q *http.Request, _ string) (*http.Response, error) {
		agent = q.UserAgent()
		return nil, nil
	}}
	d := newFake(t, f)
	testkit.Got(d.Send(t.Context(), chat.To{Channel: 2}, chat.Text("x")))
	if !regexp.MustCompile(`^DiscordBot \(https://[^ ,]+, [0-9.]+\) tengen$`).MatchString(agent) {
		t.Error(agent)
	}
}

// Cloudflare's refusal is no missing permission: the place stays, and no call is made for a while.
func TestCloudflare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, body := range []string{`{"message":"internal network error","code":40333}`,
			"<html><title>Access denied</title></html>", ""} {
			f := &fakeAPI{answer: func(n int, _ *http.Request, _ string) (*http.Response, error) {
				if n == 0 {
					return say(403, body), nil
				}
				return nil, nil
			}}
			d := newFake(t, f)
			_, err := d.Send(t.Context(), chat.To{Channel: 2}, shown("x"))
			var e *chat.Error
			if !errors.As(err, &e) || e.Trouble != chat.Busy || e.Code != cloudflare || e.After < blockedFor {
				t.Errorf("%q: %v", body, err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if _, err := d.Send(ctx, chat.To{Channel: 3}, chat.Text("x")); chat.TroubleOf(err) != chat.Busy {
				t.Errorf("%q: a call to another place: %v", body, err)
			}
			cancel()
			if len(f.calls) != 1 {
				t.Errorf("%q: %d calls", body, len(f.calls))
			}
			time.Sleep(blockedFor)
			if _, err := d.Send(t.Context(), chat.To{Channel: 3}, chat.Text("x")); err != nil {
				t.Errorf("%q: %v", body, err)
			}
		}
	})
}

// An edit by a token wakes its archived thread, once: that of the interaction at hand, or the one
// that the caller names.
func TestTokenWakesTheThread(t *testing.T) {
	for _, named := range []bool{false, true} {
		archived := true
		f := &fakeAPI{answer: func(_ int, q *http.Request, _ string) (*http.Response, error) {
			switch {
			case strings.HasSuffix(q.URL.Path, "/channels/9"):
				archived = false
				return say(200, `{"id":"9"}`), nil
			case archived:
				return say(400, `{"code":50083,"message":"Thread is archived"}`), nil
			}
			return say(200, `{"id":"77"}`), nil
		}}
		d := newFake(t, f)
		ctx, to := context.WithValue(t.Context(), ticketKey{}, &ticket{thread: 9}), chat.To{Token: pressToken, Original: true}
		if named {
			ctx, to.Channel = t.Context(), 9
		}
		if _, err := d.Send(ctx, to, chat.Text("x")); err != nil || len(f.calls) != 3 {
			t.Errorf("named %v: %d calls, %v", named, len(f.calls), err)
		}
	}
}
