package body

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"strconv"
	"strings"
	"testing"

	"tengen/bot/chat"
	"tengen/bot/standin/schema"
	"tengen/internal/testkit"
)

// board is a message like that of a running game: picture, pad, controls.
func board() chat.Message {
	m := chat.Message{Accent: 0x2b2d31, Mention: 7, Blocks: []chat.Block{
		{Text: "**ann** against **bo** <@7>"},
		{Picture: &chat.Picture{Name: "board 1.png", Data: []byte("png"), Alt: "an empty board"}},
		{Rule: true},
	}}
	for y := range 4 {
		var row []chat.Button
		for x := range 5 {
			row = append(row, chat.Button{ID: fmt.Sprintf("m:%d:%d", x, y), Label: "H8"})
		}
		m.Blocks = append(m.Blocks, chat.Block{Row: row})
	}
	m.Blocks = append(m.Blocks,
		chat.Block{Row: []chat.Button{{ID: "more", Emoji: "➕", Style: chat.Primary},
			{URL: "https://discord.com", Label: "there"}}},
		chat.Block{File: &chat.File{Name: "game.sgf", Data: []byte("(;)")}},
		chat.Block{Section: &chat.Section{Texts: []string{"one", "two"}, Button: chat.Button{ID: "beside", Label: "Go"}}},
		chat.Block{Select: &chat.Select{ID: "s", Hint: "choose",
			Choice: []chat.Choice{{Label: "a", Value: "a", Chosen: true}, {Label: "b", Value: "b", Detail: "c"}}}})
	return m
}

func TestBodyOfABoard(t *testing.T) {
	m := board()
	m.Private, m.Silent = true, true
	testkit.Must(t, Check(m))
	b := New(m, false)
	got, _ := json.Marshal(b)
	for _, want := range []string{
		`"flags":36928`, `"allowed_mentions":{"parse":[],"users":["7"]}`,
		`"attachments":[{"id":"0","filename":"board_1.png","description":"an empty board"},{"id":"1","filename":"game.sgf"}]`,
		`{"type":12,"items":[{"media":{"url":"attachment://board_1.png"},"description":"an empty board"}]}`,
		`{"type":13,"file":{"url":"attachment://game.sgf"}}`, `{"type":14,"divider":true}`,
		`{"type":2,"custom_id":"more","style":1,"emoji":{"name":"➕"}}`,
		`{"type":2,"style":5,"label":"there","url":"https://discord.com"}`,
		`{"type":2,"custom_id":"m:0:0","style":2,"label":"H8"}`,
		`"options":[{"label":"a","value":"a","default":true},{"label":"b","value":"b","description":"c"}]`,
		`{"type":9,"components":[{"type":10,"content":"one"},{"type":10,"content":"two"}],"accessory":{"type":2,"custom_id":"beside","style":2,"label":"Go"}}`,
		`"type":17`, `"accent_color":2829617`,
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	edit, _ := json.Marshal(New(m, true))
	if !strings.Contains(string(edit), `"flags":32768`) {
		t.Errorf("an edit names the flags of a first sending: %s", edit)
	}
	bare, _ := json.Marshal(New(chat.Text("hello"), true))
	for _, want := range []string{`"attachments":[]`, `"allowed_mentions":{"parse":[]}`} {
		if !strings.Contains(string(bare), want) {
			t.Errorf("no %s in %s", want, bare)
		}
	}
}

func TestEncodeWithFiles(t *testing.T) {
	m := board()
	m.Blocks = append(m.Blocks, chat.Block{Picture: &chat.Picture{Name: "board 1.png", Data: []byte("two")}})
	b := New(m, false)
	contentType, body, err := Encode(b, b.Files)
	testkit.Must(t, err)
	_, params, err := mime.ParseMediaType(contentType)
	testkit.Must(t, err)
	parts := map[string]string{}
	names := map[string]string{}
	for r := multipart.NewReader(bytes.NewReader(body), params["boundary"]); ; {
		p, err := r.NextPart()
		if err == io.EOF {
			break
		}
		testkit.Must(t, err)
		data, _ := io.ReadAll(p)
		parts[p.FormName()], names[p.FormName()] = string(data), p.FileName()
	}
	if !json.Valid([]byte(parts["payload_json"])) {
		t.Error("no payload")
	}
	if parts["files[0]"] != "png" || names["files[0]"] != "board_1.png" || parts["files[1]"] != "(;)" ||
		parts["files[2]"] != "two" {
		t.Errorf("%v %v", parts, names)
	}
	if names["files[2]"] == names["files[0]"] {
		t.Error("two files of one name")
	}
}

func TestCheck(t *testing.T) {
	row := func(n int) chat.Block {
		var b chat.Block
		for i := range n {
			b.Row = append(b.Row, chat.Button{ID: fmt.Sprint(n, i), Label: "x"})
		}
		return b
	}
	many := chat.Message{Accent: 1}
	for i := range 7 {
		b := row(5)
		for j := range b.Row {
			b.Row[j].ID = fmt.Sprint(i, j)
		}
		many.Blocks = append(many.Blocks, b)
	}
	entries := func(n int) []chat.Choice {
		var c []chat.Choice
		for i := range n {
			c = append(c, chat.Choice{Label: "x", Value: fmt.Sprint(i)})
		}
		return c
	}
	section := func(id string, texts ...string) chat.Block {
		return chat.Block{Section: &chat.Section{Texts: texts, Button: chat.Button{ID: id, Label: "x"}}}
	}
	var sections chat.Message
	for i := range 14 {
		sections.Blocks = append(sections.Blocks, section(fmt.Sprint(i), "x"))
	}
	tests := []struct {
		name string
		m    chat.Message
	}{
		{"a section without a text", chat.Message{Blocks: []chat.Block{section("s")}}},
		{"a section of four texts", chat.Message{Blocks: []chat.Block{section("s", "a", "b", "c", "d")}}},
		{"a section with an empty text", chat.Message{Blocks: []chat.Block{section("s", "a", " ")}}},
		{"a section without a button", chat.Message{Blocks: []chat.Block{{Section: &chat.Section{Texts: []string{"a"}}}}}},
		{"the id of a button beside a section twice", chat.Message{Blocks: []chat.Block{section("s", "a"), section("s", "b")}}},
		{"too much text in sections", chat.Message{Blocks: []chat.Block{section("s", strings.Repeat("x", 2000), strings.Repeat("x", 2001))}}},
		{"too many components in sections", sections},
		{"nothing", chat.Message{}},
		{"empty text", chat.Text(" ")},
		{"too much text over two blocks", chat.Message{Blocks: []chat.Block{{Text: strings.Repeat("x", 2000)}, {Text: strings.Repeat("ä", 2001)}}}},
		{"too many components", many},
		{"six buttons in a row", chat.Message{Blocks: []chat.Block{row(6)}}},
		{"an empty row", chat.Message{Blocks: []chat.Block{{Row: []chat.Button{}}}}},
		{"an id twice", chat.Message{Blocks: []chat.Block{row(2), row(2)}}},
		{"no id", chat.Message{Blocks: []chat.Block{{Row: []chat.Button{{Label: "x"}}}}}},
		{"a long id", chat.Message{Blocks: []chat.Block{{Row: []chat.Button{{ID: strings.Repeat("x", 101), Label: "x"}}}}}},
		{"no label", chat.Message{Blocks: []chat.Block{{Row: []chat.Button{{ID: "x"}}}}}},
		{"a long label", chat.Message{Blocks: []chat.Block{{Row: []chat.Button{{ID: "x", Label: strings.Repeat("x", 81)}}}}}},
		{"26 entries", chat.Message{Blocks: []chat.Block{{Select: &chat.Select{ID: "s", Choice: entries(26)}}}}},
		{"no entries", chat.Message{Blocks: []chat.Block{{Select: &chat.Select{ID: "s"}}}}},
		{"a long hint over members", chat.Message{Blocks: []chat.Block{{Select: &chat.Select{ID: "s", Members: true, Hint: strings.Repeat("x", 151)}}}}},
		{"a value twice", chat.Message{Blocks: []chat.Block{{Select: &chat.Select{ID: "s", Choice: append(entries(2), entries(1)...)}}}}},
		{"a long alt text", chat.Message{Blocks: []chat.Block{{Picture: &chat.Picture{Name: "a", Alt: strings.Repeat("x", 1025)}}}}},
		{"too many bytes", chat.Message{Blocks: []chat.Block{{File: &chat.File{Name: "a", Data: make([]byte, maxUpload+1)}}}}},
	}
	for _, test := range tests {
		if err := Check(test.m); err == nil {
			t.Errorf("%s: accepted", test.name)
		}
	}
	testkit.Check(t, Check(board()))
}

// form has a field of every kind.
func form() chat.Form {
	two := []chat.Choice{{Label: "A", Value: "a"}, {Label: "B", Value: "b", Detail: "c", Chosen: true}}
	return chat.Form{ID: "f", Title: "Fill in", Fields: []chat.Field{
		{ID: "line", Label: "Point", About: "Where", Hint: "H8", Max: 10, Text: "J9"},
		{ID: "menu", Label: "Game", Kind: chat.Menu, Optional: true, Choice: two},
		{ID: "radio", Label: "Opening", Kind: chat.Radio, Choice: two},
		{ID: "member", Label: "Opponent", Kind: chat.Members, Optional: true, Member: 9},
		{ID: "file", Label: "Record", Kind: chat.Upload, Optional: true},
	}}
}

func TestFormBody(t *testing.T) {
	f := form()
	testkit.Must(t, CheckForm(f))
	got := testkit.Got(json.Marshal(map[string]any{"type": 9, "data": Form(f)}))
	for _, want := range []string{
		`{"type":18,"label":"Point","description":"Where","component":{"type":4,"custom_id":"line","style":1,"placeholder":"H8","max_length":10,"value":"J9","required":true}}`,
		`{"type":3,"custom_id":"menu","options":[{"label":"A","value":"a"},{"label":"B","value":"b","description":"c","default":true}],"required":false,"min_values":0}`,
		`{"type":21,"custom_id":"radio","options":[{"label":"A","value":"a"},{"label":"B","value":"b","description":"c","default":true}],"required":true}`,
		`{"type":5,"custom_id":"member","required":false,"min_values":0,"default_values":[{"id":"9","type":"user"}]}`,
		`{"type":19,"custom_id":"file","required":false,"min_values":0}`,
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if s := schema.Shared(t); s != nil {
		testkit.Check(t, s.Check("POST", "/interactions/{interaction_id}/{interaction_token}/callback", got))
	}
}

// A role can be chosen at first, and none where the field may stay empty.
func TestRoleField(t *testing.T) {
	f := chat.Form{ID: "f", Title: "Fill in",
		Fields: []chat.Field{{ID: "role", Label: "Role", Kind: chat.Roles, Optional: true, Role: 8}}}
	testkit.Must(t, CheckForm(f))
	got, err := json.Marshal(map[string]any{"type": 9, "data": Form(f)})
	if want := `{"type":6,"custom_id":"role","required":false,"min_values":0,"default_values":[{"id":"8","type":"role"}]}`; err != nil || !strings.Contains(string(got), want) {
		t.Errorf("%v, no %s in\n%s", err, want, got)
	}
	if s := schema.Shared(t); s != nil {
		testkit.Check(t, s.Check("POST", "/interactions/{interaction_id}/{interaction_token}/callback", got))
	}
}

func TestCheckForm(t *testing.T) {
	long := func(n int) string { return strings.Repeat("ä", n) }
	for name, change := range map[string]func(*chat.Form){
		"no field":             func(f *chat.Form) { f.Fields = nil },
		"six fields":           func(f *chat.Form) { f.Fields = append(f.Fields, chat.Field{ID: "x", Label: "x"}) },
		"a field twice":        func(f *chat.Form) { f.Fields[1].ID = "line" },
		"no title":             func(f *chat.Form) { f.Title = "" },
		"a long title":         func(f *chat.Form) { f.Title = long(46) },
		"a long id":            func(f *chat.Form) { f.ID = long(101) },
		"no label":             func(f *chat.Form) { f.Fields[0].Label = "" },
		"a long label":         func(f *chat.Form) { f.Fields[0].Label = long(46) },
		"a long description":   func(f *chat.Form) { f.Fields[0].About = long(101) },
		"a long hint":          func(f *chat.Form) { f.Fields[0].Hint = long(101) },
		"a text over its most": func(f *chat.Form) { f.Fields[0].Text = long(11) },
		"too long a text":      func(f *chat.Form) { f.Fields[0].Max = 4001 },
		"a menu of none":       func(f *chat.Form) { f.Fields[1].Choice = nil },
		"a radio group of one": func(f *chat.Form) { f.Fields[2].Choice = f.Fields[2].Choice[:1] },
		"two chosen":           func(f *chat.Form) { f.Fields[2].Choice[0].Chosen = true },
		"a long hint of members": func(f *chat.Form) {
			f.Fields[3].Hint = long(151)
		},
	} {
		f := form()
		change(&f)
		if CheckForm(f) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestChoicesBody(t *testing.T) {
	got, _ := json.Marshal(Choices([]chat.Choice{{Label: "H8", Value: "5"}, {Label: "no number", Value: "x"}}, true))
	if want := `{"choices":[{"name":"H8","value":5}]}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	got, _ = json.Marshal(Choices(nil, false))
	if want := `{"choices":[]}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Discord takes 25 choices, and refuses all of them where there are more.
func TestNoMoreChoicesThanDiscordTakes(t *testing.T) {
	var choices []chat.Choice
	for i := range MaxChoices + 1 {
		choices = append(choices, chat.Choice{Label: strconv.Itoa(i), Value: strconv.Itoa(i)})
	}
	for _, numbers := range []bool{false, true} {
		list := fmt.Sprint(Choices(choices, numbers))
		if n := strings.Count(list, "{"); n != MaxChoices {
			t.Errorf("%d choices: %s", n, list)
		}
	}
}

// The mark stands on the outermost component, with a colored edge too: only those are looked at when a
// message is looked for.
func TestMark(t *testing.T) {
	for _, accent := range []int{0, 0x112233} {
		m := New(chat.Message{Mark: 77, Accent: accent, Blocks: []chat.Block{{Text: "a"}, {Text: "b"}}}, false)
		if len(m.Components) == 0 || m.Components[0].Mark != 77 {
			t.Errorf("accent %x: %+v", accent, m.Components)
		}
	}
}
