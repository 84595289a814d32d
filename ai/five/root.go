package five

import (
	"slices"

	"tengen/ai/engine"
	"tengen/game"
)

// rootMove is a move of the position asked about.
type rootMove struct {
	p     uint8
	score int   // -infinite where it is only known to be no better than the best
	bound int   // the last value that the search gave it
	lost  int   // plies in which the other side wins by threats after it, 0 if unknown
	asked int64 // node count at the last search for lost
	order int32
	line  []game.Point
}

// think searches the position on the board until the watch says stop. A level does not
// see all of it and does not always take the best.
func (s *searcher) think(limits engine.Limits, l *level, g game.Game) engine.Report {
	if s.b.near == (pointSet{}) {
		p := s.firstMove(l, limits.Seed)
		return engine.Report{Move: p, Win: 0.5, Line: []game.Point{p}, Candidates: []engine.Candidate{{Move: p, Win: 0.5}}}
	}
	s.vcfDepth, s.heat = 0, 0
	veiled := false
	if l != nil {
		if s.b.count[s.b.turn][winFive] == 0 {
			veiled = s.b.veil(l, limits.Seed, g.Last())
		}
		s.vcfDepth, s.heat = l.vcf, l.soft
		if s.b.ply < l.openMoves {
			s.heat = max(s.heat, l.opening)
		}
	}
	s.listRoot()
	if l != nil {
		s.close()
	}
	if win, ok := s.rootVCF(limits); ok && !veiled {
		return s.report(win, 1, true)
	}
	if win, ok := s.rootVCT(limits); ok && !veiled {
		return s.report(win, 1, true)
	}
	best, depth := s.deepen(limits)
	cut := s.stopped
	r := s.report(s.chosen(best, s.heat, limits.Seed), depth, !veiled)
	r.Cut = cut
	return r
}

// rootVCF looks for a win by fours before anything else, deeper than the search will.
func (s *searcher) rootVCF(limits engine.Limits) (rootMove, bool) {
	b := &s.b
	me := b.turn & 1
	if b.four[me] == (pointSet{}) || b.count[me][winFive] > 0 || s.vcfDepth > 0 && s.vcfDepth < 20 {
		return rootMove{}, false
	}
	for left := 1; left <= 40; left++ {
		s.budget = 50_000
		if limits.Nodes > 0 {
			s.budget = min(s.budget, int(limits.Nodes/8))
		}
		w := s.vcf(left)
		if s.stopped || s.budget <= 0 {
			return rootMove{}, false
		}
		if w == 0 {
			continue
		}
		m := rootMove{p: 0xFF, score: -infinite}
		for i := range s.root {
			p := s.root[i].p
			s.budget = 50_000
			class, plies := b.class(p, me), 0
			if class == openFour && b.count[me^1][winFive] == 0 {
				plies = 3
			} else if someFour>>class&1 != 0 && (b.count[me^1][winFive] == 0 || b.five[me^1].Has(game.Point(p))) {
				plies = s.vcfMove(p, left)
			}
			if plies > 0 && mate-plies > m.score {
				m.p, m.score, m.line = p, mate-plies, []game.Point{game.Point(p)}
			}
		}
		return m, m.p != 0xFF && !s.stopped
	}
	return rootMove{}, false
}

// seesThreats reports whether a level, if one is set, looks as far as wins by threats.
func (s *searcher) seesThreats() bool { return s.vcfDepth == 0 || s.vcfDepth >= 30 }

// rootVCT looks for a win by threats with a small part of the nodes and the time.
func (s *searcher) rootVCT(limits engine.Limits) (rootMove, bool) {
	if !s.seesThreats() {
		return rootMove{}, false
	}
	nodes := int64(5000)
	if limits.Nodes > 0 {
		nodes = min(nodes, limits.Nodes/20)
	}
	p, plies := s.vct(nodes)
	if plies == 0 || s.stopped {
		return rootMove{}, false
	}
	return rootMove{p: p, score: mate - plies, line: []game.Point{game.Point(p)}}, true
}

// falls reports whether a search finds that the other side wins by threats after m, a move
// of the root. It searches again when three times as many nodes have been spent.
func (s *searcher) falls(m *rootMove) bool {
	if s.helper || !s.seesThreats() || m.lost > 0 || m.asked > 0 && s.nodes < 3*m.asked {
		return false
	}
	m.asked = s.nodes
	s.b.play(m.p)
	_, plies := s.vct(max(500, s.nodes/16))
	s.b.back()
	if plies > 0 {
		m.lost = plies + 1
	}
	return plies > 0
}

// drop puts the first move of the root behind the others and gives the next, whose value
// is not known yet. The dropped move gets no score: a score would bring it before
// moves that were not searched.
func (s *searcher) drop() rootMove {
	m := s.root[0]
	m.score, m.bound = -infinite, m.lost-mate
	s.root[copy(s.root, s.root[1:])] = m
	next := s.root[0]
	if next.score == -infinite {
		next.score, next.line = max(min(next.bound, 0), -maxEval), []game.Point{game.Point(next.p)}
	}
	return next
}

// close leaves to the root the moves within two points of a stone, if there are any.
func (s *searcher) close() {
	b := &s.b
	kept := slices.DeleteFunc(slices.Clone(s.root), func(m rootMove) bool {
		p := game.Point(m.p)
		for q := range b.board.All() {
			if b.stones[q] < 2 && max(abs(p.Col()-q.Col()), abs(p.Row()-q.Row())) <= 2 {
				return false
			}
		}
		return true
	})
	if len(kept) > 0 {
		s.root = append(s.root[:0], kept...)
	}
}

// listRoot fills s.root with the lawful moves worth a look, best first.
func (s *searcher) listRoot() {
	b := &s.b
	me := b.turn & 1
	you := me ^ 1
	s.root = s.root[:0]
	add := func(p uint8) {
		if me == black && b.forbidden(p) {
			return
		}
		s.root = append(s.root, rootMove{p: p, score: -infinite, bound: 0, order: b.drawn(p)})
	}
	all := func(set pointSet) {
		for p := range set.All() {
			add(uint8(p))
		}
	}
	switch {
	case b.count[me][winFive] > 0:
		all(b.five[me])
	case b.count[you][winFive] > 0:
		all(b.five[you])
	case b.count[me][openFour] == 0 && b.count[you][openFour] > 0:
		all(b.defence())
	}
	for _, set := range []pointSet{b.near, b.empty} {
		if len(s.root) == 0 {
			for i := range set {
				set[i] &= b.empty[i]
			}
			all(set)
		}
	}
	if w := b.policy[me&1]; w != nil {
		list := make([]scored, 0, 256)
		for _, m := range s.root {
			list = append(list, scored{p: m.p, score: m.order})
		}
		s.policy[me&1].order(b, w, list)
		for i := range s.root {
			s.root[i].order = list[i].score
		}
	}
	slices.SortStableFunc(s.root, func(x, y rootMove) int { return int(y.order) - int(x.order) })
}

// deepen searches the root deeper and deeper. It gives the best move of the last depth
// that told something, and that depth.
func (s *searcher) deepen(limits engine.Limits) (rootMove, int) {
	best, done := s.root[0], 0
	best.score = 0
	best.line = []game.Point{game.Point(best.p)}
	top := maxPly / 2
	if limits.Depth > 0 {
		top = min(limits.Depth, top)
	}
	for depth := 1 + s.skip; depth <= top; depth++ {
		s.depth = depth
		value := s.aspire(depth, best.score)
		// A depth that was cut off can prove that its first move loses; of the others it
		// proves nothing.
		if front := s.root[0].score; front > -infinite && !(s.stopped && front < -mateEdge) {
			best = s.root[0]
		}
		if s.stopped {
			break
		}
		if depth >= 4 && abs(value) < mateEdge && len(s.root) > 1 && s.falls(&s.root[0]) {
			best = s.drop()
			depth-- // the others may do better
			continue
		}
		done = depth
		if abs(value) > mateEdge || !limits.Spend && (s.watch.Spent() > 0.75 || len(s.root) == 1 && depth >= 8) {
			break
		}
	}
	return best, done
}

// aspire searches the root to depth within a window round the expected value.
func (s *searcher) aspire(depth, expect int) int {
	delta := s.by.aspire + int(4*s.heat)
	alpha, beta := -infinite, infinite
	if depth >= 4 && abs(expect) < mateEdge {
		alpha, beta = expect-delta, expect+delta
	}
	for {
		v := s.searchRoot(alpha, beta, depth)
		if s.stopped {
			return v
		}
		slices.SortStableFunc(s.root, func(x, y rootMove) int { return y.score - x.score })
		switch {
		case v <= alpha && alpha > -infinite:
			alpha = max(-infinite, v-delta)
		case v >= beta && beta < infinite:
			beta = min(infinite, v+delta)
		default:
			return v
		}
		delta *= 3
		if delta > 2000 {
			alpha, beta = -infinite, infinite
		}
	}
}

// searchRoot is search for the root: its moves keep their scores and lines.
func (s *searcher) searchRoot(alpha, beta, depth int) int {
	b := &s.b
	me := b.turn & 1
	s.step()
	s.stack[0].eval = b.evaluate()
	best := -infinite
	soft := int(4 * s.heat)
	for i := range s.root {
		m := &s.root[i]
		if i > 0 {
			m.score = -infinite
		}
		s.stack[1].move = 0xFF
		s.lineLen[1] = 0
		f := &s.stack[0]
		last := f.move
		f.move = m.p
		mine := b.class(m.p, me)
		b.play(m.p)
		var v int
		next := depth - 1
		if mine == winFive {
			v = mate - 1
		} else if m.lost > 0 {
			v = m.lost - mate
		} else if i == 0 {
			v = -s.search(-beta, -alpha, next, 1, false)
		} else {
			d := next
			if depth >= 3 && i > 3 && mine < three {
				d = max(1, next-s.by.reductions[min(depth, 63)][min(i, 63)]/1024)
			}
			v = -s.search(-alpha-1, -alpha, d, 1, true)
			if v > alpha && d < next {
				v = -s.search(-alpha-1, -alpha, next, 1, true)
			}
			if v > alpha {
				v = -s.search(-beta, -alpha, next, 1, false)
			}
		}
		b.back()
		f.move = last
		if s.stopped {
			break
		}
		if i == 0 || v > alpha {
			m.score = v
			m.line = append([]game.Point{game.Point(m.p)}, s.points(1)...)
		} else {
			m.score = -infinite
		}
		m.bound = v
		if v > best {
			best = v
			alpha = max(alpha, v-soft)
			if i > 0 && v >= alpha { // to the front, so that an interrupted depth still tells
				moved := *m
				copy(s.root[1:i+1], s.root[:i])
				s.root[0] = moved
			}
			if v >= beta {
				break
			}
		}
	}
	return best
}

// report puts the outcome into an engine.Report.
func (s *searcher) report(best rootMove, depth int, proofs bool) engine.Report {
	r := engine.Report{Move: game.Point(best.p), Score: best.score, Win: win(best.score), Depth: depth, Nodes: s.nodes,
		Line: slices.Clone(best.line)}
	switch {
	case !proofs: // a board with hidden lines proves nothing
	case best.score > mateEdge:
		r.Proof, r.In = engine.Win, mate-best.score
	case best.score < -mateEdge:
		r.Proof, r.In = engine.Loss, mate+best.score
	}
	for _, m := range s.root[:min(len(s.root), 8)] {
		if m.score > -infinite {
			m.bound = m.score
		}
		r.Candidates = append(r.Candidates, engine.Candidate{Move: game.Point(m.p), Score: m.bound, Win: win(m.bound)})
	}
	return r
}
