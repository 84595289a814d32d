package storage

import (
	"testing"
	"time"

	"tengen/internal/testkit"
)

// Servers are welcomed since a program that does so first ran: a later start, or a restored clock, changes nothing of
// that, but a clock that was ahead does not keep them waiting.
func TestWelcomesSince(t *testing.T) {
	b := newBench(t)
	at := testkit.At("2026-03-01 12:00")
	for _, c := range []struct {
		name      string
		now, want time.Time
	}{
		{"the first start, by a clock that is ahead", at.AddDate(1, 0, 0), at.AddDate(1, 0, 0)},
		{"the clock is right again", at, at},
		{"a later start", at.Add(time.Hour), at},
		{"by a clock that is a little behind", at.Add(-time.Second), at},
	} {
		since, err := b.WelcomesSince(t.Context(), c.now)
		if err != nil || !since.Equal(c.want) {
			t.Errorf("%s: %v %v, want %v", c.name, since, err, c.want)
		}
	}
}
