package view

import (
	"errors"
	"fmt"
	"strings"

	"tengen/bot/chat"
	"tengen/game"
	"tengen/game/record"
	"tengen/render"
)

// lesson is one page of the rules of a game: a position, and the text under "lesson.NAME" in the
// catalogue.
type lesson struct {
	name  string
	line  string // a position line
	marks string // the points that the text mentions
}

// lessons are the pages by game.
var lessons = map[string][]lesson{
	"gomoku": {
		{"gomoku.1", "gomoku h8g9h9g8h10g10h7g7h6", ""},
		{"gomoku.2", "gomoku h8g7h9i7h10", "h6 h7 h11 h12"},
		{"gomoku.3", "gomoku f8e8g8d12h8k5i9l4i10d4", "i8"},
		{"gomoku.4", "gomoku9 e5f6d6g3e7d5e6", ""},
	},
	"standard": {
		{"standard.1", "standard h8a1h9b2h10c1h11a3h6b3h5d3", "h7"},
		{"gomoku.3", "standard f8e8g8d12h8k5i9l4i10d4", "i8"},
	},
	"renju": {
		{"renju.1", "renju h8h9i10", ""},
		{"renju.2", "renju h9c3h10c4i8d12j8l12", ""},
		{"renju.3", "renju .............../.............../.............../...O.........../..........O..../.....OXXX....../.........X..O../.........X...../....O....X...../......O..O...../.O.........O.../..XXX.XX......./..O.O........../.............../............... X", ""},
		{"renju.4", "renju .............../.............../.............../.............../.....O........./..O...O.X.X..../........XX...../...OXXXX...O.../..........O..../....O..O......./.............../.............../.............../.............../............... X", "i8"},
	},
	"reversi": {
		{"reversi.1", "reversi start", ""},
		{"reversi.2", "reversi f5d6c3d3c4", ""},
		{"reversi.3", "reversi f5d6c3d3c4f4f6f3e6e7", "a1 h1 a8 h8"},
		{"reversi.4", "reversi XXXXXXXX/XXXXXXXX/XXOOXXXX/XOXXOOXX/XOOOXOXX/XXOOOOOO/OOOOOOOO/OOOOOOOO", ""},
	},
}

// ErrNoLesson is the error for a game that has no lessons.
var ErrNoLesson = errors.New("no lessons of this game")

// lessonsOf are the pages of a game. A small board has those of the large one.
func lessonsOf(name string) []lesson {
	switch name {
	case "gomoku9":
		name = "gomoku"
	case "standard9":
		name = "standard"
	}
	return lessons[name]
}

// Lesson is a page of the rules of a game, for one member alone.
func (t Tongue) Lesson(name string, page int) (chat.Message, error) {
	pages := lessonsOf(name)
	if len(pages) == 0 {
		return chat.Message{}, ErrNoLesson
	}
	page = min(max(page, 0), len(pages)-1)
	l := pages[page]
	g, err := record.ParseLine(l.line)
	if err != nil {
		return chat.Message{}, fmt.Errorf("lesson %s: %w", l.name, err)
	}
	opts := render.Options{Forbidden: true, Legal: true, Size: 700}
	points, err := game.ParseMoves(l.marks)
	if err != nil {
		return chat.Message{}, fmt.Errorf("lesson %s: %w", l.name, err)
	}
	for _, p := range points {
		opts.Marks = append(opts.Marks, render.Mark{At: p})
	}
	png, err := Draw(render.PNG, g, opts)
	if err != nil {
		return chat.Message{}, fmt.Errorf("drawing: %w", err)
	}
	words := t.Say("lesson." + l.name)
	if s := t.crossed(g); s != "" {
		words += "\n" + Legend(s)
	}
	rules := g.Rules()
	turn := func(tag, label string, to int) chat.Button {
		return chat.Button{ID: Do("lesson", fmt.Sprintf("%s.%d.%s", name, to, tag)), Label: label, Disabled: to < 0 || to >= len(pages)}
	}
	msg := chat.Message{Private: true, Blocks: []chat.Block{
		{Text: fmt.Sprintf("### %s %d/%d\n%s", t.Rules(rules), page+1, len(pages), words)},
		{Picture: &chat.Picture{Name: "lesson.png", Data: png, Alt: Clip(strings.NewReplacer("*", "", "\n-# ✕", "").Replace(words), 1000), Text: PlainBoard(g)}},
		{Row: []chat.Button{
			turn("back", "◀", page-1), turn("on", "▶", page+1),
			{ID: Do("start", name), Label: t.Say("button.tryIt"), Style: chat.Primary},
		}},
		{Select: &chat.Select{ID: Do("lesson", name+".0.other"), Hint: t.Say("lesson.which"), Choice: t.lessonChoices(name)}},
	}}
	return msg, nil
}

// lessonChoices are the games that have rules of their own.
func (t Tongue) lessonChoices(name string) []chat.Choice {
	var choices []chat.Choice
	for _, r := range []game.Rules{game.Gomoku15, game.Standard15, game.Renju, game.Reversi} {
		choices = append(choices, chat.Choice{Label: t.Rules(r), Value: r.Name(), Chosen: r.Name() == name})
	}
	return choices
}
