package view

import (
	"fmt"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/pad"
	"tengen/game"
	"tengen/game/ifthen"
	"tengen/game/study"
	"tengen/storage"
)

// IfThen is what a member has laid down in a match, on a board that they alone see.
type IfThen struct {
	storage.IfThen
	Now  game.Match // the match as it stands
	Tree study.Study
	Look storage.Look
	Pad  *pad.Pad // by which moves are laid down; nil: none
}

// IfThenVerb is that of presses on the board of if-then moves, and of those that open it.
const IfThenVerb = "ifthen"

// id is the custom id of a press on the board, which is for the position and for what is laid down now.
func (v IfThen) id(what, arg string) string {
	return On(v.Now, IfThenVerb, fmt.Sprintf("%d.%s.%s", v.Version, what, arg))
}

func (v IfThen) nodes() nodes { return nodes{v.Tree, v.id} }

func (v IfThen) button(t Tongue, what, key string, disabled bool) chat.Button {
	return chat.Button{ID: v.id(what, ""), Label: t.Say(key), Disabled: disabled}
}

// Own is the color of the member.
func (v IfThen) Own() game.Color {
	seat, _ := v.Now.SeatOf(v.Member)
	return v.Now.ColorOf(seat)
}

// Waits reports whether the other side is to move, so that moves may be laid down.
func (v IfThen) Waits() bool { return v.Now.ColorOf(v.Now.ToMove()) != v.Own() }

// IfThen is the board of if-then moves.
func (p Painter) IfThen(t Tongue, v IfThen) (chat.Message, error) {
	g := v.Tree.Game()
	s := TrialBoard{Game: g, Look: v.Look, Text: strings.Join(v.lines(t), "\n"),
		Numbers: max(1, g.Len()-v.Tree.GameAt(0).Len())}
	if v.Pad != nil {
		s.Pad = *v.Pad
		s.Play = func(q game.Point) string { return v.id("at", q.String()) }
		s.Move = func(arg string) string { return v.id("pad", arg) }
		s.Row = []chat.Button{v.nodes().step("undo", t.Say("button.stepBack"), v.Tree.Back().At()),
			v.button(t, "show", "button.done", false)}
		return p.TrialBoard(t, s)
	}
	lay := v.button(t, "lay", "button.layMoves", !v.Waits() || g.Turn() == game.Empty)
	lay.Style = chat.Primary
	s.Marks, s.Row = v.nodes().marks(), v.nodes().steps(t)
	s.More = append([]chat.Block{{Row: []chat.Button{lay, v.button(t, "cut", "button.prune", v.Tree.At() == 0),
		v.button(t, "clear", "button.removeAll", v.Tree.Len() == 1)}}}, v.nodes().branches(t)...)
	return p.TrialBoard(t, s)
}

// lines are the facts above the board.
func (v IfThen) lines(t Tongue) []string {
	g := v.Tree.Game()
	at := t.Say("replay.at", "Number", g.Len(), "Last", v.Tree.Last().Game().Len())
	if g.Len() > 0 {
		at = t.Line(at, t.ply(g.Plies()[g.Len()-1]))
	}
	lines := []string{"### " + t.Line(t.Say("button.ifThen"), t.Named(v.Now)), at}
	switch {
	case !v.Waits():
		lines = append(lines, t.Say("ifthen.yourTurn"))
	case g.Turn() == game.Empty:
	case g.Turn() == v.Own():
		lines = append(lines, t.Say("ifthen.then."+g.Turn().String()))
	default:
		lines = append(lines, t.Say("ifthen.if."+g.Turn().String()))
	}
	if v.Refused {
		lines = append(lines, t.Unplayed(v.IfThen))
	}
	for i, line := range v.Lines {
		if i == mostLines {
			lines = append(lines, "-# "+t.Say("ifthen.more", "Count", len(v.Lines)-i))
			break
		}
		lines = append(lines, "-# "+told(v.Tree.GameAt(0), line[:min(len(line), shownLine)]))
	}
	if len(v.Lines) == 0 && v.Waits() {
		lines = append(lines, "-# "+t.Say("ifthen.about"))
	}
	return lines
}

// mostLines is how many lines stand in words.
const mostLines = 8

// Unplayed says that a reply was not played; empty where none was refused.
func (t Tongue) Unplayed(v storage.IfThen) string {
	if !v.Refused {
		return ""
	}
	return t.Say("ifthen.refused", "Point", v.Reply.String())
}

// ifThenButton opens the board of if-then moves, while the other side is to move.
func (t Tongue) ifThenButton(m game.Match, by game.MemberID) (row []chat.Button) {
	if seat, _ := m.SeatOf(by); ifthen.May(m, by) && seat != m.ToMove() {
		row = append(row, chat.Button{ID: On(m, IfThenVerb, ""), Label: t.Say("button.ifThen")})
	}
	return row
}
