// Package study is a study of a game: a tree of moves with a cursor, names for its branches and notes. It knows no
// engine and no file. Start from Of, Study.Play and Study.Go.
package study

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"tengen/game"
)

// The bounds of a study. A whole game fits, with branches beside it.
const (
	MostNodes = 400
	MostName  = 40   // characters of a branch's name
	MostNote  = 300  // characters of a note
	mostText  = 6000 // bytes of all names and notes
)

// ErrFull is the error for what would make a study larger than its bounds.
var ErrFull = errors.New("the study is full")

// Study is a tree of positions that begins with one of a game. Its nodes have numbers: 0 is the position at its
// beginning, each branch follows its node at once, the oldest branch first. So what comes after a node has the
// numbers behind it, and the zero Study has no nodes. Methods leave a Study as it was.
type Study struct {
	nodes []node
	at    int
}

// node is a position with the move that led there.
type node struct {
	up         int // the number of the position before it; -1 at the beginning
	game       game.Game
	name, note string
}

// From is a study that begins with the position at the end of a game.
func From(g game.Game) Study { return Study{nodes: []node{{up: -1, game: g}}} }

// Of is the study of a game: its moves are the first branch, and the cursor is at its beginning.
func Of(g game.Game) (Study, error) {
	s := From(g.Until(0))
	for _, p := range g.Moves() {
		var err error
		if s, err = s.Play(p); err != nil {
			return Study{}, err
		}
	}
	return s.First(), nil
}

// Len is how many nodes there are.
func (s Study) Len() int { return len(s.nodes) }

// At is the number of the node at the cursor.
func (s Study) At() int { return s.at }

// Game is the game up to the cursor, along the branches that lead there.
func (s Study) Game() game.Game { return s.nodes[s.at].game }

// Rules are those of its games.
func (s Study) Rules() game.Rules { return s.nodes[0].game.Rules() }

// GameAt is the game up to a node.
func (s Study) GameAt(n int) game.Game { return s.nodes[n].game }

// Up is the node before a node; -1 for the first.
func (s Study) Up(n int) int { return s.nodes[n].up }

// Move is the move that leads to a node; NoPoint for the first.
func (s Study) Move(n int) game.Point {
	if n == 0 {
		return game.NoPoint
	}
	return s.nodes[n].game.Last()
}

// Name is the name of the branch that begins with a node.
func (s Study) Name(n int) string { return s.nodes[n].name }

// Note is what the member wrote at a node.
func (s Study) Note(n int) string { return s.nodes[n].note }

// Next are the nodes that follow a node, the oldest branch first.
func (s Study) Next(n int) (all []int) {
	for i := n + 1; i < s.end(n); i = s.end(i) {
		all = append(all, i)
	}
	return all
}

// end is the number behind the last node that comes after n.
func (s Study) end(n int) int {
	end := n + 1
	for end < len(s.nodes) && s.nodes[end].up >= n {
		end++
	}
	return end
}

// Branches are the nodes with which a branch begins: those beside which another one follows the same node.
func (s Study) Branches() (all []int) {
	for n := range s.nodes {
		if next := s.Next(n); len(next) > 1 {
			all = append(all, next...)
		}
	}
	slices.Sort(all)
	return all
}

// Go moves the cursor to a node; to the nearest one where there is none of the number.
func (s Study) Go(n int) Study {
	s.at = min(max(n, 0), len(s.nodes)-1)
	return s
}

// First moves the cursor to the beginning.
func (s Study) First() Study { return s.Go(0) }

// Back moves the cursor a move back.
func (s Study) Back() Study { return s.Go(s.nodes[s.at].up) }

// On moves the cursor a move on, along the oldest branch.
func (s Study) On() Study {
	if s.Ends() {
		return s
	}
	return s.Go(s.at + 1)
}

// Ends reports whether nothing follows the cursor.
func (s Study) Ends() bool { return s.end(s.at) == s.at+1 }

// Last moves the cursor to the end of the oldest branch that follows it.
func (s Study) Last() Study {
	for !s.Ends() {
		s = s.On()
	}
	return s
}

// Aside moves the cursor to the next branch beside it, and from the last one to the first.
func (s Study) Aside() Study {
	if s.at == 0 {
		return s
	}
	beside := s.Next(s.nodes[s.at].up)
	return s.Go(beside[(slices.Index(beside, s.at)+1)%len(beside)])
}

// Beside is how many branches follow the node before the cursor, the one of the cursor included.
func (s Study) Beside() int {
	if s.at == 0 {
		return 1
	}
	return len(s.Next(s.nodes[s.at].up))
}

// Play moves the cursor on by a move. It makes a branch where the move was not tried yet. The error is the refusal of
// the rules, or ErrFull.
func (s Study) Play(p game.Point) (Study, error) {
	for _, n := range s.Next(s.at) {
		if s.Move(n) == p {
			return s.Go(n), nil
		}
	}
	g, err := s.Game().Play(p)
	switch {
	case err != nil:
		return s, err
	case len(s.nodes) >= MostNodes:
		return s, ErrFull
	}
	at := s.end(s.at)
	nodes := slices.Insert(slices.Clone(s.nodes), at, node{up: s.at, game: g})
	for i := at + 1; i < len(nodes); i++ {
		if nodes[i].up >= at {
			nodes[i].up++
		}
	}
	return Study{nodes, at}, nil
}

// Add adds a line of moves from the cursor on, as far as the rules and the bounds allow. The cursor stays.
func (s Study) Add(line []game.Point) Study {
	longer := s
	for _, p := range line {
		next, err := longer.Play(p)
		if err != nil {
			break
		}
		longer = next
	}
	return longer.Go(s.at) // what was added stands behind the cursor
}

// Prune takes the node at the cursor with all that follows it. The cursor goes back. At the beginning it takes all
// moves.
func (s Study) Prune() Study {
	from, end := s.at, s.end(s.at)
	if from == 0 {
		return Study{nodes: slices.Clone(s.nodes[:1])}
	}
	nodes := slices.Concat(s.nodes[:from], s.nodes[end:])
	for i := from; i < len(nodes); i++ {
		if nodes[i].up >= end {
			nodes[i].up -= end - from
		}
	}
	return Study{nodes, s.nodes[from].up}
}

// Written gives the node at the cursor a name and a note, in place of those that it had. The error is ErrFull.
func (s Study) Written(name, note string) (Study, error) {
	nodes := slices.Clone(s.nodes)
	nodes[s.at].name, nodes[s.at].note = clip(oneLine(name), MostName), clip(plain(note), MostNote)
	size := 0
	for _, n := range nodes {
		size += len(n.name) + len(n.note)
	}
	if size > mostText {
		return s, ErrFull
	}
	return Study{nodes, s.at}, nil
}

// plain is a text without what cannot be seen, but line breaks.
func plain(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\r\n", "\n")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == '\r':
			return '\n'
		case r < ' ' && r != '\n', r == 0x7f:
			return -1
		}
		return r
	}, text))
}

func oneLine(text string) string { return strings.Join(strings.Fields(plain(text)), " ") }

func clip(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:most]))
}

// Equal reports whether both are the same tree with the same names and notes, wherever their cursors are.
func (s Study) Equal(o Study) bool {
	return slices.EqualFunc(s.nodes, o.nodes, func(a, b node) bool {
		return a.up == b.up && a.name == b.name && a.note == b.note && a.game.Equal(b.game)
	})
}
