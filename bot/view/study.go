package view

import (
	"fmt"
	"strings"

	"tengen/ai"
	"tengen/ai/engine"
	"tengen/ai/puzzle"
	"tengen/bot/chat"
	"tengen/bot/pad"
	"tengen/game"
	"tengen/game/study"
	"tengen/render"
	"tengen/storage"
)

// Study is a study on the analysis board, which its member alone sees.
type Study struct {
	storage.Study
	Tree study.Study
	Look storage.Look
	Pad  *pad.Pad // by which moves are tried; nil: none
	Seen *Seen    // what the engine sees; nil: it was not asked
	Said string   // stands below the facts
}

// Seen is what the engine sees of a position.
type Seen struct {
	ai.Report
	Step   int          // how deep it was asked to look: see StudySteps
	Threat *ai.Report   // a proven win that the other side would have if it were to move; nil: none is known
	passed game.Game    // the position of the threat
	of     game.Game    // the position
	line   []game.Point // its first moves
}

// StudySteps is how many times deeper the engine looks at most, press by press.
const StudySteps = 3

// SeenOf is a report on the position at the end of a game. threat is a report on the same position with the other side
// to move, passed; nil: there is none.
func SeenOf(g game.Game, r ai.Report, step int, passed game.Game, threat *ai.Report) *Seen {
	s := &Seen{Report: r, Step: step, of: g, passed: passed, line: r.Line[:min(len(r.Line), mostPacked)]}
	if len(s.line) == 0 {
		s.line = []game.Point{r.Move}
	}
	if threat != nil && threat.Proof == engine.Win {
		s.Threat = threat
	}
	return s
}

// NodeVerb is that of presses on the analysis board, and TreeVerb of those that open it: of a match after so many
// moves, or of a packed game.
const (
	NodeVerb = "node"
	TreeVerb = "tree"
)

// id is the custom id of a press on the analysis board.
func (v Study) id(what, arg string) string {
	return Press{game.MatchID(v.Number), v.Version, NodeVerb, what + "." + arg}.ID()
}

// nodes are the buttons that lead through the tree.
func (v Study) nodes() nodes { return nodes{v.Tree, v.id} }

// Press is the press that shows the study.
func (v Study) Press() string { return v.id("show", "") }

func (v Study) button(t Tongue, what, key string) chat.Button {
	return chat.Button{ID: v.id(what, ""), Label: t.Say(key)}
}

// AnalyzeButton opens the analysis board with a match after so many moves.
func (t Tongue) AnalyzeButton(m game.Match, ply int) chat.Button {
	return chat.Button{ID: On(m, TreeVerb, fmt.Sprint(ply)), Label: t.Say("button.analyze")}
}

// Study is the analysis board.
func (p Painter) Study(t Tongue, v Study) (chat.Message, error) {
	g := v.Tree.Game()
	s := TrialBoard{Game: g, Look: v.Look, Numbers: min(1, g.Len())}
	lines := v.lines(t)
	switch {
	case v.Pad != nil:
		lines = append(lines, "-# "+t.Say("study.press"))
		s.Pad = *v.Pad
		s.Play = func(q game.Point) string { return v.id("at", q.String()) }
		s.Move = func(arg string) string { return v.id("pad", arg) }
		s.Row = []chat.Button{v.nodes().step("undo", t.Say("button.stepBack"), v.Tree.Back().At()),
			v.button(t, "show", "button.done")}
	case v.Seen != nil:
		said, alt := t.seen(v.Seen)
		lines, s.Alt, s.Marks = append(lines, said...), alt, v.Seen.marks()
	default:
		s.Marks = v.nodes().marks()
	}
	if v.Said != "" {
		lines = append(lines, v.Said)
	}
	s.Text = strings.Join(lines, "\n")
	if v.Pad == nil {
		s.Row, s.More = v.nodes().steps(t), v.ways(t)
	}
	return p.TrialBoard(t, s)
}

// lines are the facts above the board.
func (v Study) lines(t Tongue) []string {
	s, n := v.Tree, v.Tree.At()
	title := t.Line(t.Say("study.title"), t.Rules(s.Rules()))
	if v.Name != "" {
		title = t.Line(title, Escape(v.Name))
	}
	at := t.Say("replay.at", "Number", s.Game().Len(), "Last", s.Last().Game().Len())
	if n > 0 {
		at = t.Line(at, Disc(s.GameAt(s.Up(n)).Turn())+" "+s.Move(n).String())
	}
	if beside := s.Next(max(s.Up(n), 0)); n > 0 && len(beside) > 1 {
		for i, one := range beside {
			if one == n {
				at = t.Line(at, t.Say("study.beside", "Number", i+1, "Count", len(beside)))
			}
		}
	}
	lines := []string{"### " + title, at}
	if name := v.branch(); name != "" {
		lines = append(lines, "**"+Escape(name)+"**")
	}
	if note := s.Note(n); note != "" {
		lines = append(lines, "> "+strings.ReplaceAll(Escape(note), "\n", "\n> "))
	}
	return lines
}

// branch is the name of the branch at the cursor: the last one on the way there.
func (v Study) branch() string {
	for n := v.Tree.At(); n >= 0; n = v.Tree.Up(n) {
		if name := v.Tree.Name(n); name != "" {
			return name
		}
	}
	return ""
}

// ways are the rows below the steps.
func (v Study) ways(t Tongue) []chat.Block {
	playing := v.Tree.Game().Turn() != game.Empty
	try, look := v.button(t, "try", "button.tryMoves"), v.button(t, "look", "button.engine")
	try.Style, try.Disabled, look.Disabled = chat.Primary, !playing, !playing
	row := []chat.Button{try, look, v.button(t, "note", "button.note")}
	if v.Seen != nil {
		row[1] = chat.Button{ID: v.id("look", fmt.Sprint(v.Seen.Step+1)), Label: t.Say("button.deeper"),
			Disabled: v.Seen.Step+1 >= StudySteps || v.Seen.Proof != engine.Unproven}
		row = append(row, chat.Button{ID: v.id("keep", pack(v.Seen.line)), Label: t.Say("button.keepLine")})
	}
	cut := v.button(t, "cut", "button.prune")
	cut.Disabled = v.Tree.At() == 0
	play := v.button(t, "play", "button.playHere")
	play.Disabled = !playing
	save := v.button(t, "save", "button.save")
	if v.Saved() {
		save.Label = t.Say("button.rename")
	}
	blocks := []chat.Block{{Row: append(row, cut)},
		{Row: []chat.Button{play, save, v.button(t, "post", "button.share"), {ID: v.id("file", ""), Label: "SGF"},
			v.button(t, "list", "button.studies")}}}
	return append(blocks, v.nodes().branches(t)...)
}

// seen says what the engine sees, and the same for those who do not see the marks.
func (t Tongue) seen(s *Seen) (lines []string, alt string) {
	side := s.of.Turn()
	verdict := t.judged(s)
	if shape := t.shape(s.of, s.Line, s.Proof); shape != "" {
		verdict = t.Line(verdict, shape)
	}
	lines = append(lines, verdict)
	if s.Threat != nil && s.Proof == engine.Unproven {
		threat := t.Say("study.threat."+side.Other().String(), "Point", s.Threat.Move.String(),
			"Count", ownMoves(s.Threat.In))
		if shape := t.shape(s.passed, s.Threat.Line, engine.Win); shape != "" {
			threat = t.Line(threat, shape)
		}
		lines = append(lines, threat)
	}
	lines = append(lines, t.Say("study.best", "Line", told(s.of, s.line[:min(len(s.line), shownLine)])))
	others := []string{t.Say("study.others")}
	for _, c := range s.others() {
		others = append(others, t.Aside(c.Move.String(), t.chance(c.Win)))
	}
	if len(others) > 1 {
		lines = append(lines, t.Line(others...))
	}
	lines = append(lines, "-# "+t.Say("study.nodes", "Nodes", t.nodes(uint64(s.Nodes))))
	return lines, t.Sentences(strings.ReplaceAll(t.Say("hint.move", "Point", s.Move.String()), "*", ""), verdict)
}

// shownLine is how many moves of the engine's line stand in words.
const shownLine = 8

// others are the best moves beside the engine's own, where nothing is proven.
func (s *Seen) others() (all []ai.Candidate) {
	const most = 2
	for _, c := range s.Candidates {
		if c.Move != s.Move && len(all) < most && s.Proof == engine.Unproven {
			all = append(all, c)
		}
	}
	return all
}

func (t Tongue) chance(win float64) string {
	return t.Say("unit.percent", "Value", fmt.Sprintf("%.0f", 100*win))
}

// judged says in words how a position stands. A side's name is in a text of its own.
func (t Tongue) judged(s *Seen) string {
	side := s.of.Turn()
	switch {
	case s.Proof == engine.Win:
		return t.Say("study.win."+side.String(), "Count", ownMoves(s.In))
	case s.Proof == engine.Loss:
		return t.Say("study.win."+side.Other().String(), "Count", ownMoves(s.In-1))
	case s.Proof == engine.Draw, s.Proof == engine.Exact && s.Score == 0:
		return t.Say("hint.draw")
	case s.Proof == engine.Exact && s.Score < 0:
		return t.Say("study.exact."+side.Other().String(), "Count", -s.Score)
	case s.Proof == engine.Exact:
		return t.Say("study.exact."+side.String(), "Count", s.Score)
	}
	return t.Say("study.chance."+side.String(), "Chance", fmt.Sprintf("%.0f", 100*s.Win))
}

// shapes are those by which a win is named, the strongest first.
var shapes = []string{"four-three", "double-four", "straight-four", "double-three", "forbid"}

// shape names by what a proven line wins; empty where it is none of shapes.
func (t Tongue) shape(g game.Game, line []game.Point, proof engine.Proof) string {
	if proof == engine.Loss && len(line) > 1 { // the other side wins, after any move
		if next, err := g.Play(line[0]); err == nil {
			g, line, proof = next, line[1:], engine.Win
		}
	}
	if proof != engine.Win || len(line) == 0 || g.Rules() == game.Reversi {
		return ""
	}
	z := puzzle.Puzzle{Kind: puzzle.Win, Game: g, Line: line}
	for _, shape := range shapes {
		if z.About(shape) {
			return t.Say("choice.theme." + shape)
		}
	}
	return ""
}

// marks are the engine's line on the board, and the other moves with their chances.
func (s *Seen) marks() (marks []render.Mark) {
	if s.Proof != engine.Unproven {
		for i, q := range s.line[:min(len(s.line), lineDrawn)] {
			marks = append(marks, render.Mark{At: q, Text: fmt.Sprint(i + 1), Best: i%2 == 0})
		}
		return marks
	}
	marks = []render.Mark{{At: s.Move, Text: fmt.Sprintf("%.0f%%", 100*s.Win), Best: true}}
	for _, c := range s.others() {
		marks = append(marks, render.Mark{At: c.Move, Text: fmt.Sprintf("%.0f%%", 100*c.Win)})
	}
	return marks
}

// PostedStudy is a position of a study as a member shows it to everybody, with the whole of it as a file.
func (p Painter) PostedStudy(t Tongue, v Study, by game.MemberID, file []byte) (chat.Message, error) {
	g := v.Tree.Game()
	png, err := p.picture(g, render.Options{Theme: v.Look.Theme, Numbers: 1, Marks: v.nodes().marks()})
	if err != nil {
		return chat.Message{}, fmt.Errorf("drawing: %w", err)
	}
	lines := append([]string{t.Say("study.posted", "Who", Mention(by))}, v.lines(t)...)
	return chat.Message{Blocks: []chat.Block{{Text: strings.Join(lines, "\n")},
		{Picture: &chat.Picture{Name: "board.png", Data: png, Alt: t.AltMoves(g), Text: PlainBoard(g)}},
		{File: &chat.File{Name: v.FileName(), Data: file, Text: t.FileText(file)}},
		{Row: []chat.Button{{ID: Do("copy", fmt.Sprint(v.Tree.At())), Label: t.Say("button.step")}}}}}, nil
}

// StudyFile is a study as a file, for the asking member alone.
func (t Tongue) StudyFile(v Study, file []byte) chat.Message {
	return chat.Message{Private: true, Blocks: []chat.Block{{Text: v.lines(t)[0]},
		{File: &chat.File{Name: v.FileName(), Data: file, Text: t.FileText(file)}}}}
}

// FileName is the name of the study's file.
func (v Study) FileName() string {
	return "tengen-" + strings.ToLower(Name(game.MatchID(v.Number))) + ".sgf"
}

// PlayStudy asks against whom to play on from the position at the cursor.
func (t Tongue) PlayStudy(v Study) chat.Message {
	s := &chat.Select{ID: v.id("bot", ""), Hint: t.Say("try.from")}
	for level := 1; level <= game.Levels; level++ {
		s.Choice = append(s.Choice, chat.Choice{Label: t.Say("seat.engine", "Level", level), Value: fmt.Sprint(level)})
	}
	return chat.Message{Private: true, Blocks: []chat.Block{{Text: v.lines(t)[0] + "\n" + t.Say("study.play")},
		{Select: s}, {Select: &chat.Select{ID: v.id("lent", ""), Hint: t.Say("challenge.hint"), Members: true}},
		{Row: []chat.Button{v.button(t, "show", "button.back")}}}}
}

// Studies are the studies that a member has saved. at is the one from which they come; zero: none.
func (t Tongue) Studies(all []storage.Study, at Study) chat.Message {
	text := "### " + t.Say("study.list") + "\n" + t.Say("study.saved", "Number", len(all), "Most", storage.MostStudies)
	if len(all) == 0 {
		text = "### " + t.Say("study.list") + "\n" + t.Say("study.none")
	}
	msg := chat.Private(text)
	if len(all) > 0 {
		s := &chat.Select{ID: Do(NodeVerb, "open"), Hint: t.Say("study.which")}
		for _, v := range all[:min(len(all), mostChoices)] {
			s.Choice = append(s.Choice, chat.Choice{Label: Clip(v.Name, 100), Value: Key(game.MatchID(v.Number))})
		}
		msg.Blocks = append(msg.Blocks, chat.Block{Select: s})
	}
	if at.Number == 0 {
		return msg
	}
	row := []chat.Button{at.button(t, "show", "button.back")}
	if at.Saved() {
		drop := at.button(t, "drop", "button.dropStudy")
		drop.Style = chat.Danger
		row = append(row, drop)
	}
	return msg.WithRow(row...)
}

// NoteForm asks for the name of the branch that begins at the cursor, and for a note.
func (t Tongue) NoteForm(v Study) chat.Form {
	n := v.Tree.At()
	return chat.Form{ID: v.id("noted", ""), Title: t.Say("button.note"), Fields: []chat.Field{
		{ID: "name", Label: t.Say("study.form.branch"), Optional: true, Max: study.MostName, Text: v.Tree.Name(n)},
		{ID: "note", Label: t.Say("study.form.note"), Kind: chat.Lines, Optional: true, Max: study.MostNote,
			Text: v.Tree.Note(n)}}}
}

// SaveForm asks for the name under which a study is saved.
func (t Tongue) SaveForm(v Study) chat.Form {
	return chat.Form{ID: v.id("saved", ""), Title: t.Say("button.save"), Fields: []chat.Field{
		{ID: "name", Label: t.Say("study.form.name"), Max: storage.MostStudyName, Text: v.Name}}}
}
