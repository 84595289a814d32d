package storage

import (
	"strings"
	"testing"

	"tengen/internal/testkit"
)

// The page for those who decide about the bot names every kind of row, once, and says how long it stays; and says of
// the tables that no backup holds that it is so.
func TestTrustNamesEveryKind(t *testing.T) {
	_, page, _ := strings.Cut(string(testkit.Read(t, "../docs/trust.md")), "| kind of row |")
	page, _, _ = strings.Cut(page, "\n\n")
	said, goes := map[string]int{}, map[string]string{}
	for line := range strings.Lines(page) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 || !strings.HasPrefix(line, "| ") || strings.Contains(line, "---") {
			continue
		}
		for name := range strings.SplitSeq(cells[0], ",") {
			name = strings.TrimSpace(name)
			said[name]++
			goes[name] = cells[2]
		}
	}
	known := map[string]bool{}
	for _, k := range kinds {
		known[k.Name] = true
		if said[k.Name] != 1 {
			t.Errorf("docs/trust.md names %q %d times", k.Name, said[k.Name])
			said[k.Name] = 1
		}
		if omitted := Omit([]byte(k.Row)); omitted != strings.Contains(goes[k.Name], "not in backups") {
			t.Errorf("docs/trust.md: is %q in backups? %v", k.Name, !omitted)
		}
	}
	for name := range said {
		if !known[name] {
			t.Errorf("docs/trust.md names %q, which no row is", name)
		}
	}
}
