package standin_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tengen/bot/standin"
)

// TestCommandTable: one command made, changed, read and deleted, globally and
// for a server; a server's own command hides the global one.
func TestCommandTable(t *testing.T) {
	t.Parallel()
	s := standin.New(t, standin.Options{Lenient: true})
	b := raw(t, s)
	app := "/applications/" + s.AppID()
	guild := unjson[[]struct{ ID string }](t, b.call("GET", "/users/@me/guilds", "").body)[0].ID
	for _, at := range []string{app + "/commands", app + "/guilds/" + guild + "/commands"} {
		b.call("PUT", at, `[{"name":"go","description":"Go"}]`).want(t, 200, 0)
		first := unjson[[]standin.Command](t, b.call("GET", at, "").want(t, 200, 0).body)[0]
		made := b.call("POST", at, `{"name":"play","description":"Play","options":[{"type":3,"name":"a","description":"x"}]}`).want(t, 201, 0)
		b.call("POST", at, `{"name":"Play","description":"Play"}`).want(t, 400, 50035)
		again := b.call("POST", at, `{"name":"play","description":"Play again"}`).want(t, 201, 0)
		if made.ID != again.ID {
			t.Error("a command of the same name is another command")
		}
		changed := unjson[standin.Command](t,
			b.call("PATCH", at+"/"+made.ID, `{"description":"Better"}`).want(t, 200, 0).body)
		if changed.Description != "Better" || changed.Name != "play" {
			t.Errorf("%+v", changed)
		}
		b.call("PATCH", at+"/"+made.ID, `{"description":""}`).want(t, 400, 50035)
		b.call("GET", at+"/"+made.ID, "").want(t, 200, 0)
		b.call("DELETE", at+"/"+made.ID, "").want(t, 204, 0)
		b.call("GET", at+"/"+made.ID, "").want(t, 404, 10063)
		b.call("PUT", at, `[{"name":"go","description":"Go on"}]`).want(t, 200, 0)
		if now := unjson[[]standin.Command](t, b.call("GET", at, "").body); len(now) != 1 || now[0].ID != first.ID {
			t.Errorf("an overwritten command has another id: %+v", now)
		}
	}
	b.call("PUT", app+"/commands",
		`[{"name":"go","description":"the global one"},{"name":"other","description":"x"}]`).want(t, 200, 0)
	var seen []string
	for _, c := range s.Member("ann").Commands("#gomoku") {
		seen = append(seen, c.Name+": "+c.Description)
	}
	if got := strings.Join(seen, ", "); got != "go: Go on, other: x" {
		t.Errorf("ann can use %s", got)
	}
	if n := len(s.Commands("")); n != 2 {
		t.Errorf("%d global commands", n)
	}
	if n := len(s.Commands("Club")); n != 1 {
		t.Errorf("%d commands of the server", n)
	}
	b.call("POST", app+"/commands", `{"name":"m","type":2}`).want(t, 201, 0)
	for i := range 14 {
		b.call("POST", app+"/commands", fmt.Sprintf(`{"name":"m%d","type":2}`, i)).want(t, 201, 0)
	}
	b.call("POST", app+"/commands", `{"name":"one too many","type":2}`).want(t, 400, 30032)
}

// TestCreatesADay: 200 new commands a day and scope.
func TestCreatesADay(t *testing.T) {
	t.Parallel()
	s := standin.New(t, standin.Options{})
	b := raw(t, s)
	for i := range 3 {
		code := 0
		if i == 2 {
			code = 30034
		}
		a := b.call("PUT", "/applications/"+s.AppID()+"/commands",
			`[`+many(80, fmt.Sprintf(`{"name":"c%d-#","description":"x"}`, i))+`]`)
		if a.Code != code {
			t.Errorf("table %d: %.100s", i, a.body)
		}
	}
	s.Advance(25 * time.Hour)
	b.commands(`[{"name":"new","description":"x"}]`)
}

// TestEntryPoint: the entry point of an Activity cannot be left out of a table, but be deleted
// by itself; a server has none, and an application without an Activity neither.
func TestEntryPoint(t *testing.T) {
	t.Parallel()
	s := standin.New(t, standin.Options{Activity: true, Lenient: true})
	b := raw(t, s)
	at := "/applications/" + s.AppID() + "/commands"
	guild := unjson[[]struct{ ID string }](t, b.call("GET", "/users/@me/guilds", "").body)[0].ID
	launch := unjson[[]standin.Command](t, b.call("GET", at, "").want(t, 200, 0).body)[0]
	if launch.Type != 4 || launch.Handler != 2 || launch.Name != "Launch" {
		t.Errorf("%+v", launch)
	}
	entry := `{"type":4,"name":"Launch","description":"","handler":1}`
	b.call("PUT", at, `[{"name":"go","description":"Go"}]`).want(t, 400, 50240)
	b.call("PUT", at, `[]`).want(t, 400, 50240)
	b.call("PUT", at, `[{"name":"go","description":"Go"},`+entry+`]`).want(t, 200, 0)
	b.call("PUT", at, `[{"name":"go","description":"Go","handler":1},`+entry+`]`).want(t, 400, 50035)
	b.call("PUT", at, `[`+entry+`,`+strings.Replace(entry, "Launch", "Other", 1)+`]`).want(t, 400, 50035)
	b.call("PUT", "/applications/"+s.AppID()+"/guilds/"+guild+"/commands", `[`+entry+`]`).want(t, 400, 50035)
	b.call("DELETE", at+"/"+launch.ID, "").want(t, 204, 0)
	b.call("PUT", at, `[]`).want(t, 200, 0)

	plain := raw(t, standin.New(t, standin.Options{Lenient: true}))
	plain.call("PUT", "/applications/"+plain.s.AppID()+"/commands", `[`+entry+`]`).want(t, 400, 50035)
}
