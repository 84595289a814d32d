package five

import (
	"math"

	"tengen/ai/engine"
	"tengen/game"
)

// A level is a node count, a veil over the threats of the other side, and a softness in
// choosing among the best moves. The last two levels have neither, but for the opening,
// where all levels vary their play.
type level struct {
	nodes     int64      // a move; from level 6 on at most
	miss      [4]float64 // chance to overlook a three by its kind: straight, split, diagonal, split diagonal
	missFour  float64    // part of it for a four
	soft      float64    // temperature of the choice, in units of the evaluation
	vcf       int        // fours that it looks ahead
	opening   float64    // temperature in the first moves, where it is more than soft
	openMoves int
}

var levels = [8]level{
	{nodes: 150, miss: [4]float64{0.40, 0.55, 0.60, 0.75}, missFour: 0.40, soft: 90, vcf: 1, openMoves: 8},               // Beginner
	{nodes: 300, miss: [4]float64{0.24, 0.36, 0.42, 0.55}, missFour: 0.20, soft: 60, vcf: 2, openMoves: 8},               // Novice
	{nodes: 700, miss: [4]float64{0.12, 0.20, 0.24, 0.34}, missFour: 0.10, soft: 45, vcf: 3, opening: 50, openMoves: 8},  // Casual player
	{nodes: 2500, miss: [4]float64{0.05, 0.09, 0.11, 0.16}, missFour: 0.05, soft: 30, vcf: 5, opening: 45, openMoves: 8}, // Club player
	{nodes: 7500, miss: [4]float64{0.015, 0.03, 0.04, 0.06}, missFour: 0, soft: 18, vcf: 8, opening: 40, openMoves: 8},   // Advanced
	{nodes: 22_000, soft: 8, vcf: 20, opening: 35, openMoves: 8},                                                         // Expert
	{nodes: 125_000, vcf: 30, opening: 30, openMoves: 8},                                                                 // Master
	{nodes: 600_000, vcf: 30, opening: 25, openMoves: 8},                                                                 // Tengen
}

// levelOf is the level that limits name, nil for full strength.
func levelOf(l engine.Limits) *level {
	if l.Level <= 0 {
		return nil
	}
	return &levels[min(l.Level, len(levels))-1]
}

// dice is a random number from 0 to 1, the same for the same seed and things.
func dice(seed uint64, things ...uint64) float64 {
	h := mix(seed ^ 0xD1B54A32D192ED03)
	for _, t := range things {
		h = mix(h ^ t*0x9E3779B97F4A7C15)
	}
	return float64(h>>11) / (1 << 53)
}

// veil hides lines from the search in which the other side threatens something, with the
// chances that the level sets. The stones of a line throw the dice, so a line stays seen
// or unseen until it changes. veil reports whether anything is hidden.
func (b *board) veil(l *level, seed uint64, last game.Point) bool {
	me := b.turn & 1
	you := me ^ 1
	type hidden struct{ p, d uint8 }
	var list []hidden
	var fours [4][32]bool // lines that hold a four: it is seen or not, whatever else they hold
	for p := range b.five[you].All() {
		for d := range 4 {
			if b.cells[p].line[you]>>(4*d)&15 == fiveRow {
				fours[d][b.at[p][d].line&31] = true
			}
		}
	}
	for p := range b.empty.All() {
		c := b.cells[p]
		for d := range 4 {
			k := c.line[you] >> (4 * d) & 15
			if k != four && k != four2 && k != fiveRow || k != fiveRow && fours[d][b.at[p][d].line&31] {
				continue
			}
			threat, split := b.threat4(uint8(p), d, you)
			chance := l.miss[split+2*(d/2)]
			if k == fiveRow {
				chance *= l.missFour
			}
			if last != game.NoPoint {
				if max(abs(last.Col()-p.Col()), abs(last.Row()-p.Row())) > 4 {
					chance *= 1.5
				} else {
					chance *= 0.9
				}
			}
			if dice(seed, threat, uint64(d)) < chance {
				list = append(list, hidden{uint8(p), uint8(d)})
			}
		}
	}
	for _, h := range list { // its stones look like the edge, in this direction alone
		pl := &b.at[h.p][h.d]
		for k := -min(4, int(pl.back)); k <= min(4, int(pl.fwd)); k++ {
			q := uint8(int(h.p) + k*delta[h.d])
			if int(b.stones[q]) == you {
				bits := uint64(3) << (b.at[q][h.d].bit & 63)
				b.veiled[h.d][pl.line&31] |= bits
				b.rows[h.d][pl.line&31] |= bits
			}
		}
	}
	if len(list) > 0 {
		b.refresh()
		b.old[(b.ply-1)&255].sum = b.sum // the sums before the last move are of the board without the veil
	}
	return len(list) > 0
}

// threat4 names the stones of c near p in direction d, and tells whether a gap splits them.
func (b *board) threat4(p uint8, d, c int) (name uint64, split int) {
	pl := &b.at[p][d]
	name = uint64(pl.line)
	firstStone, last, n := -1, -1, 0
	for k := -int(pl.back); k <= int(pl.fwd); k++ {
		if k < -4 || k > 4 {
			continue
		}
		q := uint8(int(p) + k*delta[d])
		if int(b.stones[q]) == c {
			name = name<<5 ^ uint64(q)
			if firstStone < 0 {
				firstStone = k + 8
			}
			last = k + 8
			n++
		}
	}
	if last-firstStone+1 > n {
		split = 1
	}
	return name, split
}

// chosen is one of the root's moves: the best, or with a temperature one that is not
// much worse. Only moves whose scores are known take part.
func (s *searcher) chosen(best rootMove, heat float64, seed uint64) rootMove {
	if heat <= 0 || best.score > mateEdge {
		return best
	}
	sum := 0.0
	weight := func(m *rootMove) float64 {
		if m.score <= -infinite || m.score < best.score-int(4*heat) {
			return 0
		}
		return math.Exp(float64(m.score-best.score) / heat)
	}
	for i := range s.root {
		sum += weight(&s.root[i])
	}
	at := dice(seed, s.b.hash, uint64(s.b.ply)) * sum
	for i := range s.root {
		at -= weight(&s.root[i])
		if at < 0 {
			return s.root[i]
		}
	}
	return best
}

// firstMove is the first stone of a game: the middle, or near it for a level with a seed.
func (s *searcher) firstMove(l *level, seed uint64) game.Point {
	c := s.b.size / 2
	p := game.At(c, c)
	if l != nil && seed != 0 {
		p = game.At(c+int(dice(seed, 1)*3)-1, c+int(dice(seed, 2)*3)-1)
	}
	return p
}
