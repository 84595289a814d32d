package learn

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/view"
	"tengen/game"
	"tengen/render"
)

// page is a position with words, which stand under "lesson.NAME" in the catalogue: a page of
// the rules, or of a course.
type page struct {
	name   string
	line   string // a position line
	marks  string // the points that the text mentions
	offers string // the points that are offered for the fifth stone
	square int    // the square round the centre that is marked; 0: none
}

var rulePages = pagesOf(`
gomoku
	gomoku.1: gomoku h8g9h9g8h10g10h7g7h6
	gomoku.2: gomoku h8g7h9i7h10; marks h7 h11
	gomoku.3: gomoku f8e8g8d12h8k5i9l4i10d4; marks i8
	gomoku.4: gomoku9 e5f6d6g3e7d5e6
standard
	standard.1: standard h8a1h9b2h10c1h11a3h6b3h5d3; marks h7
	gomoku.3: standard f8e8g8d12h8k5i9l4i10d4; marks i8
renju
	renju.1: renju h8h9i10
	renju.2: renju h9c3h10c4i8d12j8l12
	renju.3: renju .............../.............../.............../...O.........../..........O..../.....OXXX....../.........X..O../.........X...../....O....X...../......O..O...../.O.........O.../..XXX.XX......./..O.O........../.............../............... X
	renju.4: renju .............../.............../.............../.............../.....O........./..O...O.X.X..../........XX...../...OXXXX...O.../..........O..../....O..O......./.............../.............../.............../.............../............... X; marks i8
reversi
	reversi.1: reversi start
	reversi.2: reversi f5d6c3d3c4
	reversi.3: reversi f5d6c3d3c4f4f6f3e6e7; marks a1 h1 a8 h8
	reversi.4: reversi XXXXXXXX/XXXXXXXX/XXOOXXXX/XOXXOOXX/XOOOXOXX/XXOOOOOO/OOOOOOOO/OOOOOOOO
`)

// openingPages are the pages of the openings, three each. Pages that are alike in several
// stand in each.
var openingPages = pagesOf(`
swap
	opening.three: gomoku h8h9i8
	swap.2: gomoku h8h9i8
	opening.white: gomoku h8h9i8g9
swap2
	opening.three: gomoku h8h9i8
	swap2.2: gomoku h8h9i8
	swap2.3: gomoku h8h9i8g9j7
pro
	pro.1: gomoku h8i9
	pro.2: gomoku h8i9; square 5
	pro.3: gomoku h8i9k11; square 5
longpro
	pro.1: gomoku h8i9
	longpro.2: gomoku h8i9; square 7
	pro.3: gomoku h8i9l11; square 7
rif
	rif.1: renju h8i9j10; square 5
	rif.2: renju h8i9j10k9
	rif.3: renju h8i9j10k9; offers h9h10
yamaguchi
	yamaguchi.1: renju h8i9j10; square 5
	rif.2: renju h8i9j10k9
	yamaguchi.3: renju h8i9j10k9; offers h9h10i8j9
soosyrv8
	rif.1: renju h8i9j10; square 5
	soosyrv8.2: renju h8i9j10k9
	soosyrv8.3: renju h8i9j10k9; offers h9h10i8j9
tarannikov
	tarannikov.1: renju h8i9j10; square 5
	tarannikov.2: renju h8i9j10k9; square 7
	tarannikov.3: renju h8i9j10k9g7; square 9
taraguchi10
	tarannikov.1: renju h8i9j10; square 5
	taraguchi10.2: renju h8i9j10k9; square 7
	taraguchi10.3: renju h8i9j10k9; offers h9h10i8j9g8f6k11h6k8e5
xot
	xot.1: reversi start
	xot.2: reversi d3c3c4c5d6e3f4f5
	xot.3: reversi d3c3c4c5d6e3f4f5
`)

// pagesOf reads a table of pages alone.
func pagesOf(table string) map[string][]page {
	all := map[string][]page{}
	for _, s := range read(table, nil) {
		all[s.name] = s.pages
	}
	return all
}

// rulesOf are the pages of a game or an opening. A small board has those of the large one.
func rulesOf(name string) []page {
	switch name {
	case "gomoku9":
		name = "gomoku"
	case "standard9":
		name = "standard"
	}
	if pages, ok := openingPages[name]; ok {
		return pages
	}
	return rulePages[name]
}

// showRules shows the first page of the rules of a game or an opening.
func (s *Lessons) showRules(ctx context.Context, r chat.Request) error {
	return s.rules(ctx, r, r.Text("opening", r.Text("game", "gomoku")), 0)
}

// openingsWithPages are the openings that have steps to explain.
func openingsWithPages() []chat.Choice {
	return slices.DeleteFunc(command.OpeningChoices(), func(c chat.Choice) bool { return openingPages[c.Value] == nil })
}

func (s *Lessons) pressRules(ctx context.Context, r chat.Request, p view.Press) error {
	name, rest, _ := strings.Cut(p.Arg, ".")
	number, _, _ := strings.Cut(rest, ".")
	if len(r.Values) == 1 {
		name = r.Values[0]
	}
	page, err := strconv.Atoi(number)
	if err != nil {
		return view.No("unknown.button")
	}
	return s.rules(ctx, r, name, page)
}

func (s *Lessons) rules(ctx context.Context, r chat.Request, name string, page int) error {
	if rulesOf(name) == nil {
		return view.No("unknown.game")
	}
	msg, err := rulesPage(s.House.Tongue(r), name, page)
	if err != nil {
		return err
	}
	return chat.Reply(ctx, s.Chat, r, msg)
}

// rulesPage is a page of the rules of a game that has some, for one member alone.
func rulesPage(t view.Tongue, name string, number int) (chat.Message, error) {
	pages := rulesOf(name)
	number = min(max(number, 0), len(pages)-1)
	g, err := board(pages[number].line)
	if err != nil {
		return chat.Message{}, err
	}
	title, start := t.Rules(g.Rules()), view.Do("start", name)
	if _, ok := openingPages[name]; ok {
		title = t.Line(title, t.Opening(name))
		start = view.Do("new", g.Rules().Name()+"..."+name+".")
	}
	blocks, err := pages[number].blocks(t, fmt.Sprintf("%s %d/%d", title, number+1, len(pages)))
	if err != nil {
		return chat.Message{}, err
	}
	turn := func(tag, label string, to int) chat.Button {
		return chat.Button{ID: view.Do("lesson", fmt.Sprintf("%s.%d.%s", name, to, tag)), Label: label,
			Disabled: to < 0 || to >= len(pages)}
	}
	row := []chat.Button{turn("back", "◀", number-1), turn("on", "▶", number+1)}
	if course, ok := courseNamed(name); ok {
		row = append(row, overviewButton(t, course, "button.learn"))
	}
	row = append(row, chat.Button{ID: start, Label: t.Say("button.tryIt"), Style: chat.Primary})
	return chat.Message{Private: true, Blocks: append(blocks, chat.Block{Row: row},
			chat.Block{Select: &chat.Select{ID: view.Do("lesson", name+".0.other"),
				Hint: t.Say("lesson.which"), Choice: rulesChoices(t, name)}})},
		nil
}

// blocks are the words of the page under a title, and its picture.
func (p page) blocks(t view.Tongue, title string) ([]chat.Block, error) {
	g, err := board(p.line)
	if err != nil {
		return nil, fmt.Errorf("page %s: %w", p.name, err)
	}
	opts, err := p.drawn()
	if err != nil {
		return nil, fmt.Errorf("page %s: %w", p.name, err)
	}
	png, err := view.Draw(render.PNG, g, opts)
	if err != nil {
		return nil, fmt.Errorf("drawing: %w", err)
	}
	words, crossed := t.Say("lesson."+p.name), t.CrossedOn(g)
	alt := t.Sentences(strings.ReplaceAll(words, "*", ""), crossed)
	if crossed != "" {
		words += "\n" + view.Legend(crossed)
	}
	return []chat.Block{{Text: "### " + title + "\n" + words},
		{Picture: &chat.Picture{Name: "lesson.png", Data: png, Alt: view.Clip(alt, 1000), Text: view.PlainBoard(g)}}}, nil
}

// drawn is how the page is drawn.
func (p page) drawn() (render.Options, error) {
	opts := render.Options{Forbidden: true, Legal: true, Size: 700}
	points, err := game.ParseMoves(p.marks)
	if err != nil {
		return opts, err
	}
	for _, p := range points {
		opts.Marks = append(opts.Marks, render.Mark{At: p})
	}
	if points, err = game.ParseMoves(p.offers); err != nil {
		return opts, err
	}
	for i, p := range points {
		opts.Marks = append(opts.Marks, view.OfferMark(i, p))
	}
	if half := p.square / 2; half > 0 {
		opts.Frames = []render.Frame{{From: game.At(7-half, 7-half), To: game.At(7+half, 7+half), Closed: true}}
	}
	return opts, nil
}

// rulesChoices are the games that have rules of their own, and the openings.
func rulesChoices(t view.Tongue, name string) []chat.Choice {
	var choices []chat.Choice
	for _, r := range []game.Rules{game.Gomoku15, game.Standard15, game.Renju, game.Reversi} {
		choices = append(choices, chat.Choice{Label: t.Rules(r), Value: r.Name(), Chosen: r.Name() == name})
	}
	for _, c := range t.OpeningChoices(name) {
		if openingPages[c.Value] != nil {
			choices = append(choices, c)
		}
	}
	return choices
}
