package discord

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tengen/bot/chat"
)

func smallTable() []chat.Command {
	return []chat.Command{
		{Name: "play", About: "Start a game", Alone: true, Subs: []chat.Command{
			{Name: "bot", About: "Play against me", Options: []chat.OptionSpec{
				{Name: "game", About: "Which game", Type: chat.TextOption, Required: true, Choices: []chat.Choice{{Label: "Renju", Value: "renju"}}},
				{Name: "level", About: "How strong", Type: chat.NumberOption, Min: 1, Max: 8},
				{Name: "time", About: "Minutes", Type: chat.NumberOption, Choices: []chat.Choice{{Label: "five", Value: "5"}}},
			}},
		}},
		{Name: "move", About: "Play a point", Options: []chat.OptionSpec{
			{Name: "at", About: "The point", Type: chat.TextOption, Required: true, Complete: true, Max: 20},
			{Name: "file", About: "A file", Type: chat.FileOption},
		}},
		{Name: "settings", About: "Settings", Manager: true, Subs: []chat.Command{{Name: "server", About: "Of the server"}}},
		{Name: "Challenge", Menu: chat.UserMenu},
		{Name: "Load this record", Menu: chat.MessageMenu, Alone: true},
	}
}

func TestCommandBodies(t *testing.T) {
	words := func(key, locale string) string {
		return map[string]string{"command.play zh-CN": "对局", "command.play.bot.about zh-CN": "和我下棋", "command.play.bot.game.renju zh-CN": "连珠"}[key+" "+locale]
	}
	got, err := CommandBodies(smallTable(), words, []string{"zh-CN"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"name":"play","name_localizations":{"zh-CN":"对局"},"description":"Start a game"`,
		`"contexts":[0,1,2],"integration_types":[0,1]`,
		`"description_localizations":{"zh-CN":"和我下棋"}`,
		`"choices":[{"name":"Renju","name_localizations":{"zh-CN":"连珠"},"value":"renju"}]`,
		`"choices":[{"name":"five","value":5}]`,
		`"min_value":1,"max_value":8`, `"min_length":0,"max_length":20`, `"autocomplete":true`,
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
		if o.About == "" {
			o.About = "x"
		}
		return []chat.Command{{Name: "a", About: "b", Options: []chat.OptionSpec{o}}}
	}
	var long []chat.Command
	for i := range 26 {
		long = append(long, chat.Command{Name: fmt.Sprint("x", i), About: "x"})
	}
	tests := []struct {
		name  string
		table []chat.Command
	}{
		{"capitals", []chat.Command{{Name: "Play", About: "x"}}},
		{"a space", []chat.Command{{Name: "play it", About: "x"}}},
		{"no description", []chat.Command{{Name: "play"}}},
		{"a long name", []chat.Command{{Name: strings.Repeat("x", 33), About: "x"}}},
		{"twice", []chat.Command{{Name: "a", About: "x"}, {Name: "a", About: "x"}}},
		{"required after optional", []chat.Command{{Name: "a", About: "x", Options: []chat.OptionSpec{
			{Name: "a", About: "x", Type: chat.TextOption}, {Name: "b", About: "x", Type: chat.TextOption, Required: true}}}}},
		{"choices and autocomplete", option(chat.OptionSpec{Type: chat.TextOption, Complete: true, Choices: []chat.Choice{{Label: "a", Value: "a"}}})},
		{"a choice that is no number", option(chat.OptionSpec{Type: chat.NumberOption, Choices: []chat.Choice{{Label: "a", Value: "a"}}})},
		{"no type", option(chat.OptionSpec{})},
		{"26 subcommands", []chat.Command{{Name: "a", About: "x", Subs: long}}},
		{"a long description", option(chat.OptionSpec{Type: chat.TextOption, About: strings.Repeat("x", 101)})},
	}
	for _, test := range tests {
		if _, err := CommandBodies(test.table, nil, nil); err == nil {
			t.Errorf("%s: accepted", test.name)
		}
	}
}

// Discord's answer for a command that is registered as it should be, with everything that Discord adds,
// has the same fingerprint as the command.
func TestFingerprint(t *testing.T) {
	bodies, err := commandBodies(smallTable(), nil, nil, true)
	if err != nil {
		t.Fatal(err)
	}
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
	if err := json.Unmarshal(text, &registered); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(fingerprint(registered), fingerprint(bodies)) {
		t.Errorf("different:\n%s\n%s", fingerprint(registered), fingerprint(bodies))
	}
	bodies[0].About += "!"
	if bytes.Equal(fingerprint(registered), fingerprint(bodies)) {
		t.Error("a change is not seen")
	}
}
