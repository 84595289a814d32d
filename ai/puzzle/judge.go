package puzzle

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"tengen/ai/engine"
	"tengen/ai/five"
	"tengen/ai/reversi"
	"tengen/game"
)

// Verdict is what the judge says of an answer.
type Verdict string

// The verdicts. An undecided try counts for nothing: the judge found no proof either way.
const (
	Right     Verdict = "right"
	Solved    Verdict = "solved"
	Wrong     Verdict = "wrong"
	Undecided Verdict = "undecided"
)

// Bounds of the judge. It decides by nodes, so that it says the same on every machine that is
// fast enough; the time is for those that are not.
const (
	judgeTime   = 1800 * time.Millisecond
	searchNodes = 400_000

	// hopeless is up to which expectation of the solver a move is called wrong without a proof that it
	// loses: that there is no win by threats says nothing of quiet moves. Of 44 wins that 3 million nodes
	// prove and 400,000 do not, the latter take 0.39 for the least, and 0.54 for the next.
	hopeless = 0.25
)

// Answer is the judge's answer to the moves of a solver. Reply is what the other side plays
// then, and Left are the solver's moves that are still to find. Of a wrong move, Why says what
// is wrong with it, and Refutation is how it goes on as far as that is proven, the reply first.
// Game is the position with the reply.
type Answer struct {
	Verdict    Verdict
	Reply      []game.Point
	Why        string
	Left       int
	Refutation []game.Point
	Game       game.Game
}

// Errors of moves that cannot be judged.
var errAfter = errors.New("the puzzle was over before this move")

// Try judges the solver's moves, in order. A move that the line does not have is proven
// within two seconds: whatever wins is right. Later moves after one that is not right are an
// error, and so are illegal moves.
func (p Puzzle) Try(ctx context.Context, moves []game.Point) (Answer, error) {
	ctx, stop := context.WithTimeout(ctx, judgeTime)
	defer stop()
	return p.try(ctx, moves)
}

// try is Try without its bound on the time.
func (p Puzzle) try(ctx context.Context, moves []game.Point) (Answer, error) {
	j := &judge{Puzzle: p, prover: newProver(), game: p.Game, onLine: true, left: p.Solver()}
	defer j.done()
	a := Answer{Verdict: Right, Reply: []game.Point{}, Left: j.left, Game: p.Game}
	for i, m := range moves {
		if a.Verdict != Right {
			return Answer{}, fmt.Errorf("move %d, %v: %w", i+1, m, errAfter)
		}
		var err error
		if a, err = j.move(ctx, m); err != nil {
			return Answer{}, fmt.Errorf("move %d, %v: %w", i+1, m, err)
		}
	}
	return a, nil
}

// judge is a puzzle that is being solved.
type judge struct {
	Puzzle
	*prover
	game   game.Game
	at     int // on the line
	onLine bool
	left   int
}

// move judges the next move of the solver, and plays the reply.
func (j *judge) move(ctx context.Context, m game.Point) (Answer, error) {
	before := j.game
	after, err := before.Play(m)
	if err != nil {
		return Answer{}, err
	}
	j.onLine = j.onLine && j.at < len(j.Line) && j.Line[j.at] == m
	f := right
	if !j.onLine {
		f = j.decide(ctx, before, after)
	}
	a := Answer{Verdict: f.verdict, Reply: []game.Point{}, Why: f.why, Left: j.left, Game: after}
	switch f.verdict {
	case Wrong:
		a.Refutation = f.line
		for _, r := range f.line {
			if a.Game.Turn() != j.Turn().Other() {
				break
			}
			if a.Game, err = a.Game.Play(r); err != nil {
				return Answer{}, err
			}
			a.Reply = append(a.Reply, r)
		}
		return a, nil
	case Undecided:
		a.Game = before
		return a, nil
	}
	j.game, j.at, j.left = after, j.at+1, j.left-1
	if j.left == 0 || after.Turn() == game.Empty {
		a.Verdict, a.Left = Solved, 0
		return a, nil
	}
	for j.game.Turn() == j.Turn().Other() {
		r, err := j.answer(ctx)
		if err != nil {
			return Answer{}, err
		}
		if j.game, err = j.game.Play(r); err != nil {
			return Answer{}, err
		}
		a.Reply = append(a.Reply, r)
	}
	a.Left, a.Game = j.left, j.game
	if j.game.Turn() == game.Empty {
		a.Verdict, a.Left = Solved, 0
	}
	return a, nil
}

// answer is what the other side plays: the line, or where that is left what holds out longest.
func (j *judge) answer(ctx context.Context) (game.Point, error) {
	if j.onLine && j.at < len(j.Line) {
		j.at++
		return j.Line[j.at-1], nil
	}
	if j.Kind == Best {
		rep, err := reversi.Search(context.WithoutCancel(ctx), j.game,
			engine.Limits{Nodes: 1 << 40, Time: judgeTime / 4, Memory: tableFor(j.game)})
		return rep.Move, err
	}
	if r := j.longest(j.game, j.Turn()); r != game.NoPoint {
		return r, nil
	}
	rep, err := five.Search(context.WithoutCancel(ctx), j.game, engine.Limits{Nodes: searchNodes / 10})
	return rep.Move, err
}

// finding is what was found out about a move that the line does not have.
type finding struct {
	verdict Verdict
	line    []game.Point // the refutation
	why     string
}

// Findings that say all.
var (
	right   = finding{verdict: Right}
	noProof = finding{verdict: Undecided, why: "no proof was found, either way"}
	noTime  = finding{verdict: Undecided, why: "there was no time to solve it"}
)

func (j *judge) decide(ctx context.Context, before, after game.Game) finding {
	switch j.Kind {
	case Best:
		return j.decideBest(ctx, before, after)
	case Defend:
		return j.decideDefence(ctx, after)
	}
	return j.decideWin(ctx, after)
}

// search looks for a win of either side by any means. A single reply does not end it.
func (j *judge) search(ctx context.Context, after game.Game) (engine.Report, error) {
	return five.Search(ctx, after, engine.Limits{Nodes: searchNodes, Brief: true, Spend: true})
}

// decideWin looks for a proof that the solver still wins, then for one that the other side
// does, and at last for a reply after which there is no win by threats and little hope.
func (j *judge) decideWin(ctx context.Context, after game.Game) finding {
	c := j.Turn()
	f, reply := j.fateOf(ctx, after, c)
	if f == won {
		return right
	}
	if f == lost {
		return j.beaten(ctx, after)
	}
	rep, err := j.search(ctx, after)
	switch {
	case err == nil && rep.Proof == engine.Loss:
		return right
	case err == nil && rep.Proof == engine.Win:
		return j.beaten(ctx, after)
	case err != nil || ctx.Err() != nil || f == unclear || 1-rep.Win > hopeless:
		return noProof
	}
	if reply == game.NoPoint { // the board is full
		return finding{verdict: Wrong, why: "the game ends without a winner"}
	}
	return finding{Wrong, []game.Point{reply}, fmt.Sprintf("after %v %v has no win by threats any more", reply, c)}
}

// decideDefence judges a defence that the line does not have: a proof that it loses is looked
// for, and without one it is undecided.
func (j *judge) decideDefence(ctx context.Context, after game.Game) finding {
	if after.Turn() == game.Empty {
		return right
	}
	if j.loses(after) {
		return j.beaten(ctx, after)
	}
	rep, err := j.search(ctx, after)
	switch {
	case err == nil && rep.Proof == engine.Win:
		return j.beaten(ctx, after)
	case err == nil && rep.Proof == engine.Loss:
		return right
	}
	return noProof
}

// beaten is the finding where the other side, to move in g, is proven to win: its line is
// played out.
func (j *judge) beaten(ctx context.Context, g game.Game) finding {
	winner := g.Turn()
	var line []game.Point
	for g.Turn() != game.Empty && len(line) < 60 && ctx.Err() == nil {
		var m game.Point
		if g.Turn() == winner {
			if m, _, _ = j.wins(g); m == game.NoPoint {
				rep, err := five.Search(ctx, g, engine.Limits{Nodes: searchNodes})
				if err == nil && rep.Proof == engine.Win {
					line = append(line, rep.Line...)
				}
				break
			}
		} else if m = j.longest(g, winner); m == game.NoPoint {
			break
		}
		next, err := g.Play(m)
		if err != nil {
			break
		}
		g, line = next, append(line, m)
	}
	return finding{Wrong, line, fmt.Sprintf("%v wins: %s", winner, names(line))}
}

func names(line []game.Point) string {
	var s []string
	for _, p := range line {
		s = append(s, p.String())
	}
	return strings.Join(s, " ")
}

// decideBest compares the exact scores.
func (j *judge) decideBest(ctx context.Context, before, after game.Game) finding {
	c := j.Turn()
	s := newExact(before)
	want, err := s.value(ctx, before, c)
	if err != nil {
		return noTime
	}
	got, err := s.value(ctx, after, c)
	switch {
	case err != nil:
		return noTime
	case got >= want:
		return right
	}
	f := finding{verdict: Wrong, why: fmt.Sprintf("%s, not %s", result(got), result(want))}
	for n := 0; after.Turn() != game.Empty && n < 60; n++ {
		rep, err := reversi.Search(ctx, after, engine.Limits{Nodes: 1 << 40, Memory: tableFor(after)})
		if err != nil {
			break
		}
		if after, err = after.Play(rep.Move); err != nil {
			break
		}
		f.line = append(f.line, rep.Move)
	}
	return f
}

// result is a score in words.
func result(discs int) string {
	switch {
	case discs > 0:
		return fmt.Sprintf("a win by %d", discs)
	case discs < 0:
		return fmt.Sprintf("a loss by %d", -discs)
	}
	return "a draw"
}
