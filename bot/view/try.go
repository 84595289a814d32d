package view

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"tengen/ai/engine"
	"tengen/ai/review"
	"tengen/bot/chat"
	"tengen/bot/pad"
	"tengen/game"
	"tengen/render"
	"tengen/storage"
)

// Try is a second try at a fault of a review: the position before it, on a trial board.
type Try struct {
	Match  game.Match
	Look   storage.Look
	Review review.Review
	N      int // the ply that was the fault
	Pad    pad.Pad
	Hinted bool
}

// fault is the fault that is tried again, and before the game before it.
func (y Try) fault() review.Ply { return y.Review.Plies[y.N-1] }
func (y Try) before() game.Game { return y.Match.Game().Until(y.N - 1) }

// id is the custom id of a press on the trial board of a try.
func (y Try) id(what, arg string) string {
	return On(y.Match, "try", strings.TrimSuffix(fmt.Sprintf("%d.%s.%s", y.N, what, arg), "."))
}

// ask is the button that shows the trial board again.
func (y Try) ask(t Tongue, n int, key string) chat.Button {
	y.N = n
	return chat.Button{ID: y.id("ask", key), Label: t.Say(key)}
}

// next is the fault after this one, of those worth trying again; 0 where there is no other.
func (y Try) next() int {
	i := slices.Index(y.Review.Faults, y.N)
	if n := len(y.Review.Faults); n > 1 || i < 0 && n > 0 {
		return y.Review.Faults[(i+1)%n]
	}
	return 0
}

// onward are the buttons that lead on from a try.
func (y Try) onward(t Tongue) (row []chat.Button) {
	if n := y.next(); n != 0 {
		row = append(row, y.ask(t, n, "button.nextFault"))
	}
	return append(row, t.ReviewButton(y.Match, "back"))
}

// title names the fault that is tried again.
func (y Try) title(t Tongue) string {
	return "### " + t.Line(t.Say("button.tryAgain"), t.Say("title.move", "Number", y.N))
}

// asks is what a try asks, after the disc of who is to move.
func (t Tongue) asks(y Try) string {
	f := y.fault()
	text := t.Sentences(t.Turn(f.By), t.Say("try.played", "Move", f.Move.String())) + "\n" + t.goal(f)
	if y.Hinted {
		text += "\n" + t.Say("hint.row", "Row", f.Best.Row()+1)
	}
	return text
}

// Try asks for a better move.
func (p Painter) Try(t Tongue, y Try) (chat.Message, error) {
	f := y.fault()
	at := y.Pad
	if y.Hinted {
		at = pad.Over(y.before(), f.Best)
	}
	s := TrialBoard{Game: y.before(), Look: y.Look, Text: y.title(t) + "\n" + Disc(f.By) + " " + t.asks(y), Pad: at,
		Alt:  t.goal(f),
		Play: func(q game.Point) string { return y.id("at", q.String()) },
		Move: func(arg string) string { return y.id("pad", arg) },
		Row: []chat.Button{{ID: y.id("hint", ""), Label: t.Say("button.hint"), Disabled: y.Hinted},
			{ID: y.id("show", ""), Label: t.Say("button.solution")}}}
	s.Row = append(s.Row, y.onward(t)...)
	return p.TrialBoard(t, s)
}

// goal says what is to be found.
func (t Tongue) goal(f review.Ply) string {
	switch {
	case f.Had.Proof == engine.Win:
		return t.Say("try.goal.win", "Count", ownMoves(f.Had.In))
	case f.Had.Proof == engine.Exact && f.Before > 500:
		return t.Say("try.goal.keepWin")
	case f.Had.Proof == engine.Exact:
		return t.Say("try.goal.keepDraw")
	case f.Note == review.LetThrough || f.Note == review.Forbidden:
		return t.Say("try.goal.defend")
	}
	return t.Say("try.goal.better", "Before", percent(f.Before), "After", percent(f.After))
}

// Looking shows a move that is being judged.
func (p Painter) Looking(t Tongue, y Try, move game.Point) (chat.Message, error) {
	return p.TrialBoard(t, TrialBoard{Game: y.before(), Look: y.Look, Text: t.Say("try.looking", "Point", move.String()),
		Marks: []render.Mark{{At: move, Ghost: true}},
		Row:   append([]chat.Button{y.ask(t, y.N, "button.back")}, y.onward(t)...)})
}

// Judged is the verdict on a move. A right one shows how it goes on, a wrong one how it is
// refuted.
func (p Painter) Judged(t Tongue, y Try, move game.Point, v review.Verdict) (chat.Message, error) {
	line := judgedLine(move, v)
	return p.line(t, y, t.verdict(y, move, v), line, min(len(line), judgedAt), !v.Right)
}

// judgedLine is a move with how it goes on, of which the move and its answer are shown first.
func judgedLine(move game.Point, v review.Verdict) []game.Point {
	return append([]game.Point{move}, v.Line...)
}

const judgedAt = 2

func (t Tongue) verdict(y Try, move game.Point, v review.Verdict) string {
	f := y.fault()
	args := []any{"Point", move.String(), "Before", percent(v.Before), "After", percent(v.After)}
	key := "try.wrong"
	switch {
	case v.Right && v.Gave.Proof == engine.Win:
		key, args = "try.right.win", append(args, "Count", ownMoves(v.Gave.In+1))
	case v.Right && v.Proven && v.Gave.Proof == engine.Exact:
		key = "try.right.exact." + proven(v.After)
	case v.Right:
		key = "try.right"
	case v.Gave.Proof == engine.Loss:
		key, args = "try.wrong.loses", append(args, "Count", ownMoves(v.Gave.In))
	case v.Gave.Proof == engine.Exact:
		key = "try.wrong.exact." + proven(v.After)
	case f.Had.Proof == engine.Win:
		key = "try.wrong.gone"
	}
	return t.Say(key, args...)
}

// Solution shows the best line of the fault.
func (p Painter) Solution(t Tongue, y Try) (chat.Message, error) {
	return p.line(t, y, t.solution(y), bestLine(y.fault()), 1, true)
}

func (t Tongue) solution(y Try) string {
	return t.Say("try.solution", "Point", y.fault().Best.String())
}

// mostPacked is how many moves of a line fit into a custom id.
const mostPacked = 28

// playable is as much of a line as can be played from before the fault: what follows was meant for another position.
func (y Try) playable(line []game.Point) []game.Point {
	g := y.before()
	for i, q := range line {
		next, err := g.Play(q)
		if err != nil || i == mostPacked {
			return line[:i]
		}
		g = next
	}
	return line
}

// line shows a line of moves from before the fault, after so many of them.
func (p Painter) line(t Tongue, y Try, text string, line []game.Point, at int, again bool) (chat.Message, error) {
	line = y.playable(line)
	at = min(max(at, 0), len(line))
	g := y.before()
	for _, q := range line[:at] {
		g, _ = g.Play(q)
	}
	if at > 0 {
		text += "\n" + t.Say("try.line", "Number", at, "Of", len(line), "Line", told(y.before(), line[:at]))
	}
	packed := pack(line)
	button := func(name, label string, to int) chat.Button {
		return chat.Button{ID: y.id(name, fmt.Sprintf("%d.%s", to, packed)), Label: label, Disabled: to < 0 || to > len(line)}
	}
	s := TrialBoard{Game: g, Look: y.Look, Text: text, Numbers: at,
		Row: []chat.Button{button("back", "◀", at-1), button("on", "▶", at+1)}}
	if again {
		s.Row = append(s.Row, y.ask(t, y.N, "button.tryAgain"))
	}
	s.Row = append(s.Row, y.onward(t)...)
	s.More = []chat.Block{{Select: t.playFrom(y.Match, y.N)}}
	return p.TrialBoard(t, s)
}

// Line is a line of a try after so many moves, as a button has packed it.
func (p Painter) Line(t Tongue, y Try, packed string, at int) (chat.Message, error) {
	line, err := UnpackLine(packed)
	if err != nil {
		return chat.Message{}, err
	}
	return p.line(t, y, y.title(t), line, at, true)
}

// UnpackLine is a line as a button has packed it.
func UnpackLine(packed string) ([]game.Point, error) {
	data, err := hex.DecodeString(packed)
	if err != nil {
		return nil, fmt.Errorf("packed line %q", packed)
	}
	line := make([]game.Point, len(data))
	for i, b := range data {
		line[i] = game.Point(b)
	}
	return line, nil
}

// pack is a line for a custom id.
func pack(line []game.Point) string {
	data := make([]byte, len(line))
	for i, q := range line {
		data[i] = byte(q)
	}
	return hex.EncodeToString(data)
}

// told writes moves with their colors, as they are played from g.
func told(g game.Game, line []game.Point) string {
	var words []string
	for _, q := range line {
		words = append(words, Disc(g.Turn())+" "+q.String())
		g, _ = g.Play(q)
	}
	return strings.Join(words, " ")
}
