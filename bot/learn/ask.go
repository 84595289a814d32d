package learn

import (
	"errors"
	"strconv"

	"tengen/game"
)

// ask is what an exercise asks for. Its words stand under "learn.ask.NAME", "learn.hint.NAME"
// and "learn.wrong.NAME" in the catalogue.
type ask string

// The asks that the facts of the position decide. The tests know these facts.
const (
	askFive  ask = "five"  // make five
	askBlock ask = "block" // keep the other side from making five at once
	askOpen  ask = "open"  // make a four that one stone cannot stop
	askThree ask = "three" // threaten to make such a four
	askGuard ask = "guard" // keep the other side from making such a four
	askTwice ask = "twice" // threaten twice: whatever the other side plays, five or such a four follows

	askMost   ask = "most"   // turn the most discs
	askCorner ask = "corner" // take a corner
	askSafe   ask = "safe"   // keep the other side from a corner
	askFew    ask = "few"    // leave the other side the fewest moves
	askSkip   ask = "skip"   // leave it none
	askQuiet  ask = "quiet"  // turn no disc beside an empty cell
	askWipe   ask = "wipe"   // leave it no disc
)

// The asks that the judge of puzzles decides.
const (
	askWin  ask = "win"  // find a forced win
	askBest ask = "best" // find the best move of an endgame
)

// The questions, which are answered by a choice.
const (
	askAllowed ask = "allowed" // may Black play there, and if not, why
	askWhich   ask = "which"   // which of these points may be played
	askCount   ask = "count"   // how many discs a move turns
	askTurn    ask = "turn"    // who plays after a move
	askWinner  ask = "winner"  // who has won
)

// near are the empty points at most two away from a stone of c. No point further away makes a
// five, or a four of three.
func near(g game.Game, c game.Color) (set game.Set) {
	b := g.Position()
	for s := range b.Of(c).All() {
		for col := max(s.Col()-2, 0); col <= min(s.Col()+2, b.Size-1); col++ {
			for row := max(s.Row()-2, 0); row <= min(s.Row()+2, b.Size-1); row++ {
				if p := game.At(col, row); b.At(p) == game.Empty {
					set = set.With(p)
				}
			}
		}
	}
	return set
}

// wins are the moves that win at once by a row.
func wins(g game.Game) (set game.Set) {
	if g.Turn() == game.Empty {
		return set
	}
	own := g.Position().Of(g.Turn())
	for p := range near(g, g.Turn()).All() {
		if !makesRow(own, p) {
			continue
		}
		if h, err := g.Play(p); err == nil && h.Result().Winner == g.Turn() {
			set = set.With(p)
		}
	}
	return set
}

// makesRow reports whether a stone on p stands in a row of five or more.
func makesRow(own game.Set, p game.Point) bool {
	for _, d := range [][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}} {
		if 1+run(own, p, d[0], d[1])+run(own, p, -d[0], -d[1]) >= 5 {
			return true
		}
	}
	return false
}

// run counts the stones that follow one another from beside p in a direction. No board has a stone
// where At is beyond its edge.
func run(own game.Set, p game.Point, col, row int) (n int) {
	for own.Has(game.At(p.Col()+(n+1)*col, p.Row()+(n+1)*row)) {
		n++
	}
	return n
}

// opens are the moves after which the other side can neither win nor keep this one from
// winning: two points make five, or one that the other side may not take.
func opens(g game.Game) (set game.Set) {
	if g.Turn() == game.Empty {
		return set
	}
	for p := range near(g, g.Turn()).All() {
		if opensAt(g, p) {
			set = set.With(p)
		}
	}
	return set
}

func opensAt(g game.Game, p game.Point) bool {
	h, err := g.Play(p)
	if err != nil || h.Turn() == game.Empty || !wins(h).Empty() {
		return false
	}
	at := wins(passed(h))
	return at.Len() > 1 || at.Len() == 1 && h.Check(at.Points()[0]) != nil
}

// refutes reports whether the side to move can make five, or a four that one stone cannot
// stop. known are moves that made such a four elsewhere; it adds to them.
func refutes(h game.Game, known *game.Set) bool {
	for p := range known.All() {
		if opensAt(h, p) {
			return true
		}
	}
	if !wins(h).Empty() {
		return true
	}
	found := opens(h)
	*known = known.Or(found)
	return !found.Empty()
}

// passed is g with the other side to move.
func passed(g game.Game) game.Game {
	if g.Turn() == game.Empty {
		return g
	}
	h, err := game.From(g.Rules(), g.Position(), g.Turn().Other())
	if err != nil { // the position is one of the game's
		return g
	}
	return h
}

// corners are the corners that may be taken.
func corners(g game.Game) (set game.Set) {
	for _, p := range []game.Point{game.At(0, 0), game.At(7, 0), game.At(0, 7), game.At(7, 7)} {
		if g.Check(p) == nil {
			set = set.With(p)
		}
	}
	return set
}

// question is what may be answered, and what is right.
type question struct {
	choices []string
	right   string
}

// questions give the choices and the right one, by the rules of the game alone. Points are
// those that the question is about.
var questions = map[ask]func(g game.Game, points []game.Point) question{
	askAllowed: func(g game.Game, points []game.Point) question {
		q := question{[]string{"allowed", "double-three", "double-four", "overline"}, "allowed"}
		var no *game.Refusal
		if errors.As(g.Check(points[0]), &no) {
			q.right = no.Code.Why()
		}
		return q
	},
	askWhich: func(g game.Game, points []game.Point) (q question) {
		for _, p := range points {
			q.choices = append(q.choices, p.String())
			if g.Check(p) == nil {
				q.right = p.String()
			}
		}
		return q
	},
	askCount: func(g game.Game, points []game.Point) (q question) {
		for n := 1; n <= 5; n++ {
			q.choices = append(q.choices, strconv.Itoa(n))
		}
		if h, err := g.Play(points[0]); err == nil {
			q.right = strconv.Itoa(g.Position().Count(g.Turn().Other()) - h.Position().Count(g.Turn().Other()))
		}
		return q
	},
	askTurn: func(g game.Game, points []game.Point) question {
		q := question{choices: []string{"black", "white", "nobody"}}
		if h, err := g.Play(points[0]); err == nil {
			q.right = sideName(h.Turn())
		}
		return q
	},
	askWinner: func(g game.Game, _ []game.Point) question {
		return question{[]string{"black", "white", "nobody"}, sideName(g.Result().Winner)}
	},
}

// sideName is a side as a choice has it.
func sideName(c game.Color) string {
	if c == game.Empty {
		return "nobody"
	}
	return c.String()
}
