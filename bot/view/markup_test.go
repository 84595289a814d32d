package view

import (
	"strings"
	"testing"
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
