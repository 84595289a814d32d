package opening

import (
	"errors"
	"fmt"
	"strings"

	"tengen/game"
)

// Line is an opening as a line of text has it: PROTOCOL DECISION DECISION ...
type Line struct {
	Protocol  Protocol
	Decisions []game.Decision
	State     State // after the decisions
}

// Of is the opening of a match as it stands; ok is false where the match has none.
func Of(m game.Match) (l Line, ok bool) {
	p, ok := m.Protocol.(Protocol)
	if !ok {
		return Line{}, false
	}
	l = Line{Protocol: p, State: p.Begin()}
	for _, e := range m.Log {
		next, err := l.State.Decide(e.Decision())
		if err != nil { // the opening is over: Replay has refused everything else
			break
		}
		l.Decisions = append(l.Decisions, e.Decision())
		l.State = next
	}
	return l, true
}

// Mistake is the first thing in a line that is not right. Code is its word for scripts.
type Mistake struct {
	Code  string
	At    int   // the number of the decision, from 1; 0: the protocol
	cause error // the refusal, if the decision was a decision
}

func (m *Mistake) Error() string {
	switch {
	case m.At == 0:
		return "no such protocol"
	case m.cause == nil:
		return fmt.Sprintf("decision %d: not a decision", m.At)
	}
	return fmt.Sprintf("decision %d: %v", m.At, m.cause)
}

// Unwrap gives the refusal of a decision that is not legal.
func (m *Mistake) Unwrap() error { return m.cause }

// codes are the words of the refusals.
var codes = map[game.Code]string{
	game.OpeningOver: "over", game.NotAsked: "kind", game.OutOfRange: "range",
	game.NotAmongOffers: "notoffered", game.Occupied: "occupied", game.OutsideArea: "area",
	game.OfferedBefore: "offered", game.OfferedAlike: "symmetric",
}

// ParseLine reads a line whose words are separated by spaces or tabs. A line with something
// wrong in it is a *Mistake; what follows the mistake is not read.
func ParseLine(text string) (Line, error) {
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\t' })
	if len(words) == 0 {
		return Line{}, &Mistake{Code: "protocol"}
	}
	p, ok := Named(words[0])
	if !ok {
		return Line{}, &Mistake{Code: "protocol"}
	}
	l := Line{Protocol: p, State: p.Begin()}
	for i, word := range words[1:] {
		d, ok := game.ParseDecision(word)
		if !ok {
			return Line{}, &Mistake{Code: "syntax", At: i + 1}
		}
		if point, ok := d.Stone(); ok {
			d = l.State.Question().At(point)
		}
		next, err := l.State.Decide(d)
		if err != nil {
			m := &Mistake{At: i + 1, cause: err}
			var r *game.Refusal
			if errors.As(err, &r) {
				m.Code = codes[r.Code]
			}
			return Line{}, m
		}
		l.Decisions = append(l.Decisions, d)
		l.State = next
	}
	return l, nil
}

// String is the line as ParseLine reads it, in lower case and with single spaces.
func (l Line) String() string {
	words := []string{l.Protocol.Name()}
	for _, d := range l.Decisions {
		words = append(words, strings.ToLower(d.String()))
	}
	return strings.Join(words, " ")
}
