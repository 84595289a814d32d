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
	name   string
	line   string // a position line
	marks  string // the points that the text mentions
	offers string // the points that are offered for the fifth stone
	square int    // the square round the centre that is marked; 0: none
}

// lessons are the pages by game.
var lessons = map[string][]lesson{
	"gomoku": {
		{name: "gomoku.1", line: "gomoku h8g9h9g8h10g10h7g7h6"},
		{name: "gomoku.2", line: "gomoku h8g7h9i7h10", marks: "h6 h7 h11 h12"},
		{name: "gomoku.3", line: "gomoku f8e8g8d12h8k5i9l4i10d4", marks: "i8"},
		{name: "gomoku.4", line: "gomoku9 e5f6d6g3e7d5e6"},
	},
	"standard": {
		{name: "standard.1", line: "standard h8a1h9b2h10c1h11a3h6b3h5d3", marks: "h7"},
		{name: "gomoku.3", line: "standard f8e8g8d12h8k5i9l4i10d4", marks: "i8"},
	},
	"renju": {
		{name: "renju.1", line: "renju h8h9i10"},
		{name: "renju.2", line: "renju h9c3h10c4i8d12j8l12"},
		{name: "renju.3", line: "renju .............../.............../.............../...O.........../..........O..../.....OXXX....../.........X..O../.........X...../....O....X...../......O..O...../.O.........O.../..XXX.XX......./..O.O........../.............../............... X"},
		{name: "renju.4", line: "renju .............../.............../.............../.............../.....O........./..O...O.X.X..../........XX...../...OXXXX...O.../..........O..../....O..O......./.............../.............../.............../.............../............... X", marks: "i8"},
	},
	"reversi": {
		{name: "reversi.1", line: "reversi start"},
		{name: "reversi.2", line: "reversi f5d6c3d3c4"},
		{name: "reversi.3", line: "reversi f5d6c3d3c4f4f6f3e6e7", marks: "a1 h1 a8 h8"},
		{name: "reversi.4", line: "reversi XXXXXXXX/XXXXXXXX/XXOOXXXX/XOXXOOXX/XOOOXOXX/XXOOOOOO/OOOOOOOO/OOOOOOOO"},
	},
}

// openingLessons are the pages of the openings, three each. Pages that are alike in several stand in each.
var openingLessons = map[string][]lesson{
	"swap": {
		{name: "opening.three", line: "gomoku h8h9i8"},
		{name: "swap.2", line: "gomoku h8h9i8"},
		{name: "opening.white", line: "gomoku h8h9i8g9"},
	},
	"swap2": {
		{name: "opening.three", line: "gomoku h8h9i8"},
		{name: "swap2.2", line: "gomoku h8h9i8"},
		{name: "swap2.3", line: "gomoku h8h9i8g9j7"},
	},
	"pro": {
		{name: "pro.1", line: "gomoku h8i9"},
		{name: "pro.2", line: "gomoku h8i9", square: 5},
		{name: "pro.3", line: "gomoku h8i9k11", square: 5},
	},
	"longpro": {
		{name: "pro.1", line: "gomoku h8i9"},
		{name: "longpro.2", line: "gomoku h8i9", square: 7},
		{name: "pro.3", line: "gomoku h8i9l11", square: 7},
	},
	"rif": {
		{name: "rif.1", line: "renju h8i9j10", square: 5},
		{name: "rif.2", line: "renju h8i9j10k9"},
		{name: "rif.3", line: "renju h8i9j10k9", offers: "h9h10"},
	},
	"yamaguchi": {
		{name: "yamaguchi.1", line: "renju h8i9j10", square: 5},
		{name: "rif.2", line: "renju h8i9j10k9"},
		{name: "yamaguchi.3", line: "renju h8i9j10k9", offers: "h9h10i8j9"},
	},
	"soosyrv8": {
		{name: "rif.1", line: "renju h8i9j10", square: 5},
		{name: "soosyrv8.2", line: "renju h8i9j10k9"},
		{name: "soosyrv8.3", line: "renju h8i9j10k9", offers: "h9h10i8j9"},
	},
	"tarannikov": {
		{name: "tarannikov.1", line: "renju h8i9j10", square: 5},
		{name: "tarannikov.2", line: "renju h8i9j10k9", square: 7},
		{name: "tarannikov.3", line: "renju h8i9j10k9g7", square: 9},
	},
	"taraguchi10": {
		{name: "tarannikov.1", line: "renju h8i9j10", square: 5},
		{name: "taraguchi10.2", line: "renju h8i9j10k9", square: 7},
		{name: "taraguchi10.3", line: "renju h8i9j10k9", offers: "h9h10i8j9g8f6k11h6k8e5"},
	},
	"xot": {
		{name: "xot.1", line: "reversi start"},
		{name: "xot.2", line: "reversi d3c3c4c5d6e3f4f5"},
		{name: "xot.3", line: "reversi d3c3c4c5d6e3f4f5"},
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
	if pages, ok := openingLessons[name]; ok {
		return pages
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
	opts, err := l.drawn()
	if err != nil {
		return chat.Message{}, fmt.Errorf("lesson %s: %w", l.name, err)
	}
	png, err := Draw(render.PNG, g, opts)
	if err != nil {
		return chat.Message{}, fmt.Errorf("drawing: %w", err)
	}
	words := t.Say("lesson." + l.name)
	if s := t.crossed(g); s != "" {
		words += "\n" + Legend(s)
	}
	title, start := t.Rules(g.Rules()), Do("start", name)
	if _, ok := openingLessons[name]; ok {
		title += " · " + t.Opening(name)
		start = Do("new", g.Rules().Name()+"..."+name+".")
	}
	turn := func(tag, label string, to int) chat.Button {
		return chat.Button{ID: Do("lesson", fmt.Sprintf("%s.%d.%s", name, to, tag)), Label: label, Disabled: to < 0 || to >= len(pages)}
	}
	msg := chat.Message{Private: true, Blocks: []chat.Block{
		{Text: fmt.Sprintf("### %s %d/%d\n%s", title, page+1, len(pages), words)},
		{Picture: &chat.Picture{Name: "lesson.png", Data: png, Alt: Clip(strings.NewReplacer("*", "", "\n-# ✕", "").Replace(words), 1000), Text: PlainBoard(g)}},
		{Row: []chat.Button{
			turn("back", "◀", page-1), turn("on", "▶", page+1),
			{ID: start, Label: t.Say("button.tryIt"), Style: chat.Primary},
		}},
		{Select: &chat.Select{ID: Do("lesson", name+".0.other"), Hint: t.Say("lesson.which"), Choice: t.lessonChoices(name)}},
	}}
	return msg, nil
}

// drawn is how the page is drawn.
func (l lesson) drawn() (render.Options, error) {
	opts := render.Options{Forbidden: true, Legal: true, Size: 700}
	points, err := game.ParseMoves(l.marks)
	if err != nil {
		return opts, err
	}
	for _, p := range points {
		opts.Marks = append(opts.Marks, render.Mark{At: p})
	}
	if points, err = game.ParseMoves(l.offers); err != nil {
		return opts, err
	}
	for i, p := range points {
		opts.Marks = append(opts.Marks, offerMark(i, p))
	}
	if half := l.square / 2; half > 0 {
		opts.Frames = []render.Frame{{From: game.At(7-half, 7-half), To: game.At(7+half, 7+half), Closed: true}}
	}
	return opts, nil
}

// lessonChoices are the games that have rules of their own, and the openings.
func (t Tongue) lessonChoices(name string) []chat.Choice {
	var choices []chat.Choice
	for _, r := range []game.Rules{game.Gomoku15, game.Standard15, game.Renju, game.Reversi} {
		choices = append(choices, chat.Choice{Label: t.Rules(r), Value: r.Name(), Chosen: r.Name() == name})
	}
	for _, c := range t.OpeningChoices(name) {
		if openingLessons[c.Value] != nil {
			choices = append(choices, c)
		}
	}
	return choices
}
