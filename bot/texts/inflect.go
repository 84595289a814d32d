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

// sounds are the languages in which the forms go with how a value is read aloud.
var sounds = map[string]func(value string, forms []string) string{"ko": korean, "hu": hungarian}

// inflect is that of the forms of a word which goes with a value: {{.Count человек/человека/человек}} with a number,
// in Korean {{.Point 은/는}} with the end of a word, in Hungarian {{.Point a/az}} with its beginning.
func (t Tongue) inflect(value string, forms []string) string {
	if sound, ok := sounds[t.Lang]; ok {
		return sound(value, forms)
	}
	return forms[min(slices.Index(counted, t.plural(value)), len(forms)-1)]
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

// korean is the particle that goes with the last sound of a value: the first one follows a consonant, the second a
// vowel. 으로 does not follow ㄹ. Nobody knows how Discord will word a mention: it gets both.
func korean(value string, forms []string) string {
	first, second := forms[0], forms[len(forms)-1]
	if strings.HasSuffix(value, ">") {
		return first + "(" + second + ")"
	}
	last, _ := utf8.DecodeLastRuneInString(spoken(value))
	consonant, l := strings.ContainsRune(koreanConsonants, last), strings.ContainsRune(koreanL, last)
	if last >= '가' && last <= '힣' {
		final := (last - '가') % 28
		consonant, l = final != 0, final == 8
	}
	if consonant && !(l && strings.HasPrefix(first, "으")) {
		return first
	}
	return second
}

var (
	lastNumber  = regexp.MustCompile(`\d+$`)
	firstNumber = regexp.MustCompile(`^\d+`)
	letterAlone = regexp.MustCompile(`^[A-Za-z](?:\d|$)`)
)

// hungarian is the article that goes with the first sound of a value, a or az, or the ending that goes with its vowels:
// the first one with back vowels, the second with front ones.
func hungarian(value string, forms []string) string {
	value = strings.ToLower(spoken(value))
	second := false
	if strings.EqualFold(forms[0], "a") {
		second = beginsWithVowel(value)
	} else {
		second = frontVowels(value)
	}
	if second {
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
