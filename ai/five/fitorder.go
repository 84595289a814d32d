package five

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"tengen/ai/engine"
)

// choice is a position for the ordering of moves: the codes of the candidates, the
// chosen one first.
type choice struct {
	me, you []uint16
	far     [][recent]uint8 // how far from the last moves
	threat  uint16
	turn    uint8
}

func (b *board) choice(p uint8) (c choice, ok bool) {
	me := b.turn
	var last [recent]uint8
	for k := range last {
		last[k] = p
		if b.ply > k {
			last[k] = b.moves[b.ply-1-k]
		}
	}
	c.turn, c.threat = uint8(me), uint16(b.threats())
	add := func(q uint8) {
		c.me = append(c.me, b.cells[q].code[me]&4095)
		c.you = append(c.you, b.cells[q].code[me^1]&4095)
		var far [recent]uint8
		for k := range far {
			if b.ply > k {
				far[k] = farness(int(q&15)-int(last[k]&15), int(q>>4)-int(last[k]>>4))
			}
		}
		c.far = append(c.far, far)
	}
	add(p)
	found := false
	for q := range b.candidates().All() {
		switch {
		case uint8(q) == p:
			found = true
		case b.stones[q] == 3 && !(me == black && b.forbidden(uint8(q))):
			add(uint8(q))
		}
	}
	return c, found && len(c.me) > 1
}

// orderUnit is one logit of a move's chance to be the best, in units of the ordering.
const orderUnit = 100

// orderer learns what draws a move to its point: the codes of the point, how far it lies
// from the last moves, and the classes of both sides there, alone and under each threat.
type orderer struct {
	attack, defend  [2]*layered
	far, both, mood *learned
	class           [2][codes]uint8
	buf             []float32 // of chance
}

func newOrderer(v variant) *orderer {
	o := &orderer{
		attack: layeredFor(v, 1), defend: layeredFor(v, 1),
		far:  newLearned(recent*farnesses, 0, nil),
		both: newLearned(2*classes*classes, 0, nil),
		mood: newLearned(2*threatBits*2*classes, 0, nil),
		buf:  make([]float32, 256),
	}
	for c := range 2 {
		for i := range codes {
			o.class[c][i] = classOf(patternsOf[i], v.kind(c))
		}
	}
	return o
}

// bothAt and moodAt are where the weights of a move's classes are.
func bothAt(turn, mine, theirs uint8) int { return (int(turn)*classes+int(mine))*classes + int(theirs) }

func moodAt(turn uint8, bit, side int, class uint8) int {
	return ((int(turn)*threatBits+bit)*2+side)*classes + int(class)
}

// fitOrder fits the ordering of moves. A twentieth of the positions is left out, to test
// the fit on positions that it does not know.
func fitOrder(samples []choice, v variant, w *weights, told engine.Progress) {
	o := newOrderer(v)
	rnd := rand.New(rand.NewPCG(2, 2))
	rnd.Shuffle(len(samples), func(i, j int) { samples[i], samples[j] = samples[j], samples[i] })
	test := samples[:len(samples)/20]
	train := samples[len(samples)/20:]
	for epoch := range epochs {
		rate := 0.03 * math.Pow(0.6, float64(epoch))
		study(train, batchSize, rnd, o.learn, func() { o.step(rate) })
		l, hit := o.loss(test)
		told.Say("ordering: epoch %d, loss %.4f, the chosen move comes first in %.1f %%", epoch+1, l, 100*hit)
	}
	o.round(w)
}

// chance is how likely each candidate is to be the chosen one. The next call overwrites it.
func (o *orderer) chance(s *choice) []float32 {
	p := o.buf[:len(s.me)]
	for i := range p {
		p[i] = o.attack[s.turn].flat[s.me[i]] + o.defend[s.turn^1].flat[s.you[i]]
		for k, f := range s.far[i] {
			p[i] += o.far.w[k*farnesses+int(f)]
		}
		mine, theirs := o.class[s.turn][s.me[i]], o.class[s.turn^1][s.you[i]]
		p[i] += o.both.w[bothAt(s.turn, mine, theirs)]
		for m := uint(s.threat); m != 0; m &= m - 1 {
			bit := bits.TrailingZeros(m)
			p[i] += o.mood.w[moodAt(s.turn, bit, 0, mine)] + o.mood.w[moodAt(s.turn, bit, 1, theirs)]
		}
	}
	softmax(p)
	return p
}

// softmax makes chances of scores.
func softmax(p []float32) {
	top, sum := slices.Max(p), float32(0)
	for i := range p {
		p[i] = float32(math.Exp(float64(p[i] - top)))
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
}

// learn adds the gradient of a position that counts as one of n.
func (o *orderer) learn(s *choice, n int) {
	scale := 1 / float32(n)
	for k, chance := range o.chance(s) {
		g := chance * scale
		if k == 0 {
			g -= scale
		}
		o.attack[s.turn].grad[s.me[k]] += g
		o.defend[s.turn^1].grad[s.you[k]] += g
		for j, f := range s.far[k] {
			o.far.g[j*farnesses+int(f)] += g
		}
		mine, theirs := o.class[s.turn][s.me[k]], o.class[s.turn^1][s.you[k]]
		o.both.g[bothAt(s.turn, mine, theirs)] += g
		for m := uint(s.threat); m != 0; m &= m - 1 {
			bit := bits.TrailingZeros(m)
			o.mood.g[moodAt(s.turn, bit, 0, mine)] += g
			o.mood.g[moodAt(s.turn, bit, 1, theirs)] += g
		}
	}
}

// step moves along the gradient and forgets it.
func (o *orderer) step(rate float64) {
	stepBoth(o.attack, rate)
	stepBoth(o.defend, rate)
	o.far.step(rate)
	o.both.step(rate)
	o.mood.step(rate)
}

// loss gives the mean loss on the moves chosen in list, and the share of positions in
// which the ordering puts the chosen move first.
func (o *orderer) loss(list []choice) (l, hit float64) {
	for i := range list {
		p := o.chance(&list[i])
		l -= math.Log(float64(p[0]) + 1e-12)
		best := true
		for _, x := range p[1:] {
			best = best && x < p[0]
		}
		if best {
			hit++
		}
	}
	n := float64(max(1, len(list)))
	return l / n, hit / n
}

// round writes what was learned into w.
func (o *orderer) round(w *weights) {
	for j := range recent {
		far := o.far.w[j*farnesses:][:farnesses]
		for f, x := range far {
			w.Far[j][f] = rounded(x-far[farnesses-1], orderUnit)
		}
	}
	for c := range 2 {
		turn := uint8(c)
		for i := range uint8(classes) {
			for j := range uint8(classes) {
				w.Both[c][i][j] = rounded(o.both.w[bothAt(turn, i, j)], orderUnit)
			}
			for bit := range threatBits {
				for side := range 2 {
					w.Mood[c][bit][side][i] = rounded(o.mood.w[moodAt(turn, bit, side, i)], orderUnit)
				}
			}
		}
		for i := range codes {
			w.Attack[c][i] = rounded(o.attack[c].flat[i], orderUnit)
			w.Defend[c][i] = rounded(o.defend[c].flat[i], orderUnit)
		}
	}
}
