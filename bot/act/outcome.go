package act

import (
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// Outcome is what has come of an act.
type Outcome struct {
	Act    Act
	Before storage.Record // the match before the act; only of acts that had to look at it
	Record storage.Record // the match after it; none where the act was refused
	Next   storage.Record // the match that is played after that one, or in its place; none for most acts
}

// Remark says of an act what the board does not, where the board is another message; empty for most.
func (o Outcome) Remark(t view.Tongue) string {
	switch o.Act.Verb {
	case "draw":
		return drawRemark(t, o.Record)
	case "here":
		return t.Say("event.here")
	}
	return ""
}

// drawRemark says how the engine has answered. What a member has to answer is on the board.
func drawRemark(t view.Tongue, rec storage.Record) string {
	if rec.Phase == game.Over || rec.DrawBy != 0 {
		return ""
	}
	if name := rec.Guest(); name != "" {
		return t.Say("draw.guest", "Guest", view.Escape(name))
	}
	return t.Say("draw.engineRefused")
}
