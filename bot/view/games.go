package view

import (
	"fmt"

	"tengen/game"
)

// GameLine is a game in a list: its rules, its players, how it stands, and where it is played; an
// empty where is left out.
func (t Tongue) GameLine(m game.Match, by game.MemberID, where string) string {
	s := fmt.Sprintf("**%s** `#%s` ", t.Rules(m.Rules), Name(m.ID))
	switch {
	case m.Phase == game.Offered:
		s += t.Say("games.offered", "From", t.Seat(m.Seats[0]), "To", t.Seat(m.Seats[1]))
	case m.Phase == game.Over:
		return s + t.Outcome(m)
	default:
		s += t.Seats(m)
		if TurnOf(by)(m) {
			s += " **" + t.Say("games.yourTurn") + "**"
		}
		if !m.Rested.IsZero() {
			s += " " + t.Say("games.resting")
		}
	}
	if where != "" {
		s += " · " + where
	}
	return s
}
