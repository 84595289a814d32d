// Package engine holds the words that our engines and their callers share: what bounds a
// search and what it reports. The engines are ai/five and ai/reversi; package ai chooses
// between them. Start from Limits and Report.
package engine

import (
	"errors"
	"time"

	"tengen/game"
)

// Limits bound a search. A zero field sets no bound; with no bound at all the search takes
// a second. The first bound that is reached ends it.
type Limits struct {
	Time    time.Duration // wall time
	CPU     time.Duration // CPU time of the searching thread: for matches on a loaded machine
	Process bool          // CPU is the time of the whole process, which must have nothing else to do
	Nodes   int64
	Depth   int
	Level   int    // 1-8: a way of seeing and a node count; 0 is full strength
	Seed    uint64 // where the engine chooses among equals; the same seed repeats a search
	Threads int    // 0 and 1: one
	Memory  int64  // bytes for tables; 0 is the engine's own default
	// unused time is lost: the engine begins a depth even if it cannot finish it, and searches a single reply for the
	// table
	Spend bool
	Brief bool // only the move matters: the line of a proven result may stop before its end
}

// Bounded is l, with a second of time if l has no bound.
func (l Limits) Bounded() Limits {
	if l.Time == 0 && l.CPU == 0 && l.Nodes == 0 && l.Depth == 0 && l.Level == 0 {
		l.Time = time.Second
	}
	return l
}

// ErrOver is the answer to a search in a game that has ended.
var ErrOver = errors.New("the game is over")

// Progress hears how far a fit of an evaluation has come, in the words of fmt.Printf. Nil
// hears nothing.
type Progress func(format string, args ...any)

// Say tells p something.
func (p Progress) Say(format string, args ...any) {
	if p != nil {
		p(format, args...)
	}
}

// Proof says what a search knows for certain about the result for the side to move.
type Proof uint8

// The proofs. Exact is a Reversi position solved to the last disc.
const (
	Unproven Proof = iota
	Win
	Loss
	Draw
	Exact
)

func (p Proof) String() string { return [...]string{"none", "win", "loss", "draw", "exact"}[p] }

// Report is what a search found, all of it from the view of the side to move.
type Report struct {
	Move       game.Point
	Score      int     // five in a row: centi-units of the evaluation; Reversi: discs, empties to the winner
	Win        float64 // expected result from 0 to 1
	Proof      Proof
	In         int // a proven win or loss comes within so many plies, the winning stone included: the length of Line
	Depth      int
	Nodes      int64
	Elapsed    time.Duration
	Line       []game.Point // of a proven win or loss in five in a row to its end, if not Brief and if time allows
	Candidates []Candidate  // the best moves considered, best first
	Cut        bool         // the search was cut short of the node count of its level
}

// Candidate is a move with its score.
type Candidate struct {
	Move  game.Point
	Score int
	Win   float64
}
