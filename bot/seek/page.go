package seek

import (
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/seek"
)

// waiting is the answer to a member who waits. Others who wait have no names in it.
func waiting(t view.Tongue, one seek.Seek, all []seek.Seek, level int, now time.Time) chat.Message {
	terms := t.Terms(game.Match{Terms: one.Game, Seats: [2]game.Seat{game.SeatFor(one.Member)}})
	text := "### " + t.Say("seek.title") + "\n" + terms + "\n" +
		t.Sentences(wait(t, one, all, now), t.Say("seek.widens", "Minutes", int(seek.Wide/time.Minute))) + "\n" +
		t.Sentences(t.Say("seek.calls"), t.Say("seek.until", "When", view.Relative(one.Until)))
	return chat.Private(text).WithRow(
		chat.Button{ID: view.Do("start", one.Game.Rules.Name()), Label: t.Say("button.seek.bot", "Level", level),
			Style: chat.Primary},
		chat.Button{ID: view.Do("seek", "stop"), Label: t.Say("button.seek.stop")})
}

// wait says how long one waits, as far as that is known.
func wait(t view.Tongue, one seek.Seek, all []seek.Seek, now time.Time) string {
	long, known := one.Wait(all, now)
	minutes := int((long + time.Minute - 1) / time.Minute)
	switch {
	case !known:
		return t.Say("seek.wait.unknown")
	case minutes >= 60:
		return t.Say("seek.wait.hours", "Count", (minutes+59)/60)
	}
	return t.Say("seek.wait.minutes", "Count", minutes)
}
