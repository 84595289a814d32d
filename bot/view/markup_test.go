package view

import (
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/record"
	"tengen/storage"
)

// A short text is shown in place of the file that holds it; nothing in it ends the quotation.
func TestFileText(t *testing.T) {
	refused := In("en").Say("files.refused")
	for text, want := range map[string]string{
		"(;GM[4])\n":              "```\n(;GM[4])\n```",
		"`":                       refused,
		"\xff":                    refused,
		"a\x00":                   refused,
		strings.Repeat("x", 1500): "```\n" + strings.Repeat("x", 1500) + "\n```",
		strings.Repeat("x", 1501): refused,
	} {
		if got := In("en").FileText([]byte(text)); got != want {
			t.Errorf("%.20q: %.40q, want %.40q", text, got, want)
		}
	}
}

// What nobody can see is no text, and marks do not climb over other lines. Scripts and emojis stay whole.
func TestTyped(t *testing.T) {
	marks := strings.Repeat("\u0301", 60)
	for text, want := range map[string]string{
		"  Autumn \t cup\n":        "Autumn cup",
		"   ":                      "",
		"\u200b\u200d\u2060\ufeff": "",
		"\u3164\u1160 \u2800":      "",
		"\U000E0041\U000E0042":     "",
		marks:                      "",
		"a" + marks + "b":          "a" + marks[:2*mostMarks] + "b",
		" " + marks + "a":          "a",
		"\u202eZed\u200b\x00":      "Zed",
		"👩\u200d👧 ❤\ufe0f":         "👩\u200d👧 ❤\ufe0f",
		"कि\u0928\u094d\u200d, Việt, 秋季赛": "कि\u0928\u094d\u200d, Việt, 秋季赛",
		strings.Repeat("x", 61):           strings.Repeat("x", 60),
	} {
		if got := Typed(text, 60); got != want {
			t.Errorf("%+q: %+q, want %+q", text, got, want)
		}
	}
}

// What members typed is shown as they typed it: no markup, no link, no mention, and no line that runs backwards.
func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"**a** _b_ ~~c~~ `d` ||e||":     "\\*\\*a\\*\\* \\_b\\_ \\~\\~c\\~\\~ \\`d\\` \\|\\|e\\|\\|",
		"[a](https://b.example)":        `\[a\]\(https\:\/\/b.example\)`,
		"<@5> @everyone <#6> </play:7>": `\<\@5\> \@everyone \<\#6\> \<\/play\:7\>`,
		"# a\n> b\n- c":                 `\# a \> b \- c`,
		"a\u202eb\u2066c\x7f":           "a b c ",
		"\\*":                           `\\\*`,
	} {
		if got := Escape(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// The note of an offer, and the names and notes of a record, are what members typed.
func TestTypedIsEscaped(t *testing.T) {
	terms := game.Terms{Rules: game.Reversi, Note: "[a](b)"}
	offer := viewOffer(In("en"), storage.Record{Match: game.Match{Phase: game.Offered, Terms: terms}})
	rec := record.Record{Game: game.New(game.Reversi), Black: "[a](b)", White: "[c](d)", Notes: []string{"[e](f)"}}
	loaded, err := In("en").Loaded(rec, Press{}, "")
	if err != nil {
		t.Fatal(err)
	}
	text := offer.Blocks[0].Text + loaded.Blocks[0].Text
	if n := strings.Count(text, `\]\(`); n != 4 || strings.Contains(text, "](") {
		t.Errorf("%d of 4 texts are escaped:\n%s", n, text)
	}
}

// What a record says is cut as what members type is: no marks over the lines above, and no name that nobody sees.
func TestRecordIsTyped(t *testing.T) {
	high := "a" + strings.Repeat("\u0301", 60)
	low := high[:1+2*mostMarks]
	for _, test := range []struct {
		black, white string
		notes        []string
		want         string
	}{
		{high, "\u3164\u200b", []string{high}, "\n⚫ " + low + "  ⚪ \n-# " + low},
		{"\u2800", "\u3164", nil, ""},
	} {
		rec := record.Record{Game: game.New(game.Reversi), Black: test.black, White: test.white, Notes: test.notes}
		loaded, err := In("en").Loaded(rec, Press{}, "")
		if err != nil {
			t.Fatal(err)
		}
		if _, got, _ := strings.Cut(loaded.Blocks[0].Text, "moves"); got != test.want {
			t.Errorf("%+q, want %+q", got, test.want)
		}
	}
	_, _, err := ReadRecord([]byte("(;GM[4]SZ[15];B[hh];W["+high+"])"), nil)
	if text, _ := In("en").Reason(err); !strings.Contains(text, low) || strings.Contains(text, low+"\u0301") {
		t.Errorf("a move that cannot be played: %+q, %v", text, err)
	}
}
