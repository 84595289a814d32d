package bot

import (
	"testing"
	"time"

	"tengen/bot/standin"
)

// A new message opens an archived thread too. It does so for an edit by an interaction's token,
// whose thread the bot may not know; a call by the bot's own token names its thread.
func TestWokenJudgesCalls(t *testing.T) {
	byToken := standin.Call{Method: "PATCH", Route: "/webhooks/{application_id}/{webhook_token}/messages/@original",
		Status: 400, Code: 50083}
	byBot := standin.Call{Method: "PATCH", Route: "/channels/{channel_id}/messages/{message_id}", Status: 400, Code: 50083}
	opened := standin.Call{Method: "PATCH", Route: "/channels/{channel_id}", Status: 200}
	posted := standin.Call{Method: "POST", Route: "/channels/{channel_id}/messages", Status: 200}
	for _, c := range []struct {
		name  string
		calls []standin.Call
		shut  int
	}{
		{"nothing follows", []standin.Call{byToken, byBot}, 2},
		{"both opened", []standin.Call{byToken, byBot, opened}, 0},
		{"a message follows an edit by token", []standin.Call{byToken, posted}, 0},
		{"a message follows a call by the bot", []standin.Call{byBot, posted}, 1},
	} {
		var w woken
		for i, call := range c.calls {
			call.Answered = time.Unix(int64(i), 0)
			w.note(call)
		}
		if got := len(w.shut(false)); got != c.shut {
			t.Errorf("%s: %d refusals were left shut, want %d", c.name, got, c.shut)
		}
	}
}
