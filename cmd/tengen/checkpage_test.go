package main

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"tengen/bot/discord"
	"tengen/bot/standin"
	"tengen/internal/testkit"
)

// hosts answers for addresses of pages, and leaves all others to a stand-in.
type hosts struct {
	discord http.RoundTripper
	pages   map[string]string // what stands at a host; "hangs": nothing ever comes
}

func (h hosts) RoundTrip(q *http.Request) (*http.Response, error) {
	text, ours := h.pages[q.URL.Host]
	switch {
	case text == "hangs":
		<-q.Context().Done()
		return nil, q.Context().Err()
	case ours:
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(text)), Request: q}, nil
	case strings.HasSuffix(q.URL.Host, "discordsays.com") || strings.HasSuffix(q.URL.Host, "example.org"):
		return &http.Response{StatusCode: http.StatusNotFound, Body: http.NoBody, Request: q}, nil
	}
	return h.discord.RoundTrip(q)
}

// --check names each thing that the page lacks, in its order, and does not wait for an address that never answers.
func TestCheckPage(t *testing.T) {
	const ours = `<script type="application/json" id="boot">{}</script>`
	web := webConfig{Address: ":8082", URL: "https://play.example.org"}
	for _, c := range []struct {
		name   string
		web    webConfig
		secret string
		o      standin.Options
		at     string // what stands at play.example.org
		proxy  string
		want   []string
	}{
		{"off", webConfig{}, "", standin.Options{}, "", "", []string{"is off: web.address is empty"}},
		{"nobody listens", web, "", standin.Options{}, "", "",
			[]string{"listens at :8082", "play.example.org does not lead to this program (status 404)", "no client secret"}},
		{"another program", web, "", standin.Options{}, "hello", "", []string{"does not lead to this program (status 200)"}},
		{"hangs", web, "", standin.Options{}, "hangs", "", []string{"does not answer (context deadline exceeded)"}},
		{"no secret", web, "", standin.Options{Activity: true}, ours, "",
			[]string{"play.example.org leads to this program", "There is no client secret"}},
		{"no Activity", web, "the-client-secret", standin.Options{}, ours, "", []string{"the application has no Activity"}},
		{"no mapping", web, "the-client-secret", standin.Options{Activity: true}, ours, "",
			[]string{"The application has an Activity", "is Discord's: the next start makes it ours",
				"discordsays.com does not lead to this program (status 404): are the URL mappings"}},
		{"all", web, "the-client-secret", standin.Options{Activity: true}, ours, ours, []string{"discordsays.com leads to this program"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				standin.EnterBubble()
				s := standin.New(t, c.o)
				pages := map[string]string{}
				if c.at != "" {
					pages["play.example.org"] = c.at
				}
				if c.proxy != "" {
					pages[s.AppID()+".discordsays.com"] = c.proxy
				}
				t.Setenv("DISCORD_CLIENT_SECRET", "")
				c.web.ClientSecret = c.secret
				h := &hosting{config: config{Web: c.web}, token: s.Token(), log: slog.New(slog.DiscardHandler),
					transport: hosts{s.Transport(), pages}}
				d, err := h.asker()
				testkit.Must(t, err)
				a, err := d.Application(t.Context())
				testkit.Must(t, err)
				var out bytes.Buffer
				h.checkPage(t.Context(), &out, d, a)
				at := 0
				for _, want := range c.want {
					i := strings.Index(out.String()[at:], want)
					if i < 0 {
						t.Fatalf("no %q in its place in\n%s", want, out.String())
					}
					at += i
				}
				if strings.Contains(out.String(), "the-client-secret") {
					t.Error("the secret is told")
				}
			})
		})
	}
	testkit.Want(t, "an entry point that is ours", entryPoint(discord.EntryOurs, nil), "Its entry point is ours")
}
