package bot

import (
	"errors"

	"tengen/bot/view"
	"tengen/game"
	"tengen/storage/kv"
)

// refused is a refusal of the bot's own: a key of the catalogue with its arguments.
type refused struct {
	key  string
	args []any
}

func (r refused) Error() string { return r.key }

// no refuses a request for a reason of the bot's own.
func no(key string, args ...any) error { return refused{key, args} }

// reason words an error for a member. ok is false for errors that are nobody's business:
// those are logged, and the member reads one apology.
func reason(t view.Tongue, err error) (text string, ok bool) {
	var own refused
	var rule *game.Refusal
	switch {
	case errors.As(err, &own):
		return t.Say(own.key, own.args...), true
	case errors.As(err, &rule):
		return refusal(t, rule), true
	case errors.Is(err, kv.ErrAway):
		return t.Say("refused.away"), true
	}
	return t.Say("sorry"), false
}

// refusalKeys are the catalogue's keys of the reasons.
var refusalKeys = map[game.Code]string{
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

// refusal words a reason for the member who was refused.
func refusal(t view.Tongue, r *game.Refusal) string {
	var rows []string
	for _, row := range r.Rows {
		rows = append(rows, row.String())
	}
	return t.Say(refusalKeys[r.Code], "Point", r.Point.String(), "Lines", t.List(rows), "Count", r.Number)
}
