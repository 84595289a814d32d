package texts

import (
	"fmt"
	"testing"
)

// A locale finds its language, or one that is written alike, or English.
func TestIn(t *testing.T) {
	for locale, want := range map[string]string{"en-GB": "en", "en-US": "en", "zh-CN": "zh-CN", "zh-TW": "zh-TW",
		"zh": "zh-CN", "zh-SG": "zh-CN", "zh-HK": "zh-TW", "zh-MO": "zh-TW", "zh-Hant": "zh-TW", "": "en", "de": "de",
		"de-AT": "de", "ja": "ja", "fi": "en", "be": "en", "uk": "en", "gsw": "en", "z": "en", "zhx": "en",
		"not a locale": "en"} {
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
	if got := In("de").Say("no.such.key"); got != "no.such.key" {
		t.Errorf("a key that nobody has is said as %q", got)
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

// The values go in for their variables, and words take the form that goes with a value.
func TestFill(t *testing.T) {
	for _, c := range []struct {
		lang, text string
		value      any
		want       string
	}{
		{"en", "A {{.X}} and {{.X}}.", 3, "A 3 and 3."},
		{"en", "A {{.Y}}.", 3, "A {{.Y}}."},
		{"en", "A {{.X}}.", "{{.X}}", "A {{.X}}."},
		{"en", "A {{.X}}.", []string{"H8", "I9", "J10"}, "A H8, I9 and J10."},
		{"en", "{{.X is/are}}", 1, "is"},
		{"en", "{{.X is/are}}", 0, "are"},
		{"en", "{{.X is/are}}", "many", "are"},
		{"ru", "{{.X}} {{.X день/дня/дней}}", 1, "1 день"},
		{"ru", "{{.X}} {{.X день/дня/дней}}", 2, "2 дня"},
		{"ru", "{{.X}} {{.X день/дня/дней}}", 5, "5 дней"},
		{"ru", "{{.X}} {{.X день/дня/дней}}", 21, "21 день"},
		{"ru", "{{.X}} {{.X день/дня/дней}}", 112, "112 дней"},
		{"ru", "{{.X}} {{.X день/дня/дней/дня}}", "1.5", "1.5 дня"},
		{"ru", "{{.X день/дней}}", 3, "дней"},
		{"ja", "{{.X}}{{.X さん/}}が", "<@17>", "<@17>さんが"},
		{"ja", "{{.X}}{{.X さん/}}が", "ボット（レベル3）", "ボット（レベル3）が"},
		{"ko", "{{.X}}{{.X 은/는}}", "H8", "H8은"},
		{"ko", "{{.X}}{{.X 은/는}}", "H9", "H9는"},
		{"ko", "{{.X}}{{.X 으로/로}}", "H8", "H8로"},
		{"ko", "{{.X}}{{.X 으로/로}}", "J10", "J10으로"},
		{"ko", "{{.X}}{{.X 이/가}}", "예전 멤버", "예전 멤버가"},
		{"ko", "{{.X}}{{.X 이/가}}", "흑돌", "흑돌이"},
		{"ko", "{{.X}}{{.X 이/가}}", "봇 (레벨 3)", "봇 (레벨 3)이"},
		{"ko", "{{.X}}{{.X 이/가}}", "<@17>", "<@17>이(가)"},
		{"ko", "{{.X}}{{.X  님이/이/가}}", "<@17>", "<@17> 님이"},
		{"ko", "{{.X}}{{.X  님이/이/가}}", "예전 멤버", "예전 멤버가"},
		{"ko", "**{{.X}}**{{.X 을/를}}", "A3", "**A3**을"},
		{"hu", "{{.X A/Az}} {{.X}}", "H8", "A H8"},
		{"hu", "{{.X A/Az}} {{.X}}", "A1", "Az A1"},
		{"hu", "{{.X A/Az}} {{.X}}", "F4", "Az F4"},
		{"hu", "{{.X a/az}} {{.X}}.", 1, "az 1."},
		{"hu", "{{.X a/az}} {{.X}}.", 5, "az 5."},
		{"hu", "{{.X a/az}} {{.X}}.", 11, "a 11."},
		{"hu", "{{.X a/az}} {{.X}}.", 52, "az 52."},
		{"hu", "{{.X a/az}} {{.X}}.", 1000, "az 1000."},
		{"hu", "{{.X a/az}} {{.X}}", "ellenfél", "az ellenfél"},
		{"hu", "{{.X}}-{{.X ra/re}}", "H8", "H8-ra"},
		{"hu", "{{.X}}-{{.X ra/re}}", "H5", "H5-re"},
		{"hu", "{{.X}}-{{.X ra/re}}", "J10", "J10-re"},
		{"hu", "{{.X}}-{{.X ra/re}}", 20, "20-ra"},
		{"hu", "{{.X}}-{{.X ra/re}}", 100, "100-ra"},
		{"hu", "{{.X}}-{{.X ra/re}}", "Bent", "Bent-re"},
		{"hu", "{{.X}}-{{.X ra/re}}", "Anna", "Anna-ra"},
	} {
		if got := In(c.lang).fill(c.text, []any{"X", c.value}); got != c.want {
			t.Errorf("%s: %q with %v is %q, want %q", c.lang, c.text, c.value, got, c.want)
		}
	}
}

// "Count" chooses the plural form, and what is said of exactly one.
func TestSay(t *testing.T) {
	en := In("en")
	for count, want := range map[any]string{1: "It wins at once.", 2: "You can force a win within 2 moves.",
		"1.5": "You can force a win within 1.5 moves."} {
		if got := en.Say("hint.win", "Count", count); got != want {
			t.Errorf("%v: %q, want %q", count, got, want)
		}
	}
	if got := fmt.Sprint(en.Has("hint.win"), In("de").Has("hint.win"), en.Has("hint.nothing")); got != "true true false" {
		t.Error(got)
	}
}
