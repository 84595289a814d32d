// Package act is what members do in a match, whichever way it comes: by a press, a command, a typed point. An act
// is a value that knows neither the store nor how it is answered. Start from Pressed, Asked and Act.Do.
package act

import (
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
)

// Act is what one member does in a match.
type Act struct {
	Match   game.MatchID
	Verb    string // one of verbs
	Arg     string // such as a point
	By      game.MemberID
	Manages bool // By may end matches of others here
	At      time.Time

	position position
	stamp    uint32
}

// position says for which position of the match an act was made. For another one it is refused.
type position uint8

const (
	whichever position = iota
	stamped            // the one of the stamp
	then               // the one that stood at the time of the act
)

// Pressed is the act of a press, of a choice in a menu or of a form.
func Pressed(r chat.Request, p view.Press) Act {
	a := Asked(r, p.Match, p.Verb, p.Arg)
	if len(r.Values) == 1 {
		a.Arg = r.Values[0]
	}
	return a.For(p.Stamp)
}

// For is a as who sees the position of a stamp does it: a move, an answer or an offer is for that position alone.
func (a Act) For(stamp uint32) Act {
	if verbs[a.Verb].moves {
		a.position, a.stamp = stamped, stamp
	}
	return a
}

// Asked is the act of a command, in whatever position stands.
func Asked(r chat.Request, id game.MatchID, verb, arg string) Act {
	return Act{Match: id, Verb: verb, Arg: arg, By: r.By, Manages: r.Manages, At: r.At}
}

// Typed is the act of a message. One that was written before the last move and comes late was meant for
// another position.
func Typed(r chat.Request, id game.MatchID, verb, arg string) Act {
	a := Asked(r, id, verb, arg)
	a.position = then
	return a
}

// Do is m after a, or a refusal.
func (a Act) Do(m game.Match) (game.Match, error) {
	v, ok := verbs[a.Verb]
	switch {
	case !ok:
		return m, view.No("unknown.button")
	case a.position == stamped && m.Stamp() != a.stamp, a.position == then && a.late(m):
		return game.Match{}, &game.Refusal{Code: game.Moved}
	}
	return v.do(m, a)
}

// skew is by how much the engine's clock, which is ours, may be ahead of Discord's.
const skew = 2 * time.Second

// late reports whether a was made before the last move.
func (a Act) late(m game.Match) bool {
	made := m.Made()
	if len(made) <= len(m.Given) {
		return false
	}
	last, at := made[len(made)-1], a.At
	if m.Seats[last.Seat].Kind == game.EngineSeat {
		at = at.Add(skew)
	}
	return at.Before(last.At)
}

// verb is one thing that can be done in a match.
type verb struct {
	moves bool // a press of it is for the position that it was made for
	do    doing
}

// verbs are all that can be done, by the words that stand in custom ids. No word ever changes its meaning: it
// is on buttons in our users' channels.
var verbs = map[string]verb{
	"play":   {true, play},
	"sure":   {true, play}, // of a member who confirms moves
	"decide": {true, decide},

	"undo":    {true, by(game.Match.Undo)},
	"unoffer": {true, unoffer},
	"undoyes": {true, answer(game.Match.AnswerUndo, true)},
	"undono":  {true, answer(game.Match.AnswerUndo, false)},
	"draw":    {true, draw},
	"drawyes": {true, answer(game.Match.AnswerDraw, true)},
	"drawno":  {true, answer(game.Match.AnswerDraw, false)},

	"accept":  {false, accept},
	"decline": {false, by(game.Match.Decline)},
	"cancel":  {false, by(game.Match.Cancel)},
	"color":   {false, color},
	"casual":  {false, by(game.Match.Casual)},
	"rated":   {false, by(game.Match.Rate)},

	"here":       {false, by(game.Match.Here)},
	"resignsure": {false, by(game.Match.Resign)},
	"abort":      {false, abort},
	"abortsure":  {false, stop},                  // whose clerk has seen that the member manages the match
	"hint":       {false, by(game.Match.Hinted)}, // what it is, the desk says

	"pause":  {false, owned(func(m game.Match, a Act) (game.Match, error) { return m.Rest(a.At) })},
	"resume": {false, owned(func(m game.Match, a Act) (game.Match, error) { return m.Wake(a.At) })},
	"stop":   {false, owned(stop)},
}

type doing = func(m game.Match, a Act) (game.Match, error)

// by is what a member does at a time, and needs no more.
func by(f func(game.Match, game.MemberID, time.Time) (game.Match, error)) doing {
	return func(m game.Match, a Act) (game.Match, error) { return f(m, a.By, a.At) }
}

// answer is a member's yes or no.
func answer(f func(game.Match, game.MemberID, bool, time.Time) (game.Match, error), yes bool) doing {
	return func(m game.Match, a Act) (game.Match, error) { return f(m, a.By, yes, a.At) }
}

func stop(m game.Match, a Act) (game.Match, error) { return m.Close(game.Aborted, a.At) }

func play(m game.Match, a Act) (game.Match, error) {
	p, err := game.ParsePoint(a.Arg, m.Rules.Size())
	if err != nil {
		return m, view.No("unknown.button")
	}
	return m.Play(a.By, p, a.At)
}

// decide makes a decision of an opening, which is no stone.
func decide(m game.Match, a Act) (game.Match, error) {
	d, ok := game.ParseDecision(a.Arg)
	if _, stone := d.Stone(); !ok || stone {
		return m, view.No("unknown.button")
	}
	return m.Decide(a.By, d, a.At)
}

// unoffer takes back the point that a member has offered last. It is no undo for the other side, who would
// take back their own decision with it.
func unoffer(m game.Match, a Act) (game.Match, error) {
	if seat, ok := m.SeatOf(a.By); ok && seat != m.ToMove() {
		return game.Match{}, &game.Refusal{Code: game.NotYourTurn}
	}
	return m.Undo(a.By, a.At)
}

// draw offers a draw; the engine answers at once.
func draw(m game.Match, a Act) (game.Match, error) {
	m, err := m.Draw(a.By, a.At)
	if err != nil || !m.AgainstEngine() || m.Phase != game.Playing {
		return m, err
	}
	return m.EngineDraw(engineAgrees(m), a.At)
}

// engineAgrees reports whether the engine accepts a draw: on a dead board, or after move 60 where its
// last search saw neither side ahead.
func engineAgrees(m game.Match) bool {
	if m.Game().Dead() {
		return true
	}
	if m.Guest() != "" {
		return false // the protocols ask no program for a draw
	}
	for i := len(m.Log) - 1; i >= 0; i-- {
		if n := m.Log[i].Note; n.Level != 0 {
			return m.Game().Len() > 60 && n.Win > 450 && n.Win < 550
		}
	}
	return false
}

// accept takes a challenge, for the colors that the button showed.
func accept(m game.Match, a Act) (game.Match, error) {
	if a.Arg != "" && a.Arg != view.ColorArg(m.First) && m.Phase == game.Offered {
		return game.Match{}, &game.Refusal{Code: game.Moved} // they have agreed to other colors
	}
	return m.Accept(a.By, a.At)
}

// color gives who challenges the color that the button names.
func color(m game.Match, a Act) (game.Match, error) {
	c, ok := view.ColorOfArg(a.Arg)
	if !ok {
		return m, view.No("unknown.button")
	}
	return m.Color(a.By, c, a.At)
}

// abort ends a game that has hardly begun, or takes an own challenge back.
func abort(m game.Match, a Act) (game.Match, error) {
	if m.Phase == game.Offered && m.Owner == a.By {
		return m.Cancel(a.By, a.At)
	}
	return m.Abort(a.By, a.At)
}

// Rematch is Do for the verb by which a member asks for another match, or agrees to it: m then names next.
func (a Act) Rematch(m game.Match, next game.MatchID) (game.Match, error) {
	if a.Arg == "balanced" {
		return m.RematchBalanced(a.By, next, a.At)
	}
	return m.Rematch(a.By, next, a.At)
}

// owned is do for a match between engines, by its owner and by members who may manage messages here.
func owned(do doing) doing {
	return func(m game.Match, a Act) (game.Match, error) {
		if !view.BetweenEngines(m) || m.Owner != a.By && !a.Manages {
			return m, view.No("refused.notOwner")
		}
		return do(m, a)
	}
}
