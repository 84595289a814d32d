package puzzles

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tengen/ai/puzzle"
	"tengen/bot/chat"
	"tengen/bot/pad"
	"tengen/bot/view"
	"tengen/game"
	"tengen/render"
	"tengen/storage"
)

// page is what a board is shown with.
type page struct {
	paint view.Painter
	t     view.Tongue
	look  storage.Look
	head  string    // stands above all, such as the clock of a storm
	warns bool      // a hint would count as not solved
	ends  game.Game // the end of the solution of Reversi; the zero Game where that is not known
}

func title(t view.Tongue, b board) string {
	return "### " + t.Line(t.Rules(b.Game.Rules()), t.Say("puzzle.title", "Puzzle", b.name()))
}

// name is what members call the puzzle.
func (b board) name() string {
	if b.mode == own {
		return fmt.Sprintf("%s·%d", view.Name(b.match), b.stamp)
	}
	return b.id
}

// goal says what is asked. In Reversi the first move alone is much better than all others: later on
// the discs are named that are to be kept, where they are known.
func (p page) goal(b board) string {
	key := "puzzle.goal." + b.Kind.String()
	if b.Kind == puzzle.Best && len(b.moves) > 0 {
		key = "puzzle.goal.on"
		if p.ends.Rules() != nil {
			key = "puzzle.goal.keep"
		}
	}
	return view.Piece(b.Turn(), p.look.Theme) + " " +
		p.t.Sentences(p.t.Turn(b.Turn()), p.t.Say(key, "Discs", discs(p.ends)))
}

// discs are those of a game that has ended, Black's first.
func discs(g game.Game) string {
	if g.Rules() == nil {
		return ""
	}
	black, white := game.Score(g.Position())
	return fmt.Sprintf("%d:%d", black, white)
}

// ask shows the board with its pad. said stands below the task.
func (p page) ask(b board, at pad.Pad, said string) (chat.Message, error) {
	g, err := b.game()
	if err != nil {
		return chat.Message{}, err
	}
	lines := []string{title(p.t, b), p.head, p.goal(b), said}
	if b.mode != single || len(b.moves) > 0 {
		lines = append(lines, "-# "+p.t.Say("puzzle.left", "Count", b.left()))
	}
	if p.warns {
		lines = append(lines, "-# "+p.t.Say("puzzle.helps"))
	}
	s := view.TrialBoard{Game: g, Look: p.look, Text: joined(lines), Alt: alt(p.t, g), Pad: at,
		Play: func(q game.Point) string { return b.press("at", q.String()) },
		Move: func(arg string) string { return b.press("pad", arg) }}
	if b.mode == inRun {
		s.Row = []chat.Button{b.button(p.t, "quit", "button.endRun")}
	} else {
		s.Row = []chat.Button{b.button(p.t, "hint", "button.hint"), b.button(p.t, "show", "button.solution")}
	}
	return p.paint.TrialBoard(p.t, s)
}

// over shows the board after the last answer, without a pad: the moves that were made since the
// position are numbered.
func (p page) over(b board, line []game.Point, said string, row []chat.Button) (chat.Message, error) {
	g := b.Game
	n := 0
	for _, m := range line {
		next, err := g.Play(m)
		if err != nil {
			break
		}
		g = next
		n++
	}
	said += "\n" + told(b.Game, line[:n])
	return p.paint.TrialBoard(p.t, view.TrialBoard{Game: g, Look: p.look,
		Text: joined([]string{title(p.t, b), p.head, said}), Alt: alt(p.t, g), Numbers: n, Row: row})
}

// wrong says what is wrong with an answer, as far as that is proven. In Reversi best is how the
// solution ends; the zero Game where that is not known.
func wrong(t view.Tongue, b board, m game.Point, a puzzle.Answer, best game.Game) string {
	key := "puzzle.wrong"
	got, err := b.Game.PlayAll(slices.Concat(b.moves, []game.Point{m}, a.Refutation)...)
	switch {
	case b.Kind == puzzle.Best && best.Rules() != nil && err == nil && got.Turn() == game.Empty:
		return t.Say("puzzle.wrong.discs", "Point", m.String(), "Discs", discs(got), "Best", discs(best))
	case b.Kind == puzzle.Best:
		key = "puzzle.wrong.best"
	case a.Game.Result().Winner == b.Turn().Other(), len(a.Refutation) > 1, b.Kind == puzzle.Defend:
		key = "puzzle.wrong.loses"
	}
	return t.Say(key, "Point", m.String())
}

// rated says what a first try did to a rating. Nothing where the try did not count.
func rated(t view.Tongue, before, after storage.Solver, z puzzle.Puzzle) string {
	if before.Tried == after.Tried {
		return ""
	}
	if after.Provisional() {
		return t.Say("puzzle.rated.new", "Puzzle", z.Rating)
	}
	return t.Say("puzzle.rated", "Before", t.Rating(before.Rating), "After", t.Rating(after.Rating), "Puzzle", z.Rating)
}

// themed names what is behind a puzzle, once it is over.
func themed(t view.Tongue, z puzzle.Puzzle) string {
	var names []string
	for _, s := range z.Themes() {
		for i, theme := range themes {
			if rest, ok := strings.CutPrefix(s, theme); ok && i > 0 && (rest == "" || rest[0] == '-') {
				name := counted(t, theme, rest)
				if z.Kind == puzzle.Defend && (theme == "vcf" || theme == "vct") { // the win is the other side's
					name = t.Say("puzzle.threat", "Theme", name)
				}
				names = append(names, name)
				break
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "-# " + t.Line(names...)
}

// counted names a theme, with the moves or the empty points that it counts: rest is "-9", or nothing.
func counted(t view.Tongue, theme, rest string) string {
	name := t.Say("choice.theme." + theme)
	n, err := strconv.Atoi(strings.TrimPrefix(rest, "-"))
	switch {
	case err != nil:
		return name
	case theme == "endgame":
		return t.Say("puzzle.theme.empty", "Theme", name, "Count", n)
	}
	return t.Say("puzzle.theme.moves", "Theme", name, "Count", n)
}

// told writes moves with their colors, as they are played from g.
func told(g game.Game, line []game.Point) string {
	var words []string
	for _, m := range line {
		words = append(words, view.Disc(g.Turn())+" "+m.String())
		g, _ = g.Play(m)
	}
	return strings.Join(words, " ")
}

// alt is who is to move, and where the stones are, for those who cannot see them.
func alt(t view.Tongue, g game.Game) string {
	return t.Sentences(t.Turn(g.Turn()), t.Stones(render.FactsOf(g)))
}

// joined are the lines that are not empty.
func joined(lines []string) string {
	var some []string
	for _, s := range lines {
		if s != "" {
			some = append(some, s)
		}
	}
	return strings.Join(some, "\n")
}
