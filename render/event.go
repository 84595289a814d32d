package render

import (
	"strconv"
	"strings"

	"tengen/game/event"
)

// Names gives the entrants' names by their numbers.
type Names func(number int) string

// crossed is the largest field whose table has a column for each opponent; a larger one has a
// column for each round.
const crossed = 10

// TableOf is the standings of an event with what each game brought: of a small round robin by
// opponents, of others by rounds. Opponents are there with their numbers: places can be shared.
func TableOf(e event.Event, names Names) Table {
	standings := e.Standings()
	row := map[int]int{} // by number, from 0
	for i, s := range standings {
		row[s.ID] = i
	}
	cross := e.Kind == event.KindRoundRobin && !e.Twice && len(standings) <= crossed
	t := Table{}
	n := len(e.Paired)
	if cross {
		n = len(standings)
	}
	for i := range n {
		head := i + 1
		if cross {
			head = standings[i].ID
		}
		t.Heads = append(t.Heads, strconv.Itoa(head))
	}
	for _, s := range standings {
		t.Rows = append(t.Rows, Row{Place: s.Place, Number: s.ID, Name: names(s.ID), Points: Points(s.Points),
			Cells: make([]Cell, n)})
	}
	for round, boards := range e.Paired {
		for _, b := range boards {
			for k, pair := range [2][2]int{{b.White, b.Black}, {b.Black, b.White}} {
				own, ok := row[pair[0]]
				opponent, met := row[pair[1]]
				switch {
				case !ok || b.Open() || cross && !met:
				case cross:
					t.Rows[own].Cells[opponent] = Cell{sign(b.Results[k]), outcome(b.Results[k])}
				default:
					t.Rows[own].Cells[round] = CellOf(b.Results[k], pair[1])
				}
			}
		}
	}
	return t
}

// CellOf is what a round brought: the number of the opponent, 0 for none, and the result. A forfeit
// has its sign before the number.
func CellOf(r event.Result, opponent int) Cell {
	if opponent == 0 {
		return Cell{Text: sign(r)}
	}
	return Cell{forfeit(r) + strconv.Itoa(opponent), outcome(r)}
}

// forfeit is the sign of a result that no game brought; empty for others. The point of a bye has it alone:
// a 1 would be an opponent's number.
func forfeit(r event.Result) string {
	switch r {
	case event.ForfeitWin, event.FullBye:
		return "+"
	case event.ForfeitLoss:
		return "−"
	}
	return ""
}

// Points is a score, a multiple of a quarter, as players write it.
func Points(p float64) string {
	whole, part, _ := strings.Cut(strconv.FormatFloat(p, 'f', 2, 64), ".")
	part = map[string]string{"25": "¼", "50": "½", "75": "¾"}[part]
	if part != "" && whole == "0" {
		return part
	}
	return whole + part
}

// sign is what a result brought.
func sign(r event.Result) string {
	switch r {
	case event.Draw, event.HalfBye:
		return "½"
	case event.Win:
		return "1"
	case event.Loss, event.NoBye:
		return "0"
	}
	return forfeit(r)
}

func outcome(r event.Result) Outcome {
	switch r {
	case event.Win:
		return Won
	case event.Draw:
		return Drawn
	case event.Loss:
		return Lost
	}
	return Plain
}

// BracketOf is the bracket of a knockout; one without rounds before its first.
func BracketOf(e event.Event, names Names) (b Bracket) {
	for _, ties := range e.Bracket() {
		var list []Tie
		for _, t := range ties {
			var tie Tie
			for k, number := range t.Players {
				if number == 0 {
					continue
				}
				s := Side{Number: number, Name: names(number), Won: t.Winner == number, Forfeit: t.Forfeit[k] != ""}
				if t.Played {
					s.Score = Points(t.Points[k]) + forfeit(t.Forfeit[k])
				}
				tie.Sides[k] = s
			}
			list = append(list, tie)
		}
		b.Rounds = append(b.Rounds, list)
	}
	return b
}
