package standin_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tengen/bot/standin"
	"tengen/bot/standin/schema"
)

func many(n int, format string) string {
	var out []string
	for i := range n {
		out = append(out, strings.ReplaceAll(format, "#", fmt.Sprint(i)))
	}
	return strings.Join(out, ",")
}

const (
	button = `{"type":2,"style":1,"label":"#","custom_id":"b#"}`
	text   = `{"type":10,"content":"x"}`
)

func rows(n int) string {
	return many(n, `{"type":1,"components":[{"type":2,"style":1,"label":"x","custom_id":"r#"}]}`)
}

// TestMessageRules: what Discord refuses in a message; code "" is accepted.
func TestMessageRules(t *testing.T) {
	t.Parallel()
	v2 := func(components string) string { return `{"flags":32768,"components":[` + components + `]}` }
	row := func(components string) string {
		return `{"content":"x","components":[{"type":1,"components":[` + components + `]}]}`
	}
	sel := func(rest string) string {
		return row(`{"type":3,"custom_id":"s"` + rest + `}`)
	}
	option := `{"label":"l#","value":"v#"}`
	container := func(components string) string { return `{"type":17,"components":[` + components + `]}` }
	long := func(n int) string { return strings.Repeat("é", n) }
	for _, c := range []struct{ name, body, code string }{
		{"content", `{"content":"hello"}`, ""},
		{"nulls", `{"content":"x","embeds":null,"components":null,"tts":false}`, ""},
		{"content of 2000", `{"content":"` + long(2000) + `"}`, ""},
		{"content of 2001", `{"content":"` + long(2001) + `"}`, "BASE_TYPE_MAX_LENGTH"},
		{"empty", `{}`, "50006"},
		{"wrong type", `{"content":[]}`, "BASE_TYPE_BAD_TYPE"},
		{"unknown field", `{"content":"x","colour":"red"}`, "UNKNOWN_FIELD"},
		{"unknown field of a button", row(`{"type":2,"style":1,"label":"a","custom_id":"a","tooltip":"b"}`), "UNKNOWN_FIELD"},
		{"field of another component", v2(`{"type":10,"content":"x","label":"y"}`), "UNKNOWN_FIELD"},
		{"component without a type", v2(`{"content":"x"}`), "UNION_TYPE_CHOICES"},
		{"button without a style", row(`{"type":2,"label":"a","custom_id":"a"}`), "BASE_TYPE_REQUIRED"},
		{"row without components", `{"content":"x","components":[{"type":1}]}`, "BASE_TYPE_REQUIRED"},
		{"picture without an address", v2(`{"type":12,"items":[{"media":{}}]}`), "BASE_TYPE_REQUIRED"},
		{"label that is a number", row(`{"type":2,"style":1,"label":7,"custom_id":"a"}`), "BASE_TYPE_BAD_TYPE"},
		{"flags in a text", `{"content":"x","flags":"64"}`, "BASE_TYPE_BAD_TYPE"},
		{"half a flag", `{"content":"x","flags":0.5}`, "BASE_TYPE_BAD_TYPE"},
		{"components in an object", `{"flags":32768,"components":{}}`, "BASE_TYPE_BAD_TYPE"},
		{"a list", `[]`, "BASE_TYPE_BAD_TYPE"},
		{"empty option label", sel(`,"options":[{"label":"","value":"a"}]`), "BASE_TYPE_REQUIRED"},
		{"option without a value", sel(`,"options":[{"label":"a"}]`), "BASE_TYPE_REQUIRED"},
		{"select without options", sel(``), "BASE_TYPE_REQUIRED"},
		{"members with options", row(`{"type":5,"custom_id":"s","options":[{"label":"a","value":"a"}]}`), "UNKNOWN_FIELD"},
		{"ephemeral in a channel", `{"content":"x","flags":64}`, "MESSAGE_FLAGS_INVALID"},
		{"nonce of 26", `{"content":"x","nonce":"` + strings.Repeat("n", 26) + `"}`, "BASE_TYPE_MAX_LENGTH"},

		{"5 rows", `{"content":"x","components":[` + rows(5) + `]}`, ""},
		{"6 rows", `{"content":"x","components":[` + rows(6) + `]}`, "BASE_TYPE_BAD_LENGTH"},
		{"6 rows in V2", v2(rows(6)), ""},
		{"5 buttons", row(many(5, button)), ""},
		{"6 buttons", row(many(6, button)), "BASE_TYPE_BAD_LENGTH"},
		{"no button", row(``), "BASE_TYPE_BAD_LENGTH"},
		{"button outside a row", `{"content":"x","components":[{"type":2,"style":1,"label":"x","custom_id":"a"}]}`, "UNION_TYPE_CHOICES"},
		{"custom_id twice", row(`{"type":2,"style":1,"label":"a","custom_id":"a"},{"type":2,"style":1,"label":"b","custom_id":"a"}`), "COMPONENT_CUSTOM_ID_DUPLICATED"},
		{"custom_id of 100", row(`{"type":2,"style":1,"label":"a","custom_id":"` + long(100) + `"}`), ""},
		{"custom_id of 101", row(`{"type":2,"style":1,"label":"a","custom_id":"` + long(101) + `"}`), "BASE_TYPE_BAD_LENGTH"},
		{"no custom_id", row(`{"type":2,"style":1,"label":"a"}`), "BASE_TYPE_REQUIRED"},
		{"label of 80", row(`{"type":2,"style":1,"custom_id":"a","label":"` + long(80) + `"}`), ""},
		{"label of 81", row(`{"type":2,"style":1,"custom_id":"a","label":"` + long(81) + `"}`), "BASE_TYPE_MAX_LENGTH"},
		{"no label", row(`{"type":2,"style":1,"custom_id":"a"}`), "BUTTON_COMPONENT_LABEL_OR_EMOJI_REQUIRED"},
		{"emoji alone", row(`{"type":2,"style":1,"custom_id":"a","emoji":{"name":"⬅"}}`), ""},
		{"style 9", row(`{"type":2,"style":9,"custom_id":"a","label":"a"}`), "BASE_TYPE_CHOICES"},
		{"link", row(`{"type":2,"style":5,"url":"https://example.org","label":"a"}`), ""},
		{"link with custom_id", row(`{"type":2,"style":5,"url":"https://example.org","label":"a","custom_id":"a"}`), "BUTTON_COMPONENT_CUSTOM_ID_NOT_ALLOWED"},
		{"link without url", row(`{"type":2,"style":5,"label":"a"}`), "BASE_TYPE_REQUIRED"},

		{"select", sel(`,"options":[` + many(25, option) + `]`), ""},
		{"26 options", sel(`,"options":[` + many(26, option) + `]`), "BASE_TYPE_BAD_LENGTH"},
		{"no options", sel(`,"options":[]`), "BASE_TYPE_BAD_LENGTH"},
		{"option label of 101", sel(`,"options":[{"label":"` + long(101) + `","value":"a"}]`), "BASE_TYPE_BAD_LENGTH"},
		{"option value twice", sel(`,"options":[{"label":"a","value":"a"},{"label":"b","value":"a"}]`), "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED"},
		{"two defaults", sel(`,"options":[{"label":"a","value":"a","default":true},{"label":"b","value":"b","default":true}]`), "SELECT_COMPONENT_TOO_MANY_DEFAULTS"},
		{"placeholder of 151", sel(`,"placeholder":"` + long(151) + `","options":[` + many(1, option) + `]`), "BASE_TYPE_MAX_LENGTH"},
		{"max below min", sel(`,"min_values":2,"max_values":1,"options":[` + many(3, option) + `]`), "NUMBER_TYPE_MAX"},
		{"select beside a button", row(`{"type":5,"custom_id":"s"},{"type":2,"style":1,"label":"a","custom_id":"a"}`), "COMPONENT_LAYOUT_WIDTH_EXCEEDED"},
		{"two selects", row(`{"type":5,"custom_id":"s"},{"type":5,"custom_id":"t"}`), "COMPONENT_LAYOUT_WIDTH_EXCEEDED"},

		{"V2", v2(text), ""},
		{"V2 with content", `{"flags":32768,"content":"x","components":[` + text + `]}`, "LEGACY_FIELDS"},
		{"V2 with empty content", `{"flags":32768,"content":"","embeds":null,"components":[` + text + `]}`, ""},
		{"V2 with embeds", `{"flags":32768,"embeds":[{"title":"x"}],"components":[` + text + `]}`, "LEGACY_FIELDS"},
		{"V2 without components", `{"flags":32768}`, "BASE_TYPE_REQUIRED"},
		{"text without V2", `{"components":[` + text + `]}`, "UNION_TYPE_CHOICES"},
		{"40 components", v2(many(40, text)), ""},
		{"41 components", v2(many(41, text)), "BASE_TYPE_MAX_LENGTH"},
		{"40 nested", v2(container(many(38, text)) + "," + text), ""},
		{"41 nested", v2(container(many(38, text)) + "," + text + "," + text), "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED"},
		{"62 in two containers", v2(container(many(30, text)) + "," + container(many(30, text))), "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED"},
		{"4000 characters", v2(`{"type":10,"content":"` + long(2000) + `"},` + container(`{"type":10,"content":"`+long(2000)+`"}`)), ""},
		{"4001 characters", v2(`{"type":10,"content":"` + long(2000) + `"},` + container(`{"type":10,"content":"`+long(2001)+`"}`)), "TEXT_SIZE_EXCEEDED"},
		{"empty text", v2(`{"type":10,"content":""}`), "BASE_TYPE_REQUIRED"},
		{"container in container", v2(container(container(text))), "UNION_TYPE_CHOICES"},
		{"empty container", v2(container("")), "BASE_TYPE_BAD_LENGTH"},
		{"colour", v2(`{"type":17,"accent_color":16777216,"components":[` + text + `]}`), "NUMBER_TYPE_MAX"},
		{"section", v2(`{"type":9,"components":[` + text + `],"accessory":{"type":2,"style":1,"label":"a","custom_id":"a"}}`), ""},
		{"section without accessory", v2(`{"type":9,"components":[` + text + `]}`), "BASE_TYPE_REQUIRED"},
		{"section of 4", v2(`{"type":9,"components":[` + many(4, text) + `],"accessory":{"type":2,"style":1,"label":"a","custom_id":"a"}}`), "BASE_TYPE_BAD_LENGTH"},
		{"gallery of a web picture", v2(`{"type":12,"items":[{"media":{"url":"https://example.org/a.png"}}]}`), ""},
		{"gallery of nothing", v2(`{"type":12,"items":[]}`), "BASE_TYPE_BAD_LENGTH"},
		{"alt text of 1025", v2(`{"type":12,"items":[{"media":{"url":"https://example.org/a.png"},"description":"` + long(1025) + `"}]}`), "BASE_TYPE_BAD_LENGTH"},
		{"missing file", v2(`{"type":12,"items":[{"media":{"url":"attachment://a.png"}}]}`), "REFERENCED_ATTACHMENT_NOT_FOUND"},
		{"file by address", v2(`{"type":13,"file":{"url":"https://example.org/a.png"}}`), "UNFURLED_MEDIA_ITEM_NOT_ATTACHMENT"},
		{"odd scheme", v2(`{"type":12,"items":[{"media":{"url":"ftp://a.png"}}]}`), "URL_TYPE_INVALID_SCHEME"},
		{"unknown component", v2(`{"type":99}`), "UNION_TYPE_CHOICES"},
		{"id twice", v2(`{"type":10,"id":1,"content":"a"},{"type":10,"id":1,"content":"b"}`), "COMPONENT_ID_DUPLICATED"},

		{"11 embeds", `{"embeds":[` + many(11, `{"title":"x"}`) + `]}`, "BASE_TYPE_MAX_LENGTH"},
		{"embed title", `{"embeds":[{"title":"` + long(257) + `"}]}`, "BASE_TYPE_MAX_LENGTH"},
		{"embeds of 6001", `{"embeds":[{"description":"` + long(4000) + `"},{"description":"` + long(2001) + `"}]}`, "MAX_EMBED_SIZE_EXCEEDED"},

		{"mentions", `{"content":"x","allowed_mentions":{"parse":[],"users":["123456789012345678"]}}`, ""},
		{"mentions null", `{"content":"x","allowed_mentions":{"parse":null}}`, ""},
		{"mentions of all and some", `{"content":"x","allowed_mentions":{"parse":["users"],"users":["123456789012345678"]}}`, "PARSE_EXCLUSIVE"},
		{"mentions of what", `{"content":"x","allowed_mentions":{"parse":["everybody"]}}`, "BASE_TYPE_CHOICES"},
		{"mentions of a name", `{"content":"x","allowed_mentions":{"parse":[],"users":["ann"]}}`, "NUMBER_TYPE_COERCE"},

		{"attachment with a number", `{"content":"x","attachments":[{"id":0,"filename":"a.png"}]}`, "NUMBER_TYPE_COERCE"},
		{"attachment without file", `{"content":"x","attachments":[{"id":"0","filename":"a.png"}]}`, "ATTACHMENT_NOT_FOUND"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := checked(t)
			b.check(b.post(b.messages(), c.body), c.body, c.code)
		})
	}
}

// checked is a bot whose bodies are held against Discord's description of itself.
func checked(t *testing.T) *rawBot {
	return raw(t, standin.New(t, standin.Options{Lenient: true, Checker: schema.Shared(t)}))
}

// messages is the route of the messages of a channel.
func (b *rawBot) messages() string {
	b.t.Helper()
	return "/channels/" + channel(b.t, b.s, "#gomoku") + "/messages"
}

// check holds an answer against a code that shall be in its errors.
func (b *rawBot) check(a *answer, body, code string) {
	b.t.Helper()
	if !json.Valid([]byte(body)) {
		b.t.Fatal("the test's own body is not JSON")
	}
	if code == "" {
		if a.status >= 300 {
			b.t.Errorf("refused: %s", a.body)
		}
		if n := len(b.s.Violations()); n > 0 {
			b.t.Errorf("%d violations", n)
		}
		return
	}
	if a.status != 400 || !strings.Contains(string(a.body), code) {
		b.t.Errorf("got %d %.300s, want %s", a.status, a.body, code)
	}
	if n := len(b.s.Violations()); n != 1 {
		b.t.Errorf("%d violations, want one", n)
	}
}

func TestFileRules(t *testing.T) {
	t.Parallel()
	show := `{"type":12,"items":[{"media":{"url":"attachment://a.png"}}]}`
	for _, c := range []struct {
		name, body, code string
		files            []string
	}{
		{"shown", `{"flags":32768,"components":[` + show + `]}`, "", []string{"a.png"}},
		{"not shown", `{"flags":32768,"components":[` + text + `]}`, "ATTACHMENT_NOT_SHOWN", []string{"a.png"}},
		{"not shown, classic", `{"content":"x"}`, "", []string{"a.png"}},
		{"renamed", `{"flags":32768,"components":[` + show + `],"attachments":[{"id":"0","filename":"a.png"}]}`, "", []string{"b.png"}},
		{"11 files", `{"content":"x"}`, "BASE_TYPE_MAX_LENGTH", strings.Fields("a b c d e f g h i j k")},
		{"alt text of 1025", `{"content":"x","attachments":[{"id":"0","description":"` + strings.Repeat("x", 1025) + `"}]}`, "BASE_TYPE_MAX_LENGTH", []string{"a.png"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := checked(t)
			b.check(b.form("POST", b.messages(), c.body, c.files...), c.body, c.code)
		})
	}
}

// TestEditRules: what an edit may do to a message that is there.
func TestEditRules(t *testing.T) {
	t.Parallel()
	classic, v2 := `{"content":"x"}`, `{"flags":32768,"components":[`+text+`]}`
	for _, c := range []struct{ name, first, edit, code string }{
		{"content", classic, `{"content":"y"}`, ""},
		{"to V2", classic, `{"flags":32768,"content":null,"components":[` + text + `]}`, ""},
		{"to V2, keeping content", classic, `{"flags":32768,"components":[` + text + `]}`, "LEGACY_FIELDS"},
		{"V2", v2, `{"components":[` + text + `]}`, ""},
		{"V2 with content", v2, `{"content":"x"}`, "LEGACY_FIELDS"},
		{"six rows in V2", v2, `{"components":[` + rows(6) + `]}`, ""},
		{"to nothing", classic, `{"content":""}`, "50006"},
		{"six rows", classic, `{"components":[` + rows(6) + `]}`, "BASE_TYPE_BAD_LENGTH"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := checked(t)
			m := b.post(b.messages(), c.first).want(200)
			b.check(b.patch(b.messages()+"/"+m.ID, c.edit), c.edit, c.code)
		})
	}
}

func TestCommandRules(t *testing.T) {
	t.Parallel()
	one := func(rest string) string { return `[{"name":"play","description":"Play"` + rest + `}]` }
	opt := func(rest string) string { return `{"type":3,"name":"o","description":"x"` + rest + `}` }
	with := func(options string) string { return one(`,"options":[` + options + `]`) }
	sub := func(name, options string) string {
		return `{"type":1,"name":"` + name + `","description":"x","options":[` + options + `]}`
	}
	for _, c := range []struct{ name, body, code string }{
		{"plain", one(``), ""},
		{"user menu", `[{"name":"Challenge Me","type":2}]`, ""},
		{"menu with description", `[{"name":"Challenge","type":2,"description":"x"}]`, "DESCRIPTION_NOT_ALLOWED"},
		{"unknown field", one(`,"colour":"red"`), "UNKNOWN_FIELD"},
		{"no name at all", `[{"description":"x"}]`, "BASE_TYPE_REQUIRED"},
		{"option without a description", with(`{"type":3,"name":"o"}`), "BASE_TYPE_REQUIRED"},
		{"option without a type", with(`{"name":"o","description":"x"}`), "UNION_TYPE_CHOICES"},
		{"option description of 101", with(`{"type":3,"name":"o","description":"` + strings.Repeat("x", 101) + `"}`), "BASE_TYPE_BAD_LENGTH"},
		{"required in a text", with(opt(`,"required":"yes"`)), "BASE_TYPE_BAD_TYPE"},
		{"one command alone", `{"name":"play","description":"Play"}`, "BASE_TYPE_BAD_TYPE"},
		{"capital", `[{"name":"Play","description":"x"}]`, "INVALID_NAME"},
		{"space", `[{"name":"play it","description":"x"}]`, "INVALID_NAME"},
		{"no name", `[{"name":"","description":"x"}]`, "BASE_TYPE_REQUIRED"},
		{"name of 32", `[{"name":"` + strings.Repeat("a", 32) + `","description":"x"}]`, ""},
		{"name of 33", `[{"name":"` + strings.Repeat("a", 33) + `","description":"x"}]`, "BASE_TYPE_BAD_LENGTH"},
		{"chinese", `[{"name":"下棋","description":"x"}]`, ""},
		{"apostrophe", `[{"name":"d'accord","description":"x"}]`, ""},
		{"slash", `[{"name":"a/b","description":"x"}]`, "INVALID_NAME"},
		{"no description", `[{"name":"play","description":""}]`, "BASE_TYPE_REQUIRED"},
		{"description of 101", `[{"name":"play","description":"` + strings.Repeat("x", 101) + `"}]`, "BASE_TYPE_MAX_LENGTH"},
		{"twice", `[{"name":"a","description":"x"},{"name":"a","description":"y"}]`, "DUPLICATE_NAME"},
		{"twice, other type", `[{"name":"a","description":"x"},{"name":"a","type":2}]`, ""},
		{"localized", one(`,"name_localizations":{"zh-CN":"下棋"}`), ""},
		{"localized badly", one(`,"name_localizations":{"zh-CN":"下 棋"}`), "INVALID_NAME"},
		{"no such locale", one(`,"name_localizations":{"zh":"下棋"}`), "BASE_TYPE_CHOICES"},
		{"100 commands", `[` + many(100, `{"name":"c#","description":"x"}`) + `]`, ""},
		{"101 commands", `[` + many(101, `{"name":"c#","description":"x"}`) + `]`, "BASE_TYPE_MAX_LENGTH"},
		{"16 user commands", `[` + many(16, `{"name":"c#","type":2}`) + `]`, "BASE_TYPE_MAX_LENGTH"},
		{"contexts", one(`,"contexts":[0,1,2],"integration_types":[0,1]`), ""},
		{"bad context", one(`,"contexts":[3]`), "BASE_TYPE_CHOICES"},
		{"context twice", one(`,"contexts":[1,1]`), "BASE_TYPE_CHOICES"},
		{"permissions as a string", one(`,"default_member_permissions":"8192"`), ""},

		{"25 options", with(many(25, `{"type":3,"name":"o#","description":"x"}`)), ""},
		{"26 options", with(many(26, `{"type":3,"name":"o#","description":"x"}`)), "BASE_TYPE_MAX_LENGTH"},
		{"option twice", with(opt("") + "," + opt("")), "NAME_ALREADY_EXISTS"},
		{"option with a capital", with(`{"type":3,"name":"Game","description":"x"}`), "INVALID_NAME"},
		{"required after optional", with(`{"type":3,"name":"a","description":"x"},{"type":3,"name":"b","description":"x","required":true}`), "REQUIRED_INVALID"},
		{"required before optional", with(`{"type":3,"name":"a","description":"x","required":true},{"type":3,"name":"b","description":"x"}`), ""},
		{"autocomplete and choices", with(opt(`,"autocomplete":true,"choices":[{"name":"a","value":"a"}]`)), "AUTOCOMPLETE_CHOICES_EXCLUSIVE"},
		{"25 choices", with(opt(`,"choices":[` + many(25, `{"name":"n#","value":"v#"}`) + `]`)), ""},
		{"26 choices", with(opt(`,"choices":[` + many(26, `{"name":"n#","value":"v#"}`) + `]`)), "BASE_TYPE_MAX_LENGTH"},
		{"choice of another type", with(opt(`,"choices":[{"name":"a","value":1}]`)), "BASE_TYPE_BAD_TYPE"},
		{"choice without value", with(opt(`,"choices":[{"name":"a"}]`)), "BASE_TYPE_REQUIRED"},
		{"range of a text", with(opt(`,"min_value":1`)), "UNKNOWN_FIELD"},
		{"length of a number", with(`{"type":4,"name":"o","description":"x","min_length":1}`), "UNKNOWN_FIELD"},
		{"autocomplete of a member", with(`{"type":6,"name":"o","description":"x","autocomplete":true}`), "UNKNOWN_FIELD"},
		{"unknown type", with(`{"type":12,"name":"o","description":"x"}`), "UNION_TYPE_CHOICES"},
		{"subcommands", with(sub("a", opt("")) + "," + sub("b", "")), ""},
		{"subcommand beside a value", with(sub("a", "") + "," + opt("")), "TYPE_INVALID"},
		{"group", with(`{"type":2,"name":"g","description":"x","options":[` + sub("a", opt("")) + `]}`), ""},
		{"group of values", with(`{"type":2,"name":"g","description":"x","options":[` + opt("") + `]}`), "UNION_TYPE_CHOICES"},
		{"subcommand in subcommand", with(sub("a", sub("b", ""))), "UNION_TYPE_CHOICES"},
		{"8001 characters", with(many(25, `{"type":3,"name":"option#","description":"`+strings.Repeat("x", 100)+`","description_localizations":{"de":"`+strings.Repeat("y", 100)+`"},"choices":[{"name":"`+strings.Repeat("n", 100)+`","value":"`+strings.Repeat("v", 100)+`"},{"name":"`+strings.Repeat("m", 50)+`","value":"b"}]}`)), "TOO_LARGE"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := checked(t)
			b.check(b.put("/applications/"+b.s.AppID()+"/commands", c.body), c.body, c.code)
		})
	}
}

// TestAnswerRules: forms, suggestions and deferrals.
func TestAnswerRules(t *testing.T) {
	t.Parallel()
	modal := func(rest string) string { return `{"type":9,"data":{"custom_id":"m","title":"T",` + rest + `}}` }
	field := `{"type":1,"components":[{"type":4,"custom_id":"f#","label":"F","style":1}]}`
	label := func(inner string) string { return `"components":[{"type":18,"label":"F","component":` + inner + `}]` }
	option := `{"label":"l#","value":"v#"}`
	for _, c := range []struct{ name, body, code string }{
		{"private", `{"type":4,"data":{"content":"x","flags":64}}`, ""},
		{"private V2", `{"type":4,"data":{"flags":32832,"components":[` + text + `]}}`, ""},
		{"deferred", `{"type":5}`, ""},
		{"deferred privately", `{"type":5,"data":{"flags":64}}`, ""},
		{"deferred with V2", `{"type":5,"data":{"flags":32768}}`, "MESSAGE_FLAGS_INVALID"},
		{"deferred with content", `{"type":5,"data":{"content":"x"}}`, "DEFERRED_ANSWER_HAS_CONTENT"},
		{"update of a command", `{"type":7,"data":{"content":"x"}}`, "CALLBACK_TYPE_INVALID"},
		{"suggestions to a command", `{"type":8,"data":{"choices":[]}}`, "CALLBACK_TYPE_INVALID"},
		{"unknown type", `{"type":99}`, "UNION_TYPE_CHOICES"},
		{"no type", `{"data":{"content":"x"}}`, "UNION_TYPE_CHOICES"},
		{"nothing to say", `{"type":4}`, "BASE_TYPE_REQUIRED"},
		{"form without an id", `{"type":9,"data":{"title":"T","components":[{"type":18,"label":"F","component":{"type":5,"custom_id":"a"}}]}}`, "BASE_TYPE_REQUIRED"},
		{"form with flags", modal(`"flags":64,` + label(`{"type":5,"custom_id":"a"}`)), "UNKNOWN_FIELD"},
		{"form", modal(`"components":[` + many(5, field) + `]`), ""},
		{"form of 6", modal(`"components":[` + many(6, field) + `]`), "BASE_TYPE_BAD_LENGTH"},
		{"form without fields", modal(`"components":[]`), "BASE_TYPE_BAD_LENGTH"},
		{"title of 46", `{"type":9,"data":{"custom_id":"m","title":"` + strings.Repeat("x", 46) + `","components":[` + many(1, field) + `]}}`, "BASE_TYPE_BAD_LENGTH"},
		{"field twice", modal(`"components":[` + strings.ReplaceAll(field+","+field, "#", "1") + `]`), "COMPONENT_CUSTOM_ID_DUPLICATED"},
		{"button in a form", modal(`"components":[{"type":1,"components":[{"type":2,"style":1,"label":"a","custom_id":"a"}]}]`), "UNION_TYPE_CHOICES"},
		{"field without label", modal(`"components":[{"type":1,"components":[{"type":4,"custom_id":"f","style":1}]}]`), "BASE_TYPE_REQUIRED"},
		{"labelled text", modal(label(`{"type":4,"custom_id":"f","style":1}`)), ""},
		{"labelled text with a label of its own", modal(label(`{"type":4,"custom_id":"f","style":1,"label":"F"}`)), "TEXT_INPUT_LABEL_NOT_ALLOWED"},
		{"label of 45", modal(`"components":[{"type":18,"label":"` + strings.Repeat("é", 45) + `","component":{"type":4,"custom_id":"f","style":1}}]`), ""},
		{"label of 46", modal(`"components":[{"type":18,"label":"` + strings.Repeat("é", 46) + `","component":{"type":4,"custom_id":"f","style":1}}]`), "BASE_TYPE_BAD_LENGTH"},
		{"label of nothing", modal(`"components":[{"type":18,"label":"F"}]`), "BASE_TYPE_REQUIRED"},
		{"description of 101", modal(`"components":[{"type":18,"label":"F","description":"` + strings.Repeat("x", 101) + `","component":{"type":4,"custom_id":"f","style":1}}]`), "BASE_TYPE_BAD_LENGTH"},
		{"text beside labels", modal(`"components":[` + text + `,{"type":18,"label":"F","component":{"type":4,"custom_id":"f","style":1}}]`), ""},
		{"texts alone", modal(`"components":[` + text + `]`), ""},
		{"6 labels", modal(`"components":[` + many(6, `{"type":18,"label":"F","component":{"type":5,"custom_id":"f#"}}`) + `]`), "BASE_TYPE_BAD_LENGTH"},
		{"button in a label", modal(label(`{"type":2,"style":1,"label":"a","custom_id":"a"}`)), "UNION_TYPE_CHOICES"},
		{"label in a label", modal(label(`{"type":18,"label":"F","component":{"type":5,"custom_id":"a"}}`)), "UNION_TYPE_CHOICES"},
		{"select in a row", modal(`"components":[{"type":1,"components":[{"type":5,"custom_id":"a"}]}]`), "UNION_TYPE_CHOICES"},
		{"select without a label", modal(`"components":[{"type":5,"custom_id":"a"}]`), "UNION_TYPE_CHOICES"},
		{"select", modal(label(`{"type":3,"custom_id":"s","options":[` + many(25, option) + `]}`)), ""},
		{"optional select", modal(label(`{"type":3,"custom_id":"s","required":false,"min_values":0,"options":[` + many(2, option) + `]}`)), ""},
		{"required select of none", modal(label(`{"type":3,"custom_id":"s","min_values":0,"options":[` + many(2, option) + `]}`)), "NUMBER_TYPE_MIN"},
		{"select switched off", modal(label(`{"type":3,"custom_id":"s","disabled":true,"options":[` + many(2, option) + `]}`)), "DISABLED_NOT_ALLOWED"},
		{"members", modal(label(`{"type":5,"custom_id":"s","default_values":[{"id":"1","type":"user"}]}`)), ""},
		{"members, two of one", modal(label(`{"type":5,"custom_id":"s","default_values":[{"id":"1","type":"user"},{"id":"2","type":"user"}]}`)), "SELECT_DEFAULT_VALUES_INVALID"},
		{"members and a role", modal(label(`{"type":5,"custom_id":"s","default_values":[{"id":"1","type":"role"}]}`)), "SELECT_DEFAULT_VALUES_INVALID"},
		{"file", modal(label(`{"type":19,"custom_id":"f","required":false,"min_values":0,"max_values":10}`)), ""},
		{"11 files wanted", modal(label(`{"type":19,"custom_id":"f","max_values":11}`)), "NUMBER_TYPE_MAX"},
		{"required file of none", modal(label(`{"type":19,"custom_id":"f","min_values":0}`)), "NUMBER_TYPE_MIN"},
		{"radio group", modal(label(`{"type":21,"custom_id":"r","options":[` + many(10, option) + `]}`)), ""},
		{"radio group of 1", modal(label(`{"type":21,"custom_id":"r","options":[` + many(1, option) + `]}`)), "BASE_TYPE_BAD_LENGTH"},
		{"radio group of 11", modal(label(`{"type":21,"custom_id":"r","options":[` + many(11, option) + `]}`)), "BASE_TYPE_BAD_LENGTH"},
		{"radio group with two defaults", modal(label(`{"type":21,"custom_id":"r","options":[{"label":"a","value":"a","default":true},{"label":"b","value":"b","default":true}]}`)), "SELECT_COMPONENT_TOO_MANY_DEFAULTS"},
		{"checkboxes", modal(label(`{"type":22,"custom_id":"r","options":[` + many(10, option) + `]}`)), ""},
		{"11 checkboxes", modal(label(`{"type":22,"custom_id":"r","options":[` + many(11, option) + `]}`)), "BASE_TYPE_BAD_LENGTH"},
		{"one checkbox", modal(label(`{"type":23,"custom_id":"r"}`)), ""},
		{"checkbox without an id", modal(label(`{"type":23}`)), "BASE_TYPE_REQUIRED"},
		{"radio group in a message", `{"type":4,"data":{"flags":32768,"components":[{"type":21,"custom_id":"r","options":[` + many(2, option) + `]}]}}`, "UNION_TYPE_CHOICES"},
		{"label in a message", `{"type":4,"data":{"flags":32768,"components":[{"type":18,"label":"F","component":{"type":5,"custom_id":"a"}}]}}`, "UNION_TYPE_CHOICES"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := checked(t)
			b.commands(goTable)
			e := b.ask(b.identify(), "ann", "#gomoku")
			b.check(b.callback(e, c.body), c.body, c.code)
		})
	}
}

// TestViolationFailsTest: the test whose bot sends a bad body fails, with the
// place of the fault in its words.
func TestViolationFailsTest(t *testing.T) {
	t.Parallel()
	probe := &failing{T: t}
	s := standin.New(probe, standin.Options{})
	b := raw(t, s)
	b.post("/channels/"+channel(t, s, "#gomoku")+"/messages",
		`{"content":"x","components":[{"type":1,"components":[`+many(6, button)+`]}]}`).want(400, 50035)
	if len(probe.errors) != 1 || !strings.Contains(probe.errors[0], "components.0.components: BASE_TYPE_BAD_LENGTH") {
		t.Errorf("the test would have said %q", probe.errors)
	}
}

// failing is a test that keeps what it would have failed with.
type failing struct {
	*testing.T
	errors []string
}

func (f *failing) Errorf(format string, args ...any) {
	f.errors = append(f.errors, fmt.Sprintf(format, args...))
}
