package discord

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tengen/bot/chat"
	"tengen/game/venue"
	"tengen/internal/testkit"
)

func inNone(uint64, bool) bool { return false }

// in17 is a bot that is in server 17 only.
func in17(s uint64, _ bool) bool { return s == 17 }

func TestDecode(t *testing.T) {
	// 2024-01-01 00:00:00 UTC as a snowflake.
	const id = "1191168000000000000"
	at := flakeTime(1191168000000000000)
	tests := []struct {
		name, raw string
		want      chat.Request
	}{
		{"slash command with a subcommand and options of all types", `{
			"id":"` + id + `","token":"tok","type":2,"guild_id":"17","channel_id":"18","channel":{"id":"18","type":0},
			"locale":"zh-CN","guild_locale":"en-US","app_permissions":"52224","context":0,
			"authorizing_integration_owners":{"0":"17"},
			"member":{"user":{"id":"7"},"permissions":"8192","roles":["21","22",null,{}]},
			"data":{"id":"1","name":"play","type":1,"options":[{"name":"member","type":1,"options":[
				{"name":"opponent","type":6,"value":"9"},{"name":"note","type":3,"value":"hi"},
				{"name":"level","type":4,"value":5},{"name":"rated","type":5,"value":true},
				{"name":"file","type":11,"value":"40"}]}],
			"resolved":{"users":{"9":{"id":"9","bot":true}},"attachments":{"40":{"filename":"a.sgf","url":"https://cdn.discordapp.com/a.sgf","size":12}}}}}`,
			chat.Request{ID: 1191168000000000000, Token: "tok", Kind: chat.Slash, At: at, Name: "play member", By: 7,
				Place: venue.Place{Server: 17, Channel: 18}, Locale: "zh-CN", ServerLocale: "en-US", Installed: true,
				Manages: true, Roles: []uint64{21, 22, 0, 0},
				Allowed: chat.Permissions{View: true, Send: true, Attach: true, Embed: true},
				Options: map[string]chat.Option{
					"opponent": {Text: "9", Number: 9, Member: chat.MemberTarget{ID: 9, Bot: true}},
					"note":     {Text: "hi"}, "level": {Text: "5", Number: 5}, "rated": {Text: "true", Yes: true},
					"file": {Text: "40", Number: 40, File: chat.FileTarget{Name: "a.sgf", URL: "https://cdn.discordapp.com/a.sgf", Size: 12}},
				}}},
		{"direct message: a user and no member", `{"id":"5","token":"t","type":2,"channel_id":"18","context":1,
			"authorizing_integration_owners":{"1":"7"},"user":{"id":"7"},"data":{"name":"ping","type":1}}`,
			chat.Request{ID: 5, Token: "t", Kind: chat.Slash, At: flakeTime(5), Name: "ping", By: 7,
				Place: venue.Place{Server: 0, Channel: 18}, Direct: true, Alone: true,
				Allowed: chat.Permissions{External: true}, Launches: true, Options: map[string]chat.Option{}}},
		{"direct message with the bot of a shared server", `{"id":"5","token":"t","type":2,"channel_id":"18","context":1,
			"authorizing_integration_owners":{"0":"0","1":"7"},"user":{"id":"7"},"data":{"name":"ping","type":1}}`,
			chat.Request{ID: 5, Token: "t", Kind: chat.Slash, At: flakeTime(5), Name: "ping", By: 7,
				Place: venue.Place{Server: 0, Channel: 18}, Direct: true, Alone: true,
				Installed: true, Allowed: chat.Permissions{External: true}, Launches: true, Options: map[string]chat.Option{}}},
		{"user install in a server without the bot, in a thread", `{"id":"5","token":"t","type":3,"guild_id":"99","channel_id":"18",
			"channel":{"type":11},"member":{"user":{"id":"7"},"permissions":"1125899906842624"},
			"message":{"id":"33","flags":64,"components":[{"type":99,"nobody":"knows"}]},
			"data":{"custom_id":"m:1","component_type":2}}`,
			chat.Request{ID: 5, Token: "t", Kind: chat.Press, At: flakeTime(5), Custom: "m:1", By: 7,
				Place: venue.Place{Server: 99, Channel: 18}, Thread: true,
				Allowed: chat.Permissions{External: true}, Message: 33, Private: true}},
		{"select", `{"id":"5","token":"t","type":3,"guild_id":"17","channel_id":"18","member":{"user":{"id":"7"}},
			"message":{"id":"33"},"data":{"custom_id":"s:1","component_type":3,"values":["a","b"]}}`,
			chat.Request{ID: 5, Token: "t", Kind: chat.Choose, At: flakeTime(5), Custom: "s:1", By: 7,
				Place: venue.Place{Server: 17, Channel: 18}, Installed: true, Values: []string{"a", "b"}, Message: 33}},
		{"member from a select", `{"id":"5","token":"t","application_id":"8","type":3,"guild_id":"17","channel_id":"18","member":{"user":{"id":"7"}},
			"message":{"id":"33"},"data":{"custom_id":"s:1","component_type":5,"values":["9"],"resolved":{"users":{"9":{"id":"9","bot":true}}}}}`,
			chat.Request{ID: 5, Token: "t", Kind: chat.Choose, At: flakeTime(5), Custom: "s:1", By: 7,
				Place: venue.Place{Server: 17, Channel: 18}, Installed: true,
				Values: []string{"9"}, Message: 33, Target: chat.MemberTarget{ID: 9, Bot: true}}},
		{"form of rows", `{"id":"5","token":"t","type":5,"guild_id":"17","channel_id":"18","member":{"user":{"id":"7"}},
			"data":{"custom_id":"f","components":[{"type":1,"components":[{"type":4,"custom_id":"a","value":"1"}]},{"type":77}]}}`,
			chat.Request{ID: 5, Token: "t", Kind: chat.Submit, At: flakeTime(5), Custom: "f", By: 7,
				Place: venue.Place{Server: 17, Channel: 18}, Installed: true,
				Options: map[string]chat.Option{"a": {Text: "1", Number: 1}}}},
		{"form of labels", `{"id":"5","token":"t","application_id":"8","type":5,"guild_id":"17","channel_id":"18","member":{"user":{"id":"7"}},
			"data":{"custom_id":"f","components":[{"type":10,"id":1},
				{"type":18,"component":{"type":4,"custom_id":"text","value":"h8"}},{"type":18,"component":{"type":4,"custom_id":"empty","value":""}},
				{"type":18,"component":{"type":3,"custom_id":"game","values":["renju"]}},{"type":18,"component":{"type":3,"custom_id":"level","values":[]}},
				{"type":18,"component":{"type":21,"custom_id":"opening","value":"free"}},{"type":18,"component":{"type":21,"custom_id":"none","value":null}},
				{"type":18,"component":{"type":5,"custom_id":"other","values":["9"]}},{"type":18,"component":{"type":5,"custom_id":"us","values":["8"]}},
				{"type":18,"component":{"type":19,"custom_id":"file","values":["40"]}},{"type":18,"component":{"type":19,"custom_id":"lost","values":["41"]}}],
			"resolved":{"users":{"9":{"id":"9"},"8":{"id":"8","bot":true}},"attachments":{"40":{"filename":"a.sgf","url":"https://cdn.discordapp.com/a.sgf","size":12}}}}}`,
			chat.Request{ID: 5, Token: "t", Kind: chat.Submit, At: flakeTime(5), Custom: "f", By: 7,
				Place: venue.Place{Server: 17, Channel: 18}, Installed: true,
				Options: map[string]chat.Option{"text": {Text: "h8"}, "game": {Text: "renju"}, "opening": {Text: "free"},
					"other": {Text: "9", Number: 9, Member: chat.MemberTarget{ID: 9}},
					"us":    {Text: "8", Number: 8, Member: chat.MemberTarget{ID: 8, Bot: true, Own: true}},
					"file":  {Text: "40", Number: 40, File: chat.FileTarget{Name: "a.sgf", URL: "https://cdn.discordapp.com/a.sgf", Size: 12}},
					"lost":  {Text: "41", Number: 41}}}},
		{"typing in an option", `{"id":"5","token":"t","type":4,"guild_id":"17","channel_id":"18","member":{"user":{"id":"7"}},
			"data":{"name":"move","type":1,"options":[{"name":"at","type":3,"value":"H","focused":true}]}}`,
			chat.Request{ID: 5, Token: "t", Kind: chat.Complete, At: flakeTime(5), Name: "move", By: 7,
				Place: venue.Place{Server: 17, Channel: 18}, Installed: true,
				Options: map[string]chat.Option{"at": {Text: "H"}}, Focused: "at"}},
		{"context menu on a member", `{"id":"5","token":"t","type":2,"guild_id":"17","channel_id":"18","member":{"user":{"id":"7"}},
			"data":{"name":"Challenge","type":2,"target_id":"9","resolved":{"users":{"9":{"id":"9"}}}}}`,
			chat.Request{ID: 5, Token: "t", Kind: chat.UserMenu, At: flakeTime(5), Name: "Challenge", By: 7,
				Place: venue.Place{Server: 17, Channel: 18}, Installed: true,
				Options: map[string]chat.Option{}, Target: chat.MemberTarget{ID: 9}}},
		{"context menu on a message, classic and with components", `{"id":"5","token":"t","type":2,"guild_id":"17","channel_id":"18","member":{"user":{"id":"7"}},
			"data":{"name":"Load","type":3,"target_id":"55","resolved":{"messages":{"55":{"id":"55","content":"(;FF[4])",
			"components":[{"type":17,"components":[{"type":10,"content":"H8"}]}],
			"attachments":[{"filename":"g.sgf","url":"https://x/g.sgf","size":3},7]}}}}}`,
			chat.Request{ID: 5, Token: "t", Kind: chat.MessageMenu, At: flakeTime(5), Name: "Load", By: 7,
				Place: venue.Place{Server: 17, Channel: 18}, Installed: true,
				Options: map[string]chat.Option{}, Message: 55,
				Loaded: chat.LoadedText{Text: "(;FF[4])\nH8",
					Files: []chat.FileTarget{{Name: "g.sgf", URL: "https://x/g.sgf", Size: 3}}}}},
		{"nearly everything of a wrong type", `{"id":"5","token":"t","type":2,"guild_id":17,"channel_id":[],"member":"me","user":3,
			"locale":9,"message":true,"app_permissions":{},"channel":"x","context":"y","authorizing_integration_owners":[],
			"data":{"name":"ping","type":1,"options":{"a":1},"resolved":[]}}`,
			chat.Request{ID: 5, Token: "t", Kind: chat.Slash, At: flakeTime(5), Name: "ping",
				Place: venue.Place{Server: 17, Channel: 0}, Installed: true, Options: map[string]chat.Option{}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, testkit.Got(decode([]byte(test.raw), in17)).Request); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDecodeWithoutTicket(t *testing.T) {
	for _, raw := range []string{``, `null`, `{}`, `[]`, `{"id":"1"}`, `{"token":"x"}`, `{"id":"x","token":"x"}`} {
		if _, err := decode([]byte(raw), inNone); !errors.Is(err, errNoTicket) {
			t.Errorf("%s: %v", raw, err)
		}
	}
	if d, err := decode([]byte(`{"id":"1","token":"x","type":9}`), inNone); err == nil || d.ID != 1 {
		t.Errorf("unknown type: %v %v", d.ID, err)
	}
}

func TestFlakeTime(t *testing.T) {
	want := time.Date(2016, 4, 30, 11, 18, 25, 796e6, time.UTC) // the example in Discord's documentation
	if got := flakeTime(175928847299117063); !got.Equal(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// FuzzDecode checks that no input makes decoding panic, and that an interaction with an id and
// a token can be answered.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"id":"5","token":"t","type":2,"data":{"name":"play","options":[{"name":"bot","type":1,"options":[{"name":"level","type":4,"value":"x"}]}]}}`))
	f.Add([]byte(`{"id":"5","token":"t","type":5,"data":{"custom_id":"f","components":[{"component":{"component":[]}}]}}`))
	f.Add([]byte(`{"id":"5","token":"t","type":5,"data":{"custom_id":"f","components":[{"type":18,"component":{"type":5,"custom_id":"a","values":[1,"2"]}},{"component":{"type":21,"custom_id":"b","value":true}}]}}`))
	f.Add([]byte(`{"id":"5","token":"t","type":3,"message":{"id":"1"},"data":{"custom_id":"f","component_type":3,"values":[1,"2"]}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, err := decode(raw, in17)
		if err == nil && (d.ID == 0 || d.Token == "" || d.Kind == 0) {
			t.Fatalf("no ticket and no error: %+v", d)
		}
		if err == nil && strings.Count(d.Name, " ") > 2 && !strings.Contains(string(raw), " ") {
			var anything any
			json.Unmarshal(raw, &anything)
			t.Logf("%v", anything)
		}
	})
}
