package texts

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/feature/plural"

	"tengen/internal/testkit"
)

// said is one form of a text in a language, beside what it says in English.
type said struct {
	lang, key, form, text string
	english, description  string
	names                 map[string]string // of options, in the language
}

// checks are what a machine can see of a translation. Each gives what is wrong with a text, or nothing.
var checks = map[string]func(x said) string{
	"variables":  wrongVariables,
	"length":     tooLong,
	"marks":      oddMarks,
	"letters":    mixedLetters,
	"translated": untranslated,
	"options":    unnamedOptions,
	"inflection": oddInflection,
}

// wrongVariables tells of a text that has other variables than the English one. What is said of one alone may leave the
// number out.
func wrongVariables(x said) string {
	got, want := variables(x.text), variables(x.english)
	if strings.HasSuffix(x.key, exactly) && !slices.Contains(got, "Count") {
		want = slices.DeleteFunc(want, func(v string) bool { return v == "Count" })
	}
	if slices.Equal(got, want) {
		return ""
	}
	return fmt.Sprintf("has the variables %v, want %v", got, want)
}

// tooLong tells of a text that is longer than its description allows, or than Discord does.
func tooLong(x said) string {
	most := 4000
	if m := limit.FindStringSubmatch(x.description); m != nil {
		fmt.Sscan(m[1], &most)
	}
	for _, place := range places {
		if place.keys.MatchString(x.key) {
			most = min(most, place.most)
		}
	}
	if n := length(x.text); n > most {
		return fmt.Sprintf("has %d characters, %d are allowed", n, most)
	}
	return ""
}

// places are where Discord sets a limit, by the keys of what stands there.
var places = []struct {
	keys *regexp.Regexp
	most int
}{
	{regexp.MustCompile(`^button\.|^event\.button\.`), 80},
	{regexp.MustCompile(`^choice\.|^(command|option)\..*\.about$`), 100},
	{regexp.MustCompile(`^(command|option)\.`), 100},
	{regexp.MustCompile(`^(type|study\.form|event\.form|ladder\.form)\.?\w*$`), 45},
}

// closing are the marks that go together.
var closing = map[rune]rune{
	'(': ')', '[': ']', '{': '}', '«': '»', '「': '」', '『': '』', '（': '）', '《': '》', '【': '】', '“': '”', '„': '“',
}

const closers = ")]}»」』）》】”"

var (
	quoted = regexp.MustCompile("`[^`]*`")
	option = regexp.MustCompile("`([a-z]+)`")
	words  = regexp.MustCompile(`\pL+`)
)

// oddMarks tells of brackets and quotation marks that are not closed, or not by their own kind. German closes with what
// others open with.
func oddMarks(x said) string {
	text := quoted.ReplaceAllString(x.text, "")
	var open []rune
	for _, r := range text {
		shut := closing[r]
		if r == '„' && x.lang != "de" && x.lang != "cs" {
			shut = '”'
		}
		switch {
		case len(open) > 0 && r == open[len(open)-1]:
			open = open[:len(open)-1]
		case shut != 0:
			open = append(open, shut)
		case strings.ContainsRune(closers, r):
			return fmt.Sprintf("closes %c, which is not open", r)
		}
	}
	if len(open) > 0 {
		return fmt.Sprintf("lacks %c", open[0])
	}
	for _, mark := range []string{"**", "`"} {
		if strings.Count(x.text, mark)%2 != 0 {
			return "lacks a second " + mark
		}
	}
	return ""
}

// mixedLetters tells of a word with letters of two alphabets that look alike.
func mixedLetters(x said) string {
	for _, word := range words.FindAllString(variable.ReplaceAllString(x.text, " "), -1) {
		scripts := 0
		for _, script := range []*unicode.RangeTable{unicode.Latin, unicode.Cyrillic, unicode.Greek} {
			if strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(script, r) }) {
				scripts++
			}
		}
		if scripts > 1 {
			return fmt.Sprintf("has a word of two alphabets: %q", word)
		}
	}
	return ""
}

// alike are texts that a language may share with English, by the beginning of their keys.
var alike = map[string][]string{
	"choice.opening.": Tags(), // names, of rules too
	"choice.level.8":  Tags(),
	"unit.thousand":   Tags(),
	"rules.":          {"de", "hu"},
	"button.engine":   {"de"}, "button.pause": {"de"}, "button.start": {"de"}, "event.button.pause": {"de"},
	"event.form.checkIn": {"de"}, "event.form.name": {"de"}, "event.kind.arena": {"de"}, "demo.optional": {"de"},
	"demo.bots": {"de", "hu"}, "demo.tag": {"de", "hu"}, "page.share.link": {"de", "hu"},
}

// untranslated tells of a text that was left in English.
func untranslated(x said) string {
	left := quoted.ReplaceAllString(variable.ReplaceAllString(x.text, ""), "")
	if x.lang == "en" || x.text != x.english || !strings.ContainsFunc(left, unicode.IsLetter) {
		return ""
	}
	for key, langs := range alike {
		if strings.HasPrefix(x.key, key) && slices.Contains(langs, x.lang) {
			return ""
		}
	}
	return "is English"
}

// unnamedOptions tells of a text that names an option otherwise than Discord does in the language.
func unnamedOptions(x said) string {
	if x.lang == "en" {
		return ""
	}
	for _, m := range option.FindAllStringSubmatch(x.english, -1) {
		if name, ok := x.names[m[1]]; ok && !strings.Contains(x.text, name) {
			return fmt.Sprintf("does not name the option %q", name)
		}
	}
	return ""
}

// oddInflection tells of forms that a language cannot choose from.
func oddInflection(x said) string {
	for _, m := range inflected.FindAllStringSubmatch(x.text, -1) {
		forms := strings.Split(m[1], "/")
		most := len(categories(x.lang))
		if others[x.lang] != nil {
			most = 3
		}
		if len(forms) < 2 || len(forms) > most {
			return fmt.Sprintf("has %d forms in %s", len(forms), m[0])
		}
	}
	if strings.HasPrefix(x.key, ofPage) && inflected.MatchString(x.text) {
		return "has forms, which a page does not know"
	}
	return ""
}

var inflected = regexp.MustCompile(`{{\.\w+ ([^}]*)}}`)

// categories are the plural forms of a language by CLDR, in whole numbers and in fractions.
func categories(lang string) (names []string) {
	t := In(lang)
	has := map[plural.Form]bool{}
	for _, fraction := range []string{"", ".0", ".1", ".5"} {
		for n := range 201 {
			has[t.plural(fmt.Sprint(n, fraction))] = true
		}
	}
	for f, name := range map[plural.Form]string{plural.Zero: "zero", plural.One: "one", plural.Two: "two",
		plural.Few: "few", plural.Many: "many", plural.Other: "other"} {
		if has[f] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// all are all forms of all texts of a language.
func all(t *testing.T, lang string) (texts []said) {
	t.Helper()
	english, description := named(t, "en")
	own, _ := named(t, lang)
	names := map[string]string{}
	for key, forms := range own {
		if rest, ok := strings.CutPrefix(key, "option."); ok && !strings.Contains(rest, ".") {
			names[rest] = forms["other"]
		}
	}
	for _, key := range slices.Sorted(maps.Keys(own)) {
		of := strings.TrimSuffix(key, exactly)
		for _, form := range slices.Sorted(maps.Keys(own[key])) {
			texts = append(texts, said{lang, key, form, own[key][form], english[of]["other"], description[key], names})
		}
	}
	return texts
}

// named are the forms of a language's texts as its file has them, by their names.
func named(t *testing.T, lang string) (texts map[string]map[string]string, descriptions map[string]string) {
	t.Helper()
	raw := map[string]json.RawMessage{}
	testkit.Must(t, json.Unmarshal(testkit.Got(files.ReadFile(lang+".json")), &raw))
	texts, descriptions = map[string]map[string]string{}, map[string]string{}
	for key, value := range raw {
		forms := map[string]string{}
		if value[0] == '"' {
			var text string
			testkit.Must(t, json.Unmarshal(value, &text))
			forms["other"] = text
		} else {
			testkit.Must(t, json.Unmarshal(value, &forms))
		}
		descriptions[key] = forms["description"]
		delete(forms, "description")
		texts[key] = forms
	}
	return texts, descriptions
}

// nameOf reports whether a key is the name of a command or an option, which English has not.
func nameOf(key string) bool {
	return (strings.HasPrefix(key, "command.") || strings.HasPrefix(key, "option.")) && !strings.HasSuffix(key, ".about")
}

// A machine finds nothing wrong with any text.
func TestChecks(t *testing.T) {
	for _, lang := range Tags() {
		for _, x := range all(t, lang) {
			for name, check := range checks {
				if wrong := check(x); wrong != "" && !nameOf(x.key) {
					t.Errorf("%s: %s, %s (%s) %s: %q", lang, x.key, x.form, name, wrong, x.text)
				}
			}
		}
	}
}

// What a machine can find is found.
func TestPlantedFaults(t *testing.T) {
	long := strings.Repeat("x", 120)
	for _, c := range []struct {
		check string
		x     said
		sound bool
	}{
		{"variables", said{key: "a", form: "one", text: "{{.Who}}: {{.Count}} Spiel", english: "{{.Who}} has {{.Count}} games"}, true},
		{"variables", said{key: "a", form: "one", text: "{{.Who}} hat ein Spiel", english: "{{.Who}} has {{.Count}} games"}, false},
		{"variables", said{key: "a", form: "one", text: "{{.Wer}}: {{.Count}} Spiel", english: "{{.Who}} has {{.Count}} games"}, false},
		{"variables", said{key: "a.single", text: "{{.Who}} hat ein Spiel", english: "{{.Who}} has {{.Count}} games"}, true},
		{"variables", said{key: "a.single", text: "Ein Spiel", english: "{{.Who}} has {{.Count}} games"}, false},
		{"variables", said{key: "a", text: "{{.Count}} {{.Count день/дня}}", english: "{{.Count}} days"}, true},
		{"variables", said{key: "a", text: "{{.Days день/дня}}", english: "{{.Count}} days"}, false},
		{"variables", said{key: "page.a", text: "{Tage} Tage", english: "{Days} days"}, false},
		{"length", said{key: "button.a", text: long}, false},
		{"length", said{key: "event.button.a", text: long[:81]}, false},
		{"length", said{key: "button.a", text: long[:80]}, true},
		{"length", said{key: "choice.a", text: long[:101]}, false},
		{"length", said{key: "a", description: "At most 20 characters.", text: long[:21]}, false},
		{"length", said{key: "a", description: "At most 20 characters.", text: "{{.Count kurz/" + long[:21] + "}}"}, false},
		{"marks", said{lang: "de", text: "„so“ (und) **so**"}, true},
		{"marks", said{lang: "hu", text: "„így”"}, true},
		{"marks", said{lang: "de", text: "„so”"}, false},
		{"marks", said{text: "“so"}, false},
		{"marks", said{text: "so)"}, false},
		{"marks", said{text: "「so』"}, false},
		{"marks", said{text: "**so*"}, false},
		{"marks", said{text: "`so"}, false},
		{"letters", said{text: "поле H8, Renju и RIF-правила"}, true},
		{"letters", said{text: "пoле"}, false}, // with a Latin o
		{"letters", said{text: "X打ち"}, true},
		{"translated", said{lang: "de", key: "a", text: "Stones", english: "Stones"}, false},
		{"translated", said{lang: "de", key: "rules.renju", text: "Renju", english: "Renju"}, true},
		{"translated", said{lang: "ru", key: "rules.renju", text: "Renju", english: "Renju"}, false},
		{"translated", said{lang: "de", key: "a", text: "{{.Who}}: **{{.Point}}**", english: "{{.Who}}: **{{.Point}}**"}, true},
		{"options", said{lang: "de", text: "ohne `uhr`", english: "without `clock`", names: map[string]string{"clock": "uhr"}}, true},
		{"options", said{lang: "de", text: "ohne `clock`", english: "without `clock`", names: map[string]string{"clock": "uhr"}}, false},
		{"inflection", said{lang: "ru", text: "{{.Count ход/хода/ходов}}"}, true},
		{"inflection", said{lang: "de", text: "{{.Count Zug/Züge/Zügen}}"}, false},
		{"inflection", said{lang: "ru", text: "{{.Count ход}}"}, false},
		{"inflection", said{lang: "ko", text: "{{.Who 님이/이/가}}"}, true},
		{"inflection", said{lang: "ru", key: "demo.a", text: "{{.Number ход/хода/ходов}}"}, false},
	} {
		if wrong := checks[c.check](c.x); (wrong == "") != c.sound {
			t.Errorf("%s: %q in %s: %q", c.check, c.x.text, c.x.lang, wrong)
		}
	}
}

// A text with plural forms in English has exactly those of CLDR in each language.
func TestPluralForms(t *testing.T) {
	english, _ := named(t, "en")
	for _, lang := range Tags() {
		own, _ := named(t, lang)
		many := categories(lang)
		for key, forms := range own {
			want := many
			if english[key] == nil || len(english[key]) == 1 {
				want = []string{"other"}
			}
			if got := slices.Sorted(maps.Keys(forms)); !slices.Equal(got, want) {
				t.Errorf("%s: %s has the forms %v, want %v", lang, key, got, want)
			}
		}
	}
	for lang, want := range map[string]string{"ru": "[few many one other]", "ja": "[other]", "de": "[one other]"} {
		if got := fmt.Sprint(categories(lang)); got != want {
			t.Errorf("%s has %s, want %s", lang, got, want)
		}
	}
}

// What stands where Discord sets a limit says so to translators.
func TestLimitsAreTold(t *testing.T) {
	_, descriptions := named(t, "en")
	for key, description := range descriptions {
		for _, place := range places[:2] {
			menu := strings.HasPrefix(key, "command.") && strings.Contains(key, " ") // Discord shows no such sentence
			if place.keys.MatchString(key) && !limit.MatchString(description) && !menu {
				t.Errorf("the description of %s tells no limit", key)
			}
		}
	}
}

// term is a line of a language's glossary.
type term struct{ Term, Word, Source string }

// unused are the words of a glossary that stand in no text of the language. An inflected word counts by its beginning.
func unused(glossary []term, texts []said) (found []string) {
	var whole strings.Builder
	for _, x := range texts {
		whole.WriteString(strings.ToLower(x.text) + "\n")
	}
	for _, line := range glossary {
		stands := line.Term == "(address)"
		for _, word := range regexp.MustCompile(`[/,;、（(・]`).Split(strings.ToLower(line.Word), -1) {
			runes := []rune(strings.TrimSpace(word))
			stem := string(runes[:min(len(runes), max(2, len(runes)*7/10))])
			stands = stands || stem != "" && strings.Contains(whole.String(), stem)
		}
		if !stands {
			found = append(found, line.Term)
		}
	}
	return found
}

// The texts of a language say the words of its glossary. A few words are there for players alone.
func TestGlossaries(t *testing.T) {
	const most = 10
	paths, err := os.ReadDir("terms")
	testkit.Must(t, err)
	for _, path := range paths {
		lang := strings.TrimSuffix(path.Name(), ".json")
		var glossary []term
		testkit.Must(t, json.Unmarshal(testkit.Read(t, "terms/"+path.Name()), &glossary))
		if !slices.Contains(Tags(), lang) || len(glossary) < 70 {
			t.Errorf("%s has a glossary of %d terms", lang, len(glossary))
			continue
		}
		if found := unused(glossary, all(t, lang)); len(found) > most {
			t.Errorf("%s does not say %v", lang, found)
		}
	}
	planted := []term{{"stone", "Stein", ""}, {"disc", "Scheibe", ""}, {"(address)", "du", ""}}
	if found := unused(planted, []said{{text: "zwei Steine"}}); !slices.Equal(found, []string{"disc"}) {
		t.Errorf("%v", found)
	}
}
