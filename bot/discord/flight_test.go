package discord

import (
	"net/http"
	"testing"

	"github.com/bwmarrin/discordgo"

	"tengen/bot/chat"
)

// News of a place that comes while Discord's refusal is on its way is the later word: the
// refusal is not remembered. News of another place says nothing.
func TestNewsOvertakesRefusal(t *testing.T) {
	for _, test := range []struct {
		event, data string
		calls       int
	}{
		{"CHANNEL_UPDATE", `{"id":"2"}`, 2},
		{"CHANNEL_UPDATE", `{"id":"3"}`, 1},
		{"GUILD_CREATE", `{"id":"1"}`, 2},
		{"GUILD_CREATE", `{"id":"7"}`, 1},
	} {
		g := &gateway{}
		f := &fakeAPI{answer: func(n int, _ *http.Request, _ string) (*http.Response, error) {
			if n == 0 {
				g.event(&discordgo.Event{Type: test.event, RawData: []byte(test.data)})
			}
			return say(403, `{"code":50001,"message":"Missing Access"}`), nil
		}}
		g.d = newFake(t, f)
		g.d.servers.add(1)
		for range 3 {
			g.d.Send(t.Context(), chat.To{Server: 1, Channel: 2}, chat.Text("x"))
		}
		if n := f.made(); n != test.calls {
			t.Errorf("%s %s: %d calls for three tries, want %d", test.event, test.data, n, test.calls)
		}
	}
}
