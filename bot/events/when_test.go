package events

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"tengen/bot/texts"
	"tengen/internal/testkit"
	"tengen/internal/zone"
)

// A start is read as people write it, by the clock of the server's zone. noon is a Sunday, the first of
// November; in Berlin it is 13:00, in Shanghai 20:00.
func TestWhen(t *testing.T) {
	utc := func(day, hour, minute int) time.Time { return time.Date(2026, 11, day, hour, minute, 0, 0, time.UTC) }
	for _, c := range []struct {
		zone, text   string
		want         time.Time
		asks, weekly bool
	}{
		{"", "", time.Time{}, false, false},
		{"", "90m", noon.Add(90 * time.Minute), false, false},
		{"", " 2h ", noon.Add(2 * time.Hour), false, false},
		{"", "in 2h", noon.Add(2 * time.Hour), false, false},
		{"", "3d", noon.AddDate(0, 0, 3), false, false},
		{"", fmt.Sprintf("<t:%d:R>", noon.Add(time.Hour).Unix()), noon.Add(time.Hour), false, false},
		{"", fmt.Sprintf("<t:%d>", noon.Add(time.Hour).Unix()), noon.Add(time.Hour), false, false},
		{"", "2026-12-24 18:00", testkit.At("2026-12-24 18:00"), true, false},

		{"Europe/Berlin", "18:00", utc(1, 17, 0), true, false},
		{"Europe/Berlin", "13:00", utc(2, 12, 0), true, false}, // today it is past
		{"Europe/Berlin", "tomorrow 18:00", utc(2, 17, 0), true, false},
		{"Europe/Berlin", "18:00 tomorrow", utc(2, 17, 0), true, false},
		{"Europe/Berlin", "Tomorrow at 6 pm", utc(2, 17, 0), true, false},
		{"Europe/Berlin", "tonight 8pm", utc(1, 19, 0), true, false},
		{"Europe/Berlin", "Friday 20:00 CET", utc(6, 19, 0), true, false},
		{"", "Friday 20:00 CET", utc(6, 19, 0), true, false},
		{"", "fri, 20:00 (CET)", utc(6, 19, 0), true, false},
		{"America/New_York", "Friday 20:00 CET", utc(6, 19, 0), true, false},
		{"America/New_York", "Friday 20:00", testkit.At("2026-11-07 01:00"), true, false},
		{"America/New_York", "12:00am", utc(2, 5, 0), true, false},
		{"", "Sunday 11:00", utc(8, 11, 0), true, false},
		{"", "Sunday 12:30", utc(1, 12, 30), true, false},
		{"", "18:00 utc+2", utc(1, 16, 0), true, false},
		{"", "18:00 GMT-03:30", utc(1, 21, 30), true, false},
		{"", "18:00 Asia/Shanghai", utc(2, 10, 0), true, false},
		{"", "18:00 america/new_york", utc(1, 23, 0), true, false},
		{"Asia/Shanghai", "Monday 20:00 CST", utc(2, 12, 0), true, false}, // its own letters, not those of Chicago
		{"America/Chicago", "Monday 20:00 CST", utc(3, 2, 0), true, false},
		{"Europe/Berlin", "2027-07-01 20:00 CET", testkit.At("2027-07-01 18:00"), true, false}, // the clock on the wall
		{"", "24 Dec 18:00", testkit.At("2026-12-24 18:00"), true, false},
		{"", "December 24th, 6:30pm", testkit.At("2026-12-24 18:30"), true, false},
		{"", "24.12. 18 Uhr", testkit.At("2026-12-24 18:00"), true, false},
		{"", "24.12.2026 18.30", testkit.At("2026-12-24 18:30"), true, false},
		{"", "3 Jan 18:00", testkit.At("2027-01-03 18:00"), true, false},
		{"", "2026-12-24T18:00", testkit.At("2026-12-24 18:00"), true, false},

		{"Europe/Berlin", "every Friday 20:00", utc(6, 19, 0), true, true},
		{"Europe/Berlin", "weekly friday 20:00", utc(6, 19, 0), true, true},
		{"Europe/Berlin", "Fridays 20:00", utc(6, 19, 0), true, true},
		{"", "every 18:00", utc(1, 18, 0), true, true},
		{"", fmt.Sprintf("every <t:%d:F>", noon.Add(time.Hour).Unix()), noon.Add(time.Hour), true, true},

		{"Asia/Shanghai", "明天 20:00", utc(2, 12, 0), true, false},
		{"Asia/Shanghai", "周五20：00", utc(6, 12, 0), true, false},
		{"Asia/Shanghai", "每周五 20点", utc(6, 12, 0), true, true},
		{"Asia/Shanghai", "每星期五 20点半", utc(6, 12, 30), true, true},
		{"Asia/Shanghai", "12月24日 20点30分", testkit.At("2026-12-24 12:30"), true, false},
	} {
		got, ok := when(c.text, "en", noon, zone.Or(c.zone))
		if want := (start{at: c.want, weekly: c.weekly, asks: c.asks}); !ok || !got.at.Equal(want.at) ||
			got.asks != want.asks || got.weekly != want.weekly {
			t.Errorf("%q in %q: %v %v, want %v", c.text, c.zone, got, ok, want)
		}
	}
	for _, text := range []string{"soon", "-2h", "0s", "2020-01-01 10:00", "366d", "1000000d", "99999999999999999999d",
		"<t:1>", "<t:999999999999>", "9000000h", "d", "18", "friday", "tomorrow",
		"today 11:00", "25:00", "12:60", "13pm", "0pm", "30 Feb 18:00", "2027-02-29 18:00", "12/24 18:00", "18:00 19:00",
		"monday tuesday 18:00", "tomorrow friday 18:00", "2028-12-24 18:00",
		"18:00 Nowhere/Land", "18:00 ../../etc/passwd", "18:00 cet cet", "every", "every soon", "18:00 +99", "24 18:00",
		"December 18:00", "0.0. 18:00", "18:00 2027", "in 18:00 soon"} {
		if got, ok := when(text, "en", noon, time.UTC); ok {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
}

// A start is read in the words of the member's language, and in any other where it says nothing there.
func TestWhenInWords(t *testing.T) {
	berlin := zone.Or("Europe/Berlin")
	tomorrow, friday := testkit.At("2026-11-02 17:00"), testkit.At("2026-11-06 19:00")
	eve := testkit.At("2026-12-24 17:30")
	for _, c := range []struct {
		lang, text string
		want       time.Time
		weekly     bool
	}{
		{"en", "tomorrow at 18 o'clock", tomorrow, false},
		{"de", "morgen um 18 Uhr", tomorrow, false},
		{"en", "morgen 18 Uhr", tomorrow, false},
		{"de", "tomorrow 6pm", tomorrow, false},
		{"de", "jeden Freitag 20 Uhr", friday, true},
		{"de", "freitags 20uhr", friday, true},
		{"de", "Fr 20:00", friday, false},
		{"de", "24. Dezember 18:30", eve, false},
		{"hu", "holnap 18:00", tomorrow, false},
		{"hu", "holnap 18 órakor", tomorrow, false},
		{"hu", "minden péntek 20:00", friday, true},
		{"hu", "december 24. 18:30", eve, false},
		{"ru", "Завтра в 18:00", tomorrow, false},
		{"ru", "завтра в 18 часов", tomorrow, false},
		{"ru", "каждую пятницу 20:00", friday, true},
		{"ru", "по пятницам в 20:00", friday, true},
		{"ru", "пт 20:00", friday, false},
		{"ru", "24 декабря 18:30", eve, false},
		{"ja", "明日18時", tomorrow, false},
		{"ja", "毎週金曜 20:00", friday, true},
		{"ja", "金曜日の20時", friday, false},
		{"ja", "12月24日 18時半", eve, false},
		{"ja", "2026年12月24日 18時30分", eve, false},
		{"ko", "내일 18:00", tomorrow, false},
		{"ko", "내일 18시", tomorrow, false},
		{"ko", "매주 금요일 20시", friday, true},
		{"ko", "12월 24일 18시 30분", eve, false},
		{"zh-CN", "明天18点", tomorrow, false},
		{"zh-TW", "每週五 20點", friday, true},
		{"zh-TW", "12月24日 18點半", eve, false},
		{"zh-CN", "每週五 20點", friday, true},
		{"fi", "明天18点", tomorrow, false},
	} {
		got, ok := when(c.text, c.lang, noon, berlin)
		if !ok || !got.at.Equal(c.want) || got.weekly != c.weekly {
			t.Errorf("%s: %q is %v %v, want %v", c.lang, c.text, got, ok, c.want)
		}
	}
}

// What the form of a tournament proposes can be read, in each language.
func TestWhenAsProposed(t *testing.T) {
	for _, lang := range texts.Tags() {
		said := texts.In(lang).Say("event.form.starts.about")
		examples, _, _ := strings.Cut(strings.ReplaceAll(said, "、", ", "), "。")
		examples, _, _ = strings.Cut(examples, ". ")
		for example := range strings.SplitSeq(examples, ", ") {
			if _, ok := when(example, lang, noon, time.UTC); !ok {
				t.Errorf("%s: %q cannot be read", lang, example)
			}
		}
	}
}

// Where the clocks change, the time of day stays what was written.
func TestWhenOverAChangeOfClocks(t *testing.T) {
	berlin := zone.Or("Europe/Berlin")
	saturday := testkit.At("2027-03-27 12:00") // the clocks go ahead in the night
	got, ok := when("tomorrow 18:00", "en", saturday, berlin)
	if want := testkit.At("2027-03-28 16:00"); !ok || !got.at.Equal(want) {
		t.Errorf("%v %v, want %v", got, ok, want)
	}
}

// Whatever is typed gives no start, or one within the year to come, which its time mark gives again.
func FuzzWhen(f *testing.F) {
	for _, text := range []string{"18:00", "tomorrow 18:00", "every Friday 20:00 CET", "24.12.2026 18.30", "每周五 20点",
		"2h", "3d", "<t:1793538000:F>", "18:00 utc+2", "18:00 Europe/Berlin"} {
		f.Add(text, int64(0), "Europe/Berlin")
	}
	f.Fuzz(func(t *testing.T, text string, seconds int64, name string) {
		now := noon.Add(time.Duration(seconds%1e9) * time.Second)
		got, ok := when(text, "en", now, zone.Or(name))
		if !ok || got.at.IsZero() {
			return
		}
		if !got.at.After(now) || got.at.Sub(now) > farthest {
			t.Fatalf("%q at %v: %v", text, now, got.at)
		}
		before := got.at.Add(-time.Hour)
		if exact, ok := when(got.String(), "en", before, time.UTC); !ok || exact.at.Unix() != got.at.Unix() ||
			exact.weekly != got.weekly || exact.asks {
			t.Fatalf("%q at %v: %v, and written out %v %v", text, now, got, exact, ok)
		}
		again, ok := when(mark(got.at, "F"), "en", before, time.UTC)
		if !ok || again.at.Unix() != got.at.Unix() || again.asks {
			t.Fatalf("%q at %v: %v, and its mark %v %v", text, now, got.at, again, ok)
		}
		if longest := utf8.RuneCountInString(text); longest > longestWhen {
			t.Fatalf("a start of %d characters is read", longest)
		}
	})
}
