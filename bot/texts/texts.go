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

	"github.com/nicksnyder/go-i18n/v2/i18n"
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
var Languages = []Language{{"en", "English"}, {"zh-CN", "简体中文"}}

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
	loc   *i18n.Localizer
	keys  map[string]bool
	plain map[string]string // texts of one form without variables: i18n looks for both in every text
	page  map[string]string // of the demo's page, which fills in the variables itself
}

// catalogue reads the embedded files, once.
var catalogue = sync.OnceValue(func() map[string]Tongue {
	bundle := i18n.NewBundle(language.English)
	bundle.RegisterUnmarshalFunc("json", json.Unmarshal)
	tongues := map[string]Tongue{}
	for _, lang := range Tags() {
		file, err := bundle.LoadMessageFileFS(files, lang+".json")
		if err != nil {
			panic(fmt.Sprintf("texts of %s: %v", lang, err)) // embedded files, held by a test
		}
		keys, plain, page := map[string]bool{}, map[string]string{}, map[string]string{}
		for _, m := range file.Messages {
			m.Description = "" // it is for translators: the bundle, which has the same message, need not keep it
			keys[m.ID] = true
			if (*m == i18n.Message{ID: m.ID, Other: m.Other}) && m.Other != "" && !strings.Contains(m.Other, "{{") {
				plain[m.ID] = m.Other
			}
			if key, ok := strings.CutPrefix(m.ID, ofPage); ok {
				page[key] = m.Other
			}
		}
		tongues[lang] = Tongue{lang, i18n.NewLocalizer(bundle, lang, "en"), keys, plain, page}
	}
	return tongues
})

// In is the language for a locale such as zh-CN; for zh-TW one with the same beginning, and English where
// there is none.
func In(locale string) Tongue {
	if t, ok := catalogue()[locale]; ok {
		return t
	}
	wanted, _, _ := strings.Cut(locale, "-")
	for _, tag := range Tags() {
		if base, _, _ := strings.Cut(tag, "-"); base == wanted {
			return catalogue()[tag]
		}
	}
	return catalogue()["en"]
}

// Local is the text of a key in one language, without falling back on English; empty where there is none.
func Local(key, locale string) string {
	t, ok := catalogue()[locale]
	if !ok || !t.keys[key] {
		return ""
	}
	return t.Say(key)
}

// Say is the text of a key. Arguments come in pairs of a name and a value; several words are said as a List. "Count"
// chooses the plural form. The form "one" is said of 21 too where the language does so: what is said of one alone has
// the key with ".single" added, in the languages that want it.
func (t Tongue) Say(key string, args ...any) string {
	if s, ok := t.plain[key]; ok && len(args) == 0 {
		return s
	}
	c := &i18n.LocalizeConfig{MessageID: key}
	if len(args) > 0 {
		data := make(map[string]any, len(args)/2)
		for i := 0; i+1 < len(args); i += 2 {
			data[args[i].(string)] = args[i+1]
			if words, list := args[i+1].([]string); list {
				data[args[i].(string)] = t.List(words)
			}
		}
		c.TemplateData = data
		if n, ok := data["Count"]; ok {
			if fmt.Sprint(n) == "1" && t.keys[key+exactly] {
				c.MessageID += exactly
			} else {
				c.PluralCount = n
			}
		}
	}
	s, err := t.loc.Localize(c)
	if err != nil && s == "" {
		return key
	}
	return s
}

// ofPage begins the keys of the demo's page.
const ofPage = "demo."

// Page are the texts of the demo's page, by their keys without "demo.". Where they have variables, these stand in
// them as in the catalogue: {{.Name}}.
func (t Tongue) Page() map[string]string {
	all := maps.Clone(catalogue()["en"].page)
	maps.Copy(all, t.page)
	return all
}

// Keys are the keys of all texts that a language can have, in order.
func Keys() []string {
	var keys []string
	for key := range catalogue()["en"].keys {
		if !strings.HasSuffix(key, exactly) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// Missing are those of Keys that a language lacks.
func Missing(tag string) []string {
	return slices.DeleteFunc(Keys(), func(key string) bool { return catalogue()[tag].keys[key] })
}

// exactly is the end of the keys of what is said of one alone.
const exactly = ".single"

// Has reports whether the catalogue has a key.
func (t Tongue) Has(key string) bool {
	s, err := t.loc.Localize(&i18n.LocalizeConfig{MessageID: key})
	return err == nil && s != ""
}

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
