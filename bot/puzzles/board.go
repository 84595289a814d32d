package puzzles

import (
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"strings"

	"tengen/ai/puzzle"
	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
)

// mode is what a puzzle is solved for. It stands in custom ids.
type mode byte

const (
	single mode = 'p' // for the rating
	ofDay  mode = 'd' // as the server's puzzle of the day
	inRun  mode = 'r' // in a streak or a storm
	own    mode = 'o' // it is from a game of the member
)

// board is a puzzle that a member is solving. All of it stands in the custom ids of its buttons.
type board struct {
	puzzle.Puzzle
	id     string
	mode   mode
	match  game.MatchID // of own: the reviewed game
	stamp  uint32       // ofDay: the day; inRun: the step; own: the ply
	theme  int          // that was chosen, from 1; 0: none
	level  int          // index of difficulties
	unsure bool         // the judge was undecided once
	moves  []game.Point // of both sides, so far
}

// letters stand for small numbers in custom ids.
const letters = "0123456789abcdefghijklmnopqrstuvwxyz"

// press is the custom id of a button of the board.
func (b board) press(what, arg string) string {
	flags := string([]byte{byte(b.mode), letters[b.theme], letters[b.level]})
	if b.unsure {
		flags += "u"
	}
	moves := make([]byte, len(b.moves))
	for i, m := range b.moves {
		moves[i] = byte(m)
	}
	arg = strings.Join([]string{what, flags, b.id, base64.RawURLEncoding.EncodeToString(moves), arg}, ".")
	return view.Press{Match: b.match, Stamp: b.stamp, Verb: verb, Arg: arg}.ID()
}

func (b board) button(t view.Tongue, what, key string) chat.Button {
	return chat.Button{ID: b.press(what, ""), Label: t.Say(key)}
}

var errPress = errors.New("no press on a puzzle")

// parse reads a press: what is pressed and its argument. The puzzle is yet to be found by its id.
func parse(v view.Press) (b board, what, arg string, err error) {
	f := strings.SplitN(v.Arg, ".", 5)
	if len(f) != 5 || len(f[1]) < 3 {
		return b, "", "", errPress
	}
	data, err := base64.RawURLEncoding.DecodeString(f[3])
	if err != nil {
		return b, "", "", errPress
	}
	b = board{id: f[2], mode: mode(f[1][0]), match: v.Match, stamp: v.Stamp, unsure: strings.HasSuffix(f[1], "u")}
	b.theme, b.level = strings.IndexByte(letters, f[1][1]), strings.IndexByte(letters, f[1][2])
	if b.theme < 0 || b.theme > len(themes) || b.level < 0 || b.level >= len(difficulties) {
		return b, "", "", errPress
	}
	for _, m := range data {
		b.moves = append(b.moves, game.Point(m))
	}
	return b, f[0], f[4], nil
}

// game is the position with the moves so far.
func (b board) game() (game.Game, error) { return b.Game.PlayAll(b.moves...) }

// tried are the solver's moves so far.
func (b board) tried() (moves []game.Point) {
	g := b.Game
	for _, m := range b.moves {
		if g.Turn() == b.Turn() {
			moves = append(moves, m)
		}
		g, _ = g.Play(m)
	}
	return moves
}

// left is how many moves are still to find.
func (b board) left() int { return max(1, b.Solver()-len(b.tried())) }

// next is the next move of the solution, or the first one where the member has left it.
func (b board) next() game.Point {
	if n := len(b.moves); n < len(b.Line) && slices.Equal(b.Line[:n], b.moves) {
		return b.Line[n]
	}
	return b.Line[0]
}

// played is the solution, played out, and how the game ends by it: the zero Game where it does not end.
func (b board) played(ctx context.Context) (line []game.Point, ends game.Game) {
	line, over := b.Solution(ctx)
	if over {
		ends, _ = b.Game.PlayAll(line...)
	}
	return line, ends
}

// fresh is b before its first move.
func (b board) fresh() board {
	b.moves, b.unsure = nil, false
	return b
}
