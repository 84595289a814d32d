// Package game is the rules of the house as values: points, positions, games and
// matches of Gomoku, Renju and Reversi, with their notation. It imports the standard
// library alone and knows no clock, no chat, no picture and no file. Start from New and
// Game.Play.
package game

import (
	"fmt"
	"slices"
)

// Game is rules, a start position and moves. All else follows from replay. A Game is a
// value: no operation changes the one it is called on. The zero Game is not valid; start
// from New or From.
type Game struct {
	rules Rules
	start Position
	moves []Point
	now   Position // start with moves played on it
}

// New is a game of r from its own start position.
func New(r Rules) Game {
	return Game{rules: r, start: r.Start(), now: r.Start()}
}

// From is a game of r from a position of stones with side to move. In Reversi a side
// that cannot move passes. Stones off the board and winning rows of both sides are errors.
func From(r Rules, start Position, side Color) (Game, error) {
	start.Size = r.Size()
	for _, c := range []Color{Black, White} {
		for p := range start.Of(c).All() {
			if !p.On(r.Size()) {
				return Game{}, fmt.Errorf("%v lies off the %dx%d board", p, r.Size(), r.Size())
			}
		}
	}
	if !start.Stones[0].and(start.Stones[1]).Empty() {
		return Game{}, fmt.Errorf("two stones stand on one point")
	}
	if side != Black && side != White {
		return Game{}, fmt.Errorf("no side to move")
	}
	start = r.Settle(start, side)
	g := Game{rules: r, start: start, now: start}
	if res := r.Result(start); res.Termination == ByRow {
		other := Position{Size: start.Size, Turn: side}
		other.Stones[res.Winner.Other()-Black] = start.Of(res.Winner.Other())
		if r.Result(other).Termination == ByRow {
			return Game{}, fmt.Errorf("both sides have a winning row")
		}
	}
	return g, nil
}

// Rules are the rules of the game.
func (g Game) Rules() Rules { return g.rules }

// Start is the position that the game starts from.
func (g Game) Start() Position { return g.start }

// Position is the position now.
func (g Game) Position() Position { return g.now }

// Turn is the side to move, Empty after the end.
func (g Game) Turn() Color { return g.now.Turn }

// Len is the number of moves.
func (g Game) Len() int { return len(g.moves) }

// Moves are the moves from the first; the caller owns the slice.
func (g Game) Moves() []Point { return slices.Clone(g.moves) }

// Last is the last move, NoPoint when there is none.
func (g Game) Last() Point {
	if len(g.moves) == 0 {
		return NoPoint
	}
	return g.moves[len(g.moves)-1]
}

// Check is nil when p may be played now, else a *Refusal.
func (g Game) Check(p Point) error { return g.rules.Check(g.now, p) }

// Play is g after the side to move played p. It gives a *Refusal where the rules forbid it.
func (g Game) Play(p Point) (Game, error) {
	if err := g.Check(p); err != nil {
		return Game{}, err
	}
	g.moves = append(slices.Clip(g.moves), p)
	g.now = g.rules.Play(g.now, p)
	return g, nil
}

// PlayAll plays moves in order. The error names the number of the move that was refused
// and wraps its *Refusal.
func (g Game) PlayAll(moves ...Point) (Game, error) {
	for _, p := range moves {
		next, err := g.Play(p)
		if err != nil {
			return Game{}, fmt.Errorf("move %d: %w", g.Len()+1, err)
		}
		g = next
	}
	return g, nil
}

// Undo is g without its last n moves.
func (g Game) Undo(n int) Game { return g.Until(len(g.moves) - n) }

// Until is g as it stood after n moves.
func (g Game) Until(n int) Game {
	n = min(max(n, 0), len(g.moves))
	if n == len(g.moves) {
		return g
	}
	past := Game{rules: g.rules, start: g.start, moves: g.moves[:n:n], now: g.start}
	for _, p := range past.moves {
		past.now = g.rules.Play(past.now, p)
	}
	return past
}

// Ply is one move of a game.
type Ply struct {
	Number int // from 1
	Point  Point
	Color  Color
	Passed bool // Reversi: the other side had to pass before this move
	Turned Set  // Reversi: the discs that the move turned
}

// Plies are the moves with what replay tells of each.
func (g Game) Plies() []Ply {
	plies := make([]Ply, len(g.moves))
	b := g.start
	for i, p := range g.moves {
		next := g.rules.Play(b, p)
		plies[i] = Ply{
			Number: i + 1,
			Point:  p,
			Color:  b.Turn,
			Passed: i > 0 && plies[i-1].Color == b.Turn,
			Turned: next.Of(b.Turn).and(b.Of(b.Turn.Other())),
		}
		b = next
	}
	return plies
}

// Result is how the board stands.
func (g Game) Result() Result { return g.rules.Result(g.now) }

// Rows are the winning rows, each from end to end.
func (g Game) Rows() []Row {
	r := g.Result()
	if r.Termination != ByRow {
		return nil
	}
	exact := g.rules == Standard15 || g.rules == Standard9 || g.rules == Renju && r.Winner == Black
	return winningRows(g.now.Of(r.Winner), exact)
}

// Legal are the points that the side to move may play, empty after the end.
func (g Game) Legal() Set {
	var s Set
	if g.Turn() == Empty {
		return s
	}
	for _, p := range g.now.Points() {
		if g.Check(p) == nil {
			s = s.With(p)
		}
	}
	return s
}

// Forbidden are the refusals of the empty points that the side to move may not play by
// the rules of Renju, by point.
func (g Game) Forbidden() []*Refusal {
	var rs []*Refusal
	if g.rules != Renju || g.Turn() != Black {
		return rs
	}
	for _, p := range g.now.Points() {
		if g.now.At(p) != Empty {
			continue
		}
		if r := forbidden(g.now, p); r != nil {
			rs = append(rs, r)
		}
	}
	return rs
}

// Equal reports whether g and h are the same game: rules, start and moves.
func (g Game) Equal(h Game) bool {
	return g.rules == h.rules && g.start == h.start && slices.Equal(g.moves, h.moves)
}

// Dead reports whether neither side can still make a row of five: the game can only be
// drawn. Reversi is never dead.
func (g Game) Dead() bool {
	if g.rules == Reversi || g.Turn() == Empty {
		return false
	}
	var board Set
	for _, p := range g.now.Points() {
		board = board.With(p)
	}
	for _, c := range []Color{Black, White} {
		room := board
		for i, w := range g.now.Of(c.Other()) {
			room[i] &^= w
		}
		if len(winningRows(room, false)) > 0 {
			return false
		}
	}
	return true
}
