package standin_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tengen/bot/standin"
	"tengen/internal/testkit"
)

// TestCommandTable: a command that is written again keeps its id, globally and for a server; a server's own
// command hides the global one.
func TestCommandTable(t *testing.T) {
	t.Parallel()
	s := standin.New(t, standin.Options{Lenient: true})
	b := raw(t, s)
	app := "/applications/" + s.AppID()
	guild := unjson[[]struct{ ID string }](t, b.get("/users/@me/guilds").body)[0].ID
	for _, at := range []string{app + "/commands", app + "/guilds/" + guild + "/commands"} {
		b.put(at, `[{"name":"go","description":"Go"}]`).want(200)
		first := unjson[[]standin.Command](t, b.get(at).want(200).body)[0]
		b.put(at, `[{"name":"go","description":"Go on"}]`).want(200)
		if now := unjson[[]standin.Command](t, b.get(at).body); len(now) != 1 || now[0].ID != first.ID {
			t.Errorf("an overwritten command has another id: %+v", now)
		}
	}
	b.put(app+"/commands",
		`[{"name":"go","description":"the global one"},{"name":"other","description":"x"}]`).want(200)
	var seen []string
	for _, c := range s.Member("ann").Commands("#gomoku") {
		seen = append(seen, c.Name+": "+c.Description)
	}
	testkit.Want(t, "ann can use", strings.Join(seen, ", "), "go: Go on, other: x")
	testkit.Want(t, "global commands", len(s.Commands("")), 2)
	testkit.Want(t, "commands of the server", len(s.Commands("Club")), 1)
}

// TestCreatesADay: 200 new commands a day and scope.
func TestCreatesADay(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	b := raw(t, s)
	for i := range 3 {
		code := 0
		if i == 2 {
			code = 30034
		}
		a := b.put("/applications/"+s.AppID()+"/commands",
			`[`+many(80, fmt.Sprintf(`{"name":"c%d-#","description":"x"}`, i))+`]`)
		if a.Code != code {
			t.Errorf("table %d: %.100s", i, a.body)
		}
	}
	s.Advance(25 * time.Hour)
	b.commands(`[{"name":"new","description":"x"}]`)
}

// TestEntryPoint: the entry point of an Activity cannot be left out of a table; a server has none, and an
// application without an Activity neither.
func TestEntryPoint(t *testing.T) {
	t.Parallel()
	s := standin.New(t, standin.Options{Activity: true, Lenient: true})
	b := raw(t, s)
	at := "/applications/" + s.AppID() + "/commands"
	guild := unjson[[]struct{ ID string }](t, b.get("/users/@me/guilds").body)[0].ID
	launch := unjson[[]standin.Command](t, b.get(at).want(200).body)[0]
	if launch.Type != 4 || launch.Handler != 2 || launch.Name != "Launch" {
		t.Errorf("%+v", launch)
	}
	entry := `{"type":4,"name":"Launch","description":"","handler":1}`
	b.put(at, `[{"name":"go","description":"Go"}]`).want(400, 50240)
	b.put(at, `[]`).want(400, 50240)
	b.put(at, `[{"name":"go","description":"Go"},`+entry+`]`).want(200)
	b.put(at, `[{"name":"go","description":"Go","handler":1},`+entry+`]`).want(400, 50035)
	b.put(at, `[`+entry+`,`+strings.Replace(entry, "Launch", "Other", 1)+`]`).want(400, 50035)
	b.put("/applications/"+s.AppID()+"/guilds/"+guild+"/commands", `[`+entry+`]`).want(400, 50035)

	plain := raw(t, standin.New(t, standin.Options{Lenient: true}))
	plain.put("/applications/"+plain.s.AppID()+"/commands", `[`+entry+`]`).want(400, 50035)
}
