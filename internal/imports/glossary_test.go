package imports

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// glossaryFile is a link of the glossary to a file or a folder.
var glossaryFile = regexp.MustCompile(`\[([^]]+)\]\(\.\./([^)]+)\)`)

// TestGlossary checks that the words of the glossary are in order and stand once, and that the files
// which it names exist.
func TestGlossary(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "glossary.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "|---|---|---|\n")
	var words []string
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(line, "|\n"), " | ")
		if len(cells) != 3 {
			t.Fatalf("a row of %d cells: %s", len(cells), line)
		}
		word := strings.TrimSpace(cells[0])
		words = append(words, word)
		files := glossaryFile.FindAllStringSubmatch(cells[2], -1)
		if len(files) == 0 {
			t.Errorf("%s: no file", word)
		}
		for _, f := range files {
			_, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(f[2])))
			if err != nil || !strings.HasPrefix(f[2], f[1]) {
				t.Errorf("%s: no file %s at %s", word, f[1], f[2])
			}
		}
	}
	if len(words) < 50 {
		t.Errorf("only %d words", len(words))
	}
	for i, w := range words[1:] {
		// A word with its field in brackets, such as "row (of a board)", is the word once more.
		before, _, _ := strings.Cut(words[i], " (")
		word, _, _ := strings.Cut(w, " (")
		if strings.ToLower(before) >= strings.ToLower(word) {
			t.Errorf("%q stands after %q", w, words[i])
		}
	}
}
