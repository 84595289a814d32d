// Package texts is the catalogue of all texts that members read, in the languages of the bot.
// It knows keys and their variables, and nothing of games or messages. Start from In.
package texts

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

//go:embed *.json
var files embed.FS

// Language is a language of the bot. Its texts are in a file of its tag.
type Language struct {
	Tag  string // as Discord calls the locale
	Name string // in the language itself
}

// Languages are the languages of the bot. What one of them lacks is said in the first, English. Settings,
// registration and the choice of a language follow from this table.
var Languages = []Language{
	{"en", "English"}, {"de", "Deutsch"}, {"hu", "Magyar"}, {"ru", "Русский"}, {"ja", "日本語"}, {"ko", "한국어"},
	{"zh-CN", "简体中文"}, {"zh-TW", "繁體中文"},
}

// Tags are the tags of all languages.
func Tags() []string {
	var tags []string
	for _, l := range Languages {
		tags = append(tags, l.Tag)
	}
	return tags
}

// Locales are the locales of Discord, besides English, that have texts in the catalogue.
func Locales() []string { return Tags()[1:] }

// Name is a language's name in itself; empty where there is no such language.
func Name(tag string) string {
	if i := slices.Index(Tags(), tag); i >= 0 {
		return Languages[i].Name
	}
	return ""
}

// Tongue is one language of the catalogue.
type Tongue struct {
	Lang  string
	tag   language.Tag
	texts map[string]text
}

// text is a text in its plural forms, by plural.Form. Most have the first alone, plural.Other.
type text []string

// UnmarshalJSON reads a text that is a string, or an object of plural forms. The description in it is for translators.
func (x *text) UnmarshalJSON(data []byte) error {
	*x = text{""}
	if data[0] == '"' {
		return json.Unmarshal(data, &(*x)[0])
	}
	var forms struct{ Other, Zero, One, Two, Few, Many string }
	if err := json.Unmarshal(data, &forms); err != nil {
		return err
	}
	*x = text{forms.Other, forms.Zero, forms.One, forms.Two, forms.Few, forms.Many}
	if strings.Join((*x)[1:], "") == "" {
		*x = text{forms.Other}
	}
	return nil
}

// form is a plural form; the last resort is plural.Other.
func (x text) form(f plural.Form) string {
	if int(f) < len(x) && x[f] != "" {
		return x[f]
	}
	return x[plural.Other]
}

// catalogue reads the embedded file of each language when it is first asked for.
var catalogue = func() map[string]func() Tongue {
	all := map[string]func() Tongue{}
	for _, tag := range Tags() {
		all[tag] = sync.OnceValue(func() Tongue { return read(tag) })
	}
	return all
}()

func read(tag string) Tongue {
	t := Tongue{Lang: tag, tag: language.Make(tag)}
	data, err := files.ReadFile(tag + ".json")
	if err == nil {
		err = json.Unmarshal(data, &t.texts)
	}
	if err != nil {
		panic(fmt.Sprintf("texts of %s: %v", tag, err)) // embedded files, held by a test
	}
	return t
}

// english is what every language lacks nothing of.
func english() Tongue { return catalogue["en"]() }

// matcher finds the language of a locale by BCP 47.
var matcher = sync.OnceValue(func() language.Matcher {
	var tags []language.Tag
	for _, tag := range Tags() {
		tags = append(tags, language.Make(tag))
	}
	return language.NewMatcher(tags)
})

// In is the language for a locale such as zh-CN; for zh-HK the one that is written alike, and English where there is
// none.
func In(locale string) Tongue {
	if t, ok := catalogue[locale]; ok {
		return t()
	}
	wanted, _ := language.Parse(locale)
	_, i, _ := matcher().Match(wanted)
	t := catalogue[Languages[i].Tag]()
	wantedBase, _ := wanted.Base()
	if base, _ := t.tag.Base(); base != wantedBase { // the matcher has Russian for Belarusian
		return english()
	}
	return t
}

// Local is the text of a key in one language, without falling back on English; empty where there is none.
func Local(key, locale string) string {
	if t, ok := catalogue[locale]; ok && t().has(key) {
		return t().Say(key)
	}
	return ""
}

// Say is the text of a key. Arguments come in pairs of a name and a value; several words are said as a List. "Count"
// chooses the plural form. The form "one" is said of 21 too where the language does so: what is said of one alone has
// the key with ".single" added, in the languages that want it.
func (t Tongue) Say(key string, args ...any) string {
	if !t.has(key) {
		if t = english(); !t.has(key) {
			return key
		}
	}
	form := plural.Other
	if count, ok := t.value("Count", args); ok {
		if form = t.plural(count); count == "1" && t.has(key+exactly) {
			key += exactly
		}
	}
	return t.fill(t.texts[key].form(form), args)
}

// has reports whether the language itself has a text.
func (t Tongue) has(key string) bool { return len(t.texts[key]) > 0 }

// value is the argument of a name, as it is said.
func (t Tongue) value(name string, args []any) (said string, ok bool) {
	for i := 0; i+1 < len(args); i += 2 {
		if args[i] != name {
			continue
		}
		if words, list := args[i+1].([]string); list {
			return t.List(words), true
		}
		return fmt.Sprint(args[i+1]), true
	}
	return "", false
}

// fill puts the values in for the variables of a text, such as {{.Who}}, and for {{.Who form/form}} the form that goes
// with the value. A variable without a value stays as it is.
func (t Tongue) fill(text string, args []any) string {
	before, rest, more := strings.Cut(text, "{{.")
	if !more {
		return text
	}
	var out strings.Builder
	for more {
		out.WriteString(before)
		variable, after, _ := strings.Cut(rest, "}}")
		name, forms, inflects := strings.Cut(variable, " ")
		switch value, ok := t.value(name, args); {
		case !ok:
			out.WriteString("{{." + variable + "}}")
		case inflects:
			out.WriteString(t.inflect(value, strings.Split(forms, "/")))
		default:
			out.WriteString(value)
		}
		before, rest, more = strings.Cut(after, "{{.")
	}
	out.WriteString(before)
	return out.String()
}

// ofPage begins the keys of the demo's page.
const ofPage = "demo."

// Page are the texts of the demo's page, by their keys without "demo.". Where they have variables, these stand in
// them as in the catalogue: {{.Name}}.
func (t Tongue) Page() map[string]string {
	page := map[string]string{}
	for _, of := range []Tongue{english(), t} {
		for key, text := range of.texts {
			if key, ok := strings.CutPrefix(key, ofPage); ok {
				page[key] = text.form(plural.Other)
			}
		}
	}
	return page
}

// Keys are the keys of all texts that a language can have, in order.
func Keys() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(english().texts)),
		func(key string) bool { return strings.HasSuffix(key, exactly) })
}

// Missing are those of Keys that a language lacks.
func Missing(tag string) []string {
	return slices.DeleteFunc(Keys(), catalogue[tag]().has)
}

// exactly is the end of the keys of what is said of one alone.
const exactly = ".single"

// Has reports whether the catalogue has a key.
func (t Tongue) Has(key string) bool { return t.has(key) || english().has(key) }

// List joins words as the language does: A, B and C.
func (t Tongue) List(items []string) string {
	switch last := len(items) - 1; {
	case last < 1:
		return strings.Join(items, "")
	case last == 1:
		return t.join("list.two", items)
	default:
		return t.join("list.end", []string{t.join("list.more", items[:last]), items[last]})
	}
}

// Line joins the parts of a line that are not empty: A · B · C.
func (t Tongue) Line(parts ...string) string { return t.join("list.line", parts) }

// Sentences joins the sentences that are not empty.
func (t Tongue) Sentences(sentences ...string) string { return t.join("list.sentence", sentences) }

// join puts one part after the other, as the text of a key puts two.
func (t Tongue) join(key string, parts []string) (said string) {
	for _, part := range parts {
		switch {
		case part == "":
		case said == "":
			said = part
		default:
			said = t.Say(key, "First", said, "Then", part)
		}
	}
	return said
}

// Aside is a word with another one in brackets.
func (t Tongue) Aside(text, aside string) string {
	return t.Say("list.aside", "Text", text, "Aside", aside)
}
