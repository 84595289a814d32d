package main

import (
	"context"
	"errors"

	"tengen/game"
	"tengen/game/opening"
)

type openingCmd struct{}

// Help is the longer help of the command.
func (openingCmd) Help() string {
	return `Reads one opening a line from stdin and tells of each who decides what next, and what is
legal, as one JSON object a line. A line is PROTOCOL DECISION DECISION ...:

  swap2 h8 h9 i8 two g9 j7 white
  soosyrv8 h8 i9 j10 swap g8 declare=2 swap k10

PROTOCOL: swap, swap2, pro, longpro, rif, yamaguchi, soosyrv8, tarannikov or taraguchi10.
DECISION: a point such as h8; swap, stay, white, black, two, one or ten; or declare=N. The
first decision that is not legal gets an error with its number, and the exit code is 1 at
the end.`
}

// Run answers each line of stdin with one line on stdout.
func (openingCmd) Run(ctx context.Context, s streams) error {
	every := func(line string) (string, bool) { return line, true }
	return answerNumbered(ctx, s, maxLine, every, func(in inputLine) (string, bool) {
		l, err := opening.ParseLine(in.text)
		var m *opening.Mistake
		if err == nil && in.cut { // what was cut off is no decision
			m = &opening.Mistake{Code: "syntax", At: len(l.Decisions) + 1}
		}
		if m != nil || errors.As(err, &m) {
			return toJSON(mistake{m.Code, m.At}), true
		}
		return toJSON(standing(l.State)), false
	})
}

// mistake is the answer to a line with a decision that is not legal.
type mistake struct {
	Error string `json:"error"`
	At    int    `json:"at"`
}

// asked is the answer to a line. The names are those of the rules that scripts rely on.
type asked struct {
	Who      string   `json:"who"`
	Black    string   `json:"black"`
	Decide   string   `json:"decide"`
	Color    string   `json:"color,omitempty"`
	Legal    []string `json:"legal,omitempty"`
	Options  []string `json:"options,omitempty"`
	Stones   int      `json:"stones"`
	Offered  []string `json:"offered"`
	Declared int      `json:"declared"`
}

// persons and questions are the words for those who decide and for what they are asked.
var (
	persons   = [2]string{"P1", "P2"}
	questions = [...]string{"play", "place", "swap", "choose", "declare", "offer", "select"}
)

// standing is how an opening stands. A question for a point has at least one legal point, and
// any other at least one option, so that neither list is left out where it belongs.
func standing(s opening.State) asked {
	q := s.Question()
	a := asked{
		Who: persons[q.Who], Black: persons[q.Black], Decide: questions[q.Kind],
		Stones:  s.Stones(),
		Legal:   pointList(q.Points),
		Offered: []string{}, Declared: q.Declared,
	}
	if q.Color != game.Empty {
		a.Color = q.Color.String()
	}
	for _, d := range q.Options {
		a.Options = append(a.Options, d.String())
	}
	for _, p := range q.Offered {
		a.Offered = append(a.Offered, p.String())
	}
	return a
}
