package bot

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"strings"
	"testing"
)

// board is a message as a game on the screen has it: picture, pad, controls.
func board() Message {
	m := Message{Accent: 0x2b2d31, Mention: 7, Blocks: []Block{
		{Text: "**ann** against **bo** <@7>"},
		{Picture: &Picture{Name: "board 1.png", Data: []byte("png"), Alt: "an empty board"}},
		{Rule: true},
	}}
	for y := range 4 {
		var row []Button
		for x := range 5 {
			row = append(row, Button{ID: fmt.Sprintf("m:%d:%d", x, y), Label: "H8"})
		}
		m.Blocks = append(m.Blocks, Block{Row: row})
	}
	m.Blocks = append(m.Blocks,
		Block{Row: []Button{{ID: "more", Emoji: "➕", Style: Primary}, {URL: "https://discord.com", Label: "there"}}},
		Block{File: &File{Name: "game.sgf", Data: []byte("(;)")}},
		Block{Select: &Select{ID: "s", Hint: "choose", Choice: []Choice{{Label: "a", Value: "a", Chosen: true}, {Label: "b", Value: "b", Detail: "c"}}}})
	return m
}

func TestBodyOfABoard(t *testing.T) {
	m := board()
	m.Private, m.Silent = true, true
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	b := newBody(m, false)
	got, _ := json.Marshal(b)
	for _, want := range []string{
		`"flags":36928`, `"allowed_mentions":{"parse":[],"users":["7"]}`,
		`"attachments":[{"id":"0","filename":"board_1.png","description":"an empty board"},{"id":"1","filename":"game.sgf"}]`,
		`{"type":12,"items":[{"media":{"url":"attachment://board_1.png"},"description":"an empty board"}]}`,
		`{"type":13,"file":{"url":"attachment://game.sgf"}}`, `{"type":14,"divider":true}`,
		`{"type":2,"custom_id":"more","style":1,"emoji":{"name":"➕"}}`, `{"type":2,"style":5,"label":"there","url":"https://discord.com"}`,
		`{"type":2,"custom_id":"m:0:0","style":2,"label":"H8"}`,
		`"options":[{"label":"a","value":"a","default":true},{"label":"b","value":"b","description":"c"}]`,
		`"type":17`, `"accent_color":2829617`,
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	edit, _ := json.Marshal(newBody(m, true))
	if !strings.Contains(string(edit), `"flags":32768`) {
		t.Errorf("an edit names the flags of a first sending: %s", edit)
	}
	bare, _ := json.Marshal(newBody(text("hello"), true))
	for _, want := range []string{`"attachments":[]`, `"allowed_mentions":{"parse":[]}`} {
		if !strings.Contains(string(bare), want) {
			t.Errorf("no %s in %s", want, bare)
		}
	}
}

func TestEncodeWithFiles(t *testing.T) {
	m := board()
	m.Blocks = append(m.Blocks, Block{Picture: &Picture{Name: "board 1.png", Data: []byte("two")}})
	b := newBody(m, false)
	contentType, body, err := encode(b, b.files)
	if err != nil {
		t.Fatal(err)
	}
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]string{}
	names := map[string]string{}
	for r := multipart.NewReader(bytes.NewReader(body), params["boundary"]); ; {
		p, err := r.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		data, _ := io.ReadAll(p)
		parts[p.FormName()], names[p.FormName()] = string(data), p.FileName()
	}
	if !json.Valid([]byte(parts["payload_json"])) {
		t.Error("no payload")
	}
	if parts["files[0]"] != "png" || names["files[0]"] != "board_1.png" || parts["files[1]"] != "(;)" || parts["files[2]"] != "two" {
		t.Errorf("%v %v", parts, names)
	}
	if names["files[2]"] == names["files[0]"] {
		t.Error("two files of one name")
	}
}

func TestCheck(t *testing.T) {
	row := func(n int) Block {
		var b Block
		for i := range n {
			b.Row = append(b.Row, Button{ID: fmt.Sprint(n, i), Label: "x"})
		}
		return b
	}
	many := Message{Accent: 1}
	for i := range 7 {
		b := row(5)
		for j := range b.Row {
			b.Row[j].ID = fmt.Sprint(i, j)
		}
		many.Blocks = append(many.Blocks, b)
	}
	entries := func(n int) []Choice {
		var c []Choice
		for i := range n {
			c = append(c, Choice{Label: "x", Value: fmt.Sprint(i)})
		}
		return c
	}
	tests := []struct {
		name string
		m    Message
	}{
		{"nothing", Message{}},
		{"empty text", text(" ")},
		{"too much text over two blocks", Message{Blocks: []Block{{Text: strings.Repeat("x", 2000)}, {Text: strings.Repeat("ä", 2001)}}}},
		{"too many components", many},
		{"six buttons in a row", Message{Blocks: []Block{row(6)}}},
		{"an empty row", Message{Blocks: []Block{{Row: []Button{}}}}},
		{"an id twice", Message{Blocks: []Block{row(2), row(2)}}},
		{"no id", Message{Blocks: []Block{{Row: []Button{{Label: "x"}}}}}},
		{"a long id", Message{Blocks: []Block{{Row: []Button{{ID: strings.Repeat("x", 101), Label: "x"}}}}}},
		{"no label", Message{Blocks: []Block{{Row: []Button{{ID: "x"}}}}}},
		{"a long label", Message{Blocks: []Block{{Row: []Button{{ID: "x", Label: strings.Repeat("x", 81)}}}}}},
		{"26 entries", Message{Blocks: []Block{{Select: &Select{ID: "s", Choice: entries(26)}}}}},
		{"no entries", Message{Blocks: []Block{{Select: &Select{ID: "s"}}}}},
		{"a value twice", Message{Blocks: []Block{{Select: &Select{ID: "s", Choice: append(entries(2), entries(1)...)}}}}},
		{"a long alt text", Message{Blocks: []Block{{Picture: &Picture{Name: "a", Alt: strings.Repeat("x", 1025)}}}}},
		{"too many bytes", Message{Blocks: []Block{{File: &File{Name: "a", Data: make([]byte, maxUpload+1)}}}}},
	}
	for _, test := range tests {
		if err := test.m.Check(); err == nil {
			t.Errorf("%s: accepted", test.name)
		}
	}
	if err := board().Check(); err != nil {
		t.Error(err)
	}
}

func TestChoicesBody(t *testing.T) {
	got, _ := json.Marshal(choicesBody([]Choice{{Label: "H8", Value: "5"}, {Label: "no number", Value: "x"}}, true))
	if want := `{"choices":[{"name":"H8","value":5}]}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	got, _ = json.Marshal(choicesBody(nil, false))
	if want := `{"choices":[]}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
