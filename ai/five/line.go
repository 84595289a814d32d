package five

import (
	"cmp"
	"context"
	"slices"
	"time"

	"tengen/ai/engine"
	"tengen/game"
)

// The search keeps only as much of the line of a proven win as its tables hold, and the
// search for threats keeps one move. liner makes the line anew: the winner plays the
// shortest win that it finds, the loser the reply that holds out longest against it. The
// length of the line is therefore a bound: the loser has no reply near the stones that is
// known to last longer.
type liner struct {
	*searcher
	decided map[uint64]ending // by position and side to move
	failed  map[uint64]int    // plies in which rush found no win
	late    int               // positions since the work is to end
}

// ending is how a decided position goes on: the move, and the plies to the end of the game,
// zero if the liner could not find out.
type ending struct {
	plies int
	move  uint8
}

// Bounds on the work of a liner. The share of the nodes makes the line repeat where a
// number of nodes bounds the search.
const (
	lineNodes  = 100_000                // at least; where half the nodes of the search are more, those
	lineShare  = 8                      // one part in so many of the time of the search is added for the line
	lineTime   = 100 * time.Millisecond // added at least
	lineLate   = 500                    // positions that are looked at when the nodes or the time are used up
	lineVCF    = 2000                   // nodes of a win by fours on the line
	lineGlance = 200                    // and after each reply
)

// complete makes the line of a proven result whole; the move, the score and the plies of r
// then agree with it. With free the side that is lost may take another move than r's, if
// that holds out longer. It reports false, and leaves r as it is, where the bounds were too
// narrow.
func (s *searcher) complete(ctx context.Context, r *engine.Report, limits engine.Limits, free bool) bool {
	watch, nodes, limit := s.watch, s.nodes, s.limit
	w := engine.NewWatch(ctx, lineLimits(limits, nodes, watch))
	defer w.Close()
	defer func() { s.watch, s.nodes, s.limit = watch, nodes, limit }()
	s.watch, s.limit, s.stopped = w, 0, false
	l := liner{searcher: s, decided: map[uint64]ending{}, failed: map[uint64]int{}}
	first := ending{move: uint8(r.Move)}
	switch {
	case r.Proof == engine.Win:
		first = l.try(ending{r.In, first.move})
	case free:
		first = l.lose(r.In, first.move)
	default:
		first = l.endure(ending{r.In, first.move})
	}
	line := l.follow(first)
	if len(line) == 0 {
		return false
	}
	settle(r, line)
	return true
}

// lineLimits are the bounds on a liner after a search of so many nodes under w.
func lineLimits(limits engine.Limits, nodes int64, w *engine.Watch) engine.Limits {
	left := func(all time.Duration) time.Duration {
		if all == 0 {
			return 0
		}
		return max(0, time.Duration(float64(all)*(1-w.Spent()))) + max(all/lineShare, lineTime)
	}
	return engine.Limits{Nodes: nodes + max(lineNodes, limits.Nodes/2), Time: left(limits.Time), CPU: left(limits.CPU),
		Process: limits.Process}
}

// settle puts a whole line into r. No other move is better than the one at its front.
func settle(r *engine.Report, line []game.Point) {
	r.Move, r.Line, r.In = line[0], line, len(line)
	r.Score = mate - r.In
	if r.Proof == engine.Loss {
		r.Score = -r.Score
	}
	list := []engine.Candidate{{Move: r.Move, Score: r.Score, Win: r.Win}}
	for _, c := range r.Candidates {
		if c.Move != r.Move {
			c.Score = min(c.Score, r.Score)
			c.Win = win(c.Score)
			list = append(list, c)
		}
	}
	r.Candidates = list[:max(1, min(len(list), len(r.Candidates)))]
}

// follow is the line from a decided position on, empty if it stops before the end.
func (l *liner) follow(e ending) (line []game.Point) {
	b := &l.b
	for e.plies > 1 {
		line = append(line, game.Point(e.move))
		b.play(e.move)
		e = l.decided[l.key()]
	}
	for range line {
		b.back()
	}
	if e.plies == 0 {
		return nil
	}
	return append(line, game.Point(e.move))
}

func (l *liner) key() uint64 { return l.b.hash ^ turnKey[l.b.turn&1] }

// win is a win of the side to move, which is known to win within so many plies. A longer one
// will do where no search finds the proof again.
func (l *liner) win(within int) (best ending) {
	if e, ok := l.decided[l.key()]; ok {
		return e
	}
	if l.stopped { // what the tables hold is often enough for the rest
		if l.late++; l.late > lineLate {
			return ending{}
		}
	}
	defer func() { l.decided[l.key()] = best }()
	for _, find := range []func() ending{
		func() ending { return l.glance(lineVCF) },
		func() ending { return l.threats(2000) },
		func() ending { return l.deeper(within, 2000) },
		func() ending { return l.threats(20_000) },
		func() ending { return l.deeper(within, 20_000) },
		func() ending { return l.deeper(maxPly, 50_000) },
	} {
		e := find()
		if e.plies > 0 && (best.plies == 0 || e.plies < best.plies) {
			if e = l.try(e); e.plies > 0 && (best.plies == 0 || e.plies < best.plies) {
				best = e
			}
		}
		if l.stopped || best.plies > 0 && best.plies <= within {
			break
		}
	}
	return best
}

// try is e, the move of a win, with the plies that it takes if the other side holds out as
// long as it can.
func (l *liner) try(e ending) ending {
	b := &l.b
	if b.class(e.move, b.turn&1) == winFive {
		return ending{1, e.move}
	}
	b.play(e.move)
	defer b.back()
	return l.lose(e.plies-1, 0xFF).before(e.move)
}

// before is how it goes on where move is played first.
func (e ending) before(move uint8) ending {
	if e.plies == 0 {
		return ending{}
	}
	return ending{e.plies + 1, move}
}

// lose is the reply of the side to move that holds out longest. It is known to lose within
// so many plies. Among replies that seem equal preferred comes first.
func (l *liner) lose(within int, preferred uint8) (best ending) {
	b := &l.b
	if e, ok := l.decided[l.key()]; ok {
		return e
	}
	defer func() { l.decided[l.key()] = best }()
	if b.count[b.turn&1][winFive] > 0 {
		return ending{}
	}
	replies := l.replies()
	for i := range replies {
		r := &replies[i]
		b.play(r.move)
		r.plies = within
		if e := l.glance(lineGlance); e.plies > 0 {
			r.plies, r.rank = min(within, e.plies+1), 1
		}
		if r.move == preferred {
			r.rank = 2
		}
		b.back()
	}
	slices.SortStableFunc(replies, func(x, y reply) int {
		return cmp.Or(cmp.Compare(y.plies, x.plies), cmp.Compare(y.rank, x.rank))
	})
	for _, r := range replies {
		if r.plies <= best.plies {
			break // the bounds of the others are no higher
		}
		if e := l.endure(r.ending); e.plies > best.plies {
			best = e
		}
	}
	return best
}

// reply is a move of the side that is lost, with a bound on the plies that it takes. Of
// equal replies the higher rank comes first.
type reply struct {
	ending
	rank int
}

// endure is e, a move of the side that is lost, with the plies that it takes.
func (l *liner) endure(e ending) ending {
	l.b.play(e.move)
	defer l.b.back()
	return l.win(e.plies - 1).before(e.move)
}

// replies are the moves that may meet the threat, those near the stones if there is no
// threat. Where nothing meets it, the reply is the most urgent of the points that the other
// side wants.
func (l *liner) replies() []reply {
	b := &l.b
	you := b.turn&1 ^ 1
	meets := b.near
	fives := b.count[you][winFive]
	switch {
	case fives > 0:
		meets = b.five[you]
	case b.count[you][openFour] > 0:
		meets = b.defence()
	}
	if list := l.lawful(meets); len(list) > 0 && fives < 2 {
		return list
	}
	for _, set := range []pointSet{b.five[you], b.four[you], b.near, b.empty} {
		if list := l.lawful(set); len(list) > 0 {
			return []reply{slices.MaxFunc(list, func(x, y reply) int {
				return cmp.Compare(b.drawn(x.move), b.drawn(y.move))
			})}
		}
	}
	return nil
}

// lawful are the points of set that the side to move may play.
func (l *liner) lawful(set pointSet) (list []reply) {
	for p := range set.All() {
		if l.may(uint8(p)) {
			list = append(list, reply{ending: ending{move: uint8(p)}})
		}
	}
	return list
}

// may reports whether the side to move may play p.
func (l *liner) may(p uint8) bool {
	return l.b.stones[p] == 3 && !(l.b.turn == black && l.b.forbidden(p))
}

// glance is a win that the side to move sees or remembers, none if there are no plies.
func (l *liner) glance(nodes int) (best ending) {
	b := &l.b
	me := b.turn & 1
	if e, ok := l.decided[l.key()]; ok {
		return e
	}
	switch yours := b.count[me^1][winFive]; {
	case b.count[me][winFive] > 0:
		return ending{1, first(&b.five[me])}
	case yours > 1:
		return ending{}
	case yours == 0 && b.count[me][openFour] > 0:
		return ending{3, l.ofClass(b.four[me], openFour)}
	}
	list := []ending{l.byFours(nodes)}
	l.threat.side = me
	if e := l.proofs.get(l.proofKey()); e.pn == 0 {
		list = append(list, ending{int(e.plies), e.move})
	}
	// at no depth, the move may be older than the value
	if t, ok := l.tt.get(l.key(), 0); ok && t.value > mateEdge && t.bound&boundLower != 0 && t.depth > 0 {
		list = append(list, ending{mate - t.value, t.move})
	}
	for _, e := range list {
		if e.plies > 0 && e.move != 0xFF && l.may(e.move) && (best.plies == 0 || e.plies < best.plies) {
			best = e
		}
	}
	return best
}

// threats searches for a win by threats.
func (l *liner) threats(nodes int64) ending {
	p, plies := l.vct(nodes)
	return ending{plies, p}
}

// deeper searches deeper and deeper for any win within so many plies.
func (l *liner) deeper(within int, nodes int64) (e ending) {
	const ply = 2 // two moves before it tell which moves come first
	b := &l.b
	for k := range ply {
		l.stack[k].move = 0xFF
		if b.ply >= ply-k {
			l.stack[k].move = b.moves[(b.ply-ply+k)&255]
		}
	}
	l.limit = l.nodes + nodes
	for depth := 2; depth <= 20 && e.plies == 0 && !l.stopped; depth += 2 {
		l.depth = depth
		if v := l.search(mate-ply-within-1, infinite, depth, ply, false); l.lineLen[ply] > 0 && v > mateEdge && !l.stopped {
			e = ending{mate - ply - v, l.line[ply][0]}
		}
	}
	l.limit, l.stopped = 0, l.watch.Over(l.nodes)
	return e
}

// byFours is a win by fours: the shortest, if few nodes find it.
func (l *liner) byFours(nodes int) ending {
	b := &l.b
	me := b.turn & 1
	if b.four[me] == (pointSet{}) {
		return ending{}
	}
	l.budget = nodes
	for within := 5; within < 40 && l.budget > 0 && !l.stopped; within += 2 {
		if p := l.rush(within); p != 0xFF {
			return ending{within, p}
		}
	}
	l.budget = nodes
	for left := 1; left <= 30 && l.budget > 0 && !l.stopped; left++ {
		if l.vcf(left) == 0 {
			continue
		}
		for _, r := range l.lawful(b.four[me]) {
			if b.count[me^1][winFive] > 0 && !b.five[me^1].Has(game.Point(r.move)) {
				continue
			}
			l.budget = nodes
			if plies := l.vcfMove(r.move, left); plies > 0 {
				return ending{plies, r.move}
			}
		}
	}
	return ending{}
}

// rush is the first move of a win by fours within so many plies, 0xFF if there is none.
// Unlike vcf it finds the shortest, and takes its time for it.
func (l *liner) rush(within int) uint8 {
	b := &l.b
	me := b.turn & 1
	moves := b.four[me]
	switch yours := b.count[me^1][winFive]; {
	case b.count[me][winFive] > 0:
		return first(&b.five[me])
	case yours > 1 || within < 3:
		return 0xFF
	case yours == 1: // the reply must be a four itself
		for i := range moves {
			moves[i] &= b.five[me^1][i]
		}
	case b.count[me][openFour] > 0:
		return l.ofClass(moves, openFour)
	}
	l.budget--
	if l.failed[l.key()] >= within || l.budget < 0 || l.step() {
		return 0xFF
	}
	for _, r := range l.lawful(moves) {
		if l.rushes(r.move, within) {
			return r.move
		}
	}
	if l.budget >= 0 && !l.stopped {
		l.failed[l.key()] = within
	}
	return 0xFF
}

// rushes reports whether the side to move wins within so many plies by the four on p.
func (l *liner) rushes(p uint8, within int) bool {
	b := &l.b
	me := b.turn & 1
	you := me ^ 1
	b.play(p)
	defer b.back()
	switch n := b.count[me][winFive]; {
	case b.count[you][winFive] > 0 || n == 0:
		return false
	case n > 1:
		return true
	}
	q := first(&b.five[me])
	if you == black && b.forbidden(q) {
		return true
	}
	b.play(q)
	defer b.back()
	return l.rush(within-2) != 0xFF
}
