package learn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/pad"
	"tengen/bot/view"
	"tengen/game"
	"tengen/render"
	"tengen/storage"
)

// errNotYet says that a button names moves that do not lead to a position to go on from.
var errNotYet = errors.New("no position to go on from")

// attempt is an exercise that a member is at.
type attempt struct {
	place
	exercise
	n      int // of the exercise in its step
	tried  []game.Point
	game   game.Game
	pad    pad.Pad
	hinted bool
}

// id is the custom id of a press in the exercise.
func (e attempt) id(what, arg string) string {
	return e.place.id(e.stamp(), "do", e.n, what+"."+pack(e.tried)+"."+arg)
}

// fresh is the attempt as it is first shown.
func (e attempt) fresh() attempt { e.tried = nil; return e }

func overviewButton(t view.Tongue, c course, key string) chat.Button {
	return chat.Button{ID: place{c, 0}.id(0, "all", 0, ""), Label: t.Say(key)}
}

func stepsButton(t view.Tongue, c course) chat.Button { return overviewButton(t, c, "button.steps") }

// title names the step.
func (p place) title(t view.Tongue) string {
	return t.Line(t.Rules(p.course.rules()), fmt.Sprintf("%d/%d", p.n+1, len(p.course.steps)),
		t.Say("lesson."+p.course.key(p.step())))
}

// overview is the steps of a course, and what a member has done of them.
func overview(t view.Tongue, c course, p storage.Progress) chat.Message {
	next := c.next(p)
	lines := []string{"### " + t.Line(t.Say("button.learn"), t.Rules(c.rules())), t.Say("learn.about." + c.name)}
	var choices []chat.Choice
	for i, s := range c.steps {
		n := c.solved(s, p)
		sign := "▫️"
		switch {
		case n == len(s.exercises):
			sign = "✅"
		case i == next:
			sign = "▶️"
		}
		name := fmt.Sprintf("%d. %s", i+1, t.Say("lesson."+c.key(s)))
		line := sign + " " + name
		if n > 0 && n < len(s.exercises) {
			line = t.Aside(line, fmt.Sprintf("%d/%d", n, len(s.exercises)))
		}
		lines = append(lines, line)
		choices = append(choices, chat.Choice{Label: name, Value: fmt.Sprint(i)})
	}
	row := []chat.Button{}
	switch {
	case next < len(c.steps):
		row = append(row, chat.Button{ID: place{c, next}.page(0, "on"), Label: t.Say("button.step.open", "Number", next+1),
			Style: chat.Primary})
	default:
		lines = append(lines, t.Say("learn.finished"))
		row = append(row, chat.Button{ID: view.Do("start", c.name), Label: t.Say("button.tryIt"), Style: chat.Primary})
	}
	row = append(row, chat.Button{ID: view.Do("lesson", c.name+".0.learn"), Label: t.Say("button.rules")})
	var games []chat.Choice
	for _, other := range courses {
		games = append(games, chat.Choice{Label: t.Rules(other.rules()), Value: other.name, Chosen: other.name == c.name})
	}
	return chat.Private(strings.Join(lines, "\n"), chat.Block{Row: row},
		chat.Block{Select: &chat.Select{ID: place{c, 0}.id(0, "step", 0, ""), Hint: t.Say("learn.which"), Choice: choices}},
		chat.Block{Select: &chat.Select{ID: place{c, 0}.id(0, "course", 0, ""), Hint: t.Say("lesson.which"), Choice: games}})
}

// stepPage is a page of a step. The last one leads to the exercises.
func stepPage(t view.Tongue, at place, n int) (chat.Message, error) {
	pages := at.step().pages
	blocks, err := pages[n].blocks(t, at.title(t))
	if err != nil {
		return chat.Message{}, err
	}
	back := chat.Button{ID: at.page(max(n-1, 0), "back"), Label: "◀", Disabled: n == 0}
	on := chat.Button{ID: at.page(n+1, "on"), Label: "▶", Style: chat.Primary}
	if n == len(pages)-1 {
		on = at.begin(t, 0, "button.exercise")
		on.Style = chat.Primary
	}
	return chat.Message{Private: true,
		Blocks: append(blocks, chat.Block{Row: []chat.Button{back, on, stepsButton(t, at.course)}})}, nil
}

// begin is a button that shows an exercise.
func (p place) begin(t view.Tongue, n int, key string) chat.Button {
	e := attempt{place: p, n: n, exercise: p.step().exercises[n]}
	return chat.Button{ID: e.id("ask", key), Label: t.Say(key)}
}

// next leads on from an exercise: to the next one, to the next step, or to the overview. From one that is
// not solved it says that it skips.
func (e attempt) next(t view.Tongue, solved bool) (b chat.Button) {
	switch {
	case e.n+1 < len(e.step().exercises):
		b = e.begin(t, e.n+1, "button.next")
	case e.place.n+1 < len(e.course.steps):
		b = chat.Button{ID: place{e.course, e.place.n + 1}.page(0, "next"), Label: t.Say("button.nextStep")}
	default:
		return stepsButton(t, e.course)
	}
	if !solved {
		b.Label = t.Say("button.skip")
	}
	return b
}

// onward are the buttons that lead on from an exercise. After the last one the overview is
// what comes next.
func (e attempt) onward(t view.Tongue, solved bool) []chat.Button {
	next, all := e.next(t, solved), stepsButton(t, e.course)
	same := next.ID == all.ID
	if solved {
		next.Style = chat.Primary
	}
	if same {
		return []chat.Button{next}
	}
	return []chat.Button{next, all}
}

// head is the title of an exercise.
func (e attempt) head(t view.Tongue) string {
	return "### " + e.title(t) + "\n" + t.Say("learn.exercise", "Number", e.n+1, "Of", len(e.step().exercises))
}

// goal says what is to be found.
func (e attempt) goal(t view.Tongue) string {
	return t.Sentences(t.Turn(e.game.Turn()), t.Say("learn.ask."+string(e.ask), "Point", strings.ToUpper(e.about)))
}

// hint says what to look for. Forbidden points are a matter of Renju alone.
func (e attempt) hint(t view.Tongue) string {
	key := "learn.hint." + string(e.ask)
	if renjus := key + ".renju"; e.course.rules() == game.Renju && t.Has(renjus) {
		key = renjus
	}
	return "💡 " + t.Say(key)
}

// board is the board of the exercise under some words.
func (e attempt) board(t view.Tongue, words ...string) view.TrialBoard {
	text := e.head(t) + "\n" + strings.Join(words, "\n")
	return view.TrialBoard{Game: e.game, Text: text, Alt: t.Stones(render.FactsOf(e.game)), Marks: e.marks()}
}

// marks are the points that the question names, as long as they are empty.
func (e attempt) marks() (marks []render.Mark) {
	for _, p := range pointsOf(e.about) {
		if e.game.Position().At(p) == game.Empty {
			marks = append(marks, render.Mark{At: p})
		}
	}
	return marks
}

// names are points in words.
func names(points []game.Point) (words []string) {
	for _, p := range points {
		words = append(words, p.String())
	}
	return words
}

// row writes moves one after the other.
func row(moves []game.Point) string { return strings.Join(names(moves), " ") }

// asked is the exercise, to be answered on the board or by a choice.
func (s *Lessons) asked(t view.Tongue, e attempt) (chat.Message, error) {
	words := []string{e.goal(t)}
	if len(e.tried) > 0 {
		words = append(words, t.Say("learn.go"))
	}
	if e.hinted {
		words = append(words, e.hint(t))
	}
	b := e.board(t, words...)
	b.Row = []chat.Button{{ID: e.id("hint", ""), Label: t.Say("button.hint"), Disabled: e.hinted},
		{ID: e.fresh().id("show", ""), Label: t.Say("button.solution")}, e.next(t, false)}
	if !e.onBoard() {
		return s.withChoices(t, e, b)
	}
	b.Pad = e.pad
	b.Play = func(p game.Point) string { return e.id("at", p.String()) }
	b.Move = func(arg string) string { return e.id("pad", arg) }
	return s.Paint.TrialBoard(t, b)
}

// firstPad is the pad under the board as it is first shown.
func (e attempt) firstPad() pad.Pad {
	if right := e.points(); e.onBoard() && len(e.tried) == 0 {
		return pad.Reaching(e.game, right[0])
	}
	return pad.Last(e.game)
}

// withChoices is a question with its choices above the other buttons.
func (s *Lessons) withChoices(t view.Tongue, e attempt, b view.TrialBoard) (chat.Message, error) {
	row := b.Row
	b.Row = nil
	for _, c := range questions[e.ask](e.game, pointsOf(e.about)).choices {
		b.Row = append(b.Row, chat.Button{ID: e.id("say", c), Label: choiceLabel(t, c), Style: chat.Primary})
	}
	b.More = []chat.Block{{Row: row}}
	return s.Paint.TrialBoard(t, b)
}

// choiceLabel words a choice; a number or a point is its own word.
func choiceLabel(t view.Tongue, c string) string {
	for _, key := range []string{"learn.choice." + c, "color." + c} {
		if t.Has(key) {
			return t.Say(key)
		}
	}
	return c
}

// judged shows a verdict on the answer that was given.
func (s *Lessons) judged(t view.Tongue, e attempt, v verdict, answer string) (chat.Message, error) {
	e.game = v.game
	if v.right && !v.solved {
		e.pad = pad.Last(e.game)
		return s.asked(t, e)
	}
	start, err := e.start()
	if err != nil {
		return chat.Message{}, err
	}
	e.game = start
	goal := e.goal(t)
	e.game = v.game
	words := []string{goal, "✅ " + t.Say("learn.right")}
	if !v.right {
		words = []string{goal, "❌ " + e.wrong(t, v, answer)}
	}
	if v.undecided {
		words = []string{goal, t.Say("undecided", "Point", answer)}
	}
	b := e.board(t, words...)
	b.Numbers = v.shown
	again := e.fresh()
	b.Row = []chat.Button{{ID: again.id("ask", "again"), Label: t.Say("button.tryAgain")}}
	if !v.right {
		b.Row[0].Style = chat.Primary
		b.Row = append(b.Row, chat.Button{ID: again.id("hint", ""), Label: t.Say("button.hint")},
			chat.Button{ID: again.id("show", ""), Label: t.Say("button.solution")})
	}
	b.Row = append(b.Row, e.onward(t, v.right)...)
	return s.Paint.TrialBoard(t, b)
}

func (e attempt) wrong(t view.Tongue, v verdict, answer string) string {
	start, err := e.start()
	if err != nil {
		return ""
	}
	side := start.Turn()
	black, white := game.Score(v.game.Position())
	args := []any{"Point", choiceLabel(t, answer), "Reply", row(v.reply[:min(len(v.reply), mostShown)]),
		"Black", black, "White", white}
	key := "learn.wrong." + string(e.ask)
	switch {
	case e.ask == askAllowed:
		return e.rows(t, start)
	case e.ask == askOpen && len(v.reply) == 0:
		key = "learn.wrong.noFour"
	case e.ask == askOpen && v.game.Result().Winner == side.Other():
		key = "learn.wrong.block"
	case (e.ask == askWin || e.ask == askBest) && len(v.reply) == 0 && v.game.Turn() != game.Empty:
		key = "learn.wrong.other"
	case e.ask == askWin && v.game.Result().Winner == side.Other():
		key = "learn.wrong.lost"
	}
	return t.Say(key, args...)
}

// rows says which rows the stone makes that a question of Renju is about, and whether it is allowed.
func (e attempt) rows(t view.Tongue, g game.Game) string {
	p := pointsOf(e.about)[0]
	long, fours, threes := game.BlackRows(g.Position(), p)
	key := "learn.wrong.allowed"
	if g.Check(p) != nil {
		key = "learn.wrong.forbidden"
	}
	if len(long) > 0 { // five beats everything, and more than five is enough
		fours, threes = nil, nil
		slices.SortFunc(long, func(a, b game.Row) int { return a.Len() - b.Len() })
		long = slices.DeleteFunc(long, func(r game.Row) bool { return r.Len() != long[0].Len() })
	}
	var made []string
	for _, kind := range []struct {
		key  string
		rows []game.Row
	}{{"learn.rows.long", long}, {"learn.rows.four", fours}, {"learn.rows.three", threes}} {
		var spans []string
		for _, row := range kind.rows {
			spans = append(spans, pad.Span(row.From, row.To))
		}
		if len(spans) > 0 {
			made = append(made, t.Say(kind.key, "Count", len(spans), "Stones", kind.rows[0].Len(),
				"Rows", strings.Join(spans, " ")))
		}
	}
	return t.Say(key, "Point", p.String(), "Rows", made)
}

// solution shows the answer. One that is a line of moves is shown to the end of the game.
func (s *Lessons) solution(ctx context.Context, t view.Tongue, e attempt) (chat.Message, error) {
	e = e.fresh()
	g, err := e.start()
	if err != nil {
		return chat.Message{}, err
	}
	e.game = g
	goal, answer, numbers, marks := e.goal(t), choiceLabel(t, e.right), 0, e.marks()
	switch p, line := e.puzzle(g); {
	case line:
		moves, _ := p.Solution(ctx)
		if e.game, err = g.PlayAll(moves...); err != nil {
			return chat.Message{}, err
		}
		answer, numbers = row(moves), len(moves)
	case e.onBoard(), e.ask == askWhich:
		answer, marks = t.Line(names(e.points())...), nil
		for _, p := range e.points() {
			marks = append(marks, render.Mark{At: p})
		}
	}
	b := e.board(t, goal, t.Say("learn.answer", "Answer", answer), e.hint(t))
	b.Marks, b.Numbers = marks, numbers
	b.Row = append([]chat.Button{{ID: e.id("ask", "again"), Label: t.Say("button.tryAgain"), Style: chat.Primary}},
		e.onward(t, false)...)
	return s.Paint.TrialBoard(t, b)
}
