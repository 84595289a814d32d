package view

import (
	"fmt"
	"time"

	"tengen/game"
)

// GameLine is a game in a list: its rules, its players, how it stands, and where it is played; an
// empty where is left out. Of one that is over it says what was ruled.
func (t Tongue) GameLine(m game.Match, by game.MemberID, where string, end Ruling) string {
	s := fmt.Sprintf("**%s** `#%s` ", t.Rules(m.Rules), Name(m.ID))
	switch {
	case m.Phase == game.Offered && m.Seats[1].Kind == game.OpenSeat:
		s += t.Say("offer.open", "From", t.Seat(m.Seats[0]))
	case m.Phase == game.Offered:
		s += t.Say("games.offered", "From", t.Seat(m.Seats[0]), "To", t.Seat(m.Seats[1]))
	case m.Phase == game.Over:
		return s + t.outcome(m, end)
	default:
		s += t.seats(m, "")
		switch {
		case TurnOf(by)(m):
			s = t.Line(s, "**"+t.Say("games.yourTurn")+"**")
		case m.Rested.IsZero():
			s = t.Line(s, t.turn(m))
		}
		if !m.Rested.IsZero() {
			s = t.Sentences(s, t.Say("games.resting"))
		}
	}
	return t.Line(s, where)
}

// Touched is when a member last moved in a match, or when it began.
func Touched(m game.Match, by game.MemberID) time.Time {
	made := m.Made()
	for i := len(made) - 1; i >= len(m.Given); i-- {
		if seat := m.Seats[made[i].Seat]; seat.Kind == game.MemberSeat && seat.Member == by {
			return made[i].At
		}
	}
	if m.Played() == 0 {
		return m.Turned
	}
	return m.Created
}
