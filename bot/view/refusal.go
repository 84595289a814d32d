package view

import (
	"tengen/game"

	"tengen/bot/pad"
)

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
	game.OpeningOver: "refused.openingOver", game.NotAsked: "refused.notAsked",
	game.OutOfRange: "refused.outOfRange", game.NotAmongOffers: "refused.notAmongOffers",
	game.OutsideArea: "refused.outsideArea", game.OfferedBefore: "refused.offeredBefore",
	game.OfferedAlike: "refused.offeredAlike", game.YourTurn: "refused.yourTurn",
	game.NoVacation: "refused.noVacation",
}

// refusal words a refusal for the member.
func (t Tongue) refusal(r *game.Refusal) string {
	var rows []string
	for _, row := range r.Rows {
		rows = append(rows, pad.Span(row.From, row.To))
	}
	other := game.NoPoint
	if len(r.Moves) > 0 {
		other = r.Moves[0]
	}
	return t.Say(Refusals[r.Code], "Point", r.Point.String(), "Other", other.String(), "Lines", rows,
		"Count", r.Number, "Columns", columns(r.Number))
}

// columns are the names of a board's columns as its picture and its buttons show them, such
// as A-O.
func columns(size int) string {
	return "A-" + string('A'+rune(max(size, 1))-1)
}
