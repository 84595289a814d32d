package texts

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"tengen/internal/testkit"
)

// Each text in English has a description, which translators read: where the text stands, what goes in for its
// variables, and how long it may be in any language.

var (
	variable = regexp.MustCompile(`{{\.\w+}}`)
	limit    = regexp.MustCompile(`At most (\d+) characters\.`)
)

// inFile are the texts of a language as its file has them: by their keys the forms of each, and its description.
func inFile(t *testing.T, lang string) (forms map[string][]string, descriptions map[string]string) {
	t.Helper()
	data, err := files.ReadFile(lang + ".json")
	testkit.Must(t, err)
	raw := map[string]any{}
	testkit.Must(t, json.Unmarshal(data, &raw))
	forms, descriptions = map[string][]string{}, map[string]string{}
	for key, value := range raw {
		switch value := value.(type) {
		case string:
			forms[key] = []string{value}
		case map[string]any:
			for form, text := range value {
				if form == "description" {
					descriptions[key] = text.(string)
					continue
				}
				forms[key] = append(forms[key], text.(string))
			}
		}
	}
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

func variables(s string) []string {
	return slices.Compact(slices.Sorted(slices.Values(variable.FindAllString(s, -1))))
}

// length is how long a text is, where three characters go in for each variable.
func length(text string) int { return utf8.RuneCountInString(variable.ReplaceAllString(text, "xxx")) }

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

// What is wrong with a description is found.
func TestFlaws(t *testing.T) {
	text := []string{"{{.Who}} plays {{.Point}}."}
	for description, sound := range map[string]bool{
		"A line. {{.Who}}: a member. {{.Point}}: a point.":                           true,
		"A line. {{.Who}}: a member. {{.Point}}: a point. At most 14 characters.":    true,
		"A line. {{.Who}}: a member. {{.Point}}: a point. At most 13 characters.":    false,
		"A line. {{.Who}}: a member. {{.Point}}: a point. At most twenty characters": false,
		"A line. {{.Who}}: a member.":                                                false,
		"A line. {{.Whom}}: a member. {{.Point}}: a point.":                          false,
		"A line. {{.Who}}: a member. {{.Point}}: a point. {{.Count}}: a number.":     false,
		"": false,
	} {
		if found := flaws(description, text, text); (len(found) == 0) != sound {
			t.Errorf("%q: %v", description, found)
		}
	}
}
