package discord

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"tengen/bot/chat"
	"tengen/internal/testkit"
)

// ear is a handler that notes what is said to it.
type ear struct {
	handlerFunc
	mu   sync.Mutex
	said []chat.Request
}

func (e *ear) Handle(_ context.Context, r chat.Request) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.said = append(e.said, r)
	return "played"
}

// listening is an adapter that listens, before any connection.
func listening(h chat.Handler, log *slog.Logger) *Adapter {
	d := testkit.Got(New(Options{Token: "x", Listen: true, Log: log}))
	d.handler, d.life = h, context.Background()
	d.self.Store(botID)
	return d
}

const botID = 296617888866508247

// message is a raw message of a server: its id, content and author, who is mentioned, and more fields.
func message(id int, content, more string) string {
	return fmt.Sprintf(`{"id":"%d","type":0,"channel_id":"55","guild_id":"44","content":%q,"author":{"id":"7","username":"ann"},"mentions":[]%s}`, id, content, more)
}

// Messages that speak to the bot are handed on with their text where it is short, and nothing else is, or is logged.
func TestHear(t *testing.T) {
	mentioned := fmt.Sprintf(`,"mentions":[{"id":"%d"}]`, botID)
	for _, c := range []struct{ name, raw, want string }{
		{"with its mention", message(1, fmt.Sprintf("<@%d> H8", botID), mentioned), "called H8"},
		{"with an older mention", message(1, fmt.Sprintf("h 8 <@!%d>", botID), mentioned), "called h 8"},
		{"a reply", message(1, "H8", mentioned+`,"type":19,"message_reference":{"message_id":"99"}`), "H8 to 99"},
		{"a reply that is long", message(1, strings.Repeat("H8 ", 20), mentioned+`,"type":19`), ""},
		{"a reply without words", message(1, "", mentioned+`,"type":19`), ""},
		{"direct", `{"id":"1","type":0,"channel_id":"55","content":"H8","author":{"id":"7"},"mentions":[]}`, "called H8"},
		{"direct, without words", `{"id":"1","type":0,"channel_id":"55","content":"","author":{"id":"7"},"mentions":[]}`, "called "},
		{"to others", message(1, "H8", ""), ""},
		{"to others, as Discord sends it", message(1, "", ""), ""},
		{"that names the bot in words", message(1, fmt.Sprint(botID), ""), ""},
		{"too long", message(1, fmt.Sprintf("<@%d> "+strings.Repeat("H8 ", 20), botID), mentioned), "called "},
		{"nothing but the mention", message(1, fmt.Sprintf("<@%d>", botID), mentioned), "called "},
		{"of a bot", message(1, "H8", mentioned+`,"author":{"id":"8","bot":true}`), ""},
		{"of a webhook", message(1, "H8", mentioned+`,"webhook_id":"3"`), ""},
		{"of another type", message(1, "H8", mentioned+`,"type":7`), ""},
		{"without an author", `{"id":"1","channel_id":"55","content":"H8"}`, ""},
		{"broken", `{"id":`, ""},
	} {
		var log strings.Builder
		h := &ear{}
		d := listening(h, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
		d.hear([]byte(c.raw))
		d.work.Wait()
		got := ""
		for _, r := range h.said {
			if r.Called {
				got += "called "
			}
			got += r.Said
			if r.Message != 0 {
				got += fmt.Sprint(" to ", r.Message)
			}
			if r.Kind != chat.Said || r.ID != 1 || r.By != 7 || r.Place.Channel != 55 ||
				!r.At.Equal(flakeTime(1)) || r.Token != "" {
				t.Errorf("%s: %+v", c.name, r)
			}
		}
		testkit.Want(t, c.name, got, c.want)
		if strings.Contains(log.String(), "H8") || c.want == "" && log.Len() > 0 {
			t.Errorf("%s: the log says %s", c.name, log.String())
		}
	}
}

// Over HTTP nobody can listen.
func TestListenByGatewayAlone(t *testing.T) {
	if _, err := New(Options{Token: "x", Listen: true, Endpoint: &EndpointOptions{}}); err == nil {
		t.Error("an adapter without a gateway listens")
	}
}

// BenchmarkListen is a message of a server that comes in, one in fifty to the bot: from the bytes of the
// socket on, as the relay and hear take it. The figure is the share of a core at 10,000 messages a minute.
func BenchmarkListen(b *testing.B) {
	d := listening(&ear{}, slog.New(slog.DiscardHandler))
	other := frameOf(message(1, "", `,"embeds":[],"attachments":[],"components":[],"member":{"roles":["1","2"],"nick":null,"joined_at":"2021-01-01T00:00:00Z"},"timestamp":"2026-01-01T00:00:00Z"`))
	ours := frameOf(message(1, fmt.Sprintf("<@%d> H8", botID), fmt.Sprintf(`,"mentions":[{"id":"%d"}]`, botID)))
	b.ReportAllocs()
	begun := time.Now()
	for i := range b.N {
		data := other
		if i%50 == 0 {
			data = ours
		}
		d.hear(testkit.Got(readPacket(data)).Data)
	}
	d.work.Wait()
	b.ReportMetric(100*time.Since(begun).Seconds()/float64(b.N)*10_000/60, "%core@10k/min")
}

func frameOf(message string) []byte {
	return []byte(`{"op":0,"s":17,"t":"MESSAGE_CREATE","d":` + message + `}`)
}
