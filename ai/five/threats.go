package five

import (
	"tengen/ai/engine"
	"tengen/game"
)

// MaxThreats is how many plies a search for threats looks ahead at most.
const MaxThreats = maxPlies

// Threats is what a search for a win by threats says of a position: fours, and threes that
// threaten a straight four. None tells that there is no such win within MaxThreats plies; with
// neither a win nor None the nodes did not suffice.
type Threats struct {
	Move  game.Point // of the winner where the winner is to move
	Plies int        // until the end of the game; 0: no win was found
	None  bool
	Nodes int64
}

// Threats searches for a win of side by threats in g, with so many nodes. Side may be the one
// to move or the other, which then must threaten something already. The engine keeps what it
// proved for other positions of the same rules until Clear.
func (e *Engine) Threats(g game.Game, side game.Color, nodes int64) Threats {
	t := Threats{Move: game.NoPoint}
	if g.Turn() == game.Empty || !e.set(g) {
		return t
	}
	s := e.main
	s.threat.side = int(side - game.Black)
	s.threat.until = nodes
	search := s.attack
	if side != g.Turn() {
		search = s.defend
	}
	pn, dn := search(certain, certain, 0)
	t.None = dn == 0
	if pn == 0 {
		s.threat.until += nodes // what the table has forgotten is proven again
		t.Plies = s.won(0)
		if m := s.proofs.get(s.proofKey()).move; side == g.Turn() && m != 0xFF {
			t.Move = game.Point(m)
		}
	}
	t.Nodes = s.nodes
	return t
}

// Fours is the first move and the length of a win by fours alone of the side to move, the
// shortest that so many nodes find; no plies if they find none.
func (e *Engine) Fours(g game.Game, nodes int) (game.Point, int) {
	if g.Turn() == game.Empty || !e.set(g) {
		return game.NoPoint, 0
	}
	s := e.main
	if me := s.b.turn & 1; s.b.count[me][winFive] > 0 {
		return game.Point(first(&s.b.five[me])), 1
	}
	l := liner{searcher: s, decided: map[uint64]ending{}, failed: map[uint64]int{}}
	end := l.byFours(nodes)
	if end.plies == 0 {
		return game.NoPoint, 0
	}
	return game.Point(end.move), end.plies
}

// set puts g on the board of e for a search without a clock. It reports whether e knows the
// rules of g.
func (e *Engine) set(g game.Game) bool {
	v, ok := variantOf(g.Rules())
	if !ok {
		return false
	}
	if e.tt == nil {
		e.room(engine.Limits{Nodes: 1})
	}
	e.main.prepare(shapeOf(v, g.Rules().Size()), e.tt, &engine.Watch{}, engine.Limits{})
	e.main.b.follow(g)
	return true
}
