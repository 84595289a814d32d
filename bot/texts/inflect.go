package texts

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/feature/plural"
)

// counted is the order of the forms of a word that goes with a number: those that a language has, as CLDR calls them.
// The last one that is written stands for all that follow.
var counted = []plural.Form{plural.One, plural.Few, plural.Many, plural.Other}

// others are the languages in which the forms go with something else.
var others = map[string]func(value string, forms []string) string{"ja": japanese, "ko": korean, "hu": hungarian}

// inflect is that of the forms of a word which goes with a value: {{.Count человек/человека/человек}} with a number.
func (t Tongue) inflect(value string, forms []string) string {
	if choose, ok := others[t.Lang]; ok {
		return choose(value, forms)
	}
	if i := slices.Index(counted, t.plural(value)); i >= 0 && i < len(forms) {
		return forms[i]
	}
	return forms[len(forms)-1]
}

// plural is the plural form that goes with a number such as 21 or 1.5; plural.Other with anything else.
func (t Tongue) plural(number string) plural.Form {
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(number, "-"), ".")
	short := strings.TrimRight(fraction, "0")
	i, err := strconv.Atoi(whole)
	if err != nil {
		return plural.Other
	}
	f, _ := strconv.Atoi(fraction)
	exact, _ := strconv.Atoi(short)
	return plural.Cardinal.MatchPlural(t.tag, i, len(fraction), len(short), f, exact)
}

// spoken is a value as it is read aloud: without what is in brackets after it, and without marks.
func spoken(value string) string {
	value, _, _ = strings.Cut(value, " (")
	return strings.TrimFunc(value, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// Digits and Latin letters whose Korean names end in a consonant, and those that end in its ㄹ.
const (
	koreanConsonants = "013678LMNRlmnr"
	koreanL          = "178LRlr"
)

// aMember is how a value ends that is a mention of a member. Nobody knows how Discord words it.
var aMember = regexp.MustCompile(`<@\d+>$`)

// japanese is the first form after a member, and the second one after whatever else: {{.Who さん/}}.
func japanese(value string, forms []string) string {
	if aMember.MatchString(value) {
		return forms[0]
	}
	return forms[len(forms)-1]
}

// korean is the particle that goes with the last sound of a value: {{.Point 은/는}}, the first one after a consonant,
// the second one after a vowel. 으로 does not follow ㄹ. Of three, {{.Who 님이/이/가}}, the first one is for members; of
// two they get both.
func korean(value string, forms []string) string {
	consonant, vowel := forms[max(0, len(forms)-2)], forms[len(forms)-1]
	switch member := aMember.MatchString(value); {
	case member && len(forms) > 2:
		return forms[0]
	case member:
		return consonant + "(" + vowel + ")"
	}
	last, _ := utf8.DecodeLastRuneInString(spoken(value))
	ends, l := strings.ContainsRune(koreanConsonants, last), strings.ContainsRune(koreanL, last)
	if last >= '가' && last <= '힣' {
		final := (last - '가') % 28
		ends, l = final != 0, final == 8
	}
	if ends && !(l && strings.HasPrefix(consonant, "으")) {
		return consonant
	}
	return vowel
}

var (
	lastNumber  = regexp.MustCompile(`\d+$`)
	firstNumber = regexp.MustCompile(`^\d+`)
	letterAlone = regexp.MustCompile(`^[A-Za-z](?:\d|$)`)
)

// hungarian is the article that goes with the first sound of a value, {{.Point a/az}}, or the ending that goes with its
// last vowels: {{.Point ra/re}}, the first one with back vowels, the second one with front ones.
func hungarian(value string, forms []string) string {
	second := frontVowels
	if strings.EqualFold(forms[0], "a") {
		second = beginsWithVowel
	}
	if second(strings.ToLower(spoken(value))) {
		return forms[len(forms)-1]
	}
	return forms[0]
}

// beginsWithVowel reports whether a Hungarian reads a value with a vowel first: öt is 5, egy 1, ezer 1000, ef F.
func beginsWithVowel(value string) bool {
	switch n := firstNumber.FindString(value); {
	case n != "":
		return n[0] == '5' || n[0] == '1' && len(n)%3 == 1
	case letterAlone.MatchString(value):
		return strings.ContainsRune("aefilmnorsuxy", rune(value[0]))
	}
	first, _ := utf8.DecodeRuneInString(value)
	return strings.ContainsRune("aáeéiíoóöőuúüű", first)
}

const frontLetters = "eéiíöőüű"

// frontVowels reports whether a Hungarian reads the end of a value with front vowels: öt is 5, tíz 10, ezer 1000.
func frontVowels(value string) bool {
	n := strings.TrimLeft(lastNumber.FindString(value), "0")
	if n == "" {
		last := strings.LastIndexAny(value, "aáoóuú"+frontLetters)
		return last >= 0 && strings.IndexAny(value[last:], frontLetters) == 0
	}
	digits := strings.TrimRight(n, "0")
	digit := digits[len(digits)-1]
	switch zeros := len(n) - len(digits); zeros {
	case 0:
		return strings.ContainsRune("124579", rune(digit))
	case 1:
		return strings.ContainsRune("14579", rune(digit))
	default:
		return zeros >= 3 // száz is 100
	}
}
