package view

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"tengen/internal/testkit"
)

// Every character that stands alone on a button has its sign, and every sign its character.
func TestSigns(t *testing.T) {
	drawn := Signs()
	if len(drawn) != len(signs) {
		t.Fatalf("%d of %d", len(drawn), len(signs))
	}
	chars, names, told := map[string]bool{}, map[string]bool{}, string(testkit.Read(t, "../../docs/screen-readers.md"))
	heard := regexp.MustCompile(`^[a-z]+(_[a-z]+)*(_[0-9]+)?$`) // words, not a code
	for _, s := range drawn {
		if s.Char == "" || chars[s.Char] || names[s.Name] || len(s.Name) < 2 || len(s.Name) > 32 ||
			!heard.MatchString(s.Name) || len(s.PNG) == 0 {
			t.Errorf("%s %q, %d bytes", s.Char, s.Name, len(s.PNG))
		}
		if !strings.Contains(told, "`"+s.Name+"`") {
			t.Errorf("docs/screen-readers.md does not name %s", s.Name)
		}
		chars[s.Char], names[s.Name] = true, true
	}
	text := map[string]bool{"▫️": true} // in texts alone
	var files []string
	for _, pattern := range []string{"*.go", "../*.go"} {
		files = append(files, testkit.Got(filepath.Glob(pattern))...)
	}
	found := 0
	for _, f := range files {
		data := testkit.Read(t, f)
		for _, m := range regexp.MustCompile(`"([^"\\ -~]+)"`).FindAllStringSubmatch(string(data), -1) {
			if r, _ := utf8.DecodeRuneInString(m[1]); r < 0x2300 || r > 0x2BFF && r != '⋯' && r < 0x1F000 || text[m[1]] {
				continue
			}
			found++
			if !chars[m[1]] {
				t.Errorf("%s: %s has no sign", f, m[1])
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d characters found", found)
	}
}
