// Package ifthen is what a member answers to moves that may come: lines of moves, laid down while the other side is to
// move. As long as the other side follows a line, its replies are played. It knows no store and no engine. Start from
// Lay and Follow.
package ifthen

import (
	"errors"

	"tengen/game"
	"tengen/game/study"
)

// MostMoves is how many moves a member may lay down in a match. What several lines have in common counts once.
const MostMoves = 100

// Lines are lines of moves from a position on, in the order in which they were laid down. To each move of the other
// side they hold one reply. No line is empty.
type Lines [][]game.Point

// Plan is what a member has laid down in a match.
type Plan struct {
	Lines   Lines
	Refused bool       // a reply was not allowed when its turn came, and the lines are dropped
	Reply   game.Point // which one
}

// In reports whether a match may have if-then moves: two members play it, and both have days.
func In(m game.Match) bool {
	return m.Phase == game.Playing && m.BetweenMembers() && m.ClockOf(0).Slow() && m.ClockOf(1).Slow()
}

// May reports whether a member may look at if-then moves of theirs in a match, and lay some down while the other side
// is to move.
func May(m game.Match, by game.MemberID) bool {
	_, sits := m.SeatOf(by)
	return sits && In(m) && !m.Deciding()
}

// Tree are the lines as a study that begins with the position at the end of a game. What the rules refuse is left out.
func (l Lines) Tree(g game.Game) study.Study {
	t := study.From(g)
	for _, line := range l {
		t = t.Add(line)
	}
	return t
}

// Of are the lines of a study: each way from its beginning to an end.
func Of(t study.Study) (l Lines) {
	from := t.GameAt(0).Len()
	for n := 1; n < t.Len(); n++ {
		if len(t.Next(n)) == 0 {
			l = append(l, t.GameAt(n).Moves()[from:])
		}
	}
	return l
}

// Lay lays down a move at the cursor, for the member whose color is own: a move of the other side beside those that
// are there, or a reply in place of the one before. The error is the refusal of the rules, or study.ErrFull.
func Lay(t study.Study, own game.Color, p game.Point) (study.Study, error) {
	next, err := t.Play(p)
	if err != nil {
		return t, err
	}
	if before := t.Next(t.At()); t.Game().Turn() == own && len(before) > 0 && next.Len() > t.Len() {
		if next, err = t.Go(before[0]).Prune().Play(p); err != nil {
			return t, err
		}
	}
	if next.Len() > MostMoves+1 {
		return t, study.ErrFull
	}
	return next, nil
}

// After are the lines as they go on after a move. Those that begin with another one are dropped.
func (l Lines) After(p game.Point) (rest Lines) {
	for _, line := range l {
		if len(line) > 1 && line[0] == p {
			rest = append(rest, line[1:])
		}
	}
	return rest
}

// Follow is what becomes of a match, was before and is after a change, and of what both seats had laid down before it.
// Where the change is a move, replies are played as long as they fit. A reply that is not allowed is dropped with the
// lines of its seat. A standing offer of a draw is answered by nobody but the member. Who asks to take a move back
// gives up their own lines; a move that is taken back, and the end of the match, drop those of both.
func Follow(was, is game.Match, plans [2]Plan) (game.Match, [2]Plan, error) {
	if is.Phase != game.Playing || is.Undos != was.Undos {
		return is, [2]Plan{}, nil
	}
	if is.Undoing.Open && !was.Undoing.Open {
		plans[is.Undoing.By] = Plan{}
	}
	if len(is.Log) == len(was.Log) {
		return is, plans, nil
	}
	for _, e := range is.Log[len(was.Log):] {
		plans = after(plans, e)
	}
	for is.Phase == game.Playing {
		seat := is.ToMove()
		if len(plans[seat].Lines) == 0 || is.DrawBy == uint8(2-seat) {
			return is, plans, nil
		}
		reply := plans[seat].Lines[0][0]
		next, err := is.Play(is.Seats[seat].Member, reply, is.Updated)
		if errors.As(err, new(*game.Refusal)) {
			plans[seat] = Plan{Refused: true, Reply: reply}
			return is, plans, nil
		}
		if err != nil {
			return is, plans, err
		}
		is, plans = next, after(plans, next.Log[len(next.Log)-1])
	}
	return is, [2]Plan{}, nil
}

// after are the plans of both seats as they go on after an entry of the log.
func after(plans [2]Plan, e game.Entry) (rest [2]Plan) {
	for seat, plan := range plans {
		if p, ok := e.Decision().Stone(); ok {
			rest[seat].Lines = plan.Lines.After(p)
		}
	}
	return rest
}
