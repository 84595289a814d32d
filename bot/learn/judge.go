package learn

import (
	"context"
	"errors"
	"slices"

	"tengen/ai/puzzle"
	"tengen/game"
)

// verdict is what becomes of an answer.
type verdict struct {
	right, solved bool
	undecided     bool
	game          game.Game    // as it stands then, with the reply
	shown         int          // of its last moves, those since the answer
	reply         []game.Point // what the other side plays
}

func (x exercise) start() (game.Game, error) { return board(x.line) }

// points are the right first moves, or the moves of a forced win.
func (x exercise) points() []game.Point { return pointsOf(x.right) }

// pointsOf reads points that we wrote.
func pointsOf(s string) []game.Point {
	points, err := game.ParseMoves(s)
	if err != nil { // held by a test
		return nil
	}
	return points
}

// onBoard reports whether the exercise is answered on the board, move by move.
func (x exercise) onBoard() bool { return questions[x.ask] == nil }

// puzzle is the exercise for the judge of puzzles; false where that is not its judge.
func (x exercise) puzzle(g game.Game) (puzzle.Puzzle, bool) {
	p := puzzle.Puzzle{Kind: puzzle.Win, Game: g, Line: x.points(), Moves: 1}
	if x.ask == askBest {
		p.Kind = puzzle.Best
	}
	return p, x.ask == askWin || x.ask == askBest
}

// judge decides the last of the solver's moves; those before were right. Its errors are moves
// that are not possible.
func (x exercise) judge(ctx context.Context, tried []game.Point) (v verdict, err error) {
	g, err := x.start()
	if err != nil {
		return v, err
	}
	if p, ok := x.puzzle(g); ok {
		return judged(ctx, p, tried)
	}
	if len(tried) != 1 {
		return v, errNotYet
	}
	h, err := g.Play(tried[0])
	if err != nil {
		return v, err
	}
	right := slices.Contains(x.points(), tried[0])
	v = verdict{right: right, solved: right, game: h, shown: 1}
	if right {
		return v, nil
	}
	if r := x.refutation(h, tried[0]); r != game.NoPoint {
		v.reply = []game.Point{r}
		v.game, err = h.Play(r)
		v.shown = 2
	}
	return v, err
}

// refutation is what the other side plays after a wrong move, where that shows what was wrong.
func (x exercise) refutation(h game.Game, move game.Point) game.Point {
	best := game.Set{}
	switch x.ask {
	case askTwice:
		return parry(h, move)
	case askBlock:
		best = wins(h)
	case askOpen:
		if best = wins(h); best.Empty() { // one that stops the only five there is
			best = wins(passed(h))
		}
	case askGuard:
		best = opens(h)
	case askSafe:
		best = corners(h)
	}
	if best.Empty() {
		return game.NoPoint
	}
	return best.Points()[0]
}

// parry is the guard that lies closest to a move, of those beside its side's stones.
func parry(h game.Game, move game.Point) game.Point {
	if h.Turn() == game.Empty {
		return game.NoPoint
	}
	away := func(p game.Point) int {
		col, row := p.Col()-move.Col(), p.Row()-move.Row()
		return col*col + row*row
	}
	points := near(h, h.Turn().Other()).Points()
	slices.SortStableFunc(points, func(p, q game.Point) int { return away(p) - away(q) })
	var known game.Set
	for _, p := range points {
		if next, err := h.Play(p); err == nil && !refutes(next, &known) {
			return p
		}
	}
	return game.NoPoint
}

// mostShown is how many moves of a refutation are played out on the board.
const mostShown = 7

// judged is the verdict of the judge of puzzles.
func judged(ctx context.Context, p puzzle.Puzzle, tried []game.Point) (v verdict, err error) {
	a, err := p.Try(ctx, tried)
	var no *game.Refusal
	switch {
	case errors.As(err, &no):
		return v, no
	case err != nil && len(tried) > 1: // a move before was not right: no button of ours says so
		return v, errNotYet
	case err != nil:
		return v, err
	}
	v = verdict{game: a.Game, reply: a.Reply, shown: 1 + len(a.Reply)}
	switch a.Verdict {
	case puzzle.Right:
		v.right = true
	case puzzle.Solved:
		v.right, v.solved = true, true
	case puzzle.Undecided:
		// A first move that is not named is proven wrong by the tests. Only the refutation was
		// not found in time.
		v.undecided = len(tried) > 1
	case puzzle.Wrong:
		more := a.Refutation[min(len(a.Refutation), len(a.Reply)):]
		v.reply = a.Refutation
		for _, r := range more {
			if p.Kind == puzzle.Win && v.shown >= mostShown {
				break
			}
			if v.game, err = v.game.Play(r); err != nil {
				return v, err
			}
			v.shown++
		}
	}
	return v, nil
}
