package view

import (
	"fmt"
	"strings"

	"tengen/ai/review"
	"tengen/bot/chat"
	"tengen/game"
	"tengen/render"
	"tengen/storage"
)

// turningPoints is how many faults of a review are told in words.
const turningPoints = 3

// Review is the first screen of a review, for one member alone.
func (t Tongue) Review(rec storage.Record, r review.Review, by game.MemberID) (chat.Message, error) {
	m := rec.Match
	graph, err := t.graph(rec, r)
	if err != nil {
		return chat.Message{}, err
	}
	row := []chat.Button{{ID: On(m, "step", "1.first"), Label: t.Say("button.step")},
		t.AnalyzeButton(m, m.Game().Len())}
	if first := TryFirst(m, r, by); first != 0 {
		row = append([]chat.Button{{ID: On(m, "try", fmt.Sprintf("%d.ask", first)), Label: t.Say("button.tryAgain"),
			Style: chat.Primary}}, row...)
	}
	if Sits(m, by) || m.Owner == by {
		row = append(row, chat.Button{ID: On(m, "post", "review"), Label: t.Say("button.share")})
	}
	text := "### " + t.reviewTitle(m) + "\n" + t.reviewLines(m, r) + "\n-# " + t.means(r.Means)
	return chat.Private(text, graph).WithRow(row...), nil
}

// PostedReview is a review as a member shows it to everybody: the graph and its lines.
func (t Tongue) PostedReview(rec storage.Record, r review.Review, by game.MemberID) (chat.Message, error) {
	m := rec.Match
	graph, err := t.graph(rec, r)
	if err != nil {
		return chat.Message{}, err
	}
	text := t.Say("review.posted", "Who", Mention(by)) + "\n### " + t.reviewTitle(m) + "\n" + t.reviewLines(m, r)
	return chat.Text(text+"\n-# "+t.means(r.Means), graph), nil
}

func (t Tongue) reviewTitle(m game.Match) string {
	return t.Line(t.Say("button.review"), t.Rules(m.Rules), t.Say("title.moves", "Count", m.Game().Len()), "#"+Name(m.ID))
}

// reviewLines are both accuracies and the turning points, one a line.
func (t Tongue) reviewLines(m game.Match, r review.Review) string {
	var sides []string
	judged := judged(r)
	for i, side := range r.Sides {
		c := game.Color(i + 1)
		who := t.color(c)
		if !recorded(m) {
			who = t.Seat(m.Seats[m.SeatOfColor(c)])
		}
		accuracy := "–"
		if judged[i] > 0 {
			accuracy = t.Say("unit.percent", "Value", fmt.Sprintf("%.0f", side.Accuracy))
		}
		sides = append(sides, fmt.Sprintf("%s %s **%s**", Disc(c), who, accuracy))
	}
	if judged[0]+judged[1] == 0 {
		return t.Say("review.given.all")
	}
	lines := []string{t.Say("review.accuracy", "Sides", strings.Join(sides, "  "))}
	for _, n := range r.Faults[:min(len(r.Faults), turningPoints)] {
		lines = append(lines, "- "+t.fault(r.Plies[n-1]))
	}
	if len(r.Faults) == 0 {
		lines = append(lines, t.Say("review.none"))
	}
	if m.Opening == game.ImportedOpening && OpeningOf(m) > 0 {
		lines = append(lines, t.Say("review.given", "Count", OpeningOf(m)))
	}
	return strings.Join(lines, "\n")
}

// judged is how many moves of each side a review judges: those of an opening it does not.
func judged(r review.Review) (n [2]int) {
	for _, p := range r.Plies {
		if p.Class != review.Opening {
			n[p.By-game.Black]++
		}
	}
	return n
}

// recorded reports whether a match is a record that a member loaded: nobody played it here.
func recorded(m game.Match) bool { return BetweenEngines(m) && m.Opening == game.ImportedOpening }

// OpeningOf is how many of the first plies of a match are no moves of its players. Those of a
// loaded record all are.
func OpeningOf(m game.Match) int {
	if recorded(m) {
		return 0
	}
	return m.Placed()
}

// means says with what means a review was made.
func (t Tongue) means(m review.Means) string {
	if m.Nodes > 0 {
		return t.Say("review.means.nodes", "Nodes", t.nodes(uint64(m.Nodes)))
	}
	return t.Say("review.means.cpu", "Millis", m.CPU.Milliseconds())
}

// fault tells a fault in a line: "⚫ 23: J10 lets a win in 4 moves go. H9 was the move."
func (t Tongue) fault(p review.Ply) string {
	key := "review.fault"
	args := []any{"Number", p.N, "Disc", Disc(p.By), "Move", p.Move.String(), "Best", p.Best.String(),
		"Before", percent(p.Before), "After", percent(p.After)}
	switch p.Note {
	case review.MissedWin:
		key, args = "review.missed", append(args, "Count", ownMoves(p.Had.In))
	case review.Forbidden:
		key = "review.forbidden"
	case review.LetThrough:
		key, args = "review.through", append(args, "Count", ownMoves(p.Gave.In))
	case review.Turn:
		key = "review.turn." + proven(p.Before) + "." + proven(p.After)
	}
	return t.Say(key, args...)
}

// ownMoves is how many moves of its own the winner needs for a win in so many plies.
func ownMoves(plies int) int { return max(1, (plies+1)/2) }

func percent(e review.Expectation) string { return fmt.Sprint((int(e) + 5) / 10) }

// proven is a proven result in a key.
func proven(e review.Expectation) string {
	switch e {
	case 1000:
		return "win"
	case 0:
		return "loss"
	}
	return "draw"
}

// TryFirst is the fault with which a member begins to try again: the worst of their own, else
// the worst of all. It is 0 where there is none.
func TryFirst(m game.Match, r review.Review, by game.MemberID) int {
	if seat, ok := m.SeatOf(by); ok {
		for _, n := range r.Faults {
			if r.Plies[n-1].By == m.ColorOf(seat) {
				return n
			}
		}
	}
	if len(r.Faults) > 0 {
		return r.Faults[0]
	}
	return 0
}

// ReviewProgress says how far a review is. of is 0 before it is begun; ahead is how many come
// first.
func (t Tongue) ReviewProgress(m game.Match, done, of, ahead int) chat.Message {
	line := t.Say("review.owed")
	switch {
	case of > 0 && done == of:
		line = t.Say("review.checking", "Of", of)
	case of > 0:
		line = t.Say("review.making", "Done", done, "Of", of)
	case ahead > 0:
		line = t.Say("review.ahead", "Count", ahead)
	}
	return chat.Private("### " + t.reviewTitle(m) + "\n" + line + "\n-# " + t.Say("review.wait")).
		WithRow(t.ReviewButton(m, "look"))
}

// lineDrawn is how many moves of the best line are drawn on the board.
const lineDrawn = 9

// Step is a ply of a reviewed game. A fault shows the position before it, the move half there,
// and the best line by its numbers; any other move shows the position after it.
func (p Painter) Step(t Tongue, rec storage.Record, r review.Review, n int) (chat.Message, error) {
	m, last := rec.Match, len(r.Plies)
	n = min(max(n, 1), last)
	ply := r.Plies[n-1]
	s := TrialBoard{Game: m.Game().Until(n), Look: rec.Look, Numbers: 1}
	lines := []string{"### " + t.Say("review.step", "Number", n, "Last", last),
		t.Say("review.class", "Disc", Disc(ply.By), "Move", ply.Move.String(),
			"Class", t.Say("review.class."+ply.Class.String()), "Before", percent(ply.Before), "After", percent(ply.After))}
	if ply.Fault() {
		s.Game, s.Numbers = m.Game().Until(n-1), 0
		s.Marks = best(ply)
		lines[1] = t.Line(t.fault(ply), t.Say("review.class."+ply.Class.String()))
		lines = append(lines, t.Say("review.line", "Line", shortLine(bestLine(ply))))
		s.Alt = t.Say("review.line", "Line", shortLine(bestLine(ply)))
	}
	s.Text = strings.Join(lines, "\n")
	button := func(name, label string, to int) chat.Button {
		return chat.Button{ID: On(m, "step", fmt.Sprintf("%d.%s", to, name)), Label: label,
			Disabled: to == n || to < 1 || to > last}
	}
	s.Row = []chat.Button{button("first", "⏮", 1), button("back", "◀", n-1), button("on", "▶", n+1),
		button("last", "⏭", last)}
	second := []chat.Button{{ID: On(m, "step", fmt.Sprintf("%d.fault", nextFault(r, n))), Label: t.Say("button.nextFault"),
		Disabled: nextFault(r, n) == n}, t.ReviewButton(m, "back"), t.AnalyzeButton(m, s.Game.Len())}
	if ply.Fault() {
		second = append([]chat.Button{{ID: On(m, "try", fmt.Sprintf("%d.ask", n)), Label: t.Say("button.tryAgain")}},
			second...)
	}
	s.More = []chat.Block{{Row: second}, {Select: t.playFrom(m, n)}}
	return p.TrialBoard(t, s)
}

// ReviewButton leads to the first screen of a match's review. arg keeps the ids of a message
// apart.
func (t Tongue) ReviewButton(m game.Match, arg string) chat.Button {
	return chat.Button{ID: On(m, "review", arg), Label: t.Say("button.review")}
}

// ReviewRecord is the button that reviews a loaded record.
func (t Tongue) ReviewRecord(at Press) chat.Button {
	verb := "study"
	if at.Match != 0 {
		verb = "review"
	}
	return chat.Button{ID: at.Of(verb), Label: t.Say("button.review")}
}

// nextFault is the next fault after ply n, or the first; n where there is no other.
func nextFault(r review.Review, n int) int {
	for i := range r.Plies {
		if p := r.Plies[(n+i)%len(r.Plies)]; p.Fault() {
			return p.N
		}
	}
	return n
}

// bestLine is the best line of a fault, at least its best move.
func bestLine(p review.Ply) []game.Point {
	if len(p.Line) == 0 {
		return []game.Point{p.Best}
	}
	return p.Line
}

// best marks the move of a fault and the best line instead, in which the moves of the same side
// stand out.
func best(p review.Ply) (marks []render.Mark) {
	taken := map[game.Point]bool{}
	for i, q := range bestLine(p)[:min(len(bestLine(p)), lineDrawn)] {
		marks, taken[q] = append(marks, render.Mark{At: q, Text: fmt.Sprint(i + 1), Best: i%2 == 0}), true
	}
	if !taken[p.Move] {
		marks = append(marks, render.Mark{At: p.Move, Ghost: true})
	}
	return marks
}

// playFrom is the menu that begins a game against the engine from the position before ply n.
func (t Tongue) playFrom(m game.Match, n int) *chat.Select {
	s := &chat.Select{ID: On(m, "from", fmt.Sprint(n)), Hint: t.Say("try.from")}
	for level := 1; level <= game.Levels; level++ {
		s.Choice = append(s.Choice, chat.Choice{Label: t.Say("seat.engine", "Level", level), Value: fmt.Sprint(level)})
	}
	return s
}
