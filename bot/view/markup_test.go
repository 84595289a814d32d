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
