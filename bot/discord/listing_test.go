package discord

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tengen/bot/chat"
	"tengen/internal/testkit"
)

// The bot's own listings are found that are not over, among whatever else the server has.
func TestListings(t *testing.T) {
	const server, self, app = 7, 9, 5
	at := testkit.At("2026-03-01 12:00")
	entry := func(id, creator, status int) string {
		return fmt.Sprintf(`{"id":"%d","creator_id":"%d","name":"Cup","description":null,"scheduled_start_time":"%s","scheduled_end_time":null,"status":%d,"entity_metadata":null}`, id, creator, at.Format(time.RFC3339), status)
	}
	f := &fakeAPI{answer: func(_ int, q *http.Request, _ string) (*http.Response, error) {
		if q.Method != http.MethodGet || !strings.HasSuffix(q.URL.Path, "/guilds/7/scheduled-events") {
			t.Errorf("%s %s", q.Method, q.URL)
		}
		return say(200, "["+strings.Join([]string{entry(1, self, 1), entry(2, 3, 1), entry(3, app, 2), entry(4, self, 3),
			`{"id":{}}`, `"x"`, `{"id":"6","status":999,"creator_id":null}`}, ",")+"]"), nil
	}}
	d := newFake(t, f)
	if _, err := d.Listings(t.Context(), server); chat.TroubleOf(err) != chat.Failed {
		t.Errorf("a bot that does not know itself: %v", err)
	}
	d.self.Store(self)
	d.app.Store(app)
	list, err := d.Listings(t.Context(), server)
	if err != nil || len(list) != 2 || list[0].ID != 1 || list[0].Status != chat.Ahead || !list[0].Starts.Equal(at) ||
		list[1].ID != 3 || list[1].Status != chat.Underway {
		t.Errorf("%+v, %v", list, err)
	}
}

// A listing is made once: what may have been made is not made again. A change says what changes alone.
func TestList(t *testing.T) {
	var bodies []string
	status, answer := 500, `{}`
	f := &fakeAPI{answer: func(_ int, q *http.Request, body string) (*http.Response, error) {
		bodies = append(bodies, q.Method+" "+q.URL.Path[strings.Index(q.URL.Path, "/guilds"):]+" "+body)
		return say(status, answer), nil
	}}
	d := newFake(t, f)
	at := testkit.At("2026-03-01 12:00")
	l := chat.Listing{Name: strings.Repeat("é", 101), About: "a", Where: "w", Starts: at, Ends: at.Add(time.Hour)}
	if _, err := d.List(t.Context(), 7, l); chat.TroubleOf(err) != chat.Failed || len(bodies) != 1 {
		t.Errorf("%d calls: %v", len(bodies), err)
	}
	status = 200
	var e *chat.Error
	if _, err := d.List(t.Context(), 7, l); !errors.As(err, &e) || e.Trouble != chat.Failed {
		t.Errorf("an answer without an id: %v", err)
	}
	answer = `{"id":"42"}`
	if id, err := d.List(t.Context(), 7, chat.Listing{ID: 42, Status: chat.Done}); id != 42 || err != nil {
		t.Errorf("%d %v", id, err)
	}
	testkit.Check(t, d.Unlist(t.Context(), 7, 42))
	want := []string{
		`POST /guilds/7/scheduled-events {"name":"` + strings.Repeat("é", 99) + `…","description":"a","entity_metadata":{"location":"w"},"scheduled_start_time":"2026-03-01T12:00:00Z","scheduled_end_time":"2026-03-01T13:00:00Z","privacy_level":2,"entity_type":3}`,
		`PATCH /guilds/7/scheduled-events/42 {"status":3}`, "DELETE /guilds/7/scheduled-events/42 ",
	}
	if got := strings.Join(bodies[1:], "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}
