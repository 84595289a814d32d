package texts

import (
	"strings"
	"testing"

	"github.com/nicksnyder/go-i18n/v2/i18n"
)

// A text of one form without variables is kept as it stands, and is what i18n would say.
func TestPlain(t *testing.T) {
	for lang, tongue := range catalogue() {
		forms, _ := inFile(t, lang)
		for key, texts := range forms {
			stands := len(texts) == 1 && texts[0] != "" && !strings.Contains(texts[0], "{{")
			if _, kept := tongue.plain[key]; kept != stands {
				t.Errorf("%s: %s is kept as it stands: %v, want %v", lang, key, kept, stands)
			}
		}
		for key := range tongue.plain {
			if want, err := tongue.loc.Localize(&i18n.LocalizeConfig{MessageID: key}); err != nil || tongue.Say(key) != want {
				t.Errorf("%s: %s is %q, want %q, %v", lang, key, tongue.Say(key), want, err)
			}
		}
	}
}

// A locale finds its language, or one with the same beginning, or English.
func TestIn(t *testing.T) {
	for locale, want := range map[string]string{"en-GB": "en", "zh-CN": "zh-CN", "zh-TW": "zh-CN", "": "en", "de": "en",
		"z": "en", "zhx": "en"} {
		if got := In(locale).Lang; got != want {
			t.Errorf("%q: %s, want %s", locale, got, want)
		}
	}
}

// What a language lacks is said in English, and each language has its name.
func TestFallback(t *testing.T) {
	key := "hint.win" + exactly
	if got := In("zh-CN").Say("hint.win", "Count", 1); got == In("en").Say("hint.win", "Count", 1) || got == key {
		t.Errorf("a language that has a text of several says %q of one", got)
	}
	if got, want := In("zh-CN").Say(key), In("en").Say(key); got != want || Local(key, "zh-CN") != "" {
		t.Errorf("%q, want %q", got, want)
	}
	for _, l := range Languages {
		if l.Name == "" || Name(l.Tag) != l.Name {
			t.Errorf("%s has the name %q", l.Tag, Name(l.Tag))
		}
	}
	if len(Missing("en")) != 0 || Name("xx") != "" {
		t.Error("English lacks a text, or xx is a language")
	}
}
