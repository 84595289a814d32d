package discord

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"tengen/bot/chat"
	"tengen/bot/standin"
	"tengen/bot/standin/schema"
	"tengen/internal/testkit"
)

func smallTable() []chat.Command {
	return []chat.Command{
		{Name: "play", Alone: true, Options: []chat.OptionSpec{
			{Name: "game", Type: chat.TextOption, Required: true, Of: "which",
				Choices: []chat.Choice{{Label: "Renju", Value: "renju", Detail: "rules.renju"}}},
			{Name: "level", Type: chat.NumberOption, Min: 1, Max: 8},
			{Name: "time", Type: chat.NumberOption, Choices: []chat.Choice{{Label: "five", Value: "5"}}},
		}},
		{Name: "move", Options: []chat.OptionSpec{
			{Name: "at", Type: chat.TextOption, Required: true, Complete: true, Max: 20},
			{Name: "file", Type: chat.FileOption},
		}},
		{Name: "settings", Manager: true},
		{Name: "Challenge", Menu: chat.UserMenu},
		{Name: "Load this record", Menu: chat.MessageMenu, Alone: true},
	}
}

// about has a description for all but what is called "bare", and one that is too long for what is "long".
func about(key, locale string) string {
	name, about := strings.CutSuffix(key, ".about")
	switch {
	case locale != "en" || !about || strings.HasSuffix(name, ".bare"):
		return ""
	case strings.HasSuffix(name, ".long"):
		return strings.Repeat("x", 101)
	}
	return "About it"
}

func TestCommandBodies(t *testing.T) {
	words := func(key, locale string) string {
		return cmp.Or(map[string]string{"command.play zh-CN": "对局", "command.play.about zh-CN": "和我下棋",
			"command.play.about en": "Start a game", "option.game.which zh-CN": "哪一局",
			"rules.renju zh-CN": "连珠"}[key+" "+locale], about(key, locale))
	}
	got := testkit.Got(CommandBodies(smallTable(), words, []string{"zh-CN"}))
	for _, want := range []string{
		`"name":"play","name_localizations":{"zh-CN":"对局"},"description":"Start a game"`,
		`"contexts":[0,1,2],"integration_types":[0,1]`,
		`"description_localizations":{"zh-CN":"和我下棋"}`, `"name":"game","name_localizations":{"zh-CN":"哪一局"}`,
		`"choices":[{"name":"Renju","name_localizations":{"zh-CN":"连珠"},"value":"renju"}]`,
		`"choices":[{"name":"five","value":5}]`,
		`"min_value":1,"max_value":8`, `"max_length":20`, `"autocomplete":true`,
		`"default_member_permissions":"32"`, `{"type":2,"name":"Challenge","description":""`,
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

func TestCommandBodiesRefused(t *testing.T) {
	option := func(o chat.OptionSpec) []chat.Command {
		if o.Name == "" {
			o.Name = "x"
		}
		return []chat.Command{{Name: "a", Options: []chat.OptionSpec{o}}}
	}
	var long []chat.OptionSpec
	for i := range 26 {
		long = append(long, chat.OptionSpec{Name: fmt.Sprint("x", i), Type: chat.YesOption})
	}
	tests := []struct {
		name  string
		table []chat.Command
	}{
		{"capitals", []chat.Command{{Name: "Play"}}},
		{"a space", []chat.Command{{Name: "play it"}}},
		{"no description", []chat.Command{{Name: "bare"}}},
		{"a long name", []chat.Command{{Name: strings.Repeat("x", 33)}}},
		{"twice", []chat.Command{{Name: "a"}, {Name: "a"}}},
		{"required after optional", []chat.Command{{Name: "a", Options: []chat.OptionSpec{
			{Name: "a", Type: chat.TextOption}, {Name: "b", Type: chat.TextOption, Required: true}}}}},
		{"choices and autocomplete", option(chat.OptionSpec{Type: chat.TextOption, Complete: true, Choices: []chat.Choice{{Label: "a", Value: "a"}}})},
		{"a choice that is no number", option(chat.OptionSpec{Type: chat.NumberOption, Choices: []chat.Choice{{Label: "a", Value: "a"}}})},
		{"no type", option(chat.OptionSpec{})},
		{"26 options", []chat.Command{{Name: "a", Options: long}}},
		{"a long description", option(chat.OptionSpec{Name: "long", Type: chat.TextOption})},
	}
	for _, test := range tests {
		if _, err := CommandBodies(test.table, about, nil); err == nil {
			t.Errorf("%s: accepted", test.name)
		}
	}
}

// Discord's answer for a command that is registered as it should be, with everything that
// Discord adds, has the same fingerprint as the command.
func TestFingerprint(t *testing.T) {
	bodies := testkit.Got(commandBodies(smallTable(), about, nil, places{true, true, true}))
	text, _ := json.Marshal(bodies)
	var list []map[string]any
	json.Unmarshal(text, &list)
	for i, c := range list {
		c["id"], c["application_id"], c["version"], c["nsfw"] = "1", "2", "3", false
		c["name_localizations"] = nil
		if c["default_member_permissions"] == nil {
			c["default_member_permissions"] = nil
		}
		if c["options"] == nil {
			c["options"] = []any{}
		}
		list[i] = c
	}
	list[0], list[3] = list[3], list[0]
	text, _ = json.Marshal(list)
	var registered []commandBody
	testkit.Must(t, json.Unmarshal(text, &registered))
	if !bytes.Equal(fingerprint(registered), fingerprint(bodies)) {
		t.Errorf("different:\n%s\n%s", fingerprint(registered), fingerprint(bodies))
	}
	bodies[0].About += "!"
	if bytes.Equal(fingerprint(registered), fingerprint(bodies)) {
		t.Error("a change is not seen")
	}
}

// What is sent depends on where the application can be installed. Discord refuses a list that names
// another kind of installation, and one without the entry point of the application's Activity.
func TestRegisteredWhereInstalled(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		o    standin.Options
		want string // command: kinds of installation, contexts
	}{
		{"servers and members", standin.Options{}, "Challenge [0] [0], Load this record [0 1] [0 1 2], move [0] [0], play [0 1] [0 1 2], settings [0] [0]"},
		{"servers alone", standin.Options{NoUserInstall: true}, "Challenge [0] [0], Load this record [0] [0 1], move [0] [0], play [0] [0 1], settings [0] [0]"},
		{"members alone", standin.Options{NoGuildInstall: true}, "Load this record [1] [0 1 2], play [1] [0 1 2]"},
		{"with an Activity", standin.Options{Activity: true}, "Challenge [0] [0], Launch [0 1] [0 1 2], Load this record [0 1] [0 1 2], move [0] [0], play [0 1] [0 1 2], settings [0] [0]"},
		{"with an Activity, servers alone", standin.Options{Activity: true, NoUserInstall: true}, "Challenge [0] [0], Launch [0] [0 1 2], Load this record [0] [0 1], move [0] [0], play [0] [0 1], settings [0] [0]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.o.Checker = schema.Shared(t)
			s := standin.New(t, test.o)
			d := adapterOf(s, Options{})
			registered := func() string {
				var all []string
				for _, c := range s.Commands("") {
					all = append(all, fmt.Sprint(c.Name, " ", c.IntegrationTypes, " ", c.Contexts))
				}
				slices.Sort(all)
				return strings.Join(all, ", ")
			}
			for i, want := range []bool{true, false} {
				if wrote, err := d.Register(t.Context(), smallTable(), about, nil, 0); err != nil || wrote != want {
					t.Errorf("start %d: wrote %v, %v", i, wrote, err)
				}
			}
			if got := registered(); got != test.want {
				t.Errorf("registered are\n%s, want\n%s", got, test.want)
			}
			for _, c := range s.Commands("") {
				if c.Name == "Launch" && (c.Handler != 2 || c.Names["de"] != "Starten") {
					t.Errorf("the entry point has become %+v", c)
				}
			}
			for i, want := range []bool{true, false} { // --unregister
				if wrote, err := d.Register(t.Context(), nil, about, nil, 0); err != nil || wrote != want {
					t.Errorf("end %d: wrote %v, %v", i, wrote, err)
				}
			}
			testkit.Want(t, "commands are left", len(s.Commands("")), map[bool]int{true: 1, false: 0}[test.o.Activity])
			club := testkit.Got(d.listServers(t.Context()))
			for i, want := range []bool{true, false} {
				if wrote, err := d.Register(t.Context(), smallTable(), about, nil, club[0]); err != nil || wrote != want {
					t.Errorf("in one server, start %d: wrote %v, %v", i, wrote, err)
				}
			}
		})
	}
}

// An application about whose installation Discord says nothing can be installed to servers.
func TestApplicationOfOld(t *testing.T) {
	for body, want := range map[string]string{
		`{"id":"5"}`: "true false", `{"id":"5","integration_types_config":null}`: "true false",
		`{"id":"5","integration_types_config":{"1":{}}}`:        "false true",
		`{"id":"5","integration_types_config":{"0":{},"1":{}}}`: "true true",
	} {
		f := &fakeAPI{answer: func(int, *http.Request, string) (*http.Response, error) { return say(200, body), nil }}
		d := newFake(t, f)
		a, err := d.Application(t.Context())
		if got := fmt.Sprint(a.Server, a.User); err != nil || got != want {
			t.Errorf("%s: %s %v", body, got, err)
		}
		if (a.InviteServer() != "") != a.Server || (a.InviteMember() != "") != a.User {
			t.Errorf("%s: %q %q", body, a.InviteServer(), a.InviteMember())
		}
	}
}

// The channels that Discord offers are those in which members can play.
func TestChannelTypes(t *testing.T) {
	got, err := CommandBodies([]chat.Command{{Name: "a",
		Options: []chat.OptionSpec{{Name: "channel", Type: chat.ChannelOption}}}}, about, nil)
	if err != nil ||
		!strings.Contains(string(got), `"type":7,"name":"channel","description":"About it","channel_types":[0,2,5,13]`) {
		t.Errorf("%s %v", got, err)
	}
}

// An entry point from the time when the application could be installed by members too is sent
// for what is left of that.
func TestEntryPointOfBefore(t *testing.T) {
	put := ""
	f := &fakeAPI{answer: func(_ int, q *http.Request, body string) (*http.Response, error) {
		switch {
		case strings.HasSuffix(q.URL.Path, "/@me"):
			return say(200, `{"id":"4","integration_types_config":{"0":{}}}`), nil
		case q.Method == http.MethodPut:
			put = body
		}
		return say(200, `[{"id":"7","application_id":"4","version":"9","type":4,"name":"Launch","name_localizations":{"de":"Starten"},"description":"",
			"handler":2,"nsfw":true,"contexts":[0,1,2],"integration_types":[0,1],"default_member_permissions":"32"}]`), nil
	}}
	d := newFake(t, f)
	if wrote, err := d.Register(t.Context(), smallTable()[:1], about, nil, 0); err != nil || !wrote {
		t.Error(wrote, err)
	}
	want := `{"type":4,"name":"Launch","name_localizations":{"de":"Starten"},"description":"","default_member_permissions":"32",` +
		`"contexts":[0,1,2],"integration_types":[0],"id":"7","handler":2,"nsfw":true}]`
	if !strings.HasSuffix(put, want) {
		t.Errorf("sent %s, want at its end %s", put, want)
	}
}

// Default Install Settings must name the scope bot and all the permissions that the link asks for.
func TestApplicationBare(t *testing.T) {
	const needs = "309237697536"
	for _, test := range []struct {
		params string
		want   bool
	}{
		{`{"scopes":["applications.commands","bot"],"permissions":"` + needs + `"}`, false},
		{`{"scopes":["bot"],"permissions":"8"}`, false}, // an administrator may do everything
		{`{"scopes":["applications.commands"],"permissions":"` + needs + `"}`, true},
		{`{"scopes":["applications.commands","bot"],"permissions":"2048"}`, true},
		{`{"scopes":["applications.commands","bot"],"permissions":"0"}`, true},
		{`null`, false}, // nobody can add it from there
		{`"x"`, false},
	} {
		f := refusing(200, `{"id":"4","integration_types_config":{"0":{"oauth2_install_params":`+test.params+`}}}`)
		d := newFake(t, f)
		a, err := d.Application(t.Context())
		if err != nil || !a.Server || a.Bare != test.want {
			t.Errorf("%s: %+v %v", test.params, a, err)
		}
	}
}
