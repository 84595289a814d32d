package demo_test

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tengen/bot/texts"
	"tengen/internal/testkit"
)

// What the page says stands in the catalogue, in all languages, and the page says all of it.
func TestWords(t *testing.T) {
	files := testkit.Got(filepath.Glob("page/*.*"))
	files = append(files, "api.go") // its refusals are words of the page
	said := regexp.MustCompile(`\bwords?\("([^"]+)"[,)]|data-(?:word|label)="([^"]+)"`)
	literal := regexp.MustCompile(`"([a-z][A-Za-z.]*)"`)
	spoken, literals := map[string]bool{}, map[string]bool{}
	for _, f := range files {
		text := string(testkit.Read(t, f))
		for _, m := range said.FindAllStringSubmatch(text, -1) {
			spoken[m[1]+m[2]] = true
		}
		for _, m := range literal.FindAllStringSubmatch(text, -1) {
			literals[m[1]] = true
		}
	}
	for _, lang := range texts.Tags() {
		page := texts.In(lang).Page()
		for key := range spoken {
			if page[key] == "" {
				t.Errorf("%s: the page says %q, which is not in the catalogue", lang, key)
			}
		}
	}
	page := texts.In("en").Page()
	for _, key := range slices.Sorted(maps.Keys(page)) {
		table, _, _ := strings.Cut(key, ".")
		if !spoken[key] && !literals[strings.TrimSuffix(key, ".about")] && !literals[table+"."] {
			t.Errorf("demo.%s is in the catalogue, and the page does not say it", key)
		}
		if zh := texts.In("zh-CN").Page()[key]; zh == page[key] {
			t.Errorf("demo.%s is not in Chinese", key)
		}
	}
}

// A page in Chinese says nothing in English beside names.
func TestWordsAreServed(t *testing.T) {
	t.Parallel() // ending a session takes a second
	s := open(t)
	for locale, want := range map[string]string{"en-US": "Play against the bot", "zh-CN": "与机器人对局"} {
		_, body, _ := s.ask(t, "GET", "/api/words?locale="+locale, "")
		var words map[string]string
		testkit.Must(t, json.Unmarshal([]byte(body), &words))
		testkit.Want(t, locale, words["start"], want)
	}
}
