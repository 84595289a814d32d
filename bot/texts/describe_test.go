package texts

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// Each text in English has a description, which translators read: where the text stands, what goes in for its
// variables, each with an example, and how long it may be in any language.

var (
	variable = regexp.MustCompile(`{{\.(\w+)[^}]*}}|{(\w+)}`) // the pages have theirs in single brackets
	limit    = regexp.MustCompile(`At most (\d+) characters\.`)
	example  = regexp.MustCompile(`such as|“|⚫ or ⚪|\d (or|to) \d|worded by Discord|the sign`)
)

// inFile are the texts of a language as its file has them: by their keys the forms of each, and its description.
func inFile(t *testing.T, lang string) (forms map[string][]string, descriptions map[string]string) {
	t.Helper()
	forms = map[string][]string{}
	var texts map[string]map[string]string
	texts, descriptions = named(t, lang)
	for key, text := range texts {
		forms[key] = slices.Sorted(maps.Values(text))
	}
	maps.DeleteFunc(descriptions, func(_, description string) bool { return description == "" })
	return forms, descriptions
}

// flaws are what is wrong with the description of a text: english are its forms in English, and all those in all
// languages.
func flaws(description string, english, all []string) (found []string) {
	if description == "" {
		return []string{"has no description"}
	}
	named, said := variables(description), variables(strings.Join(english, " "))
	if !slices.Equal(named, said) {
		found = append(found, fmt.Sprintf("has the variables %v, and the description names %v", said, named))
	}
	for _, part := range strings.Split(description, "{{.")[1:] {
		if !example.MatchString(part) {
			found = append(found, fmt.Sprintf("has no example: %q", part))
		}
	}
	limits := limit.FindAllStringSubmatch(description, -1)
	if len(limits) != strings.Count(description, "At most ") || len(limits) > 1 {
		found = append(found, "has a limit that is not in the words “At most N characters.”, or two limits")
	}
	for _, m := range limits {
		most, _ := strconv.Atoi(m[1])
		for _, text := range all {
			if n := length(text); n > most {
				found = append(found, fmt.Sprintf("%q has %d characters, %d are allowed", text, n, most))
			}
		}
	}
	return found
}

// A word that goes into a sentence cannot take its case, its gender or its place there. So a variable that takes
// another text, as its description says by the key of that text, stands apart: at an end of its text, or set off by a
// dot, a colon, a bracket or the like. A color has no such place: each has a sentence of its own.
var (
	insertion = regexp.MustCompile(`({{\.\w+}}): [^{]*“[a-z]+(?:\.\w*)*”`)
	setOff    = regexp.MustCompile(`^(.*[·:：(（「。.!?？；、*\n] ?|[^\pL]*)$`)
	setOn     = regexp.MustCompile(`^([,，、.。:：;；!)）」?？*\n]| [·(#]|$)`)
)

// inside are the variables of a text that take another text, and do not stand apart in it.
func inside(description, text string) (found []string) {
	for _, m := range insertion.FindAllStringSubmatch(description, -1) {
		before, after, there := strings.Cut(text, m[1])
		if there && (!setOff.MatchString(before) || !setOn.MatchString(after)) {
			found = append(found, m[1])
		}
	}
	return found
}

// variables are the names of the variables in a text.
func variables(s string) (names []string) {
	for _, m := range variable.FindAllStringSubmatch(s, -1) {
		names = append(names, m[1]+m[2])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// length is how long a text is, where three characters go in for each variable, or the longest of its forms.
func length(text string) int {
	return utf8.RuneCountInString(variable.ReplaceAllStringFunc(text, func(v string) string {
		longest := "xxx"
		if _, forms, ok := strings.Cut(strings.Trim(v, "{}"), " "); ok {
			for form := range strings.SplitSeq(forms, "/") {
				if utf8.RuneCountInString(form) > utf8.RuneCountInString(longest) {
					longest = form
				}
			}
		}
		return longest
	}))
}

// Every text in English is described, in words that hold for all languages. No other file has descriptions:
// translators read those of English.
func TestDescriptions(t *testing.T) {
	english, descriptions := inFile(t, "en")
	all := map[string][]string{}
	for _, lang := range Tags() {
		forms, own := inFile(t, lang)
		for key, texts := range forms {
			all[key] = append(all[key], texts...)
		}
		if lang != "en" && len(own) > 0 {
			t.Errorf("%s has descriptions: %v", lang, slices.Sorted(maps.Keys(own)))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(english)) {
		for _, flaw := range flaws(descriptions[key], english[key], all[key]) {
			t.Errorf("%s %s", key, flaw)
		}
	}
}

// No text has another one inside its sentence, in no language. Those that put two together are made for it.
func TestTextsStandApart(t *testing.T) {
	_, descriptions := inFile(t, "en")
	for _, lang := range Tags() {
		forms, _ := inFile(t, lang)
		for _, key := range slices.Sorted(maps.Keys(forms)) {
			for _, text := range forms[key] {
				if found := inside(descriptions[key], text); len(found) > 0 && !strings.HasPrefix(key, "list.") {
					t.Errorf("%s: %s has a text inside its sentence: %v in %q", lang, key, found, text)
				}
			}
		}
	}
	for planted, want := range map[string]int{
		"{{.Rules}}, move 3.":               0,
		"It is over. {{.Rules}}":            0,
		"Simul · {{.Rules}} · 3":            0,
		"Usual ({{.Rules}})":                0,
		"**{{.Rules}}**: yes":               0,
		"{{.Who}} plays {{.Rules}}.":        1,
		"The ladder of {{.Rules}} is full.": 1,
		"{{.Rules}} has no such opening.":   1,
		"学习{{.Rules}}":                      1,
	} {
		description := "A line. {{.Who}}: a member; {{.Rules}}: the game, a text of “rules.” such as Renju."
		if found := inside(description, planted); len(found) != want {
			t.Errorf("%q: %v", planted, found)
		}
	}
}

// The keys that descriptions name are there.
func TestKeysInDescriptions(t *testing.T) {
	_, descriptions := inFile(t, "en")
	key := regexp.MustCompile(`“([a-z]+\.[\w.-]*)”`)
	for of, description := range descriptions {
		for _, m := range key.FindAllStringSubmatch(description, -1) {
			begins := func(k string) bool { return k == m[1] || strings.HasSuffix(m[1], ".") && strings.HasPrefix(k, m[1]) }
			if !slices.ContainsFunc(slices.Collect(maps.Keys(descriptions)), begins) {
				t.Errorf("the description of %s names %s", of, m[1])
			}
		}
	}
}

// Each color has its text, or none has.
func TestColors(t *testing.T) {
	for _, tag := range Tags() {
		for key := range catalogue[tag]().texts {
			if strings.HasPrefix(key, "lesson.") { // what a step is about
				continue
			}
			sister := strings.NewReplacer(".black", ".white", ".white", ".black").Replace(key)
			if !catalogue[tag]().has(sister) {
				t.Errorf("%s: %s has no %s", tag, key, sister)
			}
		}
	}
}

// What is wrong with a description is found.
func TestFlaws(t *testing.T) {
	text := []string{"{{.Who}} plays {{.Point}}."}
	who, point := "{{.Who}}: a member, such as @Ann", "{{.Point}}: a point such as H8."
	for description, sound := range map[string]bool{
		"A line. " + who + "; " + point:                                      true,
		"A line. " + who + "; " + point + " At most 14 characters.":          true,
		"A line. " + who + "; " + point + " At most 13 characters.":          false,
		"A line. " + who + "; " + point + " At most twenty characters":       false,
		"A line. " + who + ".":                                               false,
		"A line. {{.Whom}}: a member, such as @Ann; " + point:                false,
		"A line. " + who + "; " + point + " {{.Count}}: a number such as 5.": false,
		"A line. {{.Who}}: a member; " + point:                               false,
		"":                                                                   false,
	} {
		if found := flaws(description, text, text); (len(found) == 0) != sound {
			t.Errorf("%q: %v", description, found)
		}
	}
}
