package seek

import (
	"strings"
	"testing"
	"time"

	"tengen/bot/view"
	"tengen/game"
	"tengen/game/seek"
	"tengen/game/venue"
	"tengen/internal/testkit"
)

// Who waits is told how long others have waited, in minutes or hours, one of them in words, and nobody's name.
func TestWaiting(t *testing.T) {
	now := testkit.At("2026-03-01 12:00")
	one := seek.New(7, 8, venue.Place{Server: 1}, game.Terms{Rules: game.Renju, Rated: true}, now)
	for _, c := range []struct {
		waited time.Duration
		want   string
	}{
		{0, "I cannot say how long it takes."},
		{time.Second, "Today others waited about a minute."},
		{61 * time.Second, "Today others waited about 2 minutes."},
		{59 * time.Minute, "Today others waited about 59 minutes."},
		{59*time.Minute + time.Second, "Today others waited about an hour."},
		{61 * time.Minute, "Today others waited about 2 hours."},
	} {
		met := seek.Meeting{With: 9, Rules: game.Renju, At: now, Waited: c.waited}
		msg := waiting(view.In("en"), one, []seek.Seek{{Met: []seek.Meeting{met, met, met}}}, 3, now)
		if text := msg.Blocks[0].Text; !strings.Contains(text, c.want) || strings.Contains(text, view.Mention(9)) {
			t.Errorf("%v: %s", c.waited, text)
		}
	}
}
