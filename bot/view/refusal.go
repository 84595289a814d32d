package view

import "tengen/game"

// Refusals are the catalogue's keys of the rules' refusals.
var Refusals = map[game.Code]string{
	game.OffBoard: "refused.offBoard", game.Occupied: "refused.occupied", game.NoFlip: "refused.noFlip",
	game.GameOver: "refused.gameOver", game.Overline: "refused.overline", game.DoubleFour: "refused.doubleFour",
	game.DoubleThree: "refused.doubleThree", game.NotSeated: "refused.notSeated",
	game.NotYourTurn: "refused.notYourTurn", game.NotOffered: "refused.notOffered",
	game.NotForYou: "refused.notForYou", game.Yourself: "refused.yourself", game.NotPlaying: "refused.notPlaying",
	game.NothingToUndo: "refused.nothingToUndo", game.UndoPending: "refused.undoPending",
	game.UndoRefused: "refused.undoRefused", game.NoOffer: "refused.noOffer", game.OwnOffer: "refused.ownOffer",
	game.DrawTooSoon: "refused.drawTooSoon", game.TooLateAbort: "refused.tooLateAbort",
	game.TooLate: "refused.tooLate", game.RematchMade: "refused.rematchMade",
	game.RematchTooSoon: "refused.rematchTooSoon", game.Moved: "refused.moved",
}

// Refusal words a refusal for the member.
func (t Tongue) Refusal(r *game.Refusal) string {
	var rows []string
	for _, row := range r.Rows {
		rows = append(rows, row.String())
	}
	return t.Say(Refusals[r.Code], "Point", r.Point.String(), "Lines", t.List(rows), "Count", r.Number)
}
