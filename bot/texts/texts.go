// Package texts is the catalogue of all texts that members read, in the languages of the bot.
// It knows keys and their variables, and nothing of games or messages. Start from In.
package texts

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"
)

//go:embed *.json
var files embed.FS

// Languages are the languages of the bot, English first.
var Languages = []string{"en", "zh-CN"}

// Locales are the locales of Discord, besides English, that have texts in the catalogue.
var Locales = []string{"zh-CN"}

// Tongue is one language of the catalogue.
type Tongue struct {
	Lang  string
	loc   *i18n.Localizer
	keys  map[string]bool
	plain map[string]string // texts of one form without variables: i18n looks for both in every text
}

// catalogue reads the embedded files, once.
var catalogue = sync.OnceValue(func() map[string]Tongue {
	bundle := i18n.NewBundle(language.English)
	bundle.RegisterUnmarshalFunc("json", json.Unmarshal)
	tongues := map[string]Tongue{}
	for _, lang := range Languages {
		file, err := bundle.LoadMessageFileFS(files, lang+".json")
		if err != nil {
			panic(fmt.Sprintf("texts of %s: %v", lang, err)) // embedded files, held by a test
		}
		keys, plain := map[string]bool{}, map[string]string{}
		for _, m := range file.Messages {
			keys[m.ID] = true
			if (*m == i18n.Message{ID: m.ID, Other: m.Other}) && m.Other != "" && !strings.Contains(m.Other, "{{") {
				plain[m.ID] = m.Other
			}
		}
		tongues[lang] = Tongue{lang, i18n.NewLocalizer(bundle, lang, "en"), keys, plain}
	}
	return tongues
})

// In is the language for a locale such as zh-TW or en-GB; English where there is none.
func In(locale string) Tongue {
	if strings.HasPrefix(locale, "zh") {
		return catalogue()["zh-CN"]
	}
	return catalogue()["en"]
}

// Local is the text of a key in one of Locales, without falling back on English; empty
// where there is none.
func Local(key, locale string) string {
	t, ok := catalogue()[locale]
	if !ok || !t.keys[key] {
		return ""
	}
	return t.Say(key)
}

// Say is the text of a key. Arguments come in pairs of a name and a value; "Count"
// chooses the plural form.
func (t Tongue) Say(key string, args ...any) string {
	if s, ok := t.plain[key]; ok && len(args) == 0 {
		return s
	}
	c := &i18n.LocalizeConfig{MessageID: key}
	if len(args) > 0 {
		data := make(map[string]any, len(args)/2)
		for i := 0; i+1 < len(args); i += 2 {
			data[args[i].(string)] = args[i+1]
		}
		c.TemplateData = data
		if n, ok := data["Count"]; ok {
			c.PluralCount = n
		}
	}
	s, err := t.loc.Localize(c)
	if err != nil && s == "" {
		return key
	}
	return s
}

// Has reports whether the catalogue has a key.
func (t Tongue) Has(key string) bool {
	s, err := t.loc.Localize(&i18n.LocalizeConfig{MessageID: key})
	return err == nil && s != ""
}

// List joins words as the language does: A, B and C.
func (t Tongue) List(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	last := len(items) - 1
	return t.Say("list.and", "Many", strings.Join(items[:last], t.Say("list.comma")), "Last", items[last])
}
