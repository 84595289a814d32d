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
// opponents, of others by rounds, with the opponents' places.
func TableOf(e event.Event, names Names) Table {
	standings := e.Standings()
	place := map[int]int{} // by number, from 0
	for i, s := range standings {
		place[s.ID] = i
	}
	cross := e.Kind == event.KindRoundRobin && !e.Twice && len(standings) <= crossed
	t := Table{}
	n := len(e.Paired)
	if cross {
		n = len(standings)
	}
	for i := range n {
		t.Heads = append(t.Heads, strconv.Itoa(i+1))
	}
	for _, s := range standings {
		t.Rows = append(t.Rows, Row{Rank: s.Rank, Number: s.ID, Name: names(s.ID), Points: Points(s.Points), Cells: make([]Cell, n)})
	}
	for round, boards := range e.Paired {
		for _, b := range boards {
			for k, pair := range [2][2]int{{b.White, b.Black}, {b.Black, b.White}} {
				own, ok := place[pair[0]]
				opponent, met := place[pair[1]]
				switch {
				case !ok || b.Open() || cross && !met:
				case cross:
					t.Rows[own].Cells[opponent] = Cell{sign(b.Results[k]), outcome(b.Results[k])}
				case met:
					t.Rows[own].Cells[round] = CellOf(b.Results[k], standings[opponent].Rank)
				default:
					t.Rows[own].Cells[round] = CellOf(b.Results[k], 0)
				}
			}
		}
	}
	return t
}

// CellOf is what a round brought: the place of the opponent, 0 for none, and the result.
func CellOf(r event.Result, opponent int) Cell {
	if opponent == 0 {
		return Cell{sign(r), Unplayed}
	}
	return Cell{strconv.Itoa(opponent), outcome(r)}
}

// Points is a score as players write it.
func Points(p float64) string {
	whole := strings.TrimSuffix(strconv.FormatFloat(p, 'f', 1, 64), ".0")
	if s, half := strings.CutSuffix(whole, ".5"); half {
		return strings.TrimPrefix(s, "0") + "½"
	}
	return whole
}

// sign is what a result brought.
func sign(r event.Result) string {
	switch r {
	case event.Draw, event.HalfBye:
		return "½"
	case event.Win, event.FullBye:
		return "1"
	case event.Loss, event.NoBye:
		return "0"
	}
	return string(r)
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
	return Unplayed
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
				s := Side{Number: number, Name: names(number), Won: t.Winner == number}
				if t.Played {
					s.Score = Points(t.Points[k])
				}
				tie.Sides[k] = s
			}
			list = append(list, tie)
		}
		b.Rounds = append(b.Rounds, list)
	}
	return b
}
