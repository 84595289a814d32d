// Package opening is the opening protocols of Renju and Gomoku as values, and the given
// openings of Reversi. A protocol is a list of steps; how an opening stands follows from its
// decisions alone. It knows neither seats nor clocks. Start from Protocol.Begin and State.Decide.
package opening

import (
	"fmt"
	"slices"
	"strings"

	"tengen/game"
)

// Protocol names one of the protocols. The numbers are stored: add at the end only.
type Protocol uint8

// The protocols.
const (
	Swap Protocol = 1 + iota
	Swap2
	Pro
	LongPro
	RIF
	Yamaguchi
	Soosyrv8
	Tarannikov
	Taraguchi10
)

// All are the protocols in the order of their numbers.
var All = []Protocol{Swap, Swap2, Pro, LongPro, RIF, Yamaguchi, Soosyrv8, Tarannikov, Taraguchi10}

// Named finds a protocol by its name, in any case.
func Named(name string) (Protocol, bool) {
	for _, p := range All {
		if len(name) == len(p.Name()) && strings.EqualFold(name, p.Name()) {
			return p, true
		}
	}
	return 0, false
}

// For are the protocols that fit a kind of game: those of Gomoku or those of Renju on 15x15, and none
// elsewhere.
func For(r game.Rules) []Protocol {
	switch {
	case r == game.Renju:
		return All[RIF-1:]
	case r == game.Gomoku15 || r == game.Standard15:
		return All[:RIF-1]
	}
	return nil
}

// Valid reports whether there is such a protocol.
func (p Protocol) Valid() bool { return p > 0 && int(p) <= len(protocols) }

// Name implements game.Protocol.
func (p Protocol) Name() string { return protocols[p-1].name }

// Begin is the opening before its first decision.
func (p Protocol) Begin() State {
	d := protocols[p-1]
	return State{Position: game.Position{Size: Size, Turn: game.Black}, rest: slices.Concat(d.first, d.then)}
}

// Replay implements game.Protocol.
func (p Protocol) Replay(decisions []game.Decision) (by []uint8, asks game.Question, err error) {
	s := p.Begin()
	for i, d := range decisions {
		if s.Over() {
			break
		}
		by = append(by, uint8(s.person(s.rest[0].by)))
		if s, err = s.Decide(d); err != nil {
			return nil, game.Question{}, fmt.Errorf("decision %d: %w", i+1, err)
		}
	}
	return by, s.Question(), nil
}

// Size is the size of the board that the protocols are made for.
const Size = 15

// State is an opening under way. It is a value: Decide leaves it as it was.
type State struct {
	Position game.Position // the stones, and the color of the next one
	Black    int           // who holds the black stones: 0 who opens, 1 the other
	Declared int           // how many fifth stones were declared, 0 before
	Offered  []game.Point  // in the order offered
	rest     []step        // the steps to come, the open question first
}

// Over reports whether the opening is over and play goes on.
func (s State) Over() bool { return len(s.rest) == 0 }

// Question is what is asked next.
func (s State) Question() game.Question {
	q := game.Question{Black: s.Black, Declared: s.Declared, Offered: slices.Clone(s.Offered)}
	if s.Over() {
		q.Color = s.Position.Turn
		q.Who = s.holder(q.Color)
		return q
	}
	now := s.rest[0]
	q.Kind, q.Who = now.asks, s.person(now.by)
	switch now.asks {
	case game.AskPlace:
		q.Color = s.Position.Turn
		q.Points = now.area.points()
		for p := range s.stones().All() {
			q.Points = q.Points.Without(p)
		}
	case game.AskSwap:
		q.Options = []game.Decision{game.Swap, game.Stay}
	case game.AskChoose:
		for _, w := range now.ways {
			q.Options = append(q.Options, w.word)
		}
	case game.AskDeclare:
		for n := 1; n <= now.number; n++ {
			q.Options = append(q.Options, game.Declare(n))
		}
	case game.AskOffer:
		q.Wanted = s.wanted(now)
		taken := s.stones().Or(s.alike())
		for _, p := range s.Position.Points() {
			if !taken.Has(p) {
				q.Points = q.Points.With(p)
			}
		}
	case game.AskSelect:
		for _, p := range s.Offered {
			q.Points = q.Points.With(p)
		}
	}
	return q
}

// Decide is s after the decision d, or a *game.Refusal that says why d is not legal.
func (s State) Decide(d game.Decision) (State, error) {
	if s.Over() {
		return State{}, &game.Refusal{Code: game.OpeningOver}
	}
	now := s.rest[0]
	next := s
	next.rest = s.rest[1:]
	if err := next.take(now, d); err != nil {
		return State{}, err
	}
	return next, nil
}

// take answers the step now, which is no longer among the rest, with d.
func (s *State) take(now step, d game.Decision) error {
	p, stone := d.Stone()
	offer, offers := d.Offered()
	n, declares := d.Declared()
	switch {
	case now.asks == game.AskPlace && stone:
		return s.place(now, p)
	case now.asks == game.AskSwap && (d == game.Swap || d == game.Stay):
		if d == game.Swap {
			s.Black = 1 - s.Black
		}
		return nil
	case now.asks == game.AskChoose:
		return s.choose(now, d)
	case now.asks == game.AskDeclare && declares:
		if n < 1 || n > now.number {
			return &game.Refusal{Code: game.OutOfRange, Number: now.number}
		}
		s.Declared = n
		return nil
	case now.asks == game.AskOffer && offers:
		return s.offer(now, offer)
	case now.asks == game.AskSelect && stone:
		if !slices.Contains(s.Offered, p) {
			return &game.Refusal{Code: game.NotAmongOffers, Point: p}
		}
		s.Offered = nil
		s.put(p)
		return nil
	}
	return &game.Refusal{Code: game.NotAsked}
}

func (s *State) place(now step, p game.Point) error {
	if err := s.free(p); err != nil {
		return err
	}
	if !now.area.has(p) {
		return &game.Refusal{Code: game.OutsideArea, Point: p}
	}
	s.put(p)
	return nil
}

// free is nil where a stone may stand: on the board, and on no other stone.
func (s *State) free(p game.Point) error {
	switch {
	case !p.On(Size):
		return &game.Refusal{Code: game.OffBoard, Point: p, Number: Size}
	case s.stones().Has(p):
		return &game.Refusal{Code: game.Occupied, Point: p, Color: s.Position.At(p)}
	}
	return nil
}

// put places the next stone. The colors take turns in every protocol.
func (s *State) put(p game.Point) {
	s.Position = s.Position.Put(p, s.Position.Turn)
	s.Position.Turn = s.Position.Turn.Other()
}

func (s *State) choose(now step, d game.Decision) error {
	for _, w := range now.ways {
		if w.word != d {
			continue
		}
		switch me := s.person(now.by); d {
		case game.TakeBlack:
			s.Black = me
		case game.TakeWhite:
			s.Black = 1 - me
		}
		s.rest = w.then
		return nil
	}
	return &game.Refusal{Code: game.NotAsked}
}

func (s *State) offer(now step, p game.Point) error {
	if err := s.free(p); err != nil {
		return err
	}
	switch {
	case slices.Contains(s.Offered, p):
		return &game.Refusal{Code: game.OfferedBefore, Point: p}
	case s.alike().Has(p):
		return &game.Refusal{Code: game.OfferedAlike, Point: p, Moves: s.partners(p)}
	}
	s.Offered = append(slices.Clip(s.Offered), p)
	if len(s.Offered) < s.wanted(now) {
		s.rest = append([]step{now}, s.rest...)
	}
	return nil
}

// Stones is how many stones are on the board. Offers are none.
func (s State) Stones() int { return s.stones().Len() }

// wanted is how many points the step now wants to be offered.
func (s State) wanted(now step) int {
	if now.number == 0 {
		return s.Declared
	}
	return now.number
}

// stones are the points that are taken.
func (s State) stones() game.Set { return s.Position.Stones[0].Or(s.Position.Stones[1]) }

// holder is the person who holds the stones of c.
func (s State) holder(c game.Color) int {
	if c == game.Black {
		return s.Black
	}
	return 1 - s.Black
}
