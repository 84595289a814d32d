package five

import (
	"tengen/ai/engine"
	"tengen/game"
)

// finish extends the line of a proven result to the end of the game, since the search
// keeps only as much of a line as the table held. Each side plays as a small search tells
// it. The end may come sooner than proven, if the losing side could have held out longer.
func (s *searcher) finish(r *engine.Report) {
	b := &s.b
	loser := b.turn & 1
	if r.Proof == engine.Win {
		loser ^= 1
	}
	played := 0
	line := make([]game.Point, 0, len(r.Line)+8)
	s.stopped = false
	nodes, limit := s.nodes, s.limit
	s.limit = s.nodes + finishNodes
	ended := false
	for len(line) < 225-s.b.ply+played {
		me := b.turn & 1
		var p uint8
		ok := true
		switch {
		case b.count[me][winFive] > 0:
			p = first(&b.five[me])
			ended = true
		case len(line) < len(r.Line) && s.lawful(uint8(r.Line[len(line)])):
			p = uint8(r.Line[len(line)])
		case me == loser:
			p, ok = s.resist()
		default:
			p, ok = s.pursue()
		}
		if !ok {
			break
		}
		line = append(line, game.Point(p))
		if ended {
			ended = me != loser
			break
		}
		b.play(p)
		played++
	}
	for ; played > 0; played-- {
		b.back()
	}
	s.nodes, s.limit = nodes, limit
	if ended {
		r.Line, r.In = line, max(r.In, len(line))
	}
}

const finishNodes = 200_000

func (s *searcher) lawful(p uint8) bool {
	b := &s.b
	return b.stones[p] == 3 && (b.turn != black || !b.forbidden(p))
}

// resist is a move of the side that has lost: it blocks what it can.
func (s *searcher) resist() (uint8, bool) {
	b := &s.b
	me := b.turn & 1
	set := b.five[me^1]
	if set == (pointSet{}) {
		if b.count[me^1][openFour] > 0 {
			set = b.defence()
		} else if t, ok := s.tt.get(b.hash^turnKey[me], 0); ok && t.move != 0xFF && s.lawful(t.move) {
			return t.move, true
		}
	}
	for _, set := range []pointSet{set, b.near, b.empty} {
		best, score := uint8(0xFF), int32(-1<<30)
		for p := range set.All() {
			if !s.lawful(uint8(p)) {
				continue
			}
			c := &b.cells[p]
			if v := int32(b.urge[me][c.code[me]&4095].attack) + int32(b.urge[me^1][c.code[me^1]&4095].defend); v > score {
				best, score = uint8(p), v
			}
		}
		if best != 0xFF {
			return best, true
		}
	}
	return 0, false
}

// pursue is the winning move of the side that has won.
func (s *searcher) pursue() (uint8, bool) {
	b := &s.b
	me := b.turn & 1
	if b.count[me^1][winFive] == 0 && b.count[me][openFour] > 0 {
		for p := range b.four[me].All() {
			if b.class(uint8(p), me) == openFour {
				return uint8(p), true
			}
		}
	}
	s.budget = 20_000
	if w := s.vcf(30); w > 0 {
		for left := range 31 {
			for p := range b.four[me].All() {
				if b.count[me^1][winFive] > 0 && !b.five[me^1].Has(p) {
					continue
				}
				s.budget = 20_000
				if s.vcfMove(uint8(p), left) > 0 {
					return uint8(p), true
				}
			}
		}
	}
	if b.count[me^1][winFive] > 0 {
		p := first(&b.five[me^1])
		return p, s.lawful(p)
	}
	if t, ok := s.tt.get(b.hash^turnKey[me], 0); ok && t.move != 0xFF && t.value > mateEdge && s.lawful(t.move) {
		return t.move, true
	}
	for depth := 2; depth <= 16 && !s.stopped; depth += 2 {
		s.lineLen[100] = 0
		if v := s.search(-infinite, infinite, depth, 100, false); v > mateEdge && s.lineLen[100] > 0 {
			return s.line[100][0], true
		}
	}
	return 0, false
}
