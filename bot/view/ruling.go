package view

import (
	"slices"

	"tengen/game"
	"tengen/game/event"
	"tengen/storage"
)

// LongReason is how much of a manager's reason is shown where there is room for all of it.
const LongReason = 100

// Ruling is what an event or a ladder says of the end of a match where no game gave the result, but a manager, a
// member who went, or time. Empty: a game did.
type Ruling string

// RulingOf is what is said of the end of a match; e is its event, if it has one.
func (t Tongue) RulingOf(rec storage.Record, e storage.Event) Ruling {
	switch at := rec.Link; {
	case rec.Phase != game.Over:
		return ""
	case at.Ladder:
		key, loser := ladderEnd(rec)
		if key == "" {
			return ""
		}
		return Ruling(t.Say(key, "Winner", t.Seat(rec.Seats[1-loser]), "Loser", t.Seat(rec.Seats[loser])))
	case at.Event == 0 || e.Paired[at.Round][at.Board].Open():
		return ""
	case e.Matches[at.Round][at.Board].Match != rec.ID: // another match has taken its place
		return ""
	default:
		said, ruled := t.BoardEnd(e, at.Round, at.Board, LongReason)
		if !ruled {
			return ""
		}
		return Ruling(said)
	}
}

// BoardEnd says how a board of an event ended, with so many characters of a reason. ruled says that no game gave
// it that result, but a manager, a member who went, or time.
func (t Tongue) BoardEnd(e storage.Event, round, board, reason int) (said string, ruled bool) {
	v := verdictOf(e, round, board)
	seat := func(number int) string { return t.Seat(e.Entrants[number-1].Seat) }
	said = t.Say(v.key, "Winner", seat(v.winner), "Loser", seat(v.loser))
	return t.Line(said, t.Decided(v.entry, reason)), v.ruled
}

// Decided says which manager has decided what an audit entry is about, and so many characters of the reason; empty
// where none has.
func (t Tongue) Decided(d storage.AuditEntry, reason int) string {
	var by, because string
	switch decides := d.What == storage.Settled || d.What == storage.Removed; {
	case decides && d.By != 0:
		by = t.Say("event.decided", "By", Mention(d.By))
	case decides:
		by = t.Say("event.decided.unknown")
	}
	if d.Reason != "" {
		why := Clip(d.Reason, reason)
		if why != d.Reason {
			why += "…"
		}
		because = t.Say("event.reason", "Reason", Escape(why))
	}
	return t.Line(by, because)
}

// verdict is how a board of an event ended.
type verdict struct {
	key           string // of what is said of it
	winner, loser int    // numbers of entrants
	entry         storage.AuditEntry
	ruled         bool // no game gave it that result
}

func verdictOf(e storage.Event, round, board int) verdict {
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
	return verdict{key, winner, loser, d, d.What == storage.Settled || how == "forfeit" || how == "nobody"}
}

// ladderEnd is the key of what is said of a match of a ladder that was forfeited before both had moved, or in which
// the time of a member ran out before, and the seat that lost it; empty where neither is so.
func ladderEnd(rec storage.Record) (key string, loser int) {
	switch r := rec.Result(); {
	case r.Termination == game.ByResignation && rec.Young():
		return "event.ruled.gaveUp", rec.SeatOfColor(r.Winner.Other())
	case rec.RanOut() && rec.Next == 0: // where there is another match, a manager has stopped this one
		return "ladder.late", rec.ToMove()
	}
	return "", 0
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
			return "event.board." + how, d
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
