package standin_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"tengen/bot/standin"
	"tengen/internal/testkit"
)

// Scheduled events are made, changed and deleted within Discord's rules, begin and end by themselves,
// and are saved.
func TestScheduled(t *testing.T) {
	s := standin.New(t, standin.Options{Lenient: true})
	path := "/api/v10/guilds/" + s.ServerID("") + "/scheduled-events"
	call := func(method, path, body string, want int, words string) map[string]any {
		t.Helper()
		r := testkit.Got(http.NewRequest(method, "https://discord.com"+path, strings.NewReader(body)))
		r.Header.Set("Authorization", "Bot "+s.Token())
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("User-Agent", "DiscordBot (https://example.org, 1)")
		answer := testkit.Got(s.Transport().RoundTrip(r))
		defer answer.Body.Close()
		data, _ := io.ReadAll(answer.Body)
		if answer.StatusCode != want || !bytes.Contains(data, []byte(words)) {
			t.Errorf("%s %s %s: %d %s, want %d and %q", method, path, body, answer.StatusCode, data, want, words)
		}
		var m map[string]any
		json.Unmarshal(data, &m)
		return m
	}
	at := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(time.RFC3339) }
	body := func(name string, starts, ends time.Duration) string {
		return fmt.Sprintf(`{"name":%q,"privacy_level":2,"entity_type":3,"entity_metadata":{"location":"here"},"scheduled_start_time":%q,"scheduled_end_time":%q}`, name, at(starts), at(ends))
	}
	call("POST", path, body("Cup", time.Hour, 2*time.Hour), 403, "50013")
	s.Member("bot").Moderates("", standin.PermCreateEvents)
	call("POST", path, body("", time.Hour, 2*time.Hour), 400, "name")
	call("POST", path, body(strings.Repeat("x", 101), time.Hour, 2*time.Hour), 400, "100 in length")
	call("POST", path, body("Cup", -time.Minute, 2*time.Hour), 400, "SCHEDULE_PAST")
	call("POST", path, body("Cup", time.Hour, time.Minute), 400, "scheduled_end_time")
	call("POST", path, `{"name":"Cup","privacy_level":2,"entity_type":3}`, 400, "entity_metadata")
	id := fmt.Sprint(call("POST", path, body("Cup", time.Hour, 2*time.Hour), 200, `"status":1`)["id"])
	one := path + "/" + id
	call("PATCH", one, `{"name":"Spring Cup"}`, 200, "Spring Cup")
	call("PATCH", one, `{"status":3}`, 400, "status")
	call("PATCH", path+"/5", `{"name":"Cup"}`, 404, "10070")
	s.Advance(61 * time.Minute)
	call("GET", path, "", 200, `"status":2`)
	call("PATCH", one, `{"status":4}`, 400, "status")
	call("PATCH", one, fmt.Sprintf(`{"scheduled_start_time":%q}`, at(9*time.Hour)), 400, "scheduled_start_time")
	var saved bytes.Buffer
	testkit.Must(t, s.Save(&saved, func(string, []byte) error { return nil }))
	other := fresh(t)
	testkit.Must(t, other.Restore(&saved, nil))
	if list := other.Scheduled(""); len(list) != 1 || list[0].Name != "Spring Cup" {
		t.Errorf("after a restart: %+v", list)
	}
	s.Advance(time.Hour)
	call("GET", path, "", 200, "[]")
	call("PATCH", one, `{"name":"Late"}`, 400, "180000")
	call("DELETE", one, "", 204, "")
	call("DELETE", one, "", 404, "10070")
	for range 100 {
		call("POST", path, body("Cup", 9*time.Hour, 10*time.Hour), 200, "")
	}
	call("POST", path, body("Cup", 9*time.Hour, 10*time.Hour), 400, "30038")
	s.Unschedule("", s.Scheduled("")[0].ID)
	if list := s.Scheduled(""); len(list) != 99 {
		t.Errorf("%d are left", len(list))
	}
}
