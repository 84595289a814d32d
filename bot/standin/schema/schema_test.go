package schema

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"tengen/bot/standin"
	"tengen/internal/shared"
	"tengen/internal/testkit"
)

var _ standin.Checker = (*schema)(nil)

func many(n int, s string) string { return strings.TrimSuffix(strings.Repeat(s+",", n), ",") }

// TestBodies: bodies that Discord's description accepts, and what it says of
// those it refuses.
func TestBodies(t *testing.T) {
	const (
		commands = "PUT /applications/{application_id}/commands"
		callback = "POST /interactions/{interaction_id}/{interaction_token}/callback"
		message  = "POST /channels/{channel_id}/messages"
		original = "PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original"
	)
	s := Shared(t)
	if s == nil {
		t.Skip("no OpenAPI description beside the repository")
	}
	unpruned := asItStands(t)
	button := `{"type":2,"style":1,"label":"H8","custom_id":"a"}`
	modal := func(rows string) string {
		return `{"type":9,"data":{"custom_id":"m","title":"T","components":[` + rows + `]}}`
	}
	label := func(inner string) string { return `{"type":18,"label":"F","component":` + inner + `}` }
	for _, c := range []struct{ name, route, body, why string }{
		{"command", commands, `[{"name":"play","description":"Play","options":[{"type":3,"name":"game","description":"Which","required":true}]}]`, ""},
		{"permissions as a string", commands, `[{"name":"play","description":"Play","default_member_permissions":"8192"}]`, ""},
		{"classic reply", callback, `{"type":4,"data":{"content":"hello","embeds":null,"components":[{"type":1,"components":[` + button + `]}]}}`, ""},
		{"V2 reply", callback, `{"type":4,"data":{"flags":32768,"components":[{"type":17,"components":[{"type":10,"content":"hi"},{"type":12,"items":[{"media":{"url":"attachment://a.png"},"description":"a board"}]}]}]}}`, ""},
		{"autocomplete", callback, `{"type":8,"data":{"choices":[{"name":"H8","value":"h8"}]}}`, ""},
		{"deferred", callback, `{"type":5,"data":{"flags":64}}`, ""},
		{"modal", callback, `{"type":9,"data":{"custom_id":"m","title":"T","components":[{"type":1,"components":[{"type":4,"custom_id":"x","label":"Move","style":1}]}]}}`, ""},
		{"modal of labels", callback, modal(label(`{"type":3,"custom_id":"a","required":false,"min_values":0,"options":[{"label":"A","value":"a","default":true}]}`) + "," +
			label(`{"type":5,"custom_id":"b","default_values":[{"id":"1","type":"user"}]}`) + "," +
			label(`{"type":19,"custom_id":"c","required":false,"min_values":0}`) + "," +
			label(`{"type":21,"custom_id":"d","required":true,"options":[{"label":"A","value":"a"},{"label":"B","value":"b"}]}`)), ""},
		{"edit", original, `{"components":[],"attachments":[]}`, ""},
		{"no body there", "GET /gateway", `{}`, ""},
		{"unknown route", "POST /nothing", `{}`, ""},

		{"name of 33", commands, `[{"name":"` + strings.Repeat("a", 33) + `","description":"x"}]`, "/0/name: maxLength"},
		{"26 options", commands, `[{"name":"a","description":"x","options":[` + many(26, `{"type":3,"name":"a","description":"x"}`) + `]}]`, "/0/options: maxItems"},
		{"26 choices", commands, `[{"name":"a","description":"x","options":[{"type":3,"name":"a","description":"x","choices":[` + many(26, `{"name":"a","value":"b"}`) + `]}]}]`, "choices: maxItems"},
		{"long description", commands, `[{"name":"a","description":"` + strings.Repeat("x", 101) + `"}]`, "/0/description: maxLength"},
		{"option without description", commands, `[{"name":"a","description":"x","options":[{"type":3,"name":"a"}]}]`, "description"},
		{"unknown option type", commands, `[{"name":"a","description":"x","options":[{"type":99,"name":"a","description":"x"}]}]`, "/0/options/0"},
		{"content 2001", callback, `{"type":4,"data":{"content":"` + strings.Repeat("x", 2001) + `"}}`, "/data/content: maxLength"},
		{"11 embeds", message, `{"embeds":[` + many(11, `{"title":"x"}`) + `]}`, "/embeds: maxItems"},
		{"6 buttons", callback, `{"type":4,"data":{"components":[{"type":1,"components":[` + many(6, button) + `]}]}}`, "/data/components/0/components: maxItems"},
		{"custom_id 101", message, `{"components":[{"type":1,"components":[{"type":2,"style":1,"label":"x","custom_id":"` + strings.Repeat("x", 101) + `"}]}]}`, "/custom_id: maxLength"},
		{"title 46", callback, `{"type":9,"data":{"custom_id":"m","title":"` + strings.Repeat("x", 46) + `","components":[{"type":1,"components":[{"type":4,"custom_id":"x","label":"M","style":1}]}]}}`, "/data/title: maxLength"},
		{"label 46", callback, modal(`{"type":18,"label":"` + strings.Repeat("x", 46) + `","component":{"type":5,"custom_id":"a"}}`), "/label: maxLength"},
		{"button in a label", callback, modal(label(button)), "/data/components/0"},
		{"radio group of 1", callback, modal(label(`{"type":21,"custom_id":"d","options":[{"label":"A","value":"a"}]}`)), "/options: minItems"},
		{"11 files", callback, modal(label(`{"type":19,"custom_id":"d","max_values":11}`)), "/max_values: maximum"},
		{"callback 99", callback, `{"type":99}`, "at /"},
		{"41 components", message, `{"flags":32768,"components":[` + many(41, `{"type":10,"content":"x"}`) + `]}`, "/components: maxItems"},
		{"numeric attachment id", message, `{"attachments":[{"id":0,"filename":"a.png"}]}`, "/attachments/0/id"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !json.Valid([]byte(c.body)) {
				t.Fatal("the test's own body is not JSON")
			}
			method, route, _ := strings.Cut(c.route, " ")
			err := s.Check(method, route, []byte(c.body))
			if plain := unpruned.Check(method, route, []byte(c.body)); fmt.Sprint(plain) != fmt.Sprint(err) {
				t.Errorf("pruned, the description says %v, and as it stands %v", err, plain)
			}
			if c.why == "" && err != nil {
				t.Errorf("refused: %v", err)
			}
			if c.why != "" && (err == nil || !strings.Contains(err.Error(), c.why)) {
				t.Errorf("got %v, want %q", err, c.why)
			}
		})
	}
}

// asItStands is Discord's description, not pruned.
func asItStands(t *testing.T) *schema {
	t.Helper()
	file := filepath.Join(shared.Dir(t), "data", "discord", "openapi.json")
	s := testkit.Got(load(file, testkit.Got(read(file))))
	return s
}

func BenchmarkCheck(b *testing.B) {
	s := Shared(b)
	for b.Loop() {
		if s != nil {
			s.Check("POST", "/interactions/{interaction_id}/{interaction_token}/callback", []byte(`{"type":4,"data":{"flags":32768,"components":[{"type":17,"components":[{"type":10,"content":"hi"},{"type":12,"items":[{"media":{"url":"attachment://a.png"},"description":"a board"}]},`+
				many(4, `{"type":1,"components":[`+many(5, `{"type":2,"style":1,"label":"H8","custom_id":"a"}`)+`]}`)+`]}]}}`))
		}
	}
}

func TestLoadFails(t *testing.T) {
	if _, err := loadFile(fmt.Sprint(t.TempDir(), "/none.json")); err == nil {
		t.Error("a missing file was loaded")
	}
}

func TestSharedMissing(t *testing.T) {
	t.Setenv("TENGEN_SHARED", t.TempDir())
	if s := Shared(t); s != nil {
		t.Errorf("a checker of nothing: %v", s)
	}
}
