package view

import (
	"fmt"
	"time"

	"tengen/bot/chat"
	"tengen/game"
)

// AwayNow is the value that stands in the menu of vacations while the member is away: it changes nothing.
const AwayNow = "away"

// VacationChoices are some numbers of days for which a vacation may last that begins now. While the member is away
// there is the end.
func (t Tongue) VacationChoices(vs game.Vacations, now time.Time) []chat.Choice {
	end := chat.Choice{Label: t.Yes(false), Value: "0"}
	if !vs.Until(now).IsZero() {
		return []chat.Choice{end, {Label: t.Yes(true), Value: AwayNow, Chosen: true}}
	}
	end.Chosen = true
	choices := []chat.Choice{end}
	for _, days := range []int{1, 2, 3, 5, 7, 10, game.VacationDays} {
		if _, err := vs.Begin(days, now); err == nil {
			choices = append(choices, chat.Choice{Label: t.Say("vacation.days", "Count", days), Value: fmt.Sprint(days)})
		}
	}
	return choices
}

// vacationSaid says until when the member is away, or how many days they have left.
func (t Tongue) vacationSaid(vs game.Vacations, now time.Time) string {
	if until := vs.Until(now); !until.IsZero() {
		return t.Say("vacation.until", "When", Moment(until))
	}
	return t.Say("vacation.left", "Count", vs.Left(now))
}

// away says by a text who is on vacation of those who play in a match; empty where nobody is.
func (t Tongue) away(text string, m game.Match) string {
	var said []string
	for seat, until := range m.Vacation {
		if !until.IsZero() {
			said = append(said, t.Say(text, "Who", t.Seat(m.Seats[seat]), "When", Moment(until)))
		}
	}
	return t.Sentences(said...)
}
