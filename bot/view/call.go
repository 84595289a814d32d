package view

import (
	"math"

	"tengen/bot/chat"
	"tengen/game"
	"tengen/storage"
)

// Call is the short message that calls a member to a match. One that is over, which is about to be
// deleted, mentions nobody.
func Call(rec storage.Record, c storage.Call) chat.Message {
	t := In(rec.Look.Language)
	link := Jump(rec.Place, c.Board)
	if c.Seat == 0 {
		msg := chat.Text("-# " + link)
		msg.Silent, msg.Mark = true, Mark(c)
		return msg
	}
	seat := int(c.Seat) - 1
	said := t.Say(callKey(rec.Match, seat), "Who", t.Seat(rec.Seats[seat]), "Other", t.Seat(rec.Seats[1-seat]))
	msg := chat.Text(said + "\n-# " + t.Line(t.Named(rec.Match), link))
	msg.Mention, msg.Mark = rec.Seats[seat].Member, Mark(c)
	return msg
}

// Mark is the number by which a call can be found. It is zero where the call's id is known.
func Mark(c storage.Call) uint32 {
	if c.Nonce == 0 {
		return 0
	}
	return max(c.Nonce&math.MaxInt32, 1)
}

// callKey is the catalogue's name of what a match wants of the member in a seat.
func callKey(m game.Match, seat int) string {
	switch {
	case m.Phase == game.Over:
		return "call.rematch"
	case m.Undoing.Open:
		return "call.undo"
	case m.DrawBy != 0:
		return "call.draw"
	case m.Played() > 0:
		return "call.move"
	case m.ToMove() != seat:
		return "call.begunOther"
	case m.Seats[seat].Member == m.Owner:
		return "call.begun"
	}
	return "call.move"
}
