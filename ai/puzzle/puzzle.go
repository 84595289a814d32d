// Package puzzle makes and judges puzzles that rest on proof: it finds them in games, proves
// them, throws out doubles, names their themes, rates them, and judges the answers. It keeps
// the collection that the program carries. It stores nothing of members and draws nothing.
// Start from Collection and Puzzle.Try; a Finder makes new ones.
package puzzle

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tengen/ai/five"
	"tengen/game"
	"tengen/game/record"
)

// Kind says what a puzzle asks for.
type Kind uint8

// The kinds. The numbers are stored: add at the end only.
const (
	Win    Kind = iota // find the forced win
	Defend             // find the one move that does not lose
	Best               // Reversi: find the best move
)

var kinds = []string{"win", "defend", "best"}

func (k Kind) String() string { return kinds[k] }

// Puzzle is a position, whose side to move is to solve it, and how it is solved. Line begins
// with the solver's first move and ends with the last that is asked for. The whole win takes
// Moves moves of the solver, who makes fours alone where Fours is set.
type Puzzle struct {
	Number int
	Kind   Kind
	Game   game.Game // the position, without moves
	Line   []game.Point
	Rating int
	Moves  int
	Fours  bool
}

// letters begin the ids of the puzzles of a game.
var letters = []struct {
	rules  game.Rules
	letter string
}{{game.Gomoku15, "g"}, {game.Renju, "r"}, {game.Reversi, "o"}}

// ID is the name of the puzzle, such as g00123.
func (p Puzzle) ID() string {
	for _, l := range letters {
		if l.rules == p.Game.Rules() {
			return fmt.Sprintf("%s%05d", l.letter, p.Number)
		}
	}
	return ""
}

// Turn is the side that solves.
func (p Puzzle) Turn() game.Color { return p.Game.Turn() }

// Solver are how many of the moves of the line are the solver's.
func (p Puzzle) Solver() (n int) {
	for _, s := range p.Steps() {
		if s.By == p.Turn() {
			n++
		}
	}
	return n
}

// Step is a move of a line with the side that makes it.
type Step struct {
	By game.Color
	At game.Point
}

// Steps are the moves of the line with the side that makes each.
func (p Puzzle) Steps() []Step {
	var list []Step
	g := p.Game
	for _, at := range p.Line {
		list = append(list, Step{g.Turn(), at})
		next, err := g.Play(at)
		if err != nil {
			break
		}
		g = next
	}
	return list
}

// Bound is how far the search went that found no other move as good: the plies of a win, and
// the nodes for each move.
type Bound struct {
	Plies int   `json:"plies"`
	Nodes int64 `json:"nodes"`
}

// Bound of the proof of p. Reversi is exact: its plies are all that are left.
func (p Puzzle) Bound() Bound {
	if p.Kind == Best {
		return Bound{Plies: empties(p.Game.Position())}
	}
	return Bound{five.MaxThreats, proofNodes}
}

// check tells what is wrong with a puzzle that was read, nil for nothing.
func (p Puzzle) check() error {
	if p.Game.Turn() == game.Empty || p.ID() == "" {
		return errors.New("no position to solve")
	}
	if (p.Kind == Best) != (p.Game.Rules() == game.Reversi) || p.Kind > Best {
		return errors.New("the kind does not suit the game")
	}
	if len(p.Line) == 0 || len(p.Line) > 60 {
		return errors.New("no solution")
	}
	if _, err := p.Game.PlayAll(p.Line...); err != nil {
		return fmt.Errorf("solution: %w", err)
	}
	if steps := p.Steps(); steps[len(steps)-1].By != p.Turn() {
		return errors.New("the solution does not end with the solver's move")
	}
	return nil
}

// Entry is a puzzle as scripts and files of found puzzles have it.
type Entry struct {
	ID       string      `json:"id"`
	Kind     string      `json:"kind"`
	Line     string      `json:"line"`
	Turn     string      `json:"turn"`
	Plies    int         `json:"plies"`
	Themes   []string    `json:"themes"`
	Rating   int         `json:"rating"`
	Solution []EntryStep `json:"solution"`
	Bound    Bound       `json:"bound"`
}

// EntryStep is a move of the solution of an Entry.
type EntryStep struct {
	By   string `json:"by"`
	Move string `json:"move"`
}

// Entry is p for scripts.
func (p Puzzle) Entry() Entry {
	e := Entry{
		ID: p.ID(), Kind: p.Kind.String(), Line: strings.TrimSuffix(record.FormatLine(p.Game), " start"),
		Turn: p.Turn().String(), Plies: len(p.Line), Themes: p.Themes(), Rating: p.Rating, Bound: p.Bound(),
	}
	for _, s := range p.Steps() {
		e.Solution = append(e.Solution, EntryStep{s.By.String(), s.At.String()})
	}
	return e
}

// Puzzle is the puzzle of e. Turn, themes and bound follow from the rest, but for the length
// of the win.
func (e Entry) Puzzle() (p Puzzle, err error) {
	if p.Game, err = record.ParseLine(e.Line); err != nil {
		return p, err
	}
	if p.Game, err = bare(p.Game); err != nil {
		return p, err
	}
	k := slices.Index(kinds, e.Kind)
	if k < 0 {
		return p, fmt.Errorf("unknown kind %.20q", e.Kind)
	}
	p.Kind, p.Rating = Kind(k), min(max(e.Rating, 0), 4000)
	if len(e.ID) > 1 {
		if n, err := strconv.Atoi(e.ID[1:]); err == nil && n >= 0 && n < 1<<30 {
			p.Number = n
		}
	}
	for _, s := range e.Solution {
		at, err := game.ParsePoint(s.Move, p.Game.Rules().Size())
		if err != nil {
			return p, err
		}
		p.Line = append(p.Line, at)
	}
	for _, t := range e.Themes {
		kind, n, ok := strings.Cut(t, "-")
		if count, err := strconv.Atoi(n); ok && err == nil && (kind == "vcf" || kind == "vct") {
			p.Moves, p.Fours = min(max(count, 0), 100), kind == "vcf"
		}
	}
	return p, p.check()
}

// bare is the position of g as a game without moves.
func bare(g game.Game) (game.Game, error) {
	if g.Turn() == game.Empty {
		return g, errors.New("the game is over")
	}
	return game.From(g.Rules(), g.Position(), g.Turn())
}

func empties(b game.Position) int {
	return b.Size*b.Size - b.Count(game.Black) - b.Count(game.White)
}
