package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/internal/testkit"
)

func TestQuantile(t *testing.T) {
	if quantile([]int(nil), .5) != 0 {
		t.Error("a quantile of nothing")
	}
	l := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for q, want := range map[float64]int{0: 1, .5: 6, .99: 10, 1: 10} {
		if got := quantile(l, q); got != want {
			t.Errorf("quantile %v is %d, want %d", q, got, want)
		}
	}
}

// run is a bench after a minute in which every answer took so long.
func run(took time.Duration) *bench {
	b := &bench{loadCmd: loadCmd{For: time.Minute, Burst: 3}, samples: map[string][]sample{}}
	for _, kind := range []string{"acknowledged", "engine's answer", "member's move"} {
		for at := -10; at < 60; at++ { // what lies before zero is not measured
			d := took
			if at < 0 {
				d = time.Hour
			}
			b.samples[kind] = append(b.samples[kind], sample{time.Duration(at) * time.Second, d})
		}
	}
	return b
}

func TestAims(t *testing.T) {
	for _, test := range []struct {
		took time.Duration
		rush bool
		rate float64
		peak int
		want string // of each aim
	}{
		{100 * time.Millisecond, false, 1, 50, "met met met met met"},
		{200 * time.Millisecond, false, 1, 51, "MISSED met met MISSED MISSED"},
		{3 * time.Second, false, 1, 50, "MISSED MISSED MISSED MISSED met"},
		{200 * time.Millisecond, true, 300, 50, "met met met"},
		{300 * time.Millisecond, true, 299, 50, "MISSED MISSED met"},
	} {
		b := run(test.took)
		b.Rush = test.rush
		var s strings.Builder
		b.reportAims(&s, test.rate, test.peak)
		var words []string
		for line := range strings.Lines(s.String()) {
			if f := strings.Fields(line); len(f) > 0 {
				words = append(words, f[0])
			}
		}
		if got := strings.Join(words, " "); got != test.want {
			t.Errorf("%+v: %s\n%s", test, got, &s)
		}
	}
}

func TestAfterBurst(t *testing.T) {
	b := run(time.Second)
	testkit.Want(t, "answers in the half minute from the burst", len(b.afterBurst()), 30)
	if b.Burst = 0; b.afterBurst() != nil {
		t.Error("answers after no burst")
	}
	testkit.Want(t, "since the start", len(b.since("acknowledged", 0)), 60)
}

func TestReportEngine(t *testing.T) {
	b := new(bench)
	var s strings.Builder
	if b.reportEngine(&s); s.Len() != 0 {
		t.Errorf("reports %q of no turns", &s)
	}
	for i := range 4 {
		b.turns = append(b.turns,
			thought{level: 6, at: time.Second, budget: 40 * time.Millisecond, took: 20 * time.Millisecond, cut: i == 0},
			thought{level: 2, at: time.Second, took: 3 * time.Millisecond},
			thought{level: 8, at: -1, took: time.Hour}) // before the measurement
	}
	b.reportEngine(&s)
	lines := strings.Split(strings.TrimSpace(s.String()), "\n")
	want := [][]string{
		strings.Fields("level 2 4 - - - 3.0 ms 3.0 ms 3.0 ms 100.0 %"),
		strings.Fields("level 6 4 40.0 ms 40.0 ms 40.0 ms 20.0 ms 20.0 ms 20.0 ms 75.0 %"),
	}
	if len(lines) != 3 || !slices.Equal(strings.Fields(lines[1]), want[0]) ||
		!slices.Equal(strings.Fields(lines[2]), want[1]) {
		t.Errorf("got\n%s", &s)
	}
}
