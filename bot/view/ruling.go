package view

import (
	"slices"

	"tengen/game"
	"tengen/game/event"
	"tengen/storage"
)

// LongReason is how much of a manager's reason is shown where there is room for all of it.
const LongReason = 100

// BoardEnd says how a board of an event ended, with so many characters of a reason. ruled says that no game gave
// it that result, but a manager, a member who went, or time.
func (t Tongue) BoardEnd(e storage.Event, round, board, reason int) (said string, ruled bool) {
	b := e.Paired[round][board]
	winner, loser := b.White, b.Black
	if b.Results[1] == event.Win || b.Results[1] == event.ForfeitWin {
		winner, loser = loser, winner
	}
	how := "forfeit"
	switch {
	case b.Results[0] == event.Draw:
		how = "drawn"
	case b.Results[0] == event.Win || b.Results[1] == event.Win:
		how = "won"
	case b.Results[0] == b.Results[1]:
		how = "nobody"
	}
	key, d := ruling(e, round, board, how, loser)
	by := t.Say("event.aManager")
	if d.By != 0 {
		by = Mention(d.By)
	}
	said = t.Say(key, "Winner", t.Seat(e.Entrants[winner-1].Seat), "Loser", t.Seat(e.Entrants[loser-1].Seat), "By", by)
	if d.Reason != "" {
		why := Clip(d.Reason, reason)
		if why != d.Reason {
			why += "…"
		}
		said = t.Say("event.ruled.reason", "Ruling", said, "Reason", Escape(why))
	}
	return said, d.What == storage.Settled || how == "forfeit" || how == "nobody"
}

// LadderEnd says that a match of a ladder was forfeited before both had moved, or that the time of a member ran out
// before; empty where neither is so.
func (t Tongue) LadderEnd(rec storage.Record) string {
	if !rec.Link.Ladder {
		return ""
	}
	key, loser := "", 0
	switch r := rec.Result(); {
	case r.Termination == game.ByResignation && rec.Young():
		key, loser = "event.ruled.gaveUp", rec.SeatOfColor(r.Winner.Other())
	case rec.RanOut() && rec.Next == 0: // where there is another match, a manager has stopped this one
		key, loser = "ladder.late", rec.ToMove()
	default:
		return ""
	}
	return t.Say(key, "Winner", t.Seat(rec.Seats[1-loser]), "Loser", t.Seat(rec.Seats[loser]))
}

// ruling is the audit entry that gave a board its result, and the key of what is said of it. The zero entry: a
// game did, or the entry is forgotten.
func ruling(e storage.Event, round, board int, how string, loser int) (key string, found storage.AuditEntry) {
	for _, d := range slices.Backward(e.History) {
		if here := d.Round == round+1 && d.Board == board+1; !here {
			continue
		}
		switch {
		case d.What == storage.Settled:
			return "event.set." + how, d
		case d.What == storage.Forfeited && how == "forfeit" && d.By != 0:
			return "event.ruled.gaveUp", storage.AuditEntry{What: d.What, By: d.By}
		case d.What == storage.Forfeited:
			return "event.board." + how, d
		}
	}
	if how != "forfeit" {
		return "event.board." + how, found
	}
	for _, d := range slices.Backward(e.History) {
		if d.Number == loser && d.What == storage.Removed {
			return "event.ruled.removed", d
		}
		if d.Number == loser && d.What == storage.Left {
			return "event.ruled.left", d
		}
	}
	return "event.board.forfeit", found
}
