package event

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"tengen/game"
)

// Lines are the kinds of lines that Answer knows, in the order of the manual.
var Lines = []string{"pair", "standings", "glicko", "arena", "ladder", "whr"}

// Answer answers a line of JSON as `tengen event KIND` does; docs/events.md has the formats.
// The answer can be written as JSON. The error says what is wrong with the line.
func Answer(ctx context.Context, kind string, line []byte) (any, error) {
	switch kind {
	case "pair":
		return answer(line, func(s swiss) (any, error) {
			pairs, err := s.pairNext()
			return map[string]any{"pairs": pairs}, err
		})
	case "standings":
		return answer(line, func(q standingsLine) (any, error) {
			table, err := Standings(q.Players, q.Rounds)
			return map[string]any{"standings": table}, err
		})
	case "glicko":
		return answer(line, glickoLine.answer)
	case "arena":
		return answer(line, func(s sheet) (any, error) { return s.score() })
	case "ladder":
		return answer(line, ladderLine.answer)
	case "whr":
		return answer(line, func(q whrLine) (any, error) {
			all, err := histories(ctx, q.Games, q.prior)
			return map[string]any{"ratings": all}, err
		})
	}
	return nil, fmt.Errorf("%.20q is no kind of line", kind)
}

// answer reads a line and answers it.
func answer[Q any](line []byte, f func(Q) (any, error)) (any, error) {
	var q Q
	if err := json.Unmarshal(line, &q); err != nil {
		return nil, plainly(err)
	}
	a, err := f(q)
	if err != nil {
		return nil, err
	}
	return a, nil
}

// plainly words an error of encoding/json without the names of our types.
func plainly(err error) error {
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("byte %d: %w", syntax.Offset, err)
	case errors.As(err, &wrong):
		return fmt.Errorf("byte %d: found %.40s where another value belongs", wrong.Offset, wrong.Value)
	}
	return err
}

type standingsLine struct {
	Rounds  int      `json:"rounds"`
	Players []Player `json:"players"`
}

type whrLine struct {
	prior
	Games []ratedGame `json:"games"`
}

type glickoLine struct {
	Player  Rating  `json:"player"`
	Periods float64 `json:"periods"`
	Tau     float64 `json:"tau"`
	Games   []struct {
		R     float64 `json:"r"`
		RD    float64 `json:"rd"`
		Score float64 `json:"score"`
	} `json:"games"`
}

func (q glickoLine) answer() (any, error) {
	switch {
	case !(q.Player.Vol >= 1e-6 && q.Player.Vol <= 10):
		return nil, errors.New("the player's vol is to be from 0.000001 to 10")
	case !(q.Periods >= 0 && q.Periods <= 1e6):
		return nil, errors.New("periods are to be from 0 to 1000000")
	case !(q.Tau >= 0.01 && q.Tau <= 10):
		return nil, errors.New("tau is to be from 0.01 to 10")
	case len(q.Games) > maxSheet:
		return nil, fmt.Errorf("%d games: want at most %d", len(q.Games), maxSheet)
	}
	if err := checkStrength(q.Player.R, q.Player.RD); err != nil {
		return nil, fmt.Errorf("player: %w", err)
	}
	games := make([]Outcome, len(q.Games))
	for i, g := range q.Games {
		if err := checkStrength(g.R, g.RD); err != nil {
			return nil, fmt.Errorf("game %d: %w", i+1, err)
		}
		if !(g.Score >= 0 && g.Score <= 1) {
			return nil, fmt.Errorf("game %d: a score is from 0 to 1", i+1)
		}
		games[i] = Outcome{Rating{R: g.R, RD: g.RD}, g.Score}
	}
	raw := q.Player.After(games, q.Periods, q.Tau)
	for _, x := range []float64{raw.R, raw.RD, raw.Vol} {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, errors.New("these numbers have no rating")
		}
	}
	return struct {
		Raw    Rating `json:"raw"`
		Rating Rating `json:"rating"`
	}{raw, raw.Bounded(q.Player)}, nil
}

func checkStrength(r, rd float64) error {
	switch {
	case !(math.Abs(r) <= maxStrength):
		return fmt.Errorf("r is to be from -%d to %d", maxStrength, maxStrength)
	case !(rd >= 1e-3 && rd <= maxStrength):
		return fmt.Errorf("rd is to be from 0.001 to %d", maxStrength)
	}
	return nil
}

// ladderLine is a question about a ladder: whom somebody may challenge, or the order after events. Times
// are in days.
type ladderLine struct {
	Kind     string             `json:"kind"`
	Ladder   []rung             `json:"ladder"`
	Active   [][2]game.MemberID `json:"active"` // challenger, challenged
	Finished []metLine          `json:"finished"`
	Now      float64            `json:"now"`
	Player   game.MemberID      `json:"player"`
	Events   []ladderEvent      `json:"events"`
}

// ladderEvent is something that changes the order of a ladder. Its names depend on the type.
type ladderEvent struct {
	Type       string        `json:"type"`
	ID         game.MemberID `json:"id"`         // join, leave
	Winner     game.MemberID `json:"winner"`     // win, timeout
	Loser      game.MemberID `json:"loser"`      //
	A          game.MemberID `json:"a"`          // draw
	B          game.MemberID `json:"b"`          //
	Challenger game.MemberID `json:"challenger"` // decline
	Challenged game.MemberID `json:"challenged"` //
}

// rung is an object, or an id alone.
type rung Rung

func (r *rung) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '{' {
		return json.Unmarshal(text, (*Rung)(r))
	}
	return json.Unmarshal(text, &r.ID)
}

// metLine is two ids and a day.
type metLine struct {
	A, B game.MemberID
	Day  float64
}

func (m *metLine) UnmarshalJSON(text []byte) error {
	var all []json.Number
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	if len(all) != 3 {
		return errors.New("a finished game is two ids and a day")
	}
	for i, into := range []any{&m.A, &m.B, &m.Day} {
		if err := json.Unmarshal([]byte(all[i]), into); err != nil {
			return err
		}
	}
	return nil
}

// maxEvents bounds the events of a line, its members and its challenges.
const maxEvents = 10_000

func (q ladderLine) answer() (any, error) {
	order := func(of []game.MemberID) any { return map[string]any{"ids": of} }
	l, err := q.ladder()
	switch q.Kind {
	case "may":
		if err == nil && l.Place(q.Player) == 0 {
			err = fmt.Errorf("%d is not on the ladder", q.Player)
		}
		return order(l.May(q.Player, time.Time{})), err
	case "move":
		if len(q.Events) > maxEvents {
			return nil, fmt.Errorf("%d events: want at most %d", len(q.Events), maxEvents)
		}
		for i := 0; err == nil && i < len(q.Events); i++ {
			if l, err = q.Events[i].on(l); err != nil {
				err = fmt.Errorf("event %d: %w", i+1, err)
			}
		}
		return order(ids(l.Rungs)), err
	}
	return nil, fmt.Errorf("%.20q is no kind of question: want may or move", q.Kind)
}

// ladder is the ladder of a line. Games that bar a challenge now are in it, as of no time.
func (q ladderLine) ladder() (l Ladder, err error) {
	if len(q.Ladder) > maxEvents || len(q.Active) > maxEvents || len(q.Finished) > maxRated {
		return l, fmt.Errorf("a ladder has at most %d members and challenges, and %d games", maxEvents, maxRated)
	}
	seen := map[game.MemberID]bool{}
	for _, r := range q.Ladder {
		if seen[r.ID] {
			return l, fmt.Errorf("%d is on the ladder twice", r.ID)
		}
		seen[r.ID] = true
		l.Rungs = append(l.Rungs, Rung(r))
	}
	for _, c := range q.Active {
		l.Active = append(l.Active, Challenge{By: c[0], Whom: c[1]})
	}
	for _, m := range q.Finished {
		if q.Now-m.Day < restDays {
			l.Met = append(l.Met, Met{A: m.A, B: m.B})
		}
	}
	return l, nil
}

// on is a ladder after an event.
func (e ladderEvent) on(l Ladder) (Ladder, error) {
	switch e.Type {
	case "join":
		return l.joined(e.ID, 0), nil
	case "leave":
		return l.Leave(e.ID), nil
	case "win":
		return l.won(e.Winner, e.Loser), nil
	case "draw":
		return l, nil
	case "decline":
		return l.won(e.Challenger, e.Challenged), nil
	case "timeout":
		return l.won(e.Winner, e.Loser).Leave(e.Loser), nil
	}
	return l, fmt.Errorf("%.20q is nothing that happens on a ladder", e.Type)
}
