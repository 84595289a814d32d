package puzzle

import (
	"context"
	"errors"
	"slices"
	"sync"

	"tengen/ai/engine"
	"tengen/ai/five"
	"tengen/game"
)

// Bounds of the proofs of five in a row, in nodes of one search.
const (
	proofNodes  = 20_000    // for a win by threats, and to find that there is none
	winNodes    = 80_000    // to prove once more that a move of the line wins
	fourNodes   = 3000      // for the shortest win by fours
	quietNodes  = 20_000    // to look for a win by any means after the moves that draw the eye
	quietMoves  = 8         // how many moves draw the eye
	defendNodes = 3_000_000 // to find that the one defence does not lose
	tries       = 24        // replies that are tried to refute a move
)

// prover proves wins of five in a row. It is for one puzzle at a time.
type prover struct {
	five    *five.Engine
	killers []game.Point // replies that refuted other moves
}

var provers = sync.Pool{New: func() any { return &prover{five: five.New()} }}

func newProver() *prover {
	pr := provers.Get().(*prover)
	pr.five.Clear()
	pr.killers = pr.killers[:0]
	return pr
}

func (pr *prover) done() { provers.Put(pr) }

// wins is a win by threats of the side to move: its first move and its plies, 0 for none. The
// shortest by fours comes first.
func (pr *prover) wins(g game.Game) (move game.Point, plies int, fours bool) {
	if move, plies = pr.five.Fours(g, fourNodes); plies > 0 {
		return move, plies, true
	}
	t := pr.five.Threats(g, g.Turn(), proofNodes)
	return t.Move, t.Plies, false
}

// fate is what is known of a position after a move of the solver.
type fate uint8

const (
	unclear fate = iota
	won          // the solver wins, whatever the other side does
	refuted      // the other side has a reply after which the solver has no win by threats
	lost         // the other side wins
)

// fateOf is what becomes of h, where the other side is to move, for the solver c. The reply
// is the one that refutes.
func (pr *prover) fateOf(ctx context.Context, h game.Game, c game.Color) (fate, game.Point) {
	if h.Turn() == game.Empty {
		if h.Result().Winner == c {
			return won, game.NoPoint
		}
		return refuted, game.NoPoint
	}
	if pr.five.Threats(h, c, proofNodes).Plies > 0 {
		return won, game.NoPoint
	}
	if t := pr.five.Threats(h, h.Turn(), proofNodes/10); t.Plies > 0 {
		return lost, t.Move
	}
	queue, tried := slices.Clone(pr.killers), game.Set{}
	if len(queue) == 0 {
		queue = append(queue, pr.eye(h))
	}
	for n := 0; len(queue) > 0 && n < tries && ctx.Err() == nil; n++ {
		r := queue[0]
		queue = queue[1:]
		f, next := pr.reply(h, c, r, proofNodes, &tried)
		if f != unclear {
			return f, r
		}
		if next != game.NoPoint {
			queue = slices.Insert(queue, 0, next)
		}
	}
	for _, r := range nearest(pr.parries(h, c), h.Last()) {
		if ctx.Err() != nil {
			break
		}
		if f, _ := pr.reply(h, c, r, proofNodes/10, &tried); f != unclear {
			return f, r
		}
	}
	return unclear, game.NoPoint
}

// reply tries one reply in h. Where the solver still wins, next is how.
func (pr *prover) reply(h game.Game, c game.Color, r game.Point, nodes int64,
	tried *game.Set) (f fate, next game.Point) {
	if r == game.NoPoint || tried.Has(r) {
		return unclear, game.NoPoint
	}
	*tried = tried.With(r)
	g, err := h.Play(r)
	if err != nil {
		return unclear, game.NoPoint
	}
	if g.Turn() == game.Empty {
		return lost, game.NoPoint
	}
	t := pr.five.Threats(g, c, nodes)
	if t.None {
		pr.remember(r)
		return refuted, game.NoPoint
	}
	return unclear, t.Move
}

// eye is the reply to begin with: where the other side would win if h's side passed.
func (pr *prover) eye(h game.Game) game.Point {
	passed, err := game.From(h.Rules(), h.Position(), h.Turn().Other())
	if err != nil || passed.Turn() == game.Empty {
		return game.NoPoint
	}
	if t := pr.five.Threats(passed, passed.Turn(), proofNodes); t.Plies > 0 {
		return t.Move
	}
	return nearest(h.Legal(), h.Last())[0] // no threat: any reply will do
}

// remember puts a refutation to the front of those that are tried first.
func (pr *prover) remember(r game.Point) {
	if i := slices.Index(pr.killers, r); i >= 0 {
		pr.killers = slices.Delete(pr.killers, i, i+1)
	}
	pr.killers = slices.Insert(pr.killers, 0, r)
	pr.killers = pr.killers[:min(len(pr.killers), 8)]
}

// Why a candidate is no puzzle.
var (
	errNoWin   = errors.New("no win is proven")
	errTwo     = errors.New("a second move wins")
	errUnclear = errors.New("another move is neither proven to win nor refuted")
	errLoses   = errors.New("the defence is proven to lose, or another move is not")
	errPlain   = errors.New("the answer is the only sensible move")
	errShort   = errors.New("two moves win at the second turn")
)

// others are the positions after the moves that do not win by threats; a second win is an error,
// but moves that complete the same four or five count as one. A twentieth of the nodes shows most
// second wins, and nearly all of them lie near the first: so all moves are searched with that, the
// nearest first, before any is with all nodes.
func (pr *prover) others(ctx context.Context, g game.Game, move game.Point) (list []game.Game, err error) {
	c := g.Turn()
	unclear := nearest(g.Legal(), move)
	for _, nodes := range []int64{proofNodes / 20, proofNodes} {
		moves := unclear
		unclear = nil
		for _, p := range moves {
			h, err := g.Play(p)
			if err != nil {
				return nil, err
			}
			t := pr.five.Threats(h, c, nodes)
			wins := h.Turn() == game.Empty && h.Result().Winner == c || t.Plies > 0
			switch {
			case p == move, wins && sameFour(g.Position(), c, move, p):
			case wins:
				return nil, errTwo
			case nodes < proofNodes && !t.None && h.Turn() != game.Empty:
				unclear = append(unclear, p)
			default:
				list = append(list, h)
			}
		}
	}
	return list, ctx.Err()
}

// nearest are the points of s by their distance from p.
func nearest(s game.Set, p game.Point) []game.Point {
	list := s.Points()
	far := func(q game.Point) int {
		col, row := p.Col()-q.Col(), p.Row()-q.Row()
		return max(col, -col, row, -row)
	}
	slices.SortStableFunc(list, func(a, b game.Point) int { return far(a) - far(b) })
	return list
}

// alone is nil if the win with move is the only one in g: every other move is refuted, and
// those that draw the eye are not found to win by quiet moves either.
func (pr *prover) alone(ctx context.Context, g game.Game, move game.Point) error {
	list, err := pr.others(ctx, g, move)
	if err != nil {
		return err
	}
	return pr.refuted(ctx, g, move, list)
}

// refuted is the rest of alone: list are the positions after the other moves.
func (pr *prover) refuted(ctx context.Context, g game.Game, move game.Point, list []game.Game) error {
	for _, h := range list {
		if f, _ := pr.fateOf(ctx, h, g.Turn()); f == unclear {
			return errUnclear
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return pr.quiet(ctx, g, move, quietNodes)
}

// quiet is nil if none of the moves that draw the eye most is found to win by any means, quiet
// moves included, with so many nodes for each.
func (pr *prover) quiet(ctx context.Context, g game.Game, move game.Point, nodes int64) error {
	rep, err := five.Search(ctx, g, engine.Limits{Nodes: nodes, Brief: true})
	if err != nil {
		return err
	}
	list := rep.Candidates[:min(len(rep.Candidates), quietMoves)]
	for _, m := range list {
		if m.Move == move || sameFour(g.Position(), g.Turn(), move, m.Move) {
			continue
		}
		h, err := g.Play(m.Move)
		if err != nil {
			return err
		}
		after, err := five.Search(ctx, h, engine.Limits{Nodes: nodes, Brief: true})
		if err != nil {
			return err
		}
		if after.Proof == engine.Loss {
			return errTwo
		}
	}
	return nil
}

// longest is the reply in h by which the side to move holds out longest against c, which wins
// by threats; NoPoint where no reply is seen to lose.
func (pr *prover) longest(h game.Game, c game.Color) game.Point {
	if list := pr.longer(h, c); len(list) > 0 {
		return list[0].at
	}
	return game.NoPoint
}

// parry is a reply to a threat, and the plies that the winner takes from then on.
type parry struct {
	at    game.Point
	plies int
}

// longer are the replies in h by which the side to move holds out against c, the longest
// first; of those that hold out equally long, the one nearest to the last move.
func (pr *prover) longer(h game.Game, c game.Color) (list []parry) {
	for _, p := range nearest(pr.parries(h, c), h.Last()) {
		next, err := h.Play(p)
		if err != nil {
			continue
		}
		plies := 1
		if next.Turn() != game.Empty {
			if _, plies, _ = pr.wins(next); plies == 0 {
				continue
			}
		}
		list = append(list, parry{p, plies})
	}
	slices.SortStableFunc(list, func(a, b parry) int { return b.plies - a.plies })
	return list
}

// parries are the replies worth a thought: the legal ones that stop a five, and all others if
// nothing does.
func (pr *prover) parries(h game.Game, c game.Color) game.Set {
	threats := allFives(h.Rules(), h.Position(), c)
	legal := h.Legal()
	if threats.Empty() {
		return legal
	}
	var s game.Set
	for p := range threats.All() {
		if legal.Has(p) {
			s = s.With(p)
		}
	}
	if s.Empty() {
		return legal
	}
	return s
}

// later is nil if no second win is found at a later turn of the line.
func (pr *prover) later(ctx context.Context, g game.Game, move game.Point) error {
	if _, err := pr.others(ctx, g, move); err != nil {
		return err
	}
	return pr.quiet(ctx, g, move, quietNodes/4)
}

// win makes a puzzle of g, where the side to move has a win by threats. It stops before the
// first turn at which two wins are open, which is not the second. The cheapest tests come
// first: most candidates have a second win, and most of the others have one a turn later.
func (pr *prover) win(ctx context.Context, g game.Game) (p Puzzle, err error) {
	p = Puzzle{Kind: Win, Game: g}
	c, first := g.Turn(), g
	move, plies, fours := pr.wins(g)
	if plies == 0 {
		return p, errNoWin
	}
	list, err := pr.others(ctx, g, move)
	if err != nil {
		return p, err
	}
	p.Moves, p.Fours, p.Line = (plies+1)/2, fours, []game.Point{move}
	for {
		if g, err = g.Play(move); err != nil {
			return p, err
		}
		var reply game.Point
		if reply, move, err = pr.goesOn(ctx, g, c); err != nil {
			return p, err
		}
		if reply == game.NoPoint {
			break
		}
		if len(p.Line) == 1 {
			if err := pr.refuted(ctx, first, p.Line[0], list); err != nil {
				return p, err
			}
		}
		p.Line = append(p.Line, reply, move)
		if g, err = g.Play(reply); err != nil {
			return p, err
		}
	}
	if len(p.Line) == 1 {
		return p, errShort
	}
	return p, nil
}

// Replies that hold out nearly as long as the longest are tried too: how long a win by threes
// takes is known only roughly.
const (
	replies = 4
	shorter = 2 // plies
)

// goesOn is a reply in g, after a move of c, that leaves c a single win, and the move of that
// win. NoPoint says that two wins are open after each.
func (pr *prover) goesOn(ctx context.Context, g game.Game, c game.Color) (reply, move game.Point, err error) {
	if g.Turn() == game.Empty {
		return game.NoPoint, game.NoPoint, nil
	}
	list := pr.longer(g, c)
	for _, r := range list[:min(len(list), replies)] {
		if r.plies < list[0].plies-shorter {
			break
		}
		h, err := g.Play(r.at)
		if err != nil || h.Turn() != c {
			continue
		}
		m, plies, _ := pr.wins(h)
		if plies > 0 && pr.later(ctx, h, m) == nil {
			return r.at, m, nil
		}
	}
	return game.NoPoint, game.NoPoint, ctx.Err()
}

// loses reports whether the side that is to move in h, after the solver's move, wins by
// threats.
func (pr *prover) loses(h game.Game) bool {
	return h.Turn() != game.Empty && pr.five.Threats(h, h.Turn(), proofNodes).Plies > 0
}

// defend makes a puzzle of g, where the other side threatens to win: just one move is not
// proven to lose by threats. Check searches the answer for all other wins.
func (pr *prover) defend(ctx context.Context, g game.Game) (p Puzzle, err error) {
	p = Puzzle{Kind: Defend, Game: g}
	passed, err := game.From(g.Rules(), g.Position(), g.Turn().Other())
	if err != nil {
		return p, err
	}
	threat, plies, fours := pr.wins(passed)
	if plies == 0 || !allFives(g.Rules(), g.Position(), g.Turn().Other()).Empty() {
		return p, errPlain
	}
	p.Moves, p.Fours = (plies+1)/2, fours
	if _, plies, _ := pr.wins(g); plies > 0 {
		return p, errTwo
	}
	// The moves that are likely to hold come first: two of them end the search.
	rep, err := five.Search(ctx, g, engine.Limits{Nodes: 1000, Brief: true})
	if err != nil {
		return p, err
	}
	queue := []game.Point{threat}
	for _, m := range rep.Candidates {
		queue = append(queue, m.Move)
	}
	queue = append(queue, g.Legal().Points()...)
	seen, answer := game.Set{}, game.NoPoint
	for _, m := range queue {
		if seen.Has(m) || g.Check(m) != nil {
			continue
		}
		seen = seen.With(m)
		h, err := g.Play(m)
		if err != nil {
			return p, err
		}
		if pr.loses(h) {
			continue
		}
		if answer != game.NoPoint {
			return p, errLoses
		}
		answer = m
	}
	if answer == game.NoPoint {
		return p, errLoses
	}
	p.Line = []game.Point{answer}
	return p, nil
}
