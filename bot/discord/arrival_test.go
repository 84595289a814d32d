package discord

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/standin"
	"tengen/internal/testkit"
)

// The gateway lists each server anew with each session. The handler is told of one where the bot has just come, also
// where the bot was away when that happened, and of no other.
func TestArrivalListed(t *testing.T) {
	now := flakeTime(0) // as the adapter has it
	listing := func(id int, joined string) string {
		return fmt.Sprintf(`{"id":"%d","joined_at":%s,"system_channel_id":"5","preferred_locale":"de"}`, id, joined)
	}
	ago := func(d time.Duration) string { return fmt.Sprintf("%q", now.Add(-d).Format(time.RFC3339Nano)) }
	told := newsOf(t, func(shards []shard) {
		g := shards[1]
		g.says("READY", `{"guilds":[{"id":"2"},{"id":"3"}]}`)
		g.says("GUILD_CREATE", listing(2, ago(9*time.Minute)))
		g.says("GUILD_CREATE", listing(3, ago(11*time.Minute)))
		g.says("GUILD_CREATE", listing(4, ago(0)))
		g.says("GUILD_CREATE", listing(5, ago(-time.Second)))
		g.says("GUILD_CREATE", listing(6, ago(-11*time.Minute)))
		g.says("GUILD_CREATE", listing(7, `"yesterday"`))
		g.says("GUILD_CREATE", listing(8, `null`))
		g.says("GUILD_CREATE", `{"id":"9","unavailable":true,"joined_at":`+ago(0)+`}`)
		g.says("GUILD_CREATE", `{"id":"10","joined_at":`+ago(0)+`,"system_channel_id":null}`)
	})
	came := func(id int) string { return fmt.Sprintf("came to %d, notices 5, de", id) }
	want := []string{"present [1] of shards [0]", "present [2 3] of shards [1]", came(2), "joined 4", came(4),
		"joined 5", came(5), "joined 6", "joined 7", "joined 8", "joined 10", "came to 10, notices 0, "}
	if !slices.Equal(told, want) {
		t.Errorf("told %q,\nwant %q", told, want)
	}
}

// What the relay leaves of a long listing is enough to tell an arrival by.
func TestArrivalRelayed(t *testing.T) {
	p, err := readPacket([]byte(`{"t":"GUILD_CREATE","s":1,"op":0,"d":{"id":"4","joined_at":"2026-03-01T12:00:00.5+00:00",` +
		`"system_channel_id":"5","preferred_locale":"de","members":[{"joined_at":"2020-01-01T00:00:00+00:00"}]}}`))
	testkit.Must(t, err)
	d := newFake(t, &fakeAPI{})
	d.now = func() time.Time { return testkit.At("2026-03-01 12:01") }
	h := &roll{free: make(chan struct{})}
	close(h.free)
	d.handler = h
	d.arrived(p.Data)
	d.news.add(nil)
	d.tell()
	testkit.Want(t, "told", strings.Join(h.told, ", "), "came to 4, notices 5, de")
}

// What Discord posts is an interaction or an event.
func TestAsEvent(t *testing.T) {
	for body, want := range map[string]string{
		`{"version":1,"application_id":"1","type":0}`:                                                                 "ping",
		`{"version":1,"type":1,"event":{"type":"ENTITLEMENT_CREATE","data":{"id":"1"}}}`:                              "ENTITLEMENT_CREATE 0",
		`{"type":1,"event":{"type":"APPLICATION_AUTHORIZED","data":{"integration_type":1,"user":{"id":"3"}}}}`:        "APPLICATION_AUTHORIZED 0",
		`{"type":1,"event":{"type":"APPLICATION_AUTHORIZED","data":{"guild":{"id":"7","name":"token","icon":null}}}}`: "APPLICATION_AUTHORIZED 7",
		`{"type":1,"event":{"type":"APPLICATION_AUTHORIZED"}}`:                                                        "APPLICATION_AUTHORIZED 0",
		`{"id":"2","application_id":"1","type":1,"token":"x"}`:                                                        "none",
		string(interaction(2, 2)): "none",
		`{"type":1}`:              "none",
		`{"type":0,"event":{}}`:   "none",
		`{"event":{}}`:            "none",
		`[]`:                      "none",
		``:                        "none",
	} {
		got := "none"
		switch e, ok := asEvent([]byte(body)); {
		case ok && e == nil:
			got = "ping"
		case ok:
			got = fmt.Sprint(e.Type, " ", e.Data.Server.ID)
		}
		testkit.Want(t, body, got, want)
	}
}

// Over HTTP Discord tells of a server that has authorized the application, and tells so again when it does that once
// more. The handler is told where the bot has just come.
func TestArrivalOverHTTP(t *testing.T) {
	t.Parallel()
	for name, later := range map[string]time.Duration{"new": 0, "long known": 20 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := standin.New(t, standin.Options{Lenient: true})
			s.AddGuild("Other", false, "there")
			s.SystemChannel("Other#there")
			l := testkit.Got(net.Listen("tcp", "127.0.0.1:0"))
			d := adapterOf(s, Options{Endpoint: &EndpointOptions{Listener: l}})
			d.now = func() time.Time { return time.Now().Add(later) }
			e := &echo{d: d}
			end := runs(t, d, e)
			url := "http://" + l.Addr().String() + DefaultPath
			testkit.Eventually(t, "the endpoint", func() bool { return s.SetEvents(url) == nil })
			s.InviteBot("Other")
			testkit.Eventually(t, "news of the server", func() bool { return strings.Contains(e.all(), "joined") })
			testkit.Check(t, end())
			if strings.Contains(e.all(), "came") != (later == 0) {
				t.Errorf("told %q", e.all())
			}
		})
	}
}

// An event that comes before its server has the bot is no reason to welcome nobody. A server that has taken the
// commands alone is not asked about.
func TestArrivalAhead(t *testing.T) {
	for name, c := range map[string]struct {
		scopes        string
		lacks         int // answers without the member
		asked, joined int
	}{
		"at once":            {`["bot","applications.commands"]`, 0, 1, 1},
		"a moment later":     {`["bot","applications.commands"]`, 2, 3, 1},
		"not at all":         {`["bot","applications.commands"]`, 9, 3, 0},
		"the commands alone": {`["applications.commands"]`, 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				lacks, asked := c.lacks, 0
				d := newFake(t, &fakeAPI{answer: func(int, *http.Request, string) (*http.Response, error) {
					asked++
					if lacks--; lacks >= 0 {
						return say(404, `{"code":10007,"message":"Unknown Member"}`), nil
					}
					return say(200, `{"joined_at":"`+flakeTime(0).Format(time.RFC3339)+`"}`), nil
				}})
				h := &roll{free: make(chan struct{})}
				close(h.free)
				d.handler = h
				e, ok := asEvent([]byte(`{"type":1,"event":{"type":"APPLICATION_AUTHORIZED","data":{"scopes":` + c.scopes +
					`,"guild":{"id":"7","system_channel_id":"5"}}}}`))
				if !ok {
					t.Fatal("no event")
				}
				testkit.Must(t, d.hearEvent(e))
				d.work.Wait()
				d.news.add(nil)
				d.tell()
				testkit.Want(t, "questions", asked, c.asked)
				testkit.Want(t, "news", len(h.told), 2*c.joined)
			})
		})
	}
}
