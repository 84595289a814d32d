package view

import (
	"fmt"

	"tengen/bot/chat"
	"tengen/game/study"
	"tengen/render"
)

// nodes are the buttons by which a member goes through a tree of moves.
type nodes struct {
	study.Study
	id func(what, arg string) string // the custom id of a press
}

// marks marks the branches that go on from the cursor, where there are several.
func (s nodes) marks() (marks []render.Mark) {
	next := s.Next(s.At())
	for i, n := range next {
		if len(next) > 1 && i < 26 {
			marks = append(marks, render.Mark{At: s.Move(n), Text: string(rune('A' + i))})
		}
	}
	return marks
}

// step is a button that goes to a node. The one named undo keeps the pad.
func (s nodes) step(name, label string, to int) chat.Button {
	return chat.Button{ID: s.id("go", fmt.Sprintf("%d.%s", to, name)), Label: label, Disabled: to == s.At()}
}

func (s nodes) steps(t Tongue) []chat.Button {
	row := []chat.Button{s.step("first", "⏮", 0), s.step("back", "◀", s.Back().At()),
		s.step("on", "▶", s.On().At()), s.step("last", "⏭", s.Last().At())}
	if s.Beside() > 1 {
		row = append(row, s.step("aside", t.Say("button.branch"), s.Aside().At()))
	}
	return row
}

// mostChoices is as many entries as a menu has.
const mostChoices = 25

// branches are the branches as a menu; none where there are none.
func (s nodes) branches(t Tongue) []chat.Block {
	var choices []chat.Choice
	for _, n := range s.Branches() {
		if len(choices) == mostChoices {
			break
		}
		g := s.GameAt(s.Up(n))
		label := fmt.Sprintf("%d. %s %s", g.Len()+1, Disc(g.Turn()), s.Move(n))
		if name := s.Name(n); name != "" {
			label = t.Line(label, name)
		}
		choices = append(choices, chat.Choice{Label: Clip(label, 100), Value: fmt.Sprint(n), Chosen: n == s.At()})
	}
	if len(choices) == 0 {
		return nil
	}
	return []chat.Block{{Select: &chat.Select{ID: s.id("pick", ""), Hint: t.Say("study.branches"), Choice: choices}}}
}
