package main

import (
	"io"
	"strings"
	"testing"

	"tengen/internal/testkit"
)

// A sheet has all texts, with examples and numbers put in.
func TestSheet(t *testing.T) {
	var out strings.Builder
	testkit.Must(t, sheet(&out, "ru", testkit.Read(t, "../../bot/texts/en.json")))
	for _, want := range []string{"| Русский |\n", "| time.days | 21 days per move | 21 день на ход |",
		"| button.accept | Accept | ", "| alt.last | Last move H8. | "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q", want)
		}
	}
	if err := sheet(io.Discard, "xx", nil); err == nil {
		t.Error("a sheet of a language that there is not")
	}
}
