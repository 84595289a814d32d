package events

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"tengen/bot/texts"
	"tengen/internal/zone"
)

// start is when an event begins, as somebody wrote it.
type start struct {
	at     time.Time // zero: somebody begins it
	weekly bool      // and again every week
	asks   bool      // it was read by a clock or a calendar: shown back first
	in     *time.Location
}

// exact and its weekly form begin what String gives: the seconds follow in base 36.
const (
	exact       = "@"
	exactWeekly = "@@"
)

// String is the start so that it means the same everywhere, and is not asked again, in few characters.
func (s start) String() string {
	if s.at.IsZero() {
		return ""
	}
	prefix := exact
	if s.weekly {
		prefix = exactWeekly
	}
	return prefix + strconv.FormatInt(s.at.Unix(), 36)
}

// farthest is how far ahead an event may begin.
const farthest = 365 * 24 * time.Hour

// longestWhen is the longest text that is read as a start, in bytes.
const longestWhen = 200

// when reads a start as people write it, in a zone: "18:00", "tomorrow 18:00", "Friday 20:00 CET", "every
// Friday 8pm", "24 Dec 18:00", "2026-12-24 18:00", a span such as 90m, 2h or 3d, a time mark of Discord. Its words
// are those of a language, or else of any. Nothing is the zero time. ok is false for anything else, and for what is
// past or more than a year ahead.
func when(text, lang string, now time.Time, in *time.Location) (s start, ok bool) {
	if len(text) > longestWhen {
		return s, false
	}
	for _, lang := range append([]string{lang}, texts.Tags()...) {
		if s, ok = read(strings.Fields(plainly(text, lang)), now, in); ok {
			return s, true
		}
	}
	return s, false
}

// read reads a start by its words in English.
func read(words []string, now time.Time, in *time.Location) (s start, ok bool) {
	s.in = in
	if len(words) == 0 {
		return s, true
	}
	if digits, isExact := strings.CutPrefix(words[0], exact); isExact && len(words) == 1 {
		digits, s.weekly = strings.CutPrefix(digits, exact)
		seconds, err := strconv.ParseInt(digits, 36, 64)
		s.at = time.Unix(min(max(seconds, 0), 1<<40), 0).UTC()
		return s, err == nil && s.fits(now)
	}
	for len(words) > 1 && repeats[words[0]] {
		s.weekly, words = true, words[1:]
	}
	if s.at, ok = exactly(words, now); !ok {
		var d daytime
		if d, ok = written(words, in); !ok {
			return s, false
		}
		s.weekly, s.asks, s.in = s.weekly || d.weekly, true, d.in
		s.at, ok = d.after(now)
	}
	s.asks = s.asks || s.weekly
	return s, ok && s.fits(now)
}

// fits reports whether a start is ahead, and not too far.
func (s start) fits(now time.Time) bool { return s.at.After(now) && s.at.Sub(now) <= farthest }

// repeats are the words that make an event weekly.
var repeats = map[string]bool{"every": true}

// plainly is a start in small letters and in English, each word by itself.
func plainly(text, lang string) string {
	text = strings.Map(func(r rune) rune {
		if r >= '！' && r <= '～' { // the full-width forms of ASCII
			r += '!' - '！'
		}
		if strings.ContainsRune(",()", r) {
			return ' '
		}
		return unicode.ToLower(r)
	}, text)
	text = isoTime.ReplaceAllString(text, "$1 $2")
	text = halfDay.ReplaceAllString(text, "$1$2")
	return beforeColon.ReplaceAllString(inEnglish(text, lang), "$1:")
}

var (
	isoTime     = regexp.MustCompile(`\b(\d{4}-\d{2}-\d{2})t(\d)`)
	halfDay     = regexp.MustCompile(`(\d)\s+([ap]m)\b`)
	beforeColon = regexp.MustCompile(`(\d)\s+:`)
	noSpaces    = regexp.MustCompile(`[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]`)
)

// inEnglish has the words of a language in English, by the pairs that the catalogue has of it: "morgen = tomorrow".
// Longer ones go first. A word stands for itself, unless it is of a script that needs no spaces, or follows a number.
func inEnglish(text, lang string) string {
	var pairs [][2]string
	for _, pair := range strings.Split(texts.Local("when.words", lang), ",") {
		word, english, _ := strings.Cut(pair, "=")
		pairs = append(pairs, [2]string{strings.TrimSpace(word), strings.TrimSpace(english)})
	}
	slices.SortStableFunc(pairs, func(a, b [2]string) int { return len(b[0]) - len(a[0]) })
	text = " " + strings.Join(strings.Fields(text), " ") + " "
	for _, pair := range pairs {
		switch word, english := pair[0], pair[1]; {
		case word == "":
		case english == ":" || english == "-": // 20点30分, 12月24日
			text = strings.ReplaceAll(strings.ReplaceAll(text, word+" ", english), word, english)
		case noSpaces.MatchString(word) || strings.HasPrefix(english, ":"): // 明天20:00, 18uhr
			text = strings.ReplaceAll(text, word, " "+english+" ")
		default:
			text = strings.ReplaceAll(text, " "+word+" ", " "+english+" ")
		}
	}
	return text
}

// exactly reads what means the same everywhere: a time mark or a span.
func exactly(words []string, now time.Time) (at time.Time, ok bool) {
	if len(words) == 2 && words[0] == "in" {
		words = words[1:]
	}
	if len(words) != 1 {
		return at, false
	}
	word := words[0]
	if mark := timeMark.FindStringSubmatch(word); mark != nil {
		seconds, _ := strconv.ParseInt(mark[1], 10, 64)
		return time.Unix(seconds, 0).UTC(), true
	}
	if days, isDays := strings.CutSuffix(word, "d"); isDays {
		n, err := strconv.Atoi(days)
		return now.Add(time.Duration(n) * 24 * time.Hour), err == nil && n >= 0 && n <= 1000
	}
	span, err := time.ParseDuration(word)
	return now.Add(span), err == nil
}

var timeMark = regexp.MustCompile(`^<t:(\d{1,12})(:[a-z])?>$`)

// daytime is a day and a time of it as they were written. Only the time is always there.
type daytime struct {
	year, month, day int // 0: not written
	ahead            int // days from today; -1: not written
	weekday          int // -1: not written
	minute           int // of the day; -1: not written
	in               *time.Location
	zoned, weekly    bool
}

// written reads words that say a day, a time and a zone, in any order, each at most once.
func written(words []string, in *time.Location) (d daytime, ok bool) {
	d = daytime{ahead: -1, weekday: -1, minute: -1, in: in}
	for i, word := range words {
		last := ""
		if i > 0 {
			last = words[i-1]
		}
		day := fillers[word] || d.clock(word) || d.date(word) || d.dayOfMonth(word, last) || d.named(word)
		if !day && !d.zone(word) {
			return d, false
		}
	}
	days := 0
	for _, said := range []bool{d.day > 0, d.ahead >= 0, d.weekday >= 0} {
		if said {
			days++
		}
	}
	return d, d.minute >= 0 && days <= 1 && (d.day > 0) == (d.month > 0) && (d.year == 0 || d.day > 0)
}

// fillers are words that say nothing.
var fillers = map[string]bool{"at": true, "on": true, "the": true, "of": true, "this": true, "next": true}

var clockTime = regexp.MustCompile(`^(\d{1,2})(?:([:.h])(\d{2})?)?([ap]m)?$`)

// clock reads a time of day.
func (d *daytime) clock(word string) bool {
	if word == "noon" {
		word = "12:00"
	}
	m := clockTime.FindStringSubmatch(word)
	if m == nil || d.minute >= 0 || m[2] == "" && m[4] == "" || m[2] == "." && m[3] == "" {
		return false
	}
	hour, _ := strconv.Atoi(m[1])
	minute, _ := strconv.Atoi(m[3])
	if m[4] != "" {
		if hour < 1 || hour > 12 {
			return false
		}
		if hour %= 12; m[4] == "pm" {
			hour += 12
		}
	}
	if hour > 23 || minute > 59 {
		return false
	}
	d.minute = 60*hour + minute
	return true
}

var (
	yearFirst = regexp.MustCompile(`^(?:(\d{4})[-/])?(\d{1,2})[-](\d{1,2})$|^(\d{4})/(\d{1,2})/(\d{1,2})$`)
	dayFirst  = regexp.MustCompile(`^(\d{1,2})\.(\d{1,2})\.(\d{4})?$`)
)

// date reads a date in figures: 2026-12-24, 12-24, 24.12. or 24.12.2026. Those with other strokes mean
// different days in different countries.
func (d *daytime) date(word string) bool {
	if d.day > 0 || d.month > 0 {
		return false
	}
	if m := yearFirst.FindStringSubmatch(word); m != nil {
		d.year, _ = strconv.Atoi(m[1] + m[4])
		d.month, _ = strconv.Atoi(m[2] + m[5])
		d.day, _ = strconv.Atoi(m[3] + m[6])
		return d.month > 0 && d.day > 0
	}
	if m := dayFirst.FindStringSubmatch(word); m != nil {
		d.day, _ = strconv.Atoi(m[1])
		d.month, _ = strconv.Atoi(m[2])
		d.year, _ = strconv.Atoi(m[3])
		return d.month > 0 && d.day > 0
	}
	return false
}

var (
	dayNumber  = regexp.MustCompile(`^(\d{1,2})(?:st|nd|rd|th|\.)?$`)
	yearNumber = regexp.MustCompile(`^2\d{3}$`)
)

// dayOfMonth reads the number of a day beside the name of a month, and the year after them.
func (d *daytime) dayOfMonth(word, last string) bool {
	if m := dayNumber.FindStringSubmatch(word); m != nil && d.day == 0 {
		d.day, _ = strconv.Atoi(m[1])
		return d.day > 0
	}
	if yearNumber.MatchString(word) && d.year == 0 && d.month > 0 && d.day > 0 && last != "" {
		d.year, _ = strconv.Atoi(word)
		return true
	}
	return false
}

// named reads the name of a day or a month, and a word that makes an event weekly.
func (d *daytime) named(word string) bool {
	switch ahead, isDay := daysAhead[word]; {
	case isDay && d.ahead < 0:
		d.ahead = ahead
		return true
	case repeats[word] && !d.weekly:
		d.weekly = true
		return true
	}
	word = strings.TrimSuffix(word, ".")
	if len(word) < 3 {
		return false
	}
	for month := time.January; month <= time.December; month++ {
		if short(word, month.String()) && d.month == 0 {
			d.month = int(month)
			return true
		}
	}
	single := strings.TrimSuffix(word, "s")
	for day := time.Sunday; day <= time.Saturday; day++ {
		name := day.String()
		plural := strings.EqualFold(single, name) && single != word
		if (plural || short(word, name)) && d.weekday < 0 {
			d.weekday, d.weekly = int(day), d.weekly || plural
			return true
		}
	}
	return false
}

var daysAhead = map[string]int{"today": 0, "tomorrow": 1, "overmorrow": 2}

// short reports whether a word is a name or its beginning.
func short(word, name string) bool {
	return len(word) <= len(name) && strings.EqualFold(word, name[:len(word)])
}

var offset = regexp.MustCompile(`^(?:utc|gmt)?([+-])(\d{1,2})(?::?(\d{2}))?$`)

// zone reads a zone: Europe/Berlin, CET, UTC+2. The letters of the server's own zone mean that zone, so that
// who writes CET in summer gets the time on their wall.
func (d *daytime) zone(word string) bool {
	if d.zoned {
		return false
	}
	d.zoned = true
	for month := range time.Month(12) {
		own, _ := time.Date(2026, month+1, 1, 0, 0, 0, 0, d.in).Zone()
		if strings.EqualFold(own, word) {
			return true
		}
	}
	if minutes, ok := letters[word]; ok {
		d.in = time.FixedZone(strings.ToUpper(word), 60*minutes)
		return true
	}
	if m := offset.FindStringSubmatch(word); m != nil {
		hours, _ := strconv.Atoi(m[2])
		minutes, _ := strconv.Atoi(m[3])
		minutes += 60 * hours
		if m[1] == "-" {
			minutes = -minutes
		}
		d.in = time.FixedZone(strings.ToUpper(word), 60*minutes)
		return hours <= 14 && minutes%60 > -60
	}
	in, ok := zone.Named(capitals(word))
	if ok {
		d.in = in
	}
	return ok
}

// capitals writes the name of a zone as the list of zones has it.
func capitals(name string) string {
	if name == "utc" {
		return "UTC"
	}
	begins := true
	return strings.Map(func(r rune) rune {
		first := begins
		if begins = r == '/' || r == '_'; first {
			return unicode.ToUpper(r)
		}
		return r
	}, name)
}

// letters are the zones that people write as letters, in minutes east of Greenwich. Those that mean several
// zones are the ones of most who write English.
var letters = map[string]int{
	"utc": 0, "gmt": 0, "z": 0, "wet": 0, "west": 60, "bst": 60, "cet": 60, "cest": 120, "mez": 60, "mesz": 120,
	"eet": 120, "eest": 180, "msk": 180, "trt": 180, "sast": 120, "ist": 330, "sgt": 480, "hkt": 480, "awst": 480,
	"jst": 540, "kst": 540, "aest": 600, "aedt": 660, "nzst": 720, "nzdt": 780, "brt": -180, "art": -180,
	"est": -300, "edt": -240, "cst": -360, "cdt": -300, "mst": -420, "mdt": -360, "pst": -480, "pdt": -420,
}

// after is the first such moment after now. ok is false where there is none.
func (d daytime) after(now time.Time) (at time.Time, ok bool) {
	local := now.In(d.in)
	year, month, day := local.Date()
	on := func(days int) time.Time {
		return time.Date(year, month, day+days, d.minute/60, d.minute%60, 0, 0, d.in).UTC()
	}
	switch {
	case d.day > 0:
		in := func(year int) time.Time {
			return time.Date(year, time.Month(d.month), d.day, d.minute/60, d.minute%60, 0, 0, d.in)
		}
		if at = in(cmp.Or(d.year, year)); d.year == 0 && !at.After(now) {
			at = in(year + 1)
		}
		return at.UTC(), int(at.Month()) == d.month && at.Day() == d.day
	case d.ahead >= 0:
		return on(d.ahead), true
	case d.weekday >= 0:
		days := (d.weekday - int(local.Weekday()) + 7) % 7
		if at = on(days); !at.After(now) {
			at = on(days + 7)
		}
		return at, true
	}
	if at = on(0); !at.After(now) {
		at = on(1)
	}
	return at, true
}
